/* SPDX-License-Identifier: MIT
 *
 * inode.bpf.h - what inodes are called, and who has made their pages dirty
 *
 * Pages, and so requests to block devices, belong to inodes. An inode has the
 * name of the open file by which it was seen: in the call that is under way, or
 * when it was mapped. The
 * recorder keeps that name by its number, since pages are written back when the
 * file may be closed.
 */
#pragma once

#include "kernel/bpf/file.bpf.h"
#include "kernel/bpf/vector.bpf.h"

/* --- the system call that a thread is in, whoever records it ---
 *
 * In: what record_enter keeps of it: its number and where its registers are
 * Out: files and bytes that it names */

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

enum { INODES = 65536, INODE_REGULAR = 0100000 };

struct fault_file {
    __u64 file;
    __u32 number;
};

/* By inode: the open file by which it was mapped last. */
struct {
    __uint (type, BPF_MAP_TYPE_LRU_HASH);
    __uint (max_entries, INODES);
    __type (key, __u64);
    __type (value, struct fault_file);
} mapped SEC (".maps");

struct known_inode {
    __u64 ino; /* the address may have become another inode's */
    __u32 number;
    __u32 tgid, tid; /* who has made its pages dirty; 0: nobody */
    __u32 unused;
};
struct {
    __uint (type, BPF_MAP_TYPE_LRU_HASH);
    __uint (max_entries, INODES);
    __type (key, __u64);
    __type (value, struct known_inode);
} inodes SEC (".maps");

static __always_inline struct known_inode *inode_known (__u64 inode)
{
    struct known_inode *k = bpf_map_lookup_elem (&inodes, &inode);
    struct inode *i = (struct inode *)inode;

    return k && k->ino == BPF_CORE_READ (i, i_ino) ? k : NULL;
}

/* Number of the current call's file, if it is one of this inode. */
static __always_inline __u32 inode_in_call (const struct task *task,
                                            __u64 inode,
                                            __u64 *file)
{
    for (int i = 0; i < CALL_FILES; i++) {
        struct file *f = (struct file *)call_file (task, i);

        if (!f || (__u64)BPF_CORE_READ (f, f_inode) != inode)
            continue;
        *file = (__u64)f;
        return file_number (*file);
    }
    return 0;
}

/* It is called like this open file from now on. */
static __always_inline struct known_inode *
inode_name (struct task *task, __u64 inode, __u64 file, __u32 number)
{
    struct inode *i = (struct inode *)inode;
    struct known_inode k = {.ino = BPF_CORE_READ (i, i_ino), .number = number};
    struct abi_keep r = {.file = file, .number = number};

    task_head (&r.head, ABI_KEEP, task);
    task_send (task, &r, sizeof (r));
    bpf_map_update_elem (&inodes, &inode, &k, BPF_ANY);
    return bpf_map_lookup_elem (&inodes, &inode);
}

/* Return the record of an inode used by a followed thread; NULL if it has no
 * name or is not recorded. */
static __always_inline struct known_inode *inode_meet (struct task *task,
                                                       __u64 inode)
{
    struct known_inode *k = inode_known (inode);
    struct fault_file *by_map;
    __u64 file = 0;
    __u32 number;

    if (k)
        return k;
    number = inode_in_call (task, inode, &file);
    if (!number && (by_map = bpf_map_lookup_elem (&mapped, &inode))) {
        file = by_map->file;
        number = by_map->number;
    }
    return number ? inode_name (task, inode, file, number) : NULL;
}

/* A page of it is dirty. inode 0: there is none. */
static __always_inline int inode_dirty (__u64 inode)
{
    struct task *task = task_of (bpf_get_current_task_btf ());
    __u64 id = bpf_get_current_pid_tgid ();
    struct inode *i = (struct inode *)inode;
    struct known_inode *k;

    if (!inode || !task || !(task->flags & TASK_FOLLOWED))
        return 0;
    if ((BPF_CORE_READ (i, i_mode) & FILE_IFMT) != INODE_REGULAR)
        return 0;
    k = inode_meet (task, inode);
    if (k) {
        k->tgid = id >> 32;
        k->tid = (__u32)id;
    }
    return 0;
}

SEC ("tp_btf/writeback_dirty_folio")
int BPF_PROG (record_dirty, struct folio *folio, struct address_space *mapping)
{
    return mapping ? inode_dirty ((__u64)BPF_CORE_READ (mapping, host)) : 0;
}

/* As record_dirty, for Linux before 5.18. */
SEC ("tp_btf/writeback_dirty_page")
int BPF_PROG (record_dirty_page,
              struct page *page,
              struct address_space *mapping)
{
    return mapping ? inode_dirty ((__u64)BPF_CORE_READ (mapping, host)) : 0;
}
