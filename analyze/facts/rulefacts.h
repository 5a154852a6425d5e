/* SPDX-License-Identifier: MIT
 *
 * rulefacts.h - the numbers of a job that rules compare
 */
#pragma once

#include "analyze/facts/summary.h"
#include "lib/model/metric.h"

struct insightfiles {
    /* the file on Lustre with most writing ranks for a stripe; 0: none */
    double stripe_writers, stripes;
    double
        stripe_cost_s; /* of what was waited for writes and syncs, its part */
    /* data files of which bytes were moved over the network */
    double network_files, network_bytes;
    double network_cost_s; /* of what was waited for metadata, their part */
};

/* The two longest and the shortest time, s; 0: there is none. */
struct spread {
    double most, next, least;
};

/* Reads and writes by MPI-IO and HDF5. Seconds are those of the process that
 * has most of it, since a job waits for that; all else are sums over the job.
 */
struct abovefacts {
    double h5_meta_s, h5_data_s, h5_independent_s, h5_chunked_s;
    struct transfer one, coll; /* independent, collective */
    struct transfer posix;     /* inside collective ones */
    double one_s, posix_s;
    double mpi_callers, mpi_aggregators;
    double mpi_max_s, mpi_next_s; /* in MPI-IO, of those that have most of it */
    double mpi_max_bytes, mpi_min_bytes;
};

/* Sets of rows of the bill, and the flag of a rule that is about all of them.
 */
#define PART(ROW) (1u << BILL_##ROW)
#define PART_DATA \
    (PART (read) | PART (open) | PART (fault) | PART (decode) | PART (loader))
#define PART_STORAGE (PART (read) | PART (write) | PART (sync) | PART (open))
#define PART_MPI     (PART (mpi) | PART_STORAGE)
#define PART_FORMAT  (PART (format) | PART_STORAGE)
#define WHOLE        (1u << 31)
#define ANY_PART     (WHOLE - 1)

/* Measured with a million lseeks on an idle x86 machine: a call takes so much
 * longer, of which one look at the clock is inside its duration. */
#define TRACE_INSIDE_NS  24
#define TRACE_OUTSIDE_NS 55

/* The numbers that the rules compare. */
struct facts {
    double job_s, stall_s, compute_s, io_s, io_common_s;
    double reads, read_bytes, read_ns, posix_ns, seek_ns, lock_ns, meta_ns;
    double sample_bytes, data_opens;
    double placed_reads, random_reads, extent, extent_bytes;
    struct spread loader, read, checkpoint; /* over the ranks */
    double steps, step_p50, step_p99, step_sum;
    double cold_first_s, cold_later_s, wait_s;
    double fault_bytes, fault_used;
    double nodes, skew_s;
    /* s of the job that main threads waited, at most (bill.def) */
    double row_s[BILL_COUNT];
    double most_s[BILL_COUNT]; /* the same, the job's where it is not known */
    double data_s;             /* for data, of the ranks that wait for it */
    double waited_s[CALL_MAX]; /* in waits, sums over the main threads */
    double blocked_part; /* of the time of main threads whose use is known: in
                            which they are not on a CPU and do not want one */
    double io_alone_s, step_excess_s;
    int cached;          /* reads are as fast as those of memory */
    struct workers work; /* of data loaders */
    double restart_s;
    struct equals equal;
    double others_s; /* that the job waits for other processes and threads */
    struct late_rank late;
    struct insightfiles on;  /* by file system */
    struct abovefacts above; /* MPI-IO, HDF5 */
};

#define ROW_S(ROW) f->row_s[BILL_##ROW]

/* Memory that is short leaves numbers 0. */
void facts_of (struct facts *f,
               const struct summary *s,
               const struct totals *t);
