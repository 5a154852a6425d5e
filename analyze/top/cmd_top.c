/* SPDX-License-Identifier: MIT
 *
 * cmd_top.c - `dftrace top`: what the processes of a running job do now
 *
 * In:  the directory of a job or a sweep that is running
 * Out: a page that is kept up to date, or one page or line of JSON after the
 *      other
 */
#include "config.h"

#include <langinfo.h>
#include <locale.h>

#include "analyze/top/show.h"
#include "lib/base/clock.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

int cmd_top (int argc, char **argv);

enum {
    HEAD_LINES = 6, /* of a page, above the processes */
    FOOT_LINES = 4
};

struct top {
    uint64_t delay; /* ns */
    int count, rows, jsonl;
    const char *format;
    const char *sort_word;
    struct page page;
    struct live *live;
    int status; /* of the command */
};

static const struct verb_help top_help = {
    .usage = "dftrace top [OPTION...] DIR",
    .summary = "Show what the processes of a running job are doing now.",
    .text =
        "DIR is the directory of a running job or of a sweep. The shards "
        "are read while they grow; the job is not disturbed. On a terminal "
        "the page is updated until you press q; s sorts by another column. "
        "Elsewhere one page is printed after the other.\n\n"
        "Each row is a process. It shows recorded calls, and bytes read "
        "from and written to files on storage, per second. IN I/O and STALL "
        "are the times inside calls on such files and inside regions that "
        "wait for data, in percent of one thread (100% is one thread all "
        "the time). LAST is the time since the end of its last event. A "
        "call is recorded when it returns. A process that is in a call "
        "shows that call, its file and for how long (where the trace is on "
        "ext4, xfs or tmpfs; elsewhere only LAST grows). On a network file "
        "system, events "
        "of other nodes may arrive late.\n\n"
        "The command ends when the job has ended: its traces have been "
        "merged, each of its nodes has done its epilog, or the command of "
        "dftrace run and all processes have ended. A job that sleeps has not "
        "ended. Of a directory without job.json nobody says it: all processes "
        "have ended, and ten seconds have passed.",
    .example =
        "  $ dftrace top dftrace/pretrain-4711\n"
        "  $ dftrace top --sort read --delay 5s gpt-io\n"
        "  $ dftrace top --format jsonl --count 10 dftrace/pretrain-4711\n",
    .exits = "0  looked, or the job has ended\n"
             "1  nothing to look at\n"
             "2  wrong words on the command line\n",
};

static int
top_parse (struct top *t, int argc, char **argv, int *operands, int *status)
{
    const struct opt opts[] = {
        {"delay", 0, OPT_DURATION, &t->delay, "TIME",
         "time from look to look (1s)"},
        {"count", 0, OPT_INT, &t->count, "N",
         "end after N looks, 0 for never (0)"},
        {"sort", 0, OPT_TEXT, &t->sort_word, "COLUMN",
         "io, read, write, calls, stall, idle or pid first (io)"},
        {"top", 'n', OPT_INT, &t->rows, "N",
         "processes shown, 0 for all (what fits the terminal, else all)"},
        {"format", 'f', OPT_TEXT, &t->format, "FORMAT",
         "text, or jsonl: a line of JSON for each look (text)"},
        OPT_END,
    };
    struct errtext err;
    int order;

    *status = EXIT_USAGE;
    switch (optparse (opts, &top_help, argc, argv, operands, &err)) {
    case OPTPARSE_HELP:
        *status = EXIT_OK;
        return -1;
    case OPTPARSE_ERROR:
        log_error ("%s", err.text);
        return -1;
    default:
        break;
    }
    if (*operands + 1 != argc) {
        log_error ("top: %s: name the directory of one running job or sweep",
                   *operands == argc ? "no directory" : "too many words");
        return -1;
    }
    if ((order = show_order_parse (t->sort_word)) < 0) {
        log_error ("--sort %s: no such column: use one of io read write calls "
                   "stall idle pid",
                   t->sort_word);
        return -1;
    }
    t->page.order = order;
    t->jsonl = strcmp (t->format, "jsonl") == 0;
    if (!t->jsonl && strcmp (t->format, "text") != 0) {
        log_error ("--format %s: no such format: use text or jsonl", t->format);
        return -1;
    }
    if (t->delay == 0) {
        log_error ("--delay 0: no time: use 100ms or more");
        return -1;
    }
    return 0;
}

/* --- a page -----------------------------------------------------------------
 */

static void top_fit_screen (struct top *t)
{
    int rows;

    screen_size (&rows, &t->page.columns);
    if (t->rows < 0)
        t->page.rows = rows > HEAD_LINES + FOOT_LINES
                           ? (size_t)(rows - HEAD_LINES - FOOT_LINES)
                           : 1;
}

static int top_show (struct top *t)
{
    char *text = NULL;
    size_t size;
    FILE *out;

    t->page.rows = t->rows > 0 ? (size_t)t->rows : 0;
    if (screen_on ()) {
        top_fit_screen (t);
        out = xmemstream (&text, &size);
        show_page (t->live, &t->page, out);
        xmemstream_end (out);
        screen_show (text);
        free (text);
        return 0;
    }
    if (t->jsonl) {
        show_json (t->live, &t->page, stdout);
    } else {
        show_page (t->live, &t->page, stdout);
        putchar ('\n');
    }
    return fflush (stdout);
}

/* --- look after look
 * ---------------------------------------------------------- */

/* Wait for the time of the next look; a page is drawn again at once when it
 * shall be sorted otherwise. 1: go on, 0: no more. */
static int top_wait_for_next (struct top *t)
{
    uint64_t until = clock_ns (CLOCK_MONOTONIC) + t->delay, now;

    while ((now = clock_ns (CLOCK_MONOTONIC)) < until)
        switch (screen_wait (until - now)) {
        case SCREEN_KEY_QUIT:
            return 0;
        case SCREEN_KEY_SORT:
            t->page.order = (t->page.order + 1) % SORT_COUNT;
            top_show (t);
            break;
        default:
            return 1;
        }
    return 1;
}

static void top_follow (void *cookie)
{
    struct top *t = cookie;

    for (int i = 0;; i++) {
        t->page.now_ns = clock_ns (CLOCK_REALTIME);
        live_look (t->live, t->page.now_ns);
        if (top_show (t) != 0)
            return;
        if ((t->count && i + 1 >= t->count) || live_over (t->live) ||
            !top_wait_for_next (t))
            break;
    }
    t->status = EXIT_OK;
}

int cmd_top (int argc, char **argv)
{
    struct top t = {.delay = CLOCK_NS_PER_S,
                    .sort_word = "io",
                    .rows = -1,
                    .format = "text",
                    .status = EXIT_FAILED};
    struct errtext err;
    int operands = 0, status, short_of_memory;

    if (top_parse (&t, argc, argv, &operands, &status) < 0)
        return status;
    setlocale (LC_CTYPE, "");
    t.page.utf8 = strcmp (nl_langinfo (CODESET), "UTF-8") == 0;
    t.page.title = argv[operands];
    if (!(t.live = live_create (t.page.title, &err))) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    screen_begin (!t.jsonl);
    /* the terminal must become what it was */
    short_of_memory = xalloc_guard (top_follow, &t) < 0;
    screen_end ();
    if (short_of_memory)
        xalloc_die ();
    if (live_over (t.live))
        log_info ("%s: the job has ended: dftrace analyze shows all of it",
                  t.page.title);
    return t.status;
}
