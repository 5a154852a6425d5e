/* SPDX-License-Identifier: MIT
 *
 * appendline.h - a line of this process -> DIR/shards/processes.HOST
 */
#ifndef DFT_PRELOAD_APPENDLINE_H
#define DFT_PRELOAD_APPENDLINE_H

#include "lib/format/proclines.h"

enum {
    APPENDLINE_MAKE = 1,     /* missing directories are made */
    APPENDLINE_DOUBTFUL = 2, /* only where processes cannot store in the shard
                                how they ended (filespace.h) */
    APPENDLINE_RARE = 4      /* has room where there is none for others */
};

/* Append it with one write; dir: absolute. 0, also where the file is full, or
 * -1: it is not there. No state; async-signal-safe; fit for a child of vfork.
 * May change errno. */
int appendline (const char *dir, const struct procline *l, unsigned how);

#endif
