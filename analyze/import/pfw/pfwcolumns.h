/* SPDX-License-Identifier: MIT
 *
 * pfwcolumns.h - lines of the same shape -> columns
 */
#pragma once

#include "analyze/import/pfw/pfwblock.h"
#include "analyze/import/pfw/pfwlex.h"
#include "analyze/trace/batchread.h"

/* --- pfwcolumns.c: events of a thread <-> columns in a temporary file ---
 *
 * A chunk is some groups of up to BATCH_EVENTS events, then the numbers of its
 * names (uint32_t each), then how many there are. A group has a head, then its
 * columns: numbers of the same width, or a single one of eight bytes where all
 * are equal. Only the process that wrote a chunk reads it.
 */

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

/* --- pfwshape.c: lines like those before -> struct pfw_line ---
 *
 * A writer puts the same keys in the same order into line after line. A step is
 * what stands between two values, and what the second one is; the steps that
 * may follow a value are those that did so before. A line is read by comparing
 * these, and needs the lexer only where none fits. Values of which there are
 * few (name, category, phase, host) belong to what stands between the others,
 * as long as they are few. What comes out is what pfw_lex makes of the line.
 */

enum {
    PFW_SHAPE_STEPS = 512,
    PFW_SHAPE_SPOTS = 48,
    PFW_SHAPE_WORDS = 12, /* of eight bytes, between two values */
    PFW_SHAPE_GIVEN = 4,  /* values in these */
    PFW_SHAPE_FAST = 64   /* a power of two */
};

enum pfw_step_kind {
    PFW_STEP_END = 0, /* of the object */
    PFW_STEP_TEXT,    /* in quotes, without a backslash */
    PFW_STEP_NUMBER   /* or another word */
};

enum pfw_step_names {
    PFW_STEP_UNNAMED = 0,
    PFW_STEP_EVENT, /* name and category are given */
    PFW_STEP_NAME   /* one of both, or not given */
};

/* A value that is always the same. */
struct pfw_given {
    uint16_t at;   /* offset of struct pfw_line */
    uint8_t in, n; /* where it is in the step's text */
};

/* The text before a value, and the kind of the value. */
struct pfw_step {
    uint64_t last;    /* mask of the last word of text */
    uint32_t known;   /* of the key, or of name and category */
    uint16_t at, has; /* struct pfw_place */
    uint16_t other;   /* another step for this one; 0: none */
    uint8_t behind;   /* spot behind the value */
    uint8_t length, words;
    uint8_t kind;       /* enum pfw_step_kind */
    uint8_t names;      /* enum pfw_step_names */
    uint8_t phase;      /* enum pfw_phase; NONE: not here */
    uint8_t key, key_n; /* the key's text in text */
    uint8_t top;        /* a key of the object, not of args */
    uint8_t givens;
    uint64_t text[PFW_SHAPE_WORDS];
    uint64_t code; /* of the key, as struct pfw_key */
    struct pfw_given given[PFW_SHAPE_GIVEN];
};

/* A place between steps: behind a value of a key, or before the object. */
struct pfw_spot {
    uint64_t mask[2];              /* of the bytes at `look` */
    uint16_t fast[PFW_SHAPE_FAST]; /* steps by a hash of these */
    uint16_t first, steps;         /* all of them */
    uint8_t look;                  /* where these differ */
    uint8_t top, kind;             /* of the value, as is the code */
    uint64_t code;
};

struct pfw_shapes {
    unsigned steps, spots; /* step 0 is none; spot 0 is before the first */
    struct pfw_spot spot[PFW_SHAPE_SPOTS];
    struct pfw_step step[PFW_SHAPE_STEPS];
};

void pfw_shapes_init (struct pfw_shapes *s);

/* As pfw_lex; PFW_BLOCK_SLACK bytes behind limit can be read, whatever they
 * are. */
const char *pfw_shapes_lex (struct pfw_shapes *s,
                            struct pfw_line *line,
                            const char *p,
                            const char *limit);
