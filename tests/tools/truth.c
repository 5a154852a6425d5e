/* SPDX-License-Identifier: MIT
 *
 * truth.c - what is true of a made-up job, counted while it is made
 *
 * In:  counts and marks, from mkshard.c
 * Out: DIR/truth
 */
#include "config.h"

#include <inttypes.h>

#include "tests/tools/truth.h"

struct truth truth;

static unsigned char marked_job[MARK_COUNT][TRUTH_SLOTS];
static unsigned char marked_rank[MARK_COUNT][TRUTH_RANKS][TRUTH_SLOTS];

void truth_mark (enum mark m, int rank, uint64_t start, uint64_t end)
{
    for (uint64_t us = start; us < end && us < TRUTH_SLOTS; us++) {
        marked_job[m][us] = 1;
        marked_rank[m][rank][us] = 1;
    }
}

static uint64_t marked (const unsigned char *slot)
{
    uint64_t n = 0;

    for (int us = 0; us < TRUTH_SLOTS; us++)
        n += slot[us];
    return n;
}

static uint64_t most_marked (enum mark m, double *mean)
{
    uint64_t most = 0;

    *mean = 0;
    for (int r = 0; r < TRUTH_RANKS; r++) {
        uint64_t n = marked (marked_rank[m][r]);

        *mean += (double)n / TRUTH_RANKS;
        if (n > most)
            most = n;
    }
    return most;
}

void truth_print (FILE *out)
{
    double mean;
    uint64_t most = most_marked (MARK_LOADER, &mean);
    const struct {
        const char *name;
        uint64_t value;
    } whole[] = {
        {"posix_events", truth.posix},
        {"app_events", truth.app},
        {"read_count", truth.reads},
        {"read_bytes", truth.read_bytes},
        {"other_read_count", truth.other_reads},
        {"write_count", truth.writes},
        {"write_bytes", truth.write_bytes},
        {"checkpoint_count", truth.writes},
        {"checkpoint_bytes", truth.write_bytes},
        {"mapped_bytes", truth.mapped},
        {"samples", truth.samples},
        {"lost_events", 0},
    };

    for (size_t i = 0; i < sizeof (whole) / sizeof (whole[0]); i++)
        (void)fprintf (out, "%s %" PRIu64 "\n", whole[i].name, whole[i].value);
    (void)fprintf (out, "loader_time %.9f\n", (double)most / 1e6);
    (void)fprintf (out, "loader_time_mean %.9f\n", mean / 1e6);
    (void)fprintf (out, "loader_time_job %.9f\n",
                   (double)marked (marked_job[MARK_LOADER]) / 1e6);
    (void)fprintf (out, "stall_time %.9f\n",
                   (double)most_marked (MARK_STALL, &mean) / 1e6);
    (void)fprintf (out, "checkpoint_time %.9f\n",
                   (double)most_marked (MARK_CKPT, &mean) / 1e6);
    (void)fprintf (out, "job_time %.9f\n", (double)truth.last_us / 1e6);
    (void)fprintf (out, "sample_bandwidth %.9f\n",
                   truth.sample_rate / (double)truth.samples / 1048576);
    (void)fprintf (out, "sample_bandwidth_total %.9f\n",
                   (double)truth.sample_bytes / 1048576 /
                       ((double)truth.sample_us / 1e6));
    (void)fprintf (out, "item_count %" PRIu64 "\n", truth.items);
    (void)fprintf (out, "item_sum %.9f\n", (double)truth.item_us / 1e6);
    (void)fprintf (out, "item_self %.9f\n", (double)truth.item_self_us / 1e6);
    if (truth.reads == 0)
        return;
    (void)fprintf (out, "read_time %.9f\n", (double)truth.read_us / 1e6);
    (void)fprintf (out, "read_time_union %.9f\n",
                   (double)marked (marked_job[MARK_READ]) / 1e6);
    (void)fprintf (out, "read_bandwidth %.9f\n",
                   (double)truth.read_bytes / 1048576 /
                       ((double)marked (marked_job[MARK_READ]) / 1e6));
    (void)fprintf (out, "read_size %.9f\n",
                   (double)truth.read_bytes / (double)truth.reads / 1024);
}
