/* SPDX-License-Identifier: MIT
 *
 * dense.h - records of a chunk <-> the same in columns of few bits
 *
 * For merged traces. doc/trace-format.md draws the layout. Records with the
 * same first bytes (call, masks, kinds of arguments) have the same shape; each
 * number of a shape is a column. What comes back are the same bytes.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* -- a column of numbers <-> few bits for each (private to those who read and
 * write dense records) -- */

enum {
    DENSE_GROUP = 64,
    /* head of a column; a group: width, exceptions, bits, and these */
    DENSE_COLUMN_MAX = 11,
    DENSE_GROUP_MAX = 2 + 8 * DENSE_GROUP + 11 * DENSE_GROUP
};

/* Write n numbers at p, which has room for DENSE_COLUMN_MAX and for each group
 * DENSE_GROUP_MAX. Returns the byte behind them. */
unsigned char *dense_put (unsigned char *p, const uint64_t *value, size_t n);

/* A column being read; zero it, then set p, limit and left (numbers). */
struct dense_column {
    const unsigned char *p, *limit;
    size_t left; /* that are not at hand */
    uint64_t least;
    unsigned shift;
    int begun;
    unsigned at, count; /* of value */
    uint64_t value[DENSE_GROUP];
};

/* Unpack the next group: *n numbers, at most DENSE_GROUP. 0, or -1: there is
 * none, or it makes no sense (*n is then 0). */
int dense_unpack (struct dense_column *c, uint64_t *value, unsigned *n);

/* Unpack the next group into c, for dense_next. */
int dense_fill (struct dense_column *c);

static inline int dense_next (struct dense_column *c, uint64_t *out)
{
    if (c->at == c->count && dense_fill (c) < 0)
        return -1;
    *out = c->value[c->at++];
    return 0;
}

/* -- records of a chunk <-> the same in columns of few bits -- */

enum {
    DENSE_BYTES_MAX = 1 << 22, /* of records; more stay as they are */
    DENSE_SHAPES_MAX = 1024,
    DENSE_NUMBERS_MAX = 2 + 7 + 1 + 16, /* of a shape */
    DENSE_SHAPE_BYTES = 4 + 16 * 11     /* of its first bytes */
};

/* A shape: literal bytes, each run with a number behind it. */
enum dense_kind {
    DENSE_NOTHING = 0, /* at the end, when the last thing is literal */
    DENSE_VARINT,
    DENSE_WORD /* 8 bytes: a double */
};

struct dense_shape {
    unsigned char literal[DENSE_SHAPE_BYTES];
    uint8_t length;
    uint8_t numbers; /* parts with a number */
    uint8_t parts;
    struct {
        uint8_t at, length; /* of literal */
        uint8_t kind;       /* enum dense_kind */
    } part[DENSE_NUMBERS_MAX + 1];
};

/* Find the parts of a shape, whose literal bytes are set. 0, or -1: they are
 * no first bytes of an event. */
int dense_shape_read (struct dense_shape *s);

/* Records being read as columns; see dense_reader_open. */
struct dense_reader {
    const unsigned char *p, *limit;
    struct dense_shape *shape; /* owned, as all that follow */
    size_t shapes;
    struct dense_column *column; /* of all shapes, one behind the other */
    size_t *first;               /* column of each shape */
    uint8_t *relative;           /* of each shape: the first number is what lies
                                    between two records, not between two ends */
    struct dense_column token;   /* shapes of the records in their order;
                                    `shapes` is a record that is no event */
    const unsigned char *raw, *raw_limit; /* those: length and bytes of each */
};

/* Begin with n bytes of dense records, which must outlive r; their header says
 * that they were `bytes`. 0, or -1: EBADMSG, ENOMEM. r is to be closed in any
 * case. */
int dense_reader_open (struct dense_reader *r,
                       const unsigned char *p,
                       size_t n,
                       size_t bytes);
void dense_reader_close (struct dense_reader *r); /* keeps errno */

/* The end of the record at p, which is no event. NULL: it is none, or does not
 * end before limit. */
const unsigned char *dense_other_end (const unsigned char *p,
                                      const unsigned char *limit);

/* The next record that is no event, and nothing more. NULL: there is none. */
const unsigned char *dense_reader_raw (struct dense_reader *r, size_t *n);

/* n bytes of dense records to exactly `bytes` bytes of out. 0, or -1: EBADMSG,
 * ENOMEM. */
int dense_read (const unsigned char *p,
                size_t n,
                unsigned char *out,
                size_t bytes);

/* As dense_read, up to the first damage: return the bytes of whole records
 * before it, or -1: EBADMSG if there are none, EOVERFLOW if they are more than
 * `bytes`, ENOMEM. */
ssize_t dense_read_some (const unsigned char *p,
                         size_t n,
                         unsigned char *out,
                         size_t bytes);

struct dense_writer;

struct dense_writer *dense_writer_create (void);    /* NULL: ENOMEM */
void dense_writer_destroy (struct dense_writer *w); /* NULL is fine */

/* bytes of records, dense, in memory of w until the next call; *n of them.
 * NULL: not shorter, or no records that can be made so (EINVAL); ENOMEM. */
const unsigned char *dense_write (struct dense_writer *w,
                                  const unsigned char *p,
                                  size_t bytes,
                                  size_t *n);
