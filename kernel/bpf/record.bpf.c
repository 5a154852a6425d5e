/* SPDX-License-Identifier: MIT
 *
 * record.bpf.c - system calls of the followed processes -> the ring
 *
 * In:  tracepoints of system calls and processes; of io_urings (ring.bpf.h) and
 *      of page faults (fault.bpf.h)
 * Out: records of abi.h
 * Caveat: runs in the kernel, in everybody's system calls: whoever is not
 *         followed is left alone at once. Nothing is ever changed or refused.
 */
#include "kernel/bpf/block.bpf.h"
#include "kernel/bpf/cache.bpf.h"
#include "kernel/bpf/fault.bpf.h"
#include "kernel/bpf/ring.bpf.h"

/* --- marks, starts, programs and ends of the followed processes --- */

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

#ifndef EINVAL
#define EINVAL 22
#endif

enum { O_APPEND_BIT = 02000, AT_FDCWD_FD = -100 };

/* --- a call begins ------------------------------------------------------ */

static __always_inline __u64 arg_of (const struct task *task, __u8 which)
{
    return which < ABI_ARGS ? task->args[which] : 0;
}

static __always_inline int is_librarys (const struct task *task, __u64 ip)
{
    for (int i = 0; i < KERNELMARK_RANGES; i++)
        if (ip >= task->code.range[i].begin && ip < task->code.range[i].end)
            return 1;
    return 0;
}

/* Threads that were there before the library's mark: asked once for each mark
 * that anybody has made. */
static __always_inline void ask_leader (struct task *task,
                                        struct task_struct *t)
{
    struct task *leader;

    if (t->pid == t->tgid || task->asked == marks)
        return;
    task->asked = marks;
    leader = task_of (t->group_leader);
    if (!leader || !(leader->flags & TASK_LIBRARY))
        return;
    task->code = leader->code;
    task->flags |= TASK_LIBRARY;
}

static __always_inline int is_foreign (struct task_struct *t)
{
#ifdef __TARGET_ARCH_x86
    return (t->thread_info.status & 2) != 0; /* TS_COMPAT */
#else
    return 0;
#endif
}

static __always_inline __u64 enter_file (struct task_struct *t,
                                         __u32 fd,
                                         __u32 *number)
{
    __u64 file = file_of_thread (t, fd);

    *number = file ? file_number (file) : 0;
    return file;
}

/* As enter_file, with a shortcut for the file that the thread used last. */
static __always_inline void
enter_first_file (struct task *task, struct task_struct *t, __u32 fd)
{
    __u64 file = file_of_thread (t, fd), inode;

    task->file = file;
    if (!file)
        return;
    inode = (__u64)LOOK (struct file, file, f_inode);
    if (file != task->last_file || inode != task->last_inode ||
        task->last_given != numbers) {
        task->last_number = file_number (file);
        task->last_file = file;
        task->last_inode = inode;
        task->last_given = numbers;
    }
    task->number = task->last_number;
}

/* Files are looked up before the clock, so that this is in no duration. 0:
 * none of them is recorded. */
static __always_inline int begin_files (struct task *task,
                                        struct task_struct *t,
                                        const volatile struct abi_shape *s)
{
    __u8 fd = s->fd, fd2 = s->fd2;

    task->number = task->number2 = 0;
    task->position = -1;
    task->file = task->file2 = 0;
    if (fd >= ABI_ARGS)
        return 1;
    enter_first_file (task, t, (__u32)arg_of (task, fd));
    if (fd2 < ABI_ARGS)
        task->file2 = enter_file (t, (__u32)arg_of (task, fd2), &task->number2);
    if (s->flags & ABI_POSITION && task->number)
        task->position = LOOK (struct file, task->file, f_pos);
    return task->number || task->number2;
}

SEC ("tp_btf/sys_enter")
int BPF_PROG (record_enter, struct pt_regs *regs, long id)
{
    struct task_struct *t = bpf_get_current_task_btf ();
    struct task *task = task_of (t);
    const volatile struct abi_shape *s;

    if (!task)
        return 0;
    if (id == mark_call)
        marked (task, regs);
    task->call = 0;
    if (!(task->flags & TASK_FOLLOWED) || id < 0 || id >= ABI_SYSCALLS)
        return 0;
    fault_end (task, t);
    task->inside = 1;
    task->regs = (__u64)regs;
    task->number_of_call = id;
    if (map_call && id == map_call)
        fault_map (task, regs);
    s = &shapes[id];
    if (!(s->flags & ABI_WANTED))
        return 0;
    if (is_foreign (t)) {
        __sync_fetch_and_add (&totals.foreign, 1);
        return 0;
    }
    if (!(task->flags & TASK_LIBRARY))
        ask_leader (task, t);
    if (task->flags & TASK_LIBRARY && is_librarys (task, REGS_IP (regs)))
        return 0;
    task->args[0] = REGS_ARG0 (regs);
    task->args[1] = REGS_ARG1 (regs);
    task->args[2] = REGS_ARG2 (regs);
    task->args[3] = REGS_ARG3 (regs);
    task->args[4] = REGS_ARG4 (regs);
    task->args[5] = REGS_ARG5 (regs);
    if (!begin_files (task, t, s))
        return 0;
    task->bytes =
        s->flags & ABI_VECTOR ? sum_vector (task->args[1], task->args[2]) : 0;
    task->call = id + 1;
    task->start = bpf_ktime_get_ns ();
    return 0;
}

/* --- and ends ------------------------------------------------------------- */

static __always_inline void fill_call (struct abi_call *r,
                                       const struct task *task,
                                       const volatile struct abi_shape *s,
                                       long result)
{
    r->start = task->start;
    __builtin_memcpy (r->args, task->args, sizeof (r->args));
    r->result = result;
    r->position = task->position;
    r->bytes = task->bytes;
    r->file = task->number ? task->file : 0;
    r->number = task->number;
    r->file2 = task->number2 ? task->file2 : 0;
    r->number2 = task->number2;
    r->mode = 0;
    r->call = task->call - 1;
    r->append = 0;
    if (s->flags & ABI_POSITION && task->number) {
        r->append =
            (LOOK (struct file, task->file, f_flags) & O_APPEND_BIT) != 0;
        if (r->append && result >= 0)
            r->position = LOOK (struct file, task->file, f_pos) - result;
    }
}

/* Put the directory that a relative path starts from. Return its bytes. */
static __always_inline __u32 put_base (__u32 used, __u64 user, __s32 at)
{
    struct file *f;
    char first = 0;

    bpf_probe_read_user (&first, 1, (void *)user);
    if (first == '/')
        return 0;
    if (at == AT_FDCWD_FD)
        return path_of_cwd (used);
    f = (struct file *)file_of (at);
    return f ? path_of_file (f, used) : 0;
}

/* Put the base and the path itself. Return bytes of both: base << 16 | own. */
__attribute__ ((noinline)) int put_text (__u32 used, __u64 user, __s32 at)
{
    struct path_work *w = path_work ();
    __u32 base = put_base (used, user, at);
    long own;

    if (!w || base > ABI_TEXT)
        return 0;
    own = bpf_probe_read_user_str (w->record + ((used + base) & PATH_MASK),
                                   ABI_TEXT, (void *)user);
    return base << 16 | (own > 0 ? (__u32)own & 0xffff : 0);
}

static __always_inline __s32 directory_of (const struct task *task, __u8 at)
{
    return at == ABI_CWD ? AT_FDCWD_FD : (__s32)arg_of (task, at);
}

/* A call that names files by their paths. */
__attribute__ ((noinline)) int end_path (long result, __u32 mode)
{
    struct abi_call *r = path_record ();
    struct task *task = task_of (bpf_get_current_task_btf ());
    const volatile struct abi_shape *s;
    __u32 used = sizeof (*r), call, n;

    if (!r || !task)
        return 0;
    call = task->call - 1;
    if (call >= ABI_SYSCALLS)
        return 0;
    s = &shapes[call];
    n = put_text (used, arg_of (task, s->path), directory_of (task, s->at));
    r->text[0] = n >> 16;
    r->text[1] = n & 0xffff;
    used += (n >> 16) + (n & 0xffff);
    r->text[2] = r->text[3] = 0;
    if (s->path2 != ABI_NONE) {
        n = put_text (used, arg_of (task, s->path2),
                      directory_of (task, s->at2));
        r->text[2] = n >> 16;
        r->text[3] = n & 0xffff;
        used += (n >> 16) + (n & 0xffff);
    }
    fill_call (r, task, s, result);
    r->mode = mode;
    if (used > sizeof (*r) + 4 * ABI_TEXT)
        return 0;
    task_head (&r->head, ABI_CALL, task);
    task_send (task, r, used);
    return 0;
}

/* Register the file that the call opened; 0 if it is not recorded. */
static __always_inline int
end_open (struct task *task, long result, __u32 *mode)
{
    task->file = file_of ((__u32)result);
    if (task->file)
        task->number = file_note (task->file, mode);
    return task->number != 0;
}

/* One that names them by descriptors. */
static __always_inline void end_fd (struct task *task,
                                    const struct task_struct *t,
                                    const volatile struct abi_shape *s,
                                    long result)
{
    struct abi_call *r = bpf_ringbuf_reserve (&ring, sizeof (*r), 0);
    __u64 at;

    if (!r) {
        task_lose (task);
        return;
    }
    fill_call (r, task, s, result);
    if (s->flags & ABI_OFFSET_AT && (at = arg_of (task, s->offset))) {
        r->position = -1;
        bpf_probe_read_user (&r->position, sizeof (r->position), (void *)at);
        if (result >= 0)
            r->position -= result;
    }
    r->text[0] = r->text[1] = r->text[2] = r->text[3] = 0;
    task_head_of (&r->head, ABI_CALL, task, t);
    task->lost = 0;
    bpf_ringbuf_submit (r, task_wake_often (task));
}

SEC ("tp_btf/sys_exit")
int BPF_PROG (record_exit, struct pt_regs *regs, long result)
{
    struct task_struct *t = bpf_get_current_task_btf ();
    struct task *task = task_of (t);
    const volatile struct abi_shape *s;
    __u32 call, mode = 0;

    if (!task)
        return 0;
    if (task->cache.inode)
        cache_tell ();
    if (task->fault.inode)
        fault_end (task, t);
    task->inside = 0;
    if (!task->call)
        return 0;
    call = task->call - 1;
    if (call >= ABI_SYSCALLS)
        return 0;
    s = &shapes[call];
    if (s->path == ABI_NONE)
        end_fd (task, t, s, result);
    else if (s->fd != ABI_RESULT || result < 0 ||
             end_open (task, result, &mode))
        end_path (result, mode);
    task->call = 0;
    return 0;
}

char LICENSE[] SEC ("license") = "Dual MIT/GPL";
