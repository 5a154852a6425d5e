/* SPDX-License-Identifier: MIT
 *
 * block.bpf.h - requests to block devices, from the file system to their end
 *
 * In:  each bio that the block layer is given, and its end: before it is split
 *      into requests of the device, or merged with others
 * Out: ABI_BLOCK, of the thread that asked for it; of what the kernel writes
 *      back by itself, of the thread that had made the file's pages dirty
 *
 * The file is that of the page: page -> mapping -> inode. Memory of a program
 * (direct I/O) has none: iomap, which ext4, xfs and block devices use for it,
 * keeps the file with the request; else it is that of the thread's call.
 */
#pragma once

#include "kernel/bpf/inode.bpf.h"

enum {
    BLOCK_UNDER_WAY = 32768,
    BLOCK_BIOS = 256, /* of one request that are looked at */
    BLOCK_OP_MASK = 0xff,
    BLOCK_READ = 0,
    BLOCK_WRITE = 1,
    BLOCK_LAST_OP = 9,         /* discards, zeroes; above: zones, drivers */
    BLOCK_DONE = 0xff,         /* its end was told; the entry may be used */
    BLOCK_NO_PAGE = 3,         /* bits of page.mapping: not of the page cache */
    BLOCK_DIRECT_FLAG = 040000 /* O_DIRECT of x86-64; see block_direct_flag */
};

struct block_bio {
    __u64 start;
    __s64 offset;
    __u32 bytes, number, device;
    __u32 tgid, tid;
    __u8 op, flags;
};

struct {
    __uint (type, BPF_MAP_TYPE_HASH);
    __uint (max_entries, BLOCK_UNDER_WAY);
    __type (key, __u64);
    __type (value, struct block_bio);
} bios SEC (".maps");

extern const void iomap_dio_bio_end_io __ksym __weak;
volatile const __u32 block_direct_flag = BLOCK_DIRECT_FLAG;

/* The inode of its first page, and where that is in the file; 0: it is not of
 * the page cache. */
static __always_inline __u64 block_inode (struct bio *bio, __s64 *offset)
{
    struct bio_vec *vec = BPF_CORE_READ (bio, bi_io_vec);
    struct page *page;
    struct folio *folio;
    __u64 head, mapping;

    if (!vec || !BPF_CORE_READ (bio, bi_vcnt))
        return 0;
    page = BPF_CORE_READ (vec, bv_page);
    head = BPF_CORE_READ (page, compound_head);
    folio = (struct folio *)(head & 1 ? head - 1 : (__u64)page);
    mapping = (__u64)BPF_CORE_READ (folio, mapping);
    if (!mapping || mapping & BLOCK_NO_PAGE)
        return 0;
    *offset = BPF_CORE_READ (folio, index) << page_shift;
    return (__u64)BPF_CORE_READ ((struct address_space *)mapping, host);
}

/* Return the open file of a direct I/O. */
static __always_inline __u64 block_file (struct bio *bio, struct task *task)
{
    struct iomap_dio *dio;
    struct file *f;

    if (&iomap_dio_bio_end_io &&
        BPF_CORE_READ (bio, bi_end_io) == &iomap_dio_bio_end_io) {
        dio = BPF_CORE_READ (bio, bi_private);
        return (__u64)BPF_CORE_READ (dio, iocb, ki_filp);
    }
    f = (struct file *)call_file (task, 0);
    return f && BPF_CORE_READ (f, f_flags) & block_direct_flag ? (__u64)f : 0;
}

/* A file system on a device of devices: what goes to the lower ones was seen
 * above. */
static __always_inline int block_is_below (__u64 inode, __u32 device)
{
    struct inode *i = (struct inode *)inode;
    struct block_device *own = BPF_CORE_READ (i, i_sb, s_bdev);

    return own && BPF_CORE_READ (own, bd_dev) != device;
}

static __always_inline int block_is_regular (__u64 inode)
{
    struct inode *i = (struct inode *)inode;

    return (BPF_CORE_READ (i, i_mode) & FILE_IFMT) == INODE_REGULAR;
}

/* Whose it is, and of which file. 0: nobody's who is followed. */
static __always_inline int
block_owner (struct block_bio *b, struct bio *bio, struct task *task)
{
    __u64 inode = block_inode (bio, &b->offset), id, file;
    struct known_inode *k = NULL;

    if (inode && block_is_regular (inode)) {
        if (block_is_below (inode, b->device))
            return 0;
        k = task ? inode_meet (task, inode) : inode_known (inode);
    } else {
        b->offset = -1;
    }
    if (!task) {
        if (!k || !k->tgid || b->op != BLOCK_WRITE)
            return 0;
        b->flags |= ABI_BLOCK_LATE;
        b->tgid = k->tgid;
        b->tid = k->tid;
        b->number = k->number;
        return 1;
    }
    id = bpf_get_current_pid_tgid ();
    b->tgid = id >> 32;
    b->tid = (__u32)id;
    b->number = k ? k->number : 0;
    if (inode || !b->bytes)
        return 1;
    b->flags |= ABI_BLOCK_DIRECT;
    file = block_file (bio, task);
    inode = file ? (__u64)BPF_CORE_READ ((struct file *)file, f_inode) : 0;
    if (!inode || !block_is_regular (inode))
        return 1;
    if (block_is_below (inode, b->device))
        return 0;
    k = inode_known (inode);
    if (!k && (b->number = file_number (file)))
        k = inode_name (task, inode, file, b->number);
    b->number = k ? k->number : 0;
    return 1;
}

SEC ("tp_btf/block_bio_queue")
int BPF_PROG (record_bio, struct bio *bio)
{
    struct task *task = task_or_leader (bpf_get_current_task_btf ());
    struct block_bio b = {.op = bio->bi_opf & BLOCK_OP_MASK}, *before;
    __u64 key = (__u64)bio;

    if (task && !(task->flags & TASK_FOLLOWED))
        task = NULL;
    if ((!task && b.op != BLOCK_WRITE) || b.op > BLOCK_LAST_OP)
        return 0;
    b.bytes = bio->bi_iter.bi_size;
    b.device = bio->bi_bdev->bd_dev;
    b.offset = -1;
    if (!block_owner (&b, bio, task))
        return 0;
    b.start = bpf_ktime_get_ns ();
    if (bpf_map_update_elem (&bios, &key, &b, BPF_NOEXIST) == 0)
        return 0;
    before = bpf_map_lookup_elem (&bios, &key);
    if (!before || before->op != BLOCK_DONE)
        task_lose (task); /* this one, or one whose end was not seen */
    bpf_map_update_elem (&bios, &key, &b, BPF_EXIST);
    return 0;
}

/* It is complete. An entry stays where an interrupt finds the map in use: then
 * it says so. */
__attribute__ ((noinline)) int block_end (__u64 key, __u32 failed)
{
    struct block_bio *b = bpf_map_lookup_elem (&bios, &key);
    struct abi_block *r;

    if (!b || b->op == BLOCK_DONE)
        return 0;
    r = bpf_ringbuf_reserve (&ring, sizeof (*r), 0);
    if (!r) {
        task_lose (NULL);
    } else {
        task_head (&r->head, ABI_BLOCK, NULL);
        r->head.tgid = b->tgid;
        r->head.tid = b->tid;
        r->start = b->start;
        r->offset = b->offset;
        r->bytes = b->bytes;
        r->number = b->number;
        r->device = b->device;
        r->op = b->op;
        r->failed = failed;
        r->flags = b->flags;
        r->unused = 0;
        bpf_ringbuf_submit (r, task_wake ());
    }
    b->op = BLOCK_DONE;
    bpf_map_delete_elem (&bios, &key);
    return 0;
}

/* End of a bio on a device without requests. In a raw tracepoint pointers are
 * numbers for the verifier, as block_end takes them. */
SEC ("raw_tp/block_bio_complete")
int BPF_PROG (record_bio_end, struct request_queue *queue, struct bio *bio)
{
    block_end ((__u64)bio, BPF_CORE_READ (bio, bi_status) != 0);
    return 0;
}

/* End of a request, which has the bios that were merged into it. */
SEC ("tp_btf/block_rq_complete")
int BPF_PROG (record_request_end,
              struct request *rq,
              int error,
              unsigned int bytes)
{
    struct bio *bio = BPF_CORE_READ (rq, bio);

    for (int i = 0; i < BLOCK_BIOS && bio; i++) {
        __u32 size = BPF_CORE_READ (bio, bi_iter.bi_size);

        if (size > bytes)
            break;
        bytes -= size;
        block_end ((__u64)bio, (error & 0xff) != 0);
        bio = BPF_CORE_READ (bio, bi_next);
    }
    return 0;
}
