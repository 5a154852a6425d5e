/* SPDX-License-Identifier: MIT
 *
 * jobscan.h - the events of a job -> what happened when
 */
#ifndef DFT_REPORT_JOBSCAN_H
#define DFT_REPORT_JOBSCAN_H

#include "analyze/report/job/bins.h"
#include "analyze/scan/hist.h"
#include "analyze/scan/load.h"
#include "analyze/scan/place.h"
#include "analyze/tables/views.h"

enum scan_lane {
#define LANE(NAME, TITLE, SHORT, SET) LANE_##NAME,
#include "analyze/report/job/lanes.def"
#undef LANE
    LANE_COUNT
};

enum scan_class {
    SCAN_READ,
    SCAN_WRITE,
    SCAN_COPY, /* inside the kernel */
    SCAN_META,
    SCAN_SYNC,
    SCAN_CLASSES
};

/* A process, or all processes of a node: what a figure shows in a row. */
struct scan_row {
    char *name; /* owned */
    size_t processes;
    uint64_t busy[LANE_COUNT][BINS]; /* ns, at most the bin for each process */
    uint64_t bytes[2][BINS];         /* read, written */
    uint64_t lane_ns[LANE_COUNT];    /* of roles: exact unions by process */
    uint64_t class_ns[SCAN_CLASSES]; /* added up over threads */
};

enum { SCAN_ROWS_MAX = 48 }; /* of one figure */

/* Rows that were chosen of all there are. */
struct scan_rows {
    const char *what, *by; /* "processes", and why these */
    struct scan_row *row;  /* owned */
    size_t count, all;
};

struct scan_step {
    uint64_t start, ns;
    int32_t rank;
};

/* What needs no row: one for each worker, then added up. */
struct scan_sums {
    struct hist size[2];                      /* bytes of reads, of writes */
    struct hist latency[SCAN_CLASSES], steps; /* ns */
    uint64_t placed[2][PLACED_COUNT];         /* of reads, of writes */
    uint64_t ended[2][BINS], ended_bytes[2][BINS]; /* by when they ended */
    uint64_t bytes[2][BINS];                       /* evenly over each call */
    struct scan_step *step; /* compute/step, of each thread some; owned */
    size_t step_count, step_room;
};

struct jobscan {
    struct bins bins;
    struct scan_rows processes, nodes;
    struct scan_sums sums;
};

/* A scan in the reading of the totals: for totals_load_with. NULL: ENOMEM. */
struct jobscan_work;
struct jobscan_work *jobscan_begin (struct totals_guest *guest);
void jobscan_end (struct jobscan_work *w); /* NULL is fine */

/* What was read; r has the totals and the summary. Events are read again only
 * where what had to be known before is not so: when the job ends, which
 * processes have the most events; or where a thread was read in pieces. NULL:
 * ENOMEM, with err. */
struct jobscan *jobscan_make (struct jobscan_work *w,
                              const struct result *r,
                              struct errtext *err);
void jobscan_destroy (struct jobscan *s); /* NULL is fine */

/* Add what another worker has. 0, or -1 (ENOMEM). */
int scansums_add (struct scan_sums *to, const struct scan_sums *from);
void scansums_sort (struct scan_sums *s); /* the steps */

/* For jobscan.c: what the threads of a process did, put together. */
struct scan_process {
    uint64_t busy[LANE_COUNT][BINS];
    uint64_t bytes[2][BINS];
    uint64_t class_ns[SCAN_CLASSES];
};

#endif
