/* SPDX-License-Identifier: MIT
 *
 * sitestats.h - job and sweep directories -> a row for each user
 */
#ifndef DFT_CLI_SITESTATS_H
#define DFT_CLI_SITESTATS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "analyze/report/study/effects.h"

struct site_row {
    char *user;
    uint64_t jobs, open; /* open: not analyzed yet */
    uint64_t nodes, processes, unfinished;
    uint64_t events, lost, bytes;
    uint64_t stages;                    /* never collected */
    uint64_t processes_us;              /* from start to end, of all */
    uint64_t rated_events, rated_bytes; /* in that time */
    uint64_t epilogs;                   /* nodes whose epilog said its time */
    uint64_t epilog_ms, epilog_max_ms, epilog_cpu_ms;
    struct effect overhead; /* of traced runs and their untraced controls */
};

/* Sweeps with untraced controls whose results were made in a month, UTC. */
struct site_month {
    char name[16]; /* YYYY-MM */
    uint64_t sweeps;
    struct effect overhead;
};

struct sitestats {
    time_t since; /* older jobs are left out */
    struct site_row *row;
    size_t rows;
    struct site_row sum;      /* without a user */
    struct site_month *month; /* in order of time, after the end */
    size_t months;
    uint64_t unreadable; /* files and directories */
};

/* Begin, add what is below each directory, end: then there are rows, those
 * with most bytes first, and a sum. Links are not followed. */
void sitestats_begin (struct sitestats *s, time_t since);
void sitestats_read (struct sitestats *s, const char *dir);
void sitestats_end (struct sitestats *s);
void sitestats_clear (struct sitestats *s);

#endif
