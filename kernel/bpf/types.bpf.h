/* SPDX-License-Identifier: MIT
 *
 * types.bpf.h - what of the kernel's structures the programs look at
 *
 * Each is moved to where the running kernel has it when the programs are loaded
 * (CO-RE), so building them needs no kernel's headers and no BTF.
 */
#pragma once

#include <linux/bpf.h>
#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), \
                             apply_to = record)

/* Stands for any word in memory: its first member is a number. */
struct rb_node {
    unsigned long __rb_parent_color;
};

struct qstr {
    __u32 len;
    const unsigned char *name;
};

struct block_device {
    __u32 bd_dev;
};

struct super_block {
    unsigned long s_magic;
    __u32 s_dev;
    struct block_device *s_bdev;
};

struct address_space {
    struct inode *host;
};

struct folio {
    struct address_space *mapping;
    unsigned long index;
    unsigned long _flags_1; /* of a large one */
};

struct page {
    unsigned long compound_head;
};

struct request_queue;

struct bio_vec {
    struct page *bv_page;
};

struct bvec_iter {
    unsigned int bi_size;
};

struct bio {
    struct bio *bi_next;
    struct block_device *bi_bdev;
    unsigned int bi_opf;
    __u8 bi_status;
    struct bvec_iter bi_iter;
    void *bi_end_io;
    void *bi_private;
    unsigned short bi_vcnt;
    struct bio_vec *bi_io_vec;
};

enum pageflags { PG_head = 6 };

struct inode {
    unsigned short i_mode;
    struct super_block *i_sb;
    unsigned long i_ino;
    long long i_size;
};

struct dentry {
    struct dentry *d_parent;
    struct qstr d_name;
    struct inode *d_inode;
};

struct vfsmount {
    struct dentry *mnt_root;
};

struct mount {
    struct mount *mnt_parent;
    struct dentry *mnt_mountpoint;
    struct vfsmount mnt;
};

struct path {
    struct vfsmount *mnt;
    struct dentry *dentry;
};

struct file {
    struct path f_path;
    struct inode *f_inode;
    unsigned int f_flags;
    long long f_pos;
};

struct vm_area_struct {
    unsigned long vm_start, vm_pgoff;
    struct file *vm_file;
};

struct fdtable {
    unsigned int max_fds;
    struct file **fd;
};

struct files_struct {
    struct fdtable *fdt;
};

struct fs_struct {
    struct path root, pwd;
};

struct mm_struct {
    unsigned long arg_start, arg_end, env_start, env_end;
};

struct thread_info {
    __u32 status; /* x86: TS_COMPAT */
};

typedef struct {
    int counter;
} atomic_t;

struct signal_struct {
    atomic_t live;
};

struct bpf_local_storage;

struct sched_info {
    unsigned long pcount;
    unsigned long long run_delay, last_arrival;
};

struct task_struct {
    struct thread_info thread_info;
    unsigned in_iowait : 1;
    int pid, tgid;
    struct sched_info sched_info;
    unsigned long maj_flt;
    struct task_struct *group_leader, *real_parent;
    struct mm_struct *mm;
    struct files_struct *files;
    struct fs_struct *fs;
    struct signal_struct *signal;
    struct bpf_local_storage *bpf_storage;
};

struct request {
    struct bio *bio;
};

struct kiocb {
    struct file *ki_filp;
    long long ki_pos;
};

struct iomap_dio {
    struct kiocb *iocb;
};

/* Start of io_kiocb, by kind of request. */
struct io_rw {
    struct kiocb kiocb;
    __u64 addr;
    __u32 len;
};

struct io_sync {
    long long len, off;
};

struct io_cqe {
    int fd;
};

struct io_kiocb {
    struct file *file;
    __u8 opcode;
    __u64 flags;
    struct io_cqe cqe;
};

struct io_uring_cqe {
    __s32 res;
};

struct linux_binprm {
    struct file *file;
};

#if defined __TARGET_ARCH_x86
struct pt_regs {
    unsigned long di, si, dx, r10, r8, r9, ip;
};
#define REGS_NAME0 di
#define REGS_NAME1 si
#define REGS_NAME2 dx
#define REGS_NAME3 r10
#define REGS_NAME4 r8
#define REGS_NAME5 r9
#define REGS_IP(r) ((r)->ip)
#elif defined __TARGET_ARCH_arm64
struct user_pt_regs {
    __u64 regs[31], pc;
};
struct pt_regs {
    struct user_pt_regs user_regs;
};
#define REGS_NAME0 user_regs.regs[0]
#define REGS_NAME1 user_regs.regs[1]
#define REGS_NAME2 user_regs.regs[2]
#define REGS_NAME3 user_regs.regs[3]
#define REGS_NAME4 user_regs.regs[4]
#define REGS_NAME5 user_regs.regs[5]
#define REGS_IP(r) ((r)->user_regs.pc)
#else
#error "x86-64 and aarch64 only"
#endif

#pragma clang attribute pop

#define REGS_ARG0(r) ((r)->REGS_NAME0)
#define REGS_ARG1(r) ((r)->REGS_NAME1)
#define REGS_ARG2(r) ((r)->REGS_NAME2)
#define REGS_ARG3(r) ((r)->REGS_NAME3)
#define REGS_ARG4(r) ((r)->REGS_NAME4)
#define REGS_ARG5(r) ((r)->REGS_NAME5)
