/* SPDX-License-Identifier: MIT
 *
 * treetable.c - a call tree -> rows, folded stacks, speedscope's JSON
 *
 * In:  struct calltree
 * Out: a table; lines for tools that draw flame graphs
 */
#include "config.h"

#include "analyze/tables/treetable.h"

#include "lib/base/array.h"
#include "lib/util/json.h"
#include "lib/util/xalloc.h"

/* Replace the separator of a path in a name. */
static void treetable_name (FILE *out, const char *name)
{
    for (; *name; name++)
        fputc (*name == ';'                  ? ':'
               : (unsigned char)*name < 0x20 ? ' '
                                             : *name,
               out);
}

static void treetable_path (FILE *out, const struct calltree *t, uint32_t node)
{
    if (t->node[node].depth > 1) {
        treetable_path (out, t, t->node[node].parent);
        fputc (';', out);
    }
    treetable_name (out, calltree_label (t, node));
}

/* --- rows ----------------------------------------------------------------- */

void treetable_columns (struct textable *t, int indented)
{
    textable_column (t, indented ? "name" : "path", indented ? "name" : "path",
                     "", 0);
    textable_columns (t, indented ? "count#" : "depth# count#");
    textable_column (t, "total_s", "total", "s", 1);
    textable_column (t, "self_s", "self", "s", 1);
    textable_column (t, "fraction", "of all", "%", 1);
    textable_column (t, "bytes", "bytes", "B", 1);
}

static void treetable_row (struct textable *t,
                           const struct calltree *tree,
                           uint32_t node,
                           int indented)
{
    const struct calltree_node *n = &tree->node[node];
    uint64_t all = tree->node[CALLTREE_ROOT].total;
    char *name = NULL;
    size_t length;
    FILE *f = xmemstream (&name, &length);

    if (indented)
        fprintf (f, "%*s%s", 2 * (int)n->depth, "",
                 calltree_label (tree, node));
    else
        treetable_path (f, tree, node);
    xmemstream_end (f);
    textable_line (t, "%s", name);
    if (!indented)
        textable_uint (t, n->depth);
    textable_cells (t, "%ju %.4f %.4f %.1f %ju", n->count, n->total / 1e9,
                    (n->self > 0 ? n->self : 0) / 1e9,
                    all ? 100 * (double)n->total / (double)all : NAN, n->bytes);
    free (name);
}

void treetable_rows (struct textable *t,
                     const struct calltree *tree,
                     int indented,
                     double least,
                     size_t top)
{
    size_t n, rows = 0;
    uint32_t *order = calltree_order (tree, &n);
    double all = tree->node[CALLTREE_ROOT].total;

    for (size_t i = 0; i < n && (!top || rows < top); i++)
        if ((double)tree->node[order[i]].total >= least * all) {
            treetable_row (t, tree, order[i], indented);
            rows++;
        }
    free (order);
}

/* --- flame graphs --------------------------------------------------------- */

void treetable_folded (FILE *out, const struct calltree *tree)
{
    size_t n;
    uint32_t *order = calltree_order (tree, &n);

    for (size_t i = 1; i < n; i++)
        if (tree->node[order[i]].self > 0) {
            treetable_path (out, tree, order[i]);
            fprintf (out, " %" PRId64 "\n", tree->node[order[i]].self);
        }
    free (order);
}

/* Labels in the order in which they are met, from 1; 0: not met. */
static uint32_t *treetable_frames (struct json *j,
                                   const struct calltree *tree,
                                   const uint32_t *order,
                                   size_t n)
{
    uint32_t *frame = ZEROED (frame, strmap_count (tree->labels) + 1);
    uint32_t frames = 0;

    for (size_t i = 1; i < n; i++) {
        uint32_t label = tree->node[order[i]].label;
        size_t length;
        const char *text = strmap_key (tree->labels, label, &length);

        if (frame[label])
            continue;
        frame[label] = ++frames;
        json_open (j, NULL, '{');
        json_bytes (j, "name", text, length);
        json_close (j, '}');
    }
    return frame;
}

static void treetable_sample (struct json *j,
                              const struct calltree *t,
                              const uint32_t *frame,
                              uint32_t node)
{
    if (t->node[node].depth > 1)
        treetable_sample (j, t, frame, t->node[node].parent);
    json_uint (j, NULL, frame[t->node[node].label] - 1);
}

static void treetable_profile (struct json *j,
                               const struct calltree *tree,
                               const uint32_t *order,
                               size_t n,
                               const uint32_t *frame,
                               const char *title)
{
    uint64_t end = 0;

    json_put (
        j,
        "{ type:'sampled' name:%s unit:'nanoseconds' startValue:%d samples:[",
        title, 0);
    for (size_t i = 1; i < n; i++)
        if (tree->node[order[i]].self > 0) {
            json_open (j, NULL, '[');
            treetable_sample (j, tree, frame, order[i]);
            json_close (j, ']');
        }
    json_put (j, "] weights:[");
    for (size_t i = 1; i < n; i++)
        if (tree->node[order[i]].self > 0) {
            json_int (j, NULL, tree->node[order[i]].self);
            end += tree->node[order[i]].self;
        }
    json_put (j, "] endValue:%ju }", end);
}

void treetable_speedscope (FILE *out,
                           const struct calltree *tree,
                           const char *title)
{
    size_t n;
    uint32_t *order = calltree_order (tree, &n), *frame;
    struct json j;

    json_init (&j, out, 1);
    json_put (&j, "{ $schema:%s exporter:%s shared:{ frames:[",
              "https://www.speedscope.app/file-format-schema.json",
              "dftrace " PACKAGE_VERSION);
    frame = treetable_frames (&j, tree, order, n);
    json_put (&j, "] } profiles:[");
    treetable_profile (&j, tree, order, n, frame, title);
    json_put (&j, "] }");
    free (order);
    free (frame);
}
