/* SPDX-License-Identifier: MIT
 *
 * mpirequest.c - a table of requests, of fixed size
 *
 * One handle may stand for several requests that were over when they were
 * posted; then any of them is taken.
 */
#include "config.h"

#include "preload/mpi/mpirequest.h"

enum { REQUESTS = 2048, LOOK = 32 };

struct mpirequest {
    uint64_t key; /* 0: free, 1: being filled */
    uint64_t start, size;
    int64_t offset;
    struct mpifile *file;
    mpiword fh; /* of the file, if it is still open */
    uint16_t call;
};

static struct mpirequest requests[REQUESTS];

unsigned mpirequest_pending;

/* Fortran's ints and C's handles may be the same numbers; of MPICH they are the
 * same handles, and its mpi_f08 posts by a function of C. */
static uint64_t mpirequest_key (const void *all, int i, int fortran)
{
    if (mpireal_abi () == MPIABI_MPICH)
        return (uint64_t)((const unsigned *)all)[i] << 2 | 2;
    if (fortran)
        return (uint64_t)((const unsigned *)all)[i] << 2 | 3;
    return ((const mpiword *)all)[i] | 1u << 1;
}

static unsigned mpirequest_place (uint64_t key, unsigned i)
{
    return (unsigned)((key * 0x9e3779b97f4a7c15u >> 40) + i) % REQUESTS;
}

void mpirequest_post (const void *at,
                      int fortran,
                      const struct record *r,
                      const struct mpifile *f)
{
    uint64_t key = mpirequest_key (at, 0, fortran);

    for (unsigned i = 0; i < LOOK; i++) {
        struct mpirequest *q = &requests[mpirequest_place (key, i)];
        uint64_t none = 0;

        if (!__atomic_compare_exchange_n (&q->key, &none, 1, 0,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        q->start = r->start;
        q->size = r->size;
        q->offset = r->offset;
        q->call = r->call;
        q->file = (struct mpifile *)(uintptr_t)f;
        q->fh = f ? f->handle : 0;
        __atomic_store_n (&q->key, key, __ATOMIC_RELEASE);
        (void)__atomic_fetch_add (&mpirequest_pending, 1, __ATOMIC_RELAXED);
        return;
    }
}

int mpirequest_find (const void *all, int index, int fortran)
{
    uint64_t key = mpirequest_key (all, index, fortran);

    for (unsigned i = 0; i < LOOK; i++) {
        unsigned place = mpirequest_place (key, i);

        if (__atomic_load_n (&requests[place].key, __ATOMIC_ACQUIRE) == key)
            return (int)place;
    }
    return -1;
}

static int mpirequest_reads (uint16_t call)
{
    return call >= CALL_MPI_File_iread && call <= CALL_MPI_File_iread_shared;
}

int mpirequest_done (const struct layerdoor *door,
                     int found,
                     int64_t bytes,
                     int err)
{
    struct mpirequest *q = &requests[found], was = *q;
    struct record r = {.start = was.start,
                       .end = door->tick (),
                       .call = mpirequest_reads (was.call)
                                   ? CALL_MPI_iread_done
                                   : CALL_MPI_iwrite_done,
                       .fd = -1,
                       .size = was.size,
                       .offset = was.offset,
                       .flags = was.call,
                       .err = err,
                       .ret = err ? -1 : (int64_t)was.size};

    if (__atomic_exchange_n (&q->key, 0, __ATOMIC_ACQ_REL) == 0)
        return 0; /* found twice: one handle, or two threads */
    (void)__atomic_fetch_sub (&mpirequest_pending, 1, __ATOMIC_RELAXED);
    if (was.file && was.file->handle == was.fh)
        r.file = mpifile_name (door, was.file);
    if (!err && bytes >= 0)
        r.ret = bytes;
    door->record (&r);
    return 1;
}
