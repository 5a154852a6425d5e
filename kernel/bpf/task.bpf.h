/* SPDX-License-Identifier: MIT
 *
 * task.bpf.h - the threads that are followed, and what each is in
 *
 * A thread is followed when it has a struct task here, which children inherit.
 * Threads of others have none: for them a system call costs that look.
 */
#pragma once

#include "kernel/abi.h"
#include "kernel/bpf/types.bpf.h"
#include "lib/base/kernelmark.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

enum {
    TASK_LOOK = 16, /* records of a thread between looks at the ring */
    TASK_SOME_INODE = 1
};

enum task_flag {
    TASK_FOLLOWED = 1, /* else it waits for KERNELMARK_FOLLOW */
    TASK_LIBRARY = 2
};

/* A fault on a page of a file, from its begin until the thread is seen to do
 * something else. */
struct task_fault {
    __u64 inode; /* 0: none; TASK_SOME_INODE: not known yet */
    __u64 index; /* of the page in the file */
    __u64 address;
    __u64 begin;
    __u64 out, in;  /* of its last sleep, ns; in 0: it sleeps, out 0: no sleep
                       that is not in `slept` */
    __u64 delay;    /* of the thread, at `out` */
    __u64 arrivals; /* on a CPU, at `out` */
    __u64 slept, end;
    __u64 major; /* of the thread, at its begin */
    __u64 bytes;
    __u32 sleeps;
};

/* Pages that the call at hand has added to the page cache. */
struct task_cache {
    __u64 inode;    /* 0: none */
    __u64 from, to; /* bytes of the file that it reads; both 0: not known */
    __s64 offset;
    __u64 added, missed;
};

struct task {
    __u32 flags; /* enum task_flag */
    __u32 lost;
    /* the call that it is in */
    __u32 call;            /* number + 1; 0 none */
    __u32 number, number2; /* of its files; 0 none */
    __u64 start;
    __u64 args[ABI_ARGS];
    __u64 file, file2;
    __u64 last_file,
        last_inode;    /* of the last call, with its number: good as */
    __u32 last_number; /* long as no other file has got one */
    __u32 last_given;
    __u32 sent; /* records */
    __s64 position;
    __u64 bytes;
    __u32 asked;  /* `marks` when its leader was asked for the library's mark */
    __u32 inside; /* of a system call, of any kind */
    __s32 ring_fd; /* of the last request of an io_uring; -1: registered */
    __u64 regs;    /* of that call: struct pt_regs */
    __u32 number_of_call;
    struct task_cache cache;
    struct task_fault fault;
    struct kernelmark_code code;
};

struct {
    __uint (type, BPF_MAP_TYPE_TASK_STORAGE);
    __uint (map_flags, BPF_F_NO_PREALLOC);
    __type (key, int);
    __type (value, struct task);
} tasks SEC (".maps");

struct {
    __uint (type, BPF_MAP_TYPE_RINGBUF);
    __uint (max_entries, 4 << 20);
} ring SEC (".maps");

volatile const __u32 page_shift; /* of this machine */
struct abi_totals totals;
__u32 marks = 1; /* that libraries have made, and one */
/* Wake the recorder when so much is in the ring. */
__u64 wake_bytes = 1 << 20;

/* NULL: it is not followed. Most have nothing of any program, and are left with
 * that one look. */
static __always_inline struct task *task_of (struct task_struct *t)
{
    if (!t->bpf_storage)
        return NULL;
    return bpf_task_storage_get (&tasks, t, 0, 0);
}

/* As task_of, also for a kernel thread that polls or works for an io_uring of
 * the process. */
static __always_inline struct task *task_or_leader (struct task_struct *t)
{
    struct task *task = task_of (t);

    return task ? task : task_of (t->group_leader);
}

static __always_inline __u64 task_wake (void)
{
    return bpf_ringbuf_query (&ring, BPF_RB_AVAIL_DATA) >= wake_bytes
               ? BPF_RB_FORCE_WAKEUP
               : BPF_RB_NO_WAKEUP;
}

/* As task_wake, for a thread that sends many records: the fill of the ring is
 * checked only now and then. */
static __always_inline __u64 task_wake_often (struct task *task)
{
    return ++task->sent % TASK_LOOK ? BPF_RB_NO_WAKEUP : task_wake ();
}

static __always_inline void task_lose (struct task *task)
{
    if (task)
        task->lost++;
    __sync_fetch_and_add (&totals.lost, 1);
}

/* t: the current thread. */
static __always_inline void task_head_of (struct abi_head *h,
                                          enum abi_type type,
                                          const struct task *task,
                                          const struct task_struct *t)
{
    h->type = type;
    h->lost = task ? task->lost : 0;
    h->tgid = t->tgid;
    h->tid = t->pid;
    h->time = bpf_ktime_get_ns ();
}

static __always_inline void
task_head (struct abi_head *h, enum abi_type type, struct task *task)
{
    task_head_of (h, type, task, bpf_get_current_task_btf ());
}

/* Bytes of any number. */
static __always_inline void
task_send (struct task *task, void *record, __u64 bytes)
{
    if (bpf_ringbuf_output (&ring, record, bytes, task_wake ()) < 0)
        task_lose (task);
    else if (task)
        task->lost = 0;
}
