/* SPDX-License-Identifier: MIT
 *
 * facts_new.c - descriptors that come without a path -> map, events
 *
 * In:  memfd_create, open_by_handle_at, tmpfile, opendir
 * Out: their files, by the kernel's word where the call does not say
 */
#include "config.h"

#include "preload/wrap/facts.h"

/* The file of a new descriptor, whatever the number meant before. */
static struct file facts_new_learn (int fd)
{
    struct file f;

    fdmap_forget (fd);
    f = files_by_fd (fd);
    fdmap_set (fd, f, 0);
    return f;
}

void facts_new (struct span *sp, int fd, unsigned flags)
{
    int saved_errno = errno;
    struct record r;

    if (fd < 0)
        return;
    span_result (sp, &r, fd, saved_errno);
    sp->file = facts_new_learn (fd);
    r.fd = fd;
    r.file = sp->file.name;
    r.flags = flags;
    span_write_of (sp->file, &r);
    errno = saved_errno;
}

void facts_tmpfile (struct span *sp, FILE *f)
{
    int saved_errno = errno;
    struct record r;

    if (!f)
        return;
    span_result (sp, &r, 0, saved_errno);
    sp->file = facts_new_learn (fileno (f));
    r.fd = fileno (f);
    r.file = sp->file.name;
    if (sp->file.state == FILE_WANTED) {
        streams_opened (r.fd, f, 0);
        span_write (&r);
    }
    errno = saved_errno;
}

void facts_opendir (struct span *sp, DIR *dir, const char *path)
{
    int saved_errno = errno;
    struct file f;

    facts_path (sp, dir ? 0 : -1, AT_FDCWD, path, 0);
    if (dir) {
        f = files_by_path (AT_FDCWD, path, dirfd (dir));
        fdmap_set (dirfd (dir), f, -1);
    }
    errno = saved_errno;
}

void facts_entry (struct span *sp, int rc, const void *next)
{
    int saved_errno = errno;
    const void *entry = rc == 0 ? *(const void *const *)next : NULL;
    struct record r;

    span_result (sp, &r, rc ? -1 : entry != NULL, rc);
    span_write (&r);
    errno = saved_errno;
}
