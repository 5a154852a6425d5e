/* SPDX-License-Identifier: MIT
 *
 * transfer.h - reads and writes, finished -> records, inline where they are as
 *              expected
 *
 * All bytes were moved, the position is known and this descriptor's alone, and
 * the thread goes on where it was: then nothing is called that is not in the
 * wrapper itself, and errno is not touched. All else is done by facts_*.
 */

/* Design. The shortest way. A whole read or write of the file and size that
 * its thread had last is recorded inside its wrapper (transfer, repeat); all
 * else by facts_*. */

#pragma once

#include "preload/record/prof.h"
#include "preload/record/repeat.h"
#include "preload/wrap/facts.h"
#include "preload/files.h"

/* As expected: all of it. */
static inline int transfer_whole (int64_t rc, uint64_t size)
{
    return rc >= 0 && (uint64_t)rc == size;
}

static inline __attribute__ ((always_inline)) int transfer_record (
    const struct span *sp, uint64_t end, uint64_t size, int64_t offset)
{
    const unsigned which = LAYER_POSIX | LAYER_MMAP | LAYER_PROFILE;

    if (filter_how (sp->call) != FILTER_RECORDED)
        return 0;
    if ((recorder_layers & which) == LAYER_POSIX)
        return repeat_record ((enum call)sp->call, sp->start, end, sp->fd,
                              sp->file.name, size, offset);
    return (recorder_layers & which) == (LAYER_POSIX | LAYER_PROFILE) &&
           prof_transfer_here ((enum call)sp->call, sp->start, end,
                               sp->file.name, size, offset);
}

/* Copy the span for facts_*, so that the span itself need not be in memory. */
static inline struct span transfer_span (const struct span *sp)
{
    struct span copy = {
        .start = sp->start, .call = sp->call, .fd = sp->fd, .file = sp->file};

    return copy;
}

static inline void transfer_otherwise (const struct span *sp,
                                       int64_t rc,
                                       uint64_t size,
                                       int64_t offset,
                                       uint64_t end)
{
    struct span copy = transfer_span (sp);

    facts_moved_from (&copy, rc, size, offset, end);
}

static inline void
transfer_unknown (const struct span *sp, int64_t rc, uint64_t size)
{
    struct span copy = transfer_span (sp);

    if (sp->file.flags & FILE_APPEND)
        facts_next_write (&copy, rc, size);
    else
        facts_next (&copy, rc, size);
}

/* 1 when it is recorded as one of a run (repeat.h). */
static inline int
transfer_run (const struct span *sp, uint64_t size, uint64_t end)
{
    struct span copy = transfer_span (sp);

    return facts_run (&copy, size, end);
}

/* At the position of the descriptor. */
static inline __attribute__ ((always_inline)) void
transfer_next (const struct span *sp, int64_t rc, uint64_t size)
{
    uint64_t end = clock_tick ();
    int64_t offset = -1;

    if (__builtin_expect (transfer_whole (rc, size), 1)) {
        if (__builtin_expect (!(sp->file.flags & (FILE_APPEND | FILE_SHARED)),
                              1))
            offset = fdmap_step (sp->fd, rc);
        else if (transfer_run (sp, size, end))
            return;
    }
    if (__builtin_expect (offset < 0, 0))
        transfer_unknown (sp, rc, size);
    else if (!transfer_record (sp, end, size, offset))
        transfer_otherwise (sp, rc, size, offset, end);
}

/* At an offset that the call names. */
static inline __attribute__ ((always_inline)) void
transfer_at (const struct span *sp, int64_t rc, uint64_t size, int64_t offset)
{
    uint64_t end = clock_tick ();

    if (!transfer_whole (rc, size) || offset < 0 ||
        !transfer_record (sp, end, size, offset))
        transfer_otherwise (sp, rc, size, offset, end);
}
