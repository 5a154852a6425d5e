/* SPDX-License-Identifier: MIT
 *
 * endline.h - how a process ended -> its line in JOBDIR/shards/ended.HOST
 *
 * Pid, end (CLOCK_REALTIME, ns), "exit" or "signal", its number, and who knows
 * it: "parent", which waited for it, "killer", which sent it the signal that
 * nothing survives, "run" (dftrace run), "task" (Slurm). Separated by blanks.
 * No allocation, no stdio, no state.
 */
#ifndef DFT_CORE_ENDLINE_H
#define DFT_CORE_ENDLINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ENDLINE_FILE   "ended."
#define ENDLINE_PARENT "parent"
#define ENDLINE_KILLER "killer"
#define ENDLINE_RUN    "run"
#define ENDLINE_TASK   "task"

enum {
    ENDLINE_BYTES = 96,
    ENDLINE_FILE_MAX = 1 << 18 /* no more lines in larger files */
};

struct endline {
    size_t used;
    char text[ENDLINE_BYTES];
};

/* status: as wait gives it, of a process that has ended. */
void endline_make (struct endline *l,
                   pid_t pid,
                   uint64_t real_ns,
                   int status,
                   const char *waiter);

/* enum shard_ended of it. */
uint32_t endline_ended (int status);

#endif
