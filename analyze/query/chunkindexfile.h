/* SPDX-License-Identifier: MIT
 *
 * chunkindexfile.h - what the file of an index begins with (private to
 *                    chunkindex*.c)
 */
#ifndef DFT_ANALYZE_CHUNKINDEXFILE_H
#define DFT_ANALYZE_CHUNKINDEXFILE_H

/* With its last byte, 0; the number grows when the layout changes. */
#define CHUNKINDEX_MAGIC "dftindx1"

enum {
    CHUNKINDEX_SECTION = 1,
    CHUNKINDEX_HEAD = 24, /* bytes before the first one of a section */
    CHUNKINDEX_MODE = 0600
};

#endif
