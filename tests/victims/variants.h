/* SPDX-License-Identifier: MIT
 *
 * variants.h - symbols of libc that only compilers call
 */
#ifndef DFT_TESTS_VARIANTS_H
#define DFT_TESTS_VARIANTS_H

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#if defined __x86_64__
enum { VARIANTS_STAT_VER = 1 };
#else
enum { VARIANTS_STAT_VER = 0 };
#endif

int __open (const char *path, int flags, ...);
int __open64 (const char *path, int flags, ...);
int __close (int fd);
ssize_t __read (int fd, void *p, size_t n);
ssize_t __write (int fd, const void *p, size_t n);
ssize_t __pread64 (int fd, void *p, size_t n, off64_t off);
ssize_t __pwrite64 (int fd, const void *p, size_t n, off64_t off);
off_t __lseek (int fd, off_t off, int whence);
int __open_2 (const char *path, int flags);
int __open64_2 (const char *path, int flags);
int __openat_2 (int dirfd, const char *path, int flags);
int __openat64_2 (int dirfd, const char *path, int flags);
ssize_t __read_chk (int fd, void *p, size_t n, size_t room);
ssize_t __pread_chk (int fd, void *p, size_t n, off_t off, size_t room);
ssize_t __pread64_chk (int fd, void *p, size_t n, off64_t off, size_t room);
int __xstat (int ver, const char *path, struct stat *st);
int __xstat64 (int ver, const char *path, struct stat64 *st);
int __lxstat (int ver, const char *path, struct stat *st);
int __lxstat64 (int ver, const char *path, struct stat64 *st);
int __fxstat (int ver, int fd, struct stat *st);
int __fxstat64 (int ver, int fd, struct stat64 *st);
int __fxstatat (
    int ver, int dirfd, const char *path, struct stat *st, int flags);
int __fxstatat64 (
    int ver, int dirfd, const char *path, struct stat64 *st, int flags);
size_t __fread_chk (void *p, size_t room, size_t size, size_t n, FILE *f);
size_t
__fread_unlocked_chk (void *p, size_t room, size_t size, size_t n, FILE *f);
char *__fgets_chk (char *s, size_t room, int n, FILE *f);
char *__fgets_unlocked_chk (char *s, size_t room, int n, FILE *f);
int __printf_chk (int flag, const char *fmt, ...);
int __vprintf_chk (int flag, const char *fmt, va_list ap);
int __dprintf_chk (int fd, int flag, const char *fmt, ...);
int __vdprintf_chk (int fd, int flag, const char *fmt, va_list ap);
/* which the header renames */
int old_fscanf (FILE *f, const char *fmt, ...) __asm__("fscanf");
int old_vfscanf (FILE *f, const char *fmt, va_list ap) __asm__("vfscanf");
int old_scanf (const char *fmt, ...) __asm__("scanf");
int old_vscanf (const char *fmt, va_list ap) __asm__("vscanf");
int __isoc99_scanf (const char *fmt, ...);
int __isoc99_vscanf (const char *fmt, va_list ap);
int __isoc99_fscanf (FILE *f, const char *fmt, ...);
int __isoc99_vfscanf (FILE *f, const char *fmt, va_list ap);
ssize_t __readlink_chk (const char *path, char *p, size_t n, size_t room);
ssize_t
__readlinkat_chk (int dirfd, const char *path, char *p, size_t n, size_t room);
char *__realpath_chk (const char *path, char *p, size_t room);
struct pollfd;
struct timespec;
int __poll_chk (struct pollfd *fds, unsigned long n, int ms, size_t room);
int __ppoll_chk (struct pollfd *fds,
                 unsigned long n,
                 const struct timespec *t,
                 const sigset_t *mask,
                 size_t room);
int __xmknod (int ver, const char *path, mode_t mode, dev_t *dev);
int __xmknodat (int ver, int dirfd, const char *path, mode_t mode, dev_t *dev);
int _IO_getc (FILE *f);
int _IO_putc (int c, FILE *f);
int __uflow (FILE *f);
int __overflow (FILE *f, int c);
int __fprintf_chk (FILE *f, int flag, const char *fmt, ...);
int __vfprintf_chk (FILE *f, int flag, const char *fmt, va_list ap);

#endif
