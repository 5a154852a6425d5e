/* SPDX-License-Identifier: MIT
 *
 * fig_tree.c - the call tree of a job as a flame graph
 *
 * In:  the traces of the job, for the tree of --view tree
 * Out: a figure as HTML and SVG, to a stream
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/calltree.h"
#include "analyze/report/job/fig_job.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/chart/style.h"
#include "lib/chart/svg.h"

enum {
    FIGTREE_ROW = 19,    /* pixels from one level to the next */
    FIGTREE_HEIGHT = 18, /* of a frame */
    FIGTREE_LEVELS = 32, /* below the root; deeper ones are left out */
    FIGTREE_LEAST = 24,  /* pixels: a name in less cannot be read */
    FIGTREE_PAD = 3,     /* of a name, at either side */
    FIGTREE_LEGEND = 8,  /* pixels below it */
    FIGTREE_LABEL = 256
};
static const double figtree_narrow = 0.4; /* pixels; less is left out */

struct figtree {
    const struct calltree *tree;
    uint32_t *order; /* owned */
    size_t count;
    double *x, *scale; /* by node: its left edge, pixels a ns below it; owned */
    double *next;      /* by node: where its next child begins; owned */
    uint64_t *below;   /* by node: time of its children, ns; owned */
    size_t shown, depth;
    /* what is in front of the first '/' of labels; the first ones have a name
       in the legend */
    char category[STYLE_SERIES][FIGTREE_LABEL];
    const char *name[STYLE_SERIES];
    size_t categories;
};

/* --- places -----------------------------------------------------------------
 */

/* Children that overlap may have more time than their parent; then they share
 * its width. */
static void figtree_place (struct figtree *f)
{
    const struct calltree *t = f->tree;

    for (size_t i = 1; i < f->count; i++)
        f->below[t->node[f->order[i]].parent] += t->node[f->order[i]].total;
    for (size_t i = 0; i < f->count; i++) {
        uint32_t n = f->order[i], parent = t->node[n].parent;
        const struct calltree_node *node = &t->node[n];
        double all = (double)node->total, below = (double)f->below[n];
        double width = CHART_WIDTH;

        if (n != CALLTREE_ROOT) {
            f->x[n] = f->next[parent];
            width = all * f->scale[parent];
            f->next[parent] += width;
        }
        f->next[n] = f->x[n];
        f->scale[n] = below > all ? width / below : all > 0 ? width / all : 0;
    }
}

static double figtree_width (const struct figtree *f, uint32_t n)
{
    const struct calltree_node *node = &f->tree->node[n];

    return n == CALLTREE_ROOT ? CHART_WIDTH
                              : (double)node->total * f->scale[node->parent];
}

static int figtree_shows (const struct figtree *f, uint32_t n)
{
    return f->tree->node[n].depth <= FIGTREE_LEVELS &&
           figtree_width (f, n) >= figtree_narrow;
}

/* --- colours ----------------------------------------------------------------
 */

/* The last series is that of all further categories. */
static size_t figtree_series (struct figtree *f, const char *label)
{
    char category[FIGTREE_LABEL];
    size_t length = strcspn (label, "/");

    if (length >= sizeof (category))
        length = sizeof (category) - 1;
    memcpy (category, label, length);
    category[length] = '\0';
    for (size_t i = 0; i < f->categories; i++)
        if (strcmp (f->category[i], category) == 0)
            return i;
    if (f->categories == STYLE_SERIES)
        return STYLE_SERIES - 1;
    if (f->categories == STYLE_SERIES - 1)
        (void)snprintf (category, sizeof (category), "others");
    memcpy (f->category[f->categories], category, sizeof (category));
    f->name[f->categories] = f->category[f->categories];
    return f->categories++;
}

/* --- drawing ----------------------------------------------------------------
 */

static void figtree_frame (FILE *out, struct figtree *f, uint32_t n, double top)
{
    const struct calltree_node *node = &f->tree->node[n];
    const char *label = calltree_label (f->tree, n);
    double all = (double)f->tree->node[CALLTREE_ROOT].total;
    double width = figtree_width (f, n), y = top + node->depth * FIGTREE_ROW;
    char tip[2 * FIGTREE_LABEL], value[32], text[FIGTREE_LABEL], class[24];
    char total[WORDS_MAX], self[WORDS_MAX];
    const struct svg_data data = {
        .metric = "tree", .point = label, .value = value, .tip = tip};

    (void)snprintf (value, sizeof (value), "%.9g", (double)node->total / 1e9);
    (void)snprintf (
        tip, sizeof (tip), "%.200s: %s, %.1f %%; %s of its own; %llu times",
        label, value_words (total, (double)node->total / 1e9, "s"),
        all > 0 ? 100 * (double)node->total / all : 0,
        value_words (self, node->self > 0 ? (double)node->self / 1e9 : 0, "s"),
        (unsigned long long)node->count);
    svg_rect (out, f->x[n], y, width > 1 ? width - 0.5 : width, FIGTREE_HEIGHT,
              n == CALLTREE_ROOT
                  ? "frame"
                  : chart_class ('c', figtree_series (f, label), class),
              &data);
    if (width < FIGTREE_LEAST)
        return;
    if (n != CALLTREE_ROOT && strchr (label, '/'))
        label = strchr (label, '/') + 1;
    svg_text (out, f->x[n] + FIGTREE_PAD, y + FIGTREE_HEIGHT / 2.0, SVG_START,
              n == CALLTREE_ROOT ? "strong" : "on",
              text_fit (text, sizeof (text), label, width - 2 * FIGTREE_PAD,
                        SVG_FONT));
}

static void figtree_draw (FILE *out, struct figtree *f)
{
    static const struct chart c = {
        .title = "Call tree",
        .text = "Regions inside each other from top to bottom, calls below "
                "them; the width is their time"};
    double top;

    for (size_t i = 0; i < f->count; i++) {
        uint32_t n = f->order[i];

        if (!figtree_shows (f, n))
            continue;
        f->shown++;
        if (f->tree->node[n].depth > f->depth)
            f->depth = f->tree->node[n].depth;
        if (n != CALLTREE_ROOT)
            (void)figtree_series (f, calltree_label (f->tree, n));
    }
    top = chart_legend (out, 0, CHART_WIDTH, FIGTREE_LEGEND, f->name,
                        f->categories, 0) +
          FIGTREE_LEGEND;
    html_figure (out, "fig-tree", c.title);
    chart_begin (out, &c, CHART_WIDTH,
                 top + (double)(f->depth + 1) * FIGTREE_ROW);
    (void)chart_legend (out, 0, CHART_WIDTH, FIGTREE_LEGEND, f->name,
                        f->categories, 1);
    for (size_t i = 0; i < f->count; i++)
        if (figtree_shows (f, f->order[i]))
            figtree_frame (out, f, f->order[i], top);
    svg_end (out);
    html_caption (out);
    html_format (
        out,
        "The width is time summed over all threads, as in dftrace "
        "analyze --view tree: each region below the one that its "
        "thread was in, calls below regions. What a frame has without "
        "a frame below it is its own time. %zu of %zu paths are shown, "
        "those that are wide enough and at most %d deep; dftrace "
        "export -f speedscope has all of them.",
        f->shown, f->count, FIGTREE_LEVELS);
    html_caption_end (out);
}

static int figtree_make (struct figtree *f, const struct calltree *tree)
{
    f->tree = tree;
    f->order = calltree_order (tree, &f->count);
    f->x = calloc (tree->nodes, sizeof (*f->x));
    f->scale = calloc (tree->nodes, sizeof (*f->scale));
    f->next = calloc (tree->nodes, sizeof (*f->next));
    f->below = calloc (tree->nodes, sizeof (*f->below));
    if (!f->order || !f->x || !f->scale || !f->next || !f->below)
        return -1;
    figtree_place (f);
    return 0;
}

int fig_tree (FILE *out, const struct jobdata *d)
{
    const struct calltree_asked asked = {NULL, GROUP_KEYS, NULL, 0};
    struct figtree *f = calloc (1, sizeof (*f));
    struct calltree tree = {.nodes = 0};
    struct errtext err;
    int rc = f ? calltree_make (&tree, d->result.job, &asked, &err) : -1;

    if (rc == 0 && tree.nodes > 1 && tree.node[CALLTREE_ROOT].total) {
        rc = figtree_make (f, &tree);
        if (rc == 0)
            figtree_draw (out, f);
        free (f->order);
        free (f->x);
        free (f->scale);
        free (f->next);
        free (f->below);
    }
    calltree_clear (&tree);
    free (f);
    errno = ENOMEM;
    return rc;
}
