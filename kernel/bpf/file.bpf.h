/* SPDX-License-Identifier: MIT
 *
 * file.bpf.h - open files: what they are called, and which are left out
 *
 * A file is what a descriptor leads to, known by its address. It gets a number
 * when it is opened, or seen first, and its name is told with that; a record of
 * another number is one of a file that had the address before.
 */
#pragma once

#include "kernel/bpf/types.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include "kernel/bpf/task.bpf.h"

/* --- loads from addresses of the kernel that are known as numbers ---
 *
 * A kernel that lets a program say of what type an address is
 * (bpf_rdonly_cast, Linux 6.2) makes a load of it. An older one has it copied
 * by a helper, which is some 70 instructions and three returns more. */

/* libbpf declares it, too, since 1.5: with this type. */
extern void *bpf_rdonly_cast (const void *object, __u32 type) __ksym __weak;

volatile const __u32 look_casts; /* this kernel has it: by the recorder */

#define LOOK_CAST(TYPE, ADDRESS)                 \
    ((TYPE *)bpf_rdonly_cast ((void *)(ADDRESS), \
                              bpf_core_type_id_kernel (TYPE)))

/* FIELD of the TYPE at ADDRESS, which may be anything: 0 where nothing is. The
 * address is taken first, since BPF_CORE_READ moves all fields that it is
 * given, ours too. */
#define LOOK(TYPE, ADDRESS, FIELD)                    \
    ({                                                \
        TYPE *look_at = (TYPE *)(ADDRESS);            \
        look_casts ? LOOK_CAST (TYPE, look_at)->FIELD \
                   : BPF_CORE_READ (look_at, FIELD);  \
    })

/* A pointer in an array of them, as a number. */
static __always_inline __u64 look_pointer (__u64 address)
{
    __u64 pointer = 0;

    if (look_casts)
        return (__u64)LOOK_CAST (struct rb_node, address)->__rb_parent_color;
    bpf_probe_read_kernel (&pointer, sizeof (pointer), (void *)address);
    return pointer;
}

/* --- where a file is, by the names of its directories ---
 *
 * Functions that are not static are verified once, whoever calls them. What a
 * walk knows is in a map and not in registers, so that the verifier has one
 * state for each step of it. */

enum {
    PATH_NAME = 256,
    PATH_LIMIT = ABI_TEXT - PATH_NAME,
    PATH_SCRATCH = 24576, /* memory of a processor comes in 32 KiB at most */
    PATH_MASK = 4 * ABI_TEXT - 1 /* of offsets where a path begins */
};

/* Memory of this processor for one record at a time, and for one walk. */
struct path_work {
    char record[PATH_SCRATCH];
    struct vfsmount *mnt, *root_mnt;
    struct dentry *dentry, *root;
    __u32 used;
    __u32 cut; /* of the last walk: components are missing */
};
struct {
    __uint (type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint (max_entries, 1);
    __type (key, __u32);
    __type (value, struct path_work);
} work SEC (".maps");

static __always_inline struct path_work *path_work (void)
{
    __u32 zero = 0;

    return bpf_map_lookup_elem (&work, &zero);
}

static __always_inline void *path_record (void)
{
    struct path_work *w = path_work ();

    return w ? w->record : NULL;
}

/* To the directory that this mount is on; 0: it is on none. */
static __always_inline int path_up (struct path_work *w, struct vfsmount *mnt)
{
    struct mount *m =
        (void *)((char *)mnt - bpf_core_field_offset (struct mount, mnt));
    struct mount *parent = BPF_CORE_READ (m, mnt_parent);

    if (!parent || parent == m)
        return 0;
    w->dentry = BPF_CORE_READ (m, mnt_mountpoint);
    w->mnt =
        (void *)((char *)parent + bpf_core_field_offset (struct mount, mnt));
    return 1;
}

/* One step up; 0: that was the last one. A function, because kernels before 6.3
 * take no loop whose turns do not all begin with a jump to its first
 * instruction. */
__attribute__ ((noinline)) int path_step (__u32 at)
{
    struct path_work *w = path_work ();
    struct dentry *dentry, *parent;
    struct vfsmount *mnt;
    const unsigned char *name;
    long n;

    if (!w)
        return 0;
    dentry = w->dentry;
    mnt = w->mnt;
    if (dentry == w->root && mnt == w->root_mnt)
        return 0;
    if (dentry == BPF_CORE_READ (mnt, mnt_root))
        return path_up (w, mnt);
    w->cut = 1;
    parent = BPF_CORE_READ (dentry, d_parent);
    if (!parent || parent == dentry || w->used > PATH_LIMIT)
        return 0;
    name = BPF_CORE_READ (dentry, d_name.name);
    n = bpf_probe_read_kernel_str (w->record + ((at + w->used) & PATH_MASK),
                                   PATH_NAME, name);
    if (n <= 0)
        return 0;
    w->cut = 0;
    w->used += n;
    w->dentry = parent;
    return 1;
}

/* The names of a path's components into the record from byte `at` on, the last
 * one first, as the current process sees them. Bytes, at most ABI_TEXT. */
__attribute__ ((noinline)) int path_put (__u64 mnt, __u64 dentry, __u32 at)
{
    struct task_struct *t = bpf_get_current_task_btf ();
    struct path_work *w = path_work ();
    struct fs_struct *fs = BPF_CORE_READ (t, fs);

    if (!w)
        return 0;
    w->mnt = (void *)mnt;
    w->dentry = (void *)dentry;
    w->root_mnt = BPF_CORE_READ (fs, root.mnt);
    w->root = BPF_CORE_READ (fs, root.dentry);
    w->used = 0;
    w->cut = 0;
    for (int i = 0; i < ABI_PARTS; i++)
        if (!path_step (at))
            return w->used;
    w->cut = 1;
    return w->used;
}

static __always_inline int path_of_file (struct file *f, __u32 at)
{
    return path_put ((__u64)BPF_CORE_READ (f, f_path.mnt),
                     (__u64)BPF_CORE_READ (f, f_path.dentry), at);
}

/* The working directory. */
static __always_inline int path_of_cwd (__u32 at)
{
    struct task_struct *t = bpf_get_current_task_btf ();
    struct fs_struct *fs = BPF_CORE_READ (t, fs);

    return path_put ((__u64)BPF_CORE_READ (fs, pwd.mnt),
                     (__u64)BPF_CORE_READ (fs, pwd.dentry), at);
}

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
