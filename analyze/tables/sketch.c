/* SPDX-License-Identifier: MIT
 *
 * sketch.c - times of a job -> bars and a map of blocks, for a terminal
 *
 * In:  struct summary, struct query_answer
 * Out: lines of text
 */
#include "config.h"

#include "analyze/tables/groups.h"

#include <langinfo.h>
#include <locale.h>

#include "lib/base/array.h"
#include "lib/util/spool.h"
#include "lib/util/optparse.h"
#include "lib/util/terminal.h"
#include "lib/util/xalloc.h"

enum {
    LABEL_PLACES = 28, /* of a row */
    BAR_PLACES = 40,
    MAP_ROWS = 24,
    MAP_EVENTS_MAX = 3000000 /* a second reading takes a moment at most */
};

int sketch_terminal (void)
{
    setlocale (LC_CTYPE, "");
    return terminal_shows (stdout) &&
           strcmp (nl_langinfo (CODESET), "UTF-8") == 0;
}

int sketch_width (void)
{
    int columns = terminal_columns (stdout);

    return columns ? columns : 80;
}

/* --- lines ------------------------------------------------------------------
 */

/* The label, cut at its left when it is too long: the ends of paths differ.
 * Control characters cannot move the cursor. */
static void put_label (FILE *out, const char *label)
{
    size_t places = 0, n = strlen (label);
    const char *p = label;

    for (size_t i = 0; i < n; i++)
        places += ((unsigned char)label[i] & 0xc0) != 0x80;
    for (; places > LABEL_PLACES; p++)
        places -= ((unsigned char)p[1] & 0xc0) != 0x80;
    fputs ("  ", out);
    for (; *p; p++)
        putc ((unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p, out);
    fprintf (out, "%*s", (int)(LABEL_PLACES - places) + 1, "");
}

static int bar_places (int width)
{
    int room = width - LABEL_PLACES - 3 - 22; /* "  1.23 ms  100.0 %" */

    return room < 8 ? 8 : room > BAR_PLACES ? BAR_PLACES : room;
}

static void put_bar (FILE *out,
                     const char *label,
                     uint64_t ns,
                     uint64_t most,
                     uint64_t all,
                     int places)
{
    char bar[BLOCKS_MAX], words[WORDS_MAX];
    int used = 0;

    put_label (out, label);
    blocks_bar (bar, ns, most, places);
    for (const char *p = bar; *p; p++)
        used += ((unsigned char)*p & 0xc0) != 0x80;
    fprintf (out, "%s%*s  %s", bar, places - used, "",
             value_words (words, ns / 1e9, "s"));
    if (all)
        fprintf (out, "  %.1f %%", 100.0 * (double)ns / (double)all);
    putc ('\n', out);
}

/* --- the whole job
 * ------------------------------------------------------------ */

void sketch_times (const struct summary *s, FILE *out, int width)
{
    static const struct {
        enum set set;
        const char *label;
    } rows[] = {
        {SET_COMPUTE, "compute"},
        {SET_STALL, "waiting for data"},
        {SET_LOADER, "data loader"},
        {SET_READ, "reading data files"},
        {SET_WRITE, "writing"},
        {SET_CHECKPOINT, "checkpoints"},
        {SET_BARRIER, "waiting in barriers"},
    };
    uint64_t all = s->end - s->start;
    char words[WORDS_MAX];
    int any = 0;

    for (size_t i = 0; i < ITEMS (rows); i++)
        any |= s->job_time[rows[i].set] > 0;
    if (!any)
        return;
    fprintf (out, "\nwhere %s of the job went, when any process was at it\n",
             value_words (words, all / 1e9, "s"));
    for (size_t i = 0; i < ITEMS (rows); i++)
        if (s->job_time[rows[i].set])
            put_bar (out, rows[i].label, s->job_time[rows[i].set], all, all,
                     bar_places (width));
}

/* --- one key: bars
 * --------------------------------------------------------------- */

static int longest_first (const void *a, const void *b)
{
    const struct query_cell *x = *(const struct query_cell *const *)a;
    const struct query_cell *y = *(const struct query_cell *const *)b;

    return ORDER (y->running, x->running) ?: strcmp (x->value[0], y->value[0]);
}

static int number_first (const void *a, const void *b)
{
    const char *x = (*(const struct query_cell *const *)a)->value[0];
    const char *y = (*(const struct query_cell *const *)b)->value[0];

    return query_number_order (x, y);
}

static void sketch_bars (
    const struct query_answer *a, int number, FILE *out, int width, size_t top)
{
    const struct query_cell **row = ZEROED (row, a->count + 1);
    uint64_t most = 0;

    for (size_t i = 0; i < a->count; i++) {
        row[i] = &a->cell[i];
        if (row[i]->running > most)
            most = row[i]->running;
    }
    SORT (row, a->count, number ? number_first : longest_first);
    for (size_t i = 0; i < a->count && (!top || number || i < top); i++)
        put_bar (out, row[i]->value[0], row[i]->running, most, 0,
                 bar_places (width));
    free (row);
}

/* --- two keys: a map
 * --------------------------------------------------------------- */

/* Values of one key, in order. */
struct side {
    const char **value; /* owned */
    size_t count;
};

static int sketch_by_number (const void *a, const void *b)
{
    return query_number_order (*(const char *const *)a,
                               *(const char *const *)b);
}

static int sketch_by_text (const void *a, const void *b)
{
    return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
side_make (struct side *s, const struct query_answer *a, int k, int number)
{
    s->count = 0;
    NEW (s->value, a->count);
    for (size_t i = 0; i < a->count; i++)
        s->value[i] = a->cell[i].value[k];
    SORT (s->value, a->count, number ? sketch_by_number : sketch_by_text);
    for (size_t i = 0; i < a->count; i++)
        if (i == 0 || strcmp (s->value[i], s->value[s->count - 1]) != 0)
            s->value[s->count++] = s->value[i];
}

static size_t side_find (const struct side *s, const char *value)
{
    for (size_t i = 0; i < s->count; i++)
        if (strcmp (s->value[i], value) == 0)
            return i;
    return 0;
}

/* Places of the terminal for the columns; several values share one. */
static size_t map_places (size_t columns, int width)
{
    size_t room =
        width > LABEL_PLACES + 13 ? (size_t)width - LABEL_PLACES - 5 : 8;

    if (room > BLOCKS_WIDTH_MAX)
        room = BLOCKS_WIDTH_MAX;
    return columns < room ? columns : room;
}

static void put_map (FILE *out,
                     const struct side *rows,
                     const double *cell,
                     size_t places,
                     double most)
{
    char line[BLOCKS_MAX];

    for (size_t r = 0; r < rows->count && r < MAP_ROWS; r++) {
        put_label (out, rows->value[r]);
        fprintf (out, "|%s|\n",
                 blocks_shades (line, cell + r * places, places, most));
    }
    if (rows->count > MAP_ROWS)
        fprintf (out, "  and %zu more\n", rows->count - MAP_ROWS);
}

static void
map (const struct query_answer *a, const struct query *q, FILE *out, int width)
{
    struct side rows, columns;
    double *cell, most = 0;
    char words[WORDS_MAX];
    size_t places;

    side_make (&rows, a, 0, query_key_is_number (&q->key[0]));
    side_make (&columns, a, 1, query_key_is_number (&q->key[1]));
    places = map_places (columns.count, width);
    NEW (cell, rows.count * places);
    for (size_t i = 0; i < a->count; i++) {
        size_t r = side_find (&rows, a->cell[i].value[0]);
        size_t c = side_find (&columns, a->cell[i].value[1]);
        double *x = &cell[r * places + c * places / columns.count];

        *x += a->cell[i].running / 1e9;
        if (*x > most)
            most = *x;
    }
    put_map (out, &rows, cell, places, most);
    if (columns.count)
        fprintf (out, "  %*s %s %s to %s, full is %s\n", LABEL_PLACES, "",
                 query_key_title (&q->key[1]), columns.value[0],
                 columns.value[columns.count - 1],
                 value_words (words, most, "s"));
    free (rows.value);
    free (columns.value);
    free (cell);
}

void sketch_groups (const struct query_answer *a,
                    const struct query *q,
                    FILE *out,
                    int width,
                    size_t top)
{
    if (q->keys > 2)
        return;
    fputs ("\ntime when at least one of the events was going on\n", out);
    if (q->keys == 1)
        sketch_bars (a, query_key_is_number (&q->key[0]), out, width, top);
    else
        map (a, q, out, width);
}

int sketch_ranks (const struct result *r,
                  const struct kind_rules *rules,
                  int threads,
                  FILE *out,
                  int width,
                  struct errtext *err)
{
    struct query q = {.keys = 2, .running = 1};
    struct query_answer cells = {0};
    struct where posix = {.terms = 0};

    if (r->summary->n.posix == 0 || r->summary->n.events > MAP_EVENTS_MAX)
        return 0;
    if (where_add (&posix, "cat=POSIX", err) < 0)
        return -1;
    q.key[0].what = r->summary->launched.found ? GROUP_rank : GROUP_process;
    q.key[1].what = GROUP_interval;
    q.where = &posix;
    if (groups_answer (&cells, &q, r, rules, threads, err) < 0)
        return -1;
    fprintf (out, "\ntime in POSIX calls by %s and time, s\n",
             query_key_title (&q.key[0]));
    map (&cells, &q, out, width);
    query_answer_clear (&cells);
    return 0;
}
