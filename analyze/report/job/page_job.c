/* SPDX-License-Identifier: MIT
 *
 * page_job.c - a job directory -> its page
 *
 * In:  struct jobdata
 * Out: HTML: head, findings, figures, nodes, tables
 */
#include "config.h"

#include "analyze/facts/failure.h"
#include "analyze/report/job/fig_job.h"
#include "analyze/report/job/jobdata.h"
#include "analyze/report/page.h"
#include "analyze/tables/screen.h"
#include "lib/base/array.h"
#include "lib/chart/html.h"
#include "lib/chart/scale.h"
#include "lib/chart/svg.h"
#include "lib/chart/scale.h"
#include "lib/model/view.h"

/* --- the section of a job's page about its nodes ----------------------------
 */

/* A lane that no node has is left out. */
static int nodes_has_lane (const struct scan_rows *rows, size_t lane)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].lane_ns[lane])
            return 1;
    return 0;
}

static double nodes_bytes (const struct scan_row *row, int written)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < BINS; i++)
        sum += row->bytes[written][i];
    return sum;
}

static void
nodes_row (FILE *out, const struct scan_rows *rows, const struct scan_row *row)
{
    page_row (out, NULL, 0);
    page_td (out, "t", row->name);
    page_value (out, nodes_bytes (row, 0), "B", NULL);
    page_value (out, nodes_bytes (row, 1), "B", NULL);
    for (size_t l = 0; l < LANE_COUNT; l++)
        if (nodes_has_lane (rows, l))
            page_value (out, row->lane_ns[l] / 1e9 / (double)row->processes,
                        "s", NULL);
    page_value (out, row->class_ns[SCAN_META] / 1e9, "s", NULL);
    page_value (out, row->class_ns[SCAN_SYNC] / 1e9, "s", NULL);
    page_row_end (out);
}

enum { TITLE_MAX = 256, TITLE_PIXELS = 480 };

/* A row a node; nothing for a job of one node, or without its traces. */
static void page_nodes (FILE *out, const struct jobdata *d)
{
    const struct scan_rows *rows = d->scan ? &d->scan->nodes : NULL;

    if (!rows || !rows->count)
        return;
    html_section (out, "nodes", "Nodes");
    page_table (out, 1);
    page_heads (out, ".node|read|written");
    for (size_t l = 0; l < LANE_COUNT; l++)
        if (nodes_has_lane (rows, l))
            page_th (out, NULL, lane_table[l].head, "s a process");
    page_th (out, NULL, "metadata", "s, sum");
    page_th (out, NULL, "sync", "s, sum");
    page_table_body (out);
    for (size_t i = 0; i < rows->count; i++)
        nodes_row (out, rows, &rows->row[i]);
    page_table_end (out);
    html_open (out, "p", "note");
    html_text (out, "Times of a process are its own unions, mean over the "
                    "processes of the node; sums are over all its threads. "
                    "More by node: dftrace analyze --view host.");
    jobrows_say (out, rows);
    html_close (out, "p");
    html_section_end (out);
}

/* --- what is worth a look in a job, as a section of its page ----------------
 */

/* The section of the page that shows a view: its file, processes with the
 * ranks; the metrics where there is none. */
static const char *insights_table_of (const struct jobdata *d, const char *view)
{
    int v = view_parse (strcmp (view, "process") == 0 ? "rank" : view);
    const char *table = v < 0 ? "metrics" : view_table[v].file;

    return page_tables_row (d, table, 1) ? table : "metrics";
}

/* "stall_time s" names a metric, which has a row of its own: its name. */
static const char *insights_names_metric (const char *what)
{
    size_t n = strcspn (what, " ");

    for (int m = 0; m < METRIC_COUNT; m++)
        if (n && strlen (metric_table[m].name) == n &&
            strncmp (metric_table[m].name, what, n) == 0)
            return metric_table[m].name;
    return NULL;
}

static void insights_put_part (FILE *out, double value, const char *what)
{
    const char *metric = insights_names_metric (what);
    char words[WORDS_MAX];

    html_format (out, "%s ", number_words (words, value));
    if (metric) {
        html_link (out, "metric", metric, metric);
        what += strlen (metric);
    }
    html_text (out, what);
}

/* "1.86 = 26 763 opens / 14 348 samples", each a link where it has a row. */
static void insights_put_numbers (FILE *out, const struct job_finding *f)
{
    char words[WORDS_MAX];

    html_element (out, "b", NULL, number_words (words, f->value));
    html_format (out, " (limit %s) = ", number_words (words, f->limit));
    insights_put_part (out, f->a, f->a_is);
    html_text (out, " / ");
    insights_put_part (out, f->b, f->b_is);
}

/* A row that decides, as a link where the page has it. */
static void insights_put_row (FILE *out,
                              const struct jobdata *d,
                              const char *view,
                              size_t row,
                              const char *name)
{
    const char *table = insights_table_of (d, view),
               *metric = insights_names_metric (name);
    char number[24];

    FORMAT (number, "%zu", row);
    if (strcmp (view, "metric") == 0 && metric)
        html_link (out, "metric", metric, name);
    else if (strcmp (view, "process") != 0 && page_tables_row (d, table, row))
        html_link (out, table, number, name);
    else
        html_text (out, name);
}

/* "; from POSIX/read, POSIX/pread of calls" */
static void insights_put_origin (FILE *out,
                                 const struct jobdata *d,
                                 const struct job_finding *f)
{
    const char *table = insights_table_of (d, f->view);

    html_text (out, "; from ");
    for (size_t i = 0; i < f->rows; i++) {
        html_text (out, i ? ", " : "");
        insights_put_row (out, d, f->view, f->row[i].row, f->row[i].name);
    }
    html_text (out, f->rows ? " of " : "");
    html_link (out, table, "", table);
}

static void insights_put_insight (FILE *out,
                                  const struct jobdata *d,
                                  const struct job_finding *f)
{
    int critical = strcmp (f->severity, "critical") == 0;
    char words[WORDS_MAX];

    html_open (out, "li", critical ? "insight bad" : "insight warn");
    html_element (out, "b", NULL, f->severity);
    html_format (out, ": %s", f->finding);
    if (!isnan (f->cost))
        html_format (out, ": at most %s, %.1f %% of the job",
                     value_words (words, f->cost, "s"), f->percent);
    if (*f->subject)
        html_format (out, ": %s", f->subject);
    html_text (out, ".");
    fputs ("<br>", out);
    html_open (out, "span", "note");
    insights_put_numbers (out, f);
    insights_put_origin (out, d, f);
    html_format (out, "%s%s%s%s. Rule ", *f->place ? "; " : "", f->place,
                 *f->source ? "; from " : "", f->source);
    html_element (out, "code", NULL, f->rule);
    html_close (out, "span");
    fputs ("<br>", out);
    html_format (out, "Try: %s.", f->advice);
    fputs ("</li>\n", out);
}

static int insights_is_minor (const struct job_finding *f)
{
    return strcmp (f->severity, "minor") == 0;
}

/* Minor ones or the others, as a list. */
static void insights_put_list (FILE *out, const struct jobdata *d, int minor)
{
    html_open (out, "ul", "insights");
    for (size_t i = 0; i < d->findings; i++)
        if (insights_is_minor (&d->finding[i]) == minor)
            insights_put_insight (out, d, &d->finding[i]);
    fputs ("</ul>\n", out);
}

static void page_insights (FILE *out, const struct jobdata *d)
{
    size_t minor = 0;

    html_section (out, "insights", "Worth a look");
    for (size_t i = 0; i < d->findings; i++)
        minor += insights_is_minor (&d->finding[i]);
    if (d->findings == minor)
        html_paragraph (out, NULL, "%s", d->verdict);
    else
        insights_put_list (out, d, 0);
    if (minor) {
        html_open (out, "details", NULL);
        html_open (out, "summary", NULL);
        html_format (out, "%zu more that cost less than 1 %% each", minor);
        html_close (out, "summary");
        insights_put_list (out, d, 1);
        html_close (out, "details");
    }
    html_section_end (out);
}

/* --- all of it --------------------------------------------------------------
 */
/* --- head -------------------------------------------------------------------
 */

static void jobpage_put_losses (FILE *out, const struct jobdata *d)
{
    const struct job_facts *f = &d->facts;
    const struct {
        uint64_t count;
        const char *words;
    } kinds[] = {
        {f->lost_events, "events lost or more"},
        {f->lost_names, "names lost"},
        {f->damaged_files, "trace files damaged or incomplete"},
        {f->unreadable_files, "trace files unreadable"},
        {f->stages_missing, "stages of nodes never collected"},
    };
    const char *between = "";

    page_banner (out);
    html_text (out, "Incomplete data: what follows lacks events.");
    for (size_t i = 0; i < ITEMS (kinds); i++)
        if (kinds[i].count) {
            html_format (out, "%s %" PRIu64 " %s", between, kinds[i].count,
                         kinds[i].words);
            between = ",";
        }
    html_text (out, *between ? "." : "");
    if (d->gone[0])
        html_format (out, " Not traced: %s.", d->gone);
    page_banner_end (out);
}

/* Processes that were left out as the user wanted it. */
static void jobpage_put_gone (FILE *out, const struct jobdata *d)
{
    page_banner (out);
    html_format (out, "Not traced, as was asked for: %s.", d->gone);
    page_banner_end (out);
}

/* Say which part of the job is in events, and which in a profile. */
static void jobpage_put_profparts (FILE *out, const struct summary *s)
{
    char words[PROFPARTS_WORDS];

    if (!s->profparts.events) {
        html_text (out, "A profile: sums by call and file, no events. Figures "
                        "over time are of its map of time; what needs the time "
                        "of each event is n/a.");
        return;
    }
    html_format (out, "A trace and a profile: %s. ",
                 profparts_words (words, &s->profparts, s->start));
    html_text (out, "Calls, bytes, sums and figures over time are of both. "
                    "What needs the time of each event is n/a here; dftrace "
                    "analyze --trace-part has it of the events alone.");
}

/* How the program that failed has ended. */
static void jobpage_put_failure (FILE *out, const struct jobdata *d)
{
    char text[FAILURE_SENTENCE_MAX];

    if (!d->live ||
        !failure_sentence (text, d->result.job, &d->totals, &d->summary))
        return;
    page_banner (out);
    html_text (out, text);
    page_banner_end (out);
}

static void jobpage_put_banners (FILE *out, const struct jobdata *d)
{
    jobpage_put_failure (out, d);
    if (!d->facts.complete)
        jobpage_put_losses (out, d);
    else if (d->gone[0])
        jobpage_put_gone (out, d);
    if (d->live && summary_is_profile (&d->summary)) {
        page_banner (out);
        jobpage_put_profparts (out, &d->summary);
        page_banner_end (out);
    }
    if (d->live)
        return;
    page_banner (out);
    html_text (out, "The traces of this job have gone. Metrics and tables are "
                    "those of an earlier analysis; figures over time cannot "
                    "be drawn.");
    page_banner_end (out);
}

/* As the first screen has it; where the traces have gone, the metrics
 * read_coverage_percent and write_coverage_percent have it. */
static void jobpage_put_coverage (FILE *out, const struct jobdata *d)
{
    const struct coverage *c = &d->summary.coverage;
    char read[COVERAGE_WORDS], written[COVERAGE_WORDS];

    if (!d->live || !c->known)
        return;
    html_open (out, "p", "note");
    html_text (out, "By the kernel's count (--view coverage)");
    if (c->missing)
        html_format (out, ", without %zu of %zu processes", c->missing,
                     c->missing + c->programs);
    html_format (out, ": %s; %s.", coverage_words (read, c, COUNTED_READ),
                 coverage_words (written, c, COUNTED_WRITTEN));
    if (c->cut)
        html_text (out, " Not complete: " COVERAGE_CUT ".");
    fputs ("</p>\n", out);
}

static void jobpage_put_fact (FILE *out, const char *what, const char *value)
{
    if (!value[0])
        return;
    html_element (out, "dt", NULL, what);
    html_element (out, "dd", NULL, value);
}

static void jobpage_put_id (FILE *out, const char *what, uint64_t id)
{
    char text[24];

    FORMAT (text, "%" PRIu64, id);
    jobpage_put_fact (out, what, id ? text : "");
}

static void jobpage_put_settings (FILE *out, const struct jobdata *d)
{
    const struct ynode *s =
        d->job ? ynode_get (ytree_root (d->job), "settings") : NULL;

    if (!s || s->type != YNODE_MAP || !s->count)
        return;
    html_element (out, "dt", NULL, "settings");
    html_open (out, "dd", NULL);
    for (size_t i = 0; i < s->count; i++) {
        if (s->item[i]->type != YNODE_SCALAR)
            continue;
        html_open (out, "code", NULL);
        html_format (out, "%s=%s", s->key[i]->text, s->item[i]->text);
        html_close (out, "code");
        fputs ("<br>", out);
    }
    html_close (out, "dd");
}

static void jobpage_put_command (FILE *out, const struct jobdata *d)
{
    if (!d->command || !d->command[0])
        return;
    html_element (out, "dt", NULL, "command");
    html_open (out, "dd", NULL);
    html_text (out, d->command);
    if (d->commands_more)
        html_format (out, " (the first of %zu commands)", d->commands_more + 1);
    html_close (out, "dd");
}

static void jobpage_put_facts (FILE *out, const struct jobdata *d)
{
    const struct job_facts *f = &d->facts;
    char task[24] = "";

    if (f->array_job_id && f->array_task_id >= 0)
        FORMAT (task, "%" PRId64, f->array_task_id);
    html_open (out, "dl", NULL);
    jobpage_put_id (out, "job", f->job_id);
    jobpage_put_id (out, "array job", f->array_job_id);
    jobpage_put_fact (out, "array task", task);
    jobpage_put_fact (out, "sweep run", f->point);
    jobpage_put_fact (out, "user", f->user);
    jobpage_put_fact (out, "nodes", f->nodelist);
    jobpage_put_fact (out, "layers", f->layers);
    jobpage_put_fact (out, "created", f->created);
    jobpage_put_command (out, d);
    jobpage_put_settings (out, d);
    fputs ("</dl>\n", out);
}

static void jobpage_put_card (FILE *out,
                              const struct jobdata *d,
                              enum metric m,
                              const char *what)
{
    char buf[WORDS_MAX];

    if (!isnan (d->metric[m].value))
        page_card (out,
                   value_words (buf, d->metric[m].value, metric_table[m].unit),
                   what);
}

/* Bytes of POSIX calls and of streams: most programs that are not written for
 * storage move their data by streams. */
static void jobpage_put_bytes (FILE *out,
                               const struct jobdata *d,
                               enum metric posix,
                               enum metric stdio,
                               const char *what,
                               const char *both)
{
    double a = d->metric[posix].value, b = d->metric[stdio].value;
    char buf[WORDS_MAX];

    if (isnan (b) || b <= 0)
        jobpage_put_card (out, d, posix, what);
    else
        page_card (out, value_words (buf, (isnan (a) ? 0 : a) + b, "B"), both);
}

static void
jobpage_put_count (FILE *out, uint64_t n, const char *one, const char *many)
{
    html_format (out, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

static void jobpage_put_head (FILE *out, const struct jobdata *d)
{
    static const struct {
        const char *id, *title;
        enum view view; /* there is a section only where this has rows */
    } links[] = {{"insights", "Worth a look", VIEW_COUNT},
                 {"figures", "Figures", VIEW_COUNT},
                 {"events", "Longest calls", VIEW_COUNT},
                 {"metrics", "Metrics", VIEW_COUNT},
                 {"calls", "Calls", VIEW_COUNT},
                 {"operations", "Operations", VIEW_COUNT},
                 {"peers", "Network", VIEW_peer},
                 {"mpiio", "MPI-IO", VIEW_mpiio},
                 {"hdf5", "HDF5", VIEW_hdf5},
                 {"netcdf", "NetCDF", VIEW_netcdf},
                 {"pnetcdf", "PnetCDF", VIEW_pnetcdf},
                 {"ranks", "Ranks", VIEW_COUNT},
                 {"files", "Files", VIEW_COUNT}};

    html_open (out, "p", "lead");
    jobpage_put_count (out, d->facts.processes, "process, ", "processes, ");
    if (d->facts.ranks)
        jobpage_put_count (out, d->facts.ranks, "rank, ", "ranks, ");
    jobpage_put_count (out, d->facts.hosts, "host", "hosts");
    fputs ("</p>\n", out);
    jobpage_put_banners (out, d);
    html_open (out, "div", "cards");
    jobpage_put_card (out, d, METRIC_job_time, "job time");
    jobpage_put_card (out, d, METRIC_bill_compute, "of it computing");
    jobpage_put_card (out, d, METRIC_posix_events, "POSIX events");
    jobpage_put_card (out, d, METRIC_app_events, "application events");
    jobpage_put_bytes (out, d, METRIC_read_bytes, METRIC_stdio_read_bytes,
                       "data read", "read, with streams");
    jobpage_put_card (out, d, METRIC_read_bandwidth, "while reading");
    jobpage_put_bytes (out, d, METRIC_write_bytes, METRIC_stdio_write_bytes,
                       "written", "written, with streams");
    jobpage_put_card (out, d, METRIC_loader_time, "loader time");
    jobpage_put_card (out, d, METRIC_stall_time, "waiting for data");
    jobpage_put_card (out, d, METRIC_checkpoint_time, "checkpoints");
    jobpage_put_card (out, d, METRIC_lost_events, "events lost");
    fputs ("</div>\n", out);
    jobpage_put_coverage (out, d);
    jobpage_put_facts (out, d);
    html_open (out, "nav", NULL);
    for (size_t i = 0; i < ITEMS (links); i++)
        if (strcmp (links[i].id, "events") == 0 && !(d->live && d->scan))
            continue;
        else if (links[i].view == VIEW_COUNT ||
                 textable_rows (d->table[links[i].view]) > 0)
            html_link (out, links[i].id, "",
                       strcmp (links[i].id, "ranks") == 0 && !jobdata_ranked (d)
                           ? "Processes"
                           : links[i].title);
    fputs ("</nav>\n", out);
}

/* --- tables -----------------------------------------------------------------
 */

/* Metrics that are known, or those that are not. */
static void
jobpage_put_some_metrics (FILE *out, const struct jobdata *d, int known)
{
    page_table (out, 1);
    page_th (out, "t", "metric", NULL);
    if (known)
        page_th (out, NULL, "value", NULL);
    page_th (out, "t", known ? "definition" : "n/a because", NULL);
    page_table_body (out);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct job_metric *v = &d->metric[m];

        if ((isnan (v->value) == 0) != known)
            continue;
        page_row_named (out, "metric", metric_table[m].name);
        page_td (out, "t", metric_table[m].name);
        if (known)
            page_value (out, v->value, metric_table[m].unit, NULL);
        page_td (out, "text", known ? metric_table[m].definition : v->note);
        page_row_end (out);
    }
    page_table_end (out);
}

static void jobpage_put_metrics (FILE *out, const struct jobdata *d)
{
    size_t unknown = 0;

    for (int m = 0; m < METRIC_COUNT; m++)
        unknown += isnan (d->metric[m].value) != 0;
    html_section (out, "metrics", "Metrics");
    jobpage_put_some_metrics (out, d, 1);
    if (unknown) {
        html_open (out, "details", NULL);
        html_open (out, "summary", NULL);
        html_format (out, "%zu metrics are n/a for this job", unknown);
        html_close (out, "summary");
        jobpage_put_some_metrics (out, d, 0);
        html_close (out, "details");
    }
    html_section_end (out);
}

/* A job of Slurm has a name; one of `dftrace run` is its command, without the
 * directory of the program: the program alone says little. */
static void jobpage_put_title (FILE *out, const struct jobdata *d)
{
    const char *name = d->facts.name[0] ? d->facts.name : d->facts.label;
    const char *command = d->command ? d->command : "", *slash = NULL;
    char title[TITLE_MAX];

    for (const char *p = command; *p && *p != ' '; p++)
        slash = *p == '/' ? p : slash;
    command = slash ? slash + 1 : command;
    if (*command && !d->facts.job_id && !d->facts.point[0])
        text_fit (title, sizeof (title), command, TITLE_PIXELS, SVG_FONT);
    else
        FORMAT (title, "%s", name);
    html_begin (out, title);
}

int page_job (FILE *out,
              const char *dir,
              const struct kind_rules *rules,
              struct errtext *err)
{
    struct jobdata d;
    int rc = jobdata_load (&d, dir, rules, err);

    if (rc == 0) {
        jobpage_put_title (out, &d);
        jobpage_put_head (out, &d);
        page_insights (out, &d);
        html_section (out, "figures", "Figures");
        fig_job (out, &d);
        html_section_end (out);
        rc = page_events (out, &d, rules, err);
        jobpage_put_metrics (out, &d);
        page_nodes (out, &d);
        page_tables (out, &d);
        page_directories (out, &d);
        html_end (out,
                  "dftrace " PACKAGE_VERSION ", dftrace report. Numbers are "
                  "those of dftrace analyze; definitions: dftrace help "
                  "metrics.");
    }
    jobdata_clear (&d);
    return rc;
}
