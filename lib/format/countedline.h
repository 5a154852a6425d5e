/* SPDX-License-Identifier: MIT
 *
 * countedline.h - lines of JOBDIR/shards/counted.HOST
 *
 * One for each program that a process was, written at its end
 * (doc/trace-format.md):
 *
 *   PID PPID SID START END exit|exec WORD=READ,WRITTEN…
 *
 * START, END: ns of CLOCK_REALTIME; START is that of the shard. Words: all
 * (with the children that were waited for), own (without them), start and
 * startown (the same when the program began; none: a child of fork), tracer
 * (its own calls), aio, and those of leftout.def. Bytes as the kernel counts
 * them; `all`, `own` and `tracer` without the line itself. Of several lines
 * with the same PID and START the last one counts.
 */
#ifndef DFT_CORE_COUNTEDLINE_H
#define DFT_CORE_COUNTEDLINE_H

#define COUNTEDLINE_FILE "counted."

enum {
    COUNTEDLINE_FILE_MAX = 1 << 24, /* bytes; no more lines in larger files */
    COUNTEDLINE_MAX = 2048          /* bytes of a line */
};

#endif
