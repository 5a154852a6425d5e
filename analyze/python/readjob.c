/* SPDX-License-Identifier: MIT
 *
 * readjob.c - a job that is open for questions
 *
 * In:  a job directory or a trace file
 * Out: struct job, and what follows from all its events once that is asked for
 */
#include "config.h"

#include "analyze/python/readjob.h"
#include "analyze/query/show.h"
#include "analyze/report/job/fig_job.h"
#include "analyze/report/page.h"
#include "analyze/tables/groups.h"
#include "analyze/tables/treetable.h"
#include "analyze/tables/views.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

static pthread_mutex_t readjob_reading = PTHREAD_MUTEX_INITIALIZER;

/* In a child nobody reads who would give it back. */
static void readjob_in_child (void)
{
    pthread_mutex_init (&readjob_reading, NULL);
}

int readjob_begin (void)
{
    return pthread_atfork (NULL, NULL, readjob_in_child) == 0 ? 0 : -1;
}

void readjob_enter (void)
{
    xalloc_lock (&readjob_reading);
}

void readjob_leave (void)
{
    xalloc_unlock (&readjob_reading);
}

struct job *readjob_job (struct readjob *j)
{
    return &j->jobs.item[0];
}

struct readjob *readjob_hold (struct readjob *j)
{
    atomic_fetch_add (&j->holders, 1);
    return j;
}

void readjob_drop (struct readjob *j)
{
    int saved = errno;

    if (!j || atomic_fetch_sub (&j->holders, 1) > 1)
        return;
    if (j->loaded) {
        summary_clear (&j->summary);
        totals_clear (&j->totals);
    }
    for (size_t i = 0; i < j->jobs.count; i++)
        job_close (&j->jobs.item[i]);
    joblist_clear (&j->jobs);
    for (int k = 0; k < KIND_COUNT; k++)
        free (j->pattern[k]);
    pthread_mutex_destroy (&j->lock);
    free (j);
    errno = saved;
}

static int readjob_readable (const struct job *job)
{
    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].readable)
            return 1;
    return 0;
}

static int
readjob_open_job (struct readjob *j, const char *path, struct errtext *err)
{
    struct job *job;

    if (joblist_add (&j->jobs, path, err) < 0)
        return -1;
    if (j->jobs.count != 1)
        return errf (err,
                     "%s: a sweep: name one of its runs, or open it with "
                     "dftrace.study",
                     path);
    job = readjob_job (j);
    if (job_open (job, err) < 0)
        return -1;
    if (readjob_readable (job))
        return 0;
    if (job->sources && job->source[0].problem.text[0])
        return errf (err, "%s", job->source[0].problem.text);
    return errf (err, "%s: no readable trace in it", job->label);
}

struct readjob *readjob_open (const char *path,
                              const char *const *pattern,
                              int threads,
                              struct errtext *err)
{
    struct readjob *j = ZEROED (j, 1);

    atomic_init (&j->holders, 1);
    pthread_mutex_init (&j->lock, NULL);
    j->threads = threads;
    for (int k = 0; k < KIND_COUNT; k++)
        if (pattern[k])
            j->rules.patterns[k] = j->pattern[k] = xstrdup (pattern[k]);
    if (readjob_open_job (j, path, err) == 0)
        return j;
    readjob_drop (j);
    return NULL;
}

int readjob_loaded (struct readjob *j)
{
    int loaded;

    xalloc_lock (&j->lock);
    loaded = j->loaded;
    xalloc_unlock (&j->lock);
    return loaded;
}

static int readjob_load_now (struct readjob *j, struct errtext *err)
{
    struct job *job = readjob_job (j);

    /* of a reading for which there was no memory */
    ZERO (&j->summary);
    ZERO (&j->totals);
    if (totals_load (&j->totals, job, &j->rules, NULL, j->threads, err) == 0 &&
        summary_make (&j->summary, &j->totals, job, err) == 0) {
        j->result = (struct result){job, &j->totals, &j->summary};
        j->loaded = 1;
        return 0;
    }
    summary_clear (&j->summary);
    totals_clear (&j->totals);
    return -1;
}

int readjob_load (struct readjob *j, struct errtext *err)
{
    int rc;

    xalloc_lock (&j->lock);
    rc = j->loaded ? 0 : readjob_load_now (j, err);
    xalloc_unlock (&j->lock);
    return rc;
}

int readjob_problem (struct readjob *j, size_t i, struct errtext *say)
{
    const struct source *s = &readjob_job (j)->source[i];
    const struct trace_health *h = s->file ? tracefile_health (s->file) : NULL;
    unsigned long long lost;

    if (!h) {
        errf (say, "%s", s->problem.text);
        return 1;
    }
    lost = h->lost + h->missing + (s->is_pfw ? pfw_lost (&s->lines) : 0);
    if (!lost && !h->cut && !s->lines.in.cut && !s->lines.in.members_bad)
        return 0;
    errf (say,
          "%s: damaged or incomplete, %llu events or more are missing: "
          "see view (\"health\")",
          s->path, lost);
    return 1;
}

const char *readjob_say (const char *text)
{
    return text + (text[0] == '-' && text[1] == '-' ? 2 : 0);
}

/* --- the page of a job, and its figures -------------------------------------
 */

enum { READPAGE_MODE = 0644 };

/* The options with which the job was opened. */
static const char *readpage_path (struct readjob *j)
{
    const struct job *job = readjob_job (j);

    return job->dir ? job->dir : job->source[0].path;
}

int readpage_write (struct readjob *j, const char *path, struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, READPAGE_MODE, err);
    void *mark;
    int rc;

    if (!a)
        return -1;
    readjob_enter ();
    mark = arena_alloc (1);
    rc = page_job (atomic_stream (a), readpage_path (j), &j->rules, err);
    arena_free (mark);
    readjob_leave ();
    if (rc < 0) {
        atomic_abort (a);
        return -1;
    }
    return atomic_commit (a, err);
}

static int readpage_draw (struct readjob *j, FILE *out, struct errtext *err)
{
    struct jobdata *d = ZEROED (d, 1);
    int rc = jobdata_load (d, readpage_path (j), &j->rules, err);

    if (rc == 0)
        fig_job (out, d);
    jobdata_clear (d);
    free (d);
    return rc;
}

/* The figures of a job, or the page of a sweep where j is NULL. */
static char *readpage_text (struct readjob *j,
                            const char *dir,
                            size_t *length,
                            struct errtext *err)
{
    char *text = NULL;
    FILE *out = xmemstream (&text, length);
    void *mark;
    int rc;

    readjob_enter ();
    mark = arena_alloc (1);
    rc = j ? readpage_draw (j, out, err) : page_sweep (out, dir, err);
    arena_free (mark);
    readjob_leave ();
    xmemstream_end (out);
    if (rc == 0)
        return text;
    free (text);
    return NULL;
}

char *readpage_figures (struct readjob *j, size_t *length, struct errtext *err)
{
    return readpage_text (j, NULL, length, err);
}

char *readpage_study (const char *dir, size_t *length, struct errtext *err)
{
    return readpage_text (NULL, dir, length, err);
}

/* ---- questions about a job -> tables ---- */

/* A question that has been read. */
struct readtables_work {
    struct query query;
    struct show show;
    struct where where;
    struct query_answer answer;
    struct textable *table;
};

static void readtables_clear (struct readtables_work *w)
{
    int saved = errno;

    query_answer_clear (&w->answer);
    where_clear (&w->where);
    free (w);
    errno = saved;
}

static int
readtables_where (struct where *w, const char *const *text, struct errtext *err)
{
    struct errtext why;

    for (; text && *text; text++)
        if (where_add (w, *text, &why) < 0) {
            errno = EINVAL;
            return errf (err, "where: %s", why.text);
        }
    return 0;
}

static int
readtables_wrong (struct errtext *err, const char *what, struct errtext *why)
{
    errno = EINVAL;
    return errf (err, "%s: %s", what, why->text);
}

static int readtables_parse (struct readtables_work *w,
                             const struct readtables_asked *asked,
                             struct errtext *err)
{
    struct query *q = &w->query;
    struct errtext why;

    q->where = &w->where;
    q->running = 1;
    q->interval = asked->interval;
    if (readtables_where (&w->where, asked->where, err) < 0)
        return -1;
    if (asked->by && query_parse_keys (q, asked->by, &why) < 0)
        return readtables_wrong (err, "by", &why);
    if (asked->show && show_parse (&w->show, q, asked->show, &why) < 0)
        return readtables_wrong (err, "show", &why);
    if (asked->sort && !asked->show) {
        errf (&why, "%s: say with show what there is to sort by", asked->sort);
        return readtables_wrong (err, "sort", &why);
    }
    if (asked->sort && show_parse_sort (&w->show, q, asked->sort, &why) < 0)
        return readtables_wrong (err, "sort", &why);
    if (query_has_key (q, GROUP_configuration)) {
        errf (&why, "configuration: of several jobs only: use dftrace "
                    "analyze");
        return readtables_wrong (err, "by", &why);
    }
    return 0;
}

/* Read the job if nobody has, and lock out who reads as well. */
static int readtables_load (struct readjob *j, struct errtext *err)
{
    int rc;

    readjob_enter ();
    rc = readjob_load (j, err);
    if (rc < 0)
        readjob_leave ();
    return rc;
}

static int readtables_answer (struct readtables_work *w,
                              struct readjob *j,
                              struct errtext *err)
{
    int rc;

    if (readtables_load (j, err) < 0)
        return -1;
    errno = 0;
    rc = groups_answer (&w->answer, &w->query, &j->result, &j->rules,
                        j->threads, err);
    readjob_leave ();
    return rc;
}

static struct textable *readtables_rows (const struct readtables_work *w,
                                         const struct readtables_asked *asked)
{
    struct textable *t = textable_create ();

    groups_columns (t, &w->query, &w->show);
    groups_rows (t, &w->query, &w->show, &w->answer, asked->top > 0,
                 asked->top);
    return t;
}

struct textable *readtables_query (struct readjob *j,
                                   const struct readtables_asked *asked,
                                   struct errtext *err)
{
    struct readtables_work *w = ZEROED (w, 1);
    struct textable *t = NULL;

    if (readtables_parse (w, asked, err) == 0 &&
        readtables_answer (w, j, err) == 0)
        t = readtables_rows (w, asked);
    readtables_clear (w);
    return t;
}

struct textable *readtables_view (struct readjob *j,
                                  const struct readtables_asked *asked,
                                  struct errtext *err)
{
    const char *word = asked->view;
    int view = view_parse (word);
    struct textable *t;

    if (view < 0) {
        const char *words[VIEW_COUNT + 1] = {NULL}, *near;

        for (int v = 0; v < VIEW_COUNT; v++)
            words[v] = view_table[v].word;
        near = nearest_word (word, words);
        errno = EINVAL;
        errf (err, "view: %s: no such table: %s%s%s dftrace help views", word,
              near ? "did you mean " : "", near ? near : "",
              near ? "? See" : "see");
        return NULL;
    }
    if (readtables_load (j, err) < 0)
        return NULL;
    t = view_make (&j->result, view, asked->top);
    readjob_leave ();
    return t;
}

/* --- the tree ---------------------------------------------------------------
 */

static int
readtables_tree_by (enum group_key *key, const char *by, struct errtext *err)
{
    static const enum group_key keys[] = {GROUP_host, GROUP_process,
                                          GROUP_thread, GROUP_rank};

    *key = GROUP_KEYS;
    if (!by)
        return 0;
    for (size_t i = 0; i < ITEMS (keys); i++)
        if (strcmp (group_key_table[keys[i]].word, by) == 0) {
            *key = keys[i];
            return 0;
        }
    errno = EINVAL;
    return errf (
        err, "by: %s: a tree begins with host, process, thread or rank", by);
}

struct textable *readtables_tree (struct readjob *j,
                                  const struct readtables_asked *asked,
                                  struct errtext *err)
{
    struct where where = {.terms = 0};
    struct calltree_asked q = {&where, GROUP_KEYS, &j->rules, j->threads};
    struct calltree tree;
    struct textable *t = NULL;

    if (readtables_where (&where, asked->where, err) == 0 &&
        readtables_tree_by (&q.by, asked->by, err) == 0) {
        errno = EINVAL;
        if (where_needs_context (&where))
            errf (err, "where: a tree does not know step and epoch; "
                       "arg.step is the argument of a region");
        else if (readtables_load (j, err) == 0) {
            errno = 0;
            if (calltree_make (&tree, readjob_job (j), &q, err) == 0) {
                t = textable_create ();
                treetable_columns (t, 0);
                treetable_rows (t, &tree, 0, 0, asked->top);
                calltree_clear (&tree);
            }
            readjob_leave ();
        }
    }
    where_clear (&where);
    return t;
}

/* --- metrics ----------------------------------------------------------------
 */

static void
readtables_metric (struct textable *t, const struct summary *s, enum metric m)
{
    const struct metric_info *info = &metric_table[m];
    struct metric_value v = metric_compute (s, m);

    textable_line (t, "%s", info->name);
    if (!v.known)
        textable_na (t);
    else if (info->digits == 0)
        textable_uint (t, v.whole);
    else
        textable_double (t, v.value, info->digits);
    textable_cells (t, "%s %s", info->unit, info->definition);
    if (v.known)
        textable_na (t);
    else
        textable_text (t, v.note ? v.note : "");
}

struct textable *readtables_metrics (struct readjob *j,
                                     const struct readtables_asked *asked,
                                     struct errtext *err)
{
    struct textable *t;

    if (readtables_load (j, err) < 0)
        return NULL;
    t = textable_create ();
    textable_columns (t, "metric value# unit definition");
    textable_column (t, "missing", "n/a because", "", 0);
    for (int m = 0; m < METRIC_COUNT; m++)
        readtables_metric (t, &j->summary, m);
    readjob_leave ();
    return t;
}
