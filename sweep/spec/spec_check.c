/* SPDX-License-Identifier: MIT
 *
 * spec_check.c - check: metric and bounds -> struct spec
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/results/columns.h"
#include "sweep/spec/spec_read.h"

static int check_bound (struct reader *r,
                        const struct ynode *map,
                        const char *key,
                        struct named_expr **out)
{
    const struct ynode *n = ynode_get (map, key);

    if (!n)
        return 0;
    *out = arena_array (r->spec->arena, 1, sizeof (**out));
    return reader_expr (r, n, r->columns, *out);
}

/* "5 %" -> 0.05 */
static int
check_within (struct reader *r, const struct ynode *map, double *fraction)
{
    const struct ynode *n = ynode_get (map, "within");
    char *end;
    double percent;

    if (!n)
        return 0;
    percent = strtod (n->text, &end);
    end += strspn (end, " ");
    if (end == n->text || strcmp (end, "%") != 0 || !(percent >= 0) ||
        percent > 1e6)
        return reader_fail (
            r, n, 0, "within: \"%s\" is no percentage, as in 5 %%", n->text);
    *fraction = percent / 100;
    return 0;
}

static int
check_rule (struct reader *r, const char *metric, const struct ynode *n)
{
    struct check_rule *c;

    if (n->type != YNODE_MAP)
        return reader_fail (r, n, 0,
                            "check: bounds should be here, as in "
                            "{min: 100} or {equal: n * 4096, within: 1 %%}");
    if (reader_keys (r, SECTION_CHECK, n) < 0)
        return -1;
    r->spec->check = arena_grow (r->spec->arena, r->spec->check,
                                 r->spec->checks, sizeof (*c));
    c = &r->spec->check[r->spec->checks];
    memset (c, 0, sizeof (*c));
    c->metric = metric;
    if (check_bound (r, n, "min", &c->min) < 0 ||
        check_bound (r, n, "max", &c->max) < 0 ||
        check_bound (r, n, "equal", &c->equal) < 0 ||
        check_bound (r, n, "where", &c->where) < 0 ||
        check_within (r, n, &c->within) < 0)
        return -1;
    if (!c->min && !c->max && !c->equal)
        return reader_fail (
            r, n, 0, "check: %s: one of min, max and equal is needed", metric);
    if (ynode_get (n, "within") && !c->equal)
        return reader_fail (r, n, 0, "within: of what? `equal:` names it");
    r->spec->checks++;
    return 0;
}

int reader_checks (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "check");

    for (size_t i = 0; n && i < n->count; i++) {
        const struct ynode *item = n->item[i];
        int list = item->type == YNODE_LIST;
        const char *metric;

        if (reader_metric (r, n->key[i], "check") < 0)
            return -1;
        metric = arena_text (r->spec->arena, column_name (n->key[i]->text));
        for (size_t k = 0; k < (list ? item->count : 1); k++)
            if (check_rule (r, metric, list ? item->item[k] : item) < 0)
                return -1;
    }
    return 0;
}
