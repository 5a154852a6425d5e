/* SPDX-License-Identifier: MIT
 *
 * spec_sections.c - trace, control, retry, data, results, check -> struct spec
 */
#include "config.h"

#include <ctype.h>
#include <regex.h>

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/util/optparse.h"
#include "sweep/spec/value.h"
#include "sweep/spec/sbatch.h"
#include "sweep/spec/spec_read.h"

static const struct {
    const char *word;
    enum outcome_class class;
} outcomes[] = {
    [OUTCOME_DONE] = {"done", OUTCOME_GOOD},
    [OUTCOME_RUNNING] = {"running", OUTCOME_OPEN},
    [OUTCOME_QUEUED] = {"queued", OUTCOME_OPEN},
    [OUTCOME_FAILED] = {"failed", OUTCOME_BAD},
    [OUTCOME_BAD_TRACE] = {"bad-trace", OUTCOME_BAD},
    [OUTCOME_TIMEOUT] = {"timeout", OUTCOME_BAD},
    [OUTCOME_CANCELLED] = {"cancelled", OUTCOME_BAD},
    [OUTCOME_PREEMPTED] = {"preempted", OUTCOME_BAD},
    [OUTCOME_OUT_OF_MEMORY] = {"out-of-memory", OUTCOME_BAD},
    [OUTCOME_NODE_FAIL] = {"node-fail", OUTCOME_BAD},
    [OUTCOME_STOPPED] = {"stopped", OUTCOME_BAD},
    [OUTCOME_LOST] = {"lost", OUTCOME_BAD},
    [OUTCOME_MISSING] = {"missing", OUTCOME_BAD},
};

const char *outcome_word (enum outcome o)
{
    return outcomes[o].word;
}

enum outcome_class outcome_class (enum outcome o)
{
    return outcomes[o].class;
}

static void
layers_set (struct reader *r, const struct ynode *n, const char *text)
{
    struct errtext err;
    unsigned layers;
    char buf[256];

    if (layers_parse (text, &layers, &err) < 0)
        reader_fail (r, n, 0, "trace: %s", err.text);
    layers_format (layers, buf, sizeof (buf));
    r->spec->layers = layers & LAYER_OFF ? NULL : arena_text (text);
}

static void read_layers (struct reader *r, const struct ynode *n)
{
    const char *text = "";

    if (n->type == YNODE_SCALAR && !n->quoted && !strcmp (n->text, "false")) {
        layers_set (r, n, "off");
        return;
    }
    if (n->type == YNODE_SCALAR) {
        layers_set (r, n, n->text);
        return;
    }
    if (n->type != YNODE_LIST)
        reader_fail (r, n, 0, "trace: layers are text or a list");
    for (size_t i = 0; i < n->count; i++) {
        if (n->item[i]->type != YNODE_SCALAR)
            reader_fail (r, n->item[i], 0, "a layer should be here");
        text = arena_format ("%s%s%s", text, i ? "," : "", n->item[i]->text);
    }
    layers_set (r, n, text);
}

static void
tracing_add (struct reader *r, const char *key, const struct ynode *n)
{
    struct spec *s = r->spec;
    struct named_template *t;

    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0, "trace: %s: a value should be here", key);
    s->tracing = arena_grow (s->tracing, s->tracings, sizeof (*t));
    t = &s->tracing[s->tracings];
    t->name = key;
    t->node = n;
    t->template = reader_template (r, n);
    s->tracings++;
}

/* Keys that are not of the sweep are settings of the tracer, but for its
 * directory, which the sweep sets. */
static void read_tracing (struct reader *r, const struct ynode *n)
{
    for (size_t i = 0; i < n->count; i++) {
        const char *key = n->key[i]->text;
        const struct ynode *item = n->item[i];

        if (!strcmp (key, "layers") || !strcmp (key, "check"))
            continue;
        if (!strcmp (key, "job_dir") || !strcmp (key, "log_root"))
            reader_fail (r, n->key[i], 0,
                         "trace: %s is set by the sweep itself", key);
        key = arena_text (key);
        for (size_t k = 0; k < reader_count (item); k++)
            tracing_add (r, key, reader_item (item, k));
    }
}

void reader_trace (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "trace"), *layers, *check;

    r->spec->layers = "posix,app";
    r->spec->trace_check = 1;
    if (!n || reader_is_null (n))
        return;
    if (n->type != YNODE_MAP) {
        read_layers (r, n);
        return;
    }
    reader_keys (r, SECTION_TRACE, n);
    layers = ynode_get (n, "layers");
    if (layers)
        read_layers (r, layers);
    check = ynode_get (n, "check");
    if (check && strcmp (check->text, "complete") &&
        strcmp (check->text, "none"))
        reader_fail (r, check, 0,
                     "check: \"%s\" is neither complete "
                     "nor none",
                     check->text);
    r->spec->trace_check = !check || !strcmp (check->text, "complete");
    read_tracing (r, n);
}

static int read_truth (struct reader *r,
                       const struct ynode *map,
                       const char *key,
                       int fallback)
{
    const struct ynode *n = ynode_get (map, key);

    if (!n)
        return fallback;
    if (n->quoted || (strcmp (n->text, "true") && strcmp (n->text, "false")))
        reader_fail (r, n, 0, "%s: \"%s\" is neither true nor false", key,
                     n->text);
    return !strcmp (n->text, "true");
}

void reader_control (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "control"), *where;
    struct spec *s = r->spec;

    if (!n)
        return;
    if (!s->layers)
        reader_fail (r, n, 0,
                     "control: is the untraced run of a pair, "
                     "and trace is off");
    reader_keys (r, SECTION_CONTROL, n);
    s->control.repeats =
        (int)reader_integer (r, n, "repeats", 1, s->repeats, s->repeats);
    s->control.paired = read_truth (r, n, "paired", 1);
    s->control.wanted = 1;
    where = ynode_get (n, "where");
    if (!where)
        return;
    s->control.wheres = 1;
    s->control.where = arena_array (1, sizeof (*s->control.where));
    reader_expr (r, where, r->columns, s->control.where);
}

/* "node_fail" or "node-fail" */
static void retry_state (struct reader *r, const struct ynode *n)
{
    const char *names[OUTCOME_COUNT + 1];
    char word[32];
    size_t count = 0;

    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0, "on: a state should be here");
    FORMAT (word, "%s", n->text);
    for (char *p = word; *p; p++)
        if (*p == '_')
            *p = '-';
    for (int o = 0; o < OUTCOME_COUNT; o++) {
        if (outcome_class (o) != OUTCOME_BAD)
            continue;
        names[count++] = outcome_word (o);
        if (!strcmp (names[count - 1], word)) {
            r->spec->retry.on |= 1u << o;
            return;
        }
    }
    names[count] = NULL;
    reader_fail (r, n, 0, "on: \"%s\" is no bad end of a run%s", n->text,
                 reader_guess (nearest_word (word, names)));
}

static void retry_grow (struct reader *r, const struct ynode *n)
{
    struct retry *t = &r->spec->retry;
    struct errtext err;
    double time, mem;

    for (size_t i = 0; n && i < n->count; i++) {
        const struct ynode *factor = n->item[i];
        const char *text =
            arena_format ("%s=%s", n->key[i]->text,
                          factor->type == YNODE_SCALAR ? factor->text : "?");

        if (grow_parse (text, &time, &mem, &err) < 0)
            reader_fail (r, n->key[i], 0, "grow: %s", err.text);
        if (time > 0)
            t->grow_time = time;
        if (mem > 0)
            t->grow_mem = mem;
    }
}

void reader_retry (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "retry"), *on;

    if (!n)
        return;
    reader_keys (r, SECTION_RETRY, n);
    r->spec->retry.times = (int)reader_integer (r, n, "times", 1, 100, 1);
    retry_grow (r, ynode_get (n, "grow"));
    on = ynode_get (n, "on");
    for (size_t i = 0; i < reader_count (on); i++)
        retry_state (r, reader_item (on, i));
}

void reader_data (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "data");
    struct spec *s = r->spec;
    size_t count = reader_count (n);

    s->cold = read_truth (r, r->root, "cold", 0);
    if (s->cold && !count)
        reader_fail (r, ynode_get (r->root, "cold"), 0,
                     "cold: of which files? `data:` names them");
    s->data = arena_array (count + 1, sizeof (*s->data));
    for (size_t i = 0; i < count; i++) {
        s->data[i].name = "data";
        s->data[i].node = reader_item (n, i);
        s->data[i].template = reader_template (r, s->data[i].node);
    }
    s->datas = count;
}

/* ---- results: metrics, scrape, compare, group -> struct spec ---- */

void reader_metric (struct reader *r, const struct ynode *n, const char *what)
{
    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0, "a metric's name should be here");
    if (column_find (n->text) >= 0)
        return;
    for (size_t i = 0; i < r->spec->scrapes; i++)
        if (!strcmp (r->spec->scrape[i].name, n->text))
            return;
    reader_fail (r, n, 0, "%s: unknown metric \"%s\"%s", what, n->text,
                 reader_guess (column_near (n->text)));
}

/* "step_ms": as the names of columns, and no metric of ours. */
static void scrape_name (struct reader *r, const struct ynode *key)
{
    const char *p = key->text;

    if (!*p || p[strspn (p, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
        reader_fail (r, key, 0,
                     "scrape: \"%s\": a name is of letters, digits "
                     "and _",
                     p);
    if (column_find (p) >= 0)
        reader_fail (r, key, 0,
                     "scrape: %s is measured already: choose another "
                     "name",
                     p);
}

/* A class of Perl and Python as POSIX has it, inside of [ ] or outside; NULL:
 * none. Outside, the C library has all but \d. */
static const char *scrape_class (char letter, int inside)
{
    switch (letter) {
    case 'd':
        return inside ? "0-9" : "[0-9]";
    case 'D':
        return inside ? NULL : "[^0-9]";
    case 's':
        return inside ? "[:space:]" : "\\s";
    case 'w':
        return inside ? "[:alnum:]_" : "\\w";
    case 't':
        return "\t";
    case 'S':
        return inside ? NULL : "\\S";
    case 'W':
        return inside ? NULL : "\\W";
    case 'b':
        return inside ? NULL : "\\b";
    case 'B':
        return inside ? NULL : "\\B";
    default:
        return NULL;
    }
}

/* Translate a regular expression of Perl or Python to an extended one of POSIX
 * with the same meaning. Return -1 and err where there is none. */
static char *scrape_translate (struct reader *r, const struct ynode *n)
{
    char *out = arena_alloc (strlen (n->text) * 12 + 1), *to = out;
    int inside = 0;

    for (const char *p = n->text; *p; p++) {
        const char *class = NULL;
        size_t at = p - n->text;

        if (*p == '\\' && isalpha ((unsigned char)p[1])) {
            class = scrape_class (p[1], inside);
            if (!class)
                reader_fail (r, n, at,
                             "scrape: \\%c is not known%s: write the "
                             "characters, as in [0-9]",
                             p[1], inside ? " inside of [ ]" : "");
            to = stpcpy (to, class);
            p++;
            continue;
        }
        if (!inside && at && *p == '?' && strchr ("*+?}", p[-1]) &&
            !(at > 1 && p[-2] == '\\'))
            reader_fail (r, n, at,
                         "scrape: %c? (as few as possible) is not "
                         "known: say what the text cannot have, as in "
                         "[^ ]*",
                         p[-1]);
        if (!inside && *p == '(' && p[1] == '?')
            reader_fail (r, n, at,
                         "scrape: (? is not known: exactly one ( ) "
                         "marks the number");
        if (*p == '\\' && p[1]) {
            if (!inside || p[1] == '\\')
                *to++ = *p;
            if (!(inside && p[1] == '\\'))
                *to++ = p[1];
            p++;
            continue;
        }
        if (*p == '[' && !inside) {
            inside = 1;
            *to++ = *p;
            if (p[1] == '^')
                *to++ = *++p;
            if (p[1] == ']')
                *to++ = *++p;
            continue;
        }
        if (*p == '[' && inside && p[1] && strchr (":.=", p[1])) {
            const char *end = strchr (p + 2, ']');

            while (end && p < end)
                *to++ = *p++;
        } else if (*p == ']') {
            inside = 0;
        }
        *to++ = *p;
    }
    return out;
}

static const char *scrape_regex (struct reader *r, const struct ynode *n)
{
    char text[256], *posix;
    const char *why;
    regex_t regex;
    size_t groups;
    int rc;

    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0,
                     "scrape: a regular expression should be "
                     "here");
    posix = scrape_translate (r, n);
    if ((why = regex_bound (posix)))
        reader_fail (r, n, 0, "scrape: %s: %s", n->text, why);
    rc = regcomp (&regex, posix, REG_EXTENDED | REG_NEWLINE);
    if (rc) {
        regerror (rc, &regex, text, sizeof (text));
        reader_fail (r, n, 0, "scrape: %s: %s", n->text, text);
    }
    groups = regex.re_nsub;
    regfree (&regex);
    if (groups != 1)
        reader_fail (r, n, 0,
                     "scrape: %s: has %zu groups: exactly one ( ) "
                     "marks the number",
                     n->text, groups);
    return posix;
}

static void read_scrape (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;

    if (!n)
        return;
    s->scrape = arena_array (n->count + 1, sizeof (*s->scrape));
    for (size_t i = 0; i < n->count; i++) {
        scrape_name (r, n->key[i]);
        s->scrape[i].regex = scrape_regex (r, n->item[i]);
        s->scrape[i].name = arena_text (n->key[i]->text);
        s->scrapes++;
    }
}

size_t axis_find (const struct axis *x, const char *text)
{
    for (int as_number = 0; as_number <= 1; as_number++)
        for (size_t i = 0; i < x->count; i++)
            if (value_is_called (&x->value[i], text, as_number))
                return i;
    return x->count;
}

static int axis_of (struct reader *r, const struct ynode *n)
{
    const struct spec *s = r->spec;
    const char **names = arena_array (s->axes + 1, sizeof (*names));

    for (size_t i = 0; i < s->axes; i++) {
        names[i] = s->axis[i].name;
        if (n->type == YNODE_SCALAR && !strcmp (n->text, names[i]))
            return (int)i;
    }
    if (n->type != YNODE_SCALAR)
        reader_fail (r, n, 0, "the name of an axis should be here");
    reader_fail (r, n, 0, "\"%s\" is no axis%s", n->text,
                 reader_guess (nearest_word (n->text, names)));
}

static struct value
axis_value (struct reader *r, int axis, const struct ynode *n)
{
    const struct axis *a = &r->spec->axis[axis];
    size_t i = n->type == YNODE_SCALAR ? axis_find (a, n->text) : a->count;

    if (i >= a->count)
        reader_fail (r, n, 0, "%s: a value of the axis should be here",
                     a->name);
    return a->value[i];
}

static void read_compare (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;

    if (!n)
        return;
    s->compare = arena_array (n->count + 1, sizeof (*s->compare));
    for (size_t i = 0; i < n->count; i++) {
        struct compare *c = &s->compare[i];
        const struct ynode *two = n->item[i];

        c->axis = axis_of (r, n->key[i]);
        if (two->type != YNODE_LIST || two->count != 2)
            reader_fail (r, two, 0,
                         "compare: two values should be here, as in "
                         "[mmap, direct]");
        c->left = axis_value (r, c->axis, two->item[0]);
        c->right = axis_value (r, c->axis, two->item[1]);
        s->compares++;
    }
}

static void read_group (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;

    s->groups = reader_count (n);
    s->group = arena_array (s->groups + 1, sizeof (*s->group));
    for (size_t i = 0; i < s->groups; i++)
        s->group[i] = axis_of (r, reader_item (n, i));
}

/* An axis, and the value of it that the others are compared with. */
static void read_baseline (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;

    if (!n)
        return;
    s->baseline = arena_array (n->count + 1, sizeof (*s->baseline));
    for (size_t i = 0; i < n->count; i++) {
        struct compare *c = &s->baseline[i];

        c->axis = axis_of (r, n->key[i]);
        c->left = axis_value (r, c->axis, n->item[i]);
        s->baselines++;
    }
}

/* "read_time", or {metric: read_time, x: seq, by: access} */
static void read_plot (struct reader *r, const struct ynode *n, struct plot *p)
{
    const struct ynode *metric = n, *x, *by;

    p->x = p->by = -1;
    if (n->type == YNODE_LIST)
        reader_fail (r, n, 0,
                     "plots: a metric, or {metric: …, x: …, by: …}, "
                     "should be here");
    if (n->type == YNODE_MAP) {
        reader_keys (r, SECTION_PLOT, n);
        metric = ynode_get (n, "metric");
        x = ynode_get (n, "x");
        by = ynode_get (n, "by");
        if (x)
            p->x = axis_of (r, x);
        if (by)
            p->by = axis_of (r, by);
        if (x && by && p->x == p->by)
            reader_fail (r, by, 0, "plots: x and by are the same axis");
    }
    reader_metric (r, metric, "metrics");
    p->metric = arena_text (column_name (metric->text));
}

static void read_plots (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;
    size_t count = reader_count (n);

    s->plot = arena_array (count + 1, sizeof (*s->plot));
    for (; s->plots < count; s->plots++)
        read_plot (r, reader_item (n, s->plots), &s->plot[s->plots]);
}

static void read_metrics (struct reader *r, const struct ynode *n)
{

    if (!n)
        return;
    if (n->type != YNODE_LIST)
        reader_fail (r, n, 0, "metrics: a list should be here");
    r->spec->metrics_node = n;
    r->spec->metrics = arena_array (n->count + 1, sizeof (char *));
    for (size_t i = 0; i < n->count; i++) {
        reader_metric (r, n->item[i], "metrics");
        r->spec->metrics[i] = arena_text (column_name (n->item[i]->text));
    }
}

void reader_results (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "results");

    if (!n)
        return;
    reader_keys (r, SECTION_RESULTS, n);
    read_scrape (r, ynode_get (n, "scrape"));
    read_compare (r, ynode_get (n, "compare"));
    read_baseline (r, ynode_get (n, "baseline"));
    read_group (r, ynode_get (n, "group"));
    read_plots (r, ynode_get (n, "plots"));
    read_metrics (r, ynode_get (n, "metrics"));
}
