/* SPDX-License-Identifier: MIT
 *
 * pfwhash.h - names of a job -> their hashes and escaped texts in DFTracer's
 *             JSON lines
 */
#ifndef DFT_ANALYZE_PFWHASH_H
#define DFT_ANALYZE_PFWHASH_H

#include <stddef.h>
#include <stdint.h>

enum { PFW_HASH_TEXT = 16 };

/* Stays where it is and as it is, so that any thread may read it. */
struct pfw_named {
    char hash[PFW_HASH_TEXT]; /* without NUL */
    uint32_t length;
    char text[]; /* escaped */
};

struct pfw_hashes;

struct pfw_hashes *pfw_hashes_create (void);    /* NULL: ENOMEM */
void pfw_hashes_destroy (struct pfw_hashes *h); /* NULL is fine */

/* A text of a kind of two letters ("FH", …); *isnew when it comes first. NULL:
 * ENOMEM. */
const struct pfw_named *pfw_hashes_text (struct pfw_hashes *h,
                                         const char *kind,
                                         const char *text,
                                         size_t n,
                                         int *isnew);

/* "category NUL name" as NAME","cat":"CATEGORY. NULL: ENOMEM. */
const struct pfw_named *
pfw_hashes_event (struct pfw_hashes *h, const char *text, size_t n);

#endif
