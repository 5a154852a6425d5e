/* SPDX-License-Identifier: MIT
 *
 * abovefacts.c - counts of processes -> facts on MPI-IO and HDF5
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "analyze/facts/abovefacts.h"

static void abovefacts_max (double *to, uint64_t ns)
{
    *to = fmax (*to, (double)ns / 1e9);
}

static void abovefacts_hdf5 (struct abovefacts *a, const struct counts *n)
{
    a->h5_calls += (double)(n->h5_data.count + n->h5_meta.count);
    a->h5_ns += (double)(n->h5_data.ns + n->h5_meta.ns);
    a->h5_meta += (double)n->h5_meta.count;
    a->h5_meta_ns += (double)n->h5_meta.ns;
    abovefacts_max (&a->h5_meta_s, n->h5_meta.ns);
    a->h5_data += (double)n->h5_data.count;
    a->h5_data_bytes += (double)n->h5_data.bytes;
    abovefacts_max (&a->h5_data_s, n->h5_data.ns);
    a->h5_shared += (double)n->h5_shared.count;
    a->h5_independent += (double)n->h5_independent.count;
    a->h5_independent_bytes += (double)n->h5_independent.bytes;
    abovefacts_max (&a->h5_independent_s, n->h5_independent.ns);
    a->h5_chunked_bytes += (double)n->h5_chunked.bytes;
    a->h5_chunked_posix += (double)n->h5_chunked_posix;
    abovefacts_max (&a->h5_chunked_s, n->h5_chunked.ns);
}

static void abovefacts_mpi (struct abovefacts *a, const struct counts *n)
{
    uint64_t ones = n->mpi_write.count + n->mpi_read.count;
    uint64_t ones_ns = n->mpi_write.ns + n->mpi_read.ns;
    uint64_t colls = n->mpi_coll_write.count + n->mpi_coll_read.count;
    uint64_t colls_ns = n->mpi_coll_write.ns + n->mpi_coll_read.ns;
    uint64_t posix =
        n->mpi_coll_write_posix.count + n->mpi_coll_read_posix.count;
    uint64_t posix_ns = n->mpi_coll_write_posix.ns + n->mpi_coll_read_posix.ns;
    double bytes = (double)(n->mpi_write.bytes + n->mpi_read.bytes +
                            n->mpi_coll_write.bytes + n->mpi_coll_read.bytes);

    a->mpi_opens += (double)n->mpi_opens;
    a->mpi_unhinted += (double)(n->mpi_opens - n->mpi_opens_hints);
    if (!ones && !colls)
        return;
    a->mpi_calls += (double)(ones + colls);
    a->mpi_independent += (double)ones;
    a->mpi_independent_bytes +=
        (double)(n->mpi_write.bytes + n->mpi_read.bytes);
    abovefacts_max (&a->mpi_independent_s, ones_ns);
    a->mpi_coll += (double)colls;
    a->mpi_coll_bytes +=
        (double)(n->mpi_coll_write.bytes + n->mpi_coll_read.bytes);
    abovefacts_max (&a->mpi_coll_s, colls_ns);
    a->mpi_posix += (double)posix;
    a->mpi_posix_bytes +=
        (double)(n->mpi_coll_write_posix.bytes + n->mpi_coll_read_posix.bytes);
    abovefacts_max (&a->mpi_posix_s, posix_ns);
    a->mpi_aggregators += posix > 0;
    a->mpi_placed += (double)n->mpi_coll_placed;
    a->mpi_random += (double)n->mpi_coll_random;
    abovefacts_max (&a->mpi_max_s, ones_ns + colls_ns);
    a->mpi_mean_s += (double)(ones_ns + colls_ns) / 1e9;
    a->mpi_min_bytes =
        a->mpi_callers > 0 ? fmin (a->mpi_min_bytes, bytes) : bytes;
    a->mpi_max_bytes = fmax (a->mpi_max_bytes, bytes);
    a->mpi_callers++;
}

void abovefacts_of (struct abovefacts *a,
                    const struct summary *s,
                    const struct totals *t)
{
    memset (a, 0, sizeof (*a));
    if (!s->n.mpi && !s->n.hdf5)
        return;
    for (size_t i = 0; i < t->processes; i++) {
        abovefacts_hdf5 (a, &t->process[i].n);
        abovefacts_mpi (a, &t->process[i].n);
    }
    if (a->mpi_callers > 0)
        a->mpi_mean_s /= a->mpi_callers;
}
