/* SPDX-License-Identifier: MIT
 *
 * morecalls.c - the rarer wrapped calls, and what they returned
 *
 * morecalls DIR: as calls.c; its own lines go to standard error, so that
 * standard output, a file, can be one of the files that are looked at.
 */
#include "config.h"

#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "tests/victims/morecalls.h"
#include "tests/victims/variants.h"

enum { PAGE = 4096, WAIT_US = 1000 };

static char buf[2 * ROOM];
static const struct timespec times[2];
static const struct timeval vals[2];

int do_open (const char *path)
{
    return open (path, O_RDWR | O_CREAT, 0600);
}

static void names (const char *dir)
{
    int dirfd = open (dir, O_RDONLY | O_DIRECTORY), fd = do_open ("f");
    dev_t none = 0;
    char *p;

    report ("open", "dir", dirfd);
    report ("open", "f", fd);
    DO (access, eaccess ("f", R_OK));
    DO (access, euidaccess ("f", R_OK));
    DO (faccessat, faccessat (dirfd, "f", R_OK, 0));
    DO (symlink, symlink ("f", "s"));
    DO (symlinkat, symlinkat ("nowhere", dirfd, "s2"));
    DO (readlink, readlink ("s", buf, ROOM));
    DO (readlink, __readlink_chk ("missing", buf, 3, ROOM));
    DO (readlinkat, readlinkat (dirfd, "s2", buf, ROOM));
    DO (readlinkat, __readlinkat_chk (dirfd, "s2", buf, 3, ROOM));
    DO_PTR (realpath, p, realpath ("s", buf));
    DO_PTR (realpath, p, __realpath_chk ("s2", buf, ROOM));
    DO_PTR (realpath, p, canonicalize_file_name ("s"));
    free (p);
    DO (link, link ("f", "g"));
    DO (linkat, linkat (dirfd, "f", dirfd, "h", 0));
    DO (chmod, chmod ("f", 0640));
    DO (chmod, lchmod ("f", 0600));
    DO (fchmod, fchmod (fd, 0600));
    DO (fchmodat, fchmodat (dirfd, "f", 0600, 0));
    DO (chown, chown ("f", (uid_t)-1, (gid_t)-1));
    DO (lchown, lchown ("f", (uid_t)-1, (gid_t)-1));
    DO (fchown, fchown (fd, (uid_t)-1, (gid_t)-1));
    DO (fchownat, fchownat (dirfd, "f", (uid_t)-1, (gid_t)-1, 0));
    DO (utime, utime ("f", NULL));
    DO (utime, utimes ("f", vals));
    DO (utime, lutimes ("s2", vals));
    DO (utime, futimesat (dirfd, "f", vals));
    DO (utime, utimensat (dirfd, "f", times, 0));
    DO (futimens, futimes (fd, vals));
    DO (futimens, futimens (fd, times));
    DO (mknod, mknod ("n1", S_IFREG | 0600, 0));
    DO (mknod, mknodat (dirfd, "n2", S_IFREG | 0600, 0));
    DO (mknod, __xmknod (0, "n3", S_IFREG | 0600, &none));
    DO (mknod, __xmknodat (0, dirfd, "n4", S_IFREG | 0600, &none));
    DO (mknod, mkfifo ("n5", 0600));
    DO (mknod, mkfifoat (dirfd, "n6", 0600));
    DO (close, close (fd));
    DO (close, close (dirfd));
}

static void systems (void)
{
    struct statfs fs;
    struct statfs64 fs64;
    struct statvfs vfs;
    struct statvfs64 vfs64;
    int fd = do_open ("f");

    report ("open", "f", fd);
    DO (statfs, statfs ("f", &fs));
    DO (statfs, statfs64 ("f", &fs64));
    DO (statfs, statvfs ("f", &vfs));
    DO (statfs, statvfs64 ("missing", &vfs64));
    DO (fstatfs, fstatfs (fd, &fs));
    DO (fstatfs, fstatfs64 (fd, &fs64));
    DO (fstatfs, fstatvfs (fd, &vfs));
    DO (fstatfs, fstatvfs64 (fd, &vfs64));
    DO (setxattr, setxattr ("f", "user.a", "x", 1, 0));
    DO (setxattr, lsetxattr ("f", "user.a", "x", 1, 0));
    DO (setxattr, fsetxattr (fd, "user.a", "x", 1, 0));
    DO (getxattr, getxattr ("f", "user.a", buf, ROOM));
    DO (getxattr, lgetxattr ("f", "user.a", buf, ROOM));
    DO (getxattr, fgetxattr (fd, "user.a", buf, ROOM));
    DO (listxattr, listxattr ("f", buf, ROOM));
    DO (listxattr, llistxattr ("f", buf, ROOM));
    DO (listxattr, flistxattr (fd, buf, ROOM));
    DO (removexattr, removexattr ("f", "user.a"));
    DO (removexattr, lremovexattr ("f", "user.a"));
    DO (removexattr, fremovexattr (fd, "user.a"));
    DO (flock, flock (fd, LOCK_EX));
    DO (lockf, lockf (fd, F_TLOCK, 10));
    DO (lockf, lockf64 (fd, F_ULOCK, 10));
    DO (syncfs, syncfs (fd));
    DO (sync_file_range, sync_file_range (fd, 0, 0, 0));
    DO (close, close (fd));
}

static void locks (void)
{
    int fd = do_open ("f");
    struct flock fl = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    report ("open", "f", fd);
    DO (fcntl, fcntl (fd, F_SETLK, &fl));
    DO (fcntl, fcntl64 (fd, F_OFD_GETLK, &fl));
    fl.l_pid = 0;
    DO (NONE, fcntl (fd, F_SETPIPE_SZ, 4096));
    DO (NONE, fcntl (fd, F_GETOWN));
    DO (close, close (fd));
}

static void temporaries (void)
{
    static char t[8][16];
    int fd;
    char *p;
    FILE *f;

    for (int i = 0; i < 8; i++)
        (void)snprintf (t[i], sizeof (t[i]), "tXXXXXX%s", i < 4 ? "" : ".x");
    DO (mkstemp, fd = mkstemp (t[0]));
    DO (close, close (fd));
    DO (mkstemp, fd = mkstemp64 (t[1]));
    DO (close, close (fd));
    DO (mkstemp, fd = mkostemp (t[2], O_APPEND));
    DO (close, close (fd));
    DO (mkstemp, fd = mkostemp64 (t[3], O_CLOEXEC));
    DO (close, close (fd));
    DO (mkstemp, fd = mkstemps (t[4], 2));
    DO (close, close (fd));
    DO (mkstemp, fd = mkstemps64 (t[5], 2));
    DO (close, close (fd));
    DO (mkstemp, fd = mkostemps (t[6], 2, 0));
    DO (close, close (fd));
    DO (mkstemp, fd = mkostemps64 (t[7], 2, 0));
    DO (close, close (fd));
    DO (mkstemp, mkstemp (t[0])); /* no longer a template */
    for (int i = 0; i < 8; i++)
        DO (unlink, unlink (t[i]));
    (void)snprintf (t[0], sizeof (t[0]), "dXXXXXX");
    DO_PTR (mkdtemp, p, mkdtemp (t[0]));
    DO (rmdir, rmdir (t[0]));
    DO_PTR (NONE, f, tmpfile ()); /* not below DIR */
    DO (NONE, fclose (f));
    DO_PTR (NONE, f, tmpfile64 ());
    DO (NONE, fclose (f));
    DO (NONE, fd = shm_open ("/dftrace-test", O_RDWR | O_CREAT, 0600));
    DO (NONE, close (fd));
    DO (NONE, shm_unlink ("/dftrace-test"));
    DO (NONE, shm_open ("/dftrace-test", O_RDWR, 0600));
    DO (NONE, fd = memfd_create ("m", 0));
    DO (NONE, close (fd));
}

static void close_unseen (int fd)
{
    void *libc = dlopen ("libc.so.6", RTLD_LAZY);
    int (*function) (int) = (int (*) (int))dlsym (libc, "close");

    (void)function (fd);
}

/* A descriptor of ours that goes behind our back, and comes back as another
 * thing, is not that file any more. */
/* As untraced: results, errno, what is left of the time. */
static void waits (int epoll)
{
    const struct timespec none = {0, 0}, wrong = {0, -1};
    struct timeval t = {0, 0};
    struct timespec left = {7, 7};
    struct epoll_event ev;
    sem_t sem;

    DO (NONE, sleep (0));
    DO (NONE, usleep (0));
    DO (NONE, nanosleep (&none, &left));
    DO (NONE, nanosleep (&wrong, &left));
    DO (NONE, clock_nanosleep (CLOCK_MONOTONIC, 0, &none, &left));
    DO (NONE, clock_nanosleep (CLOCK_MONOTONIC, 0, &wrong, &left));
    DO (NONE, left.tv_sec);
    DO (NONE, poll (NULL, 0, 0));
    DO (NONE, __poll_chk (NULL, 0, 0, 0));
    DO (NONE, ppoll (NULL, 0, &none, NULL));
    DO (NONE, ppoll (NULL, 0, &wrong, NULL));
    DO (NONE, __ppoll_chk (NULL, 0, &none, NULL, 0));
    DO (NONE, select (0, NULL, NULL, NULL, &t));
    DO (NONE, select (-1, NULL, NULL, NULL, &t));
    DO (NONE, pselect (0, NULL, NULL, NULL, &none, NULL));
    DO (NONE, pselect (-1, NULL, NULL, NULL, &none, NULL));
    DO (NONE, epoll_wait (epoll, &ev, 1, 0));
    DO (NONE, epoll_wait (-1, &ev, 1, 0));
    DO (NONE, epoll_pwait (epoll, &ev, 1, 0, NULL));
    DO (NONE, epoll_pwait (-1, &ev, 1, 0, NULL));
    DO (NONE, sem_init (&sem, 0, 2));
    DO (NONE, sem_wait (&sem));
    DO (NONE, sem_timedwait (&sem, &none));
    DO (NONE, sem_timedwait (&sem, &none));
    DO (NONE, sem_timedwait (&sem, &wrong));
    DO (NONE, pthread_timedjoin_np (pthread_self (), NULL, &none));
}

static void not_files (void)
{
    struct {
        unsigned bytes, type;
        int mount;
        char handle[128];
    } h = {.bytes = sizeof (h.handle)};
    int fd[2], f = do_open ("f");

    report ("open", "f", f);
    close_unseen (f);
    DO (NONE, pipe (fd));
    DO (NONE, write (fd[1], "x", 1));
    DO (NONE, read (fd[0], buf, 1));
    DO (NONE, close (fd[0]));
    DO (NONE, close (fd[1]));
    DO (NONE, pipe2 (fd, O_CLOEXEC));
    close_unseen (fd[0]);
    close_unseen (fd[1]);
    DO (NONE, socketpair (AF_UNIX, SOCK_STREAM, 0, fd));
    DO (NONE, accept (fd[0], NULL, NULL));
    DO (NONE, accept4 (fd[0], NULL, NULL, 0));
    DO (NONE, close (fd[0]));
    DO (NONE, close (fd[1]));
    DO (NONE, fd[0] = socket (AF_UNIX, SOCK_STREAM, 0));
    DO (NONE, close (fd[0]));
    DO (NONE, fd[0] = eventfd (0, 0));
    DO (NONE, close (fd[0]));
    DO (NONE, fd[0] = epoll_create (1));
    DO (NONE, close (fd[0]));
    DO (NONE, fd[0] = epoll_create1 (0));
    waits (fd[0]);
    DO (NONE, close (fd[0]));
    DO (NONE, open_by_handle_at (-1, (struct file_handle *)&h, O_RDONLY));
}

static void copies (void)
{
    int in = do_open ("in"), out = do_open ("out"), p[2];
    off64_t at = 4, to = 6;
    off_t from = 2;

    report ("open", "in", in);
    report ("open", "out", out);
    DO (write, write (in, "0123456789", 10));
    DO (lseek, lseek (in, 1, SEEK_SET));
    DO (copy_file_range, copy_file_range (in, NULL, out, NULL, 3, 0));
    DO (copy_file_range, copy_file_range (in, &at, out, &to, 100, 0));
    DO (copy_file_range, copy_file_range (in, NULL, 999, NULL, 3, 0));
    DO (sendfile, sendfile (out, in, NULL, 2));
    DO (sendfile, sendfile (out, in, &from, 2));
    DO (sendfile, sendfile64 (out, in, &at, 2));
    DO (NONE, pipe (p));
    at = 0;
    DO (splice, splice (in, &at, p[1], NULL, 5, 0));
    DO (splice, splice (p[0], NULL, out, NULL, 5, 0));
    DO (NONE, close (p[0]));
    DO (NONE, close (p[1]));
    DO (lseek, lseek (in, 0, SEEK_CUR));
    DO (lseek, lseek (out, 0, SEEK_CUR));
    DO (close, close (in));
    DO (close, close (out));
}

static void directories (const char *dir)
{
    struct dirent **list, entry, *next;
    struct dirent64 **list64, entry64, *next64;
    int dirfd = open (dir, O_RDONLY | O_DIRECTORY);
    DIR *d;
    void *p;

    report ("open", "dir", dirfd);
    DO (mkdir, mkdir ("d", 0700));
    DO (mkdir, mkdir ("d/e", 0700));
    DO_PTR (opendir, d, opendir ("d"));
    DO_PTR (readdir, p, readdir (d));
    DO_PTR (readdir, p, readdir64 (d));
    DO (readdir, readdir_r (d, &entry, &next));
    DO (readdir, readdir64_r (d, &entry64, &next64));
    DO_PTR (readdir, p, readdir (d));
    DO (rewinddir, (rewinddir (d), 0));
    DO (seekdir, (seekdir (d, 0), 0));
    DO (closedir, closedir (d));
    DO (scandir, scandir ("d", &list, NULL, alphasort));
    DO (scandir, scandir64 ("d", &list64, NULL, alphasort64));
    DO (scandir, scandirat (dirfd, "d", &list, NULL, alphasort));
    DO (scandir, scandirat64 (dirfd, "missing", &list64, NULL, alphasort64));
    DO (getdents, getdents64 (dirfd, buf, ROOM) > 0);
    DO_PTR (fdopendir, d, fdopendir (dirfd));
    DO (closedir, closedir (d));
    DO (rmdir, rmdir ("d/e"));
    DO (rmdir, rmdir ("d"));
}

static void mapped (void)
{
    int fd = do_open ("f");
    void *p, *anon;

    report ("open", "f", fd);
    DO (ftruncate, ftruncate (fd, 4 * PAGE));
    DO_PTR (mmap, p, mmap (NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
    DO (madvise, madvise (p, PAGE, MADV_RANDOM));
    DO (madvise, posix_madvise (p, PAGE, POSIX_MADV_NORMAL));
    DO_PTR (mremap, p, mremap (p, PAGE, 4 * PAGE, MREMAP_MAYMOVE));
    DO_PTR (mremap, anon, mremap (p, 4 * PAGE, 1L << 46, 0));
    DO (munmap, munmap (p, 4 * PAGE));
    anon = mmap (NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    DO (NONE, madvise (anon, PAGE, MADV_DONTNEED));
    DO_PTR (NONE, anon, mremap (anon, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
    DO (NONE, munmap (anon, 2 * PAGE));
    DO (close, close (fd));
}

static ssize_t wait_for (struct aiocb *cb)
{
    while (aio_error (cb) == EINPROGRESS)
        (void)usleep (WAIT_US);
    errno = NO_ERRNO;
    return aio_return (cb);
}

static void asynchronous (void)
{
    int fd = do_open ("f");
    struct aiocb cb = {
        .aio_fildes = fd, .aio_buf = buf, .aio_nbytes = 8, .aio_offset = 16};
    struct aiocb64 *cb64 = (struct aiocb64 *)&cb;
    struct aiocb *list[] = {&cb, NULL};
    struct aiocb64 *list64[] = {cb64, NULL};

    report ("open", "f", fd);
    DO (aio_submit, aio_write (&cb));
    DO (aio_write, wait_for (&cb));
    DO (aio_submit, aio_read (&cb));
    DO (aio_read, wait_for (&cb));
    DO (aio_submit, aio_write64 (cb64));
    DO (aio_write, wait_for (&cb));
    DO (aio_submit, aio_read64 (cb64));
    while (aio_error64 (cb64) == EINPROGRESS)
        (void)usleep (WAIT_US);
    errno = NO_ERRNO;
    DO (aio_read, aio_return64 (cb64));
    DO (aio_fsync, aio_fsync (O_SYNC, &cb));
    DO (NONE, wait_for (&cb));
    DO (aio_fsync, aio_fsync64 (O_SYNC, cb64));
    DO (NONE, wait_for (&cb));
    cb.aio_lio_opcode = LIO_READ;
    DO (aio_submit, lio_listio (LIO_WAIT, list, 2, NULL));
    DO (aio_read, wait_for (&cb));
    cb.aio_lio_opcode = LIO_WRITE;
    DO (aio_submit, lio_listio64 (LIO_WAIT, list64, 2, NULL));
    DO (aio_write, wait_for (&cb));
    DO (close, close (fd));
}

int main (int argc, char **argv)
{
    if (argc != 2 || chdir (argv[1]) < 0 || !freopen ("stdout", "w", stdout))
        return 2;
    errno = NO_ERRNO;
    names (argv[1]);
    systems ();
    locks ();
    temporaries ();
    not_files ();
    copies ();
    directories (argv[1]);
    mapped ();
    asynchronous ();
    morecalls_streams ();
    DO (NONE, (sync (), 0));
    return 0;
}
