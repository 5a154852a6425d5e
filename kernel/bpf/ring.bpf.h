/* SPDX-License-Identifier: MIT
 *
 * ring.bpf.h - requests of io_urings on files, from submission to completion
 *
 * Whoever submits: a system call, or the kernel's thread that polls the queue
 * (SQPOLL), which belongs to the process. A request is known by its address in
 * the kernel; its file is told when it is complete, so registered files are
 * known, too.
 */
#pragma once

#include "kernel/bpf/file.bpf.h"
#include "kernel/bpf/vector.bpf.h"

enum {
    RING_REQUESTS = 32768, /* under way at a time, of all that is followed */
    RING_FIXED_FILE = 1    /* bit of io_kiocb.flags: a registered file */
};

/* The kernel's IORING_OP_*, those that are reads, writes and syncs of files. */
enum {
    RING_READV = 1,
    RING_WRITEV = 2,
    RING_FSYNC = 3,
    RING_READ_FIXED = 4,
    RING_WRITE_FIXED = 5,
    RING_SYNC_RANGE = 8,
    RING_READ = 22,
    RING_WRITE = 23,
    RING_READV_FIXED = 60,
    RING_WRITEV_FIXED = 61,
    RING_DONE = 0xff /* its end was told; the entry may be used */
};

struct ring_request {
    __u64 start, size;
    __s64 offset;
    __u32 tgid, tid;
    __u32 op;
    __s32 fd;
};

struct {
    __uint (type, BPF_MAP_TYPE_HASH);
    __uint (max_entries, RING_REQUESTS);
    __type (key, __u64);
    __type (value, struct ring_request);
} requests SEC (".maps");

/* 0: not one that is recorded. */
static __always_inline int ring_sizes (struct ring_request *q,
                                       struct io_kiocb *req)
{
    struct io_rw *rw = (void *)req;
    struct io_sync *sync = (void *)req;

    switch (q->op) {
    case RING_READV:
    case RING_WRITEV:
    case RING_READV_FIXED:
    case RING_WRITEV_FIXED:
        q->size =
            sum_vector (BPF_CORE_READ (rw, addr), BPF_CORE_READ (rw, len));
        q->offset = BPF_CORE_READ (rw, kiocb.ki_pos);
        return 1;
    case RING_READ:
    case RING_WRITE:
    case RING_READ_FIXED:
    case RING_WRITE_FIXED:
        q->size = BPF_CORE_READ (rw, len);
        q->offset = BPF_CORE_READ (rw, kiocb.ki_pos);
        return 1;
    case RING_FSYNC:
    case RING_SYNC_RANGE:
        q->offset = BPF_CORE_READ (sync, off);
        return 1;
    }
    return 0;
}

/* A request that is submitted again before it was seen to end has ended
 * unseen: its program has asked not to be told (IOSQE_CQE_SKIP_SUCCESS). */
static __always_inline int ring_submitted (struct io_kiocb *req)
{
    struct task *task = task_or_leader (bpf_get_current_task_btf ());
    struct ring_request q = {.op = req->opcode}, *before;
    __u64 key = (__u64)req, id = bpf_get_current_pid_tgid ();

    if (!task || !(task->flags & TASK_FOLLOWED) || !ring_sizes (&q, req))
        return 0;
    q.tgid = id >> 32;
    q.tid = (__u32)id;
    q.fd = req->flags & RING_FIXED_FILE ? -1 : req->cqe.fd;
    task->ring_fd = q.fd;
    q.start = bpf_ktime_get_ns ();
    if (bpf_map_update_elem (&requests, &key, &q, BPF_NOEXIST) == 0)
        return 0;
    before = bpf_map_lookup_elem (&requests, &key);
    if (!before || before->op != RING_DONE)
        task_lose (task);
    bpf_map_update_elem (&requests, &key, &q, BPF_EXIST);
    return 0;
}

SEC ("tp_btf/io_uring_submit_req")
int BPF_PROG (record_submit, struct io_kiocb *req)
{
    return ring_submitted (req);
}

/* As record_submit, for Linux before 6.3. */
SEC ("tp_btf/io_uring_submit_sqe")
int BPF_PROG (record_submit_sqe, struct io_kiocb *req)
{
    return ring_submitted (req);
}

/* Its file by number; 0: it is not recorded. */
static __always_inline __u32 ring_file (__u64 file)
{
    struct known_file *k = bpf_map_lookup_elem (&files, &file);

    if (k && !k->wanted)
        return 0;
    return file_number (file);
}

/* The request of this address is complete. An entry stays where the map is in
 * use by what was interrupted: then it says that it is done. */
__attribute__ ((noinline)) int ring_completed (__u64 key, __s32 result)
{
    struct io_kiocb *req = (struct io_kiocb *)key;
    __u64 file;
    struct ring_request *q = req ? bpf_map_lookup_elem (&requests, &key) : NULL;
    struct abi_request *r;
    __u32 number;

    if (!q || q->op == RING_DONE)
        return 0;
    file = (__u64)BPF_CORE_READ (req, file);
    number = file ? ring_file (file) : 0;
    if (!number)
        goto out;
    r = bpf_ringbuf_reserve (&ring, sizeof (*r), 0);
    if (!r) {
        task_lose (NULL);
        goto out;
    }
    task_head (&r->head, ABI_REQUEST, NULL);
    r->head.tgid = q->tgid;
    r->head.tid = q->tid;
    r->start = q->start;
    r->file = file;
    r->size = q->size;
    r->offset = q->offset;
    r->number = number;
    r->op = q->op;
    r->fd = q->fd;
    r->result = result;
    bpf_ringbuf_submit (r, task_wake ());
out:
    q->op = RING_DONE;
    bpf_map_delete_elem (&requests, &key);
    return 0;
}

/* Raw tracepoints, whose pointers are numbers for the verifier, as
 * ring_completed takes them. */
SEC ("raw_tp/io_uring_complete")
int BPF_PROG (record_complete,
              void *ring_context,
              struct io_kiocb *req,
              struct io_uring_cqe *cqe)
{
    return ring_completed ((__u64)req, BPF_CORE_READ (cqe, res));
}

/* As record_complete, for Linux before 6.16. */
SEC ("raw_tp/io_uring_complete")
int BPF_PROG (record_complete_values,
              void *ring_context,
              void *req,
              __u64 user_data,
              int result)
{
    return ring_completed ((__u64)req, result);
}
