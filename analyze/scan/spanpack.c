/* SPDX-License-Identifier: MIT
 *
 * spanpack.c - times of one thread <-> a section of a file
 *
 * In:  struct spanlog
 * Out: gaps and lengths, to partial*.c and querypartial.c; and back
 */
#include "config.h"

#include "analyze/scan/spanpack.h"

#include "analyze/scan/spancursor.h"

enum { SPANS_BATCH = 1024 };

/* ns since 1970: more (2116) is not believed. */
#define SPANS_END_MAX ((uint64_t)1 << 62)

/* Gap since the end of the one before, and length; 0 0 ends the list. */
static int spanpack_pack_list (struct packer *p,
                               const struct span_block *block,
                               const struct intervals *list)
{
    uint64_t start[SPANS_BATCH], end = 0;
    uint32_t length[SPANS_BATCH];
    struct span_cursor c = {
        .start = start, .length = length, .room = SPANS_BATCH};
    int rc = spancursor_open (&c, block, list, 0, UINT64_MAX);

    while (rc == 0 && c.count) {
        for (size_t i = 0; i < c.count; i++) {
            pack_uint (p, start[i] - end);
            pack_uint (p, span_cursor_length (&c, i));
            end = start[i] + span_cursor_length (&c, i);
        }
        c.at = c.count; /* all are packed */
        rc = spancursor_fill (&c);
    }
    pack_uint (p, 0);
    pack_uint (p, 0);
    spancursor_close (&c);
    return rc;
}

int spanlog_pack (struct packer *p, const struct spanlog *log)
{
    return spanpack_pack_list (p, log->first, &log->tail) < 0
               ? -1
               : spanpack_pack_list (p, NULL, &log->late);
}

static int get_list (struct unpacker *u, struct spanlog *log)
{
    uint64_t end = 0, gap, length;

    for (;;) {
        gap = unpack_uint (u);
        length = unpack_uint (u);
        if (u->bad || (!gap && !length))
            return u->bad ? -1 : 0;
        if (gap > SPANS_END_MAX || length > SPANS_END_MAX ||
            end + gap + length > SPANS_END_MAX) {
            u->bad = 1;
            return -1;
        }
        if (spanlog_add (log, end + gap, end + gap + length) < 0)
            return -1;
        end += gap + length;
    }
}

int spanlog_unpack (struct unpacker *u, struct spanlog *log)
{
    return get_list (u, log) < 0 ? -1 : get_list (u, log);
}
