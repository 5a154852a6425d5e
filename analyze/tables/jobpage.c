/* SPDX-License-Identifier: MIT
 *
 * jobpage.c - one job -> what `dftrace analyze` prints of it
 *
 * In:  struct result
 * Out: its tables and drawings, or the one that was asked for, on standard
 *      output
 */
#include "config.h"

#include "analyze/facts/metrics.h"
#include "analyze/tables/results.h"
#include "analyze/tables/screen.h"
#include "analyze/tables/groups.h"
#include "lib/base/array.h"
#include "lib/model/summary.h"
#include "lib/util/log.h"
#include "lib/util/terminal.h"

struct page {
    const struct analyze_options *o;
    struct textable *all;
    int failed;
};

static void jobpage_print_table (struct page *p, struct textable *t)
{
    if (t)
        textable_print (t, stdout, p->o->format);
    else
        p->failed = 1;
    textable_destroy (t);
}

static void jobpage_print_head (const struct result *r)
{
    const struct summary *s = r->summary;
    char words[SUMMARY_WORDS];

    printf ("%s: %zu processes, ", r->job->label, s->processes);
    if (s->launched.found)
        printf ("%zu ranks, ", s->launched.found);
    else
        printf ("no ranks, ");
    printf ("%zu hosts, %.3f s, %llu events\n", s->hosts,
            (s->end - s->start) / 1e9, (unsigned long long)s->n.events);
    if (s->unfinished)
        printf ("%zu processes did not end in order (killed, _exit, or "
                "still running); what they recorded is counted\n",
                s->unfinished);
    if (summary_rings_matter (s))
        printf ("%llu requests were made of io_urings: their results "
                "cannot be seen\n",
                (unsigned long long)s->requests);
    if (s->far_starts)
        printf ("%zu processes began at another time than their job: "
                "their clocks are doubtful\n",
                s->far_starts);
    if (s->stages)
        printf ("%llu stages of nodes were not collected\n",
                (unsigned long long)s->stages);
    if (*summary_words (s, words, SUMMARY_WORDS))
        printf ("not traced: %s\n", words);
}

static void print_heading (const struct page *p, enum view v)
{
    printf (p->o->format == TABLE_MARKDOWN ? "\n## %s\n\n" : "\n%s\n",
            view_table[v].heading);
}

/* Bars and a map, under the head. */
static void draw_job (struct page *p, const struct result *r)
{
    struct errtext err;

    if (!p->o->draw)
        return;
    sketch_times (r->summary, stdout, sketch_width ());
    if (r->job->sources == 0) /* put together from partitions */
        return;
    if (sketch_ranks (r, &p->o->rules, p->o->threads, stdout, sketch_width (),
                      &err) < 0) {
        log_error ("%s", err.text);
        p->failed = 1;
    }
}

/* A table whose heading says by what its rows are sorted has a row more than is
 * shown, so that a text can say that there are more. */
static struct textable *
jobpage_view (const struct page *p, const struct result *r, enum view v)
{
    size_t top = p->o->format == TABLE_TEXT || p->o->format == TABLE_MARKDOWN
                     ? (size_t)p->o->top
                     : 0;
    const char *order = strstr (view_table[v].heading, ", by ");
    struct textable *t = view_make (r, v, top && order ? top + 1 : top);

    if (order)
        textable_top (t, top, order + 2);
    return t;
}

static void jobpage_print_all (struct page *p, const struct result *r)
{
    jobpage_print_head (r);
    draw_job (p, r);
    for (int v = 0; v < VIEW_COUNT; v++) {
        if (!view_is_shown (r, v))
            continue;
        print_heading (p, v);
        jobpage_print_table (p, jobpage_view (p, r, v));
    }
}

static void print_one (struct page *p, const struct result *r)
{
    int text = p->o->format == TABLE_TEXT || p->o->format == TABLE_MARKDOWN;
    struct textable *t;

    if (p->all) {
        t = view_make (r, p->o->view, text ? (size_t)p->o->top : 0);
        if (t)
            textable_append (p->all, t, "job", r->job->label);
        else
            p->failed = 1;
    } else if (p->o->view >= 0)
        jobpage_print_table (p, jobpage_view (p, r, p->o->view));
    else if (p->o->format == TABLE_JSON)
        results_json (r, 1, stdout);
    else if (p->o->format == TABLE_CSV)
        jobpage_print_table (p, view_make (r, VIEW_metric, 0));
    else if (p->o->format == TABLE_TEXT && !p->o->all_views)
        screen_print (r, stdout);
    else
        jobpage_print_all (p, r);
}

int jobpage_print (const struct analyze_options *o,
                   const struct result *r,
                   struct textable *all)
{
    struct page p = {.o = o, .all = all};

    if (!all && o->format == TABLE_TEXT)
        terminal_page ();
    print_one (&p, r);
    return p.failed ? -1 : 0;
}

/* --- the metrics of a job as OpenMetrics text -------------------------------
 */

static void
jobmetrics_text (struct openmetrics *m, const char *name, const char *text)
{
    if (text && *text)
        openmetrics_label (m, name, text);
}

/* Labels of whose value there is none are left out: a label that is empty is
 * the same as none. */
static void jobmetrics_labels (struct openmetrics *m, const struct job *job)
{
    const struct job_info *info = &job->info;
    char id[24];

    openmetrics_label (m, "run", job->label); /* `job` is a collector's */
    jobmetrics_text (m, "job_name", info->name);
    if (info->job_id) {
        FORMAT (id, "%" PRIu64, info->job_id);
        openmetrics_label (m, "job_id", id);
    }
    jobmetrics_text (m, "user", info->user);
    jobmetrics_text (m, "point", info->point);
}

void jobmetrics_write (FILE *out, const struct result *r)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        const struct metric_info *info = &metric_table[i];
        struct metric_value v = metric_compute (r->summary, i);
        struct openmetrics sample;
        char name[80];

        if (!v.known)
            continue;
        FORMAT (name, "dftrace_job_%s", info->name);
        openmetrics_family (out, name, info->definition, info->unit);
        sample = openmetrics_sample (out, name);
        jobmetrics_labels (&sample, r->job);
        openmetrics_value (&sample, info->digits == 0 ? v.whole : v.value);
    }
    openmetrics_end (out);
}
