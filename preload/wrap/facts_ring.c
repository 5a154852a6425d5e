/* SPDX-License-Identifier: MIT
 *
 * facts_ring.c - io_urings by liburing -> requests
 *
 * In:  a ring, before and after its requests are submitted; of rings that a
 *      program has made without liburing, that there are some
 * Out: aio_submit events of reads, writes and syncs of files; these requests
 *      counted, those of registered files and of rings that cannot be read, too
 * Caveat: results are taken from the ring by code inside the program, which
 *         nobody can stand in front of. Only the members of struct io_uring
 *         that are the same in every liburing are looked at.
 */
#include "config.h"

#include "preload/wrap/facts.h"
#include "preload/wrap/rawring.h"
#include "preload/span.h"

/* The begin of struct io_uring: its queue of requests. */
struct ring {
    unsigned *head, *tail, *mask, *entries, *flags, *dropped, *array;
    const struct ring_request *requests;
};

/* The kernel's struct io_uring_sqe. */
struct ring_request {
    uint8_t op, flags;
    uint16_t priority;
    int32_t fd;
    uint64_t offset, address;
    uint32_t length;
    uint32_t rest[9];
};
_Static_assert(sizeof (struct ring_request) == 64, "as the kernel has it");

enum {
    OP_READV = 1,
    OP_WRITEV = 2,
    OP_FSYNC = 3,
    OP_READ_FIXED = 4,
    OP_WRITE_FIXED = 5,
    OP_READ = 22,
    OP_WRITE = 23,
    OF_RING = 256, /* added to the operation, as libaio has others */
    FIXED_FILE = 1 /* fd is the number of a registered file */
};

/* How deep this thread is in liburing, which may call syscall () there. Not one
 * counter for rings and requests: a handler may jump out of one that waits. */
static _Thread_local unsigned submits
    __attribute__ ((tls_model ("initial-exec")));

static int facts_ring_is_readable (const struct ring *r)
{
    return r && r->head && r->mask && r->requests;
}

int span_open_submit (struct span *sp, const struct io_uring *ring)
{
    const struct ring *r = (const struct ring *)(const void *)ring;

    if (!span_open (sp))
        return 0;
    submits++;
    sp->fd = facts_ring_is_readable (r)
                 ? (int)__atomic_load_n (r->head, __ATOMIC_ACQUIRE)
                 : 0;
    return 1;
}

/* Bytes asked for; the vector must still be there: the kernel has read it
 * only now. */
static uint64_t size_of (const struct ring_request *q)
{
    if (q->op == OP_READV || q->op == OP_WRITEV)
        return iov_size (0, (const struct iovec *)(uintptr_t)q->address,
                         (int)q->length);
    return q->op == OP_FSYNC ? 0 : q->length;
}

static int is_transfer (const struct ring_request *q)
{
    return q->op == OP_READ || q->op == OP_WRITE || q->op == OP_READV ||
           q->op == OP_WRITEV || q->op == OP_READ_FIXED ||
           q->op == OP_WRITE_FIXED || q->op == OP_FSYNC;
}

static void one_request (struct span *sp, const struct ring_request *q)
{
    struct record r;

    if (!is_transfer (q) || q->flags & FIXED_FILE)
        return;
    sp->fd = q->fd;
    sp->file = fdmap_get (q->fd);
    if (sp->file.state != FILE_WANTED)
        return;
    span_result (sp, &r, 0, 0);
    r.size = size_of (q);
    r.offset = (int64_t)q->offset; /* -1: at the position */
    r.flags = OF_RING + q->op;
    span_write (&r);
}

void facts_submit (struct span *sp, int rc, const struct io_uring *ring)
{
    const struct ring *r = (const struct ring *)(const void *)ring;
    unsigned first = (unsigned)sp->fd;
    uint64_t transfers = 0;
    int saved_errno = errno;

    submits--;
    if (rc > 0 && !facts_ring_is_readable (r))
        recorder_count_requests ((uint64_t)rc);
    for (int i = 0;
         i < rc && facts_ring_is_readable (r) && (unsigned)i <= *r->mask; i++) {
        unsigned at = (first + (unsigned)i) & *r->mask;

        if (r->array)
            at = r->array[at] & *r->mask;
        transfers += (uint64_t)is_transfer (&r->requests[at]);
        one_request (sp, &r->requests[at]);
    }
    if (transfers)
        recorder_count_requests (transfers);
    errno = saved_errno;
}

void facts_ring (int rc)
{
    if (--span_rings == 0 && rc >= 0)
        recorder_count_ring ();
}

/* Not where liburing makes them, which is seen above. */
void facts_raw_ring (int rc, const struct io_uring_params *how)
{
    facts_end (rc);
    if (span_rings == 0 && rc >= 0) {
        recorder_count_ring ();
        rawring_made (rc, how);
    }
}

void facts_raw_enter (int rc, int ring, unsigned flags)
{
    int saved_errno = errno;
    uint64_t transfers;

    if (submits > 0 || rc <= 0)
        return;
    transfers = flags & RAWRING_BY_NUMBER
                    ? (uint64_t)rc
                    : rawring_transfers (ring, (unsigned)rc);
    if (transfers)
        recorder_count_requests (transfers);
    errno = saved_errno;
}
