/* SPDX-License-Identifier: MIT
 *
 * jobscan.h - the events of a job -> what happened when
 */
#pragma once

#include <stdint.h>

#include "analyze/scan/hist.h"
#include "analyze/scan/load.h"
#include "analyze/scan/place.h"
#include "analyze/tables/views.h"

/* -- the time of a job in equal slices, and what is in each; pure -- */

enum {
    BINS = 240, /* of the job's time */
    LANE_STRETCHES = 256
};

/* The job's time, ns of CLOCK_REALTIME; times outside of it count at its
 * ends. */
struct bins {
    uint64_t edge[BINS + 1]; /* bin i is [edge[i], edge[i + 1]) */
    double per_ns;
};

void bins_init (struct bins *b, uint64_t start, uint64_t end);

uint64_t bins_width (const struct bins *b, size_t bin); /* ns, at least 1 */
double bins_seconds (const struct bins *b);             /* of the job */
double bins_bin_seconds (const struct bins *b);

/* The bin of a time; that of the end is the last one. */
size_t bins_at (const struct bins *b, uint64_t t);

/* Spread an amount evenly over [from, to): the bins get whole numbers that
 * add up to it. */
void bins_spread (const struct bins *b,
                  uint64_t to[BINS],
                  uint64_t start,
                  uint64_t end,
                  uint64_t amount);

/* A lane of one thread: the union of intervals that come in the order of their
 * ends. The last ones are kept as they are, because an interval that encloses
 * them may follow; older ones are in the bins. An enclosing interval that
 * begins before those is exact but for the bin in which it begins. */
struct lane_stretch {
    uint64_t start, end;
};
struct lanetime {
    struct lane_stretch open[LANE_STRETCHES]; /* disjoint, ascending */
    size_t count;
    uint64_t settled; /* no open one begins before */
    uint64_t ns[BINS];
    int used;
};

/* All zero is empty, but for the bins of ns, which lane_clear empties. */
void lane_add (struct lanetime *l,
               const struct bins *b,
               uint64_t start,
               uint64_t end);
/* Write all that is open into ns. */
void lane_settle (struct lanetime *l, const struct bins *b);
void lane_clear (struct lanetime *l);

/* -- the events of a job -> what happened when -- */

/* States of a process in the timeline of a job, from top to bottom. */
enum scan_lane {
    LANE_COMPUTE,
    LANE_LOADER,
    LANE_STALL,
    LANE_HDF5, /* calls of HDF5 and NetCDF, with all that is inside */
    LANE_MPIIO,
    LANE_IO, /* reads, writes, copies, metadata, syncs of files on storage */
    LANE_CHECKPOINT,
    LANE_FAULT, /* asleep for pages of mapped files; from other data: the last
                 */
    LANE_COUNT
};

struct lane_info {
    const char *title, *head; /* in a figure, in a table */
    int set; /* the set of time of the totals; -1: added up from the events */
};

extern const struct lane_info lane_table[LANE_COUNT];

enum scan_class {
    SCAN_READ,
    SCAN_WRITE,
    SCAN_COPY, /* inside the kernel */
    SCAN_META,
    SCAN_SYNC,
    SCAN_CLASSES
};

/* Sums over threads. */
struct scan_process {
    uint64_t busy[LANE_COUNT][BINS]; /* ns, at most the bin for each process */
    uint64_t bytes[2][BINS];         /* read, written */
    uint64_t class_ns[SCAN_CLASSES];
};

/* A process, or all processes of a node: what a figure shows in a row. */
struct scan_row {
    const char *name;
    size_t processes;
    struct scan_process did;
    uint64_t lane_ns[LANE_COUNT]; /* of roles: exact unions by process */
};

enum { SCAN_ROWS_MAX = 48 }; /* of one figure */

/* Rows that were chosen of all there are. */
struct scan_rows {
    const char *what, *by; /* "processes", and why these */
    struct scan_row *row;
    size_t count, all;
};

struct scan_step {
    uint64_t start, ns;
    int32_t rank;
};

/* Sums that need no row: one for each worker, then added up. */
struct scan_sums {
    struct hist size[2];                      /* bytes of reads, of writes */
    struct hist latency[SCAN_CLASSES], steps; /* ns */
    struct scan_counts {
        uint64_t placed[2][PLACED_COUNT];              /* of reads, of writes */
        uint64_t ended[2][BINS], ended_bytes[2][BINS]; /* by when they ended */
        uint64_t bytes[2][BINS]; /* evenly over each call */
    } n;
    struct scan_step *step; /* compute/step, of each thread some */
    size_t step_count, step_room;
};

struct jobscan {
    struct bins bins;
    struct scan_rows processes, nodes;
    struct scan_sums sums;
};

/* A scan in the reading of the totals: for totals_load_with. Scans are in the
 * memory of the arena. */
struct jobscan_work;
struct jobscan_work *jobscan_begin (struct totals_guest *guest);
void jobscan_end (struct jobscan_work *w);

/* Return the scan; r has the totals and the summary. Events are read again only
 * if a guess was wrong (the end of the job, the processes with the most
 * events), or if a thread was read in parts. */
struct jobscan *jobscan_make (struct jobscan_work *w, const struct result *r);
