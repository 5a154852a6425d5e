/* SPDX-License-Identifier: MIT
 *
 * process.h - this process: ids, marks of its own mapping
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* --- process.c: whose memory we are in: fork, vfork, threads ---
 *
 * A child that shares our memory (vfork, CLONE_VM) must not touch our state;
 * one that has a copy starts anew, even when it came from a bare clone.
 */

enum thread_state {
    THREAD_NEW = 0, /* its end is not watched yet */
    THREAD_READY,
    THREAD_VFORKED, /* has vforked: we may be the child */
    THREAD_DOUBTFUL /* shares its memory with a child that runs beside it */
};

extern _Thread_local unsigned char process_thread
    __attribute__ ((tls_model ("initial-exec")));

/* 1, on a page that reads as 0 in a child with a copy of our memory, until
 * something is to be recorded in it. */
extern const unsigned *process_alive __attribute__ ((visibility ("hidden")));

/* Before threads. 0 or -1. */
int process_start (void);

/* True when this thread runs in the process whose state this is. The slow
 * path repairs the state after a fork; it keeps errno. */
int process_check (void);

static inline __attribute__ ((always_inline)) int process_is_ours (void)
{
    return __builtin_expect (process_thread == THREAD_READY && *process_alive,
                             1) ||
           process_check ();
}

/* False in a child that has recorded nothing: it has nothing to end. */
static inline int process_has_begun (void)
{
    return *process_alive != 0;
}

/* The process ends: nothing is recorded any more. late: bytes that libc will
 * write after that. Keeps no errno. */
void process_end (uint64_t late);

/* Call it when a thread ends, too; harmless in every thread. One function. */
void process_at_thread_end (void (*function) (void));

/* To be called before vfork, and before a clone with CLONE_VM. */
void process_before_vfork (void);
void process_before_shared_clone (void);

/* --- self.c: where this program is, and what runs it --- */

/* The path of this program, without links, into path[size], as /proc/self/exe
 * has it; returns its length, without a NUL, or -1. argv: what main () gets.
 * To be called where the program has not changed its root or directory yet. */
ssize_t self_path (char *path, size_t size, const char *const *argv);

/* Whether valgrind runs it, which prints a line on system calls and arguments
 * that it does not know. Async-signal-safe. */
int self_in_valgrind (void);
