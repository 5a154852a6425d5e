/* SPDX-License-Identifier: MIT
 *
 * appendline.h - a line -> the end of a file of the job that processes share
 */
#ifndef DFT_PRELOAD_APPENDLINE_H
#define DFT_PRELOAD_APPENDLINE_H

#include <stddef.h>
#include <stdint.h>

struct appendline {
    const char *dir;    /* absolute; shardplace_dir */
    const char *prefix; /* of the file in DIR/shards; the host follows */
    uint64_t bytes_max; /* no more lines in larger files */
};

/* One write of n bytes; directories are not made. 0, or -1: it is not there.
 * Async-signal-safe, no state. May change errno. */
int appendline (const struct appendline *a, const char *text, size_t n);

#endif
