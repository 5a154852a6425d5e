/* SPDX-License-Identifier: MIT
 *
 * rawring.c - io_urings of the program's own making -> transfers among requests
 *
 * In:  parameters and mappings of rings, by the calls that the program makes
 * Out: how many of the requests that were submitted are transfers
 * Caveat: a request that another thread has changed in the meantime counts as
 *         what it is now. What is submitted without a call that is seen counts
 *         as so many transfers, at the ring's end: by the kernel, which polls
 *         the ring (SQPOLL), or with the instruction in the program (fio).
 */
#include "config.h"

#include <sys/mman.h>
#include <sys/uio.h>

#include "lib/base/sys.h"
#include "preload/fdmap.h"
#include "preload/record/recorder.h"
#include "preload/wrap/rawring.h"

enum {
    RAWRINGS = 8,
    RAWRING_LOOKS = 1024,      /* of a ring: each costs some 5 us */
    RAWRING_REQUESTS = 32,     /* more at once are not looked at */
    RAWRING_WIDE = 1u << 10,   /* IORING_SETUP_SQE128 */
    RAWRING_DIRECT = 1u << 16, /* IORING_SETUP_NO_SQARRAY */
    RAWRING_FIXED_FILE = 1
};

/* The kernel's struct io_uring_params, as far as it is looked at; headers of
 * before 5.1 do not have it. */
struct io_uring_params {
    uint32_t sq_entries, cq_entries, flags, thread[2], features, wq_fd, rest[3];
    struct {
        uint32_t head, tail, ring_mask, ring_entries, flags, dropped, array;
    } sq_off;
};

#define RAWRING_QUEUE       INT64_C (0) /* offsets of mappings */
#define RAWRING_REQUESTS_AT INT64_C (0x10000000)

enum rawring_op {
    RAWRING_READV = 1,
    RAWRING_WRITEV = 2,
    RAWRING_FSYNC = 3,
    RAWRING_READ_FIXED = 4,
    RAWRING_WRITE_FIXED = 5,
    RAWRING_SYNC_FILE_RANGE = 8,
    RAWRING_READ = 22,
    RAWRING_WRITE = 23,
    RAWRING_SPLICE = 30
};

struct rawring {
    int fd; /* + 1; 0: none, or not ready yet */
    unsigned flags;
    uint32_t head, mask, array; /* offsets in the queue */
    uintptr_t queue, requests;  /* 0: not mapped */
    uint32_t seen;              /* requests that were counted, or looked at */
    unsigned looks;             /* at what was submitted */
    pid_t pid;                  /* whose requests they are: not a child's */
};

/* The begin of a request of either width. */
struct rawring_request {
    uint8_t op, flags;
    uint16_t priority;
    int32_t fd;
};

SYS_STATE int rawring_any;

static struct rawring rawring[RAWRINGS];

static struct rawring *rawring_find (int fd)
{
    for (int i = 0; i < RAWRINGS; i++)
        if (__atomic_load_n (&rawring[i].fd, __ATOMIC_ACQUIRE) == fd + 1)
            return &rawring[i];
    return NULL;
}

/* That of the same descriptor, which was closed; else the next one. */
void rawring_made (int fd, const struct io_uring_params *how)
{
    static SYS_STATE unsigned next;
    struct rawring *r = rawring_find (fd);

    if (!r)
        r = &rawring[__atomic_fetch_add (&next, 1, __ATOMIC_RELAXED) %
                     RAWRINGS];
    __atomic_store_n (&r->fd, 0, __ATOMIC_RELEASE);
    r->flags = how->flags;
    r->head = how->sq_off.head;
    r->mask = how->sq_off.ring_mask;
    r->array = how->sq_off.array;
    r->queue = r->requests = 0;
    r->seen = r->looks = 0;
    r->pid = sys_getpid ();
    __atomic_store_n (&r->fd, fd + 1, __ATOMIC_RELEASE);
    __atomic_store_n (&rawring_any, 1, __ATOMIC_RELAXED);
}

int rawring_is (int fd)
{
    return fd >= 0 && rawring_find (fd) != NULL;
}

void rawring_mapped (int fd, const void *addr, int64_t offset)
{
    struct rawring *r = rawring_any ? rawring_find (fd) : NULL;

    if (!r || addr == MAP_FAILED)
        return;
    if (offset == RAWRING_QUEUE)
        __atomic_store_n (&r->queue, (uintptr_t)addr, __ATOMIC_RELAXED);
    else if (offset == RAWRING_REQUESTS_AT)
        __atomic_store_n (&r->requests, (uintptr_t)addr, __ATOMIC_RELAXED);
}

/* --- memory that may be gone ----------------------------------------------
 */

struct rawring_read {
    struct iovec to[RAWRING_REQUESTS], from[RAWRING_REQUESTS];
    unsigned parts;
    size_t bytes;
};

static void
rawring_want (struct rawring_read *w, void *to, uintptr_t from, size_t n)
{
    w->to[w->parts] = (struct iovec){to, n};
    w->from[w->parts++] = (struct iovec){(void *)from, n};
    w->bytes += n;
}

/* All of it, or -1. */
static int rawring_read (const struct rawring_read *w)
{
    return sys_call (SYS_process_vm_readv, (long)sys_getpid (), w->to,
                     (unsigned long)w->parts, w->from, (unsigned long)w->parts,
                     0UL) == (long)w->bytes
               ? 0
               : -1;
}

/* --- requests -------------------------------------------------------------
 */

static int rawring_is_transfer (const struct rawring_request *q)
{
    switch (q->op) {
    case RAWRING_READV:
    case RAWRING_WRITEV:
    case RAWRING_FSYNC:
    case RAWRING_READ_FIXED:
    case RAWRING_WRITE_FIXED:
    case RAWRING_SYNC_FILE_RANGE:
    case RAWRING_READ:
    case RAWRING_WRITE:
    case RAWRING_SPLICE:
        return q->flags & RAWRING_FIXED_FILE ||
               fdmap_get (q->fd).state == FILE_WANTED;
    default:
        return 0;
    }
}

/* Places of the n last requests before the head. */
static int rawring_places (const struct rawring *r, unsigned n, uint32_t *place)
{
    uintptr_t queue = __atomic_load_n (&r->queue, __ATOMIC_RELAXED);
    struct rawring_read w = {.parts = 0}, places = {.parts = 0};
    uint32_t head = 0, mask = 0;

    if (!queue)
        return -1;
    rawring_want (&w, &head, queue + r->head, sizeof (head));
    rawring_want (&w, &mask, queue + r->mask, sizeof (mask));
    if (rawring_read (&w) < 0)
        return -1;
    for (unsigned i = 0; i < n; i++) {
        place[i] = (head - n + i) & mask;
        rawring_want (&places, &place[i],
                      queue + r->array + place[i] * sizeof (*place),
                      sizeof (*place));
    }
    if (!(r->flags & RAWRING_DIRECT) && rawring_read (&places) < 0)
        return -1;
    for (unsigned i = 0; i < n; i++)
        place[i] &= mask;
    return 0;
}

uint64_t rawring_transfers (int fd, unsigned n)
{
    struct rawring *r = rawring_find (fd);
    struct rawring_request q[RAWRING_REQUESTS];
    struct rawring_read w = {.parts = 0};
    uint32_t place[RAWRING_REQUESTS];
    uintptr_t requests =
        r ? __atomic_load_n (&r->requests, __ATOMIC_RELAXED) : 0;
    uint64_t transfers = 0;

    if (r)
        (void)__atomic_fetch_add (&r->seen, n, __ATOMIC_RELAXED);
    if (!requests || n > RAWRING_REQUESTS ||
        __atomic_fetch_add (&r->looks, 1, __ATOMIC_RELAXED) >= RAWRING_LOOKS ||
        rawring_places (r, n, place) < 0)
        return n;
    for (unsigned i = 0; i < n; i++)
        rawring_want (&w, &q[i],
                      requests + (size_t)place[i] *
                                     (r->flags & RAWRING_WIDE ? 128 : 64),
                      sizeof (q[i]));
    if (rawring_read (&w) < 0)
        return n;
    for (unsigned i = 0; i < n; i++)
        transfers += (uint64_t)rawring_is_transfer (&q[i]);
    return transfers;
}

/* --- what no call has submitted -------------------------------------------
 */

/* The kernel's head is the number of all requests that it took so far. */
static void rawring_count_rest (struct rawring *r)
{
    struct rawring_read w = {.parts = 0};
    uint32_t head = 0, before;

    if (recorder_aside || !r->queue || r->pid != sys_getpid ())
        return;
    rawring_want (&w, &head, r->queue + r->head, sizeof (head));
    if (rawring_read (&w) < 0)
        return;
    before = __atomic_exchange_n (&r->seen, head, __ATOMIC_RELAXED);
    if ((int32_t)(head - before) > 0)
        recorder_count_requests (head - before);
}

void rawring_unmapping (const void *addr)
{
    int saved_errno = errno;

    for (int i = 0; rawring_any && i < RAWRINGS; i++)
        if (rawring[i].fd && rawring[i].queue == (uintptr_t)addr) {
            rawring_count_rest (&rawring[i]);
            rawring[i].queue = 0;
        }
    errno = saved_errno;
}

void rawring_finish (void)
{
    int saved_errno = errno;

    for (int i = 0; rawring_any && i < RAWRINGS; i++)
        if (rawring[i].fd)
            rawring_count_rest (&rawring[i]);
    errno = saved_errno;
}

/* ---- a table of requests by key ---- */

enum {
    PLACES = 4096, /* a power of two */
    NEAR = 32      /* places looked at */
};

static const uintptr_t BUSY = 1; /* no address of a request */

static struct place {
    uintptr_t key; /* 0: free */
    struct request request;
} places[PLACES];

static struct place *requests_place_of (uintptr_t key, unsigned i)
{
    uint64_t hash = key * UINT64_C (0x9e3779b97f4a7c15);

    return &places[((hash >> 32) + i) & (PLACES - 1)];
}

/* Take the place if it has this key. */
static int lock_place (struct place *p, uintptr_t key)
{
    return __atomic_load_n (&p->key, __ATOMIC_RELAXED) == key &&
           __atomic_compare_exchange_n (&p->key, &key, BUSY, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static struct place *requests_find (uintptr_t key, uintptr_t now)
{
    for (unsigned i = 0; i < NEAR; i++)
        if (lock_place (requests_place_of (key, i), now))
            return requests_place_of (key, i);
    return NULL;
}

void requests_add (uintptr_t key, const struct request *q)
{
    struct place *p = requests_find (key, key);

    if (!p)
        p = requests_find (key, 0);
    if (!p)
        return;
    p->request = *q;
    __atomic_store_n (&p->key, key, __ATOMIC_RELEASE);
}

int requests_take (uintptr_t key, struct request *q)
{
    struct place *p = requests_find (key, key);

    if (!p)
        return 0;
    *q = p->request;
    __atomic_store_n (&p->key, 0, __ATOMIC_RELEASE);
    return 1;
}
