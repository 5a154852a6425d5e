/* SPDX-License-Identifier: MIT
 *
 * recorder.h - events of this process -> its shard
 *
 * In:  calls and regions, from the wrappers (preload/) and the application
 *      API (app/), in any thread
 * Out: DIR/shards/HOST-PID-TIME.dft, made at the first event
 *
 * Everything here runs inside somebody else's process: nothing exits, prints,
 * blocks, or changes errno, descriptors, signals or the environment. No
 * descriptor is held between calls. The caller of record_* is the wrapper,
 * which has the program's errno in its hands.
 *
 * A thread's events go to a chunk that is a shared mapping of the file, so
 * they survive the death of the process at any instruction. Where the file
 * system cannot promise space (no fallocate) the chunk is memory and is
 * written when full, at thread end and at exit.
 */
#ifndef DFT_CORE_RECORDER_H
#define DFT_CORE_RECORDER_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/core/calls.h"
#include "lib/core/clock.h"
#include "lib/core/settings.h"
#include "lib/core/shard.h"

/* --- process -------------------------------------------------------- */

/* Remember settings and identity. s must stay. No file yet. 0 or -1 when
 * there is nothing to do (no layer, no directory). Once, before threads. */
int recorder_start (const struct settings *s);

/* Bits of enum layer that are recorded; 0 before start, after finish. */
extern unsigned recorder_layers;

/* Seal this thread's chunk, write the totals, stop recording. Threads that
 * still run lose nothing that was recorded: their chunks stay readable. */
void recorder_finish (void);

/* To be called in the child of fork: forget the parent's chunks (without
 * touching them) and begin anew, with a file of its own at its first event. */
void recorder_atfork_child (void);

/* To be called where a thread ends: seals its chunk. */
void recorder_thread_end (void);

/* Count a child that will not be traced. */
void recorder_count_untraced (void);

/* Count an io_uring: its transfers cannot be seen. */
void recorder_count_ring (void);

/* The process begins an exec (1), or it has failed (0). */
void recorder_exec (int begins);

/* --- names ---------------------------------------------------------- */

/* Id of a text for the life of the process, from 1; 0 when no room is left
 * (counted). The same text, kind and class give the same id. length <=
 * EVENT_NAME_MAX. Lock-free, async-signal-safe. */
uint32_t names_intern (enum shard_name_kind kind,
                       enum file_class class,
                       const char *text,
                       size_t length);

/* Text of an id, or NULL for 0; *length, *class may be NULL. */
const char *names_text (uint32_t id, size_t *length, enum file_class *class);

/* Kind of an id; SHARD_NAME_NONE for 0. */
enum shard_name_kind names_kind (uint32_t id);

/* --- events --------------------------------------------------------- */

/* One finished event. Ids are those of names_intern here (not of a chunk);
 * fields that the call does not carry are ignored. */
struct record_arg {
    uint32_t key;
    uint8_t type; /* enum event_arg_type */
    int64_t i;
    double d;
    uint32_t text;
};

struct record {
    uint64_t start, end; /* ticks, clock_tick () */
    uint16_t call;
    uint8_t nargs; /* <= EVENT_ARGS_MAX */
    int32_t err;
    int32_t fd;
    uint32_t file, file2;
    uint64_t size;
    int64_t offset;
    int64_t ret;
    uint64_t flags;
    const struct record_arg *args;
};

/* Append to this thread's chunk. May leave errno changed. */
void recorder_record (const struct record *r);

/* This thread's own; private to the recorder. */
struct recorder_thread {
    struct tbuf *tbuf;
    int busy;
    uint32_t backoff; /* events to drop before asking for space again */
};
extern __thread struct recorder_thread recorder_self
    __attribute__ ((tls_model ("initial-exec")));

/* Count an event that met our own code at work in its thread. */
void recorder_count_busy (void);

/* Nesting guard of this thread: enter returns 0 when our own code (or a
 * wrapper) is already running in it; then do not record and do not leave. */
static inline int recorder_enter (void)
{
    if (__builtin_expect (recorder_self.busy, 0)) {
        recorder_count_busy ();
        return 0;
    }
    recorder_self.busy = 1;
    __asm__ volatile("" ::: "memory");
    return 1;
}

static inline void recorder_leave (void)
{
    __asm__ volatile("" ::: "memory");
    recorder_self.busy = 0;
}

#endif
