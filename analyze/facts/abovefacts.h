/* SPDX-License-Identifier: MIT
 *
 * abovefacts.h - what the rules on MPI-IO and HDF5 (insights.def) are made of
 */
#ifndef DFT_ANALYZE_ABOVEFACTS_H
#define DFT_ANALYZE_ABOVEFACTS_H

#include "analyze/facts/summary.h"
#include "analyze/scan/load.h"

/* Seconds are those of the process that has most of it, since a job waits for
 * that; all else are sums over the job. */
struct abovefacts {
    double h5_calls, h5_ns;     /* main threads, all calls of HDF5 */
    double h5_meta, h5_meta_ns; /* of these: no reads and writes of datasets */
    double h5_meta_s;
    double h5_data, h5_data_bytes, h5_data_s;
    double h5_shared, h5_independent, h5_independent_bytes, h5_independent_s;
    double h5_chunked_bytes, h5_chunked_posix, h5_chunked_s;
    double mpi_calls; /* reads and writes */
    double mpi_callers;
    double mpi_independent, mpi_independent_bytes, mpi_independent_s;
    double mpi_coll, mpi_coll_bytes, mpi_coll_s;
    double mpi_posix, mpi_posix_bytes, mpi_posix_s; /* inside collective ones */
    double mpi_aggregators;
    double mpi_placed, mpi_random;  /* of mpi_posix */
    double mpi_opens, mpi_unhinted; /* of several processes; without hints */
    double mpi_max_s, mpi_mean_s;   /* in MPI-IO, of the ranks that use it */
    double mpi_max_bytes, mpi_min_bytes;
};

void abovefacts_of (struct abovefacts *a,
                    const struct summary *s,
                    const struct totals *t);

#endif
