/* SPDX-License-Identifier: MIT
 *
 * insightfiles.h - what findings say of files by the file system they are on
 */
#ifndef DFT_ANALYZE_INSIGHTFILES_H
#define DFT_ANALYZE_INSIGHTFILES_H

#include "analyze/scan/load.h"

struct insightfiles {
    /* the file on Lustre with most writing ranks for a stripe; 0: none */
    double stripe_writers, stripes;
    double
        stripe_cost_s; /* of what was waited for writes and syncs, its part */
    /* data files of which bytes were moved over the network */
    double network_files, network_bytes;
    double network_cost_s; /* of what was waited for metadata, their part */
};

/* Seconds waited: those of the job's main threads. Never fails; what memory was
 * short for is 0. */
void insightfiles_find (struct insightfiles *f,
                        const struct totals *t,
                        double waited_write_s,
                        double waited_open_s);

#endif
