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
#include "lib/util/xalloc.h"
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
        sum += row->did.bytes[written][i];
    return sum;
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
    for (size_t i = 0; i < rows->count; i++) {
        const struct scan_row *row = &rows->row[i];

        page_row (out, NULL, 0);
        page_cells (out, "%s B:%f B:%f", row->name, nodes_bytes (row, 0),
                    nodes_bytes (row, 1));
        for (size_t l = 0; l < LANE_COUNT; l++)
            if (nodes_has_lane (rows, l))
                page_value (out, row->lane_ns[l] / 1e9 / (double)row->processes,
                            "s", NULL);
        page_cells (out, "s:%f s:%f", row->did.class_ns[SCAN_META] / 1e9,
                    row->did.class_ns[SCAN_SYNC] / 1e9);
        page_row_end (out);
    }
    page_table_end (out);
    html_put (out,
              "<p class=\"note\">Times of a process are its own unions, mean "
              "over the processes of the node; sums are over all its threads. "
              "More by node: dftrace analyze --view host.%s</p>",
              jobrows_words (rows));
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

    html_format (out, "%s ", number_shown (value));
    if (metric) {
        html_link (out, "metric", metric, metric);
        what += strlen (metric);
    }
    html_text (out, what);
}

/* "1.86 = 26 763 opens / 14 348 samples", each a link where it has a row. */
static void insights_put_numbers (FILE *out, const struct ynode *f)
{
    html_put (out, "<b>%s</b> (limit %s) = ",
              number_shown (jobdata_double (f, "value")),
              number_shown (jobdata_double (f, "limit")));
    insights_put_part (out, jobdata_double (f, "a"), jobdata_text (f, "a_is"));
    fputs (" / ", out);
    insights_put_part (out, jobdata_double (f, "b"), jobdata_text (f, "b_is"));
}

/* A row that decides, as a link where the page has it. */
static void insights_put_row (FILE *out,
                              const struct jobdata *d,
                              const char *view,
                              const struct ynode *r)
{
    size_t row = jobdata_count (r, "row"); /* of the view, from 1 */
    const char *name = jobdata_text (r, "name");
    const char *table = insights_table_of (d, view),
               *metric = insights_names_metric (name);

    if (strcmp (view, "metric") == 0 && metric)
        html_link (out, "metric", metric, name);
    else if (strcmp (view, "process") != 0 && page_tables_row (d, table, row))
        html_link (out, table, arena_format ("%zu", row), name);
    else
        html_text (out, name);
}

/* "; from POSIX/read, POSIX/pread of calls" */
static void
insights_put_origin (FILE *out, const struct jobdata *d, const struct ynode *f)
{
    const char *view = jobdata_text (f, "view");
    const char *table = insights_table_of (d, view);
    const struct ynode *rows = ynode_get (f, "rows");
    size_t n = rows && rows->type == YNODE_LIST ? rows->count : 0;

    fputs ("; from ", out);
    for (size_t i = 0; i < n && i < INSIGHT_ROWS_MAX; i++) {
        fputs (i ? ", " : "", out);
        insights_put_row (out, d, view, rows->item[i]);
    }
    fputs (n ? " of " : "", out);
    html_link (out, table, "", table);
}

static void
insights_put_insight (FILE *out, const struct jobdata *d, const struct ynode *f)
{
    const char *severity = jobdata_text (f, "severity");
    const char *subject = jobdata_text (f, "subject");
    const char *source = jobdata_text (f, "source");
    double cost = jobdata_double (f, "cost_s");
    char place[SUBJECT_PLACE];

    finding_place (place, jobdata_double (f, "from_s"),
                   jobdata_double (f, "to_s"), jobdata_double (f, "processes"),
                   jobdata_text (f, "pids"));
    html_put (out, "<li class=\"insight %s\"><b>%s</b>: %s",
              strcmp (severity, "critical") == 0 ? "bad" : "warn", severity,
              jobdata_text (f, "finding"));
    if (!isnan (cost))
        html_format (out, ": at most %s, %.1f %% of the job",
                     value_shown (cost, "s"),
                     jobdata_double (f, "cost_percent"));
    html_put (out, "%s%s.<br><span class=\"note\">", *subject ? ": " : "",
              subject);
    insights_put_numbers (out, f);
    insights_put_origin (out, d, f);
    html_put (out, "%s%s%s%s. Rule <code>%s</code></span><br>Try: %s.</li>\n",
              *place ? "; " : "", place, *source ? "; from " : "", source,
              jobdata_text (f, "rule"), jobdata_text (f, "advice"));
}

/* Minor ones or the others, as a list. */
static void insights_put_list (FILE *out, const struct jobdata *d, int minor)
{
    fputs ("<ul class=\"insights\">", out);
    for (size_t i = 0; i < d->findings->count; i++) {
        const struct ynode *f = d->findings->item[i];

        if ((strcmp (jobdata_text (f, "severity"), "minor") == 0) == minor)
            insights_put_insight (out, d, f);
    }
    fputs ("</ul>\n", out);
}

static void page_insights (FILE *out, const struct jobdata *d)
{
    size_t minor = 0;

    html_section (out, "insights", "Worth a look");
    for (size_t i = 0; i < d->findings->count; i++)
        minor += strcmp (jobdata_text (d->findings->item[i], "severity"),
                         "minor") == 0;
    if (d->findings->count == minor)
        html_paragraph (out, NULL, "%s", jobdata_text (d->about, "verdict"));
    else
        insights_put_list (out, d, 0);
    if (minor) {
        html_put (out,
                  "<details><summary>%zu more that cost less than 1 %% "
                  "each</summary>",
                  minor);
        insights_put_list (out, d, 1);
        fputs ("</details>", out);
    }
    html_section_end (out);
}

/* --- all of it --------------------------------------------------------------
 */
/* --- head -------------------------------------------------------------------
 */

/* Say what of the data is missing. */
static void jobpage_put_losses (FILE *out, const struct jobdata *d)
{
    static const struct {
        const char *key, *words;
    } kinds[] = {
        {"lost_events", "events lost or more"},
        {"lost_names", "names lost"},
        {"damaged_files", "trace files damaged or incomplete"},
        {"unreadable_files", "trace files unreadable"},
        {"stages_missing", "stages of nodes never collected"},
    };
    const char *lost = "";

    for (size_t i = 0; i < ITEMS (kinds); i++) {
        uint64_t n = jobdata_count (d->health, kinds[i].key);

        if (n)
            lost = arena_format ("%s%s %" PRIu64 " %s", lost, *lost ? "," : "",
                                 n, kinds[i].words);
    }
    page_banner (out, "Incomplete data: what follows lacks events.%s%s%s%s%s",
                 lost, *lost ? "." : "", d->gone[0] ? " Not traced: " : "",
                 d->gone, d->gone[0] ? "." : "");
}

/* Say which part of the job is in events, and which in a profile. */
static void jobpage_put_profparts (FILE *out, const struct summary *s)
{
    char words[PROFPARTS_WORDS];

    if (!s->profparts.events)
        page_banner (out,
                     "A profile: sums by call and file, no events. Figures "
                     "over time are of its map of time; what needs the time "
                     "of each event is n/a.");
    else
        page_banner (out,
                     "A trace and a profile: %s. "
                     "Calls, bytes, sums and figures over time are of both. "
                     "What needs the time of each event is n/a here; dftrace "
                     "analyze --trace-part has it of the events alone.",
                     profparts_words (words, &s->profparts, s->start));
}

static void jobpage_put_banners (FILE *out, const struct jobdata *d)
{
    char failure[FAILURE_SENTENCE_MAX];

    if (d->live &&
        failure_sentence (failure, d->result.job, &d->totals, &d->summary))
        page_banner (out, "%s", failure);
    if (strcmp (jobdata_text (d->health, "complete"), "true") != 0)
        jobpage_put_losses (out, d);
    else if (d->gone[0]) /* as the user wanted it */
        page_banner (out, "Not traced, as was asked for: %s.", d->gone);
    if (d->live && summary_is_profile (&d->summary))
        jobpage_put_profparts (out, &d->summary);
    if (!d->live)
        page_banner (out,
                     "The traces of this job have gone. Metrics and tables are "
                     "those of an earlier analysis; figures over time cannot "
                     "be drawn.");
}

/* As the first screen has it; where the traces have gone, the metrics
 * read_coverage_percent and write_coverage_percent have it. */
static void jobpage_put_coverage (FILE *out, const struct jobdata *d)
{
    const struct coverage *c = &d->summary.coverage;
    char read[COVERAGE_WORDS], written[COVERAGE_WORDS];

    if (!d->live || !c->known)
        return;
    html_paragraph (
        out, "note", "By the kernel's count (--view coverage)%s: %s; %s.%s",
        c->missing ? arena_format (", without %zu of %zu processes", c->missing,
                                   c->missing + c->programs)
                   : "",
        coverage_words (read, c, COUNTED_READ),
        coverage_words (written, c, COUNTED_WRITTEN),
        c->cut ? " Not complete: " COVERAGE_CUT "." : "");
}

static void jobpage_put_fact (FILE *out, const char *what, const char *value)
{
    if (*value)
        html_put (out, "<dt>%s</dt><dd>%s</dd>", what, value);
}

/* The text of a number; "" of 0. */
static const char *jobpage_id (const struct jobdata *d, const char *key)
{
    uint64_t id = jobdata_count (d->about, key);

    return id ? arena_format ("%" PRIu64, id) : "";
}

static void jobpage_put_settings (FILE *out, const struct jobdata *d)
{
    const struct ynode *s =
        d->job ? ynode_get (ytree_root (d->job), "settings") : NULL;

    if (!s || s->type != YNODE_MAP || !s->count)
        return;
    fputs ("<dt>settings</dt><dd>", out);
    for (size_t i = 0; i < s->count; i++)
        if (s->item[i]->type == YNODE_SCALAR)
            html_put (out, "<code>%s=%s</code><br>", s->key[i]->text,
                      s->item[i]->text);
    fputs ("</dd>", out);
}

static void jobpage_put_facts (FILE *out, const struct jobdata *d)
{
    const char *array = jobpage_id (d, "array_job_id");
    const char *task = jobdata_text (d->about, "array_task_id");

    fputs ("<dl>", out);
    jobpage_put_fact (out, "job", jobpage_id (d, "job_id"));
    jobpage_put_fact (out, "array job", array);
    jobpage_put_fact (
        out, "array task",
        *array && *task
            ? arena_format ("%" PRIu64,
                            jobdata_count (d->about, "array_task_id"))
            : "");
    jobpage_put_fact (out, "sweep run", jobdata_text (d->about, "point"));
    jobpage_put_fact (out, "user", jobdata_text (d->about, "user"));
    jobpage_put_fact (out, "nodes", jobdata_text (d->about, "nodelist"));
    jobpage_put_fact (out, "layers", jobdata_text (d->about, "layers"));
    if (d->job)
        jobpage_put_fact (out, "created",
                          jobdata_text (ytree_root (d->job), "created"));
    if (*d->command)
        jobpage_put_fact (out, "command",
                          d->commands_more
                              ? arena_format ("%s (the first of %zu commands)",
                                              d->command, d->commands_more + 1)
                              : d->command);
    jobpage_put_settings (out, d);
    fputs ("</dl>\n", out);
}

/* A metric as a card; words: its name, or NULL, where bytes of streams, which
 * most programs that are not written for storage move their data by, belong to
 * it, too, its name and that of both. */
struct jobpage_card {
    enum metric metric, stdio; /* METRIC_COUNT: none */
    const char *what, *both;
};

static void jobpage_put_card (FILE *out,
                              const struct jobdata *d,
                              const struct jobpage_card *c)
{
    double v = d->metric[c->metric].value;
    double more = c->stdio < METRIC_COUNT ? d->metric[c->stdio].value : NAN;

    if (more > 0)
        page_card (out, value_shown ((isnan (v) ? 0 : v) + more, "B"), c->both);
    else if (!isnan (v))
        page_card (out, value_shown (v, metric_table[c->metric].unit), c->what);
}

static const char *jobpage_count (const struct jobdata *d,
                                  const char *key,
                                  const char *one,
                                  const char *many)
{
    uint64_t n = jobdata_count (d->about, key);

    return arena_format ("%" PRIu64 " %s", n, n == 1 ? one : many);
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
    static const struct jobpage_card cards[] = {
        {METRIC_job_time, METRIC_COUNT, "job time", NULL},
        {METRIC_bill_compute, METRIC_COUNT, "of it computing", NULL},
        {METRIC_posix_events, METRIC_COUNT, "POSIX events", NULL},
        {METRIC_app_events, METRIC_COUNT, "application events", NULL},
        {METRIC_read_bytes, METRIC_stdio_read_bytes, "data read",
         "read, with streams"},
        {METRIC_read_bandwidth, METRIC_COUNT, "while reading", NULL},
        {METRIC_write_bytes, METRIC_stdio_write_bytes, "written",
         "written, with streams"},
        {METRIC_loader_time, METRIC_COUNT, "loader time", NULL},
        {METRIC_stall_time, METRIC_COUNT, "waiting for data", NULL},
        {METRIC_checkpoint_time, METRIC_COUNT, "checkpoints", NULL},
        {METRIC_lost_events, METRIC_COUNT, "events lost", NULL}};

    html_paragraph (out, "lead", "%s%s%s",
                    jobpage_count (d, "processes", "process, ", "processes, "),
                    jobdata_count (d->about, "ranks")
                        ? jobpage_count (d, "ranks", "rank, ", "ranks, ")
                        : "",
                    jobpage_count (d, "hosts", "host", "hosts"));
    jobpage_put_banners (out, d);
    fputs ("<div class=\"cards\">", out);
    for (size_t i = 0; i < ITEMS (cards); i++)
        jobpage_put_card (out, d, &cards[i]);
    fputs ("</div>\n", out);
    jobpage_put_coverage (out, d);
    jobpage_put_facts (out, d);
    fputs ("<nav>", out);
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
    page_table_heads (
        out, 1, known ? ".metric|value|.definition" : ".metric|.n/a because");
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct job_metric *v = &d->metric[m];

        if ((isnan (v->value) == 0) != known)
            continue;
        html_put (out, "<tr id=\"metric-%s\">", metric_table[m].name);
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
        html_put (out,
                  "<details><summary>%zu metrics are n/a for this "
                  "job</summary>",
                  unknown);
        jobpage_put_some_metrics (out, d, 0);
        fputs ("</details>", out);
    }
    html_section_end (out);
}

/* A job of Slurm has a name; one of `dftrace run` is its command, without the
 * directory of the program: the program alone says little. */
static void jobpage_put_title (FILE *out, const struct jobdata *d)
{
    const char *name = jobdata_text (d->about, "job_name");
    const char *command = d->command, *slash = NULL;
    char title[TITLE_MAX];

    for (const char *p = command; *p && *p != ' '; p++)
        slash = *p == '/' ? p : slash;
    command = slash ? slash + 1 : command;
    if (*command && !jobdata_count (d->about, "job_id") &&
        !*jobdata_text (d->about, "point"))
        name =
            text_fit (title, sizeof (title), command, TITLE_PIXELS, SVG_FONT);
    html_begin (out, *name ? name : jobdata_text (d->about, "label"));
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
