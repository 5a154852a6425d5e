/* SPDX-License-Identifier: MIT
 *
 * facts_copy.c - transfers that the kernel makes for the program -> events
 *
 * In:  copy_file_range, sendfile, splice; POSIX aio, libaio, io_uring
 * Out: one event per copy, with both files; one per request and one per
 *      result fetched; a count of rings
 * Caveat: a libaio request may be freed once it is submitted, so that nothing
 *         is read from it when its result comes.
 */
#include "config.h"

#include <errno.h>

#include "preload/facts/facts.h"

static uint32_t name_of (struct file f)
{
    return f.state == FILE_WANTED ? f.name : 0;
}

/* Where a side of a copy began: at the offset that the call has moved, or at
 * the descriptor's. */
static int64_t
side (int fd, struct file f, ssize_t rc, const off64_t *at, int writes)
{
    if (at)
        return rc >= 0 ? *at - rc : -1;
    if (f.state != FILE_WANTED)
        return -1;
    if (writes && (f.flags & FILE_APPEND)) {
        fdmap_set_position (fd, -1);
        return -1;
    }
    return fdmap_advance (fd, f, rc > 0 ? rc : 0);
}

void facts_pair (struct span *sp,
                 ssize_t rc,
                 int in,
                 int out,
                 size_t n,
                 const off64_t *at,
                 const off64_t *to)
{
    int saved_errno = errno;
    struct file f = fdmap_get (in), f2 = fdmap_get (out);
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.file = name_of (f);
    r.file2 = name_of (f2);
    r.size = n;
    r.offset = side (in, f, rc, at, 0);
    (void)side (out, f2, rc, to, 1);
    span_write (&r);
    errno = saved_errno;
}

/* --- asynchronous ----------------------------------------------------- */

struct request {
    int fd, op;
    uint64_t size;
    int64_t offset;
};

static void submitted (struct span *sp, int rc, const struct request *q)
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
    }
    errno = saved_errno;
}

static struct request request_of (const struct aiocb *cb, int op)
{
    return (struct request){.fd = cb->aio_fildes,
                            .op = op,
                            .size = cb->aio_nbytes,
                            .offset = cb->aio_offset};
}

void facts_aio (struct span *sp, int rc, const struct aiocb *cb, int op)
{
    struct request q = request_of (cb, op);

    submitted (sp, rc, &q);
}

void facts_lio (struct span *sp, int rc, struct aiocb *const list[], int n)
{
    if (rc < 0 && errno == EINVAL)
        return; /* nothing was looked at */
    for (int i = 0; i < n; i++)
        if (list[i] && list[i]->aio_lio_opcode != LIO_NOP)
            facts_aio (sp, 0, list[i], list[i]->aio_lio_opcode);
}

/* libc keeps the operation in the request, with a bit of its own. */
void facts_aio_return (struct span *sp, ssize_t rc, const struct aiocb *cb)
{
    enum { OPERATION = 127 };
    struct request q = request_of (cb, cb->aio_lio_opcode & OPERATION);
    int saved_errno = errno;
    struct record r;

    sp->fd = q.fd;
    sp->file = fdmap_get (q.fd);
    sp->call = q.op == LIO_WRITE ? CALL_aio_write : CALL_aio_read;
    if (sp->file.state == FILE_WANTED &&
        (q.op == LIO_READ || q.op == LIO_WRITE)) {
        span_result (sp, &r, rc, saved_errno);
        r.size = q.size;
        r.offset = q.offset;
        span_write (&r);
    }
    errno = saved_errno;
}

/* rc: how many were taken, or a negated error number. */
void facts_io_submit (struct span *sp, int rc, struct iocb *const list[])
{
    for (int i = 0; i < rc; i++) {
        struct request q = {.fd = (int)list[i]->aio_fildes,
                            .op = list[i]->aio_lio_opcode,
                            .size = list[i]->aio_nbytes,
                            .offset = list[i]->aio_offset};

        submitted (sp, 0, &q);
    }
}

/* One event for all that were fetched: which requests they were of cannot be
 * asked, as those may be gone. */
void facts_io_fetched (struct span *sp, int rc, const struct io_event *events)
{
    int saved_errno = errno;
    struct record r;

    span_result (sp, &r, rc < 0 ? -1 : rc, -rc);
    for (int i = 0; i < rc; i++)
        r.size += events[i].res > 0 ? (uint64_t)events[i].res : 0;
    span_write (&r);
    errno = saved_errno;
}
