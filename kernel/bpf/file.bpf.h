/* SPDX-License-Identifier: MIT
 *
 * file.bpf.h - open files: what they are called, and which are left out
 *
 * A file is what a descriptor leads to, known by its address. It gets a number
 * when it is opened, or seen first, and its name is told with that; a record of
 * another number is one of a file that had the address before.
 */
#ifndef DFT_KERNEL_FILE_BPF_H
#define DFT_KERNEL_FILE_BPF_H

#include "kernel/bpf/look.bpf.h"
#include "kernel/bpf/path.bpf.h"

enum { FILE_IFMT = 0170000, FILE_KINDS = 16, FILE_KIND_SHIFT = 12 };

struct known_file {
    __u64 inode;
    __u32 number;
    __u32 wanted;
};

struct {
    __uint (type, BPF_MAP_TYPE_LRU_HASH);
    __uint (max_entries, ABI_FILES);
    __type (key, __u64);
    __type (value, struct known_file);
} files SEC (".maps");

/* By st_mode >> FILE_KIND_SHIFT: whether such files are recorded. */
volatile const __u8 wanted_kinds[FILE_KINDS];
__u32 numbers; /* given so far */

/* Address of a descriptor's file, or 0. t: the current thread. */
static __always_inline __u64 file_of_thread (struct task_struct *t, __u32 fd)
{
    struct fdtable *table = t->files->fdt;

    return fd < table->max_fds ? look_pointer ((__u64)(table->fd + fd)) : 0;
}

static __always_inline __u64 file_of (__u32 fd)
{
    return file_of_thread (bpf_get_current_task_btf (), fd);
}

/* A file that is not known gets a number; 0: it is not recorded. */
static __always_inline __u32 file_note (__u64 address, __u32 *mode)
{
    struct file *f = (struct file *)address;
    struct inode *inode = BPF_CORE_READ (f, f_inode);
    struct known_file k = {.inode = (__u64)inode};

    *mode = BPF_CORE_READ (inode, i_mode);
    k.wanted = wanted_kinds[(*mode & FILE_IFMT) >> FILE_KIND_SHIFT];
    k.number = __sync_fetch_and_add (&numbers, 1) + 1;
    bpf_map_update_elem (&files, &address, &k, BPF_ANY);
    return k.wanted ? k.number : 0;
}

/* Remember a file that was open before, and send its name to the recorder. */
__attribute__ ((noinline)) int file_meet (__u64 address)
{
    struct file *f = (struct file *)address;
    struct task *task = task_or_leader (bpf_get_current_task_btf ());
    struct path_work *w = path_work ();
    struct abi_file *r;
    __u32 n, number, mode;

    if (!w || !task)
        return 0;
    number = file_note (address, &mode);
    if (!number)
        return 0;
    r = (struct abi_file *)w->record;
    r->mode = mode;
    r->file = address;
    r->inode = BPF_CORE_READ (f, f_inode, i_ino);
    r->magic = BPF_CORE_READ (f, f_inode, i_sb, s_magic);
    r->number = number;
    n = path_of_file (f, sizeof (*r));
    if (n > ABI_TEXT)
        return 0;
    r->cut = w->cut;
    r->bytes = n;
    task_head (&r->head, ABI_FILE, task);
    task_send (task, r, sizeof (*r) + n);
    return number;
}

/* Its number; 0: it is not recorded. */
static __always_inline __u32 file_number (__u64 address)
{
    struct known_file *k = bpf_map_lookup_elem (&files, &address);
    struct file *f = (struct file *)address;

    if (k && k->inode == (__u64)BPF_CORE_READ (f, f_inode))
        return k->wanted ? k->number : 0;
    return file_meet (address);
}

#endif
