/* SPDX-License-Identifier: MIT
 *
 * whatif_answer.c - rounds of runs -> what each way saves, and what remains
 *
 * In:  times of all rounds, bills of traced runs
 * Out: a table and a sentence on the screen, what-if.json, what-if.html
 */
#include "config.h"

#include "analyze/report/page.h"
#include "cli/whatif.h"
#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/util/json.h"
#include "lib/util/xalloc.h"

/* ---- the table ---- */

enum { SAVED = 3, HALF, BOUND };

static const struct answer_column {
    const char *name, *title, *unit, *absent;
} columns[] = {{"fast", "", "", ""},
               {"time_s", "job", "s", ""},
               {"saved_s", "saved", "s", ""},
               [SAVED] = {"saved_percent", "saved", "%", ""},
               [HALF] = {"half_percent", "±", "%", "one round has no interval"},
               [BOUND] = {"trace_percent", "at most, by the trace", "%",
                          "no bill, or one with the start of the job"}};

static struct textable *answer_table (const struct whatif *w)
{
    struct textable *t = textable_create ();

    for (size_t i = 0; i < ITEMS (columns); i++)
        textable_column (t, columns[i].name, columns[i].title, columns[i].unit,
                         i > 0);
    for (size_t i = 0; i < w->ways; i++) {
        const struct way *way = &w->way[i];
        const double job = w->way[0].time.mean;

        textable_line (t, "%s %.3f", way->kind->title, way->time.mean);
        if (i)
            textable_cells (
                t, "%.3f %.1f %.1f %.1f", job - way->time.mean, way->saved.mean,
                way->half,
                isnan (way->bound) ? NAN : fmin (100 * way->bound / job, 100));
        else
            textable_cells (t, "- - - -");
    }
    return t;
}

/* ---- the sentence ---- */

/* The rank that the others wait for in the run of what remains; -1: none. */
static int answer_late_rank (const struct whatif *w)
{
    int rank = -1;

    for (size_t row = 0; row < csv_rows (w->findings); row++) {
        const char *of =
            strstr (csv_get (w->findings, row, "subject"), "(rank ");

        if (strcmp (csv_get (w->findings, row, "rule"), "late_rank") == 0 && of)
            (void)sscanf (of, "(rank %d", &rank);
    }
    return rank;
}

enum { REMAINS_LEAST = 2 /* percent of the job as it is, to be named */ };

static void answer_remains (const struct whatif *w, FILE *out)
{
    const double saved = w->way[w->ways - 1].saved.mean;
    const int late = answer_late_rank (w);
    const char *word = "; the rest is ";

    for (size_t row = 0; row < csv_rows (w->remains); row++) {
        double percent = csv_number (w->remains, row, "percent");
        const char *title = csv_get (w->remains, row, "title");
        char rank[48];

        percent *= 1 - fmax (saved, 0) / 100;
        if (isnan (percent) || percent < REMAINS_LEAST)
            continue;
        FORMAT (rank, "waiting for rank %d", late);
        if (late >= 0 &&
            strcmp (csv_get (w->remains, row, "cause"), "ranks") == 0)
            title = rank;
        fprintf (out, "%s%s (%.0f %%)", word, title, percent);
        word = ", ";
    }
}

/* Epochs inside one traced run: the first, and the mean of the later ones. */
static void answer_epochs (const struct whatif *w, FILE *out)
{
    const size_t n = csv_rows (w->epochs);
    double time[2] = {0, 0}, bytes[2] = {0, 0};
    char words[4][WORDS_MAX];

    for (size_t row = 0; row < n; row++) {
        double storage = csv_number (w->epochs, row, "sum_arg.mm.read");
        double epochs = row ? (double)(n - 1) : 1;

        time[row > 0] += csv_number (w->epochs, row, "union_s") / epochs;
        bytes[row > 0] += isnan (storage) ? 0 : storage / epochs;
    }
    if (n < 2 || isnan (time[0] + time[1]))
        return;
    fprintf (out,
             "Epochs of the traced run: the first one read for %s, %s of it "
             "from storage; the %zu later ones for %s each, %s from storage%s"
             ".\n",
             value_words (words[0], time[0], "s"),
             value_words (words[1], bytes[0], "B"), n - 1,
             value_words (words[2], time[1], "s"),
             value_words (words[3], bytes[1], "B"),
             bytes[0] > 2 * bytes[1] ? ": they found it in the page cache"
                                     : "");
}

/* A saving with its interval. */
static void
answer_saved (FILE *out, const char *title, double mean, double half)
{
    fprintf (out, "%s ", title);
    if (isnan (half))
        fprintf (out, "%.0f %% (one round: no interval)", mean);
    else if (fabs (mean) <= half)
        fprintf (out, "nothing that can be seen (%.1f ± %.1f %%)", mean, half);
    else
        fprintf (out, "%.1f ± %.1f %%", mean, half);
}

/* Print what data and metadata in memory save more than data alone. */
static void
answer_metadata (const struct whatif *w, const struct way *meta, FILE *out)
{
    const struct way *data = meta - 1; /* whatif_kind[] has it there */
    struct statistics less = {.n = 0};

    if (data->fast != FAST_DATA)
        return;
    for (int round = 0; round < w->done; round++)
        statistics_add (&less,
                        100 * (data->seconds[round] - meta->seconds[round]) /
                            w->way[0].seconds[round]);
    statistics_end (&less);
    answer_saved (out, ", of which metadata", less.mean,
                  statistics_half (&less));
}

static void answer_words (const struct whatif *w, FILE *out)
{
    for (size_t i = 1; i < w->ways; i++) {
        const struct way *way = &w->way[i];

        fprintf (out, "%s", i > 1 ? ", " : "Would save: ");
        answer_saved (out, way->kind->title, way->saved.mean, way->half);
        if (way->kind->fast & FAST_META)
            answer_metadata (w, way, out);
    }
    answer_remains (w, out);
    fprintf (out, ".\n");
    if (!whatif_is_narrow (w))
        fprintf (out, "After %d rounds not all are known to ± %d %%.\n",
                 w->done, w->within);
    answer_epochs (w, out);
}

/* ---- JSON, screen, page ---- */

void whatif_json (const struct whatif *w, FILE *out)
{
    struct textable *t = answer_table (w);
    struct json j;

    json_init (&j, out, 0);
    json_open (&j, NULL, '{');
    json_text (&j, "format", "dftrace-what-if");
    json_open (&j, "command", '[');
    for (char **word = w->argv; *word; word++)
        json_bytes (&j, NULL, *word, strlen (*word));
    json_close (&j, ']');
    json_int (&j, "rounds", w->done);
    json_int (&j, "seed", w->seed);
    json_bool (&j, "cold", w->run.cold);
    if (w->run.stop_after)
        json_text (&j, "times_of", "a line");
    textable_json (t, &j, "sides");
    json_open (&j, "seconds", '{');
    for (size_t i = 0; i < w->ways; i++) {
        json_open (&j, w->way[i].kind->name, '[');
        for (int round = 0; round < w->done; round++)
            json_double (&j, NULL, w->way[i].seconds[round]);
        json_close (&j, ']');
    }
    json_close (&j, '}');
    json_close (&j, '}');
    textable_destroy (t);
}

static const char *answer_times (const struct whatif *w)
{
    static char words[256];

    FORMAT (words, "%s%s%s%s",
            w->run.cold ? "as it is: data not in the page cache"
                        : "as it is: the page cache as earlier runs leave it",
            w->run.stop_after ? "; times are those of one line with \"" : "",
            w->run.stop_after ? w->run.stop_at : "",
            w->run.stop_after ? "\"" : "");
    return words;
}

void whatif_print (const struct whatif *w)
{
    struct textable *t = answer_table (w);

    if (w->format == TABLE_TEXT)
        printf ("%s: %d rounds of %zu runs in random order; %s\n\n", w->argv[0],
                w->done, w->ways, answer_times (w));
    textable_print (t, stdout, w->format);
    if (w->format == TABLE_TEXT) {
        printf ("\n");
        answer_words (w, stdout);
    }
    textable_destroy (t);
}

/* Savings with their intervals, and the bounds beside them. */
static void answer_figure (const struct textable *t, FILE *out)
{
    const struct chart c = {.title = "What each way saves",
                            .text = "Measured, with its interval, beside the "
                                    "bound by the trace",
                            .metric = "saved_percent",
                            .measure = "time of the job",
                            .unit = "%"};
    struct chart_grid g = chart_grid_create (1, 2, textable_rows (t) - 1);

    g.row[0] = "saved, measured";
    g.row[1] = "at most, by the trace";
    for (size_t i = 0; i < g.columns; i++) {
        double v = textable_number (t, i + 1, SAVED);
        double half = textable_number (t, i + 1, HALF);
        double bound = textable_number (t, i + 1, BOUND);
        char buf[3][TEXTABLE_NUMBER_MAX];

        g.column[i] = arena_text (textable_cell (t, i + 1, 0, buf[0]));
        g.cell[i] = (struct cell){
            .v = fmax (v, 0),
            .lo = isnan (half) ? NAN : fmax (v - half, 0),
            .hi = isnan (half) ? NAN : fmax (v + half, 0),
            .text = arena_text (textable_cell (t, i + 1, SAVED, buf[1])),
            .name = g.column[i]};
        g.cell[g.columns + i] = (struct cell){
            .v = bound,
            .lo = NAN,
            .hi = NAN,
            .text = arena_text (textable_cell (t, i + 1, BOUND, buf[2])),
            .name = g.column[i],
            .why = columns[BOUND].absent};
    }
    html_figure (out, "fig-saved", "What each way saves");
    chart_bars (out, &c, &g);
    html_figure_end (out,
                     "Mean over the rounds, with its 95 %% interval. At most, "
                     "by the trace: the part of a traced run in which calls of "
                     "this kind were going on in any thread or process, and "
                     "waiting for a CPU.");
}

static void answer_page_table (const struct textable *t, FILE *out)
{
    page_table (out, 0);
    for (size_t i = 0; i < ITEMS (columns); i++)
        page_th (out, i ? "n" : NULL, columns[i].title, columns[i].unit);
    page_table_body (out);
    for (size_t row = 0; row < textable_rows (t); row++) {
        char buf[TEXTABLE_NUMBER_MAX];

        page_row (out, NULL, 0);
        page_td (out, "t", textable_cell (t, row, 0, buf));
        for (int i = 1; i < (int)ITEMS (columns); i++)
            page_number (out, textable_cell (t, row, i, buf), columns[i].unit,
                         row ? columns[i].absent
                             : "the others are compared with it");
        page_row_end (out);
    }
    page_table_end (out);
}

void whatif_page (const struct whatif *w, FILE *out)
{
    struct textable *t = answer_table (w);
    char *words = NULL;
    size_t n = 0;
    FILE *f = xmemstream (&words, &n);

    answer_words (w, f);
    xmemstream_end (f);
    html_begin (out, "What would fast storage save?");
    fputs ("<p class=\"sub\">", out);
    for (char **word = w->argv; *word; word++)
        html_format (out, "%s ", *word);
    fputs ("</p>", out);
    html_paragraph (out, NULL, "%s", words);
    html_section (out, "saved", "Saved");
    answer_figure (t, out);
    answer_page_table (t, out);
    html_paragraph (out, "note",
                    "Rounds: %d, in random order; %s. An experiment: "
                    "outputs of the runs are not results of the job.",
                    w->done, answer_times (w));
    html_section_end (out);
    html_end (out, "dftrace what-if");
    free (words);
    textable_destroy (t);
}
