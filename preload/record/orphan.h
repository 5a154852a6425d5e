/* SPDX-License-Identifier: MIT
 *
 * orphan.h - a process whose trace file was removed -> what it lost
 *
 * Private to the recorder.
 */
#ifndef DFT_CORE_ORPHAN_H
#define DFT_CORE_ORPHAN_H

#include "preload/record/shardfile.h"

/* At the end of a process that has a trace file, once its counters are final:
 * where the file's name is gone, and the job has not been merged, its process
 * block is written alone into a new file, with its events as lost_space. The
 * job directory is made again, but nothing above it, and only where the plugin
 * or `dftrace run` had made it. */
void orphan_finish (const struct settings *s,
                    const struct procinfo *info,
                    const struct shardfile_start *start);

#endif
