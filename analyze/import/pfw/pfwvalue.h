/* SPDX-License-Identifier: MIT
 *
 * pfwvalue.h - a key and its value -> fields of struct pfw_line (private to
 *              pfwlex.c)
 */
#ifndef DFT_ANALYZE_PFWVALUE_H
#define DFT_ANALYZE_PFWVALUE_H

#include "analyze/import/pfw/pfwlex.h"

/* A value: text of a string, word of anything else that is no container. */
struct pfw_value {
    struct pfw_text text;
    uint8_t quoted, container;
    uint8_t whole; /* a number without a sign, at most 18 digits: i */
    int64_t i;
};

struct pfw_key {
    struct pfw_text text;
    uint64_t code; /* its bytes if these are at most 8, first lowest, else 0 */
};

/* Eight characters, or fewer and 0, as code. */
#define PFW_KEY(A, B, C, D, E, F, G, H)                                \
    ((uint64_t)(A) | (uint64_t)(B) << 8 | (uint64_t)(C) << 16 |        \
     (uint64_t)(D) << 24 | (uint64_t)(E) << 32 | (uint64_t)(F) << 40 | \
     (uint64_t)(G) << 48 | (uint64_t)(H) << 56)
#define PFW_KEY_ARGS PFW_KEY ('a', 'r', 'g', 's', 0, 0, 0, 0)

/* Where a value goes, if that is all there is to it. */
struct pfw_place {
    uint16_t at;  /* offset of struct pfw_line + 1; 0: it is not so simple */
    uint16_t has; /* bits of enum pfw_has */
};

/* Of a text; of a number without a sign. */
struct pfw_place pfw_value_text_place (int top, uint64_t code);
struct pfw_place pfw_value_number_place (int top, uint64_t code);

/* A field of the object, one of "args". */
void pfw_value_top (struct pfw_line *l,
                    const struct pfw_key *key,
                    const struct pfw_value *v);
void pfw_value_arg (struct pfw_line *l,
                    const struct pfw_key *key,
                    const struct pfw_value *v);

#endif
