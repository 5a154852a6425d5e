/* SPDX-License-Identifier: MIT
 *
 * mpilarge.c - a count of 64 bit and a type -> a count of int, a type of blocks
 *
 * In:  arguments of a function with large counts that this MPI does not have
 * Out: arguments of the function that it has
 * Caveat: makes a type only for a count beyond an int; that is local, and the
 *         MPI allocates memory for it, as the program would have had to.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>

#include "preload/mpi/mpilarge.h"

enum { BLOCKS = 256 }; /* of 2^31 - 1 elements: 5e11 */

static int
mpilarge_blocks (int64_t count, int64_t extent, int *lengths, intptr_t *places)
{
    int n = 0;

    for (int64_t done = 0; done < count; done += lengths[n++]) {
        if (n == BLOCKS)
            return -1;
        lengths[n] = count - done < INT_MAX ? (int)(count - done) : INT_MAX;
        places[n] = (intptr_t)(done * extent);
    }
    return n;
}

static int mpilarge_make (struct mpilarge *l, int64_t count, mpiword type)
{
    int lengths[BLOCKS];
    intptr_t places[BLOCKS];
    int n =
        mpilarge_blocks (count, mpireal_type_extent (type), lengths, places);

    return n < 0 ? -1 : mpireal_type_make (n, lengths, places, type, &l->made);
}

int mpilarge_begin (struct mpilarge *l,
                    enum mpirow row,
                    mpiword *count,
                    mpiword *type)
{
    int saved_errno = errno;
    int rc;

    l->made = 0;
    if ((int64_t)*count <= INT_MAX || mpireal (row, MPIFORM_LARGE))
        return 0;
    rc = mpilarge_make (l, (int64_t)*count, *type);
    errno = saved_errno;
    if (rc < 0)
        return -1;
    *count = 1;
    *type = l->made;
    return 0;
}

void mpilarge_end (struct mpilarge *l)
{
    int saved_errno = errno;

    if (l->made)
        mpireal_type_free (&l->made);
    errno = saved_errno;
}
