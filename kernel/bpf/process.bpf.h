/* SPDX-License-Identifier: MIT
 *
 * process.bpf.h - marks, starts, programs and ends of the followed processes
 */
#ifndef DFT_KERNEL_PROCESS_BPF_H
#define DFT_KERNEL_PROCESS_BPF_H

#include "kernel/bpf/cache.bpf.h"
#include "kernel/bpf/fault.bpf.h"

volatile const __u32 mark_call; /* getppid, by the recorder */

/* --- what a process says ---------------------------------------------- */

static __always_inline void say_process (struct task *task, enum abi_type type)
{
    struct abi_process r = {0};
    __u64 user = bpf_get_current_uid_gid ();

    task_head (&r.head, type, task);
    r.uid = (__u32)user;
    r.gid = user >> 32;
    r.left = 1;
    r.parent = BPF_CORE_READ (bpf_get_current_task_btf (), real_parent, tgid);
    task_send (task, &r, sizeof (r));
}

/* A path of the process that begins, n bytes, as a record of its own. */
static __always_inline void say_path (struct task *task, __u32 type, __u32 n)
{
    struct abi_process *r = path_record ();

    if (!r || n > ABI_TEXT)
        return;
    r->bytes = n;
    task_head (&r->head, type, task);
    task_send (task, r, sizeof (*r) + n);
}

static __always_inline void marked (struct task *task, struct pt_regs *regs)
{
    __u64 what;

    if (REGS_ARG0 (regs) != KERNELMARK_MAGIC)
        return;
    what = REGS_ARG1 (regs);
    if (what == KERNELMARK_FOLLOW && !(task->flags & TASK_FOLLOWED)) {
        task->flags = TASK_FOLLOWED;
        say_process (task, ABI_START);
    } else if (what == KERNELMARK_LIBRARY && task->flags & TASK_FOLLOWED) {
        bpf_probe_read_user (&task->code, sizeof (task->code),
                             (void *)REGS_ARG2 (regs));
        task->flags |= TASK_LIBRARY;
        __sync_fetch_and_add (&marks, 1);
        say_process (task, ABI_LIBRARY);
    }
}

/* --- processes ------------------------------------------------------------ */

SEC ("tp_btf/sched_process_fork")
int BPF_PROG (record_fork,
              struct task_struct *parent,
              struct task_struct *child)
{
    struct task *from = task_of (parent), *to;
    struct abi_process r = {0};
    __u64 user = bpf_get_current_uid_gid ();

    if (!from)
        from = task_of (parent->group_leader);
    if (!from)
        return 0;
    to =
        bpf_task_storage_get (&tasks, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
    if (!to) {
        task_lose (from);
        return 0;
    }
    to->flags = from->flags;
    to->code = from->code;
    to->ring_fd = -1;
    if (!(to->flags & TASK_FOLLOWED) || child->pid != child->tgid)
        return 0;
    /* The next record of `from` says what `from` has lost, not this one. */
    task_head (&r.head, ABI_START, NULL);
    r.head.tid = r.head.tgid = child->tgid;
    r.parent = parent->tgid;
    r.uid = (__u32)user;
    r.gid = user >> 32;
    if (bpf_ringbuf_output (&ring, &r, sizeof (r), task_wake ()) < 0)
        task_lose (from);
    return 0;
}

/* Bytes of the process's memory from begin to end into out, at most max. */
static __always_inline __u32 put_memory (char *out,
                                         __u64 begin,
                                         __u64 end,
                                         __u64 max)
{
    __u64 n = end - begin;

    if (end <= begin)
        return 0;
    if (n > max)
        n = max;
    n &= ABI_START_TEXT - 1;
    if (bpf_probe_read_user (out, n, (void *)begin) < 0)
        return 0;
    return n;
}

SEC ("tp_btf/sched_process_exec")
int BPF_PROG (record_exec,
              struct task_struct *t,
              int old,
              struct linux_binprm *bprm)
{
    struct task *task = task_of (t);
    struct abi_process *r;
    struct file *exe;
    __u64 user = bpf_get_current_uid_gid (), n;

    if (!task)
        return 0;
    __builtin_memset (&task->code, 0, sizeof (task->code));
    task->flags &= ~(__u32)TASK_LIBRARY;
    if (!(task->flags & TASK_FOLLOWED))
        return 0;
    exe = BPF_CORE_READ (bprm, file);
    say_path (task, ABI_EXE, path_of_file (exe, sizeof (*r)));
    say_path (task, ABI_DIR, path_of_cwd (sizeof (*r)));
    r = path_record ();
    if (!r)
        return 0;
    r->parent = 0;
    r->uid = (__u32)user;
    r->gid = user >> 32;
    r->args = put_memory ((char *)(r + 1), BPF_CORE_READ (t, mm, arg_start),
                          BPF_CORE_READ (t, mm, arg_end), ABI_TEXT);
    n = r->args;
    if (n > ABI_TEXT)
        return 0;
    r->environment =
        put_memory ((char *)(r + 1) + n, BPF_CORE_READ (t, mm, env_start),
                    BPF_CORE_READ (t, mm, env_end), ABI_START_TEXT - 1);
    n += r->environment;
    if (n > ABI_START_TEXT + ABI_TEXT)
        return 0;
    task_head (&r->head, ABI_EXEC, task);
    task_send (task, r, sizeof (*r) + n);
    return 0;
}

SEC ("tp_btf/sched_process_exit")
int BPF_PROG (record_end, struct task_struct *t)
{
    struct task *task = task_of (t);
    struct abi_process r = {0};

    if (!task || !(task->flags & TASK_FOLLOWED))
        return 0;
    fault_end (task, t);
    if (task->cache.inode)
        cache_tell ();
    task_head (&r.head, ABI_END, task);
    r.left = t->signal->live.counter;
    task_send (task, &r, sizeof (r));
    return 0;
}

#endif
