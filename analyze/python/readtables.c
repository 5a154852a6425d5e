/* SPDX-License-Identifier: MIT
 *
 * readtables.c - questions about a job -> tables
 *
 * In:  words, as the command line of dftrace analyze has them
 * Out: struct textable, by the same functions
 */
#include "config.h"

#include "analyze/python/readtables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/show.h"
#include "analyze/tables/treetable.h"
#include "analyze/tables/groups.h"
#include "analyze/tables/views.h"

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

    query_answers_clear (&w->answer, 1);
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
    q->measures = QUERY_UNION;
    q->interval = asked->interval;
    if (readtables_where (&w->where, asked->where, err) < 0)
        return -1;
    if (asked->by && query_parse_keys (q, asked->by, &why) < 0)
        return readtables_wrong (err, "by", &why);
    if (asked->show && show_parse (&w->show, q, asked->show, &why) < 0)
        return readtables_wrong (err, "show", &why);
    if (asked->sort && !asked->show) {
        (void)errf (&why, "%s: say with show what there is to sort by",
                    asked->sort);
        return readtables_wrong (err, "sort", &why);
    }
    if (asked->sort && show_parse_sort (&w->show, q, asked->sort, &why) < 0)
        return readtables_wrong (err, "sort", &why);
    if (query_has_key (q, GROUP_configuration)) {
        (void)errf (&why, "configuration: of several jobs only: use dftrace "
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

static struct textable *
readtables_done (struct readjob *j, struct textable *t, struct errtext *err)
{
    if (!t) {
        errno = ENOMEM;
        (void)errf (err, "%s: out of memory", readjob_job (j)->label);
    }
    return t;
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

    if (!t)
        return NULL;
    groups_columns (t, &w->query, &w->show);
    groups_rows (t, &w->query, &w->show, &w->answer, asked->top > 0,
                 asked->top);
    return t;
}

struct textable *readtables_query (struct readjob *j,
                                   const struct readtables_asked *asked,
                                   struct errtext *err)
{
    struct readtables_work *w = calloc (1, sizeof (*w));
    struct textable *t = NULL;

    if (!w)
        return readtables_done (j, NULL, err);
    if (readtables_parse (w, asked, err) == 0 &&
        readtables_answer (w, j, err) == 0)
        t = readtables_done (j, readtables_rows (w, asked), err);
    readtables_clear (w);
    return t;
}

struct textable *readtables_view (struct readjob *j,
                                  const char *word,
                                  size_t top,
                                  struct errtext *err)
{
    int view = view_parse (word);
    struct textable *t;

    if (view < 0) {
        errno = EINVAL;
        (void)errf (err, "view: %s: no such table: see dftrace help views",
                    word);
        return NULL;
    }
    if (readtables_load (j, err) < 0)
        return NULL;
    t = readtables_done (j, view_make (&j->result, (enum view)view, top), err);
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
    for (size_t i = 0; i < sizeof (keys) / sizeof (keys[0]); i++)
        if (strcmp (group_key_table[keys[i]].word, by) == 0) {
            *key = keys[i];
            return 0;
        }
    errno = EINVAL;
    return errf (
        err, "by: %s: a tree begins with host, process, thread or rank", by);
}

static struct textable *readtables_paths (struct readjob *j,
                                          const struct calltree *tree,
                                          size_t top,
                                          struct errtext *err)
{
    struct textable *t = textable_create ();

    if (t) {
        treetable_columns (t, 0);
        if (treetable_rows (t, tree, 0, 0, top) < 0) {
            textable_destroy (t);
            t = NULL;
        }
    }
    return readtables_done (j, t, err);
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
            (void)errf (err, "where: a tree does not know step and epoch; "
                             "arg.step is the argument of a region");
        else if (readtables_load (j, err) == 0) {
            errno = 0;
            if (calltree_make (&tree, readjob_job (j), &q, err) == 0) {
                t = readtables_paths (j, &tree, asked->top, err);
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

    textable_row (t);
    textable_text (t, info->name);
    if (!v.known)
        textable_na (t);
    else if (info->digits == 0)
        textable_uint (t, v.whole);
    else
        textable_double (t, v.value, info->digits);
    textable_text (t, info->unit);
    textable_text (t, info->definition);
    if (v.known)
        textable_na (t);
    else
        textable_text (t, v.note ? v.note : "");
}

struct textable *readtables_metrics (struct readjob *j, struct errtext *err)
{
    struct textable *t;

    if (readtables_load (j, err) < 0)
        return NULL;
    if ((t = textable_create ())) {
        textable_column (t, "metric", "metric", "", 0);
        textable_column (t, "value", "value", "", 1);
        textable_column (t, "unit", "unit", "", 0);
        textable_column (t, "definition", "definition", "", 0);
        textable_column (t, "missing", "n/a because", "", 0);
        for (int m = 0; m < METRIC_COUNT; m++)
            readtables_metric (t, &j->summary, (enum metric)m);
    }
    readjob_leave ();
    return readtables_done (j, t, err);
}
