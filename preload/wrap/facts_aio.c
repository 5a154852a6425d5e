/* SPDX-License-Identifier: MIT
 *
 * facts_aio.c - POSIX aio and libaio -> requests and transfers
 *
 * In:  requests when they are submitted, results when they are fetched
 * Out: an event of each request; one of each transfer, from its submission to
 *      the return of the call that fetched its result
 * Caveat: a libaio request may be freed once it is submitted, so that nothing
 *         is read from it when its result comes; its address is enough.
 */
#include "config.h"

#include "preload/counted.h"
#include "preload/wrap/facts.h"
#include "preload/wrap/rawring.h"

/* --- submitted ------------------------------------------------------------ */

/* One request; op is a number of its interface. */
struct asked {
    int fd, op;
    enum request_kind kind; /* 0: no transfer */
    uint64_t size;
    int64_t offset;
};

static void
submitted (struct span *sp, int rc, const struct asked *q, const void *key)
{
    int saved_errno = errno;
    struct record r;

    sp->fd = q->fd;
    sp->file = fdmap_get (q->fd);
    if (sp->file.state == FILE_WANTED) {
        span_result (sp, &r, rc, saved_errno);
        r.size = q->size;
        r.offset = q->offset;
        r.flags = (unsigned)q->op;
        span_write (&r);
        if (rc >= 0 && q->kind)
            requests_add ((uintptr_t)key,
                          &(struct request){.start = sp->start,
                                            .size = q->size,
                                            .offset = q->offset,
                                            .fd = q->fd,
                                            .name = sp->file.name,
                                            .kind = q->kind});
    }
    errno = saved_errno;
}

static struct asked posix_asked (const struct aiocb *cb, int op)
{
    return (struct asked){.fd = cb->aio_fildes,
                          .op = op,
                          .kind = op == LIO_READ    ? REQUEST_READ
                                  : op == LIO_WRITE ? REQUEST_WRITE
                                                    : 0,
                          .size = cb->aio_nbytes,
                          .offset = cb->aio_offset};
}

void facts_aio (struct span *sp, int rc, const struct aiocb *cb, int op)
{
    struct asked q = posix_asked (cb, op);

    submitted (sp, rc, &q, cb);
}

void facts_lio (struct span *sp, int rc, struct aiocb *const list[], int n)
{
    if (rc < 0 && errno == EINVAL)
        return; /* nothing was looked at */
    for (int i = 0; i < n; i++)
        if (list[i] && list[i]->aio_lio_opcode != LIO_NOP)
            facts_aio (sp, 0, list[i], list[i]->aio_lio_opcode);
}

static enum request_kind libaio_kind (int op)
{
    switch (op) {
    case IOCB_CMD_PREAD:
    case IOCB_CMD_PREADV:
        return REQUEST_READ;
    case IOCB_CMD_PWRITE:
    case IOCB_CMD_PWRITEV:
        return REQUEST_WRITE;
    case IOCB_CMD_FSYNC:
    case IOCB_CMD_FDSYNC:
        return REQUEST_SYNC;
    default:
        return 0;
    }
}

static uint64_t libaio_size (const struct iocb *cb)
{
    if (cb->aio_lio_opcode != IOCB_CMD_PREADV &&
        cb->aio_lio_opcode != IOCB_CMD_PWRITEV)
        return cb->aio_nbytes;
    return iov_size (0, (const struct iovec *)(uintptr_t)cb->aio_buf,
                     (int)cb->aio_nbytes);
}

/* rc: how many were taken, or a negated error number. */
void facts_io_submit (struct span *sp, int rc, struct iocb *const list[])
{
    for (int i = 0; i < rc; i++) {
        const struct iocb *cb = list[i];
        struct asked q = {.fd = (int)cb->aio_fildes,
                          .op = cb->aio_lio_opcode,
                          .kind = libaio_kind (cb->aio_lio_opcode),
                          .size = libaio_size (cb),
                          .offset = cb->aio_offset};

        submitted (sp, 0, &q, cb);
    }
}

/* --- fetched -------------------------------------------------------------- */

static const uint16_t call_of[] = {
    [REQUEST_READ] = CALL_aio_read,
    [REQUEST_WRITE] = CALL_aio_write,
    [REQUEST_SYNC] = CALL_aio_fsync,
};

static void transferred (const struct request *q, int64_t rc, int err)
{
    struct span sp = {.start = q->start, .call = call_of[q->kind], .fd = q->fd};
    struct record r;

    sp.file = fdmap_get (q->fd);
    if (sp.file.state != FILE_WANTED) /* closed meanwhile */
        sp.file.name = q->name;
    span_result (&sp, &r, rc, err);
    r.size = q->size;
    r.offset = q->offset;
    span_write (&r);
}

/* libc keeps the operation in the request, with a bit of its own. */
void facts_aio_return (struct span *sp, ssize_t rc, const struct aiocb *cb)
{
    enum { OPERATION = 127 };
    struct asked q = posix_asked (cb, cb->aio_lio_opcode & OPERATION);
    struct request request = {.start = sp->start,
                              .size = q.size,
                              .offset = q.offset,
                              .fd = q.fd,
                              .kind = q.kind};
    int saved_errno = errno;

    if (q.kind && fdmap_get (q.fd).state == FILE_WANTED) {
        sums_add_aio (q.kind == REQUEST_READ, rc);
        (void)requests_take ((uintptr_t)cb, &request);
        transferred (&request, rc, saved_errno);
    }
    errno = saved_errno;
}

/* The transfers, and the call that fetched them, with the bytes of all. */
void facts_io_fetched (struct span *sp, int rc, const struct io_event *events)
{
    int saved_errno = errno;
    struct request q;
    struct record r;

    span_result (sp, &r, rc < 0 ? -1 : rc, -rc);
    for (int i = 0; i < rc; i++) {
        int64_t res = events[i].res;

        r.size += res > 0 ? (uint64_t)res : 0;
        if (requests_take ((uintptr_t)events[i].obj, &q))
            transferred (&q, res < 0 ? -1 : res, res < 0 ? (int)-res : 0);
    }
    span_write (&r);
    errno = saved_errno;
}
