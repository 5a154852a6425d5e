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

const char *jobdata_text (const struct ynode *n, const char *key)
{
    const struct ynode *s = ynode_get (n, key);

    return s && s->type == YNODE_SCALAR &&
                   (s->quoted || strcmp (s->text, "null") != 0)
               ? s->text
               : "";
}

uint64_t jobdata_count (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    parse_u64 (jobdata_text (n, key), &value);
    return value;
}

double jobdata_double (const struct ynode *n, const char *key)
{
    return cell_number (jobdata_text (n, key));
}

/* Find what the page needs of metrics.json. 0, or -1 with err. */
static int facts_all (struct jobdata *d, struct errtext *err)
{
    static const struct ynode none = {.type = YNODE_LIST};
    const struct ynode *root = ytree_root (d->metrics);
    const struct ynode *all = ynode_get (root, "metrics");
    const struct ynode *list = ynode_get (root, "insights");

    if (!all)
        return errf (err,
                     "%s/metrics.json: no metrics in it: run dftrace "
                     "analyze %s again",
                     d->dir, d->dir);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct ynode *n = ynode_get (all, metric_table[m].name);

        d->metric[m] = (struct job_metric){jobdata_double (n, "value"),
                                           n ? jobdata_text (n, "note")
                                             : "not in metrics.json"};
    }
    d->about = ynode_get (root, "job");
    d->health = ynode_get (root, "health");
    d->findings = list && list->type == YNODE_LIST ? list : &none;
    return 0;
}

/* --- results of an earlier analysis -> the page of a job without traces -----
 */

/* By job.json, where processes that were traced after all have no row. */
static void left_gone (struct jobdata *d)
{
    struct untraced u = {.count = 0};
    uint64_t all = jobdata_count (d->health, "untraced_processes"), sum;

    if (untraced_load (&u, d->dir) == 0) {
        untracedlist_settle (&u);
        sum = untracedlist_sum (&u);
        untracedlist_words (&u, all > sum ? all - sum : 0, d->gone,
                            sizeof (d->gone), SUMMARY_WORDS);
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
        struct csv *c = csv_load (
            d->dir, arena_format ("tables/%s.csv", view_table[v].file), err);

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
    d->command = d->job ? jobdata_text (ytree_root (d->job), "command") : "";
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
    const char **of = arena_array (d->totals.processes, sizeof (*of));
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
    return differ;
}

/* The job's own command or, where job.json has none, that of the process that
 * began first, and how many there are beside it. */
static void live_command (struct jobdata *d)
{
    const char *own = d->result.job->info.command;
    const struct process *first = &d->totals.process[0];
    char *argv;

    d->command = own;
    if (*own)
        return;
    for (size_t i = 0; i < d->totals.processes; i++) {
        const struct process *p = &d->totals.process[i];

        if (p->start < first->start)
            first = p;
    }
    d->command = argv = arena_text (first->who->text[SHARD_STRING_ARGV]);
    while ((argv = strchr (argv, ARGUMENT_END)))
        *argv = ' ';
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
    d->command = "";
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
    for (size_t v = 0; v < VIEW_COUNT; v++)
        textable_destroy (d->table[v]);
    summary_clear (&d->summary);
    totals_clear (&d->totals);
    joblist_clear (&d->jobs);
    ytree_destroy (d->metrics);
    ytree_destroy (d->job);
    ZERO (d);
}

const char *
jobdata_cell (const struct textable *t, size_t row, const char *column)
{
    char buf[TEXTABLE_NUMBER_MAX];
    const char *text = textable_cell (t, row, textable_find (t, column), buf);

    return text == buf ? arena_text (buf) : text;
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
