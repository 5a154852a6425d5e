/* SPDX-License-Identifier: MIT
 *
 * spec_results.c - results: metrics, scrape, compare, group -> struct spec
 */
#include "config.h"

#include <errno.h>
#include <regex.h>
#include <string.h>

#include "lib/util/optparse.h"
#include "sweep/spec_read.h"

/* A name that no table has would never be shown. */
static int metric_check (const struct reader *r, const struct ynode *n)
{
    static const char *const names[] = {
#define COLUMN(SECTION, METRIC, TITLE, UNIT, DIGITS) #METRIC,
#include "sweep/columns.def"
#undef COLUMN
        NULL,
    };
    const char *near;

    if (n->type != YNODE_SCALAR)
        return reader_fail (r, n, 0, "a metric's name should be here");
    for (size_t i = 0; names[i]; i++)
        if (!strcmp (names[i], n->text))
            return 0;
    near = nearest_word (n->text, names);
    if (near)
        return reader_fail (r, n, 0,
                            "metrics: unknown metric \"%s\" (did you mean "
                            "\"%s\"?)",
                            n->text, near);
    return reader_fail (r, n, 0, "metrics: unknown metric \"%s\"", n->text);
}

int reader_results (struct reader *r)
{
    const struct ynode *n = ynode_get (r->root, "results");
    struct arena *a = r->spec->arena;

    if (!n)
        return 0;
    if (reader_keys (r, SECTION_RESULTS, n) < 0)
        return -1;
    n = ynode_get (n, "metrics");
    if (!n)
        return 0;
    if (n->type != YNODE_LIST)
        return reader_fail (r, n, 0, "metrics: a list should be here");
    r->spec->metrics_node = n;
    r->spec->metrics = arena_array (a, n->count + 1, sizeof (char *));
    for (size_t i = 0; i < n->count; i++) {
        if (metric_check (r, n->item[i]) < 0)
            return -1;
        r->spec->metrics[i] = arena_text (a, n->item[i]->text);
    }
    return 0;
}
