/* SPDX-License-Identifier: MIT
 *
 * eventtable.c - the events that a condition lets through -> rows
 *
 * In:  an open job that has been read
 * Out: the first ones in an order, with rank and step, for --view event
 */
#include "config.h"

#include "analyze/facts/question.h"
#include "analyze/scan/where.h"
#include "analyze/query/chunkindex.h"
#include "analyze/scan/evfilter.h"
#include "analyze/tables/eventprint.h"
#include "analyze/trace/batch.h"
#include "lib/base/array.h"
#include "lib/base/programkind.h"
#include "lib/util/xalloc.h"

/* --- an event that is kept -> a row of --view event -------------------------
 */

void eventrow_columns (struct textable *t)
{
    textable_column (t, "time_s", "time", "s", 1);
    textable_column (t, "dur_us", "dur", "us", 1);
    textable_columns (t, "host rank# pid# tid# step# cat name");
    textable_column (t, "size", "size", "B", 1);
    textable_column (t, "bytes", "bytes", "B", 1);
    textable_column (t, "offset", "offset", "B", 1);
    textable_columns (t, "errno file args");
}

static void eventrow_number (struct textable *t, int has, int64_t x)
{
    if (!has)
        textable_na (t);
    else if (x < 0)
        textable_double (t, x, 0);
    else
        textable_uint (t, x);
}

/* Arguments of a region; of a program that could not be followed, why. */
static void
eventrow_args (const struct eventrow *e, const struct dict *d, FILE *f)
{
    if (e->call == CALL_exec_untraced && e->flags < PROGRAM_KINDS)
        fprintf (f, "reason=%s", programkind_reason (e->flags));
    for (uint32_t i = 0; i < e->args; i++) {
        const struct batch_arg *a = &e->arg[i];
        const struct dict_entry *key = dict_entry (d, a->key), *text;

        fprintf (f, "%s%s=", i ? " " : "", key ? key->text : "");
        if (a->type == EVENT_ARG_INT)
            fprintf (f, "%" PRId64, a->i);
        else if (a->type == EVENT_ARG_DOUBLE)
            fprintf (f, "%.9g", a->d);
        else if ((text = dict_entry (d, a->text)))
            fputs (text->text, f);
    }
}

/* Times are from start on. */
static void eventrow_put (struct textable *t,
                          const struct eventrow *e,
                          const struct dict *dict,
                          uint64_t start)
{
    const struct call_info *info = &call_table[e->call];
    uint32_t names[1] = {e->name}, second[1] = {e->name2};
    uint16_t call[1] = {e->call};
    const struct batch one = {.call = call, .name = names, .name2 = second};
    struct evname n = evname_of (dict, &one, 0);
    char buf[32], *args = NULL;
    size_t length;
    FILE *f = xmemstream (&args, &length);

    eventrow_args (e, dict, f);
    xmemstream_end (f);
    textable_line (t, "%.6f %.2f %s", (int64_t)(e->start - start) / 1e9,
                   (e->end - e->start) / 1e3, e->who->text[SHARD_STRING_HOST]);
    eventrow_number (t, e->rank >= 0, e->rank);
    textable_cells (t, "%u %u", e->who->p.pid, e->tid);
    eventrow_number (t, e->step >= 0, e->step);
    textable_cells (t, "%s %s", n.category, n.name);
    eventrow_number (t, info->fields & F_SIZE, e->size);
    eventrow_number (t, e->has_bytes, e->bytes);
    eventrow_number (t, info->fields & F_OFFSET && e->offset >= 0, e->offset);
    textable_cells (t, "%s %s %s",
                    e->error ? where_errno_name (e->error, buf) : "", n.file,
                    args);
    free (args);
}

/* --- all of it --------------------------------------------------------------
 */

struct eventtable_worker {
    struct column_source source;
    struct evfilter filter;
    struct eventrow *event; /* owned */
    size_t count, room, split, at;
    int cut; /* the first ones are sorted, and no others can be among them */
};

struct eventtable_work {
    const struct eventtable *e;
    struct eventtable_worker *worker; /* owned */
    struct pass pass;
    uint64_t start;
};

/* --- order ---------------------------------------------------------------- */

static int eventtable_order (const void *a, const void *b)
{
    const struct eventrow *x = a, *y = b;

    return ORDER (x->by, y->by)
           ?: ORDER (x->start, y->start)
           ?: ORDER (x->split, y->split)
           ?: ORDER (x->at, y->at);
}

/* Keep the first ones only. */
static void eventtable_cut (struct eventtable_worker *w, size_t top)
{
    if (w->count) /* without events there is no array */
        SORT (w->event, w->count, eventtable_order);
    for (; w->count > top; w->count--)
        free (w->event[w->count - 1].arg);
    w->cut = 1;
}

/* --- reading -------------------------------------------------------------- */

static void eventtable_copy (struct eventrow *to,
                             const struct eventtable_worker *w,
                             size_t i)
{
    const struct column_source *s = &w->source;
    const struct batch *b = s->batch;

    to->who = b->who;
    to->tid = batch_tid (b, i);
    to->end = b->end[i];
    to->call = b->call[i];
    to->name = b->name[i];
    to->name2 = b->name2[i];
    to->size = b->size[i];
    to->flags = b->flags[i];
    to->offset = b->offset[i];
    to->error = b->error[i];
    to->bytes = s->bytes[i];
    to->has_bytes = (s->how[i] & COLUMN_MOVES) != 0;
    to->rank = s->rank;
    to->step = column_source_mark (s, i, MARK_STEP);
    to->args = b->arg[i + 1] - b->arg[i];
    to->arg = to->args
                  ? xmemdup (&b->args[b->arg[i]], to->args * sizeof (*to->arg))
                  : NULL;
}

/* Room for one more, or -1: there are too many. */
static int eventtable_more (struct eventtable_worker *w)
{
    if (w->count == EVENTTABLE_MAX) {
        errno = EOVERFLOW;
        return -1;
    }
    return GROW (w->event, w->room, w->count + 1);
}

/* Keep event i if it may be one of the first. Twice as many as are asked for
 * are there before they are sorted. */
static int
eventtable_keep (struct eventtable_worker *w, size_t top, size_t i, int64_t by)
{
    struct eventrow one = {.by = by,
                           .start = w->source.batch->start[i],
                           .split = w->split,
                           .at = w->at + i};

    if (w->cut && eventtable_order (&one, &w->event[top - 1]) >= 0)
        return 0;
    if (top && top < EVENTTABLE_MAX) {
        if (w->count == 2 * top)
            eventtable_cut (w, top);
        GROW (w->event, w->room, w->count + 1);
    } else if (eventtable_more (w) < 0)
        return -1;
    eventtable_copy (&one, w, i);
    w->event[w->count++] = one;
    return 0;
}

static void eventtable_begin (void *cookie, size_t split, int worker)
{
    struct eventtable_work *work = cookie;

    work->worker[worker].split = split;
    work->worker[worker].at = 0;
}

static int eventtable_take (void *cookie, int worker, const struct batch *b)
{
    struct eventtable_work *work = cookie;
    struct eventtable_worker *w = &work->worker[worker];
    unsigned char wanted[BATCH_EVENTS], has[BATCH_EVENTS];
    int64_t value[BATCH_EVENTS];

    if (b->begins && column_source_begin (&w->source, b->who) < 0)
        return -1;
    column_source_batch (&w->source, b);
    evfilter_batch (&w->filter, b, wanted);
    evterm_numbers (work->e->sort, &w->source, work->start, value, has);
    for (size_t i = 0; i < b->count; i++) {
        int64_t by = !has[i]                 ? INT64_MAX
                     : work->e->ascending    ? value[i]
                     : value[i] == INT64_MIN ? INT64_MAX
                                             : -value[i];

        if (wanted[i] && !(w->source.how[i] & COLUMN_IGNORED) &&
            eventtable_keep (w, work->e->top, i, by) < 0)
            return -1;
    }
    w->at += b->count;
    return 0;
}

/* --- all ------------------------------------------------------------------ */

static void eventtable_make (struct eventtable_work *w,
                             const struct query_context *context)
{
    NEW (w->worker, w->pass.workers);
    w->start = context->first_start;
    for (int i = 0; i < w->pass.workers; i++) {
        struct eventtable_worker *one = &w->worker[i];
        const struct where *where = w->e->where;

        one->source.dict = w->pass.dict;
        one->source.context = context;
        one->filter.where = where && where->terms ? where : NULL;
        one->filter.dict = w->pass.dict;
        one->filter.source = &one->source;
        one->filter.start = context->first_start;
        one->source.wants_places =
            one->filter.where && where_has (where, WHERE_BY_access);
    }
}

/* Those of all workers, sorted, at the first one. 0, or -1: too many. */
static int eventtable_join (struct eventtable_work *w)
{
    struct eventtable_worker *all = &w->worker[0];
    size_t top = w->e->top ? w->e->top : SIZE_MAX;

    for (int i = 0; i < w->pass.workers; i++) {
        struct eventtable_worker *one = &w->worker[i];

        eventtable_cut (one, top);
        for (; one != all && one->count; one->count--) {
            if (eventtable_more (all) < 0)
                return -1;
            all->event[all->count++] = one->event[one->count - 1];
        }
    }
    eventtable_cut (all, top);
    return 0;
}

static int eventtable_run (struct eventtable_work *w, struct textable *t)
{
    const struct pass_user user = {w, eventtable_begin, eventtable_take, NULL,
                                   BATCH_ALL};
    const struct eventtable_worker *all = &w->worker[0];

    if (pass_run (&w->pass, &user, 1) < 0 || eventtable_join (w) < 0)
        return -1;
    for (size_t i = 0; i < all->count; i++)
        eventrow_put (t, &all->event[i], w->pass.dict, w->start);
    return 0;
}

static void eventtable_clear (struct eventtable_work *w)
{
    for (int i = 0; w->worker && i < w->pass.workers; i++) {
        struct eventtable_worker *one = &w->worker[i];

        for (size_t k = 0; k < one->count; k++)
            free (one->event[k].arg);
        free (one->event);
        column_source_clear (&one->source);
        evfilter_clear (&one->filter);
    }
    free (w->worker);
    pass_close (&w->pass);
}

static int eventtable_fail (const char *label, struct errtext *err)
{
    return errno == EOVERFLOW
               ? errf (err,
                       "%s: more than %d events: use --top, a condition, or "
                       "dftrace export",
                       label, EVENTTABLE_MAX)
               : err_system (err, label, errno ? errno : ENOMEM);
}

int eventtable_rows (struct textable *t,
                     const struct eventtable *e,
                     const struct result *r,
                     const struct kind_rules *rules,
                     struct errtext *err)
{
    const struct query steps = {
        .key = {{.what = GROUP_step}}, .keys = 1, .where = e->where};
    struct eventtable_work w = {.e = e};
    struct query_context context;
    int rc = -1;

    if (jobcontext_make (&context, &steps, r->job, r->totals, r->summary, err) <
        0)
        return -1;
    errno = 0;
    pass_open (&w.pass, r->job, rules, e->threads);
    eventtable_make (&w, &context);
    if (chunkskip (&w.pass, e->where, &context) == 0)
        rc = eventtable_run (&w, t);
    if (rc < 0)
        eventtable_fail (r->job->label, err);
    else if (e->where)
        rc = where_check (e->where, w.pass.dict, err);
    eventtable_clear (&w);
    query_context_clear (&context);
    return rc;
}

int eventtable_parse_sort (struct eventtable *e,
                           const char *word,
                           struct errtext *err)
{
    int column =
        asking_find (word + (*word == '-'), strlen (word + (*word == '-')));
    enum where_type type =
        column < 0 ? WHERE_TEXT : where_column_info (column)->type;

    if (type == WHERE_TEXT || type == WHERE_ANY) {
        errno = EINVAL;
        return errf (err, "%s: not a column of numbers: see dftrace help where",
                     word);
    }
    e->sort = column;
    e->ascending = *word == '-';
    return 0;
}
