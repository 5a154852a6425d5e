/* SPDX-License-Identifier: MIT
 *
 * pfwcolumns.h - events of a thread <-> columns in a temporary file
 *
 * A chunk is some groups of up to BATCH_EVENTS events, then the numbers of its
 * names (uint32_t each), then how many there are. A group has a head, then its
 * columns: numbers of the same width, or a single one of eight bytes where all
 * are equal. Only the process that wrote a chunk reads it.
 */
#ifndef DFT_ANALYZE_PFWCOLUMNS_H
#define DFT_ANALYZE_PFWCOLUMNS_H

#include "analyze/trace/batchread.h"

/* In the order they have in a group. Names are numbers of the chunk's list,
 * from 1; 0 none. */
enum pfw_column {
    PFW_COLUMN_END = 0, /* ns since that of the group's first event */
    PFW_COLUMN_LENGTH,  /* ns */
    PFW_COLUMN_CALL,
    PFW_COLUMN_NAME,
    PFW_COLUMN_RET, /* + 1, as offset and fd: -1 is the usual */
    PFW_COLUMN_SIZE,
    PFW_COLUMN_OFFSET,
    PFW_COLUMN_ERROR,
    PFW_COLUMN_FD,
    PFW_COLUMN_FLAGS,
    PFW_COLUMN_ARGS, /* how many */
    PFW_COLUMNS,     /* of events; those of their arguments follow */
    PFW_COLUMN_KEY = PFW_COLUMNS,
    PFW_COLUMN_TYPE,
    PFW_COLUMN_VALUE, /* the bits of any type; a name of texts */
    PFW_ALL_COLUMNS
};

struct pfw_group {
    uint64_t end; /* ns; of the first event */
    uint32_t events, args;
    uint8_t width[PFW_ALL_COLUMNS]; /* bytes of a number; 0: all are equal */
};

/* Bytes that the n numbers of a column take at most. */
static inline size_t pfw_column_room (size_t n)
{
    return 8 * n + 8;
}

/* Write the n (1 or more) numbers of v at p and say how. Returns what is
 * behind them. */
unsigned char *pfw_column_write (const uint64_t *v,
                                 size_t n,
                                 uint8_t *width,
                                 unsigned char *p);

/* A chunk while it is read. */
struct pfw_rows {
    struct pfw_group group;
    const unsigned char *column[PFW_ALL_COLUMNS];
    const unsigned char *next, *limit; /* of groups */
    uint32_t at, arg;                  /* rows and arguments that were read */
};

/* Begin with the n bytes of a chunk, which stay the caller's. Returns where
 * the numbers of its names are, which are not aligned; NULL (EBADMSG): that is
 * no chunk. */
const unsigned char *pfw_rows_begin (struct pfw_rows *r,
                                     const unsigned char *bytes,
                                     size_t n,
                                     uint32_t *names);

/* Up to `most` of the next events of a group into the columns, as far as a
 * chunk says: times are as in the lines, names are those of its list. Returns
 * how many; 0 at the end. */
size_t
pfw_rows_read (struct pfw_rows *r, struct batch_columns *to, size_t most);

/* The n arguments of these. */
void pfw_rows_args (struct pfw_rows *r, struct batch_arg *to, size_t n);

#endif
