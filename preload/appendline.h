/* SPDX-License-Identifier: MIT
 *
 * appendline.h - a line -> the end of a file of the job that processes share
 */
#ifndef DFT_PRELOAD_APPENDLINE_H
#define DFT_PRELOAD_APPENDLINE_H

#include <stddef.h>
#include <stdint.h>

struct appendline {
    const char *place;  /* DIR/shards */
    const char *prefix; /* of the file there; the host follows */
    const char *host;
    uint64_t bytes_max; /* no more lines in larger files */
};

/* One write of n bytes, of this process; directories are not made. 0, or -1: it
 * is not there. Async-signal-safe. May change errno. */
int appendline (const struct appendline *a, const char *text, size_t n);

#endif
