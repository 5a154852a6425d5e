/* SPDX-License-Identifier: MIT
 *
 * fig_calls.c - figures of a job's calls, steps, workers, checkpoints, and
 *               its call tree
 *
 * In:  histograms, steps, the table of processes
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include "analyze/query/calltree.h"
#include "analyze/report/job/fig_job.h"
#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/xalloc.h"

/* --- access pattern ---------------------------------------------------------
 */

void fig_access (FILE *out, const struct jobscan *s)
{
    static const char *const ways[] = {"read", "write"};
    static const char *const parts[] = {"consecutive", "the same gap again",
                                        "forward, another gap", "backward",
                                        "first, or not known"};
    static const enum placed placed[] = {PLACED_CONSECUTIVE, PLACED_STRIDED,
                                         PLACED_SEQUENTIAL, PLACED_BACKWARD,
                                         PLACED_NOT};
    static const struct chart c = {
        .title = "Access pattern",
        .text = "How many reads and writes began where the one before them in "
                "the file had ended, after it or before it",
        .metric = "access",
        .measure = "calls"};
    struct chart_grid g = chart_grid_create (1, ITEMS (ways), PLACED_COUNT);

    memcpy (g.row, ways, sizeof (ways));
    memcpy (g.column, parts, sizeof (parts));
    for (size_t i = 0; i < g.rows * g.columns; i++)
        g.cell[i] =
            cell_of (s->sums.n.placed[i / g.columns][placed[i % g.columns]],
                     ways[i / g.columns]);
    html_figure (out, "fig-access", c.title);
    chart_rows (out, &c, &g);
    html_figure_end (out,
                     "Files on storage; each call is compared with the one "
                     "before it in the same file and stretch of a thread's "
                     "events.");
}

/* --- histograms -------------------------------------------------------------
 */

/* A histogram of several kinds side by side, in powers of two. */
struct octaves {
    const char *id, *axis, *unit;
    double factor; /* makes the unit of the buckets that of the axis */
    size_t kinds;
    const struct hist *hist;
    struct chart chart;
};

static const char *const octaves_names[SCAN_CLASSES] = {"read", "write", "copy",
                                                        "metadata", "sync"};

/* The least value of an octave. */
static const char *octaves_label (const struct octaves *o, size_t octave)
{
    double from = ldexp (o->factor, (int)octave);

    return arena_format ("%s%s", octave ? "" : "0, ",
                         o->factor < 1 && from < 1e-6
                             ? arena_format ("%.3g ns", from * 1e9)
                             : value_shown (from, o->unit));
}

/* A row for each kind of which there are calls, the octaves that any has. */
static struct chart_grid octaves_grid (const struct octaves *o)
{
    uint64_t count[SCAN_CLASSES][HIST_OCTAVES];
    size_t first = HIST_OCTAVES, last = 0;
    struct chart_grid g;

    for (size_t i = 0; i < o->kinds * HIST_OCTAVES; i++) {
        size_t k = i / HIST_OCTAVES, octave = i % HIST_OCTAVES;

        if (!octave)
            hist_octaves (&o->hist[k], count[k]);
        if (count[k][octave]) {
            first = MIN (octave, first);
            last = MAX (octave, last);
        }
    }
    g = chart_grid_create (1, o->kinds,
                           first < HIST_OCTAVES ? last + 1 - first : 0);
    g.rows = 0;
    g.column_name = o->axis;
    for (size_t i = 0; i < g.columns; i++)
        g.column[i] = octaves_label (o, first + i);
    for (size_t k = 0; k < o->kinds; k++) {
        struct cell *cell = g.cell + g.rows * g.columns;

        if (!o->hist[k].count)
            continue;
        g.row[g.rows++] = octaves_names[k];
        for (size_t i = 0; i < g.columns; i++) {
            cell[i] = cell_of (count[k][first + i], g.column[i]);
            cell[i].text = arena_format ("%" PRIu64, count[k][first + i]);
            cell[i].id = g.column[i];
            cell[i].absent = count[k][first + i] == 0;
        }
    }
    return g;
}

static void octaves_figure (FILE *out, const struct octaves *o)
{
    struct chart_grid g = octaves_grid (o);

    html_figure (out, o->id, o->chart.title);
    if (g.rows)
        chart_bars (out, &o->chart, &g);
    else
        html_paragraph (out, NULL, "No such calls on files on storage.");
    html_caption (out);
    html_text (out, "Each bar: from its label up to twice as much; counts on a "
                    "logarithmic scale. Percentiles are within 2 %.");
    for (size_t k = 0; k < o->kinds; k++) {
        const struct hist *h = &o->hist[k];
        const char *at[3];

        for (int i = 0; h->count && i < 3; i++) {
            static const double quantile[] = {.5, .95, .99};

            at[i] = value_shown (
                (double)hist_quantile (h, quantile[i]) * o->factor, o->unit);
        }
        if (h->count)
            html_format (out, " %s: median %s, 95th percentile %s, 99th %s.",
                         octaves_names[k], at[0], at[1], at[2]);
    }
    html_caption_end (out);
}

void fig_histograms (FILE *out, const struct jobscan *s)
{
    const struct octaves figures[] = {
        {.id = "fig-sizes",
         .axis = "bytes moved",
         .unit = "B",
         .factor = 1,
         .kinds = 2,
         .hist = s->sums.size,
         .chart = {.title = "Sizes of reads and writes",
                   .text = "How many reads and writes moved how many bytes",
                   .metric = "sizes",
                   .measure = "calls",
                   .log = 1,
                   .classes = 1}},
        {.id = "fig-durations",
         .axis = "duration",
         .unit = "s",
         .factor = 1e-9,
         .kinds = SCAN_CLASSES,
         .hist = s->sums.latency,
         .chart = {.title = "Durations of calls",
                   .text = "How many calls took how long",
                   .metric = "durations",
                   .measure = "calls",
                   .log = 1,
                   .classes = 1}}};

    for (size_t i = 0; i < ITEMS (figures); i++)
        octaves_figure (out, &figures[i]);
}

/* --- steps ------------------------------------------------------------------
 */

/* The colour of a rank: the first ranks have their own. */
static size_t
callfig_rank_group (int32_t rank, int32_t seen[STYLE_SERIES], size_t *groups)
{
    for (size_t i = 0; i < *groups; i++)
        if (seen[i] == rank)
            return i;
    if (*groups == STYLE_SERIES - 1)
        return STYLE_SERIES - 1;
    seen[*groups] = rank;
    return (*groups)++;
}

void fig_steps (FILE *out, const struct jobscan *s)
{
    enum { DOTS_MAX = 2400 };
    static const struct chart c = {
        .title = "Duration of training steps",
        .text = "Each dot is a step of a rank: when it began and how long it "
                "took",
        .metric = "step_s",
        .measure = "step",
        .unit = "s"};
    const struct scan_sums *sums = &s->sums;
    const struct hist *h = &sums->steps;
    struct dot *dot = arena_array (DOTS_MAX + 1, sizeof (*dot));
    size_t groups = 0, dots = 0, every = sums->step_count / DOTS_MAX + 1;
    const char *name[STYLE_SERIES];
    int32_t seen[STYLE_SERIES];
    int others = 0;

    for (size_t i = 0; i < sums->step_count; i += every) {
        const struct scan_step *step = &sums->step[i];
        size_t group = callfig_rank_group (step->rank, seen, &groups);

        others |= group == STYLE_SERIES - 1;
        dot[dots++] = (struct dot){(step->start - s->bins.edge[0]) / 1e9,
                                   step->ns / 1e9, group};
    }
    for (size_t i = 0; i < groups; i++)
        name[i] = seen[i] < 0 ? "no rank" : arena_format ("rank %d", seen[i]);
    if (others)
        name[groups++] = "other ranks";
    if (!dots)
        return;
    html_figure (out, "fig-steps", c.title);
    chart_dots (
        out, &c,
        &(struct dots){bins_seconds (&s->bins), dot, dots, groups, name});
    html_caption (out);
    html_format (out,
                 "%" PRIu64 " steps (compute/step): shortest %s, median %s, "
                 "longest %s.",
                 h->count, value_shown (h->min / 1e9, "s"),
                 value_shown (hist_quantile (h, .5) / 1e9, "s"),
                 value_shown (h->max / 1e9, "s"));
    if (dots < h->count)
        html_format (out, " %zu of them are drawn, evenly chosen.", dots);
    html_caption_end (out);
}

/* --- tables as rows of bars: workers, checkpoints ---------------------------
 */

/* A table as rows of bars made of some of its columns. */
struct breakdown {
    const char *id;
    enum view view;
    struct chart chart;
    const char *(*name) (const struct textable *t, size_t row);
    size_t parts;
    const char *part[ROWBARS_PARTS_MAX], *column[ROWBARS_PARTS_MAX];
    const char *whole; /* column of what the parts are percentages of; rows in
                          which any is not above zero are left out; NULL */
    const char *caption;
};

static const char *breakdown_process (const struct textable *t, size_t row)
{
    return fig_process_name (
        jobdata_cell (t, row, "rank"), jobdata_cell (t, row, "exe"),
        jobdata_cell (t, row, "host"), jobdata_cell (t, row, "pid"));
}

static const char *breakdown_rank (const struct textable *t, size_t row)
{
    const char *rank = jobdata_cell (t, row, "rank");

    return arena_format ("%s%s%s%s", *rank ? "rank " : "", rank,
                         *rank ? ", " : "", jobdata_cell (t, row, "host"));
}

static const char *breakdown_kind (const struct textable *t, size_t row)
{
    return jobdata_cell (t, row, "kind");
}

static void
breakdown_put (FILE *out, const struct jobdata *d, const struct breakdown *b)
{
    size_t rows = textable_rows (d->table[b->view]), all = 0;
    struct chart_grid g =
        chart_grid_create (1, MIN (rows, SCAN_ROWS_MAX), b->parts);

    memcpy (g.column, b->part, b->parts * sizeof (*b->part));
    g.rows = 0;
    for (size_t r = 0; r < rows; r++) {
        double whole = jobdata_number (d, b->view, r, b->whole ?: "");
        struct cell *cell = g.cell + g.rows * g.columns;

        if (b->whole && (!(whole > 0) ||
                         !(jobdata_number (d, b->view, r, b->column[0]) > 0)))
            continue;
        if (all++ >= SCAN_ROWS_MAX)
            continue;
        g.row[g.rows] = b->name (d->table[b->view], r);
        for (size_t k = 0; k < b->parts; k++) {
            double v = jobdata_number (d, b->view, r, b->column[k]);

            cell[k] = cell_of (b->whole ? 100 * v / whole : v, g.row[g.rows]);
        }
        g.rows++;
    }
    if (!(chart_rows_longest (&g) > 0))
        return;
    html_figure (out, b->id, b->chart.title);
    chart_rows (out, &b->chart, &g);
    html_caption (out);
    html_text (out, b->caption);
    if (g.rows < all)
        html_format (out, " The first %zu of %zu.", g.rows, all);
    html_caption_end (out);
}

/* Data loader workers: how much of their life they work. */
void fig_workers (FILE *out, const struct jobdata *d)
{
    static const struct breakdown workers = {
        .id = "fig-workers",
        .view = VIEW_process,
        .chart = {.title = "Occupancy of data loader workers",
                  .text = "Share of each worker's life in loader regions",
                  .metric = "occupancy",
                  .measure = "busy",
                  .unit = "%",
                  .classes = 1,
                  .most = 100},
        .name = breakdown_process,
        .parts = 1,
        .part = {"data loader"},
        .column = {"loader_s"},
        .whole = "time_s",
        .caption = "Processes with loader regions; their own time in them over "
                   "the time they lived."};

    breakdown_put (out, d, &workers);
}

void fig_checkpoints (FILE *out, const struct jobdata *d)
{
    static const struct breakdown figures[] = {
        {.id = "fig-checkpoints",
         .view = VIEW_checkpoint,
         .chart = {.title = "Time in checkpoints by rank",
                   .text = "Seconds each rank spent in checkpoints, blocking "
                           "training or beside it",
                   .metric = "checkpoint_s",
                   .measure = "time",
                   .unit = "s",
                   .classes = 1},
         .name = breakdown_rank,
         .parts = 6,
         .part = {"gather", "serialise", "open, rename", "write", "sync",
                  "asynchronous"},
         .column = {"gather_s", "serialise_s", "meta_s", "write_s", "sync_s",
                    "checkpoint_async_s"},
         .caption = "What held up the threads that train, and the writes "
                    "beside them."},
        {.id = "fig-checkpoint-kinds",
         .view = VIEW_checkpointkind,
         .chart = {.title = "Bytes of checkpoints by kind of file",
                   .text = "Bytes written and read of optimizer state, layers "
                           "and other checkpoint files",
                   .metric = "checkpoint_kind_bytes",
                   .measure = "bytes",
                   .unit = "B",
                   .classes = 1},
         .name = breakdown_kind,
         .parts = 2,
         .part = {"written", "read"},
         .column = {"write_bytes", "read_bytes"},
         .caption = "Kinds by the names of files: dftrace help metrics."}};

    for (size_t i = 0; i < ITEMS (figures); i++)
        breakdown_put (out, d, &figures[i]);
}

/* --- the call tree of a job as a flame graph --------------------------------
 */

enum {
    FIGTREE_ROW = 19,    /* pixels from one level to the next */
    FIGTREE_HEIGHT = 18, /* of a frame */
    FIGTREE_LEVELS = 32, /* below the root; deeper ones are left out */
    FIGTREE_LEAST = 24,  /* pixels: a name in less cannot be read */
    FIGTREE_PAD = 3,     /* of a name, at either side */
    FIGTREE_LABEL = 256
};
static const double figtree_narrow = 0.4; /* pixels; less is left out */

/* A node by its number in the tree. */
struct figtree_node {
    double x, scale; /* its left edge; pixels a ns below it */
    double next;     /* where its next child begins */
    uint64_t below;  /* time of its children, ns */
};

struct figtree {
    const struct calltree *tree;
    uint32_t *order; /* owned */
    size_t count;
    struct figtree_node *node;
    size_t shown, depth;
    /* what is in front of the first '/' of labels: those of the legend */
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
        f->node[t->node[f->order[i]].parent].below +=
            t->node[f->order[i]].total;
    for (size_t i = 0; i < f->count; i++) {
        uint32_t n = f->order[i];
        struct figtree_node *node = &f->node[n];
        struct figtree_node *parent = &f->node[t->node[n].parent];
        double all = t->node[n].total, below = node->below;
        double width = CHART_WIDTH;

        if (n != CALLTREE_ROOT) {
            node->x = parent->next;
            width = all * parent->scale;
            parent->next += width;
        }
        node->next = node->x;
        node->scale = below > all ? width / below : all > 0 ? width / all : 0;
    }
}

static double figtree_width (const struct figtree *f, uint32_t n)
{
    const struct calltree_node *node = &f->tree->node[n];

    return n == CALLTREE_ROOT
               ? CHART_WIDTH
               : (double)node->total * f->node[node->parent].scale;
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
    size_t length = strcspn (label, "/"), i = 0;

    while (i < f->categories && (strlen (f->name[i]) != length ||
                                 strncmp (f->name[i], label, length) != 0))
        i++;
    if (i == STYLE_SERIES)
        return STYLE_SERIES - 1;
    if (i == f->categories)
        f->name[f->categories++] =
            i == STYLE_SERIES - 1 ? "others" : arena_copy (label, length);
    return i;
}

/* --- drawing ----------------------------------------------------------------
 */

static const struct chart figtree_chart = {
    .title = "Call tree",
    .text = "Regions inside each other from top to bottom, calls below them; "
            "the width is their time",
    .classes = 1};

static void figtree_frame (FILE *out, struct figtree *f, uint32_t n, double top)
{
    const struct calltree_node *node = &f->tree->node[n];
    const char *label = calltree_label (f->tree, n), *class = "frame";
    double all = f->tree->node[CALLTREE_ROOT].total, x = f->node[n].x;
    double width = figtree_width (f, n), y = top + node->depth * FIGTREE_ROW;
    char text[FIGTREE_LABEL];
    const struct svg_data data = {
        .metric = "tree",
        .point = label,
        .value = arena_format ("%.9g", node->total / 1e9),
        .tip = arena_format (
            "%.200s: %s, %.1f %%; %s of its own; %llu times", label,
            value_shown (node->total / 1e9, "s"),
            all > 0 ? 100 * (double)node->total / all : 0,
            value_shown (node->self > 0 ? node->self / 1e9 : 0, "s"),
            (unsigned long long)node->count)};

    if (n != CALLTREE_ROOT) {
        size_t i = figtree_series (f, label);

        class = chart_class (&figtree_chart, 'c', f->name[i], i);
    }
    svg_rect (
        out,
        (struct svg_box){x, y, width > 1 ? width - 0.5 : width, FIGTREE_HEIGHT},
        class, &data);
    if (width < FIGTREE_LEAST)
        return;
    if (n != CALLTREE_ROOT && strchr (label, '/'))
        label = strchr (label, '/') + 1;
    text_fit (text, sizeof (text), label, width - 2 * FIGTREE_PAD, SVG_FONT);
    if (text_width (text, SVG_FONT) <= width - 2 * FIGTREE_PAD)
        svg_text (out, x + FIGTREE_PAD, y + FIGTREE_HEIGHT / 2.0, SVG_START,
                  n == CALLTREE_ROOT ? "strong" : "on", text);
}

static void figtree_draw (FILE *out, struct figtree *f)
{
    double top;

    for (size_t i = 0; i < f->count; i++) {
        uint32_t n = f->order[i];

        if (!figtree_shows (f, n))
            continue;
        f->shown++;
        if (f->tree->node[n].depth > f->depth)
            f->depth = f->tree->node[n].depth;
        if (n != CALLTREE_ROOT)
            figtree_series (f, calltree_label (f->tree, n));
    }
    top = LEGEND_TOP + chart_legend (NULL, &figtree_chart, 0, CHART_WIDTH,
                                     f->name, f->categories);
    html_figure (out, "fig-tree", figtree_chart.title);
    chart_begin (out, &figtree_chart, CHART_WIDTH,
                 top + (double)(f->depth + 1) * FIGTREE_ROW);
    chart_legend (out, &figtree_chart, 0, CHART_WIDTH, f->name, f->categories);
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

void fig_tree (FILE *out, const struct jobdata *d)
{
    const struct calltree_asked asked = {NULL, GROUP_KEYS, NULL, 0};
    struct calltree tree = {.nodes = 0};
    struct figtree f = {.tree = &tree};
    struct errtext err;

    if (calltree_make (&tree, d->result.job, &asked, &err) < 0)
        xalloc_die (); /* what can be read is known */
    if (tree.nodes > 1 && tree.node[CALLTREE_ROOT].total) {
        f.order = calltree_order (&tree, &f.count);
        f.node = arena_array (tree.nodes, sizeof (*f.node));
        figtree_place (&f);
        figtree_draw (out, &f);
        free (f.order);
    }
    calltree_clear (&tree);
}
