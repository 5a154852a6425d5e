/* SPDX-License-Identifier: MIT
 *
 * pagecache.h - what a node remembers of earlier runs
 */
#ifndef DFT_SWEEP_PAGECACHE_H
#define DFT_SWEEP_PAGECACHE_H

#include "sweep/run/runstatus.h"
#include "sweep/plan/sweepdir.h"

/* Before a run: with `cold`, drop its data from the page cache; note the run
 * that used this node before (and leave our name for the next), the size of
 * the page cache, how much of the data is in it, and the load. What cannot be
 * known stays 0, "" or -1. */
void pagecache_before (const struct sweepdir *d,
                       const struct point *p,
                       struct run r,
                       struct runstatus *s);

#endif
