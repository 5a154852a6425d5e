/* SPDX-License-Identifier: MIT
 *
 * span_open.c - pairs of descriptors, directory streams
 */
#include "config.h"

#include "lib/format/leftout.h"
#include "preload/span_open.h"

int span_open_pair (struct span *sp, int in, int out)
{
    struct file f = {.state = FILE_UNKNOWN}, f2 = f;

    sp->file = sp->file2 = f;
    if (!span_active ())
        return 0;
    f = span_file (in);
    f2 = span_file (out);
    sp->file = f;
    sp->file2 = f2;
    return (f.state == FILE_WANTED || f2.state == FILE_WANTED) &&
           span_begin (sp, in, f);
}

int span_open_leave (void)
{
    int saved_errno = errno;

    if (recorder_layers && process_is_ours ()) {
        mm_pause ();
        recorder_keep ();
    }
    errno = saved_errno;
    return 0;
}

int span_open_leave_tree (int leaves)
{
    int saved_errno = errno;

    if (leaves && recorder_layers && process_is_ours ())
        recorder_leave_tree ();
    errno = saved_errno;
    return 0;
}

static void span_pause (void)
{
    int saved_errno = errno;

    if (recorder_layers && process_is_ours ())
        mm_pause ();
    errno = saved_errno;
}

static int span_part (int parts, int flags)
{
    int saved_errno = errno;

    if (parts && recorder_layers && process_is_ours ())
        fdmap_part ();
    errno = saved_errno;
    return span_open_leave_tree (flags & SPAN_OTHER_TREE);
}

int span_open_setns (int type)
{
    span_pause ();
    return span_open_leave_tree (!type || (type & SPAN_OTHER_TREE));
}

int span_open_unshare (int flags)
{
    if (flags & ~(CLONE_FILES | CLONE_FS))
        span_pause ();
    return span_part (flags & CLONE_FILES, flags);
}

/* One of the two: the same descriptors, the same memory. */
void span_clone (int flags)
{
    int files = (flags & CLONE_FILES) != 0;

    (void)span_part (
        flags & CLONE_VM ? (flags & CLONE_THREAD) && !files : files, flags);
}

_Thread_local unsigned span_rings __attribute__ ((tls_model ("initial-exec")));

int span_open_ring (struct span *sp)
{
    if (!span_open (sp))
        return 0;
    span_rings++;
    return 1;
}

static int span_open_fd_of (DIR *dir)
{
    int saved_errno = errno;
    int fd = dir ? dirfd (dir) : -1;

    errno = saved_errno;
    return fd;
}

int span_open_dir (struct span *sp, DIR *dir)
{
    return span_active () && span_open_fd (sp, span_open_fd_of (dir));
}

int span_open_closedir (struct span *sp, DIR *dir)
{
    return span_active () && dir && span_open_close (sp, span_open_fd_of (dir));
}

int span_open_print (struct span *sp, int fd)
{
    int wanted = span_open_fd (sp, fd);

    if (!wanted || (recorder_layers & LAYER_STDIO))
        return wanted;
    sp->file =
        (struct file){.state = FILE_IGNORED, .class = (uint8_t)LEFTOUT_stream};
    return 0;
}
