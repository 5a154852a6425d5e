/* SPDX-License-Identifier: MIT
 *
 * jobscan.h - the trace of a job -> what happened when
 */
#ifndef DFT_REPORT_JOBSCAN_H
#define DFT_REPORT_JOBSCAN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/core/errtext.h"

enum {
    SCAN_BINS = 240, /* of the job's time */
    SCAN_STEPS_MAX = 20000,
    SCAN_OCTAVES = 56,
    SCAN_FINE = 32 /* buckets an octave, for percentiles */
};

enum scan_lane {
    LANE_COMPUTE,
    LANE_LOADER,
    LANE_STALL,
    LANE_IO, /* reads, writes, metadata, syncs of files on storage */
    LANE_CHECKPOINT,
    LANE_FAULT, /* asleep for pages of mapped files; of jobfaults.c */
    LANE_COUNT
};

enum scan_class { SCAN_READ, SCAN_WRITE, SCAN_META, SCAN_SYNC, SCAN_CLASSES };

/* Where a read or write began, seen from the end of the one before it in the
 * same file and chunk of a thread's events. */
enum scan_access {
    ACCESS_CONSECUTIVE, /* there */
    ACCESS_FORWARD,     /* after it */
    ACCESS_BACKWARD,    /* before it */
    ACCESS_FIRST,       /* nothing before it, or its place is not known */
    ACCESS_COUNT
};

/* Counts in powers of two, and finer ones. */
struct scan_hist {
    uint64_t n;
    uint64_t octave[SCAN_OCTAVES]; /* value in [2^i, 2^(i+1)); 0 is in 0 */
    uint64_t fine[SCAN_OCTAVES * SCAN_FINE];
};

struct scan_process {
    char *host, *command;
    uint32_t pid, ppid;
    int32_t rank;
    uint64_t events;
    float busy[LANE_COUNT][SCAN_BINS]; /* share of the bin, 0…1; of several
                                          threads at once the sum, at most 1 */
    double lane_s[LANE_COUNT];         /* their sum, seconds */
    double bytes[2][SCAN_BINS];        /* read, written */
    double class_s[SCAN_CLASSES];      /* summed over threads */
};

struct scan_step {
    double at, seconds; /* since the job's begin */
    int32_t rank;
};

/* Of the reads or writes that ended in one bin. */
struct scan_ended {
    double calls, bytes;
};

struct jobscan {
    uint64_t t0, t1; /* CLOCK_REALTIME, ns */
    struct scan_process *process;
    size_t processes;
    struct scan_step *step; /* compute/step */
    size_t steps, steps_seen;
    struct scan_hist size[2];               /* bytes of reads, writes */
    struct scan_hist latency[SCAN_CLASSES]; /* ns */
    uint64_t access[2][ACCESS_COUNT];       /* of reads, of writes */
    struct scan_ended ended[2][SCAN_BINS];  /* of reads, of writes */
    uint64_t events, unreadable; /* chunks that could not be decoded */
};

/* Read every trace of the job directory; t0 and t1 from its metrics. NULL and
 * err when there is none. */
struct jobscan *
jobscan_load (const char *dir, uint64_t t0, uint64_t t1, struct errtext *err);
void jobscan_destroy (struct jobscan *s); /* NULL is fine */

double jobscan_bin_seconds (const struct jobscan *s);
double jobscan_seconds (const struct jobscan *s);

/* Value below which share q of the values are, within 2 %; NaN of none. */
double scan_hist_quantile (const struct scan_hist *h, double q);
void scan_hist_add (struct scan_hist *h, uint64_t v);

#endif
