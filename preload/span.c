/* SPDX-License-Identifier: MIT
 *
 * span.c - wrappers -> recorder
 */
#include "config.h"

#include "preload/filter.h"
#include "preload/span.h"

struct file span_file (int fd)
{
    int saved_errno = errno;
    struct file f = fdmap_get (fd);

    errno = saved_errno;
    return f;
}

static int fd_of (FILE *f)
{
    int saved_errno = errno;
    int fd = f ? fileno (f) : -1;

    errno = saved_errno;
    return fd;
}

int span_open_fclose (struct span *sp, FILE *f)
{
    if (!span_active () || !f)
        return 0;
    return span_open_close (sp, fd_of (f));
}

/* The descriptor is closed, and perhaps opened again, inside libc. */
int span_open_freopen (struct span *sp, FILE *f)
{
    if (!span_active ())
        return 0;
    fdmap_forget (fd_of (f));
    return span_open (sp);
}

int span_open_fdopen (struct span *sp, int fd)
{
    return (recorder_layers & LAYER_STDIO) && span_open_fd (sp, fd);
}

int span_open_stream (struct span *sp, FILE *f)
{
    int fd;

    if (!(recorder_layers & LAYER_STDIO) || !span_active ())
        return 0;
    fd = fd_of (f);
    return fd >= 0 && span_open_fd (sp, fd);
}

void span_write (const struct record *r)
{
    unsigned layer = call_table[r->call].category == CALL_CATEGORY_STDIO
                         ? LAYER_STDIO
                         : LAYER_POSIX;

    if (r->call == CALL_NONE || !(recorder_layers & layer) ||
        filter_drops (r) || !recorder_enter ())
        return;
    recorder_record (r);
    recorder_leave ();
}
