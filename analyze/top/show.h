/* SPDX-License-Identifier: MIT
 *
 * show.h - dftrace top: what processes do now, as text
 */
#pragma once

#include <stdio.h>

#include "analyze/top/follow.h"
#include "lib/base/text.h"
#include "lib/format/event.h"

/* --- live.c: new events -> what each process did since the last look --- */

enum {
    LIVE_TEXT_MAX = COUNTED_TEXT_MAX, /* bytes of a path or name kept to be
                                         shown */
    LIVE_PAST = 60                    /* looks remembered for the small chart */
};

#define LIVE_QUIET_NS                                       \
    10000000000u /* steps of a job follow each other sooner \
                  */

/* Sums over one interval; all times in ns of that interval, threads added
 * up. */
struct live_sums {
    uint64_t events;     /* calls and regions that ended */
    uint64_t calls;      /* of these: recorded calls */
    uint64_t bytes[2];   /* read, written; files on storage */
    uint64_t io_ns;      /* inside calls on files on storage */
    uint64_t stall_ns;   /* inside regions that wait for data (roles.def) */
    uint64_t slowest_ns; /* the longest such call, whole */
    uint64_t counted;    /* of events: in profiles, which do not say it */
};

struct live_process {
    const char *job; /* label, of the job */
    char *host, *command;
    uint32_t pid;
    int32_t rank;   /* -1 none */
    int ended;      /* as it said, or it is gone from this host */
    uint64_t lost;  /* events it could not record, so far */
    uint64_t total; /* events since it was first seen */
    struct live_sums now;
    uint64_t last_ns;            /* CLOCK_REALTIME of its last event's end; 0:
                                    none seen yet */
    char last[LIVE_TEXT_MAX];    /* "read", "compute/step" */
    char file[LIVE_TEXT_MAX];    /* of its last call that had one; "" none */
    char slowest[LIVE_TEXT_MAX]; /* call and file of slowest_ns */
    uint64_t doing_ns;           /* CLOCK_REALTIME since which it is in a call;
                                    0: in none, or that is not known */
    char doing[LIVE_TEXT_MAX];   /* that call */
    char doing_file[LIVE_TEXT_MAX]; /* "": none, or not known */
};

struct live;

/* path: a job directory, or a sweep's (its jobs, also those that start
 * later). NULL and err when there is nothing to follow. */
struct live *live_create (const char *path, struct errtext *err);
void live_destroy (struct live *l); /* NULL is fine */

/* Look once more. now_ns: CLOCK_REALTIME. */
void live_look (struct live *l, uint64_t now_ns);

size_t live_jobs (const struct live *l);
size_t live_processes (const struct live *l);
const struct live_process *live_process (const struct live *l, size_t i);
/* live_total returns the sums of all processes; live_seconds the time between
 * the last two looks, 0 at the first. */
const struct live_sums *live_total (const struct live *l);
double live_seconds (const struct live *l);
/* Bytes a second read (0) or written (1) at the last looks, oldest first;
 * returns how many. */
size_t live_past (const struct live *l, int write, double past[LIVE_PAST]);
/* True when nothing more will come: every job has been merged, or each node has
 * done its epilog, or its command and all processes have ended. A job of which
 * nobody would say so: all processes have ended for LIVE_QUIET_NS. */
int live_over (const struct live *l);

/* -- a new event -> sums and last action of its process -- */

/* From one look to the next, ns of CLOCK_REALTIME; from 0: the first look. */
struct live_interval {
    uint64_t from, to;
};

/* The call that it is in; NULL: none. */
void liveevent_doing (struct live_process *p, const struct doing *doing);

/* Count the part of an event's time that lies in the interval. */
void live_event (struct live_process *p,
                 const struct live_interval *i,
                 const struct dict *dict,
                 const struct batch *b,
                 size_t at);

/* --- show.c: what processes do now -> a page of text, or a line of JSON --- */

/* Which processes come first; the key `s` goes through them in this order. */
enum show_order {
    SORT_io,    /* most time inside I/O calls */
    SORT_read,  /* most bytes read */
    SORT_write, /* most bytes written */
    SORT_calls, /* most calls */
    SORT_stall, /* most time waiting for data */
    SORT_idle,  /* longest without an event */
    SORT_pid,   /* by process id */
    SORT_COUNT
};

/* Word -> order, -1 unknown; order -> word; all words, commas between. */
int show_order_parse (const char *word);
const char *show_order_words (void);

struct page {
    const char *title;
    enum show_order order;
    size_t rows; /* processes shown, 0 all */
    int columns; /* of the terminal; lines are cut there, 0 never */
    int utf8;    /* small charts may be drawn */
    uint64_t now_ns;
};

/* Busiest first, by page->order; those that ended come last. */
void show_page (const struct live *l, const struct page *page, FILE *out);

/* {"time_s":…,"seconds":…,"total":{…},"processes":[…]} and a newline. */
void show_json (const struct live *l, const struct page *page, FILE *out);

/* -- the terminal while a page is kept up to date on it -- */

/* From now on SIGINT, SIGTERM and SIGHUP end screen_wait instead of the
 * program. draw: also take the terminal (its other screen, no echo), when
 * standard output and standard input are one; else screen_on () is 0. One at a
 * time; not thread safe. */
void screen_begin (int draw);
void screen_end (void);
int screen_on (void);

/* Rows and columns, 24 and 80 when not known. */
void screen_size (int *rows, int *columns);

/* Show text from the top left corner; the rest becomes blank. */
void screen_show (const char *text);

enum screen_key { SCREEN_KEY_NONE, SCREEN_KEY_QUIT, SCREEN_KEY_SORT };

/* Wait ns nanoseconds, or until a key that means something. */
enum screen_key screen_wait (uint64_t ns);
