/* SPDX-License-Identifier: MIT
 *
 * follow.h - a job's shards while it runs -> the events that are new
 */
#pragma once

#include "analyze/trace/batch.h"
#include "analyze/trace/doing.h"
#include "lib/format/tracefile.h"

/* -- profiles of a running job -> what each process has done so far -- */

enum { COUNTED_TEXT_MAX = 512 };

/* Since the process began. All zero: it has no profile. */
struct counted {
    uint64_t events, calls;      /* with regions; without */
    uint64_t bytes[2];           /* read, written; files on storage */
    uint64_t io_ns, stall_ns;    /* as struct live_sums, of what has ended */
    uint64_t last_ns;            /* CLOCK_REALTIME of the last end */
    char last[COUNTED_TEXT_MAX]; /* a call, "category/name" of a region */
    char file[COUNTED_TEXT_MAX]; /* of it; "" none */
};

/* Add the profiles of a trace to all[], zeroed, one for each process of it;
 * what makes no sense is left out. */
void counted_read (struct counted *all, const struct tracefile *t);

/* Return the difference of `now` and `before`; at least 0, since a process may
 * count meanwhile. */
struct counted counted_since (const struct counted *now,
                              const struct counted *before);

/* -- what shows that a process or a job has ended -- */

enum evidence {
    EVIDENCE_NONE,    /* it may be running */
    EVIDENCE_COMMAND, /* its command has ended; what that started may run */
    EVIDENCE_ALL,     /* each node of it has done its epilog */
    EVIDENCE_NOBODY   /* nobody would say so: it has no job.json */
};

/* The evidence for the job in that directory. */
enum evidence evidence_of_job (const char *dir);

/* The process has ended: it said so, or it was on this host and is gone. */
int evidence_of_process (const struct trace_process *who);

/* -- a job's shards while it runs -> the events that are new -- */

struct follower;

/* process: its number in this follow, from 0, the same at every look. All else
 * is valid during the call only. */
struct follow_sink {
    void *arg;
    /* A process was looked at, before its events; fresh: the first time; doing:
     * the call that it is in, NULL none. */
    void (*process) (void *arg,
                     size_t process,
                     const struct trace_process *who,
                     const struct doing *doing,
                     int fresh);
    /* New events of a process: those of b from `first` on, b->process is its
     * number; names are those of dict. */
    void (*events) (void *arg,
                    const struct dict *dict,
                    const struct batch *b,
                    size_t first);
    /* Called with the counts of a process's profile since the last look. */
    void (*counted) (void *arg, size_t process, const struct counted *more);
};

/* Follow the shards of a job directory; NULL with err when it has none to
 * follow (no shards/ folder). Not thread safe. */
struct follower *follow_create (const char *jobdir, struct errtext *err);
void follow_destroy (struct follower *f); /* NULL is fine, keeps errno */

/* Hand over what came since the last look. The first look of all gives no
 * events: it only notes where each process is; a process that appears later
 * gives all it did. Shards that cannot be read now are tried again the next
 * time. */
void follow_look (struct follower *f, const struct follow_sink *sink);
