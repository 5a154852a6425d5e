/* SPDX-License-Identifier: MIT
 *
 * fault.bpf.h - faults on pages of mapped files: how long each slept
 *
 * The kernel says when a fault looks for its page, which is where it can begin
 * to sleep. It does not say when a fault is over, so it lasts until the thread
 * is seen to do something else; in between it cannot sleep. A fault inside of a
 * system call has no such end: its first sleep for input or output is taken.
 *
 * Before Linux 6.11 only the address of a fault of user code is told. Its file
 * is looked up when it sleeps for input or output, or is that of the first page
 * that it brings.
 *
 * A sleep is the time between two switches of the thread, less what it waited
 * for a CPU at its end by the scheduler's own count (run_delay). The switch at
 * its end may be told to nobody (where the thread that goes is one that the
 * kernel keeps programs out of): then the scheduler's own time of it counts.
 */
#pragma once

#include "kernel/bpf/inode.bpf.h"

enum {
    FAULT_DENYWRITE = 0x800, /* MAP_DENYWRITE: how the loader maps libraries */
    FAULT_EXEC = 4           /* PROT_EXEC */
};

volatile const __u32 map_call;         /* mmap, by the recorder; 0: no faults */
volatile const __u32 fault_by_address; /* the kernel tells no more of one */

/* This clock less the scheduler's, by the last switch that was told; 0: not
 * known. */
__s64 fault_clock;

/* The thread runs: since when? It has come to a CPU once since `out`, or it is
 * not known. */
static __always_inline void fault_arrived (struct task_fault *f,
                                           struct task_struct *t)
{
    __u64 arrival = t->sched_info.last_arrival;

    if (!f->out || t->sched_info.pcount != f->arrivals + 1)
        return;
    if (f->in)
        fault_clock = f->in - arrival;
    else if (fault_clock)
        f->in = arrival + fault_clock;
}

static __always_inline void fault_settle (struct task_fault *f,
                                          struct task_struct *t)
{
    __u64 waited, ns;

    fault_arrived (f, t);
    if (!f->in)
        return;
    waited = t->sched_info.run_delay - f->delay;
    ns = f->in - f->out;
    if (ns > waited) {
        f->slept += ns - waited;
        f->end = f->in - waited;
    }
    f->in = f->out = 0;
}

__attribute__ ((noinline)) int fault_tell (__u64 major)
{
    struct task *task = task_of (bpf_get_current_task_btf ());
    struct fault_file *known;
    struct abi_fault *r;
    __u64 inode;

    if (!task)
        return 0;
    r = bpf_ringbuf_reserve (&ring, sizeof (*r), 0);
    if (!r) {
        task_lose (task);
        return 0;
    }
    inode = task->fault.inode;
    known = bpf_map_lookup_elem (&mapped, &inode);
    task_head (&r->head, ABI_FAULT, task);
    task->lost = 0;
    r->head.time = task->fault.end ? task->fault.end : task->fault.begin;
    r->slept = task->fault.slept;
    r->file = known ? known->file : 0;
    r->number = known ? known->number : 0;
    r->offset = task->fault.index << page_shift;
    r->bytes = task->fault.bytes;
    r->major = major != 0;
    bpf_ringbuf_submit (r, task_wake ());
    return 0;
}

/* The thread does something else. */
static __always_inline void fault_end (struct task *task, struct task_struct *t)
{
    __u64 major;

    if (!task->fault.inode)
        return;
    fault_settle (&task->fault, t);
    major = t->maj_flt - task->fault.major;
    if (task->fault.slept || task->fault.bytes || major)
        fault_tell (major);
    task->fault.inode = 0;
}

/* A file is about to be mapped: its name is that of its inode from now on. */
static __always_inline void fault_map (struct task *task, struct pt_regs *regs)
{
    struct fault_file known = {0};
    struct file *file;
    __u64 inode;

    if (REGS_ARG3 (regs) & FAULT_DENYWRITE || REGS_ARG2 (regs) & FAULT_EXEC)
        return;
    known.file = file_of ((__u32)REGS_ARG4 (regs));
    known.number = known.file ? file_number (known.file) : 0;
    if (!known.number)
        return;
    file = (struct file *)known.file;
    inode = (__u64)BPF_CORE_READ (file, f_inode);
    bpf_map_update_elem (&mapped, &inode, &known, BPF_ANY);
}

static __always_inline void fault_begin (struct task_fault *f,
                                         struct task_struct *t)
{
    f->begin = bpf_ktime_get_ns ();
    f->out = f->in = f->slept = f->end = f->bytes = 0;
    f->sleeps = 0;
    f->index = 0;
    f->major = t->maj_flt;
}

/* --- what is at an address -------------------------------------------------
 */

struct fault_place {
    __u64 address, inode, index;
};

static long fault_in_vma (struct task_struct *t,
                          struct vm_area_struct *vma,
                          struct fault_place *p)
{
    struct file *file = BPF_CORE_READ (vma, vm_file);
    struct inode *inode;

    if (!file)
        return 0;
    inode = BPF_CORE_READ (file, f_inode);
    if ((BPF_CORE_READ (inode, i_mode) & FILE_IFMT) != INODE_REGULAR)
        return 0;
    p->inode = (__u64)inode;
    p->index = BPF_CORE_READ (vma, vm_pgoff) +
               ((p->address - BPF_CORE_READ (vma, vm_start)) >> page_shift);
    return 0;
}

/* It sleeps: of which file is its page? 0: of none, or somebody changes the
 * mappings, for which it may as well wait. */
static __always_inline int fault_find (struct task_fault *f,
                                       struct task_struct *t)
{
    struct fault_place p = {.address = f->address};

    bpf_find_vma (t, p.address, fault_in_vma, &p, 0);
    f->inode = p.inode;
    f->index = p.index;
    return p.inode != 0;
}

/* It brings a page. 0: the page is not of its file. */
static __always_inline int
fault_brings (struct task *task, __u64 inode, __u64 index, __u64 bytes)
{
    struct task_fault *f = &task->fault;
    struct inode *i = (struct inode *)inode;

    if (fault_by_address && f->inode == TASK_SOME_INODE && !task->inside &&
        (BPF_CORE_READ (i, i_mode) & FILE_IFMT) == INODE_REGULAR) {
        f->inode = inode;
        f->index = index;
    }
    if (f->inode != inode)
        return 0;
    f->bytes += bytes;
    return 1;
}

/* --- the kernel's tracepoints ----------------------------------------------
 */

SEC ("tp_btf/page_fault_user")
int BPF_PROG (record_user_fault, unsigned long address)
{
    struct task_struct *t = bpf_get_current_task_btf ();
    struct task *task = task_of (t);

    if (!task)
        return 0;
    fault_end (task, t);
    if (!fault_by_address || !(task->flags & TASK_FOLLOWED))
        return 0;
    fault_begin (&task->fault, t);
    task->fault.address = address;
    task->fault.inode = TASK_SOME_INODE;
    return 0;
}

/* It may be said twice of one fault, which begins anew after a sleep. */
SEC ("tp_btf/mm_filemap_fault")
int BPF_PROG (record_fault, struct address_space *mapping, unsigned long index)
{
    struct task_struct *t = bpf_get_current_task_btf ();
    struct task *task = task_of (t);
    struct task_fault *f;
    __u64 inode;

    if (!task || !(task->flags & TASK_FOLLOWED))
        return 0;
    f = &task->fault;
    inode = (__u64)mapping->host;
    if (f->inode == inode && f->index == index)
        return 0;
    fault_end (task, t);
    fault_begin (f, t);
    f->index = index;
    f->inode = inode;
    return 0;
}

static __always_inline void fault_out (struct task *task, struct task_struct *t)
{
    struct task_fault *f = &task->fault;

    fault_settle (f, t);
    if (task->inside &&
        (f->sleeps || !BPF_CORE_READ_BITFIELD_PROBED (t, in_iowait)))
        return;
    if (fault_by_address &&
        (!BPF_CORE_READ_BITFIELD_PROBED (t, in_iowait) || !fault_find (f, t)))
        return;
    f->sleeps++;
    f->delay = t->sched_info.run_delay;
    f->arrivals = t->sched_info.pcount;
    f->out = bpf_ktime_get_ns ();
}

/* state 0: it could run on. */
SEC ("tp_btf/sched_switch")
int BPF_PROG (record_switch,
              _Bool preempted,
              struct task_struct *prev,
              struct task_struct *next,
              unsigned int state)
{
    struct task *task = task_of (prev);

    if (task && task->fault.inode) {
        fault_arrived (&task->fault, prev);
        if (!preempted && state)
            fault_out (task, prev);
    }
    task = task_of (next);
    if (task && task->fault.out && !task->fault.in &&
        next->sched_info.pcount == task->fault.arrivals)
        task->fault.in = bpf_ktime_get_ns ();
    return 0;
}
