/* SPDX-License-Identifier: MIT
 *
 * compute.c - CPU time -> arithmetic
 *
 * Measured in CPU time of the thread, not in wall time: on a loaded machine a
 * step takes longer, as a real one would.
 */
#include "config.h"

#include <time.h>

#include "etc/examples/minigpt/compute.h"

enum { SIDE = 24 }; /* one product takes about 10 us */

static uint64_t cpu_ns (void)
{
    struct timespec ts = {0, 0};

    (void)clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void multiply (float out[SIDE][SIDE], float a[SIDE][SIDE])
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0;

            for (int k = 0; k < SIDE; k++)
                sum += a[i][k] * a[k][j];
            out[i][j] = sum * 0.5f + 0.01f;
        }
}

void compute_us (uint64_t us)
{
    static float a[SIDE][SIDE], b[SIDE][SIDE];
    uint64_t end = cpu_ns () + us * 1000;

    while (cpu_ns () < end) {
        multiply (b, a);
        multiply (a, b);
    }
}
