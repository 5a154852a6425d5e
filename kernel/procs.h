/* SPDX-License-Identifier: MIT
 *
 * procs.h - the processes that are followed, their threads, their blocks
 */
#pragma once

#include "kernel/abi.h"
#include "kernel/chunk.h"
#include "lib/settings/paths.h"
#include "preload/record/procinfo.h"

/* A program of a process: from its start, fork or exec, to its end or the next
 * exec. It gets a block when there is something to record. */
struct proc {
    struct proc *next; /* of those with the same hash */
    struct thread *threads;
    struct procinfo info;
    char *exe, *cwd;           /* NULL: not known */
    char *next_exe, *next_cwd; /* of the exec that is under way */
    char *args;                /* as the kernel has them */
    uint32_t args_bytes;
    int wanted; /* its program is traced */
    int waits;  /* it is not, since its program begins with the next exec */
    int kept;   /* what it did stays recorded; else all of it is forgotten
                   when the library says that it is there */
    int faults_told; /* the source of its page faults is in the trace */
    int changed;     /* its block in the file is not what it should be */
    uint64_t place;  /* of its block in the file; 0: none yet */
    struct shard_process p;
};

struct thread {
    struct thread *next;    /* of those with the same hash */
    struct thread *sibling; /* of the same process */
    struct proc *proc;
    uint32_t tid;
    uint32_t lost; /* events before its chunk */
    struct chunk chunk;
};

struct procs;

/* NULL: no memory. space, filter and host stay the caller's. Not for several
 * threads. */
struct procs *procs_create (struct space *space,
                            const struct pathfilter *filter,
                            const char *host);
void procs_destroy (struct procs *t); /* NULL is fine */

/* Handle records about processes; text is the part behind the record. */
void procs_started (struct procs *t, const struct abi_process *r);
void procs_named (struct procs *t,
                  const struct abi_process *r,
                  const char *path);
void procs_changed (struct procs *t,
                    const struct abi_process *r,
                    const char *text);
void procs_library (struct procs *t, const struct abi_process *r);
void procs_ended (struct procs *t, const struct abi_process *r);

/* Is it known, and has not ended? */
int procs_has (const struct procs *t, uint32_t pid);

/* The thread of a record, which is made if need be; NULL: no memory. */
struct thread *procs_thread (struct procs *t, const struct abi_head *h);

/* As procs_thread for a process that may have ended: a thread of one that
 * runs, or thread 0 of the one that ended last. NULL if none has recorded
 * anything. */
struct thread *procs_thread_late (struct procs *t, const struct abi_head *h);

/* An event of a thread. Losses are counted. */
void procs_record (struct procs *t,
                   struct thread *h,
                   struct event *ev,
                   const struct chunk_name *file,
                   const struct chunk_name *file2);
void procs_lose (struct thread *h, uint32_t events);
void procs_lose_name (struct thread *h);

/* All that there is to the file, at time now (CLOCK_MONOTONIC, ns). */
void procs_flush (struct procs *t, uint64_t now);

/* As procs_flush, at the end. lost: records without room that belong to no
 * known thread. */
void procs_finish (struct procs *t, uint64_t lost);

/* --- private to procs.c ----------------------------------------------------
 */

enum { PROCS_BUCKETS = 4096 };

struct procs {
    struct space *space;
    const struct pathfilter *filter;
    const char *host;
    struct proc *proc[PROCS_BUCKETS];
    struct thread *thread[PROCS_BUCKETS];
    struct proc *last;   /* of those in the file that have ended; NULL: none */
    struct thread *late; /* of `last`: what came after its end; NULL: nothing */
};

/* Write blocks that came late: `last` moves on, or all is written. */
void procthreads_settle (struct procs *t);

/* Return the slot of a thread in the table, used or free. */
struct thread **thread_slot (struct procs *t, uint32_t tid);

/* thread_seal writes the events of a thread; thread_remove forgets the thread
 * with events that are not written. */
void thread_seal (struct procs *t, struct thread *h);
void thread_remove (struct procs *t, struct thread *h);
struct chunk_owner thread_owner (const struct thread *h);

/* Give p a process block, so that its events are kept. Return 0 or -1. */
int proc_keep (struct procs *t, struct proc *p);

/* The block of p to the file, and a place for it if it has none. 0 or -1. */
int procblock_write (struct proc *p, struct space *space, const char *host);
