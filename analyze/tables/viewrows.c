/* SPDX-License-Identifier: MIT
 *
 * viewrows.c - the tables of ranks, processes, kinds and files' health
 *
 * In:  struct result, from views.c
 * Out: columns and rows
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tables/insightrows.h"
#include "analyze/trace/untraced.h"
#include "analyze/facts/failure.h"
#include "analyze/tables/viewcells.h"
#include "lib/util/fsutil.h"

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
        (void)snprintf (buf, n, "%s", s->problem.text);
        return;
    }
    if (s->lines.unit_guessed)
        at += (size_t)snprintf (buf, n, "times taken as units of %u ns",
                                s->lines.unit);
    for (size_t i = 0; i < sizeof (parts) / sizeof (parts[0]); i++)
        if (parts[i].count && at < n)
            at += (size_t)snprintf (buf + at, n - at, "%s%" PRIu64 " %s",
                                    at ? ", " : "", parts[i].count,
                                    parts[i].what);
}

void fill_health (struct textable *t, const struct result *r, size_t top)
{
    char problem[600];

    (void)top;
    for (size_t i = 0; i < r->totals->sources; i++) {
        const struct source *s = &r->job->source[i];
        const struct health *h = &r->totals->health[i];

        textable_row (t);
        textable_text (t, viewrows_base_of (s->path));
        textable_uint (t, h->file.bytes);
        textable_uint (t, h->file.processes);
        textable_uint (t, h->file.unfinished);
        if (s->is_pfw) {
            textable_na (t);
            textable_uint (t, s->lines.lines);
        } else {
            textable_uint (t, h->file.chunks);
            textable_na (t);
        }
        textable_uint (t, h->events);
        textable_uint (t, health_lost (h));
        if (s->is_pfw)
            textable_uint (t, s->lines.merged);
        else
            textable_na (t);
        textable_uint (t, h->file.bytes_skipped);
        problem_of (s, h, problem, sizeof (problem));
        textable_text (t, problem);
    }
}

/* --- trace points ----------------------------------------------------- */

void fill_trace_point (struct textable *t, const struct result *r, size_t top)
{
    const struct pointfaults *p = &r->totals->tally.points;

    for (int f = 0; f < POINTFAULT_COUNT; f++)
        for (size_t i = 0;
             i < pointfaults_count (p, (enum pointfault)f) && (!top || i < top);
             i++) {
            struct pointfault_text said =
                pointfaults_text (p, (enum pointfault)f, i);
            char *where =
                text_format ("%.*s", (int)said.where_length, said.where);

            textable_row (t);
            textable_text (t, pointfault_table[f].word);
            textable_text (t, where);
            free (where);
            textable_text (t, said.what);
            textable_uint (t, said.times);
        }
}

/* --- insights --------------------------------------------------------- */

/* The names of the rows that the finding came from; metrics.json has a list of
 * them with their numbers. */
static void
insight_origin (struct textable *t, enum insight i, const struct result *r)
{
    struct insight_rows rows;
    char *text = NULL;

    if (insight_rows (&rows, i, r) == 0) {
        text = strdup ("");
        for (size_t k = 0; text && k < rows.count; k++) {
            char *more =
                text_format ("%s%s%s", text, k ? "; " : "", rows.name[k]);

            free (text);
            text = more;
        }
        insight_rows_clear (&rows);
    }
    if (text)
        textable_text (t, text);
    else
        textable_na (t);
    free (text);
}

/* Counts and bytes as they are. */
static int insight_digits (double value)
{
    return value >= 1000 || value == (double)(int)value ? 0 : 4;
}

static void insight_row (struct textable *t,
                         const struct result *r,
                         const struct finding *f)
{
    const struct insight_info *rule = &insight_table[f->rule];

    textable_row (t);
    textable_text (t, severity_name (f->severity));
    textable_text (t, rule->name);
    textable_text (t, rule->finding);
    if (f->costs) {
        textable_double (t, f->cost, 4);
        textable_double (t, f->percent, 2);
    } else {
        textable_na (t);
        textable_na (t);
    }
    textable_double (t, f->value, 3);
    textable_double (t, rule->limit, 3);
    textable_double (t, f->a, insight_digits (f->a));
    textable_text (t, rule->what_a);
    textable_double (t, f->b, insight_digits (f->b));
    textable_text (t, rule->what_b);
    textable_text (t, rule->from);
    textable_text (t, rule->advice);
    insight_origin (t, f->rule, r);
}

void fill_insight (struct textable *t, const struct result *r, size_t top)
{
    struct finding found[INSIGHT_COUNT];
    size_t n = insights_find (found, r->summary, r->totals);

    (void)top;
    for (size_t i = 0; i < n; i++)
        insight_row (t, r, &found[i]);
}

/* --- ranks ------------------------------------------------------------ */

void fill_rank (struct textable *t, const struct result *r, size_t top)
{
    (void)top;
    for (size_t i = 0; i < r->summary->ranks; i++) {
        const struct rank *k = &r->summary->rank[i];

        textable_row (t);
        cell_rank (t, k->first);
        textable_text (t, k->first->who->text[SHARD_STRING_HOST]);
        textable_uint (t, k->first->who->p.pid);
        textable_uint (t, k->processes);
        cell_union (t, r, k->time[SET_LOADER]);
        cell_union (t, r, k->time[SET_STALL]);
        cell_union (t, r, k->time[SET_COMPUTE]);
        cell_union (t, r, k->time[SET_READ]);
        cell_union (t, r, k->time[SET_CHECKPOINT]);
        cell_union (t, r, k->time[SET_CKPT_WRITE]);
    }
}

/* --- processes -------------------------------------------------------- */

/* Exit status or signal, whichever kind is. */
static void process_ended (struct textable *t, uint32_t ended, uint32_t kind)
{
    cell_known (t, (ended & kind) != 0, ended & SHARD_ENDED_NUMBER);
}

static void process_doing (struct textable *t,
                           const struct result *r,
                           const struct process *p)
{
    char text[FAILURE_TEXT_MAX];

    if (!failure_doing (text, r->job, p)) {
        textable_na (t);
        textable_na (t);
        return;
    }
    textable_text (t, text);
    cell_seconds (t, failure_doing_ns (r->job, r->summary, p));
}

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

    textable_row (t);
    textable_text (t, p->who->text[SHARD_STRING_HOST]);
    textable_uint (t, p->who->p.pid);
    textable_uint (t, p->who->p.ppid);
    cell_rank (t, p);
    textable_uint (t, p->threads);
    cell_seconds (t, p->start - r->summary->start);
    cell_seconds (t, p->end - p->start);
    textable_text (t, ending[p->ending]);
    process_ended (t, p->who->p.ended, SHARD_ENDED_EXIT);
    process_ended (t, p->who->p.ended, SHARD_ENDED_SIGNAL);
    process_doing (t, r, p);
    textable_uint (t, p->n.events);
    textable_uint (t, p->n.posix);
    textable_uint (t, p->n.read.count);
    cell_known (t, p->n.read.bytes || !r->summary->unsized, p->n.read.bytes);
    cell_seconds (t, p->n.read.ns);
    textable_uint (t, p->n.write.count);
    cell_known (t, p->n.write.bytes || !r->summary->unsized, p->n.write.bytes);
    cell_union (t, r, p->time[SET_LOADER]);
    cell_union (t, r, p->time[SET_STALL]);
    textable_text (t, "traced");
    textable_text (t, "");
    textable_text (t, p->who->text[SHARD_STRING_EXE]);
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

    textable_row (t);
    textable_text (t, p->host);
    cell_known (t, p->pid > 0, p->pid);
    process_unknown (t, "ppid", "start_s");
    if (p->time)
        cell_seconds (t, p->time > start ? p->time - start : 0);
    else
        textable_na (t);
    process_unknown (t, "time_s", "state");
    textable_text (t, process_state (p));
    textable_text (t, p->reason);
    textable_text (t, p->exe);
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
    textable_row (t);
    textable_text (t, kind_name ((enum file_kind)kind));
    textable_uint (t, files);
    textable_uint (t, sum.opens);
    textable_uint (t, sum.reads);
    textable_uint (t, sum.read_bytes);
    cell_seconds (t, sum.read_ns);
    textable_uint (t, sum.writes);
    textable_uint (t, sum.write_bytes);
    cell_seconds (t, sum.write_ns);
    textable_uint (t, sum.maps);
    textable_uint (t, sum.syncs);
    cell_seconds (t, sum.sync_ns);
    cell_seconds (t, sum.meta_ns);
    textable_uint (t, sum.stdio_read_bytes);
    textable_uint (t, sum.stdio_write_bytes);
    cell_seconds (t, sum.stdio_ns);
}

void fill_kind (struct textable *t, const struct result *r, size_t top)
{
    (void)top;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        kind_row (t, &r->totals->tally, kind);
}
