/* SPDX-License-Identifier: MIT
 *
 * spec_results.c - results: metrics, scrape, compare, group -> struct spec
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <string.h>

#include "lib/util/optparse.h"
#include "sweep/results/columns.h"
#include "sweep/spec/spec_read.h"

int reader_metric (const struct reader *r,
                   const struct ynode *n,
                   const char *what)
{
    const char *near;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "a metric's name should be here");
    if (column_find (n->text) >= 0)
        return 0;
    for (size_t i = 0; i < r->spec->scrapes; i++)
        if (!strcmp (r->spec->scrape[i].name, n->text))
            return 0;
    near = column_near (n->text);
    if (near)
        return reader_fail (r, n, 0,
                            "%s: unknown metric \"%s\" (did you mean "
                            "\"%s\"?)",
                            what, n->text, near);
    return reader_fail (r, n, 0, "%s: unknown metric \"%s\"", what, n->text);
}

/* "step_ms": as the names of columns, and no metric of ours. */
static int scrape_name (struct reader *r, const struct ynode *key)
{
    const char *p = key->text;

    if (!*p || p[strspn (p, "abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
        return reader_fail (r, key, 0,
                            "scrape: \"%s\": a name is of letters, digits "
                            "and _",
                            p);
    if (column_find (p) >= 0)
        return reader_fail (r, key, 0,
                            "scrape: %s is measured already: choose another "
                            "name",
                            p);
    return 0;
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

/* What a user of Perl or Python writes -> an extended regular expression of
 * POSIX with the same meaning. Where there is none, -1 and err. */
static int
scrape_translate (struct reader *r, const struct ynode *n, char **out)
{
    char *to = arena_alloc (r->spec->arena, strlen (n->text) * 12 + 1);
    int inside = 0;

    *out = to;
    for (const char *p = n->text; *p; p++) {
        const char *class = NULL;
        size_t at = (size_t)(p - n->text);

        if (*p == '\\' && isalpha ((unsigned char)p[1])) {
            class = scrape_class (p[1], inside);
            if (!class)
                return reader_fail (r, n, at,
                                    "scrape: \\%c is not known%s: write the "
                                    "characters, as in [0-9]",
                                    p[1], inside ? " inside of [ ]" : "");
            to = stpcpy (to, class);
            p++;
            continue;
        }
        if (!inside && at && *p == '?' && strchr ("*+?}", p[-1]) &&
            !(at > 1 && p[-2] == '\\'))
            return reader_fail (r, n, at,
                                "scrape: %c? (as few as possible) is not "
                                "known: say what the text cannot have, as in "
                                "[^ ]*",
                                p[-1]);
        if (!inside && *p == '(' && p[1] == '?')
            return reader_fail (r, n, at,
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
    *to = '\0';
    return 0;
}

static int
scrape_regex (struct reader *r, const struct ynode *n, const char **out)
{
    char text[256], *posix;
    regex_t regex;
    size_t groups;
    int rc;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0,
                            "scrape: a regular expression should be "
                            "here");
    if (scrape_translate (r, n, &posix) < 0)
        return -1;
    rc = regcomp (&regex, posix, REG_EXTENDED | REG_NEWLINE);
    if (rc) {
        (void)regerror (rc, &regex, text, sizeof (text));
        return reader_fail (r, n, 0, "scrape: %s: %s", n->text, text);
    }
    groups = regex.re_nsub;
    regfree (&regex);
    if (groups != 1)
        return reader_fail (r, n, 0,
                            "scrape: %s: has %zu groups: exactly one ( ) "
                            "marks the number",
                            n->text, groups);
    *out = posix;
    return 0;
}

static int read_scrape (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;

    if (!n)
        return 0;
    s->scrape = arena_array (s->arena, n->count + 1, sizeof (*s->scrape));
    for (size_t i = 0; i < n->count; i++) {
        if (scrape_name (r, n->key[i]) < 0 ||
            scrape_regex (r, n->item[i], &s->scrape[i].regex) < 0)
            return -1;
        s->scrape[i].name = arena_text (s->arena, n->key[i]->text);
        s->scrapes++;
    }
    return 0;
}

size_t axis_find (struct arena *a, const struct axis *x, const char *text)
{
    for (int as_number = 0; as_number <= 1; as_number++)
        for (size_t i = 0; i < x->count; i++)
            if (value_is_called (a, &x->value[i], text, as_number))
                return i;
    return x->count;
}

static int axis_of (struct reader *r, const struct ynode *n, int *axis)
{
    const struct spec *s = r->spec;
    const char *near;
    const char **names = arena_array (s->arena, s->axes + 1, sizeof (*names));

    for (size_t i = 0; i < s->axes; i++) {
        names[i] = s->axis[i].name;
        if (n->type == YNODE_SCALAR && !strcmp (n->text, names[i])) {
            *axis = (int)i;
            return 0;
        }
    }
    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "the name of an axis should be here");
    near = nearest_word (n->text, names);
    return reader_fail (r, n, 0, "\"%s\" is no axis%s%s%s", n->text,
                        near ? " (did you mean \"" : "", near ? near : "",
                        near ? "\"?)" : "");
}

static int
axis_value (struct reader *r, int axis, const struct ynode *n, struct value *v)
{
    const struct axis *a = &r->spec->axis[axis];
    size_t i = n->type == YNODE_SCALAR ? axis_find (r->spec->arena, a, n->text)
                                       : a->count;

    if (i < a->count) {
        *v = a->value[i];
        return 0;
    }
    return reader_fail (r, n, 0,
                        "%s: a value of the axis should be "
                        "here",
                        a->name);
}

static int read_compare (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;

    if (!n)
        return 0;
    s->compare = arena_array (s->arena, n->count + 1, sizeof (*s->compare));
    for (size_t i = 0; i < n->count; i++) {
        struct compare *c = &s->compare[i];
        const struct ynode *two = n->item[i];

        if (axis_of (r, n->key[i], &c->axis) < 0)
            return -1;
        if (two->type != YNODE_LIST || two->count != 2)
            return reader_fail (r, two, 0,
                                "compare: two values should be here, as in "
                                "[mmap, direct]");
        if (axis_value (r, c->axis, two->item[0], &c->left) < 0 ||
            axis_value (r, c->axis, two->item[1], &c->right) < 0)
            return -1;
        s->compares++;
    }
    return 0;
}

static int read_group (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;
    size_t count = n && n->type == YNODE_LIST ? n->count : n != NULL;

    s->group = arena_array (s->arena, count + 1, sizeof (*s->group));
    for (size_t i = 0; i < count; i++)
        if (axis_of (r, n->type == YNODE_LIST ? n->item[i] : n, &s->group[i]) <
            0)
            return -1;
    s->groups = count;
    return 0;
}

/* An axis, and the value of it that the others are compared with. */
static int read_baseline (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;

    if (!n)
        return 0;
    s->baseline = arena_array (s->arena, n->count + 1, sizeof (*s->baseline));
    for (size_t i = 0; i < n->count; i++) {
        struct compare *c = &s->baseline[i];

        if (axis_of (r, n->key[i], &c->axis) < 0 ||
            axis_value (r, c->axis, n->item[i], &c->left) < 0)
            return -1;
        s->baselines++;
    }
    return 0;
}

/* "read_time", or {metric: read_time, x: seq, by: access} */
static int read_plot (struct reader *r, const struct ynode *n, struct plot *p)
{
    const struct ynode *metric = n, *x, *by;

    p->x = p->by = -1;
    if (n->type == YNODE_LIST)
        return reader_fail (r, n, 0,
                            "plots: a metric, or {metric: …, x: …, by: …}, "
                            "should be here");
    if (n->type == YNODE_MAP) {
        if (reader_keys (r, SECTION_PLOT, n) < 0)
            return -1;
        metric = ynode_get (n, "metric");
        x = ynode_get (n, "x");
        by = ynode_get (n, "by");
        if ((x && axis_of (r, x, &p->x) < 0) ||
            (by && axis_of (r, by, &p->by) < 0))
            return -1;
        if (x && by && p->x == p->by)
            return reader_fail (r, by, 0, "plots: x and by are the same axis");
    }
    if (reader_metric (r, metric, "metrics") < 0)
        return -1;
    p->metric = arena_text (r->spec->arena, column_name (metric->text));
    return 0;
}

static int read_plots (struct reader *r, const struct ynode *n)
{
    struct spec *s = r->spec;
    size_t count = n && n->type == YNODE_LIST ? n->count : n != NULL;

    s->plot = arena_array (s->arena, count + 1, sizeof (*s->plot));
    for (; s->plots < count; s->plots++)
        if (read_plot (r, n->type == YNODE_LIST ? n->item[s->plots] : n,
                       &s->plot[s->plots]) < 0)
            return -1;
    return 0;
}

static int read_metrics (struct reader *r, const struct ynode *n)
{
    struct arena *a = r->spec->arena;

    if (!n)
        return 0;
    if (n->type != YNODE_LIST)
        return reader_fail (r, n, 0, "metrics: a list should be here");
    r->spec->metrics_node = n;
    r->spec->metrics = arena_array (a, n->count + 1, sizeof (char *));
    for (size_t i = 0; i < n->count; i++) {
        if (reader_metric (r, n->item[i], "metrics") < 0)
            return -1;
        r->spec->metrics[i] = arena_text (a, column_name (n->item[i]->text));
    }
    return 0;
}

int reader_results (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "results");

    if (!n)
        return 0;
    if (reader_keys (r, SECTION_RESULTS, n) < 0 ||
        read_scrape (r, ynode_get (n, "scrape")) < 0 ||
        read_compare (r, ynode_get (n, "compare")) < 0 ||
        read_baseline (r, ynode_get (n, "baseline")) < 0 ||
        read_group (r, ynode_get (n, "group")) < 0 ||
        read_plots (r, ynode_get (n, "plots")) < 0)
        return -1;
    return read_metrics (r, ynode_get (n, "metrics"));
}
