/* SPDX-License-Identifier: MIT
 *
 * viewrows.c - totals of a job -> tables of trace files, findings, ranks,
 *              processes, kinds and mounts, and of the accesses to files
 *
 * In:  struct result, from views.c
 * Out: rows
 */
#include "config.h"

#include "analyze/facts/failure.h"
#include "analyze/facts/sharedfiles.h"
#include "analyze/scan/timemap.h"
#include "analyze/tables/subject.h"
#include "analyze/tables/views.h"
#include "analyze/trace/untraced.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

static const char *viewrows_base_of (const char *path)
{
    const char *slash = strrchr (path, '/');

    return slash ? slash + 1 : path;
}

/* --- health ----------------------------------------------------------- */

/* Why events are missing, or "". */
static void
problem_of (const struct source *s, const struct health *h, char *buf, size_t n)
{
    size_t at = 0;
    const struct {
        uint64_t count;
        const char *what;
    } parts[] = {
        {h->copies.processes, "processes that a longer file has, too"},
        {h->copies.differ, "events of these differ from it"},
        {s->lines.copies, "lines written twice, counted once"},
        {s->lines.crossed,
         "calls crossed: processes of two nodes under one number?"},
        {s->lines.bad_times, "events at impossible times"},
        {s->lines.no_duration, "events without a duration"},
        {s->lines.huge, "events with impossible sizes, taken as 0"},
        {s->lines.unsized, "reads and writes without a size"},
        {s->lines.other_units, "changes of the unit of time"},
        {h->file.lost - pfw_lost (&s->lines), "events lost while recording"},
        {h->heads_bad, "damaged process blocks"},
        {h->chunks_bad, "damaged chunks"},
        {h->file.chunks_cut, "chunks cut off"},
        {h->io_errors, "chunks not readable"},
        {(uint64_t)(h->file.cut && !s->is_pfw), "file shorter than written"},
        {h->file.bytes_skipped, "bytes that belong to nothing"},
        {h->file.lost_names, "names lost"},
        {s->lines.bad, "malformed lines"},
        {s->lines.merged, "events or more in sums, not in the metrics"},
        {s->lines.in.members_bad, "damaged gzip members"},
        {(uint64_t)(s->lines.in.cut != 0), "gzip stream cut off"},
        {(uint64_t)(s->lines.cut != 0), "last line incomplete"},
        {s->lines.counters, "counters not analyzed"},
        {s->lines.pairs, "begins and ends that are no pairs here"},
        {s->lines.others, "moments, flows or states not analyzed"},
        {s->lines.unnamed, "files without a name"},
        {s->log.cut, "parts of the log damaged or cut off"},
        {s->log.bad, "records of the log that make no sense"},
        {s->log.partial, "modules that ran out of memory while recording"},
        {s->log.unnamed, "records without a file name"},
        {s->log.mixed, "segments of MPI-IO of which the call is not known"},
        {s->log.skipped, "modules of the log that are not read"},
    };

    buf[0] = '\0';
    if (!s->readable || s->lines.empty) {
        snprintf (buf, n, "%s", s->problem.text);
        return;
    }
    if (s->lines.unit_guessed)
        at += snprintf (buf, n, "times taken as units of %u ns", s->lines.unit);
    for (size_t i = 0; i < ITEMS (parts); i++)
        if (parts[i].count && at < n)
            at += snprintf (buf + at, n - at, "%s%" PRIu64 " %s",
                            at ? ", " : "", parts[i].count, parts[i].what);
}

void fill_health (struct textable *t, const struct result *r, size_t top)
{
    char problem[600];

    for (size_t i = 0; i < r->totals->sources; i++) {
        const struct source *s = &r->job->source[i];
        const struct health *h = &r->totals->health[i];

        textable_line (t, "%s %ju %u %u", viewrows_base_of (s->path),
                       h->file.bytes, h->file.processes, h->file.unfinished);
        if (s->is_pfw) {
            textable_cells (t, "- %ju", s->lines.lines);
        } else {
            textable_cells (t, "%ju -", h->file.chunks);
        }
        textable_cells (t, "%ju %ju %d?%ju %ju", h->events, health_lost (h),
                        s->is_pfw, s->lines.merged, h->file.bytes_skipped);
        problem_of (s, h, problem, sizeof (problem));
        textable_text (t, problem);
    }
}

/* --- trace points ----------------------------------------------------- */

void fill_trace_point (struct textable *t, const struct result *r, size_t top)
{
    const struct pointfaults *p = &r->totals->tally.points;

    for (int f = 0; f < POINTFAULT_FAULTS; f++)
        for (size_t i = 0; i < pointfaults_count (p, f) && (!top || i < top);
             i++) {
            struct pointfault_text report = pointfaults_text (p, f, i);
            char *where =
                xasprintf ("%.*s", (int)report.where_length, report.where);

            textable_line (t, "%s %s", pointfault_table[f].word, where);
            free (where);
            textable_cells (t, "%s %ju", report.what, report.times);
        }
}

/* --- insights --------------------------------------------------------- */

/* The names of the rows that the finding came from; metrics.json has a list of
 * them with their numbers. */
static void insight_origin (struct textable *t, const struct insight_rows *rows)
{
    char *text;
    size_t n;
    FILE *f = xmemstream (&text, &n);

    for (size_t k = 0; k < rows->count; k++)
        fprintf (f, "%s%s", k ? "; " : "", rows->name[k]);
    xmemstream_end (f);
    textable_text (t, text);
    free (text);
}

/* Counts and bytes as they are. */
static int insight_digits (double value)
{
    return value >= 1000 || value == (double)(int)value ? 0 : 4;
}

static void insight_row (struct textable *t,
                         const struct result *r,
                         const struct finding *f,
                         const struct insight_rows *rows)
{
    const struct insight_info *rule = &insight_table[f->rule];
    char subject[SUBJECT_MAX], advice[INSIGHT_ADVICE];
    char pids[SUBJECT_PIDS], source[SUBJECT_SOURCES];

    textable_line (t, "%s %s %s %.4f %.2f %.3f %.3f",
                   severity_name (f->severity), rule->name, rule->finding,
                   f->costs ? f->cost : NAN, f->costs ? f->percent : NAN,
                   f->value, rule->limit);
    textable_double (t, f->a, insight_digits (f->a));
    textable_text (t, rule->what_a);
    textable_double (t, f->b, insight_digits (f->b));
    textable_cells (t, "%s %s %s %s", rule->what_b, rule->from,
                    insight_advice (advice, f, r->summary),
                    subject_words (subject, f, r));
    insight_origin (t, rows);
    textable_cells (t, "%.4f %.4f", finding_from (f, r->summary),
                    finding_until (f, r->summary));
    if (*finding_pids (pids, f, r->totals)) {
        textable_cells (t, "%zu %s", f->when.processes, pids);
    } else {
        textable_cells (t, "- -");
    }
    if (*finding_source (source, f, r, 1))
        textable_text (t, source);
    else
        textable_na (t);
}

void view_findings (struct textable *t,
                    const struct result *r,
                    const struct finding *found,
                    size_t n,
                    struct insight_rows *rows)
{
    for (size_t i = 0; i < n; i++) {
        insight_rows (&rows[i], found[i].rule, r);
        insight_row (t, r, &found[i], &rows[i]);
    }
}

void fill_insight (struct textable *t, const struct result *r, size_t top)
{
    struct finding found[INSIGHT_COUNT];
    struct insight_rows rows[INSIGHT_COUNT];
    size_t n = insights_find (found, r->summary, r->totals);

    view_findings (t, r, found, n, rows);
    for (size_t i = 0; i < n; i++)
        insight_rows_clear (&rows[i]);
}

/* --- ranks ------------------------------------------------------------ */

void fill_rank (struct textable *t, const struct result *r, size_t top)
{
    static const enum set sets[] = {SET_LOADER, SET_STALL,      SET_COMPUTE,
                                    SET_READ,   SET_CHECKPOINT, SET_CKPT_WRITE};

    for (size_t i = 0; i < r->summary->ranks; i++) {
        const struct rank *k = &r->summary->rank[i];

        textable_row (t);
        cell_rank (t, k->first);
        textable_cells (t, "%s %u %zu", k->first->who->text[SHARD_STRING_HOST],
                        k->first->who->p.pid, k->processes);
        for (size_t set = 0; set < ITEMS (sets); set++)
            cell_union (t, r, k->time[sets[set]]);
    }
}

/* --- processes -------------------------------------------------------- */

static void process_row (struct textable *t,
                         const struct result *r,
                         const struct process *p)
{
    static const char *const ending[] = {
        [ENDING_UNKNOWN] = "unknown",
        [ENDING_ORDERLY] = "exit",
        [ENDING_EXEC] = "exec",
        [ENDING_SIGNAL] = "signal",
    };
    static const uint32_t kinds[] = {SHARD_ENDED_EXIT, SHARD_ENDED_SIGNAL};
    const uint32_t ended = p->who->p.ended;
    int sized = !r->summary->unsized;
    char doing[FAILURE_TEXT_MAX];

    textable_line (t, "%s %u %u", p->who->text[SHARD_STRING_HOST],
                   p->who->p.pid, p->who->p.ppid);
    cell_rank (t, p);
    textable_cells (t, "%u %jus %jus %s", p->threads,
                    p->start - r->summary->start, p->end - p->start,
                    ending[p->ending]);
    for (int kind = 0; kind < 2; kind++)
        textable_known (t, (ended & kinds[kind]) != 0,
                        ended & SHARD_ENDED_NUMBER);
    if (failure_doing (doing, r->job, p)) {
        textable_text (t, doing);
        cell_known_seconds (t, doing_of (r->job, p->who)->since != 0,
                            failure_doing_ns (r->job, r->summary, p));
    } else {
        textable_cells (t, "- -");
    }
    textable_cells (t, "%ju %ju %ju %d?%ju %jus %ju %d?%ju", p->n.events,
                    p->n.posix, p->n.read.count, p->n.read.bytes || sized,
                    p->n.read.bytes, p->n.read.ns, p->n.write.count,
                    p->n.write.bytes || sized, p->n.write.bytes);
    cell_union (t, r, p->time[SET_LOADER]);
    cell_union (t, r, p->time[SET_STALL]);
    textable_cells (t, "%s %s %s", "traced", "",
                    p->who->text[SHARD_STRING_EXE]);
}

/* Go's calls go past libc; a program that stopped us was traced until then. */
static const char *process_state (const struct untraced_program *p)
{
    return p->kind == PROGRAM_GO || untraced_stopped (p) ? "in part"
                                                         : "not traced";
}

/* Cells from one column up to another one that are not known. */
static void
process_unknown (struct textable *t, const char *from, const char *to)
{
    for (int c = textable_find (t, from); c < textable_find (t, to); c++)
        textable_na (t);
}

/* A process of which nothing is known but that it was there. */
static void process_gone (struct textable *t,
                          const struct result *r,
                          const struct untraced_program *p)
{
    const uint64_t start = r->summary->start;

    textable_line (t, "%s %d?%u", p->host, p->pid > 0, p->pid);
    process_unknown (t, "ppid", "start_s");
    cell_known_seconds (t, p->time > 0, p->time > start ? p->time - start : 0);
    process_unknown (t, "time_s", "state");
    textable_cells (t, "%s %s %s", process_state (p), p->reason, p->exe);
}

void fill_process (struct textable *t, const struct result *r, size_t top)
{
    for (size_t i = 0; i < r->totals->processes && (!top || i < top); i++)
        process_row (t, r, &r->totals->process[i]);
    for (size_t i = 0, at = r->totals->processes;
         i < r->summary->gone.count && (!top || at < top); i++, at++)
        process_gone (t, r, &r->summary->gone.item[i]);
}

/* --- kinds ------------------------------------------------------------ */

static void kind_row (struct textable *t, const struct tally *tally, int kind)
{
    struct file_total sum = {.class = FILE_CLASS_STORAGE};
    uint64_t files = 0;

    for (size_t i = 0; i < strmap_count (tally->files); i++) {
        const struct file_total *f = strmap_value (tally->files, i);

        if ((int)f->kind != kind)
            continue;
        files++;
        file_total_add (&sum, f);
    }
    textable_line (
        t,
        "%s %ju %ju %ju %ju %jus %ju %ju %jus %ju %ju %jus %jus %ju %ju %jus",
        kind_name (kind), files, sum.opens, sum.reads, sum.read_bytes,
        sum.read_ns, sum.writes, sum.write_bytes, sum.write_ns, sum.maps,
        sum.syncs, sum.sync_ns, sum.meta_ns, sum.stdio_read_bytes,
        sum.stdio_write_bytes, sum.stdio_ns);
}

void fill_kind (struct textable *t, const struct result *r, size_t top)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        kind_row (t, &r->totals->tally, kind);
}

/* --- files on storage by the file system that they are on -------------------
 */

struct viewmount_row {
    const struct mount_entry *mount; /* NULL: not known */
    uint64_t files, striped, stripes_least, stripes_most;
    struct file_total sum;
};

static int viewmount_same (const struct mount_entry *a,
                           const struct mount_entry *b)
{
    return strcmp (a->point, b->point) == 0 && strcmp (a->type, b->type) == 0;
}

static int viewmount_by_place (const void *a, const void *b)
{
    const struct viewmount_row *x = a, *y = b;
    int order;

    if (!x->mount || !y->mount)
        return (y->mount != NULL) - (x->mount != NULL);
    order = strcmp (x->mount->point, y->mount->point);
    return order ? order : strcmp (x->mount->type, y->mount->type);
}

/* The row of a mount, which several prefixes may lead to. */
static struct viewmount_row *viewmount_row_of (struct viewmount_row *row,
                                               size_t *rows,
                                               const struct mount_entry *mount)
{
    for (size_t i = 0; i < *rows; i++)
        if (mount == row[i].mount ||
            (mount && row[i].mount && viewmount_same (mount, row[i].mount)))
            return &row[i];
    row[*rows].mount = mount;
    return &row[(*rows)++];
}

static void viewmount_add (struct viewmount_row *row,
                           const struct file_total *f)
{
    row->files++;
    file_total_add (&row->sum, f);
    if (!f->stripes)
        return;
    if (!row->striped++ || f->stripes < row->stripes_least)
        row->stripes_least = f->stripes;
    if (f->stripes > row->stripes_most)
        row->stripes_most = f->stripes;
}

static void viewmount_put (struct textable *t, const struct viewmount_row *row)
{
    const struct file_total *f = &row->sum;

    textable_row (t);
    if (row->mount) {
        textable_cells (t, "%s %s", row->mount->point, row->mount->type);
    } else {
        textable_cells (t, "- -");
    }
    textable_cells (
        t,
        "%d?%ju %ju %ju %ju %ju %jus %ju %ju %jus %ju %jus %jus %d?%ju %d?%ju",
        row->mount && row->mount->block, row->mount ? row->mount->block : 0,
        row->files, f->opens, f->reads, f->read_bytes, f->read_ns, f->writes,
        f->write_bytes, f->write_ns, f->syncs, f->sync_ns, f->meta_ns,
        row->striped > 0, row->stripes_least, row->striped > 0,
        row->stripes_most);
}

void fill_mount (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;
    size_t most = tally->mounts ? strmap_count (tally->mounts) : 0, rows = 0;
    struct viewmount_row *row = ZEROED (row, most + 1);

    for (size_t i = 0; i < strmap_count (tally->files); i++) {
        const struct file_total *f = strmap_value (tally->files, i);
        size_t n;
        const char *path = strmap_key (tally->files, i, &n);
        const struct mount_entry *m = mounts_find (tally->mounts, path, n);

        if (f->class == FILE_CLASS_STORAGE || (m && f->class == FILE_CLASS_SHM))
            viewmount_add (viewmount_row_of (row, &rows, m), f);
    }
    SORT (row, rows, viewmount_by_place);
    for (size_t i = 0; i < rows; i++)
        viewmount_put (t, &row[i]);
    free (row);
}

/* --- files that several ranks used, a row each ------------------------------
 */

static void viewshared_rank (struct textable *t,
                             const struct result *r,
                             const struct sharedfile_rank *k)
{
    cell_rank (t, r->summary->rank[k->rank].first);
    textable_cells (t, "%jus %ju", k->ns, k->bytes);
}

static void viewshared_put (struct textable *t,
                            const struct result *r,
                            const struct sharedfile *f)
{
    textable_line (t, "%s %zu %zu %zu %ju %ju %ju %ju %jus",
                   kind_name (f->total->kind), f->ranks, f->readers, f->writers,
                   f->reads, f->read_bytes, f->writes, f->write_bytes, f->ns);
    viewshared_rank (t, r, &f->slowest);
    viewshared_rank (t, r, &f->fastest);
    textable_cells (t, "%.6f %.1f %d?%ju %s", f->ns_deviation / 1e9,
                    f->bytes_deviation, f->total->stripes > 0,
                    f->total->stripes, f->path);
}

void fill_shared (struct textable *t, const struct result *r, size_t top)
{
    struct sharedfiles s;

    sharedfiles_make (&s, r->totals, 2);
    for (size_t i = 0; i < s.count && (!top || i < top); i++)
        viewshared_put (t, r, &s.item[i]);
    sharedfiles_clear (&s);
}

/* --- how the accesses to a file follow each other, a row each file ----------
 */

_Static_assert(CALL_PAGE == 4096, "so viewcolumns.def says");

static int viewaccess_put (struct textable *t,
                           const struct result *r,
                           const struct view_item *item)
{
    const struct file_total *f = item->value;
    uint64_t rest = f->reads + f->writes;

    if (!rest)
        return 0;
    textable_line (t, "%s %ju", kind_name (f->kind), rest);
    for (int p = PLACED_CONSECUTIVE; p < PLACED_COUNT; p++) {
        textable_uint (t, f->placed[p]);
        rest -= MIN (f->placed[p], rest);
    }
    textable_cells (t, "%ju %ju %ju %s", rest, f->switches, f->unaligned,
                    item->key);
    return 1;
}

void fill_accesspattern (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;

    view_items (t, r, top,
                (struct view_map){tally->files, files_sorted (tally),
                                  viewaccess_put, 0});
}

/* --- the most used sizes or strides of a file ----------------------------- */

enum { VIEWSIZE_SHOWN = 4 };

struct viewsize {
    struct textable *t;
    const char *path;
    const char *kind;
    const char *operation;
    uint64_t all, unknown; /* accesses; of these, of no known value */
    size_t rows, top;      /* top 0: as many as there are */
};

/* bytes NULL: all others, so many values. */
static void viewsize_put (struct viewsize *v,
                          const uint64_t *bytes,
                          size_t values,
                          uint64_t times)
{
    if (v->top && v->rows == v->top)
        return;
    v->rows++;
    textable_line (v->t, "%s %s %d?%ju %ju %.1f %ju %d?%zu %s", v->kind,
                   v->operation, bytes != NULL, bytes ? *bytes : 0, times,
                   100.0 * (double)times / (double)v->all, v->unknown,
                   bytes || !v->unknown, values, v->path);
}

static void viewsize_way (struct viewsize *v, const struct accessvalues_of *s)
{
    size_t n;
    struct valuecount_slot *value = accessvalues_sorted (s, &n);
    uint64_t left;

    v->all = v->unknown = s->unknown;
    for (size_t i = 0; i < n; i++)
        v->all += value[i].times;
    left = v->all;
    for (size_t i = 0; i < n && i < VIEWSIZE_SHOWN; i++) {
        viewsize_put (v, &value[i].value, 1, value[i].times);
        left -= value[i].times;
    }
    if (left)
        viewsize_put (v, NULL, n > VIEWSIZE_SHOWN ? n - VIEWSIZE_SHOWN : 0,
                      left);
    free (value);
}

static void viewsize_files (struct textable *t,
                            const struct tally *tally,
                            size_t top,
                            int strides)
{
    static const char *const operation[ACCESS_WAYS] = {[ACCESS_READ] = "read",
                                                       [ACCESS_WRITE] = "write",
                                                       [ACCESS_BOTH] = "both"};
    size_t *order = files_sorted (tally);
    struct viewsize v = {.t = t, .top = top};

    for (size_t i = 0; i < strmap_count (tally->files); i++) {
        const struct file_total *f = strmap_value (tally->files, order[i]);
        const struct accessvalues *a = strides ? f->strides : f->sizes;

        v.path = strmap_key (tally->files, order[i], NULL);
        v.kind = kind_name (f->kind);
        for (int way = 0; a && way < ACCESS_WAYS; way++) {
            v.operation = operation[way];
            if (a->way[way] && (!strides || accessvalues_known (a->way[way])))
                viewsize_way (&v, a->way[way]);
        }
    }
    free (order);
}

void fill_accesssize (struct textable *t, const struct result *r, size_t top)
{
    viewsize_files (t, &r->totals->tally, top, 0);
}

void fill_accessstride (struct textable *t, const struct result *r, size_t top)
{
    viewsize_files (t, &r->totals->tally, top, 1);
}

/* --- the table of percentiles of calls and operations -----------------------
 */

/* In the order of the columns, between min_us and max_us. */
static const double percentiles[] = {0.01, 0.05, 0.10, 0.25, 0.50,
                                     0.75, 0.90, 0.95, 0.99, 0.999};

static void percentile_row (struct textable *t,
                            const char *category,
                            const char *name,
                            const struct hist *h)
{
    if (!h->count || !hist_whole (h))
        return;
    textable_line (t, "%s %s %ju %juus", category, name, h->count, h->min);
    for (size_t i = 0; i < ITEMS (percentiles); i++)
        cell_micros (t, 1, hist_quantile (h, percentiles[i]));
    cell_micros (t, 1, h->max);
}

static int percentile_op (struct textable *t,
                          const struct result *r,
                          const struct view_item *item)
{
    const struct op_total *op = item->value;
    struct hist time;

    thinhist_to (&op->time, &time);
    percentile_row (t, item->key, item->second, &time);
    return 1;
}

void fill_percentile (struct textable *t, const struct result *r, size_t top)
{
    const struct tally *tally = &r->totals->tally;

    for (int call = 0; call < CALL_MAX; call++)
        if (tally->call[call])
            percentile_row (t, call_category_name (call_table[call].category),
                            call_table[call].name, &tally->call[call]->time);
    view_items (t, r, top,
                (struct view_map){tally->ops, operations_sorted (tally),
                                  percentile_op, 0});
}

/* --- sums --------------------------------------------------------------- */

static uint64_t weight_of_sum (const void *value)
{
    return ((const struct pfw_sum *)value)->ns;
}

static int viewsums_put_row (struct textable *t,
                             const struct result *r,
                             const struct view_item *item)
{
    const struct pfw_sum *s = item->value;
    int counted = s->count && !(s->unknown & PFW_UNKNOWN_COUNT);
    int timed = !(s->unknown & PFW_UNKNOWN_TIME);

    textable_line (t, "%s %s %ju %ju %d?%ju %d?%jus", item->key, item->second,
                   s->lines, s->count, counted, s->count, timed, s->ns);
    cell_micros (t, timed, s->min);
    cell_micros (t, counted && timed, counted ? s->ns / s->count : 0);
    cell_micros (t, timed, s->max);
    textable_known (t, !(s->unknown & PFW_UNKNOWN_BYTES), s->bytes);
    return 1;
}

void fill_sum (struct textable *t, const struct result *r, size_t top)
{
    const struct strmap *of = r->totals->tally.sums.of;

    view_items (t, r, top,
                (struct view_map){of, rows_sorted (of, weight_of_sum),
                                  viewsums_put_row, 0});
}

void fill_timemap (struct textable *t, const struct result *r, size_t top)
{
    struct timemap map;

    timemap_rows (&map, r->totals->tally.time);
    for (size_t i = 0; i < map.rows && (!top || i < top); i++) {
        const uint64_t *n = map.n[i];
        int known = !map.bytes_only;
        int64_t from =
            (int64_t)(map.start + i * map.width) - (int64_t)r->summary->start;

        textable_line (
            t, "%.6f %jus %d?%ju %ju %d?%jus %d?%ju %ju %d?%jus %d?%ju %d?%jus",
            from / 1e9, map.width, known, n[PROFILE_BIN_reads],
            n[PROFILE_BIN_read_bytes], known, n[PROFILE_BIN_read_time], known,
            n[PROFILE_BIN_writes], n[PROFILE_BIN_write_bytes], known,
            n[PROFILE_BIN_write_time], known, n[PROFILE_BIN_others], known,
            n[PROFILE_BIN_other_time]);
    }
}
