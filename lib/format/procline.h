/* SPDX-License-Identifier: MIT
 *
 * procline.h - how a line of JOBDIR/shards/processes.HOST is written
 *
 * Each process of a job on that node, the plugin and `dftrace run` append to
 * the file, one write(2) a line. Words are separated by one blank:
 *
 *   traced PID PPID SID START END exit|exec WORD=N…
 *   untraced PID PATH REASON @TIME
 *   ended PID TIME exit|signal NUMBER WHO
 *
 * doc/trace-format.md explains them. Times are in ns of CLOCK_REALTIME. A
 * blank, '%' and what is not printable ASCII is %XX in a text. No allocation,
 * no stdio, no state: fit for a child of vfork.
 */
#ifndef DFT_CORE_PROCLINE_H
#define DFT_CORE_PROCLINE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCLINE_FILE "processes."

/* Source of the end of a process: its parent, which waited for it; the process
 * that sent it a deadly signal; dftrace run; Slurm. */
#define PROCLINE_PARENT "parent"
#define PROCLINE_KILLER "killer"
#define PROCLINE_RUN    "run"
#define PROCLINE_TASK   "task"

enum {
    PROCLINE_TRACED_MAX = 2048, /* bytes of a line */
    PROCLINE_ENDED_MAX = 104,
    PROCLINE_MAX = 3 * PATH_MAX, /* a longer one is cut */
    /* No more lines `traced` in larger files; the others, which are few, have
     * 1 MiB more. */
    PROCLINE_FILE_TRACED_MAX = 16 << 20,
    PROCLINE_FILE_MAX = 17 << 20
};

/* A line in the memory of the caller. What has no room is left out. */
struct procline {
    char *text;
    size_t room, used;
};

/* The first two words. */
void procline_begin (struct procline *l, const char *kind, uint64_t pid);

/* A blank and a word or number; a word and two numbers, as WORD=N,N. */
void procline_word (struct procline *l, const char *word);
void procline_number (struct procline *l, uint64_t n);
void procline_pair (struct procline *l,
                    const char *word,
                    uint64_t a,
                    uint64_t b);

/* A number, any n bytes, without a blank before. */
void procline_digits (struct procline *l, uint64_t n);
void procline_text (struct procline *l, const char *text, size_t n);

void procline_end (struct procline *l);

/* Whole lines. exe: n bytes; what: put before reason, which is cut at 200
 * bytes. status: as wait gives it, of a process that has ended. */
void procline_untraced (struct procline *l,
                        pid_t pid,
                        const char *exe,
                        size_t n,
                        const char *what,
                        const char *reason);
void procline_ended (struct procline *l,
                     pid_t pid,
                     int status,
                     const char *who);

#endif
