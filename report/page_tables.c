/* SPDX-License-Identifier: MIT
 *
 * page_tables.c - tables of a job -> sections of its page
 *
 * In:  tables/ of the job directory
 * Out: HTML; what not every job has is left out when it has no rows
 */
#include "config.h"

#include "report/page_tables.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "report/csv.h"
#include "report/html.h"
#include "report/page.h"
#include "report/words.h"

enum { FILES_MAX = 25, RANKS_MAX = 64 };

/* A table that is shown, and how many of its rows (0: all). */
static const struct shown {
    const char *name;
    size_t table, most; /* table: where struct jobdata has it */
} shown_tables[] = {
#define SHOWN(TABLE, MOST)                            \
    {                                                 \
#TABLE, offsetof(struct jobdata, TABLE), MOST \
    }
    SHOWN (calls, 0),           SHOWN (operations, 0),
    SHOWN (ranks, RANKS_MAX),   SHOWN (gap, 0),
    SHOWN (startup, RANKS_MAX), SHOWN (checkpoints, RANKS_MAX),
    SHOWN (checkpointkinds, 0), SHOWN (mappings, FILES_MAX),
    SHOWN (faults, 0),          SHOWN (fault_workers, RANKS_MAX),
    SHOWN (kinds, 0),           SHOWN (files, FILES_MAX),
#undef SHOWN
};

static size_t rows_shown (const struct jobdata *d, const char *name)
{
    for (size_t i = 0; i < sizeof (shown_tables) / sizeof (shown_tables[0]);
         i++) {
        const struct shown *s = &shown_tables[i];
        size_t rows;

        if (strcmp (s->name, name) != 0)
            continue;
        rows =
            csv_rows (*(const struct csv *const *)((const char *)d + s->table));
        return s->most && rows > s->most ? s->most : rows;
    }
    return 0;
}

int page_tables_row (const struct jobdata *d, const char *name, size_t row)
{
    return row > 0 && row <= rows_shown (d, name);
}

/* A column of a table: factor and unit as its values are shown. */
struct column {
    const char *name, *title, *unit; /* unit NULL: text; "us": in µs */
    int percentile; /* of the row of percentiles.csv with the same names */
};

/* The cell of percentiles.csv that belongs to a row of calls.csv or
 * operations.csv. */
static const char *percentile (const struct csv *p,
                               const struct csv *c,
                               size_t row,
                               const char *column)
{
    const char *category = csv_get (c, row, "category");
    const char *name =
        csv_get (c, row, csv_find (c, "call") >= 0 ? "call" : "name");

    for (size_t i = 0; i < csv_rows (p); i++)
        if (strcmp (csv_get (p, i, "name"), name) == 0 &&
            strcmp (csv_get (p, i, "category"), category) == 0)
            return csv_get (p, i, column);
    return "";
}

static void put_value (FILE *out,
                       const struct jobdata *d,
                       const struct csv *c,
                       size_t row,
                       const struct column *col)
{
    const char *text = col->percentile
                           ? percentile (d->percentiles, c, row, col->name)
                           : csv_get (c, row, col->name);
    char buf[WORDS_MAX];
    double v = cell_number (text);

    if (!col->unit) {
        page_td (out, strcmp (col->name, "file") == 0 ? "path" : "t", text);
        return;
    }
    if (strcmp (col->unit, "us") != 0 || isnan (v)) {
        page_number (out, text, col->unit, NULL);
        return;
    }
    (void)fputs ("<td data-v=\"", out);
    html_text (out, text);
    (void)fprintf (out, "\">%s</td>", value_words (buf, v / 1e6, "s"));
}

static void put_table (FILE *out,
                       const struct jobdata *d,
                       const char *id,
                       const char *heading,
                       const struct csv *c,
                       const struct column *col,
                       size_t columns)
{
    size_t rows = csv_rows (c), shown = rows_shown (d, id);

    html_section (out, id, heading);
    if (shown < rows)
        (void)fprintf (out,
                       "<p class=\"note\">The first %zu of %zu; all are "
                       "in tables/%s.csv.</p>",
                       shown, rows, id);
    page_table (out, 1);
    for (size_t i = 0; i < columns; i++)
        page_th (out, col[i].unit ? NULL : "t", col[i].title, NULL);
    page_table_body (out);
    for (size_t r = 0; r < shown; r++) {
        (void)fprintf (out, "<tr id=\"%s-%zu\">", id, r + 1);
        for (size_t i = 0; i < columns; i++)
            put_value (out, d, c, r, &col[i]);
        (void)fputs ("</tr>\n", out);
    }
    page_table_end (out);
    html_section_end (out);
}

void page_tables (FILE *out, const struct jobdata *d)
{
    static const struct column calls[] = {
        {"category", "layer", NULL, 0},  {"call", "call", NULL, 0},
        {"count", "count", "", 0},       {"errors", "errors", "", 0},
        {"bytes", "bytes", "B", 0},      {"sum_s", "sum", "s", 0},
        {"union_s", "union", "s", 0},    {"mean_us", "mean", "us", 0},
        {"min_us", "shortest", "us", 1}, {"p25_us", "25 %", "us", 1},
        {"p50_us", "median", "us", 0},   {"p75_us", "75 %", "us", 1},
        {"p95_us", "95 %", "us", 0},     {"p99_us", "99 %", "us", 0},
        {"max_us", "longest", "us", 0},  {"bandwidth", "MiB/s", "", 0},
    };
    static const struct column operations[] = {
        {"category", "category", NULL, 0}, {"name", "name", NULL, 0},
        {"count", "count", "", 0},         {"sum_s", "sum", "s", 0},
        {"self_s", "itself", "s", 0},      {"mean_us", "mean", "us", 0},
        {"min_us", "shortest", "us", 1},   {"p25_us", "25 %", "us", 1},
        {"p50_us", "median", "us", 0},     {"p75_us", "75 %", "us", 1},
        {"p95_us", "95 %", "us", 0},       {"p99_us", "99 %", "us", 0},
        {"max_us", "longest", "us", 0},
    };
    static const struct column ranks[] = {
        {"rank", "rank", NULL, 0},
        {"host", "host", NULL, 0},
        {"pid", "pid", NULL, 0},
        {"processes", "processes", "", 0},
        {"loader_s", "loader", "s", 0},
        {"stall_s", "waiting for data", "s", 0},
        {"compute_s", "compute", "s", 0},
        {"read_s", "reading", "s", 0},
        {"checkpoint_s", "checkpoints", "s", 0},
        {"checkpoint_write_s", "writing them", "s", 0},
    };
    static const struct column files[] = {
        {"file", "file", NULL, 0},         {"kind", "kind", NULL, 0},
        {"opens", "opens", "", 0},         {"reads", "reads", "", 0},
        {"read_bytes", "read", "B", 0},    {"read_s", "read time", "s", 0},
        {"writes", "writes", "", 0},       {"write_bytes", "written", "B", 0},
        {"write_s", "write time", "s", 0}, {"maps", "maps", "", 0},
        {"meta", "other", "", 0},
    };
    static const struct column kinds[] = {
        {"kind", "kind", NULL, 0},         {"files", "files", "", 0},
        {"opens", "opens", "", 0},         {"reads", "reads", "", 0},
        {"read_bytes", "read", "B", 0},    {"read_s", "read time", "s", 0},
        {"writes", "writes", "", 0},       {"write_bytes", "written", "B", 0},
        {"write_s", "write time", "s", 0}, {"maps", "maps", "", 0},
    };
    static const struct column mappings[] = {
        {"file", "file", NULL, 0},
        {"processes", "processes", "", 0},
        {"mapped_bytes", "mapped", "B", 0},
        {"touched_bytes", "touched", "B", 0},
        {"storage_bytes", "from storage", "B", 0},
        {"amplification", "storage / touched", "", 0},
        {"ahead_share", "never touched, %", "", 0},
        {"warm_share", "warm, %", "", 0},
        {"faults", "major faults", "", 0},
        {"stall_s", "stall", "s", 0},
    };
    static const struct column faults[] = {
        {"category", "category", NULL, 0},
        {"name", "region", NULL, 0},
        {"regions", "regions with faults", "", 0},
        {"faults", "major faults", "", 0},
        {"storage_bytes", "from storage", "B", 0},
        {"stall_s", "stall", "s", 0},
        {"stall_by", "known by", NULL, 0},
        {"system_s", "in the kernel", "s", 0},
        {"used_bytes", "used", "B", 0},
        {"amplification", "storage / used", "", 0},
    };
    static const struct column fault_workers[] = {
        {"host", "host", NULL, 0},
        {"pid", "pid", NULL, 0},
        {"rank", "rank", NULL, 0},
        {"storage_bytes", "from storage", "B", 0},
        {"fault_bytes", "by faults", "B", 0},
        {"call_bytes", "by calls", "B", 0},
        {"touched_bytes", "touched", "B", 0},
        {"faults", "major faults", "", 0},
        {"stall_s", "stall", "s", 0},
        {"sources", "known from", NULL, 0},
    };
    static const struct column checkpoints[] = {
        {"rank", "rank", NULL, 0},
        {"host", "host", NULL, 0},
        {"writes", "writes", "", 0},
        {"bytes", "written", "B", 0},
        {"write_s", "in writes", "s", 0},
        {"bandwidth", "MiB/s", "", 0},
        {"of_best", "of the best rank, %", "", 0},
        {"blocking_s", "blocking", "s", 0},
        {"async_s", "asynchronous", "s", 0},
        {"straggler", "straggler", NULL, 0},
    };
    static const struct column checkpointkinds[] = {
        {"kind", "kind", NULL, 0},        {"files", "files", "", 0},
        {"writes", "writes", "", 0},      {"write_bytes", "written", "B", 0},
        {"write_s", "in writes", "s", 0}, {"write_bandwidth", "MiB/s", "", 0},
        {"reads", "reads", "", 0},        {"read_bytes", "read", "B", 0},
        {"read_s", "in reads", "s", 0},
    };
    static const struct column gap[] = {
        {"part", "part", NULL, 0},       {"value", "value", "", 0},
        {"unit", "unit", NULL, 0},       {"share", "share, %", "", 0},
        {"what", "what it is", NULL, 0},
    };
    static const struct column startup[] = {
        {"rank", "rank", NULL, 0},
        {"host", "host", NULL, 0},
        {"start_s", "began", "s", 0},
        {"first_step_s", "first step", "s", 0},
        {"index_build_s", "built the index", "s", 0},
        {"wait_s", "waited", "s", 0},
        {"wait_known_by", "known by", NULL, 0},
        {"index_reads", "reads of the index", "", 0},
        {"index_maps", "maps of it", "", 0},
        {"index_mapped_bytes", "mapped", "B", 0},
    };
#define PUT(TABLE, HEADING)                              \
    put_table (out, d, #TABLE, HEADING, d->TABLE, TABLE, \
               sizeof (TABLE) / sizeof (TABLE[0]))
#define PUT_ANY(TABLE, HEADING) \
    if (csv_rows (d->TABLE))    \
    PUT (TABLE, HEADING)
    PUT (calls, "Calls");
    PUT (operations, "Operations of the application");
    PUT (ranks, "Ranks");
    PUT_ANY (gap, "Where the time and the bandwidth of training go");
    PUT_ANY (startup, "Start of the ranks");
    PUT_ANY (checkpoints, "Checkpoints by rank");
    PUT_ANY (checkpointkinds, "Checkpoint files by kind");
    PUT_ANY (mappings, "Mapped files");
    PUT_ANY (faults, "Page faults by region");
    PUT_ANY (fault_workers, "Page faults by process");
    PUT (kinds, "Files on storage by kind");
    PUT (files, "Files");
#undef PUT_ANY
#undef PUT
}
