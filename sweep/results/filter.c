/* SPDX-License-Identifier: MIT
 *
 * filter.c - what the user asks for -> the rows of a report
 */
#include "config.h"

#include <fnmatch.h>

#include "lib/util/optparse.h"
#include "sweep/results/filter.h"

/* Names beside the columns of the sweep. */
enum { OWN_REPEAT, OWN_CONTROL, OWN_ATTEMPT, OWN_LABEL, OWN_NAMES };
static const char *const own_names[] = {"repeat", "control", "attempt",
                                        "label"};

struct filter {
    struct sweepdir *sweep;
    struct expr *where; /* or NULL */
    size_t *place;      /* of the own names; the columns come first */
    struct value *value;
    const char *only;
    char *const *word;
    int words;
    char *used;        /* per word */
    int wrong;         /* exit status for a wrong filter */
    const char *text;  /* of where */
    const char *label; /* of the point that it is evaluated at, or NULL */
};

static void filter_mistake (void *filter, size_t offset, const char *problem)
{
    const struct filter *f = filter;

    if (f->label)
        die_with (f->wrong, "--where: %s (at %s)", problem, f->label);
    die_with (f->wrong, "--where: %s: at \"%s\"", problem, f->text + offset);
}

int filter_used (const struct filter_options *o)
{
    return o->where || o->only || o->words;
}

static void parse_where (struct filter *f, const char *text)
{
    const struct mistakes m = {filter_mistake, f, 0};
    const struct spec *s = f->sweep->spec;
    const char **names =
        arena_array (s->columns + OWN_NAMES + 1, sizeof (*names));

    if (!text)
        return;
    memcpy (names, s->column, s->columns * sizeof (*names));
    memcpy (names + s->columns, own_names, sizeof (own_names));
    f->value = arena_array (s->columns + OWN_NAMES + 1, sizeof (*f->value));
    f->text = text;
    f->where = expr_parse (text, NULL, &m);
    expr_bind (f->where, names, &m);
}

static int is_true (struct filter *f, const struct run_report *x)
{
    const struct mistakes m = {filter_mistake, f, 0};
    struct sweepdir *d = f->sweep;
    size_t n = d->spec->columns;
    const struct point *p = &d->grid->point[x->run.point];
    struct value v;

    if (!f->where)
        return 1;
    f->label = p->label;
    memcpy (f->value, p->column, n * sizeof (*f->value));
    f->value[n + OWN_REPEAT] = value_int (x->run.repeat);
    f->value[n + OWN_CONTROL] = value_bool (x->run.control);
    f->value[n + OWN_ATTEMPT] = value_int (x->attempt);
    f->value[n + OWN_LABEL] = value_str (p->label);
    v = expr_eval (f->where, f->value, &m);
    if (v.type != VALUE_BOOL)
        die_with (f->wrong, "--where: is %s: a condition is true or false",
                  value_type_words (v.type));
    return (int)v.integer;
}

/* -- states ------------------------------------------------------------ */

static const char *const class_words[] = {"good", "open", "bad"};

static void check_only (struct filter *f)
{
    const char *names[OUTCOME_COUNT + 4];
    const char *p = f->only;
    size_t n = 0;

    for (int o = 0; o < OUTCOME_COUNT; o++)
        names[n++] = outcome_word (o);
    for (int c = 0; c < 3; c++)
        names[n++] = class_words[c];
    names[n] = NULL;
    while (p && *p) {
        const char *word = arena_copy (p, strcspn (p, ","));
        const char *near = nearest_word (word, names);
        size_t i = 0;

        while (names[i] && strcmp (names[i], word))
            i++;
        if (!names[i])
            die_with (f->wrong, "--only: %s: no such state%s%s%s", word,
                      near ? ": did you mean \"" : "", near ? near : "",
                      near ? "\"?" : "");
        p += strlen (word);
        p += *p == ',';
    }
}

static int has_word (const char *list, const char *word)
{
    size_t n = strlen (word);

    for (const char *p = list; (p = strstr (p, word)); p += n)
        if ((p == list || p[-1] == ',') && (!p[n] || p[n] == ','))
            return 1;
    return 0;
}

static int is_wanted_state (const struct filter *f, enum outcome o)
{
    return !f->only || has_word (f->only, outcome_word (o)) ||
           has_word (f->only, class_words[outcome_class (o)]);
}

/* -- words ------------------------------------------------------------- */

static int is_called (const struct sweepdir *d, struct run r, const char *word)
{
    const struct point *p = &d->grid->point[r.point];

    return !fnmatch (word, p->id, 0) || !fnmatch (word, p->label, 0) ||
           !fnmatch (word, run_id (d->grid, r), 0) ||
           !fnmatch (word, arena_format ("%s.%s", p->label, p->id), 0) ||
           !fnmatch (word,
                     arena_format ("%s.%s", p->label, run_id (d->grid, r)),
                     0) ||
           !fnmatch (word,
                     arena_format ("%s.r%d%s", p->label, r.repeat,
                                   r.control ? "c" : ""),
                     0);
}

static int filter_is_named (struct filter *f, struct run r)
{
    int named = !f->words;

    for (int i = 0; i < f->words; i++)
        if (is_called (f->sweep, r, f->word[i]))
            named = f->used[i] = 1;
    return named;
}

void filter_report (struct sweepdir *d,
                    const struct filter_options *o,
                    int wrong,
                    struct sweep_report *r)
{
    struct filter f = {.sweep = d,
                       .only = o->only,
                       .word = o->word,
                       .words = o->words,
                       .used = arena_alloc ((size_t)o->words + 1),
                       .wrong = wrong};
    size_t used = 0;

    if (!filter_used (o))
        return;
    parse_where (&f, o->where);
    check_only (&f);
    for (size_t i = 0; i < r->count; i++) {
        int truth = is_true (&f, &r->run[i]);

        if (filter_is_named (&f, r->run[i].run) && truth &&
            is_wanted_state (&f, r->run[i].outcome))
            r->run[used++] = r->run[i];
    }
    for (int i = 0; i < f.words; i++)
        if (!f.used[i])
            die_with (wrong,
                      "%s: no such run: give a run id, a point id or a label "
                      "of `dftrace sweep status %s --format json`",
                      f.word[i], d->path);
    r->count = used;
    if (r->row)
        memset (r->row, 0, d->grid->count * r->repeats * 2 * sizeof (*r->row));
    status_count (r);
}

struct run *filter_runs (struct sweepdir *d,
                         const struct filter_options *o,
                         int wrong,
                         size_t limit,
                         size_t *runs)
{
    struct sweep_report r = {.count = d->layout->runs};
    struct run *run;

    r.run = arena_array (r.count + 1, sizeof (*r.run));
    for (size_t i = 0; i < r.count; i++) {
        r.run[i].run = d->layout->run[i];
        r.run[i].attempt = -1;
        r.run[i].outcome = OUTCOME_QUEUED;
        r.run[i].reason = "";
    }
    filter_report (d, o, wrong, &r);
    if (limit && limit < r.count)
        r.count = limit;
    run = arena_array (r.count + 1, sizeof (*run));
    for (size_t i = 0; i < r.count; i++)
        run[i] = r.run[i].run;
    *runs = r.count;
    return run;
}
