/* SPDX-License-Identifier: MIT
 *
 * compatview.c - DFAnalyzer's numbers -> its tables, and the exact one
 *
 * In:  struct compat, from compat.c
 * Out: columns and rows with its titles and its digits
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyze/compat/compat.h"

enum { MB = 1 << 20 }; /* what DFAnalyzer calls so */

static double compatview_per (double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* --- summary ---------------------------------------------------------- */

static void metric (struct textable *t,
                    const char *title,
                    const char *what,
                    const char *unit,
                    double value,
                    int digits)
{
    char name[128];

    (void)snprintf (name, sizeof (name), "%s%s", title, what);
    textable_row (t);
    textable_text (t, name);
    textable_text (t, unit);
    if (digits)
        textable_double (t, value, digits);
    else
        textable_uint (t, (uint64_t)value);
}

static struct textable *summary (const struct compat *c, enum compat_view view)
{
    struct textable *t = textable_create ();
    uint64_t total = 0;

    if (!t)
        return NULL;
    textable_column (t, "metric", "Metric", "", 0);
    textable_column (t, "unit", "Unit", "", 0);
    textable_column (t, "value", "Value", "", 1);
    for (size_t l = 0; l < c->layers.layers; l++)
        total += c->view[view][l].count;
    metric (t, "Job Time", "", "seconds", c->job_s, 3);
    if (c->version->rules & COMPAT_TOTALS) {
        metric (t, "Trace Count", "", "count", (double)c->events, 0);
        metric (t, "Profile Count", "", "count", 0, 0);
        metric (t, "Total Count", "", "count", (double)c->events, 0);
        metric (t, "Total Files", "", "count", (double)c->files, 0);
        metric (t, "Total Nodes", "", "count", (double)c->nodes, 0);
    } else
        metric (t, "Total Count", "", "count", (double)total, 0);
    metric (t, "Total Processes", "", "count", (double)c->processes, 0);
    for (size_t l = 0; l < c->layers.layers; l++) {
        const struct compat_layer *v = &c->view[view][l];
        const char *title = c->layers.layer[l].title;
        double mb = (double)v->bytes / MB;

        if (!v->count)
            continue;
        metric (t, title, " Count", "count", (double)v->count, 0);
        if (!v->bytes)
            continue;
        metric (t, title, " Size", "MB", mb, 3);
        metric (t, title, " Bandwidth", "MB/s", compatview_per (mb, v->time_s),
                3);
        metric (t, title, " Avg Transfer Size", "MB",
                compatview_per (mb, (double)v->count), 3);
    }
    return t;
}

/* --- layers ----------------------------------------------------------- */

/* "16.889 ( 17%)" */
static void put_with_fraction (struct textable *t,
                               const char *number,
                               const struct layer_def *layer,
                               double all,
                               double alone)
{
    char cell[64];

    if (!number) /* a dash for nothing */
        (void)snprintf (cell, sizeof (cell), "- (----)");
    else if (layer->overlap && all > 0)
        (void)snprintf (cell, sizeof (cell), "%s (%3.0f%%)", number,
                        100 * (1 - alone / all));
    else
        (void)snprintf (cell, sizeof (cell), "%s (----)", number);
    textable_text (t, cell);
}

static void put_count (struct textable *t,
                       const struct layer_def *layer,
                       const struct compat_layer *v)
{
    char number[32];

    if (v->count < 1000)
        (void)snprintf (number, sizeof (number), "%" PRIu64, v->count);
    else if (v->count < 1000000)
        (void)snprintf (number, sizeof (number), "%" PRIu64 ",%03" PRIu64,
                        v->count / 1000, v->count % 1000);
    else
        (void)snprintf (
            number, sizeof (number), "%" PRIu64 ",%03" PRIu64 ",%03" PRIu64,
            v->count / 1000000, v->count / 1000 % 1000, v->count % 1000);
    put_with_fraction (t, number, layer, (double)v->count, (double)v->u_count);
}

static void put_size (struct textable *t,
                      const struct layer_def *layer,
                      const struct compat_layer *v,
                      int dashes)
{
    char number[32];

    if (!layer->size) {
        textable_text (t, "-");
        textable_text (t, "-");
        return;
    }
    (void)snprintf (number, sizeof (number), "%.3f", (double)v->bytes / MB);
    put_with_fraction (t, dashes && !v->bytes ? NULL : number, layer,
                       (double)v->bytes, (double)v->u_bytes);
    if (dashes ? v->time_s > 0 : v->bytes > 0)
        textable_double (t, compatview_per ((double)v->bytes / MB, v->time_s),
                         3);
    else
        textable_text (t, "-");
}

static void layer_row (struct textable *t,
                       const struct layer_def *layer,
                       const struct compat_layer *v,
                       int dashes)
{
    const int nothing = dashes && v->time_s <= 0;
    char number[32];

    textable_row (t);
    textable_text (t, layer->title);
    (void)snprintf (number, sizeof (number), "%.3f", v->time_s);
    put_with_fraction (t, nothing ? NULL : number, layer, v->time_s,
                       v->u_time_s);
    put_count (t, layer, v);
    if (nothing)
        textable_na (t);
    else
        textable_double (t, compatview_per ((double)v->count, v->time_s), 3);
    put_size (t, layer, v, dashes);
}

static struct textable *compatview_breakdown (const struct compat *c,
                                              enum compat_view view)
{
    struct textable *t = textable_create ();

    if (!t)
        return NULL;
    textable_column (t, "layer", "Layer", "", 0);
    textable_column (t, "time", "Time (s)", "", 1);
    textable_column (t, "ops", "Ops", "", 1);
    textable_column (t, "ops_per_s", "Ops/sec", "", 1);
    textable_column (t, "size", "Size (MB)", "", 1);
    textable_column (t, "bandwidth", "Bandwidth (MB/s)", "", 1);
    for (size_t l = 0; l < c->layers.layers; l++)
        if (c->view[view][l].count)
            layer_row (t, &c->layers.layer[l], &c->view[view][l],
                       (c->version->rules & COMPAT_DASHES) != 0);
    return t;
}

/* --- exact ------------------------------------------------------------- */

static void exact_row (struct textable *t, const struct compat *c, size_t l)
{
    const struct compat_exact *e = &c->exact[l];
    const struct compat_layer *v = &c->view[COMPAT_PROCESS][l];

    textable_row (t);
    textable_text (t, c->layers.layer[l].title);
    textable_uint (t, v->count);
    textable_double (t, e->sum_s, 3);
    textable_double (t, e->union_s, 3);
    textable_double (t, e->union_s - e->job_overlap_s, 3);
    textable_double (t, 100 * compatview_per (e->job_overlap_s, e->union_s), 1);
    textable_double (t, 100 * compatview_per (e->rank_overlap_s, e->rank_sum_s),
                     1);
    if (v->bytes) {
        textable_uint (t, v->bytes);
        textable_double (t, compatview_per ((double)v->bytes / MB, e->union_s),
                         3);
    } else {
        textable_na (t);
        textable_na (t);
    }
}

static struct textable *exact (const struct compat *c)
{
    struct textable *t = textable_create ();

    if (!t)
        return NULL;
    textable_column (t, "layer", "layer", "", 0);
    textable_column (t, "count", "count", "", 1);
    textable_column (t, "sum_s", "sum", "s", 1);
    textable_column (t, "union_s", "union", "s", 1);
    textable_column (t, "unoverlapped_s", "without\ncompute", "s", 1);
    textable_column (t, "overlap_job", "overlap\nin job", "%", 1);
    textable_column (t, "overlap_process", "in\nprocesses", "%", 1);
    textable_column (t, "bytes", "bytes", "", 1);
    textable_column (t, "bandwidth", "bytes/union", "MiB/s", 1);
    for (size_t l = 0; l < c->layers.layers; l++)
        if (c->view[COMPAT_PROCESS][l].count)
            exact_row (t, c, l);
    return t;
}

/* --- all ---------------------------------------------------------------- */

static int print (struct textable *t,
                  const char *heading,
                  FILE *out,
                  enum table_format format)
{
    int rc = -1;

    if (format == TABLE_TEXT)
        (void)fprintf (out, "%s\n", heading);
    else if (format == TABLE_MARKDOWN)
        (void)fprintf (out, "## %s\n\n", heading);
    if (t)
        rc = textable_print (t, out, format);
    (void)fputc ('\n', out);
    textable_destroy (t);
    return rc;
}

int compat_print (const struct compat *c, FILE *out, enum table_format format)
{
    static const char *const headings[COMPAT_VIEWS][2] = {
        {"Process Summary", "Layer Breakdown (w/ overlap %)"},
        {"Time Period Summary", "Layer Breakdown (w/ overlap %)"},
    };
    char says[128];
    int rc = 0;

    for (int v = 0; v < COMPAT_VIEWS; v++) {
        (void)snprintf (says, sizeof (says), "%s (as DFAnalyzer %s says)",
                        headings[v][0], c->version->release);
        rc |= print (summary (c, (enum compat_view)v), says, out, format);
        rc |= print (compatview_breakdown (c, (enum compat_view)v),
                     headings[v][1], out, format);
    }
    rc |= print (exact (c), "Exactly: unions and intersections of intervals",
                 out, format);
    return rc < 0 ? -1 : 0;
}
