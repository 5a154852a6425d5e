/* SPDX-License-Identifier: MIT
 *
 * pfwshape.h - lines like those before -> struct pfw_line
 */
#pragma once

#include "analyze/import/pfw/pfwblock.h"
#include "analyze/import/pfw/pfwlex.h"

/* A writer puts the same keys in the same order into line after line. A step is
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
