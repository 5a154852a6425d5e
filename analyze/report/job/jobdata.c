/* SPDX-License-Identifier: MIT
 *
 * jobdata.c - a job directory -> all that its page is made of
 *
 * In:  the traces of a job, or what an earlier analysis left of them
 * Out: struct jobdata, to the page of a job
 */

/* Design. A job's page is its analysis. jobdata opens the traces as analyze
 * does, makes the same totals, and shows the same views. jobscan, for what
 * has a place in time, is a guest of the same reading (totals_load_with).
 * When the job ends, and which processes have the most events, it takes from
 * what processes say of themselves and from the heads of chunks; only where
 * that is not so in the end, as in a job that was killed, and where a thread
 * is so long that it is read in splits, it reads the batches once more.
 * Where the traces have gone, jobdata reads metrics.json and tables/, and
 * the page says what is missing. */

#include "config.h"

#include "analyze/facts/ancestry.h"
#include "analyze/report/csv.h"
#include "analyze/report/job/jobdata.h"
#include "analyze/report/page.h"
#include "analyze/tables/results.h"
#include "analyze/trace/untraced.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/calls.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

/* --- metrics.json -> what the page says of the job -------------------------
 */

/* The text of a scalar; "" of null, and where there is none. */
static const char *facts_text (const struct ynode *n, const char *key)
{
    const struct ynode *s = ynode_get (n, key);

    return s && s->type == YNODE_SCALAR &&
                   (s->quoted || strcmp (s->text, "null") != 0)
               ? s->text
               : "";
}

static uint64_t facts_number (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    parse_u64 (facts_text (n, key), &value);
    return value;
}

static double facts_double (const struct ynode *n, const char *key)
{
    return cell_number (facts_text (n, key));
}

static void facts_of_job (struct jobdata *d)
{
    const struct ynode *job = ynode_get (ytree_root (d->metrics), "job");
    const struct ynode *health = ynode_get (ytree_root (d->metrics), "health");
    const char *task = facts_text (job, "array_task_id");

    d->facts = (struct job_facts){
        .label = facts_text (job, "label"),
        .name = facts_text (job, "job_name"),
        .user = facts_text (job, "user"),
        .nodelist = facts_text (job, "nodelist"),
        .point = facts_text (job, "point"),
        .created = d->job ? facts_text (ytree_root (d->job), "created") : "",
        .layers = facts_text (job, "layers"),
        .job_id = facts_number (job, "job_id"),
        .array_job_id = facts_number (job, "array_job_id"),
        .array_task_id =
            task[0] ? (int64_t)facts_number (job, "array_task_id") : -1,
        .processes = facts_number (job, "processes"),
        .ranks = facts_number (job, "ranks"),
        .hosts = facts_number (job, "hosts"),
        .complete = strcmp (facts_text (health, "complete"), "true") == 0,
        .events = facts_number (health, "events"),
        .lost_events = facts_number (health, "lost_events"),
        .lost_names = facts_number (health, "lost_names"),
        .damaged_files = facts_number (health, "damaged_files"),
        .unreadable_files = facts_number (health, "unreadable_files"),
        .stages_missing = facts_number (health, "stages_missing"),
        .untraced_processes = facts_number (health, "untraced_processes")};
}

static int facts_metrics (struct jobdata *d, struct errtext *err)
{
    const struct ynode *all = ynode_get (ytree_root (d->metrics), "metrics");

    if (!all)
        return errf (err,
                     "%s/metrics.json: no metrics in it: run dftrace "
                     "analyze %s again",
                     d->dir, d->dir);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct ynode *n = ynode_get (all, metric_table[m].name);

        d->metric[m] = (struct job_metric){facts_double (n, "value"),
                                           n ? facts_text (n, "note")
                                             : "not in metrics.json"};
    }
    return 0;
}

static void facts_finding (struct job_finding *f, const struct ynode *n)
{
    const struct ynode *rows = ynode_get (n, "rows");

    *f = (struct job_finding){.severity = facts_text (n, "severity"),
                              .cost = facts_double (n, "cost_s"),
                              .percent = facts_double (n, "cost_percent"),
                              .rule = facts_text (n, "rule"),
                              .finding = facts_text (n, "finding"),
                              .view = facts_text (n, "view"),
                              .a_is = facts_text (n, "a_is"),
                              .b_is = facts_text (n, "b_is"),
                              .subject = facts_text (n, "subject"),
                              .source = facts_text (n, "source"),
                              .advice = facts_text (n, "advice"),
                              .value = facts_double (n, "value"),
                              .limit = facts_double (n, "limit"),
                              .a = facts_double (n, "a"),
                              .b = facts_double (n, "b")};
    finding_place (f->place, facts_double (n, "from_s"),
                   facts_double (n, "to_s"), facts_double (n, "processes"),
                   facts_text (n, "pids"));
    for (; rows && rows->type == YNODE_LIST && f->rows < rows->count &&
           f->rows < INSIGHT_ROWS_MAX;
         f->rows++) {
        f->row[f->rows].row = facts_number (rows->item[f->rows], "row");
        f->row[f->rows].name = facts_text (rows->item[f->rows], "name");
    }
}

/* All that metrics.json says. 0, or -1 with err. */
static int facts_all (struct jobdata *d, struct errtext *err)
{
    const struct ynode *root = ytree_root (d->metrics);
    const struct ynode *list = ynode_get (root, "insights");
    size_t n = list && list->type == YNODE_LIST ? list->count : 0;

    if (facts_metrics (d, err) < 0)
        return -1;
    facts_of_job (d);
    d->verdict = facts_text (ynode_get (root, "job"), "verdict");
    NEW (d->finding, n + 1);
    for (; d->findings < n; d->findings++)
        facts_finding (&d->finding[d->findings], list->item[d->findings]);
    return 0;
}

/* --- results of an earlier analysis -> the page of a job without traces -----
 */

/* By job.json, where processes that were traced after all have no row. */
static void left_gone (struct jobdata *d)
{
    struct untraced u = {.count = 0};
    uint64_t sum;

    if (untraced_load (&u, d->dir) == 0) {
        untracedlist_settle (&u);
        sum = untracedlist_sum (&u);
        untracedlist_words (&u,
                            d->facts.untraced_processes > sum
                                ? d->facts.untraced_processes - sum
                                : 0,
                            d->gone, sizeof (d->gone), SUMMARY_WORDS);
    }
    untracedlist_clear (&u);
}

static struct textable *left_table (const struct csv *c)
{
    struct textable *t = textable_create ();

    for (size_t i = 0; i < csv_columns (c); i++)
        textable_column (t, csv_head (c, i), NULL, NULL, 0);
    for (size_t r = 0; r < csv_rows (c); r++) {
        textable_row (t);
        for (size_t i = 0; i < csv_columns (c); i++) {
            const char *text = csv_cell (c, r, (int)i);

            if (*text)
                textable_text (t, text);
            else
                textable_na (t);
        }
    }
    return t;
}

static int left_tables (struct jobdata *d, struct errtext *err)
{
    for (size_t i = 0; i < JOBTABLES; i++) {
        enum view v = jobtables[i].view;
        char *name = xasprintf ("tables/%s.csv", view_table[v].file);
        struct csv *c = csv_load (d->dir, name, err);

        free (name);
        if (!c)
            return -1;
        d->table[v] = left_table (c);
        csv_destroy (c);
    }
    return 0;
}

/* Read the results of an earlier analysis. Return 0, or -1 with err. */
static int jobleft_load (struct jobdata *d, struct errtext *err)
{
    if (!(d->metrics = page_tree (d->dir, "metrics.json", err)) ||
        facts_all (d, err) < 0)
        return -1;
    left_gone (d);
    if (d->job)
        d->command = xstrdup (facts_text (ytree_root (d->job), "command"));
    return left_tables (d, err);
}

/* --- all of it --------------------------------------------------------------
 */

enum {
    FILES_MAX = 25,
    RANKS_MAX = 64,
    OPERATIONS_MAX = 1000, /* more have a number in their name */
    ROWS_ALL = INT_MAX
};

const struct jobtable jobtables[JOBTABLES] = {
    {VIEW_wall, JOBTABLE_ALWAYS, ROWS_ALL},
    {VIEW_bill, JOBTABLE_ALWAYS, RANKS_MAX},
    {VIEW_io, JOBTABLE_ALWAYS, ROWS_ALL},
    {VIEW_call, JOBTABLE_ALWAYS, ROWS_ALL},
    {VIEW_operation, JOBTABLE_ALWAYS, OPERATIONS_MAX},
    {VIEW_peer, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_mpiio, JOBTABLE_IF_ANY, ROWS_ALL},
    {VIEW_hdf5, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_netcdf, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_pnetcdf, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_rank, JOBTABLE_ALWAYS, RANKS_MAX},
    {VIEW_gap, JOBTABLE_IF_ANY, ROWS_ALL},
    {VIEW_startup, JOBTABLE_IF_ANY, RANKS_MAX},
    {VIEW_checkpoint, JOBTABLE_IF_ANY, RANKS_MAX},
    {VIEW_checkpointkind, JOBTABLE_IF_ANY, ROWS_ALL},
    {VIEW_mapping, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_fault, JOBTABLE_IF_ANY, ROWS_ALL},
    {VIEW_worker, JOBTABLE_IF_ANY, RANKS_MAX},
    {VIEW_kind, JOBTABLE_ALWAYS, ROWS_ALL},
    {VIEW_mount, JOBTABLE_IF_ANY, ROWS_ALL},
    {VIEW_file, JOBTABLE_ALWAYS, FILES_MAX},
    {VIEW_shared, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_accesspattern, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_accesssize, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_accessstride, JOBTABLE_IF_ANY, FILES_MAX},
    {VIEW_timemap, JOBTABLE_NEVER, 0},
    {VIEW_percentile, JOBTABLE_NEVER, 0},
    {VIEW_process, JOBTABLE_NEVER, 0}};

enum { ARGUMENT_END = 0x1f }; /* between the words of a command */

/* --- of the traces ----------------------------------------------------------
 */

/* metrics.json as an analysis would leave it, without the rows of views. 0, or
 * -1 with err. */
static int live_metrics (struct jobdata *d, struct errtext *err)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = xmemstream (&text, &n);

    results_json (&d->result, 0, out);
    xmemstream_end (out);
    d->metrics = ytree_parse (d->dir, text, n, err);
    free (text);
    return d->metrics ? 0 : -1;
}

/* Tables that have a row for each file have no more rows than the page shows:
 * there may be a million files. */
static void live_tables (struct jobdata *d)
{
    for (size_t i = 0; i < JOBTABLES; i++) {
        const struct jobtable *s = &jobtables[i];

        d->table[s->view] = view_make_first (
            &d->result, s->view, s->most == FILES_MAX ? FILES_MAX : 0);
    }
}

static int live_order (const void *a, const void *b)
{
    return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Different commands that no traced process started: 1 of the ranks of a
 * program, several of the commands of a script. */
static size_t live_commands (struct jobdata *d)
{
    const char **of = ZEROED (of, d->totals.processes);
    struct ancestry a = {NULL, NULL, NULL, 0};
    size_t n = 0, differ = 0;

    ancestry_open (&a, &d->totals);
    for (size_t i = 0; i < d->totals.processes; i++)
        if (!ancestry_parent (&a, &d->totals.process[i]))
            of[n++] = d->totals.process[i].who->text[SHARD_STRING_ARGV];
    SORT (of, n, live_order);
    for (size_t i = 0; i < n; i++)
        differ += i == 0 || strcmp (of[i - 1], of[i]) != 0;
    ancestry_close (&a);
    free (of);
    return differ;
}

/* The job's own command or, where job.json has none, that of the process that
 * began first, and how many there are beside it. */
static void live_command (struct jobdata *d)
{
    const char *own = d->result.job->info.command;
    const struct process *first = &d->totals.process[0];

    if (*own) {
        d->command = xstrdup (own);
        return;
    }
    for (size_t i = 0; i < d->totals.processes; i++) {
        const struct process *p = &d->totals.process[i];

        if (p->start < first->start)
            first = p;
    }
    d->command = xstrdup (first->who->text[SHARD_STRING_ARGV]);
    for (char *c = d->command; *c; c++)
        *c = *c == ARGUMENT_END ? ' ' : *c;
    d->commands_more = live_commands (d);
    d->commands_more -= d->commands_more > 0;
}

static int live_load (struct jobdata *d,
                      struct job *job,
                      const struct kind_rules *rules,
                      struct errtext *err)
{
    struct totals_guest guest;
    struct jobscan_work *w = jobscan_begin (&guest);
    int rc = -1;

    if (totals_load_with (&d->totals, job, rules, &guest, err) == 0 &&
        summary_make (&d->summary, &d->totals, job, err) == 0)
        rc = 0;
    if (rc == 0 && d->totals.processes == 0)
        rc = errf (err, "%s",
                   job->sources ? job->source[0].problem.text : "no traces");
    if (rc == 0) {
        d->result = (struct result){job, &d->totals, &d->summary};
        summary_words (&d->summary, d->gone, SUMMARY_WORDS);
        if (live_metrics (d, err) < 0 || facts_all (d, err) < 0) {
            rc = -1;
        } else {
            live_tables (d);
            live_command (d);
            if (!summary_is_profile (&d->summary))
                d->scan = jobscan_make (w, &d->result);
        }
    }
    jobscan_end (w);
    d->live = rc == 0;
    return rc;
}

/* --- either ------------------------------------------------------------------
 */

int jobdata_load (struct jobdata *d,
                  const char *dir,
                  const struct kind_rules *rules,
                  struct errtext *err)
{
    ZERO (d);
    d->dir = dir;
    if ((page_has (dir, "job.json") &&
         !(d->job = page_tree (dir, "job.json", err))) ||
        joblist_add (&d->jobs, dir, err) < 0)
        return -1;
    if (d->jobs.count == 1 && job_open (&d->jobs.item[0], err) == 0)
        return live_load (d, &d->jobs.item[0], rules, err);
    /* tasks of arrays have metrics, and no tables yet */
    if (page_has (dir, "metrics.json") && page_has (dir, "tables"))
        return jobleft_load (d, err);
    return errf (err,
                 "%s: not analyzed yet, or no job directory: run dftrace "
                 "analyze %s first",
                 dir, dir);
}

void jobdata_clear (struct jobdata *d)
{
    free (d->finding);
    for (size_t v = 0; v < VIEW_COUNT; v++)
        textable_destroy (d->table[v]);
    jobscan_destroy (d->scan);
    free (d->command);
    summary_clear (&d->summary);
    totals_clear (&d->totals);
    joblist_clear (&d->jobs);
    ytree_destroy (d->metrics);
    ytree_destroy (d->job);
    ZERO (d);
}

double jobdata_number (const struct jobdata *d,
                       enum view view,
                       size_t row,
                       const char *column)
{
    const struct textable *t = d->table[view];

    return textable_number (t, row, textable_find (t, column));
}

int jobdata_ranked (const struct jobdata *d)
{
    for (size_t r = 0; r < textable_rows (d->table[VIEW_bill]); r++)
        if (jobdata_number (d, VIEW_bill, r, "rank") >= 0)
            return 1;
    return 0;
}
