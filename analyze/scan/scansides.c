/* SPDX-License-Identifier: MIT
 *
 * scansides.c - calls -> what of them is in rchar and wchar of /proc/self/io
 */
#include "config.h"

#include "analyze/scan/scansides.h"

static int scansides_of (enum call call)
{
    return CALL_SIDES (call, call_table[call].category, call_table[call].class);
}

void scansides_add (struct counts *n,
                    enum call call,
                    uint64_t bytes,
                    uint64_t filled,
                    uint64_t flushed)
{
    enum call_class class = (enum call_class)call_table[call].class;
    int sides = scansides_of (call);

    n->call_read += sides & CALL_READS ? bytes : 0;
    n->call_written += sides & CALL_WRITES ? bytes : 0;
    if (call_table[call].category != CALL_CATEGORY_STDIO)
        return;
    n->stream_read += class == CALL_CLASS_READ ? bytes : 0;
    n->stream_written += class == CALL_CLASS_WRITE ? bytes : 0;
    n->stream_filled += filled;
    n->stream_flushed += flushed;
}

uint64_t *scansides_one (struct counts *n, enum call call, uint64_t *unused)
{
    int sides = scansides_of (call);

    return sides == CALL_READS    ? &n->call_read
           : sides == CALL_WRITES ? &n->call_written
                                  : unused;
}
