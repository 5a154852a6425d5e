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
#include "lib/chart/svg.h"
#include "lib/util/fsutil.h"
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
    struct rowbars *b = rowbars_create (PLACED_COUNT, parts);

    for (size_t i = 0; i < 2; i++) {
        rowbars_row (b, ways[i]);
        for (size_t k = 0; k < PLACED_COUNT; k++)
            rowbars_value (b, k, s->sums.placed[i][placed[k]]);
    }
    html_figure (out, "fig-access", c.title);
    rowbars_draw (out, &c, b, 0);
    html_figure_end (out,
                     "Files on storage; each call is compared with the one "
                     "before it in the same file and stretch of a thread's "
                     "events.");
    rowbars_destroy (b);
}

/* --- histograms -------------------------------------------------------------
 */

/* A histogram of several kinds side by side, in powers of two. */
struct octaves {
    const char *id, *axis, *unit;
    double factor; /* makes the unit of the buckets that of the axis */
    size_t kinds;
    const char *const *name;
    const struct hist *hist;
    struct chart chart;
};

/* The cells of the figure: n octaves from `first` on. */
struct octave_cells {
    uint64_t count[SCAN_CLASSES][HIST_OCTAVES];
    size_t first, n;
    struct cell cell[SCAN_CLASSES][HIST_OCTAVES];
    char text[SCAN_CLASSES][HIST_OCTAVES][24];
    char *label[HIST_OCTAVES]; /* owned */
    struct series series[SCAN_CLASSES];
    size_t used;
};

static void callfig_quantiles (FILE *out,
                               const char *name,
                               const struct hist *h,
                               const struct octaves *o)
{
    char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];

    if (h->count)
        html_format (
            out, " %s: median %s, 95th percentile %s, 99th %s.", name,
            value_words (a, (double)hist_quantile (h, .5) * o->factor, o->unit),
            value_words (b, (double)hist_quantile (h, .95) * o->factor,
                         o->unit),
            value_words (c, (double)hist_quantile (h, .99) * o->factor,
                         o->unit));
}

static void octaves_count (struct octave_cells *x, const struct octaves *o)
{
    size_t last = 0;

    x->first = HIST_OCTAVES;
    for (size_t k = 0; k < o->kinds; k++) {
        hist_octaves (&o->hist[k], x->count[k]);
        for (size_t i = 0; i < HIST_OCTAVES; i++)
            if (x->count[k][i]) {
                x->first = MIN (i, x->first);
                last = MAX (i, last);
            }
    }
    x->n = x->first < HIST_OCTAVES ? last + 1 - x->first : 0;
}

static void octaves_labels (struct octave_cells *x, const struct octaves *o)
{
    char words[WORDS_MAX];

    for (size_t i = 0; i < x->n; i++) {
        size_t octave = x->first + i;
        double from = ldexp (o->factor, (int)octave);

        if (o->factor < 1 && from < 1e-6)
            FORMAT (words, "%.3g ns", from * 1e9);
        else
            value_words (words, from, o->unit);
        x->label[i] = xasprintf ("%s%s", octave ? "" : "0, ", words);
    }
}

static void octaves_cells (struct octave_cells *x, const struct octaves *o)
{
    for (size_t k = 0; k < o->kinds; k++) {
        if (!o->hist[k].count)
            continue;
        x->series[x->used++] = (struct series){o->name[k], x->cell[k]};
        for (size_t i = 0; i < x->n; i++) {
            uint64_t count = x->count[k][x->first + i];

            FORMAT (x->text[k][i], "%" PRIu64, count);
            x->cell[k][i] = (struct cell){.v = count,
                                          .lo = NAN,
                                          .hi = NAN,
                                          .text = x->text[k][i],
                                          .id = x->label[i],
                                          .name = x->label[i],
                                          .absent = count == 0};
        }
    }
}

static void
octaves_put (FILE *out, const struct octave_cells *x, const struct octaves *o)
{
    struct categories cats = {
        x->n, 0, (const char *const *)x->label, NULL, o->axis, NULL, 0};

    html_figure (out, o->id, o->chart.title);
    if (x->used)
        chart_bars (out, &o->chart, &cats, x->series, x->used);
    else
        html_paragraph (out, NULL, "No such calls on files on storage.");
    html_caption (out);
    html_text (out, "Each bar: from its label up to twice as much; counts on a "
                    "logarithmic scale. Percentiles are within 2 %.");
    for (size_t k = 0; k < o->kinds; k++)
        callfig_quantiles (out, o->name[k], &o->hist[k], o);
    html_caption_end (out);
}

static void octaves_figure (FILE *out, const struct octaves *o)
{
    struct octave_cells *x = ZEROED (x, 1);

    octaves_count (x, o);
    octaves_labels (x, o);
    octaves_cells (x, o);
    octaves_put (out, x, o);
    for (size_t i = 0; i < HIST_OCTAVES; i++)
        free (x->label[i]);
    free (x);
}

void fig_histograms (FILE *out, const struct jobscan *s)
{
    static const char *const names[SCAN_CLASSES] = {"read", "write", "copy",
                                                    "metadata", "sync"};
    const struct octaves sizes = {
        .id = "fig-sizes",
        .axis = "bytes moved",
        .unit = "B",
        .factor = 1,
        .kinds = 2,
        .name = names,
        .hist = s->sums.size,
        .chart = {.title = "Sizes of reads and writes",
                  .text = "How many reads and writes moved how many bytes",
                  .metric = "sizes",
                  .measure = "calls",
                  .log = 1,
                  .classes = 1}};
    const struct octaves durations = {
        .id = "fig-durations",
        .axis = "duration",
        .unit = "s",
        .factor = 1e-9,
        .kinds = SCAN_CLASSES,
        .name = names,
        .hist = s->sums.latency,
        .chart = {.title = "Durations of calls",
                  .text = "How many calls took how long",
                  .metric = "durations",
                  .measure = "calls",
                  .log = 1,
                  .classes = 1}};

    octaves_figure (out, &sizes);
    octaves_figure (out, &durations);
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

static void
callfig_steps_caption (FILE *out, const struct hist *h, size_t drawn)
{
    char a[WORDS_MAX], b[WORDS_MAX], c[WORDS_MAX];

    html_caption (out);
    html_format (out,
                 "%" PRIu64 " steps (compute/step): shortest %s, median %s, "
                 "longest %s.",
                 h->count, value_words (a, h->min / 1e9, "s"),
                 value_words (b, hist_quantile (h, .5) / 1e9, "s"),
                 value_words (c, h->max / 1e9, "s"));
    if (drawn < h->count)
        html_format (out, " %zu of them are drawn, evenly chosen.", drawn);
    html_caption_end (out);
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
    struct dot *dot = ZEROED (dot, DOTS_MAX + 1);
    size_t groups = 0, dots = 0, every = sums->step_count / DOTS_MAX + 1;
    char names[STYLE_SERIES][24];
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
    for (size_t i = 0; i < groups; i++) {
        FORMAT (names[i], seen[i] < 0 ? "no rank" : "rank %d", seen[i]);
        name[i] = names[i];
    }
    if (others)
        name[groups++] = "other ranks";
    if (dots) {
        html_figure (out, "fig-steps", c.title);
        chart_dots (
            out, &c,
            &(struct dots){bins_seconds (&s->bins), dot, dots, groups, name});
        callfig_steps_caption (out, &sums->steps, dots);
    }
    free (dot);
}

/* --- workers ----------------------------------------------------------------
 */

static void
callfig_worker_row (struct rowbars *b, const struct jobdata *d, size_t row)
{
    static const char *const column[] = {"rank", "exe", "host", "pid"};
    const struct textable *t = d->table[VIEW_process];
    char buf[4][TEXTABLE_NUMBER_MAX];
    const char *cell[4];
    char *name;

    for (size_t i = 0; i < 4; i++)
        cell[i] = textable_cell (t, row, textable_find (t, column[i]), buf[i]);
    name = fig_process_name (cell[0], cell[1], cell[2], cell[3]);
    rowbars_row (b, name);
    free (name);
}

/* Data loader workers: how much of their life they work. */
void fig_workers (FILE *out, const struct jobdata *d)
{
    static const char *const part[] = {"data loader"};
    static const struct chart c = {
        .title = "Occupancy of data loader workers",
        .text = "Share of each worker's life in loader regions",
        .metric = "occupancy",
        .measure = "busy",
        .unit = "%",
        .classes = 1};
    struct rowbars *b = rowbars_create (1, part);
    size_t all = 0;

    for (size_t r = 0; r < textable_rows (d->table[VIEW_process]); r++) {
        double busy = jobdata_number (d, VIEW_process, r, "loader_s");
        double life = jobdata_number (d, VIEW_process, r, "time_s");

        if (!(busy > 0) || !(life > 0) || all++ >= SCAN_ROWS_MAX)
            continue;
        callfig_worker_row (b, d, r);
        rowbars_value (b, 0, 100 * busy / life);
    }
    if (all) {
        html_figure (out, "fig-workers", c.title);
        rowbars_draw (out, &c, b, 100);
        html_caption (out);
        html_text (out, "Processes with loader regions; their own time in "
                        "them over the time they lived.");
        if (all > SCAN_ROWS_MAX)
            html_format (out, " The first %d of %zu.", SCAN_ROWS_MAX, all);
        html_caption_end (out);
    }
    rowbars_destroy (b);
}

/* --- figures of a job's checkpoints -----------------------------------------
 */

enum { PARTS = 6, NAMES = 2 };

/* A table as rows of bars made of some of its columns. */
struct breakdown {
    const char *id, *part[PARTS], *column[PARTS], *caption;
    size_t parts;
    struct chart chart;
    enum view view;
    const char *name[NAMES]; /* columns of a row's name; the second may be
                                NULL */
};

static char *
breakdown_name (const struct breakdown *b, const struct textable *t, size_t row)
{
    char buf[NAMES][TEXTABLE_NUMBER_MAX];
    const char *first =
        textable_cell (t, row, textable_find (t, b->name[0]), buf[0]);

    if (!b->name[1])
        return xstrdup (first);
    return xasprintf (
        "%s%s%s%s", *first ? "rank " : "", first, *first ? ", " : "",
        textable_cell (t, row, textable_find (t, b->name[1]), buf[1]));
}

static void breakdown_fill (struct rowbars *bars,
                            const struct jobdata *d,
                            const struct breakdown *b,
                            size_t rows)
{
    for (size_t r = 0; r < rows; r++) {
        char *name = breakdown_name (b, d->table[b->view], r);

        rowbars_row (bars, name);
        free (name);
        for (size_t k = 0; k < b->parts; k++)
            rowbars_value (bars, k,
                           jobdata_number (d, b->view, r, b->column[k]));
    }
}

static void fig_checkpoints_breakdown (FILE *out,
                                       const struct jobdata *d,
                                       const struct breakdown *b)
{
    size_t all = textable_rows (d->table[b->view]);
    size_t n = MIN (all, SCAN_ROWS_MAX);
    struct rowbars *bars = rowbars_create (b->parts, b->part);

    breakdown_fill (bars, d, b, n);
    if (rowbars_longest (bars) > 0) {
        html_figure (out, b->id, b->chart.title);
        rowbars_draw (out, &b->chart, bars, 0);
        html_caption (out);
        html_text (out, b->caption);
        if (n < all)
            html_format (out, " The first %zu of %zu.", n, all);
        html_caption_end (out);
    }
    rowbars_destroy (bars);
}

void fig_checkpoints (FILE *out, const struct jobdata *d)
{
    static const struct breakdown ranks = {
        .id = "fig-checkpoints",
        .part = {"gather", "serialise", "open, rename", "write", "sync",
                 "asynchronous"},
        .column = {"gather_s", "serialise_s", "meta_s", "write_s", "sync_s",
                   "checkpoint_async_s"},
        .parts = PARTS,
        .caption = "What held up the threads that train, and the writes beside "
                   "them.",
        .chart = {.title = "Time in checkpoints by rank",
                  .text = "Seconds each rank spent in checkpoints, blocking "
                          "training or beside it",
                  .metric = "checkpoint_s",
                  .measure = "time",
                  .unit = "s",
                  .classes = 1},
        .view = VIEW_checkpoint,
        .name = {"rank", "host"}};
    static const struct breakdown kinds = {
        .id = "fig-checkpoint-kinds",
        .part = {"written", "read"},
        .column = {"write_bytes", "read_bytes"},
        .parts = 2,
        .caption = "Kinds by the names of files: dftrace help metrics.",
        .chart = {.title = "Bytes of checkpoints by kind of file",
                  .text = "Bytes written and read of optimizer state, layers "
                          "and other checkpoint files",
                  .metric = "checkpoint_kind_bytes",
                  .measure = "bytes",
                  .unit = "B",
                  .classes = 1},
        .view = VIEW_checkpointkind,
        .name = {"kind"}};

    fig_checkpoints_breakdown (out, d, &ranks);
    fig_checkpoints_breakdown (out, d, &kinds);
}

/* --- the call tree of a job as a flame graph --------------------------------
 */

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
        double all = node->total, below = f->below[n];
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
        FORMAT (category, "others");
    memcpy (f->category[f->categories], category, sizeof (category));
    f->name[f->categories] = f->category[f->categories];
    return f->categories++;
}

/* --- drawing ----------------------------------------------------------------
 */

static const struct chart figtree_chart = {
    .title = "Call tree",
    .text = "Regions inside each other from top to bottom, calls below them; "
            "the width is their time",
    .classes = 1};

static const char *
figtree_class (struct figtree *f, const char *label, char class[24])
{
    size_t i = figtree_series (f, label);

    return chart_class (&figtree_chart, 'c', f->name[i], i, class);
}

static void figtree_frame (FILE *out, struct figtree *f, uint32_t n, double top)
{
    const struct calltree_node *node = &f->tree->node[n];
    const char *label = calltree_label (f->tree, n);
    double all = f->tree->node[CALLTREE_ROOT].total;
    double width = figtree_width (f, n), y = top + node->depth * FIGTREE_ROW;
    char tip[2 * FIGTREE_LABEL], value[32], text[FIGTREE_LABEL], class[24];
    char total[WORDS_MAX], self[WORDS_MAX];
    const struct svg_data data = {
        .metric = "tree", .point = label, .value = value, .tip = tip};

    FORMAT (value, "%.9g", node->total / 1e9);
    FORMAT (tip, "%.200s: %s, %.1f %%; %s of its own; %llu times", label,
            value_words (total, node->total / 1e9, "s"),
            all > 0 ? 100 * (double)node->total / all : 0,
            value_words (self, node->self > 0 ? node->self / 1e9 : 0, "s"),
            (unsigned long long)node->count);
    svg_rect (out,
              (struct svg_box){f->x[n], y, width > 1 ? width - 0.5 : width,
                               FIGTREE_HEIGHT},
              n == CALLTREE_ROOT ? "frame" : figtree_class (f, label, class),
              &data);
    if (width < FIGTREE_LEAST)
        return;
    if (n != CALLTREE_ROOT && strchr (label, '/'))
        label = strchr (label, '/') + 1;
    text_fit (text, sizeof (text), label, width - 2 * FIGTREE_PAD, SVG_FONT);
    if (text_width (text, SVG_FONT) <= width - 2 * FIGTREE_PAD)
        svg_text (out, f->x[n] + FIGTREE_PAD, y + FIGTREE_HEIGHT / 2.0,
                  SVG_START, n == CALLTREE_ROOT ? "strong" : "on", text);
}

static void figtree_draw (FILE *out, struct figtree *f)
{
    struct legend legend;
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
    legend = (struct legend){&figtree_chart, 0,       CHART_WIDTH,
                             FIGTREE_LEGEND, f->name, f->categories};
    top = chart_legend (NULL, &legend) + FIGTREE_LEGEND;
    html_figure (out, "fig-tree", figtree_chart.title);
    chart_begin (out, &figtree_chart, CHART_WIDTH,
                 top + (double)(f->depth + 1) * FIGTREE_ROW);
    chart_legend (out, &legend);
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

static void figtree_make (struct figtree *f, const struct calltree *tree)
{
    f->tree = tree;
    f->order = calltree_order (tree, &f->count);
    NEW (f->x, tree->nodes);
    NEW (f->scale, tree->nodes);
    NEW (f->next, tree->nodes);
    NEW (f->below, tree->nodes);
    figtree_place (f);
}

void fig_tree (FILE *out, const struct jobdata *d)
{
    const struct calltree_asked asked = {NULL, GROUP_KEYS, NULL, 0};
    struct figtree *f = ZEROED (f, 1);
    struct calltree tree = {.nodes = 0};
    struct errtext err;

    if (calltree_make (&tree, d->result.job, &asked, &err) < 0)
        xalloc_die (); /* what can be read is known */
    if (tree.nodes > 1 && tree.node[CALLTREE_ROOT].total) {
        figtree_make (f, &tree);
        figtree_draw (out, f);
        free (f->order);
        free (f->x);
        free (f->scale);
        free (f->next);
        free (f->below);
    }
    calltree_clear (&tree);
    free (f);
}
