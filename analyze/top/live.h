/* SPDX-License-Identifier: MIT
 *
 * live.h - a running job -> what each of its processes did since the last look
 */
#pragma once

#include "analyze/trace/batch.h"
#include "analyze/trace/doing.h"
#include "lib/base/text.h"
#include "lib/format/event.h"
#include "lib/format/tracefile.h"

/* --- live.c: shards of jobs, growing -> processes --- */

enum {
    LIVE_TEXT_MAX = 512, /* bytes of a path or name kept to be shown */
    LIVE_PAST = 60       /* looks remembered for the small chart */
};

#define LIVE_QUIET_NS                                       \
    10000000000u /* steps of a job follow each other sooner \
                  */

/* Sums of a process; times are in ns, threads added up. */
enum live_sum {
    LIVE_EVENTS, /* calls and regions that ended */
    LIVE_CALLS,  /* of these: recorded calls */
    LIVE_READ,   /* bytes, of files on storage */
    LIVE_WRITTEN,
    LIVE_IO,      /* time inside calls on files on storage */
    LIVE_STALL,   /* time inside regions that wait for data (roles.def) */
    LIVE_COUNTED, /* of events: in profiles, which do not say the slowest */
    LIVE_SUMS
};

/* The event that ended last. */
struct live_last {
    uint64_t ns;              /* CLOCK_REALTIME of its end; 0: none seen yet */
    char name[LIVE_TEXT_MAX]; /* "read", "compute/step" */
    char file[LIVE_TEXT_MAX]; /* of the last call that had one; "" none */
};

/* The profile of a process, from its begin on. All zero: it has none. */
struct live_counted {
    uint64_t n[LIVE_SUMS];
    struct live_last last;
};

struct live_process {
    const char *job; /* label, of the job */
    const char *host, *command;
    uint32_t pid;
    int32_t rank;            /* -1 none */
    int ended;               /* as it said, or it is gone from this host */
    uint64_t lost;           /* events it could not record, so far */
    uint64_t total;          /* events since it was first seen */
    uint64_t now[LIVE_SUMS]; /* over the interval from the look before */
    uint64_t slowest_ns;     /* the longest call on such a file in it, whole */
    char slowest[LIVE_TEXT_MAX]; /* call and file of slowest_ns */
    struct live_last last;
    uint64_t doing_ns;         /* CLOCK_REALTIME since which it is in a call;
                                  0: in none, or that is not known */
    char doing[LIVE_TEXT_MAX]; /* that call */
    char doing_file[LIVE_TEXT_MAX]; /* "": none, or not known */
    struct live_counted counted;    /* up to the last look */
};

/* In the memory of the arena, for as long as the program runs. */
struct live {
    const char *path;
    struct live_job *job;
    size_t jobs;
    struct live_process **process;
    size_t processes;
    uint64_t total[LIVE_SUMS], slowest_ns; /* of all processes */
    double past[2][LIVE_PAST]; /* bytes a second read and written, a ring */
    size_t looks;
    uint64_t before_ns, now_ns; /* of the looks, CLOCK_REALTIME; 0 none */
    uint64_t busy_ns; /* the first look, or the last with something live */
};

/* path: a job directory, or a sweep's (its jobs, also those that start
 * later). NULL and err when there is nothing to follow. */
struct live *live_create (const char *path, struct errtext *err);

/* Look once more. now_ns: CLOCK_REALTIME. The first look at a job gives no
 * events: it only notes where each process is; a process that appears later
 * gives all it did. Shards that cannot be read now are tried again the next
 * time. */
void live_look (struct live *l, uint64_t now_ns);

/* The time between the last two looks, 0 at the first. */
double live_seconds (const struct live *l);
/* Bytes a second read (0) or written (1) at the last looks, oldest first;
 * returns how many. */
size_t live_past (const struct live *l, int write, double past[LIVE_PAST]);
/* True when nothing more will come: every job has been merged, or each node has
 * done its epilog, or its command and all processes have ended. A job of which
 * nobody would say so: all processes have ended for LIVE_QUIET_NS. */
int live_over (const struct live *l);

/* --- sums.c: events and profiles -> sums and last action of a process --- */

/* Set a text that is LIVE_TEXT_MAX long. */
void live_text (char *to, const char *text);

/* Count event `at` of b, with the part of its time that lies in the interval
 * from the look before. */
void live_event (const struct live *l,
                 struct live_process *p,
                 const struct dict *dict,
                 const struct batch *b,
                 size_t at);

/* Add the profiles of a trace to all[], zeroed, one for each process of it;
 * what makes no sense is left out. */
void live_count (struct live_counted *all, const struct tracefile *t);
/* Add what has been counted since the last look; nothing at the first one. */
void live_add_counted (struct live_process *p,
                       const struct live_counted *now,
                       int first);
