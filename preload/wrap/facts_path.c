/* SPDX-License-Identifier: MIT
 *
 * facts_path.c - finished calls on names -> events
 *
 * Caveat: a call that failed may have been given anything, and need not have
 *         looked at it, whatever it says: rename of what is not there to a wild
 *         address is ENOENT. NULL can be a path that works: the descriptor
 *         itself.
 */
#include "config.h"

#include "preload/record/recorder.h"
#include "preload/wrap/facts.h"
#include "preload/wrap/fsfacts.h"
#include "preload/probe.h"

/* Return 1 for errors that the kernel gives only after walking the path, when
 * the path was readable memory. Checking its pages would cost as much as
 * recording the call. */
static int follows_walk (int err)
{
    return err == ENOENT || err == ENOTDIR || err == EEXIST || err == ENODATA;
}

struct file
facts_file (int64_t rc, int err, int dirfd, const char *path, int fd)
{
    static const struct file ignored = {.state = FILE_IGNORED};
    struct probe p = {0};

    if (rc < 0 && !follows_walk (err) &&
        (!path || probe_text (&p, path, PATH_MAX) < 0))
        return ignored;
    return files_by_path (dirfd, path ? path : "", fd);
}

/* Whose reason may be another argument. */
static int facts_path_reason (const struct span *sp, int err)
{
    return sp->call == CALL_symlink || sp->call == CALL_symlinkat ? 0 : err;
}

void facts_open (
    struct span *sp, int fd, int dirfd, const char *path, int flags)
{
    int saved_errno = errno;
    struct record_arg args[FSFACTS_ARGS];
    struct record r;

    span_result (sp, &r, fd, saved_errno);
    sp->file = facts_file (fd, saved_errno, dirfd, path, fd);
    place_note (sp->caller, (enum place_kind) (flags & O_ACCMODE),
                sp->file.name);
    fsfacts_opened (&r, fd, sp->file, args);
    if (sp->file.state == FILE_WANTED && (flags & O_APPEND))
        sp->file.flags |= FILE_APPEND;
    if (fd >= 0)
        fdmap_set (fd, sp->file, 0);
    r.fd = fd;
    r.file = sp->file.name;
    r.flags = (unsigned)flags;
    span_write_path (sp->file, &r, dirfd, path);
    errno = saved_errno;
}

void facts_path (
    struct span *sp, int64_t rc, int dirfd, const char *path, unsigned flags)
{
    int saved_errno = errno;
    struct record r;
    struct file f;

    span_result (sp, &r, rc, saved_errno);
    f = facts_file (rc, facts_path_reason (sp, saved_errno), dirfd, path, -1);
    place_note (sp->caller, PLACE_LOOK, f.name);
    r.file = f.name;
    r.flags = flags;
    span_write_path (f, &r, dirfd, path);
    errno = saved_errno;
}

static void path_size (struct span *sp,
                       int64_t rc,
                       int err,
                       int dirfd,
                       const char *path,
                       int64_t size)
{
    int saved_errno = errno;
    struct record r;
    struct file f;

    span_result (sp, &r, rc, saved_errno);
    f = facts_file (rc, err, dirfd, path, -1);
    place_note (sp->caller, PLACE_LOOK, f.name);
    r.file = f.name;
    r.size = (uint64_t)size;
    span_write_path (f, &r, dirfd, path);
    errno = saved_errno;
}

void facts_path_size (
    struct span *sp, int64_t rc, int dirfd, const char *path, int64_t size)
{
    path_size (sp, rc, errno, dirfd, path, size);
}

/* With room for a text, EINVAL of readlink means that the path leads to what
 * is no link: what programs find that resolve paths name by name. */
static int link_reason (int err, size_t n)
{
    return err == EINVAL && n > 0 && n <= INT_MAX ? ENOENT : err;
}

/* Whether the first rc bytes of text lie on the path, which they replaced. */
static int overwritten (const char *path, const char *text, int64_t rc)
{
    if (rc <= 0)
        return 0;
    if (text <= path)
        return text + rc > path;
    return !memchr (path, '\0', (size_t)(text - path));
}

void facts_link (struct span *sp,
                 int64_t rc,
                 int dirfd,
                 const char *path,
                 const char *text,
                 size_t n)
{
    int saved_errno = errno;
    struct record r;

    if (!overwritten (path, text, rc)) {
        path_size (sp, rc, link_reason (saved_errno, n), dirfd, path,
                   (int64_t)n);
        return;
    }
    span_result (sp, &r, rc, saved_errno);
    r.size = n;
    recorder_lose_name ();
    span_write (&r);
    errno = saved_errno;
}

void facts_paths (struct span *sp,
                  int64_t rc,
                  int dirfd,
                  const char *path,
                  int todir,
                  const char *to)
{
    int saved_errno = errno;
    struct record r;
    struct file f, f2;

    span_result (sp, &r, rc, saved_errno);
    f = facts_file (rc, 0, dirfd, path, -1);
    f2 = facts_file (rc, 0, todir, to, -1);
    r.file = f.name;
    r.file2 = f2.name;
    if (f.state == FILE_WANTED || f2.state == FILE_IGNORED)
        span_write_path (f, &r, dirfd, path);
    else
        span_write_path (f2, &r, todir, to);
    errno = saved_errno;
}

/* libc makes a file of /dev/shm of it. */
void facts_shm (struct span *sp, int64_t rc, const char *name, int flags)
{
    static const char dir[] = "/dev/shm";
    char path[sizeof (dir) + 1 + NAME_MAX];
    size_t n;
    int is_open = sp->call == CALL_shm_open;

    while (*name == '/')
        name++;
    n = strnlen (name, NAME_MAX);
    memcpy (path, dir, sizeof (dir) - 1);
    path[sizeof (dir) - 1] = '/';
    memcpy (path + sizeof (dir), name, n);
    path[sizeof (dir) + n] = '\0';
    if (is_open)
        facts_open (sp, (int)rc, AT_FDCWD, path, flags);
    else
        facts_path (sp, rc, AT_FDCWD, path, 0);
}
