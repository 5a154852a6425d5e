/* SPDX-License-Identifier: MIT
 *
 * fig_timemap.c - figures over time of a job that has a profile
 *
 * In:  the table of what was moved when
 * Out: figures as HTML and SVG, to a stream
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "lib/chart/chart.h"
#include "lib/chart/chart_time.h"
#include "lib/chart/html.h"
#include "lib/chart/words.h"
#include "analyze/report/job/fig_job.h"

enum { FIGMAP_SERIES = 3 };

struct figmap {
    const char *id;
    struct chart chart;
    size_t series;
    const char *name[FIGMAP_SERIES];
    const char *column[FIGMAP_SERIES];
    double unit; /* of what is in the column, by second */
    const char *caption;
};

static int
figmap_put (FILE *out, const struct jobdata *d, const struct figmap *f)
{
    size_t rows = textable_rows (d->table[VIEW_timemap]);
    double *value = calloc (rows * FIGMAP_SERIES + 1, sizeof (*value));
    double width = jobdata_number (d, VIEW_timemap, 0, "seconds");
    double *values[FIGMAP_SERIES];
    char words[WORDS_MAX];

    if (!value)
        return -1;
    for (size_t s = 0; s < f->series; s++) {
        values[s] = value + s * rows;
        for (size_t i = 0; i < rows; i++)
            values[s][i] = jobdata_number (d, VIEW_timemap, i, f->column[s]) /
                           f->unit / width;
    }
    html_figure (out, f->id, f->chart.title);
    chart_rates (out, &f->chart, (double)rows * width, rows, f->series, f->name,
                 values);
    html_figure_end (out, "%s of each %s.", f->caption,
                     value_words (words, width, "s"));
    free (value);
    return 0;
}

int fig_timemap (FILE *out, const struct jobdata *d)
{
    static const struct figmap bandwidth = {
        .id = "fig-rates",
        .chart = {.title = "Bandwidth over time",
                  .text = "Bytes per second of all processes together, read "
                          "and written",
                  .metric = "rate",
                  .measure = "bandwidth",
                  .unit = "MiB/s"},
        .series = 2,
        .name = {"read", "written"},
        .column = {"read_bytes", "write_bytes"},
        .unit = 1 << 20,
        .caption =
            "From the maps of time of profiles, and the events of what was "
            "traced in full: all processes, files on storage, bytes of the "
            "calls that began in it, mean"};
    static const struct figmap busy = {
        .id = "fig-busy",
        .chart = {.title = "Threads in I/O over time",
                  .text = "How many threads of all processes were inside a "
                          "call, mean",
                  .metric = "threads",
                  .measure = "threads",
                  .unit = ""},
        .series = 3,
        .name = {"reading", "writing", "other calls"},
        .column = {"read_s", "write_s", "other_s"},
        .unit = 1,
        .caption =
            "From the maps of time of profiles, and the events of what was "
            "traced in full: all processes, files on storage, time in calls "
            "divided by the length of the stretch, mean"};

    struct figmap moved = bandwidth;

    moved.caption = "From the heat maps of logs of Darshan: all processes, "
                    "bytes of POSIX and streams, mean";
    if (!textable_rows (d->table[VIEW_timemap]))
        return 0;
    if (isnan (jobdata_number (d, VIEW_timemap, 0, busy.column[0])))
        return figmap_put (out, d, &moved);
    return figmap_put (out, d, &bandwidth) < 0 ? -1
                                               : figmap_put (out, d, &busy);
}
