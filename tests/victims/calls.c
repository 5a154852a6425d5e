/* SPDX-License-Identifier: MIT
 *
 * calls.c - every wrapped call at least once, and what it returned
 *
 * calls DIR: works in DIR (empty, absolute). One line per call on standard
 * output: the row of calls.def, the expression, result, errno. Calls that
 * only follow descriptors are of the row NONE. The same text must come out
 * traced and untraced; a row's lines are a row's events.
 */
#include "config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/victims/report.h"
#include "tests/victims/variants.h"

enum { ROOM = 64, PAGE = 4096 };

static char *volatile nowhere;
static volatile int minus_one = -1;
static char buf[ROOM];
static struct iovec vec[2] = {{buf, 3}, {buf + 8, 5}};

static int do_open (int (*function) (const char *, int, ...))
{
    return function ("f", O_RDWR | O_CREAT, 0600);
}

static void opens (const char *dir)
{
    int dirfd = open (dir, O_RDONLY | O_DIRECTORY); /* of DIR, not counted */
    int fd;

    report ("open", "open dir", dirfd);
    DO (open, fd = do_open (open));
    DO (close, close (fd));
    DO (open, fd = do_open (open64));
    DO (close, close (fd));
    DO (open, open ("missing", O_RDONLY));
    DO (NONE, open (nowhere, O_RDONLY)); /* EFAULT: no name to record */
    DO (openat, fd = openat (dirfd, "f", O_RDONLY));
    DO (close, close (fd));
    DO (openat, fd = openat64 (dirfd, ".//./f", O_RDONLY));
    DO (close, close (fd));
    DO (open, fd = __open_2 ("f", O_RDONLY));
    DO (close, close (fd));
    DO (open, fd = __open64_2 ("f", O_RDONLY));
    DO (close, close (fd));
    DO (openat, fd = __openat_2 (dirfd, "f", O_RDONLY));
    DO (close, close (fd));
    DO (openat, fd = __openat64_2 (dirfd, "f", O_RDONLY));
    DO (NONE, close_range ((unsigned)fd, (unsigned)fd, 0));
    DO (NONE, fcntl (fd, F_GETFD));
    DO (creat, fd = creat ("f", 0600));
    DO (close, close (fd));
    DO (creat, fd = creat64 ("f", 0600));
    DO (close, close (fd));
    DO (NONE, close (-1));
    DO (NONE, close (900));
    DO (close, close (dirfd));
}

/* Names that libc has for itself, and gives to others all the same. */
static void private_names (void)
{
    int fd = do_open (__open);

    report ("open", "private names", fd);
    DO (close, __close (fd));
    DO (open, fd = do_open (__open64));
    DO (write, __write (fd, "0123", 4));
    DO (pwrite, __pwrite64 (fd, "4567", 4, 4));
    DO (lseek, __lseek (fd, 1, SEEK_SET));
    DO (read, __read (fd, buf, 4));
    DO (pread, __pread64 (fd, buf, 4, 2));
    DO (fadvise, readahead (fd, 0, PAGE));
    DO (ftruncate, ftruncate (fd, 0));
    DO (close, __close (fd));
    DO (NONE, __close (-1));
}

static void dups (void)
{
    int fd = do_open (open);
    int other;

    report ("open", "dups", fd);
    DO (dup, other = dup (fd));
    DO (write, write (other, "dup", 3));
    DO (dup, dup2 (fd, other));
    DO (dup, dup2 (fd, fd));
    DO (dup, dup3 (fd, other, O_CLOEXEC));
    DO (dup, dup3 (fd, fd, 0));
    DO (write, write (other, "dup", 3));
    DO (close, close (other));
    DO (dup, other = fcntl (fd, F_DUPFD, 50));
    DO (close, close (other));
    DO (dup, other = fcntl64 (fd, F_DUPFD_CLOEXEC, 60));
    DO (NONE, fcntl (other, F_GETFD));
    DO (NONE, fcntl (fd, F_SETFL, O_APPEND));
    DO (NONE, fcntl (fd, F_GETFL) & O_APPEND);
    DO (write, write (fd, "dup", 3));
    DO (NONE, (closefrom (60), 0));
    DO (NONE, fcntl (other, F_GETFD));
    DO (close, close (fd));
}

static void transfers (void)
{
    int fd = do_open (open);

    report ("open", "transfers", fd);
    DO (write, write (fd, "0123456789abcdef", 16));
    DO (writev, writev (fd, vec, 2));
    DO (pwrite, pwrite (fd, "xy", 2, 4));
    DO (pwrite, pwrite64 (fd, "xy", 2, 5));
    DO (pwritev, pwritev (fd, vec, 2, 30));
    DO (pwritev, pwritev64 (fd, vec, 2, 30));
    DO (pwritev, pwritev2 (fd, vec, 2, 30, 0));
    DO (pwritev, pwritev64v2 (fd, vec, 2, -1, 0));
    DO (lseek, lseek (fd, 0, SEEK_CUR));
    DO (lseek, lseek (fd, 2, SEEK_SET));
    DO (lseek, lseek64 (fd, 1, SEEK_CUR));
    DO (lseek, lseek (fd, -1, SEEK_SET));
    DO (read, read (fd, buf, 4));
    DO (read, __read_chk (fd, buf, 4, ROOM));
    DO (readv, readv (fd, vec, 2));
    DO (readv, readv (fd, vec, minus_one));
    DO (pread, pread (fd, buf, 4, 2));
    DO (pread, pread64 (fd, buf, 4, 2));
    DO (pread, __pread_chk (fd, buf, 4, 2, ROOM));
    DO (pread, __pread64_chk (fd, buf, 4, 2, ROOM));
    DO (preadv, preadv (fd, vec, 2, 2));
    DO (preadv, preadv64 (fd, vec, 2, 2));
    DO (preadv, preadv2 (fd, vec, 2, 2, 0));
    DO (preadv, preadv64v2 (fd, vec, 2, -1, 0));
    DO (read, read (fd, buf, ROOM));
    DO (read, read (fd, nowhere, 4));
    DO (NONE, read (-1, buf, 4));
    DO (fsync, fsync (fd));
    DO (fdatasync, fdatasync (fd));
    DO (ftruncate, ftruncate (fd, 20));
    DO (ftruncate, ftruncate64 (fd, 30));
    DO (ftruncate, ftruncate (fd, -1));
    DO (fallocate, fallocate (fd, 0, 0, PAGE));
    DO (fallocate, fallocate64 (fd, 0, 0, PAGE));
    DO (fallocate, posix_fallocate (fd, 0, PAGE));
    DO (fallocate, posix_fallocate64 (fd, -1, PAGE));
    DO (fadvise, posix_fadvise (fd, 0, 0, POSIX_FADV_RANDOM));
    DO (fadvise, posix_fadvise64 (fd, 0, 0, 99));
    DO (close, close (fd));
}

static void mappings (void)
{
    int fd = do_open (open);
    void *p, *q, *anon;

    report ("open", "mappings", fd);
    DO_PTR (mmap, p, mmap (NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0));
    DO_PTR (mmap, q, mmap64 (NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0));
    DO_PTR (mmap, anon, mmap (NULL, PAGE, PROT_READ, MAP_SHARED, fd, 1));
    DO (close, close (fd));
    anon = mmap (NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    DO (msync, msync (p, PAGE, MS_SYNC));
    DO (NONE, msync (anon, PAGE, MS_SYNC));
    DO (munmap, munmap (p, PAGE));
    DO (munmap, munmap (q, PAGE));
    DO (NONE, munmap (anon, PAGE));
}

static void stats (const char *dir)
{
    int dirfd = open (dir, O_RDONLY | O_DIRECTORY);
    int fd = do_open (open);
    struct stat st;
    struct stat64 st64;
    struct statx stx;

    report ("open", "stats dir", dirfd);
    report ("open", "stats", fd);
    DO (stat, stat ("f", &st));
    DO (stat, stat64 ("f", &st64));
    DO (stat, stat ("missing", &st));
    DO (stat, __xstat (VARIANTS_STAT_VER, "f", &st));
    DO (stat, __xstat64 (VARIANTS_STAT_VER, "f", &st64));
    DO (lstat, lstat ("f", &st));
    DO (lstat, lstat64 ("f", &st64));
    DO (lstat, __lxstat (VARIANTS_STAT_VER, "f", &st));
    DO (lstat, __lxstat64 (VARIANTS_STAT_VER, "f", &st64));
    DO (fstat, fstat (fd, &st));
    DO (fstat, fstat64 (fd, &st64));
    DO (fstat, __fxstat (VARIANTS_STAT_VER, fd, &st));
    DO (fstat, __fxstat64 (VARIANTS_STAT_VER, fd, &st64));
    DO (fstatat, fstatat (dirfd, "f", &st, 0));
    DO (fstatat, fstatat64 (fd, "", &st64, AT_EMPTY_PATH));
    DO (fstatat, __fxstatat (VARIANTS_STAT_VER, dirfd, "f", &st, 0));
    DO (fstatat, __fxstatat64 (VARIANTS_STAT_VER, dirfd, "f", &st64, 0));
    DO (statx, statx (dirfd, "f", 0, STATX_SIZE, &stx));
    DO (access, access ("f", R_OK));
    DO (close, close (fd));
    DO (close, close (dirfd));
}

static void names (const char *dir)
{
    int dirfd = open (dir, O_RDONLY | O_DIRECTORY);
    DIR *d;

    report ("open", "names dir", dirfd);
    DO (truncate, truncate ("f", 10));
    DO (truncate, truncate64 ("missing", 10));
    DO (mkdir, mkdir ("d", 0700));
    DO (mkdir, mkdir ("d", 0700));
    DO (mkdirat, mkdirat (dirfd, "e", 0700));
    DO (rename, rename ("f", "d/g"));
    DO (renameat, renameat (dirfd, "d/g", dirfd, "g"));
    DO (renameat, renameat2 (dirfd, "g", dirfd, "f", 0));
    DO_PTR (opendir, d, opendir ("d"));
    DO (closedir, closedir (d));
    DO (rmdir, rmdir ("d"));
    DO (unlinkat, unlinkat (dirfd, "e", AT_REMOVEDIR));
    DO (unlink, unlink ("missing"));
    DO (remove, remove ("f"));
    DO (close, close (dirfd));
}

static int print (FILE *f, int chk, const char *fmt, ...)
{
    va_list ap;
    int rc;

    va_start (ap, fmt);
    rc = chk ? __vfprintf_chk (f, 1, fmt, ap) : vfprintf (f, fmt, ap);
    va_end (ap);
    return rc;
}

static void streams (void)
{
    char *line = NULL;
    size_t n = 0;
    FILE *f;

    DO_PTR (fopen, f, fopen ("s", "w+"));
    DO (fwrite, fwrite ("0123456789", 5, 2, f));
    DO (fwrite, fwrite_unlocked ("\nabc\n", 1, 5, f));
    DO (fputs, fputs ("line\n", f));
    DO (fputs, fputs_unlocked ("line\n", f));
    DO (fprintf, fprintf (f, "%d %s\n", 42, "text"));
    DO (fprintf, __fprintf_chk (f, 1, "%d %s\n", 42, "text"));
    DO (fprintf, print (f, 0, "%d\n", 42));
    DO (fprintf, print (f, 1, "%d\n", 42));
    DO (fflush, fflush (f));
    DO (fflush, fflush_unlocked (f));
    DO (NONE, fflush (NULL));
    DO (fseek, fseek (f, 0, SEEK_SET));
    DO (fread, fread (buf, 1, 4, f));
    DO (fread, fread_unlocked (buf, 2, 1, f));
    DO (fread, __fread_chk (buf, ROOM, 1, 1, f));
    DO (fread, __fread_unlocked_chk (buf, ROOM, 1, 1, f));
    DO (fseek, fseeko (f, -2, SEEK_CUR));
    DO_PTR (fgets, line, fgets (buf, ROOM, f));
    DO_PTR (fgets, line, fgets_unlocked (buf, ROOM, f));
    DO_PTR (fgets, line, __fgets_chk (buf, ROOM, 3, f));
    DO_PTR (fgets, line, __fgets_unlocked_chk (buf, ROOM, ROOM, f));
    line = NULL;
    DO (getline, getline (&line, &n, f));
    DO (getline, getdelim (&line, &n, ' ', f));
    DO (getline, __getdelim (&line, &n, 'e', f));
    DO (fseek, fseeko64 (f, 0, SEEK_END));
    DO (getline, getline (&line, &n, f));
    DO (fread, fread (buf, 1, 4, f));
    DO_PTR (fopen, f, freopen ("s", "r", f));
    DO (fwrite, fwrite ("no", 1, 2, f));
    DO_PTR (fopen, f, freopen64 ("s", "a", f));
    DO (fclose, fclose (f));
    free (line);
}

static void descriptors_of_streams (void)
{
    int fd = do_open (open);
    FILE *f;

    report ("open", "streams", fd);
    DO_PTR (fdopen, f, fdopen (fd, "r+"));
    DO (writev, writev (fileno (f), vec, 2));
    DO (fclose, fclose (f));
    DO_PTR (fopen, f, fopen64 ("s", "a"));
    DO (write, write (fileno (f), "x", 1));
    DO (fclose, fclose (f));
    DO_PTR (fopen, f, fopen ("no/such", "r"));
    DO_PTR (NONE, f, popen ("exit 3", "r"));
    DO (NONE, pclose (f));
    DO (remove, remove ("s"));
    DO (remove, remove ("f"));
}

int main (int argc, char **argv)
{
    if (argc != 2 || chdir (argv[1]) < 0)
        return 2;
    errno = NO_ERRNO;
    opens (argv[1]);
    private_names ();
    dups ();
    transfers ();
    mappings ();
    stats (argv[1]);
    names (argv[1]);
    streams ();
    descriptors_of_streams ();
    return 0;
}
