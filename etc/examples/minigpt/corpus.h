/* SPDX-License-Identifier: MIT
 *
 * corpus.h - documents -> PREFIX.bin and PREFIX.idx
 *
 * Both are written under temporary names; the .bin appears first, so a
 * reader that finds the .idx has both.
 */
#ifndef MINIGPT_CORPUS_H
#define MINIGPT_CORPUS_H

#include <stddef.h>
#include <stdint.h>

#include "etc/examples/minigpt/failure.h"

struct corpus;

struct corpus *corpus_create (const char *prefix, struct failure *f);
/* Add a document of n > 0 tokens and its end mark. 0 or -1 with f. */
int corpus_add (struct corpus *c,
                const uint16_t *tokens,
                size_t n,
                struct failure *f);
uint64_t corpus_documents (const struct corpus *c);
uint64_t corpus_tokens (const struct corpus *c);
uint64_t corpus_bytes (const struct corpus *c); /* of the .bin */
/* Put both files in place. 0 or -1 with f; destroy is still due. */
int corpus_finish (struct corpus *c, struct failure *f);
/* NULL is fine. What was not finished is removed. */
void corpus_destroy (struct corpus *c);

/* 1 when PREFIX is a valid pair with a .bin of at least so many bytes; the
 * counts then go to *documents and *tokens. */
int corpus_exists (const char *prefix,
                   uint64_t bytes,
                   uint64_t *documents,
                   uint64_t *tokens);

#endif
