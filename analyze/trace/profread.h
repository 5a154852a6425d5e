/* SPDX-License-Identifier: MIT
 *
 * profread.h - blocks of profiles of a trace -> their rows
 */
#pragma once

#include "analyze/trace/profrows.h"
#include "lib/format/tracefile.h"

/* Append what the profiles of f say to p. What makes no sense is left out;
 * *bad counts the blocks in which that was so. */
void profread (const struct tracefile *f, struct profrows *p, uint64_t *bad);

/* The payload of one block: thread (proc, tid), whose names so far are
 * names[1 … *known], of which there may be room. For the fuzz target, too.
 * 1 whole, 0 something made no sense. */
struct profread_thread {
    uint32_t proc, tid;
    uint32_t thread; /* of the source, from 0 */
    uint32_t *name;  /* numbers of profrows; owned */
    size_t names, room;
};
int profread_block (struct profrows *p,
                    struct profread_thread *t,
                    const unsigned char *payload,
                    size_t bytes);

/* For a unit test: a record PROFILE_MAP of so many bytes: the bins in which
 * there is something. 1; 0: it makes no sense. */
int profread_map (struct profrows *p,
                  const struct profread_thread *t,
                  const unsigned char *at,
                  size_t bytes);
