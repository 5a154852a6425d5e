/* SPDX-License-Identifier: MIT
 *
 * mpiwait.c - requests of a call -> those of files that have ended
 *
 * In:  the requests before the call, since it sets those that end to null
 * Out: a transfer for each, and the call itself
 */
#include "config.h"

#include <errno.h>

#include "preload/mpi/mpirequest.h"
#include "preload/mpi/mpiwait.h"

void mpiwait_begin (struct mpiwait *w)
{
    int fortran = mpi_is_fortran (w->form);

    w->hits = 0;
    w->door = mpicall_inside ? NULL : mpireal_door ();
    if (!w->door)
        return;
    for (int i = 0; i < w->n && w->hits < MPIWAIT_MAX; i++) {
        int found = mpirequest_find (w->requests, i, fortran);

        if (found < 0)
            continue;
        w->hit[w->hits].index = i;
        w->hit[w->hits++].found = found;
    }
    if (w->hits == 0) {
        w->door = NULL;
        return;
    }
    w->has_statuses = !mpireal_ignores (w->statuses, fortran);
    if (!w->has_statuses && (w->n <= MPIWAIT_MAX || w->waits == MPIWAITS_ANY)) {
        w->statuses = w->own;
        w->has_statuses = 1;
    }
    mpicall_inside = 1;
    w->start = w->door->tick ();
}

static const void *mpiwait_status (const struct mpiwait *w, int i)
{
    size_t bytes = mpi_is_fortran (w->form) ? MPISTATUS_INTS * sizeof (int)
                                            : MPISTATUS_BYTES;

    if (mpireal_abi () == MPIABI_MPICH)
        bytes = MPISTATUS_MPICH; /* five ints in both languages */
    return (const char *)w->statuses + (size_t)i * bytes;
}

/* The status of request `index` of the array; -1: it has not ended. */
static int mpiwait_place (const struct mpiwait *w, int index)
{
    int first = mpi_is_fortran (w->form) ? 1 : 0;

    if (w->waits == MPIWAITS_ALL)
        return index;
    if (w->waits == MPIWAITS_ANY)
        return *w->index - first == index ? 0 : -1;
    for (int i = 0; i < *w->outcount; i++)
        if (w->index[i] - first == index)
            return i;
    return -1;
}

static int mpiwait_take (const struct mpiwait *w, int rc)
{
    int fortran = mpi_is_fortran (w->form), ended = 0;

    for (int i = 0; i < w->hits; i++) {
        int place = mpiwait_place (w, w->hit[i].index);
        int64_t bytes = -1;

        if (place < 0)
            continue;
        if (rc == 0 && w->has_statuses)
            bytes = mpireal_status_bytes (mpiwait_status (w, place), fortran);
        ended +=
            mpirequest_done (w->door, w->hit[i].found, bytes, rc ? EIO : 0);
    }
    return ended;
}

void mpiwait_end (struct mpiwait *w, int rc)
{
    int saved_errno = errno;
    struct record r = {.call = CALL_MPI_Wait,
                       .fd = -1,
                       .offset = -1,
                       .start = w->start,
                       .err = rc ? EIO : 0,
                       .ret = rc ? -1 : 0};

    if (!w->door)
        return;
    mpicall_inside = 0;
    if (w->flag && !*w->flag)
        return;
    r.size = (uint64_t)mpiwait_take (w, rc);
    r.end = w->door->tick ();
    if (r.size > 0)
        w->door->record (&r);
    errno = saved_errno;
}
