/* SPDX-License-Identifier: MIT
 *
 * call.bpf.h - the system call that a thread is in, whoever records it
 *
 * In:  what record_enter keeps of it: its number and where its registers are
 * Out: files and bytes that it names
 */
#ifndef DFT_KERNEL_CALL_BPF_H
#define DFT_KERNEL_CALL_BPF_H

#include "kernel/bpf/file.bpf.h"
#include "kernel/bpf/vector.bpf.h"

/* Numbers of calls are the machine's: filled in by the recorder. */
volatile const struct abi_shape shapes[ABI_SYSCALLS];
volatile const __u32 ring_call; /* io_uring_enter */
volatile const __u32 aio_call;  /* io_submit */

enum { CALL_FILES = 2, CALL_AIO_FD = 20 /* offset in struct iocb */ };

/* NULL: it is in none that names files. */
static __always_inline const volatile struct abi_shape *
call_shape (const struct task *task)
{
    __u32 number = task->number_of_call;

    if (!task->inside || number >= ABI_SYSCALLS)
        return NULL;
    return shapes[number].flags & ABI_WANTED ? &shapes[number] : NULL;
}

static __always_inline __u64 call_arg (const struct task *task, __u8 which)
{
    struct pt_regs *regs = (struct pt_regs *)task->regs;

    switch (which) {
    case 0:
        return BPF_CORE_READ (regs, REGS_NAME0);
    case 1:
        return BPF_CORE_READ (regs, REGS_NAME1);
    case 2:
        return BPF_CORE_READ (regs, REGS_NAME2);
    case 3:
        return BPF_CORE_READ (regs, REGS_NAME3);
    case 4:
        return BPF_CORE_READ (regs, REGS_NAME4);
    case 5:
        return BPF_CORE_READ (regs, REGS_NAME5);
    }
    return 0;
}

/* Return the file of the first request given to io_submit. */
static __always_inline __u64 call_aio_file (const struct task *task)
{
    __u64 list = call_arg (task, 2), at = 0;
    __u32 fd = ~0u;

    bpf_probe_read_user (&at, sizeof (at), (void *)list);
    bpf_probe_read_user (&fd, sizeof (fd), (void *)(at + CALL_AIO_FD));
    return file_of (fd);
}

/* Address of its file, of CALL_FILES; 0: none. Requests of an io_uring are
 * begun inside of a call that does not name their file. */
static __always_inline __u64 call_file (const struct task *task, int which)
{
    const volatile struct abi_shape *s = call_shape (task);
    __u8 fd;

    if (!s && which == 0 && task->ring_fd >= 0 &&
        (!task->inside || task->number_of_call == ring_call))
        return file_of (task->ring_fd);
    if (!s)
        return which == 0 && task->inside && task->number_of_call == aio_call
                   ? call_aio_file (task)
                   : 0;
    fd = which == 0 ? s->fd : s->fd2;
    return fd < ABI_ARGS ? file_of ((__u32)call_arg (task, fd)) : 0;
}

/* Bytes of its file that it asks for. 0: nobody knows. */
static __always_inline int
call_range (const struct task *task, __u64 file, __u64 *from, __u64 *to)
{
    const volatile struct abi_shape *s = call_shape (task);
    struct file *f = (struct file *)file;
    __u64 size;
    __s64 at = -1;

    if (!s || !(s->flags & ABI_READS) || !file)
        return 0;
    size = s->flags & ABI_VECTOR
               ? sum_vector (call_arg (task, 1), call_arg (task, 2))
               : call_arg (task, s->size);
    if (s->offset < ABI_ARGS)
        at = call_arg (task, s->offset);
    if (s->flags & ABI_OFFSET_AT) {
        __u64 where = at;

        at = -1;
        if (where)
            bpf_probe_read_user (&at, sizeof (at), (void *)where);
    }
    *from = at >= 0 ? (__u64)at : (__u64)BPF_CORE_READ (f, f_pos);
    *to = *from + size;
    return *to > *from;
}

#endif
