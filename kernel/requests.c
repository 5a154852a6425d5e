/* SPDX-License-Identifier: MIT
 *
 * requests.c - requests of io_urings -> events
 *
 * The same rows as those of libaio and of POSIX aio: from the submission until
 * the kernel says that it is complete, whenever the program looks.
 */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "kernel/calls.h"

/* By IORING_OP_*; 0: not one of them. */
static const uint16_t requests_call[] = {
    [1] = CALL_aio_read,   /* READV */
    [2] = CALL_aio_write,  /* WRITEV */
    [3] = CALL_aio_fsync,  /* FSYNC */
    [4] = CALL_aio_read,   /* READ_FIXED */
    [5] = CALL_aio_write,  /* WRITE_FIXED */
    [8] = CALL_aio_fsync,  /* SYNC_FILE_RANGE */
    [22] = CALL_aio_read,  /* READ */
    [23] = CALL_aio_write, /* WRITE */
    [60] = CALL_aio_read,  /* READV_FIXED */
    [61] = CALL_aio_write, /* WRITEV_FIXED */
};

enum { REQUESTS_OPS = sizeof (requests_call) / sizeof (requests_call[0]) };

/* Where the kernel chose the buffer, nobody has said how much; nor is a vector
 * of more elements than are looked at. */
static uint64_t requests_size (const struct abi_request *r)
{
    uint64_t moved = r->result > 0 ? (uint64_t)r->result : 0;

    return r->size == UINT64_MAX || r->size < moved ? moved : r->size;
}

void requests_take (struct calls *c, const struct abi_request *r)
{
    static const struct chunk_name none;
    struct thread *h = procs_thread (c->procs, &r->head);
    struct chunk_name name;
    struct event ev;

    if (!h || !h->proc->wanted || r->op >= REQUESTS_OPS ||
        !requests_call[r->op] || !calls_name (c, h, r->file, r->number, &name))
        return;
    memset (&ev, 0, offsetof (struct event, args));
    ev.start = r->start;
    ev.end = r->head.time;
    ev.call = requests_call[r->op];
    ev.fd = r->fd;
    ev.offset = r->offset;
    ev.ret = r->result;
    if (ev.call != CALL_aio_fsync)
        ev.size = requests_size (r);
    if (r->result < 0) {
        ev.ret = -1;
        ev.err = -r->result;
    }
    if (!calls_drops (c, &ev))
        procs_record (c->procs, h, &ev, &name, &none);
}
