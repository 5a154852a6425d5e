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

enum { LINE_MAX_BYTES = 2048, CELL_WIDTH = 32 };

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

const char *show_order_words (void)
{
    return "io read write calls stall idle pid";
}

/* Return the value to sort by, largest first. */
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
    return ORDER (y->weight, x->weight) ?: (x->number < y->number ? -1 : 1);
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
        putc (*line, out);
    }
    putc ('\n', out);
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
    *at += snprintf (line + *at, LINE_MAX_BYTES / 2 - CELL_WIDTH, "%s", text);
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
    snprintf (buf, WORDS_MAX, "%.*f%%", percent < 10, percent);
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
    s = p->last_ns < now ? (now - p->last_ns) / 1e9 : 0;
    if (s < 60)
        snprintf (buf, WORDS_MAX, "%.1f s", s);
    else if (s < 3600)
        snprintf (buf, WORDS_MAX, "%.0f min", s / 60);
    else
        snprintf (buf, WORDS_MAX, "%.1f h", s / 3600);
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
enum { COLUMNS = ITEMS (column) };

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
    char time[32] = "";

    show_put_clean (file, sizeof (file), p->doing_file);
    if (p->doing_ns)
        FORMAT (time, " for %.1f s", ns / 1e9);
    FORMAT (what, "in %.32s%s%s%s", p->doing, time, *file ? ": " : "", file);
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

    snprintf (word[0], WORDS_MAX, "%u", p->pid);
    show_put_clean (host, sizeof (host), p->host);
    snprintf (word[2], WORDS_MAX, p->rank < 0 ? "-" : "%d", p->rank);
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
    snprintf (line + at, sizeof (line) - at, "%s", "");
    if (*p->doing && !p->ended) {
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
    FORMAT (
        line, "%-6s %10s/s  most %s/s  %s", title,
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
    FORMAT (line, "%s: %zu of %zu processes live, sorted by %s", title, live,
            live_processes (l), order_name[page->order]);
    show_put_line (out, line, page->columns);
    show_put_curve (out, page, l, "read", 0);
    show_put_curve (out, page, l, "write", 1);
    FORMAT (slowest, "%.3f s", t->slowest_ns / 1e9);
    if (s > 0)
        FORMAT (line,
                "%s calls/s, %.2f threads inside I/O calls, %.2f "
                "waiting for data, slowest call %s",
                show_rate (word, t->calls, s, ""), (double)t->io_ns / s / 1e9,
                (double)t->stall_ns / s / 1e9, t->counted ? "n/a" : slowest);
    else
        FORMAT (line, "the first look: rates follow");
    show_put_line (out, line, page->columns);
    putc ('\n', out);
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
    FORMAT (line, "\nslowest: %.6f s, process %u: %s",
            worst->now.slowest_ns / 1e9, worst->pid, what);
    show_put_line (out, line, page->columns);
}

void show_page (const struct live *l, const struct page *page, FILE *out)
{
    size_t n = live_processes (l), live = 0, lost = 0;
    struct ranked *r = ZEROED (r, n + 1);

    for (size_t i = 0; i < n; i++) {
        const struct live_process *p = live_process (l, i);

        r[i] =
            (struct ranked){p, show_weight (p, page->order, page->now_ns), i};
        live += !p->ended;
        lost += p->lost;
    }
    SORT (r, n, show_by_weight);
    show_put_head (out, page, l, live);
    show_put_titles (out, page, live_jobs (l) > 1);
    for (size_t i = 0; i < n && (page->rows == 0 || i < page->rows); i++)
        show_put_process (out, page, l, r[i].p);
    if (page->rows && n > page->rows)
        fprintf (out, "and %zu more\n", n - page->rows);
    show_put_slowest (out, page, l);
    if (lost)
        fprintf (out, "%zu events could not be recorded so far\n", lost);
    free (r);
}

/* ---- what processes do now -> a line of JSON ---- */

#define SHOWJSON_NAME(NAME) top_column_table[TOP_##NAME].name

static void showjson_json_sums (struct json *j, const struct live_sums *s)
{
    json_uint (j, SHOWJSON_NAME (events), s->events);
    json_uint (j, SHOWJSON_NAME (call_count), s->calls);
    json_uint (j, SHOWJSON_NAME (read_bytes), s->bytes[0]);
    json_uint (j, SHOWJSON_NAME (write_bytes), s->bytes[1]);
    json_double (j, SHOWJSON_NAME (io_sum_s), s->io_ns / 1e9);
    json_double (j, SHOWJSON_NAME (stall_sum_s), s->stall_ns / 1e9);
    if (s->counted)
        json_null (j, SHOWJSON_NAME (max_us));
    else
        json_double (j, SHOWJSON_NAME (max_us), s->slowest_ns / 1e3);
}

static void showjson_json_process (struct json *j, const struct live_process *p)
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
    if (p->last_ns)
        json_double (j, SHOWJSON_NAME (last_event_s), p->last_ns / 1e9);
    else
        json_null (j, SHOWJSON_NAME (last_event_s));
    json_text (j, SHOWJSON_NAME (name), *p->last ? p->last : NULL);
    json_text (j, SHOWJSON_NAME (file), *p->file ? p->file : NULL);
    json_text (j, SHOWJSON_NAME (doing), *p->doing ? p->doing : NULL);
    json_text (j, SHOWJSON_NAME (doing_file),
               *p->doing_file ? p->doing_file : NULL);
    if (p->doing_ns)
        json_double (j, SHOWJSON_NAME (doing_since_s), p->doing_ns / 1e9);
    else
        json_null (j, SHOWJSON_NAME (doing_since_s));
    showjson_json_sums (j, &p->now);
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
    showjson_json_sums (&j, live_total (l));
    json_put (&j, "} processes:[");
    for (size_t i = 0; i < live_processes (l); i++)
        showjson_json_process (&j, live_process (l, i));
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
