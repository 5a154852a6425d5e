/* SPDX-License-Identifier: MIT
 *
 * gzblock.c - gzip members of whole lines -> a file, and an index of them
 *
 * In:  members, from pfw.c
 * Out: combined.pfw.gz and combined.pfw.gz.idx
 */
#include "config.h"

#include "lib/util/gzblock.h"

#include <inttypes.h>

int gzblock_open (struct gzblock *g, FILE *out, FILE *index)
{
    *g = (struct gzblock){.out = out, .index = index, .first_line = 1};
    return fputs ("# dftrace-gzblock 1: packed offset, packed bytes, plain "
                  "offset, plain bytes, first line, lines, first us, last "
                  "us\n",
                  index) < 0
               ? -1
               : 0;
}

int gzblock_put (struct gzblock *g, const struct gzmember *m)
{
    if (fwrite (m->packed, m->bytes, 1, g->out) != 1 ||
        fprintf (g->index,
                 "%" PRIu64 "\t%zu\t%" PRIu64 "\t%zu\t%" PRIu64 "\t%" PRIu64
                 "\t%" PRIu64 "\t%" PRIu64 "\n",
                 g->packed_offset, m->bytes, g->plain_offset, m->plain,
                 g->first_line, m->lines, m->first_time, m->last_time) < 0)
        return -1;
    g->packed_offset += m->bytes;
    g->plain_offset += m->plain;
    g->first_line += m->lines;
    return 0;
}
