/* SPDX-License-Identifier: MIT
 *
 * mpikind.c - a call of MPI-IO -> the row of mpikinds.def
 */
#include "config.h"

#include "lib/model/mpikind.h"

enum { WHOLE = MPIKIND_TIME | MPIKIND_ASKED | MPIKIND_MOVED };

static int mpikind_in (enum call call, enum call first, enum call last)
{
    return call >= first && call <= last;
}

/* Split: the begin asks, the end has the bytes. */
static enum mpikind mpikind_split (enum call call, unsigned *says)
{
    int begin = mpikind_in (call, CALL_MPI_File_read_all_begin,
                            CALL_MPI_File_write_ordered_begin);
    int reads = mpikind_in (call, CALL_MPI_File_read_all_begin,
                            CALL_MPI_File_read_ordered_begin) ||
                mpikind_in (call, CALL_MPI_File_read_all_end,
                            CALL_MPI_File_read_ordered_end);

    *says = MPIKIND_TIME | (begin ? MPIKIND_ASKED : MPIKIND_MOVED);
    return reads ? MPIKIND_coll_read : MPIKIND_coll_write;
}

enum mpikind mpikind_of_call (enum call call, unsigned *says)
{
    *says = WHOLE;
    switch (call) {
    case CALL_MPI_File_read_all:
    case CALL_MPI_File_read_at_all:
    case CALL_MPI_File_read_ordered:
        return MPIKIND_coll_read;
    case CALL_MPI_File_write_all:
    case CALL_MPI_File_write_at_all:
    case CALL_MPI_File_write_ordered:
        return MPIKIND_coll_write;
    case CALL_MPI_File_read:
    case CALL_MPI_File_read_at:
    case CALL_MPI_File_read_shared:
        return MPIKIND_read;
    case CALL_MPI_File_write:
    case CALL_MPI_File_write_at:
    case CALL_MPI_File_write_shared:
        return MPIKIND_write;
    case CALL_MPI_iread_done: /* from the post on: no time in a call */
        *says = MPIKIND_ASKED | MPIKIND_MOVED;
        return MPIKIND_posted_read;
    case CALL_MPI_iwrite_done:
        *says = MPIKIND_ASKED | MPIKIND_MOVED;
        return MPIKIND_posted_write;
    case CALL_MPI_Wait:
        *says = MPIKIND_TIME | MPIKIND_CALL;
        return MPIKIND_wait;
    default:
        break;
    }
    if (mpikind_in (call, CALL_MPI_File_read_all_begin,
                    CALL_MPI_File_write_ordered_end))
        return mpikind_split (call, says);
    *says = MPIKIND_TIME;
    if (mpikind_in (call, CALL_MPI_File_iread, CALL_MPI_File_iread_shared))
        return MPIKIND_posted_read;
    if (mpikind_in (call, CALL_MPI_File_iwrite, CALL_MPI_File_iwrite_shared))
        return MPIKIND_posted_write;
    *says = MPIKIND_TIME | MPIKIND_CALL;
    if (mpikind_in (call, CALL_MPI_File_open, CALL_MPI_File_seek_shared))
        return MPIKIND_other;
    *says = 0;
    return MPIKIND_NONE;
}
