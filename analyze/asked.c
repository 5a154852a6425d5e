/* SPDX-License-Identifier: MIT
 *
 * asked.c - a question of the command line, about one job -> its table
 *
 * In:  --by, --show, --view event, --view tree; a job that has been read
 * Out: a table on standard output, or rows of that of several jobs
 */
#include "config.h"

#include "analyze/tables/analyzeopts.h"
#include "analyze/facts/question.h"
#include "analyze/partialrun.h"
#include "analyze/tables/eventprint.h"
#include "analyze/tables/groups.h"
#include "analyze/tables/treetable.h"
#include "analyze/tables/views.h"
#include "lib/util/log.h"
#include "lib/util/terminal.h"
#include "lib/util/xalloc.h"

static const double asked_least = 0.01; /* of a tree, for people */

static int asked_for_people (const struct analyze_options *o)
{
    return o->format == TABLE_TEXT || o->format == TABLE_MARKDOWN;
}

/* Print the table, or add its rows to the others; it is then gone. */
static void
asked_show (const struct asked *a, const struct result *r, struct textable *t)
{
    if (a->all) {
        textable_append (a->all, t, "job", r->job->label);
        return;
    }
    if (a->o->format == TABLE_TEXT)
        terminal_page ();
    textable_print (t, stdout, a->o->format);
    textable_destroy (t);
}

/* --- groups --------------------------------------------------------------- */

int asked_alone (const struct analyze_options *o)
{
    return analyze_asks (o) && !o->events_asked && !o->tree_asked &&
           !o->baseline && !o->sqlite && !o->reduce && !o->tasks;
}

void asked_columns (const struct analyze_options *o, struct textable *t)
{
    groups_columns (t, &o->by, &o->show);
}

/* A number of rows that was said is one for all formats where measures were
 * said, too. */
static void asked_rows (const struct analyze_options *o,
                        struct textable *t,
                        const struct query_answer *groups)
{
    int all = !asked_for_people (o) &&
              !(o->top_given && (o->show.items || o->by_word));
    size_t top = all ? 0 : (size_t)o->top;

    groups_rows (t, &o->by, &o->show, groups, o->top_given, top);
}

char *asked_question (const struct analyze_options *o)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = xmemstream (&text, &n);

    for (int k = 0; k < o->by.keys; k++)
        fprintf (out, "by %s\n", query_key_word (&o->by.key[k]));
    fprintf (out, "every %llu ns, union %d\nshow %s\n",
             (unsigned long long)o->by.interval, o->by.running,
             o->show_word ? o->show_word : "");
    for (size_t i = 0; i < (size_t)o->conditions.count; i++)
        fprintf (out, "where %s\n", o->conditions.item[i]);
    fprintf (out, "trace part %d\n", o->trace_part);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        fprintf (out, "kind %s\n",
                 o->rules.patterns[kind] ? o->rules.patterns[kind] : "");
    xmemstream_end (out);
    return text;
}

static void asked_show_groups (const struct asked *a,
                               const struct result *r,
                               struct textable *t,
                               const struct query_answer *groups)
{
    const struct analyze_options *o = a->o;

    if (!a->crossed)
        asked_columns (o, t);
    asked_rows (o, t, groups);
    if (a->crossed)
        return;
    asked_show (a, r, t);
    if (!a->all && o->draw && !o->show.items)
        sketch_groups (groups, &o->by, stdout, sketch_width (), o->top);
}

static int asked_groups (const struct asked *a,
                         const struct result *r,
                         struct textable *t,
                         struct errtext *err)
{
    const struct analyze_options *o = a->o;
    struct query_answer made = {0};
    int rc = 0;

    if (o->reduce || o->tasks)
        partial_groups (&made, o, r);
    else if (!a->groups)
        rc = groups_answer (&made, &o->by, r, &o->rules, o->threads, err);

    if (rc == 0)
        asked_show_groups (a, r, t, a->groups ? a->groups : &made);
    query_answer_clear (&made);
    return rc;
}

/* --- events, trees -------------------------------------------------------- */

static int asked_tree (const struct asked *a,
                       const struct result *r,
                       struct textable *t,
                       struct errtext *err)
{
    const struct analyze_options *o = a->o;
    const struct calltree_asked asked = {&o->where, o->tree_by, &o->rules,
                                         o->threads};
    int people = asked_for_people (o);
    struct calltree tree;

    if (calltree_make (&tree, r->job, &asked, err) < 0)
        return -1;
    treetable_columns (t, people);
    treetable_rows (t, &tree, people, people && !o->top_given ? asked_least : 0,
                    o->top_given ? (size_t)o->top : 0);
    calltree_clear (&tree);
    asked_show (a, r, t);
    return 0;
}

static int asked_events (const struct asked *a,
                         const struct result *r,
                         struct textable *t,
                         struct errtext *err)
{
    eventrow_columns (t);
    if (eventtable_rows (t, &a->o->events, r, &a->o->rules, err) < 0)
        return -1;
    asked_show (a, r, t);
    return 0;
}

int asked_print (const struct asked *a, const struct result *r)
{
    int (*const answer) (const struct asked *, const struct result *,
                         struct textable *, struct errtext *) =
        a->o->tree_asked     ? asked_tree
        : a->o->events_asked ? asked_events
                             : asked_groups;
    struct textable *t =
        a->crossed && answer == asked_groups ? a->crossed : textable_create ();
    struct errtext err;

    if (answer (a, r, t, &err) == 0)
        return 0;
    log_error ("%s", err.text);
    if (t != a->crossed)
        textable_destroy (t);
    return -1;
}
