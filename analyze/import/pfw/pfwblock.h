/* SPDX-License-Identifier: MIT
 *
 * pfwblock.h - a DFTracer trace on disk -> blocks of whole lines
 */
#pragma once

#include "lib/util/gz.h"

enum { PFW_BLOCK_SLACK = 128 }; /* bytes behind the lines that can be read */

/* Some lines. Zero it before first use. The borders of blocks depend on the
 * plain bytes of the file only. */
struct pfw_block {
    char *p; /* owned */
    size_t n, room;
    int last; /* the last line may have no newline */
};

struct pfw_blocks;

struct pfw_blocks *pfw_blocks_create (int fd);
void pfw_blocks_destroy (struct pfw_blocks *f); /* NULL is fine */

/* The next block: 1, 0 at the end, -1: not readable (errno). */
int pfw_blocks_next (struct pfw_blocks *f, struct pfw_block *b);

/* Lines that were longer than any line is, and their bytes. */
void pfw_blocks_damage (const struct pfw_blocks *f,
                        uint64_t *lines,
                        uint64_t *bytes);
const struct gzin_account *pfw_blocks_account (const struct pfw_blocks *f);

void pfw_block_clear (struct pfw_block *b);
