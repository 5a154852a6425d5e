/* SPDX-License-Identifier: MIT
 *
 * mpistub_waits.c - requests of the stub of MPI
 */
#include "config.h"

#include <string.h>

#include "tests/victims/mpi/mpistubs.h"

static void stub_finish (MPI_Request *r, MPI_Status *s)
{
    int i;

    if (*r == MPI_REQUEST_NULL)
        return;
    i = stub_index_of (*r);
    *r = MPI_REQUEST_NULL;
    stub_set_bytes (s, stub_move (stub_requests[i].file, stub_requests[i].at,
                                  stub_requests[i].bytes,
                                  stub_requests[i].writes));
}

static MPI_Status *stub_status (MPI_Status *all, int i)
{
    static MPI_Status nobody;

    return all == MPI_STATUS_IGNORE ? &nobody : all + i;
}

BOTH (int, MPI_Wait, (MPI_Request * r, MPI_Status *s))
{
    stub_finish (r, stub_status (s, 0));
    return 0;
}

/* Never at once. */
BOTH (int, MPI_Test, (MPI_Request * r, int *flag, MPI_Status *s))
{
    static int tries;

    *flag = ++tries % 2 == 0;
    if (*flag)
        stub_finish (r, stub_status (s, 0));
    return 0;
}

BOTH (int, MPI_Waitall, (int n, MPI_Request *r, MPI_Status *s))
{
    for (int i = 0; i < n; i++)
        stub_finish (&r[i], stub_status (s, i));
    return 0;
}

BOTH (int, MPI_Testall, (int n, MPI_Request *r, int *flag, MPI_Status *s))
{
    *flag = 1;
    return PMPI_Waitall (n, r, s);
}

/* The last one first. */
BOTH (int, MPI_Waitany, (int n, MPI_Request *r, int *index, MPI_Status *s))
{
    *index = n - 1;
    stub_finish (&r[n - 1], stub_status (s, 0));
    return 0;
}

BOTH (int,
      MPI_Testany,
      (int n, MPI_Request *r, int *index, int *flag, MPI_Status *s))
{
    *flag = 1;
    return PMPI_Waitany (n, r, index, s);
}

/* All but the first, from the last one on. */
BOTH (int,
      MPI_Waitsome,
      (int n, MPI_Request *r, int *out, int *index, MPI_Status *s))
{
    *out = n - 1;
    for (int i = 0; i < n - 1; i++) {
        index[i] = n - 1 - i;
        stub_finish (&r[n - 1 - i], stub_status (s, i));
    }
    return 0;
}

BOTH (int,
      MPI_Testsome,
      (int n, MPI_Request *r, int *out, int *index, MPI_Status *s))
{
    return PMPI_Waitsome (n, r, out, index, s);
}

void mpi_wait_ (int *r, int *status, int *ierr)
{
    MPI_Request own = stub_request_of (*r);
    MPI_Status s;

    *ierr = PMPI_Wait (&own, &s);
    if (status != stub_ignored)
        memcpy (status, &s, sizeof (s));
}

void mpi_waitall_ (int *n, int *r, int *statuses, int *ierr)
{
    for (int i = 0; i < *n; i++)
        mpi_wait_ (&r[i],
                   statuses == stub_ignored
                       ? statuses
                       : statuses +
                             (size_t)i * sizeof (MPI_Status) / sizeof (int),
                   ierr);
}
