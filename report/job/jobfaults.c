/* SPDX-License-Identifier: MIT
 *
 * jobfaults.c - page-fault stalls of fault_times.csv -> a lane of the timeline
 *
 * In:  rows of process, stretch of time and seconds of stall
 * Out: shares of bins, and the sum of each process
 */
#include "config.h"

#include "report/job/jobfaults.h"

#include <math.h>
#include <string.h>

static struct scan_process *
process_of (struct jobscan *s, const char *host, double pid)
{
    for (size_t i = 0; i < s->processes; i++)
        if (s->process[i].pid == pid && strcmp (s->process[i].host, host) == 0)
            return &s->process[i];
    return NULL;
}

/* Seconds of a bin that from…to covers. */
static double covered (double width, size_t bin, double from, double to)
{
    double a = fmax (from, (double)bin * width);
    double b = fmin (to, (double)(bin + 1) * width);

    return b > a ? b - a : 0;
}

static void spread (struct scan_process *p,
                    double width,
                    double from,
                    double seconds,
                    double stall)
{
    float *busy = p->busy[LANE_FAULT];
    size_t first = from > 0 ? (size_t)(from / width) : 0;

    if (first >= SCAN_BINS)
        first = SCAN_BINS - 1;
    if (!(seconds > 0)) { /* no stretch: where it was seen */
        busy[first] = fminf (1, busy[first] + (float)(stall / width));
        return;
    }
    for (size_t i = first; i < SCAN_BINS && (double)i * width < from + seconds;
         i++) {
        double share = covered (width, i, from, from + seconds) / seconds;

        busy[i] = fminf (1, busy[i] + (float)(share * stall / width));
    }
}

void jobfaults_take (struct jobscan *s, const struct csv *times)
{
    double width = jobscan_bin_seconds (s);

    for (size_t r = 0; r < csv_rows (times); r++) {
        double stall = csv_number (times, r, "fault_stall_s");
        struct scan_process *p =
            stall > 0 ? process_of (s, csv_get (times, r, "host"),
                                    csv_number (times, r, "pid"))
                      : NULL;

        if (!p)
            continue;
        spread (p, width, csv_number (times, r, "time_s"),
                csv_number (times, r, "seconds"), stall);
        p->lane_s[LANE_FAULT] += stall;
    }
}
