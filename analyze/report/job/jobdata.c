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
 * is so long that it is read in pieces, it reads the batches once more.
 * Where the traces have gone, jobdata reads metrics.json and tables/, and
 * the page says what is missing. */

#include "config.h"

#include "analyze/facts/ancestry.h"
#include "analyze/report/csv.h"
#include "analyze/report/job/jobdata.h"
#include "analyze/trace/untraced.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/format/calls.h"
#include "lib/util/fsutil.h"

/* --- results of an earlier analysis -> the page of a job without traces -----
 */

static const char *left_text (const struct ynode *n, const char *key)
{
    const char *text = ynode_text (n, key, "");

    return strcmp (text, "null") == 0 ? "" : text;
}

static uint64_t left_number (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    (void)parse_u64 (left_text (n, key), &value);
    return value;
}

static void left_facts (struct jobdata *d)
{
    const struct ynode *job = ynode_get (ytree_root (d->metrics), "job");
    const struct ynode *health = ynode_get (ytree_root (d->metrics), "health");
    const char *task = left_text (job, "array_task_id");

    d->facts = (struct job_facts){
        .label = left_text (job, "label"),
        .name = left_text (job, "job_name"),
        .user = left_text (job, "user"),
        .nodelist = left_text (job, "nodelist"),
        .point = left_text (job, "point"),
        .created = d->job ? left_text (ytree_root (d->job), "created") : "",
        .layers = left_text (job, "layers"),
        .job_id = left_number (job, "job_id"),
        .array_job_id = left_number (job, "array_job_id"),
        .array_task_id =
            task[0] ? (int64_t)left_number (job, "array_task_id") : -1,
        .processes = left_number (job, "processes"),
        .ranks = left_number (job, "ranks"),
        .hosts = left_number (job, "hosts"),
        .complete = strcmp (left_text (health, "complete"), "true") == 0,
        .events = left_number (health, "events"),
        .lost_events = left_number (health, "lost_events"),
        .lost_names = left_number (health, "lost_names"),
        .damaged_files = left_number (health, "damaged_files"),
        .unreadable_files = left_number (health, "unreadable_files"),
        .stages_missing = left_number (health, "stages_missing"),
        .untraced_processes = left_number (health, "untraced_processes")};
}

/* By job.json, where processes that were traced after all have no row. */
static void left_gone (struct jobdata *d)
{
    struct untraced u = {.count = 0};
    uint64_t sum;

    if (untraced_load (&u, d->dir) == 0) {
        untracedlist_settle (&u);
        sum = untracedlist_sum (&u);
        (void)untracedlist_words (&u,
                                  d->facts.untraced_processes > sum
                                      ? d->facts.untraced_processes - sum
                                      : 0,
                                  d->gone, sizeof (d->gone), SUMMARY_WORDS);
    }
    untracedlist_clear (&u);
}

static int left_metrics (struct jobdata *d, struct errtext *err)
{
    const struct ynode *all = ynode_get (ytree_root (d->metrics), "metrics");

    if (!all)
        return errf (err,
                     "%s/metrics.json: no metrics in it: run dftrace "
                     "analyze %s again",
                     d->dir, d->dir);
    for (int m = 0; m < METRIC_COUNT; m++) {
        const struct ynode *n = ynode_get (all, metric_table[m].name);

        d->metric[m] = (struct job_metric){cell_number (left_text (n, "value")),
                                           n ? left_text (n, "note")
                                             : "not in metrics.json"};
    }
    return 0;
}

static int left_finding (struct jobdata *d, const struct ynode *n)
{
    struct job_finding *f = &d->finding[d->findings++];
    const struct ynode *rows = ynode_get (n, "rows");

    *f = (struct job_finding){.severity = left_text (n, "severity"),
                              .cost = cell_number (left_text (n, "cost_s")),
                              .percent =
                                  cell_number (left_text (n, "cost_percent")),
                              .rule = left_text (n, "rule"),
                              .finding = left_text (n, "finding"),
                              .view = left_text (n, "view"),
                              .a_is = left_text (n, "a_is"),
                              .b_is = left_text (n, "b_is"),
                              .value = cell_number (left_text (n, "value")),
                              .limit = cell_number (left_text (n, "limit")),
                              .a = cell_number (left_text (n, "a")),
                              .b = cell_number (left_text (n, "b"))};
    FORMAT (f->subject, "%s", left_text (n, "subject"));
    FORMAT (f->source, "%s", left_text (n, "source"));
    FORMAT (f->advice, "%s", left_text (n, "advice"));
    (void)finding_place (f->place, cell_number (left_text (n, "from_s")),
                         cell_number (left_text (n, "to_s")),
                         cell_number (left_text (n, "processes")),
                         left_text (n, "pids"));
    for (size_t k = 0; rows && rows->type == YNODE_LIST && k < rows->count &&
                       k < INSIGHT_ROWS_MAX;
         k++) {
        f->row[k].row = left_number (rows->item[k], "row");
        f->row[k].name = strdup (left_text (rows->item[k], "name"));
        if (!f->row[k].name)
            return -1;
        f->rows++;
    }
    return 0;
}

static int left_findings (struct jobdata *d)
{
    const struct ynode *list = ynode_get (ytree_root (d->metrics), "insights");
    const struct ynode *job = ynode_get (ytree_root (d->metrics), "job");
    size_t n = list && list->type == YNODE_LIST ? list->count : 0;

    FORMAT (d->verdict, "%s", left_text (job, "verdict"));
    if (!NEW (d->finding, n + 1))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (left_finding (d, list->item[i]) < 0)
            return -1;
    return 0;
}

static struct textable *left_table (const struct csv *c)
{
    struct textable *t = textable_create ();

    for (size_t i = 0; t && i < csv_columns (c); i++)
        textable_column (t, csv_head (c, i), NULL, NULL, 0);
    for (size_t r = 0; t && r < csv_rows (c); r++) {
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
        char *name = text_format ("tables/%s.csv", view_table[v].file);
        struct csv *c = name ? csv_load (d->dir, name, err) : NULL;

        free (name);
        if (!c)
            return -1;
        d->table[v] = left_table (c);
        csv_destroy (c);
        if (!d->table[v])
            return err_system (err, d->dir, ENOMEM);
    }
    return 0;
}

/* Read the results of an earlier analysis. Return 0, or -1 with err. */
static int jobleft_load (struct jobdata *d, struct errtext *err)
{
    char *path = path_join (d->dir, "metrics.json");

    (void)err_system (err, d->dir, ENOMEM);
    d->metrics = path ? ytree_load (path, err) : NULL;
    free (path);
    if (!d->metrics || left_metrics (d, err) < 0)
        return -1;
    left_facts (d);
    left_gone (d);
    if (d->job)
        d->command = strdup (left_text (ytree_root (d->job), "command"));
    if (left_findings (d) < 0 || (d->job && !d->command))
        return err_system (err, d->dir, ENOMEM);
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

static void live_facts (struct jobdata *d)
{
    const struct job_info *info = &d->result.job->info;
    const struct summary *s = &d->summary;

    d->facts = (struct job_facts){
        .label = d->result.job->label,
        .name = info->name,
        .user = info->user,
        .nodelist = info->nodelist,
        .point = info->point,
        .created = info->created,
        .layers = layers_format (s->layers, d->layers, sizeof (d->layers)),
        .job_id = info->job_id,
        .array_job_id = info->array_job_id,
        .array_task_id = info->array_task_id,
        .processes = s->processes,
        .ranks = s->launched.found,
        .hosts = s->hosts,
        .complete = summary_complete (s),
        .events = s->n.events,
        .lost_events = s->lost,
        .lost_names = s->lost_names,
        .damaged_files = s->damaged,
        .unreadable_files = s->unreadable,
        .stages_missing = s->stages,
        .untraced_processes = s->untraced};
}

static void live_gone (struct jobdata *d)
{
    (void)summary_words (&d->summary, d->gone, SUMMARY_WORDS);
}

static void live_metrics (struct jobdata *d)
{
    for (int m = 0; m < METRIC_COUNT; m++) {
        struct metric_value v = metric_compute (&d->summary, (enum metric)m);

        d->metric[m] =
            (struct job_metric){!v.known                      ? NAN
                                : metric_table[m].digits == 0 ? (double)v.whole
                                                              : v.value,
                                v.note ? v.note : ""};
    }
}

static int live_finding (struct jobdata *d, const struct finding *found)
{
    const struct insight_info *rule = &insight_table[found->rule];
    struct job_finding *f = &d->finding[d->findings];
    struct insight_rows rows;
    char pids[SUBJECT_PIDS];

    if (insight_rows (&rows, found->rule, &d->result) < 0)
        return -1;
    *f = (struct job_finding){.severity = severity_name (found->severity),
                              .cost = found->costs ? found->cost : NAN,
                              .percent = found->percent,
                              .rule = rule->name,
                              .finding = rule->finding,
                              .view = rule->from,
                              .a_is = rule->what_a,
                              .b_is = rule->what_b,
                              .value = found->value,
                              .limit = rule->limit,
                              .a = found->a,
                              .b = found->b,
                              .rows = rows.count};
    (void)subject_words (f->subject, found, &d->result);
    (void)finding_source (f->source, found, &d->result, 1);
    (void)insight_advice (f->advice, found, &d->summary);
    (void)finding_place (f->place, finding_from (found, &d->summary),
                         finding_until (found, &d->summary),
                         (double)found->when.processes,
                         finding_pids (pids, found, &d->totals));
    for (size_t k = 0; k < rows.count; k++) {
        f->row[k].row = rows.row[k];
        f->row[k].name = rows.name[k]; /* is the finding's now */
    }
    d->findings++;
    return 0;
}

static int live_findings (struct jobdata *d)
{
    struct finding found[INSIGHT_COUNT];
    size_t n = insights_find (found, &d->summary, &d->totals);

    (void)insights_nothing (d->verdict, &d->summary);
    if (!NEW (d->finding, INSIGHT_COUNT))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (live_finding (d, &found[i]) < 0)
            return -1;
    return 0;
}

/* Tables that only the page's own sections show have no more rows than these:
 * there may be a million files. */
static int live_tables (struct jobdata *d)
{
    for (size_t i = 0; i < JOBTABLES; i++) {
        const struct jobtable *s = &jobtables[i];
        int has_all = s->view == VIEW_file || s->most != FILES_MAX;

        d->table[s->view] = view_make_first (&d->result, s->view,
                                             has_all ? 0 : (size_t)s->most);
        if (!d->table[s->view] || d->table[s->view]->dropped)
            return -1;
    }
    return 0;
}

static int live_order (const void *a, const void *b)
{
    return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* Different commands that no traced process started: 1 of the ranks of a
 * program, several of the commands of a script. 0: out of memory. */
static size_t live_commands (struct jobdata *d)
{
    const char **of = ZEROED (of, d->totals.processes);
    struct ancestry a = {NULL, NULL, NULL, 0};
    size_t n = 0, differ = 0;

    if (of && ancestry_open (&a, &d->totals) == 0) {
        for (size_t i = 0; i < d->totals.processes; i++)
            if (!ancestry_parent (&a, &d->totals.process[i]))
                of[n++] = d->totals.process[i].who->text[SHARD_STRING_ARGV];
        SORT (of, n, live_order);
        for (size_t i = 0; i < n; i++)
            differ += i == 0 || strcmp (of[i - 1], of[i]) != 0;
    }
    ancestry_close (&a);
    free (of);
    return differ;
}

/* The job's own command or, where job.json has none, that of the process that
 * began first, and how many there are beside it. */
static int live_command (struct jobdata *d)
{
    const char *own = d->result.job->info.command;
    const struct process *first = NULL;
    size_t commands;

    if (*own)
        return (d->command = strdup (own)) ? 0 : -1;
    for (size_t i = 0; i < d->totals.processes; i++) {
        const struct process *p = &d->totals.process[i];

        if (!first || p->start < first->start)
            first = p;
    }
    if (!first || !(commands = live_commands (d)) ||
        !(d->command = strdup (first->who->text[SHARD_STRING_ARGV])))
        return -1;
    for (char *c = d->command; *c; c++)
        *c = *c == ARGUMENT_END ? ' ' : *c;
    d->commands_more = commands - 1;
    return 0;
}

static int live_load (struct jobdata *d,
                      struct job *job,
                      const struct kind_rules *rules,
                      struct errtext *err)
{
    struct totals_guest guest;
    struct jobscan_work *w = jobscan_begin (&guest);
    int rc = -1;

    if (!w)
        return err_system (err, d->dir, ENOMEM);
    if (totals_load_with (&d->totals, job, rules, &guest, err) == 0 &&
        summary_make (&d->summary, &d->totals, job, err) == 0)
        rc = 0;
    if (rc == 0 && d->totals.processes == 0)
        rc = errf (err, "%s",
                   job->sources ? job->source[0].problem.text : "no traces");
    if (rc == 0) {
        d->result = (struct result){job, &d->totals, &d->summary};
        live_facts (d);
        live_gone (d);
        live_metrics (d);
        if (live_findings (d) < 0 || live_tables (d) < 0 ||
            live_command (d) < 0)
            rc = err_system (err, d->dir, ENOMEM);
        else if (!summary_is_profile (&d->summary) &&
                 !(d->scan = jobscan_make (w, &d->result, err)))
            rc = -1;
    }
    jobscan_end (w);
    d->live = rc == 0;
    return rc;
}

/* --- either ------------------------------------------------------------------
 */

static int jobdata_has (const char *dir, const char *name)
{
    char *path = path_join (dir, name);
    int yes = path && access (path, F_OK) == 0;

    free (path);
    return yes;
}

static int jobdata_load_job_file (struct jobdata *d, struct errtext *err)
{
    char *path = path_join (d->dir, "job.json");
    int rc = path ? 0 : err_system (err, d->dir, ENOMEM);

    if (path && access (path, F_OK) == 0 && !(d->job = ytree_load (path, err)))
        rc = -1;
    free (path);
    return rc;
}

int jobdata_load (struct jobdata *d,
                  const char *dir,
                  const struct kind_rules *rules,
                  struct errtext *err)
{
    ZERO (d);
    d->dir = dir;
    if (jobdata_load_job_file (d, err) < 0 ||
        joblist_add (&d->jobs, dir, err) < 0)
        return -1;
    if (d->jobs.count == 1 && job_open (&d->jobs.item[0], err) == 0)
        return live_load (d, &d->jobs.item[0], rules, err);
    /* tasks of arrays have metrics, and no tables yet */
    if (jobdata_has (dir, "metrics.json") && jobdata_has (dir, "tables"))
        return jobleft_load (d, err);
    return errf (err,
                 "%s: not analyzed yet, or no job directory: run dftrace "
                 "analyze %s first",
                 dir, dir);
}

void jobdata_clear (struct jobdata *d)
{
    for (size_t i = 0; d->finding && i < d->findings; i++)
        for (size_t k = 0; k < d->finding[i].rows; k++)
            free (d->finding[i].row[k].name);
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
