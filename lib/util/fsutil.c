/* SPDX-License-Identifier: MIT
 *
 * fsutil.c - text <-> whole files; directories; paths
 */
#include "config.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

enum { ATOMIC_TRIES = 100 }; /* temporary names before giving up */

static int fsutil_later; /* directories are synced by who writes the files */

struct atomic_file {
    FILE *stream;
    char *path;
    char *temporary;
};

char *path_join (const char *a, const char *b)
{
    size_t n = strlen (a);

    return xasprintf ("%s%s%s", a, n > 0 && a[n - 1] != '/' ? "/" : "", b);
}

/* --- atomic files ----------------------------------------------------- */

static void atomic_free (struct atomic_file *a)
{
    int saved_errno = errno;

    if (!a)
        return;
    if (a->stream)
        fclose (a->stream);
    if (a->temporary) {
        unlink (a->temporary);
        free (a->temporary);
    }
    free (a->path);
    free (a);
    errno = saved_errno;
}

/* A new file next to path; its name goes to *name. */
static int open_temporary (const char *path, mode_t mode, char **name)
{
    static _Atomic unsigned counter;
    int fd = -1;

    for (int i = 0; i < ATOMIC_TRIES && fd < 0; i++) {
        free (*name);
        *name = xasprintf ("%s.%x-%x-%x.tmp", path, (unsigned)getpid (),
                           (unsigned)clock_ns (CLOCK_REALTIME),
                           atomic_fetch_add (&counter, 1));
        fd = open (*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        int saved_errno = errno;

        free (*name);
        *name = NULL;
        errno = saved_errno;
    }
    return fd;
}

struct atomic_file *
atomic_open (const char *path, mode_t mode, struct errtext *err)
{
    struct atomic_file *a = ZEROED (a, 1);
    int fd = open_temporary (path, mode, &a->temporary);

    if (fd < 0) {
        errf (err, "%s: cannot write: %m", path);
        atomic_free (a);
        return NULL;
    }
    a->path = xstrdup (path);
    a->stream = xalloc_checked (fdopen (fd, "w"));
    return a;
}

FILE *atomic_stream (struct atomic_file *a)
{
    return a->stream;
}

/* Everything to the disk; the stream is closed in any case. */
static int finish_stream (struct atomic_file *a)
{
    FILE *f = a->stream;
    int bad = ferror (f);

    a->stream = NULL;
    if (fflush (f) != 0 || bad || fsync (fileno (f)) < 0) {
        int saved_errno = bad && errno == 0 ? EIO : errno;

        fclose (f);
        errno = saved_errno;
        return -1;
    }
    return fclose (f) == 0 ? 0 : -1;
}

void atomic_directories (int sync)
{
    fsutil_later = !sync;
}

/* One that cannot be synced (some network file systems) is no failure: the
 * rename itself happened. */
void directory_sync (const char *path)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        fsync (fd);
        close (fd);
    }
}

static void sync_directory (const char *path)
{
    const char *slash = strrchr (path, '/');
    char *dir;

    if (fsutil_later)
        return;
    dir = slash ? xstrndup (path, (size_t)(slash - path) + 1) : xstrdup (".");
    directory_sync (dir);
    free (dir);
}

int atomic_commit (struct atomic_file *a, struct errtext *err)
{
    int rc = -1;

    if (finish_stream (a) == 0 && rename (a->temporary, a->path) == 0) {
        free (a->temporary);
        a->temporary = NULL;
        sync_directory (a->path);
        rc = 0;
    } else
        errf (err, "%s: cannot write: %m", a->path);
    atomic_free (a);
    return rc;
}

void atomic_abort (struct atomic_file *a)
{
    atomic_free (a);
}

int is_own_file (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0 && st.st_uid == geteuid ();
}

int write_file (const char *path,
                mode_t mode,
                const char *text,
                struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, mode, err);

    if (!a)
        return -1;
    fputs (text, a->stream);
    return atomic_commit (a, err);
}

/* --- reading ---------------------------------------------------------- */

/* All of fd, which may grow or have no size (/proc). */
static char *fsutil_read_all (int fd, size_t max, size_t *size)
{
    size_t room = 4096, n = 0;
    char *buf = xmalloc (room);

    for (;;) {
        ssize_t rc = read (fd, buf + n, room - n - 1);

        if (rc < 0 && errno == EINTR)
            continue;
        if (rc < 0)
            break;
        n += rc;
        if (n > max) {
            errno = EFBIG;
            break;
        }
        if (rc == 0) {
            buf[n] = '\0';
            *size = n;
            return buf;
        }
        if (n + 1 < room)
            continue;
        room *= 2;
        buf = xreallocarray (buf, room, 1);
    }
    free (buf);
    return NULL;
}

static char *read_whole (
    const char *path, int flags, size_t max, size_t *size, struct errtext *err)
{
    struct stat st;
    char *buf = NULL;
    size_t n = 0;
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    int saved_errno;

    if (fd < 0 || fstat (fd, &st) < 0)
        goto done;
    if (S_ISDIR (st.st_mode)) {
        errno = EISDIR;
        goto done;
    }
    if (flags && !S_ISREG (st.st_mode)) {
        errno = EINVAL;
        goto done;
    }
    /* O_NONBLOCK was only for the open: a pipe must be waited for. */
    if (!S_ISREG (st.st_mode) && fcntl (fd, F_SETFL, 0) < 0)
        goto done;
    buf = fsutil_read_all (fd, max, &n);
done:
    saved_errno = errno;
    if (fd >= 0)
        close (fd);
    errno = saved_errno;
    if (!buf && errno == EFBIG)
        errf (err, "%s: larger than %zu bytes", path, max);
    else if (!buf)
        errf (err, "%s: cannot read: %m", path);
    else if (size)
        *size = n;
    return buf;
}

char *
read_file (const char *path, size_t max, size_t *size, struct errtext *err)
{
    return read_whole (path, O_NOFOLLOW, max, size, err);
}

char *
read_user_file (const char *path, size_t max, size_t *size, struct errtext *err)
{
    return read_whole (path, 0, max, size, err);
}

/* --- directories ------------------------------------------------------ */

static int fsutil_make_dir (const char *path, mode_t mode)
{
    struct stat st;

    if (mkdir (path, mode) == 0)
        return 0;
    if (errno != EEXIST || stat (path, &st) < 0)
        return -1;
    if (S_ISDIR (st.st_mode))
        return 0;
    errno = ENOTDIR;
    return -1;
}

int make_own_dir (const char *path, mode_t mode, struct errtext *err)
{
    struct stat st;

    if (mkdir (path, mode) == 0)
        return 0;
    if (errno != EEXIST || lstat (path, &st) < 0)
        return errf (err, "%s: cannot make directory: %m", path);
    if (S_ISDIR (st.st_mode) && st.st_uid == geteuid ())
        return 0;
    errno = S_ISDIR (st.st_mode) ? EPERM : ENOTDIR;
    return errf (err, "%s: %s: remove it, or give --no-write", path,
                 S_ISLNK (st.st_mode)   ? "is a symbolic link"
                 : S_ISDIR (st.st_mode) ? "belongs to another user"
                                        : "is no directory");
}

int dir_is_others (const char *path)
{
    struct stat st;

    return stat (path, &st) == 0 && st.st_uid != geteuid ();
}

int open_regular (const char *path, struct errtext *err)
{
    int fd =
        open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0) {
        errf (err, "%s: cannot open: %s", path, strerror (errno));
    } else if (!S_ISREG (st.st_mode)) {
        errf (err, "%s: not a regular file", path);
        errno = EINVAL;
    } else
        return fd;
    if (fd >= 0)
        close (fd);
    return -1;
}

int make_dirs (const char *path, mode_t mode, struct errtext *err)
{
    char *copy = xstrdup (path);
    int rc = 0;

    for (char *p = copy; rc == 0 && *p; p++)
        if (*p == '/' && p > copy) {
            *p = '\0';
            /* what is above may exist and not be ours to look into */
            if (fsutil_make_dir (copy, mode) < 0 && errno != EACCES &&
                errno != EROFS)
                rc = -1;
            *p = '/';
        }
    if (rc == 0)
        rc = fsutil_make_dir (path, mode);
    if (rc < 0)
        errf (err, "%s: cannot make directory: %m", path);
    free (copy);
    return rc;
}

size_t path_series (char to[PATH_MAX], const char *path)
{
    const char *slash = strrchr (path, '/'), *name = slash ? slash + 1 : path;
    const char *p = name;
    size_t n = (size_t)(name - path);

    if (n >= PATH_MAX / 2)
        n = 0;
    memcpy (to, path, n);
    for (; *p && n < PATH_MAX - 1; p++)
        if (!isdigit ((unsigned char)*p))
            to[n++] = *p;
        else if (p == name || !isdigit ((unsigned char)p[-1]))
            to[n++] = 'N';
    to[n] = '\0';
    return n;
}

/* --- for commands: a failure is the end of it --------------------------- */

struct atomic_file *xatomic_open (const char *path, mode_t mode)
{
    struct errtext err;
    struct atomic_file *a = atomic_open (path, mode, &err);

    if (!a)
        die ("%s", err.text);
    return a;
}

void xatomic_commit (struct atomic_file *a)
{
    struct errtext err;

    if (atomic_commit (a, &err) < 0)
        die ("%s", err.text);
}

void xwrite_file (const char *path, mode_t mode, const char *text)
{
    struct errtext err;

    if (write_file (path, mode, text, &err) < 0)
        die ("%s", err.text);
}

void xmake_dirs (const char *path)
{
    struct errtext err;

    if (make_dirs (path, 0755, &err) < 0)
        die ("%s", err.text);
}

static char *xread_whole (const char *path, int flags, size_t max)
{
    struct errtext err;
    size_t size;
    char *text = read_whole (path, flags, max, &size, &err), *copy;

    if (!text)
        die ("%s", err.text);
    copy = arena_copy (text, size);
    free (text);
    return copy;
}

char *xread_file (const char *path, size_t max)
{
    return xread_whole (path, O_NOFOLLOW, max);
}

char *xread_user_file (const char *path, size_t max)
{
    return xread_whole (path, 0, max);
}
