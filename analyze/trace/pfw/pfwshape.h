/* SPDX-License-Identifier: MIT
 *
 * pfwshape.h - lines like those before -> struct pfw_line
 *
 * A writer puts the same keys in the same order into line after line. What
 * stands between the values of the lines so far is a tree; a line is read by
 * comparing that, the branch taken last first, and needs the lexer only where
 * no branch fits. What comes out is what pfw_lex makes of the line.
 */
#ifndef DFT_ANALYZE_PFWSHAPE_H
#define DFT_ANALYZE_PFWSHAPE_H

#include "analyze/trace/pfw/pfwblock.h"
#include "analyze/trace/pfw/pfwlex.h"

enum {
    PFW_SHAPE_STEPS = 512, /* of the tree */
    PFW_SHAPE_WORDS = 4    /* of eight bytes, between two values */
};

/* What stands before a value, and what the value is. */
struct pfw_step {
    uint64_t text[PFW_SHAPE_WORDS], mask[PFW_SHAPE_WORDS];
    uint64_t code;    /* of the key, as struct pfw_key */
    uint16_t first;   /* step behind the value; 0: none */
    uint16_t other;   /* another step for this one; 0: none */
    uint16_t at, has; /* struct pfw_place */
    uint8_t length, words;
    uint8_t kind;       /* of pfwshape.c */
    uint8_t top;        /* a key of the object, not of args */
    uint8_t key, key_n; /* the key's text in text */
};

struct pfw_shapes {
    unsigned steps; /* step 0 is what is before the first */
    struct pfw_step step[PFW_SHAPE_STEPS];
};

void pfw_shapes_init (struct pfw_shapes *s);

/* As pfw_lex; PFW_BLOCK_SLACK bytes behind limit can be read, whatever they
 * are. */
const char *pfw_shapes_lex (struct pfw_shapes *s,
                            struct pfw_line *line,
                            const char *p,
                            const char *limit);

#endif
