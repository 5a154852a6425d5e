/* SPDX-License-Identifier: MIT
 *
 * facts_copy.c - transfers that the kernel makes for the program -> events
 *
 * In:  copy_file_range, sendfile, splice
 * Out: one event per copy, with both files
 */
#include "config.h"

#include "preload/wrap/facts.h"

static uint32_t facts_copy_name_of (struct file f)
{
    return f.state == FILE_WANTED ? f.name : 0;
}

/* Return the start offset of one side of a copy: from the offset argument that
 * the call moved, or the descriptor's. */
static int64_t
side (int fd, struct file f, ssize_t rc, const off64_t *at, int writes)
{
    if (at)
        return rc >= 0 ? *at - rc : -1;
    if (f.state != FILE_WANTED)
        return -1;
    if (writes && (f.flags & FILE_APPEND)) {
        fdmap_set_position (fd, -1);
        return -1;
    }
    return fdmap_advance (fd, f, rc > 0 ? rc : 0);
}

void facts_pair (struct span *sp,
                 ssize_t rc,
                 int in,
                 int out,
                 size_t n,
                 const off64_t *at,
                 const off64_t *to)
{
    int saved_errno = errno;
    struct file f = fdmap_get (in), f2 = fdmap_get (out);
    struct record r;

    span_result (sp, &r, rc, saved_errno);
    r.file = facts_copy_name_of (f);
    r.file2 = facts_copy_name_of (f2);
    r.size = n;
    r.offset = side (in, f, rc, at, 0);
    (void)side (out, f2, rc, to, 1);
    span_write (&r);
    if (rc > 0)
        facts_net_transfer (sp, CALL_READS | CALL_WRITES, rc);
    errno = saved_errno;
}
