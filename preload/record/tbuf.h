/* SPDX-License-Identifier: MIT
 *
 * tbuf.h - one thread's chunk of encoded events
 */
#pragma once

#include "lib/format/event.h"
#include "lib/format/shard.h"
#include "preload/record/recorder.h"
#include "preload/record/shardfile.h"

/* --- tbuf.c: one thread's chunk of encoded events ---
 *
 * Private to the recorder. In: struct record. Out: bytes in a chunk of the
 * shard. One store of the chunk's commit word makes a record (and the names it
 * needs) visible; whatever happens before it is as if it had not been.
 */

/* -- one thread's chunk of encoded events -- */

struct prof;
struct tbuf;

enum { TBUF_SLOTS = 476 }; /* such that a buffer fits in a page */

/* Return the slot of a defined name: direct-mapped, so a collision defines a
 * name again. Ids are places in memory, hence often multiples of one number. */
static inline uint32_t tbuf_slot (uint32_t id)
{
    return (id * 0x9e3779b1u >> 16) * TBUF_SLOTS >> 16;
}

/* False in such a child. */
int tbuf_valid (const struct tbuf *t);

/* 0, or -1 when there is no room (the caller then counts it). */
int tbuf_record (struct tbuf *t, const struct record *r);

/* The quick way for a read or write that goes on where the one before it in
 * this thread ended, with the same size and descriptor: 1 when it could be
 * recorded so, else 0 and nothing has happened. */
int tbuf_repeat (struct tbuf *t, const struct record *r);

/* As recorder_run_next, recorder_run_end. */
int tbuf_run_next (struct tbuf *t,
                   const struct record *r,
                   int64_t position,
                   unsigned moves);
int64_t tbuf_run_end (struct tbuf *t, int64_t now);

/* The profile that it makes; NULL: it has events, or is wiped. */
struct prof *tbuf_prof (struct tbuf *t);

/* Its chunk is a mapping of the file, not memory; or it has none yet. */
int tbuf_mapped (const struct tbuf *t);

/* Note that this thread lost an event; the next chunk says so. */
void tbuf_lose (struct tbuf *t);

/* In a child of fork: free t without touching the parent's chunk, or return it
 * for tbuf_create if it was wiped. */
struct tbuf *tbuf_drop (struct tbuf *t);

/* Around a fork by a signal handler that interrupted the code above: t must
 * have its contents in the child (before), is the parent's again (after). In
 * the child, what is still to be written goes to memory that nobody reads; t
 * is not freed. */
void tbuf_before_fork (struct tbuf *t);
void tbuf_after_fork (struct tbuf *t);
void tbuf_leave (struct tbuf *t);

/* A child of fork is in none of its parent's regions. */
void tbuf_regions_forked (void);

/* -- the pages that buffers of threads lie in -- */

/* Bytes of a buffer. The first one shares its page with struct
 * recorder_wiped. */
enum { TBUFMEM_BYTES = SHARD_ALIGN - sizeof (struct recorder_wiped) };

struct tbuf;

/* TBUFMEM_BYTES zeros, or NULL. *wiped: they are in a child. Thread safe. */
struct tbuf *tbufmem_take (int *wiped);
void tbufmem_free (struct tbuf *t);

/* madvise, for all that is wiped with it. */
void tbufmem_advise (struct tbuf *t, int advice);

/* In a child of fork, of the thread that has t: the others' have no owner. */
void tbufmem_forked (const struct tbuf *t);

/* -- buffers of threads that come and go -- */

/* As tbuf_create; profile: of counters, else of events. Thread safe. */
struct tbuf *
threadbuf_take (const struct settings *s, int profile, struct tbuf *wiped);

/* As tbuf_end; last: and of those that wait. NULL is fine. Thread safe. */
void threadbuf_end (struct tbuf *t, int last);

/* In a child of fork: nothing waits. */
void threadbuf_forked (void);

/* --- names.c: the last names of a chunk, for one that looks like them ---
 *
 * Private to the recorder. Paths come in families: a new one mostly begins as
 * one of the last few did, and often ends like it, too.
 */

enum { RECENT_NAMES = 8 }; /* a power of two */

/* Ids of names_intern; that of the chunk's id n is in slot n modulo
 * RECENT_NAMES. 0: none. */
struct recent {
    uint32_t ids[RECENT_NAMES];
};

static inline void recent_add (struct recent *r, uint32_t local, uint32_t id)
{
    r->ids[local % RECENT_NAMES] = id;
}

/* Compare the name id, which becomes name number local of the chunk, with
 * recent ones. Return 1 and *like, or 0 if the full text takes no more bytes.
 * Async-signal-safe. */
int recent_find (const struct recent *r,
                 uint32_t local,
                 uint32_t id,
                 struct event_like *like);
