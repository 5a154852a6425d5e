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
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "lib/base/clock.h"
#include "lib/format/calls.h"
#include "lib/format/shard.h"
#include "lib/settings/settings.h"

/* --- process -------------------------------------------------------- */

/* Remember settings and identity, which the environment has; NULL: it is looked
 * through for each name. s must stay. No file yet. 0 or -1 when there is
 * nothing to do (no layer, no directory). Once, before threads. */
int recorder_start (const struct settings *s,
                    struct settings_pass *environment);

/* Host, rank and ids of the job as they were at the start; zeros before. */
struct procinfo;
const struct procinfo *recorder_identity (void);

/* State that the kernel sets to 0 in a child with a copy of our memory. */
struct recorder_wiped {
    unsigned alive;    /* of who calls recorder_begin_by */
    unsigned beginner; /* the same: thread that begins this process */
    unsigned ours;     /* 1, private to the recorder */
    uint64_t born;     /* tick of the fork, 0: not known */
};

/* It, or NULL with an old kernel. Before threads. */
struct recorder_wiped *recorder_wiped (void);

/* check: called in a child of fork that may have to call recorder_atfork_child
 * yet, where the caller of the recorder cannot know. Before threads. */
void recorder_begin_by (int (*check) (void));

/* To be called first by who does not know; false where nothing is to be
 * recorded. May change errno. */
int recorder_begun (void);

/* This is such a child, and has begun now. May change errno. */
int recorder_begin (void);

/* Bits of enum layer that are recorded; 0 before start, after finish. */
extern unsigned recorder_layers __attribute__ ((visibility ("hidden")));

/* Seal this thread's chunk, write the totals, stop recording. Threads that
 * still run lose nothing that was recorded: their chunks stay readable. */
void recorder_finish (void);

/* This process ends with that status: before recorder_finish, or after it. */
void recorder_ended (int status);

/* No system call of ours may be made from now on, and no clock read, in this
 * process and in the children that it forks: an orderly end before that. Back,
 * when it need not be after all. */
void recorder_step_aside (void);
void recorder_step_back (void);

/* We have stepped aside. */
extern int recorder_aside;

/* The process is about to change its root or its user: go on all the same. */
void recorder_keep (void);

/* Prepare for a change of the file tree (root, mounts, namespaces), after which
 * no file could be made: one is made now. */
void recorder_leave_tree (void);

/* It was changed by this process or one that it was forked from. */
extern int recorder_left;

/* Count a name that an event should have and cannot. Async-signal-safe. */
void recorder_lose_name (void);

/* This process, as its shard has it. */
pid_t recorder_pid (void);

/* When this process began, ns of CLOCK_REALTIME, as its shard has it. */
uint64_t recorder_start_real (void);

/* True once this process has a file: something was recorded. */
int recorder_has_file (void);

/* True if a store to a chunk that nobody has stored to for a while cannot end
 * the program: its space is kept, or it is memory. */
int recorder_may_rest (void);

/* To be called before a fork and after it in the parent, in the thread that
 * forks: which may be a signal handler that interrupted our own code. */
void recorder_before_fork (void);
void recorder_after_fork (void);

/* To be called in the child of fork, before its first event at the latest:
 * forget the parent's chunks (without touching them) and begin anew, with a
 * place of its own at its first event. */
void recorder_atfork_child (void);

/* To be called where a thread ends: seals its chunk. */
void recorder_thread_end (void);

/* MPI knows the rank of this process and how many there are. */
void recorder_rank (int32_t rank, uint32_t ranks);

/* Count a child that will not be traced. */
void recorder_count_untraced (void);

/* Count an io_uring: its transfers cannot be seen. */
void recorder_count_ring (void);
void recorder_count_requests (uint64_t n);

/* The import hook of the package dftrace says by this fact, which is not
 * recorded, that it runs in this Python. */
#define RECORDER_HOOKED "dftrace.hooked"
extern int recorder_hooked;

/* The process begins an exec (1), or it has failed (0). */
void recorder_exec (int begins);

/* --- names ---------------------------------------------------------- */

/* Id of a text; 0 when there is no memory (counted). The same text, kind and
 * class mostly give the same id. length <= EVENT_NAME_MAX. Lock-free,
 * async-signal-safe. Ids of files are good until some 9000 others have come;
 * the others, for 1 MiB of texts, as long as the process. */
uint32_t names_intern (enum shard_name_kind kind,
                       enum file_class class,
                       const char *text,
                       size_t length);

/* Text of an id, or NULL for 0 and ids that are gone; *length, *class may be
 * NULL. Other threads may overwrite it: what was read counts if names_valid
 * holds after that. */
const char *names_text (uint32_t id, size_t *length, enum file_class *class);
int names_valid (uint32_t id);

/* Kind of an id; SHARD_NAME_NONE for 0. */
enum shard_name_kind names_kind (uint32_t id);

/* Register a function that renews stored ids of files. An interning thread
 * calls it now and then, never two at a time. It replaces each id by
 * names_carried: the same, a new one, or 0 if it is too late or there are too
 * many. */
void names_carry_by (void (*function) (void));
uint32_t names_carried (uint32_t id);

/* In the child of a fork. */
void names_forked (void);

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

/* A whole transfer at the position of a descriptor that others may move, where
 * the kernel was last asked before the first one of a run: 1, or 0 and nothing
 * has happened. position: where that began, -1 not known; moves: a number that
 * changes when somebody in this process moves it otherwise. */
int recorder_run_next (const struct record *r,
                       int64_t position,
                       unsigned moves);

/* The descriptor whose position this thread's run has moved; -1: there is no
 * run. */
int recorder_run_of (void);

/* The run of fd ends; the kernel says that it has come to `now`. Where it was
 * expected to come to; -1: there was none. */
int64_t recorder_run_end (int fd, int64_t now);

/* The program is in this step of its own from now on; INT64_MIN: in none. In
 * the recorder (entered), where recorder_has_steps says so. */
int recorder_has_steps (void);
void recorder_step (int64_t step);

/* A region of layer app begins: a profile wants to know. */
void recorder_region_begin (uint64_t tick);

/* This thread is in the region of that name until it leaves the one that began
 * at tick: for the case that it is killed there. From a guarded place. */
void recorder_region_enter (uint32_t name, uint64_t tick);
void recorder_region_leave (uint64_t tick);

/* This thread's own; private to the recorder. */
struct recorder_thread {
    struct tbuf *tbuf;
    uintptr_t busy;   /* where on the stack our own code began; 0: it is not */
    uint32_t backoff; /* events before asking for space again */
    uint32_t left;    /* how often it was left by a jump */
    uint32_t mute;    /* until then nothing can be kept, not even counts */
    struct tbuf *other; /* of events where tbuf has counters, or the reverse */
};
extern __thread struct recorder_thread recorder_self
    __attribute__ ((tls_model ("initial-exec")));

static inline uintptr_t recorder_stack (void)
{
    uintptr_t sp;

#if defined __x86_64__
    __asm__ volatile("mov %%rsp, %0" : "=r"(sp));
#elif defined __aarch64__
    __asm__ volatile("mov %0, sp" : "=r"(sp));
#else
    sp = (uintptr_t)__builtin_frame_address (0);
#endif
    return sp;
}

/* Our own code was at work when we came: begin anew (1) if it will never go
 * on, since a signal handler jumped out of it or its thread was cancelled; else
 * count an event that cannot be recorded (0). */
int recorder_enter_busy (uintptr_t stack);

/* From a wrapper, before its call: if our own code will never go on, the next
 * event begins anew, however deep in the stack it is recorded. */
void recorder_look_busy (uintptr_t stack);

/* For `busy` in code that is inline in a wrapper and calls nothing: less than
 * the frame of a signal handler below it. If a handler jumps out of that code,
 * what the next wrapper calls is not taken for a handler. */
static inline uintptr_t recorder_mark (void)
{
    enum { BELOW = 1024 };

    return recorder_stack () - BELOW;
}

/* Nesting guard of this thread: enter returns 0 when our own code (or a
 * wrapper) is already running in it; then do not record and do not leave. */
static inline int recorder_enter (void)
{
    uintptr_t stack = recorder_stack ();

    if (__builtin_expect (recorder_self.busy != 0, 0))
        return recorder_enter_busy (stack);
    recorder_self.busy = stack;
    __asm__ volatile("" ::: "memory");
    return 1;
}

static inline void recorder_leave (void)
{
    __asm__ volatile("" ::: "memory");
    recorder_self.busy = 0;
}
