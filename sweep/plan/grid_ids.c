/* SPDX-License-Identifier: MIT
 *
 * grid_ids.c - points -> digests, ids, labels, groups
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/strmap.h"
#include "sweep/plan/grid_work.h"

enum { ID_DIGITS = 8 }; /* of the digest; more when two points collide */

/* -- identity ---------------------------------------------------------- */

static int grid_ids_by_name (const void *x, const void *y, void *names)
{
    const char *const *name = names;

    return strcmp (name[*(const int *)x], name[*(const int *)y]);
}

/* The value that the axis had before it was an axis. */
static int
is_as_before (const struct expansion *x, const struct point *p, size_t axis)
{
    const struct value *was = &x->spec->was[axis];

    return was->type != VALUE_NONE &&
           value_same (x->grid->arena, was, &p->column[axis]);
}

/* Over the axes only, sorted by name: a new value or another order of axes
 * leaves the ids of all other points alone. */
void grid_point_digest (const struct expansion *x, struct point *p)
{
    const struct spec *s = x->spec;
    struct arena *a = x->grid->arena;
    int *order = arena_array (a, s->axes, sizeof (*order));
    struct sha256 d;

    for (size_t i = 0; i < s->axes; i++)
        order[i] = (int)i;
    qsort_r (order, s->axes, sizeof (*order), grid_ids_by_name,
             (void *)s->column);
    sha256_init (&d);
    for (size_t i = 0; i < s->axes; i++) {
        const struct value *v = &p->column[order[i]];

        if (is_as_before (x, p, (size_t)order[i]))
            continue;
        sha256_text (&d, arena_format (a, "%s=%s:%s\n", s->column[order[i]],
                                       value_type_word (v->type),
                                       value_text (a, v)));
    }
    sha256_hex (&d, p->digest);
}

static int ids_of_length (const struct expansion *x, size_t digits)
{
    struct strmap *seen = strmap_create ();
    int unique = seen != NULL;

    for (size_t i = 0; unique && i < x->grid->count; i++)
        (void)strmap_intern (seen, x->grid->point[i].digest, digits, &unique);
    strmap_destroy (seen);
    return unique;
}

int grid_give_ids (const struct expansion *x)
{
    size_t digits = ID_DIGITS;
    struct grid *g = x->grid;

    while (digits < SHA256_HEX && !ids_of_length (x, digits))
        digits += 4;
    for (size_t i = 0; i < g->count; i++)
        g->point[i].id = arena_copy (g->arena, g->point[i].digest, digits);
    if (digits >= SHA256_HEX)
        return ytree_errf (x->spec->tree,
                           ynode_get (ytree_root (x->spec->tree), "points"),
                           x->err, "points: one is in the grid already");
    return 0;
}

/* -- labels and groups ------------------------------------------------- */

static const char *sanitised (struct arena *a, const char *text)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-";
    char *label = arena_copy (a, text, strnlen (text, LABEL_MAX));

    for (char *p = label; *p; p++)
        if (!strchr (good, *p) || (p == label && (*p == '.' || *p == '-')))
            *p = '_';
    return *label ? label : "_";
}

static const char *usual_label (const struct expansion *x,
                                const struct point *p)
{
    struct arena *a = x->grid->arena;
    const char *text = "";

    for (size_t i = 0; i < x->spec->axes; i++)
        if (!is_as_before (x, p, i))
            text = arena_format (
                a, "%s%s%s%s", text, *text ? "-" : "",
                p->column[i].type == VALUE_TEXT ? "" : x->spec->column[i],
                value_text (a, &p->column[i]));
    return text;
}

/* The label as the user means it; NULL and err. */
static const char *label_meant (const struct expansion *x,
                                const struct point *p,
                                struct errtext *err)
{
    struct value v;

    if (!x->spec->label)
        return usual_label (x, p);
    if (template_eval (x->spec->label, p->column, x->grid->arena, &v, err) < 0)
        return NULL;
    return value_text (x->grid->arena, &v);
}

int grid_give_label (const struct expansion *x, struct point *p)
{
    struct errtext err;
    const char *text = label_meant (x, p, &err);

    if (!text)
        return grid_fail_at (x, x->spec->label_node, p->column, "label",
                             err.text);
    p->label = sanitised (x->grid->arena, text);
    return 0;
}

/* Labels that differ only in what a file's name cannot have ("a b" and "a/b"):
 * the later one gets the first digits of its digest. */
static int
label_made_apart (const struct expansion *x, struct point *p, struct point *as)
{
    enum { DIGITS = 6 };
    struct errtext err;
    const char *mine = label_meant (x, p, &err);
    const char *other = label_meant (x, as, &err);

    if (!mine || !other || !strcmp (mine, other))
        return 0;
    p->label =
        arena_format (x->grid->arena, "%.*s.%.*s", LABEL_MAX - DIGITS - 1,
                      p->label, DIGITS, p->digest);
    return 1;
}

int grid_labels_are_unique (const struct expansion *x)
{
    struct grid *g = x->grid;
    struct strmap *seen = strmap_create ();
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < g->count; i++) {
        struct point *p = &g->point[i], *first;
        int isnew = 1;
        int64_t n = strmap_intern (seen, p->label, strlen (p->label), &isnew);

        if (n >= 0 && !isnew &&
            label_made_apart (x, p, strmap_value (seen, (size_t)n))) {
            isnew = 1;
            n = strmap_intern (seen, p->label, strlen (p->label), &isnew);
        }
        if (n >= 0 && isnew) {
            strmap_set (seen, (size_t)n, p);
        } else if (n >= 0) {
            const struct ynode *at = x->spec->label_node;
            first = strmap_value (seen, (size_t)n);
            rc = grid_fail_at (
                x, at ? at : x->spec->axis[0].node, p->column, "label",
                arena_format (
                    g->arena,
                    "\"%s\" is also the label of %s: put more axes "
                    "into it",
                    p->label,
                    grid_point_text (x->spec, g->arena, first->column)));
        }
    }
    strmap_destroy (seen);
    return rc;
}

void grid_give_groups (const struct expansion *x)
{
    struct grid *g = x->grid;
    struct strmap *seen = strmap_create ();

    for (size_t i = 0; i < g->count; i++) {
        const char *key = "";
        struct point *p = &g->point[i];

        if (p->trace)
            key = arena_format (g->arena, "trace %s\n", p->trace);
        for (size_t o = 0; o < p->options; o++)
            key = arena_format (g->arena, "%s--%s%s%s\n", key,
                                p->option[o].name, p->option[o].text ? "=" : "",
                                p->option[o].text ? p->option[o].text : "");
        p->group = (int)strmap_intern (seen, key, strlen (key), NULL);
    }
    g->groups = (int)strmap_count (seen);
    strmap_destroy (seen);
}
