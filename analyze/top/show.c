/* SPDX-License-Identifier: MIT
 *
 * show.c - what processes do now -> a page of text
 *
 * In:  struct live, after a look
 * Out: a page, to the terminal or a file
 */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "analyze/top/show.h"
#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/model/view.h"
#include "lib/util/spool.h"
#include "lib/util/json.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

enum {
    NAME_BYTES = 511, /* of names and paths in a line */
    DOING_BYTES = 255,
    JOB_WIDTH = 16,
    HOST_WIDTH = 8
};

static const char *const order_name[SORT_COUNT] = {
    "io", "read", "write", "calls", "stall", "idle", "pid"};

/* --- orders -----------------------------------------------------------------
 */

int show_order_parse (const char *word)
{
    for (int i = 0; i < SORT_COUNT; i++)
        if (strcmp (order_name[i], word) == 0)
            return i;
    return -1;
}

/* Return the value to sort by, largest first. */
static uint64_t show_weight (const struct live_process *p,
                             enum show_order order,
                             uint64_t now_ns)
{
    static const enum live_sum sums[] = {[SORT_io] = LIVE_IO,
                                         [SORT_read] = LIVE_READ,
                                         [SORT_write] = LIVE_WRITTEN,
                                         [SORT_calls] = LIVE_CALLS,
                                         [SORT_stall] = LIVE_STALL};

    if (order < ITEMS (sums))
        return p->now[sums[order]];
    if (order == SORT_pid)
        return UINT32_MAX - p->pid;
    return p->last.ns && p->last.ns < now_ns ? now_ns - p->last.ns : 0;
}

struct ranked {
    const struct live_process *p;
    uint64_t weight;
    size_t number;
};

static int show_by_weight (const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->p->ended - y->p->ended
               ?: ORDER (y->weight, x->weight)
               ?: ORDER (x->number, y->number);
}

/* --- words ----------------------------------------------------------------
 */

/* At most n bytes, without what could move the cursor or change its colour:
 * names come from files that anybody may have made. */
static const char *show_clean (const char *text, size_t n)
{
    char *clean = arena_copy (text, strnlen (text, n));
    unsigned char before = 0;

    for (char *p = clean; *p; p++) {
        unsigned char c = (unsigned char)*p;

        if (c < 0x20 || c == 0x7f || (before == 0xc2 && c >= 0x80 && c < 0xa0))
            *p = '?';
        before = c;
    }
    return clean;
}

/* Right-aligned (or left) in width places, a blank behind; text may be UTF-8.
 */
static const char *show_cell (const char *text, int width, int left)
{
    for (const char *p = text; *p; p++)
        width -= ((unsigned char)*p & 0xc0) != 0x80;
    width = MAX (width, 0);
    return left ? arena_format ("%s%*s ", text, width, "")
                : arena_format ("%*s%s ", width, "", text);
}

static const char *show_value (double v, const char *unit)
{
    char buf[WORDS_MAX];

    return arena_text (value_words (buf, v, unit));
}

/* "12.3 MiB", "0"; per second. */
static const char *
show_rate (const struct live *l, const uint64_t *sums, enum live_sum sum)
{
    double s = live_seconds (l);

    return s > 0 ? show_value ((double)sums[sum] / s,
                               sum == LIVE_CALLS ? "" : "B")
                 : "-";
}

/* Share of one thread's time, in percent. */
static const char *show_share (const struct live *l, uint64_t ns)
{
    double s = live_seconds (l), percent = s > 0 ? (double)ns / s / 1e7 : 0;

    return s > 0 ? arena_format ("%.*f%%", percent < 10, percent) : "-";
}

/* How long ago: "0.2 s", "3 min". */
static const char *show_age (const struct live_process *p, uint64_t now)
{
    double s = p->last.ns < now ? (now - p->last.ns) / 1e9 : 0;

    return p->ended      ? "ended"
           : !p->last.ns ? "-"
           : s < 60      ? arena_format ("%.1f s", s)
           : s < 3600    ? arena_format ("%.0f min", s / 60)
                         : arena_format ("%.1f h", s / 3600);
}

/* "in flock for 4.0 s: /tmp/lock", or what it did last. */
static const char *show_what (const struct live_process *p, uint64_t now)
{
    const char *file = show_clean (p->doing_file, DOING_BYTES);
    uint64_t ns = now > p->doing_ns ? now - p->doing_ns : 0;

    if (*p->doing && !p->ended)
        return arena_format (
            "in %.32s%s%s%s", p->doing,
            p->doing_ns ? arena_format (" for %.1f s", ns / 1e9) : "",
            *file ? ": " : "", file);
    if (!*p->last.name)
        return show_clean (p->command, NAME_BYTES);
    return arena_format ("%s %s", show_clean (p->last.name, NAME_BYTES),
                         show_clean (p->last.file, NAME_BYTES));
}

/* --- a page ---------------------------------------------------------------
 */

/* Print at most as many places of a line as the terminal has; a letter is one
 * place. */
static void show_put_line (FILE *out, const struct page *page, const char *line)
{
    int places = 0;

    for (; *line; line++) {
        places += ((unsigned char)*line & 0xc0) != 0x80;
        if (page->columns > 0 && places > page->columns)
            break;
        putc (*line, out);
    }
    putc ('\n', out);
}

static const struct {
    const char *title;
    int width, left;
} column[] = {
    {"JOB", JOB_WIDTH, 1}, {"PID", 7, 0},     {"HOST", HOST_WIDTH, 1},
    {"RANK", 4, 0},        {"CALLS/S", 8, 0}, {"READ/S", 10, 0},
    {"WRITE/S", 10, 0},    {"IN I/O", 6, 0},  {"STALL", 6, 0},
    {"LAST", 6, 0},        {"", 0, 1},
};
enum { COLUMNS = ITEMS (column) };

/* Put a row; the job is left out if there is one only. */
static void show_put_row (FILE *out,
                          const struct page *page,
                          const struct live *l,
                          const char *const cell[COLUMNS])
{
    const char *line = "";

    for (size_t i = l->jobs < 2; i < COLUMNS; i++)
        line = arena_format (
            "%s%s", line, show_cell (cell[i], column[i].width, column[i].left));
    show_put_line (out, page, line);
}

static void
show_put_titles (FILE *out, const struct page *page, const struct live *l)
{
    const char *cell[COLUMNS];

    for (size_t i = 0; i < COLUMNS; i++)
        cell[i] = column[i].title;
    cell[COLUMNS - 1] = "WHAT IT DOES, OR DID LAST";
    show_put_row (out, page, l, cell);
}

static void show_put_process (FILE *out,
                              const struct page *page,
                              const struct live *l,
                              const struct live_process *p)
{
    const char *const cell[COLUMNS] = {
        show_clean (p->job, JOB_WIDTH),
        arena_format ("%u", p->pid),
        show_clean (p->host, HOST_WIDTH),
        p->rank < 0 ? "-" : arena_format ("%d", p->rank),
        show_rate (l, p->now, LIVE_CALLS),
        show_rate (l, p->now, LIVE_READ),
        show_rate (l, p->now, LIVE_WRITTEN),
        show_share (l, p->now[LIVE_IO]),
        show_share (l, p->now[LIVE_STALL]),
        show_age (p, page->now_ns),
        show_what (p, page->now_ns)};

    show_put_row (out, page, l, cell);
}

static void show_put_curve (FILE *out,
                            const struct page *page,
                            const struct live *l,
                            const char *title,
                            int write)
{
    char curve[BLOCKS_MAX];
    double past[LIVE_PAST], max = 0;
    size_t n = live_past (l, write, past);

    for (size_t i = 0; i < n; i++)
        max = fmax (max, past[i]);
    show_put_line (
        out, page,
        arena_format ("%-6s %10s/s  most %s/s  %s", title,
                      show_rate (l, l->total, LIVE_READ + write),
                      show_value (max, "B"),
                      page->utf8 ? blocks_curve (curve, past, n, max) : ""));
}

static void show_put_head (FILE *out,
                           const struct page *page,
                           const struct live *l,
                           size_t live)
{
    double s = live_seconds (l);

    show_put_line (out, page,
                   arena_format ("%s: %zu of %zu processes live, sorted by %s",
                                 show_clean (page->title, NAME_BYTES), live,
                                 l->processes, order_name[page->order]));
    show_put_curve (out, page, l, "read", 0);
    show_put_curve (out, page, l, "write", 1);
    show_put_line (
        out, page,
        s > 0
            ? arena_format ("%s calls/s, %.2f threads inside I/O calls, %.2f "
                            "waiting for data, slowest call %s",
                            show_rate (l, l->total, LIVE_CALLS),
                            (double)l->total[LIVE_IO] / s / 1e9,
                            (double)l->total[LIVE_STALL] / s / 1e9,
                            l->total[LIVE_COUNTED]
                                ? "n/a"
                                : arena_format ("%.3f s", l->slowest_ns / 1e9))
            : "the first look: rates follow");
    putc ('\n', out);
}

/* The call that took longest in this interval, and whose it was. */
static void
show_put_slowest (FILE *out, const struct page *page, const struct live *l)
{
    for (size_t i = 0; l->slowest_ns && i < l->processes; i++) {
        const struct live_process *p = l->process[i];

        if (p->slowest_ns < l->slowest_ns)
            continue;
        show_put_line (out, page,
                       arena_format ("\nslowest: %.6f s, process %u: %s",
                                     p->slowest_ns / 1e9, p->pid,
                                     show_clean (p->slowest, NAME_BYTES)));
        return;
    }
}

void show_page (const struct live *l, const struct page *page, FILE *out)
{
    void *mark = arena_alloc (1);
    size_t n = l->processes, live = 0, lost = 0;
    struct ranked *r = arena_array (n, sizeof (*r));

    for (size_t i = 0; i < n; i++) {
        const struct live_process *p = l->process[i];

        r[i] =
            (struct ranked){p, show_weight (p, page->order, page->now_ns), i};
        live += !p->ended;
        lost += p->lost;
    }
    SORT (r, n, show_by_weight);
    show_put_head (out, page, l, live);
    show_put_titles (out, page, l);
    for (size_t i = 0; i < n && (page->rows == 0 || i < page->rows); i++)
        show_put_process (out, page, l, r[i].p);
    if (page->rows && n > page->rows)
        fprintf (out, "and %zu more\n", n - page->rows);
    show_put_slowest (out, page, l);
    if (lost)
        fprintf (out, "%zu events could not be recorded so far\n", lost);
    arena_free (mark);
}

/* ---- what processes do now -> a line of JSON ---- */

#define SHOWJSON_NAME(NAME) top_column_table[TOP_##NAME].name

/* null where it is not known. */
static void showjson_time (struct json *j, const char *name, uint64_t ns)
{
    if (ns)
        json_double (j, name, ns / 1e9);
    else
        json_null (j, name);
}

static void showjson_text (struct json *j, const char *name, const char *text)
{
    json_text (j, name, *text ? text : NULL);
}

static void
showjson_sums (struct json *j, const uint64_t *n, uint64_t slowest_ns)
{
    json_uint (j, SHOWJSON_NAME (events), n[LIVE_EVENTS]);
    json_uint (j, SHOWJSON_NAME (call_count), n[LIVE_CALLS]);
    json_uint (j, SHOWJSON_NAME (read_bytes), n[LIVE_READ]);
    json_uint (j, SHOWJSON_NAME (write_bytes), n[LIVE_WRITTEN]);
    json_double (j, SHOWJSON_NAME (io_sum_s), n[LIVE_IO] / 1e9);
    json_double (j, SHOWJSON_NAME (stall_sum_s), n[LIVE_STALL] / 1e9);
    json_double (j, SHOWJSON_NAME (max_us),
                 n[LIVE_COUNTED] ? NAN : slowest_ns / 1e3);
}

static void showjson_process (struct json *j, const struct live_process *p)
{
    json_open (j, NULL, '{');
    json_text (j, SHOWJSON_NAME (job), p->job);
    json_text (j, SHOWJSON_NAME (host), p->host);
    json_uint (j, SHOWJSON_NAME (pid), p->pid);
    if (p->rank >= 0)
        json_int (j, SHOWJSON_NAME (rank), p->rank);
    else
        json_null (j, SHOWJSON_NAME (rank));
    json_text (j, SHOWJSON_NAME (command), p->command);
    json_bool (j, SHOWJSON_NAME (ended), p->ended);
    json_uint (j, SHOWJSON_NAME (lost_events), p->lost);
    json_uint (j, SHOWJSON_NAME (events_since_first_seen), p->total);
    showjson_time (j, SHOWJSON_NAME (last_event_s), p->last.ns);
    showjson_text (j, SHOWJSON_NAME (name), p->last.name);
    showjson_text (j, SHOWJSON_NAME (file), p->last.file);
    showjson_text (j, SHOWJSON_NAME (doing), p->doing);
    showjson_text (j, SHOWJSON_NAME (doing_file), p->doing_file);
    showjson_time (j, SHOWJSON_NAME (doing_since_s), p->doing_ns);
    showjson_sums (j, p->now, p->slowest_ns);
    json_close (j, '}');
}

void show_json (const struct live *l, const struct page *page, FILE *out)
{
    struct json j;

    json_init (&j, out, 1);
    json_put (&j, "{ format:'dftrace-top' version:%d", 2);
    json_double (&j, SHOWJSON_NAME (now_s), page->now_ns / 1e9);
    json_double (&j, SHOWJSON_NAME (interval_s), live_seconds (l));
    json_open (&j, "total", '{');
    showjson_sums (&j, l->total, l->slowest_ns);
    json_put (&j, "} processes:[");
    for (size_t i = 0; i < l->processes; i++)
        showjson_process (&j, l->process[i]);
    json_put (&j, "] }");
}

/* ---- the terminal while a page is kept up to date on it ---- */

static struct {
    int on;
    struct termios before;
} screen;
static volatile sig_atomic_t stopped;

static void screen_stop (int sig)
{
    stopped = 1;
}

/* Without SA_RESTART, so that poll returns. */
static void screen_catch_signals (void)
{
    struct sigaction sa = {.sa_handler = screen_stop};

    sigemptyset (&sa.sa_mask);
    sigaction (SIGINT, &sa, NULL);
    sigaction (SIGTERM, &sa, NULL);
    sigaction (SIGHUP, &sa, NULL);
}

void screen_begin (int draw)
{
    struct termios raw;

    screen_catch_signals ();
    if (!draw || !isatty (STDOUT_FILENO) || tcgetattr (STDIN_FILENO, &raw) < 0)
        return;
    screen.before = raw;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr (STDIN_FILENO, TCSANOW, &raw);
    fputs ("\033[?1049h\033[?25l", stdout);
    screen.on = 1;
}

void screen_end (void)
{
    if (!screen.on)
        return;
    fputs ("\033[?25h\033[?1049l", stdout);
    fflush (stdout);
    tcsetattr (STDIN_FILENO, TCSANOW, &screen.before);
    screen.on = 0;
}

int screen_on (void)
{
    return screen.on;
}

void screen_size (int *rows, int *columns)
{
    struct winsize w;

    *rows = 24;
    *columns = 80;
    if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row && w.ws_col) {
        *rows = w.ws_row;
        *columns = w.ws_col;
    }
}

void screen_show (const char *text)
{
    fputs ("\033[H", stdout);
    for (size_t n; *text; text += n) {
        n = strcspn (text, "\n");
        fwrite (text, 1, n, stdout);
        fputs ("\033[K", stdout);
        if (text[n] == '\n') {
            fputs ("\r\n", stdout);
            n++;
        }
    }
    fputs ("\033[J", stdout);
    fflush (stdout);
}

static enum screen_key screen_read_key (void)
{
    char c;

    if (read (STDIN_FILENO, &c, 1) != 1)
        return SCREEN_KEY_QUIT;
    return c == 'q' || c == 4 ? SCREEN_KEY_QUIT
           : c == 's'         ? SCREEN_KEY_SORT
                              : SCREEN_KEY_NONE;
}

enum screen_key screen_wait (uint64_t ns)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC), until = now + ns;

    while (!stopped && (now = clock_ns (CLOCK_MONOTONIC)) < until) {
        struct pollfd in = {.fd = screen.on ? STDIN_FILENO : -1,
                            .events = POLLIN};
        struct timespec left = {
            .tv_sec = (time_t)((until - now) / CLOCK_NS_PER_S),
            .tv_nsec = (long)((until - now) % CLOCK_NS_PER_S)};
        enum screen_key key;

        if (ppoll (&in, 1, &left, NULL) > 0 &&
            (key = screen_read_key ()) != SCREEN_KEY_NONE)
            return key;
    }
    return stopped ? SCREEN_KEY_QUIT : SCREEN_KEY_NONE;
}
