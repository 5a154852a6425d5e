/* SPDX-License-Identifier: MIT
 *
 * follow.h - a job's shards while it runs -> the events that are new
 */
#ifndef DFT_TOP_FOLLOW_H
#define DFT_TOP_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/top/counted.h"
#include "analyze/trace/batch.h"
#include "analyze/trace/doing.h"

struct follow;

/* process: its number in this follow, from 0, the same at every look. All else
 * is valid during the call only. */
struct follow_sink {
    void *arg;
    /* A process was looked at, before its events; fresh: the first time; doing:
     * the call that it is in, NULL none. 0, or -1 to stop with errno. */
    int (*process) (void *arg,
                    size_t process,
                    const struct trace_process *who,
                    const struct doing *doing,
                    int fresh);
    /* New events of a process: those of b from `first` on, b->process is its
     * number; names are those of dict. */
    int (*events) (void *arg,
                   const struct dict *dict,
                   const struct batch *b,
                   size_t first);
    /* What a process has counted in its profile since the last look. */
    void (*counted) (void *arg, size_t process, const struct counted *more);
};

/* Follow the shards of a job directory; NULL with err when it has none to
 * follow (no shards/ folder). Not thread safe. */
struct follow *follow_create (const char *jobdir, struct errtext *err);
void follow_destroy (struct follow *f); /* NULL is fine, keeps errno */

/* Hand over what came since the last look. The first look of all gives no
 * events: it only notes where each process is; a process that appears later
 * gives all it did. Shards that cannot be read now are tried again the next
 * time. 0, or -1 with errno (ENOMEM, or what the sink said). */
int follow_look (struct follow *f, const struct follow_sink *sink);

/* Processes seen so far, and shards that could not be read at the last look. */
size_t follow_processes (const struct follow *f);
size_t follow_unreadable (const struct follow *f);

#endif
