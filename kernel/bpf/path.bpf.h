/* SPDX-License-Identifier: MIT
 *
 * path.bpf.h - where a file is, by the names of its directories
 *
 * Functions that are not static are verified once, whoever calls them. What a
 * walk knows is in a map and not in registers, so that the verifier has one
 * state for each step of it.
 */
#ifndef DFT_KERNEL_PATH_BPF_H
#define DFT_KERNEL_PATH_BPF_H

#include "kernel/bpf/task.bpf.h"

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

#endif
