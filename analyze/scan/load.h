/* SPDX-License-Identifier: MIT
 *
 * load.h - traces of a job -> units of the pass
 */
#pragma once

#include "analyze/scan/pass.h"
#include "analyze/scan/scan.h"
#include "analyze/scan/tally.h"
#include "analyze/scan/unit.h"
#include "analyze/scan/where.h"
#include "lib/format/calls.h"

/* --- load.c: traces of a job -> totals, in parallel --- */

enum ending {
    ENDING_UNKNOWN = 0, /* killed, _exit, or still running */
    ENDING_ORDERLY,
    ENDING_EXEC,  /* another program took its place */
    ENDING_SIGNAL /* killed, as who waited for it said */
};

/* One traced process: from its start, or an exec, to its end, or the next. */
struct process {
    const struct trace_process *who; /* the tracefile's, or owned */
    struct trace_process *owned;     /* NULL: the tracefile's */
    uint32_t threads;                /* that recorded something */
    struct counts n;
    uint64_t start, end;            /* ns of CLOCK_REALTIME, see load.c */
    struct spans *spans;            /* of all threads; owned */
    uint64_t time[SET_COUNT];       /* ns, length of the union of each set */
    struct marks marks[MARK_KINDS]; /* owned */
    struct startup startup;
    /* of summary.c: */
    size_t rank; /* index of its rank */
    enum ending ending;
    struct mm_log mm;     /* layer mmap, until it is in the summary */
    struct shares shares; /* of files on storage */
    /* of coverage.c: ns of calls that are left out, over its threads */
    uint64_t left_ns[LEFTOUTS];
    /* As the kernel counts, ns: of all threads on a CPU, of the main thread
       waiting for one; 0: not known */
    uint64_t cpu_ns, delay_ns;
    int gpu; /* it has opened one */
};

struct totals {
    struct tally tally;
    struct process *process; /* by host, start and pid */
    size_t processes;
    struct health *health; /* one for each source */
    size_t sources;
    int part;           /* of the events, that a condition let through */
    int shares_dropped; /* of all processes: there were too many */
    struct {
        size_t processes; /* that have a profile: nothing is known of the time
                             of their calls but sums */
        uint64_t calls;   /* in it, regions included */
        uint64_t folded;  /* of these, on files that have no row of their own */
        size_t series;    /* that these are in */
    } profile;
    uint64_t call_union[CALL_MAX]; /* ns in which the call was running in
                                      some process of the job */
};

/* The page of a job reads the same events as its totals. When the reading
 * begins, processes have what they say of themselves, `start` and `end` among
 * it, and the pass has its splits. */
struct totals_guest {
    void *cookie;
    /* Make a user of the pass; a second call means that the events before it do
       not count. 0, or -1 with errno, which ends the reading. */
    int (*begin) (void *cookie,
                  struct totals *t,
                  const struct pass *pass,
                  struct pass_user *user);
    /* All has been read; the pass is still there. 0, or -1 with errno. */
    int (*end) (void *cookie);
};

/* Read all open sources of a job, or only the events that where lets through
 * (NULL: all). What needs ranks is left to summary.h: call_union, the time of
 * processes, what layer mmap says. 0, or -1 with err. */
int totals_load (struct totals *t,
                 const struct job *job,
                 const struct kind_rules *rules,
                 const struct where *where,
                 int threads,
                 struct errtext *err);

/* Read all events of a job, with a guest. 0, or -1 with err. */
int totals_load_with (struct totals *t,
                      const struct job *job,
                      const struct kind_rules *rules,
                      const struct totals_guest *guest,
                      struct errtext *err);

/* For loadrows.c: what a thread has, which is then u's no more. */
void totals_add_thread (struct totals *t, size_t process, struct unit *u);

/* Only what processes say of themselves, without a reading: who they are, when
 * they began and ended. ; to be cleared in any case. */
void totals_heads (struct totals *t, const struct pass *pass);

/* For who has put processes together: forget their shares if they are more than
 * SHARES_MAX in all. */
void totals_limit_shares (struct totals *t);

void totals_clear (struct totals *t); /* zeroed is fine */

/* --- loadrows.c: profiles of a job -> its totals --- */

/* Add the profiles of all sources to the scanner and the processes of t, whose
 * events have been read; main_tid: of each process, NULL: its first thread. A
 * condition asks for single events, so that with one nothing is added. */
void loadrows (struct totals *t,
               struct pass *pass,
               struct scanner *s,
               const struct where *where,
               const uint32_t *main_tid);

/* The widest bin of all maps of time of a job, ns; 0: it has none. */
uint64_t loadrows_bin (const struct job *job);

/* Do the bins of the split's source count its events already? */
int loadrows_have_events (const struct pass *pass, size_t split);

/* Add mounts and files on Lustre from a log to the tally of the job. */
void loadrows_facts (struct tally *t, const struct darshan_facts *f);
