/* SPDX-License-Identifier: MIT
 *
 * views.c - totals of a job -> the tables of views.def; here those of metrics,
 *           calls, operations and files
 *
 * In:  struct result, from cmd_analyze.c
 * Out: struct textable, to standard output and tables/
 */
#include "config.h"

#include "analyze/facts/insight.h"
#include "analyze/tables/views.h"

/* --- metrics ---------------------------------------------------------- */

static void views_put_metric (struct textable *t, const struct result *r, int m)
{
    struct metric_value v = metric_compute (r->summary, m);

    if (!v.known)
        textable_na (t);
    else if (metric_table[m].digits == 0)
        textable_uint (t, v.whole);
    else
        textable_double (t, v.value, metric_table[m].digits);
}

void fill_metric (struct textable *t, const struct result *r, size_t top)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        const char *note = metric_compute (r->summary, m).note;

        textable_line (t, "%s", metric_table[m].name);
        views_put_metric (t, r, m);
        textable_cells (t, "%s %s", metric_table[m].unit, note ? note : "");
    }
}

struct textable *study_make (int all)
{
    struct textable *t = textable_create ();

    textable_column (t, "label", "configuration", "", 0);
    for (int m = 0; m < METRIC_COUNT; m++)
        if (all || metric_in_study (m))
            textable_column (t, metric_table[m].name, metric_table[m].title,
                             metric_table[m].unit, 1);
    return t;
}

void study_row (struct textable *t, const struct result *r, int all)
{
    textable_line (t, "%s", r->job->label);
    for (int m = 0; m < METRIC_COUNT; m++)
        if (all || metric_in_study (m))
            views_put_metric (t, r, m);
}

/* --- calls ------------------------------------------------------------ */

static void put_hist (struct textable *t, const struct hist *h)
{
    static const double quantiles[] = {0.5, 0.95, 0.99};
    int known = hist_whole (h);

    textable_double (t, (double)h->sum / h->count / 1e3, 2);
    for (size_t i = 0; i < ITEMS (quantiles); i++)
        cell_micros (t, known, known ? hist_quantile (h, quantiles[i]) : 0);
    cell_micros (t, known || h->max, h->max);
}

/* Traces of other tools do not have it. */
static int libc_known (const struct summary *s)
{
    return s->n.libc_read || s->n.libc_written;
}

static void call_row (struct textable *t, const struct result *r, int call)
{
    const struct call_total *c = r->totals->tally.call[call];
    const struct call_info *info = &call_table[call];
    uint64_t running = r->totals->call_union[call];
    int moves =
        (info->class == CALL_CLASS_READ || info->class == CALL_CLASS_WRITE ||
         info->class == CALL_CLASS_COPY) &&
        (c->bytes || !r->summary->unsized);

    textable_line (t, "%s %s %ju %ju %jus", call_category_name (info->category),
                   info->name, c->time.count, c->errors, c->time.sum);
    cell_union (t, r, running);
    put_hist (t, &c->time);
    if (moves) {
        textable_uint (t, c->bytes);
        cell_union_rate (t, r, c->bytes, running);
    } else {
        textable_cells (t, "- -");
    }
    textable_known (
        t, info->category == CALL_CATEGORY_STDIO && libc_known (r->summary),
        c->libc);
}

void fill_call (struct textable *t, const struct result *r, size_t top)
{
    for (int call = 0; call < CALL_MAX; call++)
        if (r->totals->tally.call[call] &&
            r->totals->tally.call[call]->time.count)
            call_row (t, r, call);
}

/* --- operations and files --------------------------------------------- */

static int views_op_row (struct textable *t,
                         const struct result *r,
                         const struct view_item *item)
{
    const struct op_total *op = item->value;
    struct hist time;

    if (op->time.count == 0) /* metadata only */
        return 1;
    textable_line (t, "%s %s %ju %jus %jus", item->key, item->second,
                   op->time.count, op->time.sum, op->self);
    thinhist_to (&op->time, &time);
    put_hist (t, &time);
    return 1;
}

void fill_operation (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;

    view_items (t, r, top,
                (struct view_map){tally->ops, operations_sorted (tally),
                                  views_op_row, 0});
}

/* --- files -------------------------------------------------------------- */

static int views_file_row (struct textable *t,
                           const struct result *r,
                           const struct view_item *item)
{
    const struct file_total *f = item->value;
    const struct mount_entry *m =
        mounts_find (r->totals->tally.mounts, item->key, item->length);

    textable_line (
        t, "%s %s %ju %ju %ju %jus %ju %ju %jus %ju %ju %ju %ju %jus %ju %jus",
        file_class_name (f->class), kind_name (f->kind), f->opens, f->reads,
        f->read_bytes, f->read_ns, f->writes, f->write_bytes, f->write_ns,
        f->libc_read, f->libc_written, f->maps, f->syncs, f->sync_ns, f->meta,
        f->meta_ns);
    for (int p = PLACED_CONSECUTIVE; p < PLACED_COUNT; p++)
        textable_uint (t, f->placed[p]);
    if (m && (f->class == FILE_CLASS_STORAGE || f->class == FILE_CLASS_SHM)) {
        textable_cells (t, "%s %s", m->type, m->point);
    } else {
        textable_cells (t, "- -");
    }
    textable_cells (t, "%d?%ju %d?%ju %s", f->stripes > 0, f->stripes,
                    f->stripe_bytes > 0, f->stripe_bytes, item->key);
    return 1;
}

void fill_file (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;

    view_items (t, r, top,
                (struct view_map){tally->files, files_sorted (tally),
                                  views_file_row, 0});
}

int view_is_shown (const struct result *r, enum view v)
{
    const struct summary *s = r->summary;

    switch (v) {
#define VIEW(WORD, FILE, HEADING, SHOWN, HELP) \
    case VIEW_##WORD:                          \
        return (SHOWN);
#include "lib/model/views.def"
#undef VIEW
    case VIEW_COUNT:
        break;
    }
    return 0;
}

static struct textable *
view_fill (const struct result *r, enum view v, size_t top, size_t keep)
{
    static void (*const fill[VIEW_COUNT]) (struct textable *,
                                           const struct result *, size_t) = {
#define VIEW(WORD, FILE, HEADING, SHOWN, HELP) [VIEW_##WORD] = fill_##WORD,
#include "lib/model/views.def"
#undef VIEW
    };
    struct textable *t = textable_create ();

    view_columns (t, v);
    textable_keep (t, keep);
    fill[v](t, r, top);
    return t;
}

struct textable *view_make (const struct result *r, enum view v, size_t top)
{
    return view_fill (r, v, top, 0);
}

struct textable *
view_make_first (const struct result *r, enum view v, size_t keep)
{
    return view_fill (r, v, 0, keep);
}

/* --- cells and the order of rows, for the tables of views.def ---------------
 */

void view_items (struct textable *t,
                 const struct result *r,
                 size_t top,
                 struct view_map of)
{
    size_t count = of.map ? strmap_count (of.map) : 0, rows = 0;

    for (size_t i = 0; i < count && (!top || rows < top); i++) {
        struct view_item item = {.value = strmap_value (of.map, of.order[i]),
                                 .kind = of.kind};
        size_t n;

        item.key = strmap_key (of.map, of.order[i], &item.length);
        n = strlen (item.key);
        item.second = n < item.length ? item.key + n + 1 : "";
        rows += of.put (t, r, &item) != 0;
    }
    free (of.order);
}

void cell_seconds (struct textable *t, uint64_t ns)
{
    textable_double (t, ns / 1e9, 6);
}

void cell_micros (struct textable *t, int known, uint64_t ns)
{
    textable_double (t, known ? ns / 1e3 : NAN, 2);
}

void cell_known_seconds (struct textable *t, int known, uint64_t ns)
{
    textable_double (t, known ? ns / 1e9 : NAN, 6);
}

void cell_mean (struct textable *t, uint64_t sum, uint64_t count, int digits)
{
    textable_double (t, count ? (double)sum / (double)count : NAN, digits);
}

void cell_rate (struct textable *t, uint64_t bytes, uint64_t ns)
{
    textable_double (t, ns ? (double)bytes / 1048576 * 1e9 / (double)ns : NAN,
                     1);
}

void cell_union (struct textable *t, const struct result *r, uint64_t ns)
{
    cell_known_seconds (t, !summary_is_profile (r->summary), ns);
}

void cell_union_rate (struct textable *t,
                      const struct result *r,
                      uint64_t bytes,
                      uint64_t ns)
{
    cell_rate (t, bytes, summary_is_profile (r->summary) ? 0 : ns);
}

void cell_rank (struct textable *t, const struct process *p)
{
    textable_known (t, p->who->p.rank >= 0, p->who->p.rank);
}
