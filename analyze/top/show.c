/* SPDX-License-Identifier: MIT
 *
 * show.c - what processes do now -> a page of text
 *
 * In:  struct live, after a look
 * Out: a page, to the terminal or a file
 */
#include "config.h"

#include "analyze/top/show.h"

#include <stdlib.h>
#include <string.h>

#include "lib/util/blocks.h"
#include "lib/util/numwords.h"

enum { LINE_MAX_BYTES = 2048, CELL_WIDTH = 32 };

static const char *const order_name[] = {
#define SORT(NAME, HELP) #NAME,
#include "analyze/top/sorts.def"
#undef SORT
};

/* --- orders -----------------------------------------------------------------
 */

int show_order_parse (const char *word)
{
    for (int i = 0; i < SORT_COUNT; i++)
        if (strcmp (order_name[i], word) == 0)
            return i;
    return -1;
}

const char *show_order_name (enum show_order order)
{
    return order_name[order];
}

const char *show_order_words (void)
{
    static const char words[] = ""
#define SORT(NAME, HELP) " " #NAME
#include "analyze/top/sorts.def"
#undef SORT
        ;

    return words + 1;
}

/* What is compared, the larger the earlier. */
static uint64_t show_weight (const struct live_process *p,
                             enum show_order order,
                             uint64_t now_ns)
{
    switch (order) {
    case SORT_read:
        return p->now.bytes[0];
    case SORT_write:
        return p->now.bytes[1];
    case SORT_calls:
        return p->now.calls;
    case SORT_stall:
        return p->now.stall_ns;
    case SORT_idle:
        return p->last_ns && p->last_ns < now_ns ? now_ns - p->last_ns : 0;
    case SORT_pid:
        return UINT32_MAX - p->pid;
    default:
        return p->now.io_ns;
    }
}

struct ranked {
    const struct live_process *p;
    uint64_t weight;
    size_t number;
};

static int show_by_weight (const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->p->ended != y->p->ended)
        return x->p->ended - y->p->ended;
    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return x->number < y->number ? -1 : 1;
}

/* --- lines
 * -------------------------------------------------------------------- */

/* Without what could move the cursor or change its colour: names come from
 * files that anybody may have made. */
static void show_put_clean (char *buf, size_t size, const char *text)
{
    unsigned char before = 0;
    size_t n = 0;

    for (; *text && n + 1 < size; text++) {
        unsigned char c = (unsigned char)*text;
        int control =
            c < 0x20 || c == 0x7f || (before == 0xc2 && c >= 0x80 && c < 0xa0);

        buf[n++] = control ? '?' : *text;
        before = c;
    }
    buf[n] = '\0';
}

/* Print at most `columns` places of a line; a letter is one place. */
static void show_put_line (FILE *out, const char *line, int columns)
{
    int places = 0;

    for (; *line; line++) {
        places += ((unsigned char)*line & 0xc0) != 0x80;
        if (columns > 0 && places > columns)
            break;
        (void)putc (*line, out);
    }
    (void)putc ('\n', out);
}

/* Right-aligned in width places, a blank behind; text may be UTF-8. */
static void
show_put_cell (char *line, size_t *at, const char *text, int width, int left)
{
    int places = 0;

    for (const char *p = text; *p; p++)
        places += ((unsigned char)*p & 0xc0) != 0x80;
    for (int i = places; !left && i < width; i++)
        line[(*at)++] = ' ';
    *at += (size_t)snprintf (line + *at, LINE_MAX_BYTES / 2 - CELL_WIDTH, "%s",
                             text);
    for (int i = places; left && i < width; i++)
        line[(*at)++] = ' ';
    line[(*at)++] = ' ';
    line[*at] = '\0';
}

/* "12.3 MiB", "0"; per second. */
static const char *
show_rate (char *buf, uint64_t n, double seconds, const char *unit)
{
    return seconds > 0 ? value_words (buf, (double)n / seconds, unit) : "-";
}

/* Share of one thread's time, in percent. */
static const char *show_share (char *buf, uint64_t ns, double seconds)
{
    double percent;

    if (seconds <= 0)
        return "-";
    percent = (double)ns / seconds / 1e7;
    (void)snprintf (buf, WORDS_MAX, "%.*f%%", percent < 10, percent);
    return buf;
}

/* How long ago: "0.2 s", "3 min". */
static const char *
show_age (char *buf, const struct live_process *p, uint64_t now)
{
    double s;

    if (p->ended)
        return "ended";
    if (!p->last_ns)
        return "-";
    s = p->last_ns < now ? (double)(now - p->last_ns) / 1e9 : 0;
    if (s < 60)
        (void)snprintf (buf, WORDS_MAX, "%.1f s", s);
    else if (s < 3600)
        (void)snprintf (buf, WORDS_MAX, "%.0f min", s / 60);
    else
        (void)snprintf (buf, WORDS_MAX, "%.1f h", s / 3600);
    return buf;
}

static const struct {
    const char *title;
    int width, left;
} column[] = {
    {"PID", 7, 0},     {"HOST", 8, 1},    {"RANK", 4, 0},
    {"CALLS/S", 8, 0}, {"READ/S", 10, 0}, {"WRITE/S", 10, 0},
    {"IN I/O", 6, 0},  {"STALL", 6, 0},   {"LAST", 6, 0},
};
enum { COLUMNS = sizeof (column) / sizeof (column[0]) };

static void show_put_titles (FILE *out, const struct page *page, int jobs)
{
    char line[LINE_MAX_BYTES];
    size_t at = 0;

    if (jobs)
        show_put_cell (line, &at, "JOB", 16, 1);
    for (size_t i = 0; i < COLUMNS; i++)
        show_put_cell (line, &at, column[i].title, column[i].width,
                       column[i].left);
    show_put_cell (line, &at, "WHAT IT DOES, OR DID LAST", 0, 1);
    show_put_line (out, line, page->columns);
}

/* "in flock for 4.0 s: /tmp/lock" */
static void show_put_doing (char *line,
                            size_t *at,
                            const struct live_process *p,
                            uint64_t now)
{
    char what[LINE_MAX_BYTES / 4], file[LINE_MAX_BYTES / 8];
    uint64_t ns = now > p->doing_ns ? now - p->doing_ns : 0;

    show_put_clean (file, sizeof (file), p->doing_file);
    (void)snprintf (what, sizeof (what), "in %.32s for %.1f s%s%s", p->doing,
                    (double)ns / 1e9, *file ? ": " : "", file);
    show_put_cell (line, at, what, 0, 1);
}

static void show_put_process (FILE *out,
                              const struct page *page,
                              const struct live *l,
                              const struct live_process *p)
{
    char line[LINE_MAX_BYTES], word[COLUMNS][WORDS_MAX], host[9], job[17];
    char what[LINE_MAX_BYTES / 4];
    double s = live_seconds (l);
    size_t at = 0;
    const char *cell[COLUMNS];

    (void)snprintf (word[0], WORDS_MAX, "%u", p->pid);
    show_put_clean (host, sizeof (host), p->host);
    (void)snprintf (word[2], WORDS_MAX, p->rank < 0 ? "-" : "%d", p->rank);
    cell[0] = word[0];
    cell[1] = host;
    cell[2] = word[2];
    cell[3] = show_rate (word[3], p->now.calls, s, "");
    cell[4] = show_rate (word[4], p->now.bytes[0], s, "B");
    cell[5] = show_rate (word[5], p->now.bytes[1], s, "B");
    cell[6] = show_share (word[6], p->now.io_ns, s);
    cell[7] = show_share (word[7], p->now.stall_ns, s);
    cell[8] = show_age (word[8], p, page->now_ns);
    if (live_jobs (l) > 1) {
        show_put_clean (job, sizeof (job), p->job);
        show_put_cell (line, &at, job, 16, 1);
    }
    for (size_t i = 0; i < COLUMNS; i++)
        show_put_cell (line, &at, cell[i], column[i].width, column[i].left);
    (void)snprintf (line + at, sizeof (line) - at, "%s", "");
    if (p->doing_ns && !p->ended) {
        show_put_doing (line, &at, p, page->now_ns);
        show_put_line (out, line, page->columns);
        return;
    }
    show_put_clean (what, sizeof (what), *p->last ? p->last : p->command);
    show_put_cell (line, &at, what, 0, 1);
    if (*p->last) {
        show_put_clean (what, sizeof (what), p->file);
        show_put_cell (line, &at, what, 0, 1);
    }
    show_put_line (out, line, page->columns);
}

static void show_put_curve (FILE *out,
                            const struct page *page,
                            const struct live *l,
                            const char *title,
                            int write)
{
    char line[LINE_MAX_BYTES], word[WORDS_MAX], most[WORDS_MAX];
    char curve[BLOCKS_MAX];
    double past[LIVE_PAST], max = 0;
    size_t n = live_past (l, write, past);

    for (size_t i = 0; i < n; i++)
        if (past[i] > max)
            max = past[i];
    (void)snprintf (
        line, sizeof (line), "%-6s %10s/s  most %s/s  %s", title,
        show_rate (word, live_total (l)->bytes[write], live_seconds (l), "B"),
        value_words (most, max, "B"),
        page->utf8 ? blocks_curve (curve, past, n, max) : "");
    show_put_line (out, line, page->columns);
}

static void show_put_head (FILE *out,
                           const struct page *page,
                           const struct live *l,
                           size_t live)
{
    const struct live_sums *t = live_total (l);
    double s = live_seconds (l);
    char line[LINE_MAX_BYTES], title[LINE_MAX_BYTES / 4], word[WORDS_MAX],
        slowest[WORDS_MAX];

    show_put_clean (title, sizeof (title), page->title);
    (void)snprintf (line, sizeof (line),
                    "%s: %zu of %zu processes live, sorted by %s", title, live,
                    live_processes (l), show_order_name (page->order));
    show_put_line (out, line, page->columns);
    show_put_curve (out, page, l, "read", 0);
    show_put_curve (out, page, l, "write", 1);
    (void)snprintf (slowest, sizeof (slowest), "%.3f s",
                    (double)t->slowest_ns / 1e9);
    if (s > 0)
        (void)snprintf (
            line, sizeof (line),
            "%s calls/s, %.2f threads inside I/O calls, %.2f "
            "waiting for data, slowest call %s",
            show_rate (word, t->calls, s, ""), (double)t->io_ns / s / 1e9,
            (double)t->stall_ns / s / 1e9, t->counted ? "n/a" : slowest);
    else
        (void)snprintf (line, sizeof (line), "the first look: rates follow");
    show_put_line (out, line, page->columns);
    (void)putc ('\n', out);
}

/* The call that took longest in this interval, and whose it was. */
static void
show_put_slowest (FILE *out, const struct page *page, const struct live *l)
{
    const struct live_process *worst = NULL;
    char line[LINE_MAX_BYTES], what[LINE_MAX_BYTES / 4];

    for (size_t i = 0; i < live_processes (l); i++) {
        const struct live_process *p = live_process (l, i);

        if (p->now.slowest_ns &&
            (!worst || p->now.slowest_ns > worst->now.slowest_ns))
            worst = p;
    }
    if (!worst)
        return;
    show_put_clean (what, sizeof (what), worst->slowest);
    (void)snprintf (line, sizeof (line), "\nslowest: %.6f s, process %u: %s",
                    (double)worst->now.slowest_ns / 1e9, worst->pid, what);
    show_put_line (out, line, page->columns);
}

int show_page (const struct live *l, const struct page *page, FILE *out)
{
    size_t n = live_processes (l), live = 0, lost = 0;
    struct ranked *r = calloc (n + 1, sizeof (*r));

    if (!r)
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct live_process *p = live_process (l, i);

        r[i] =
            (struct ranked){p, show_weight (p, page->order, page->now_ns), i};
        live += !p->ended;
        lost += p->lost;
    }
    qsort (r, n, sizeof (*r), show_by_weight);
    show_put_head (out, page, l, live);
    show_put_titles (out, page, live_jobs (l) > 1);
    for (size_t i = 0; i < n && (page->rows == 0 || i < page->rows); i++)
        show_put_process (out, page, l, r[i].p);
    if (page->rows && n > page->rows)
        (void)fprintf (out, "and %zu more\n", n - page->rows);
    show_put_slowest (out, page, l);
    if (lost)
        (void)fprintf (out, "%zu events could not be recorded so far\n", lost);
    free (r);
    return 0;
}
