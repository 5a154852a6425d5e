/* SPDX-License-Identifier: MIT
 *
 * sys.h - system calls and directories without libc's state
 */
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* --- sys.c: the system calls of our own code ---
 *
 * Straight to the kernel: never through a libc function that a wrapper (ours or
 * another tool's) may stand in front of, no cancellation point, usable in
 * signal handlers. Return value and errno as in libc.
 */

/* Headers of glibc before 2.34 have no names for these. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

/* Each page that is touched for the first time, and each that a child of fork
 * copies, costs a microsecond. So what changes in each process lies side by
 * side, in one page (SYS_STATE), what only the start of a program sets in
 * another (SYS_START), and behind the first what only who records changes
 * (SYS_EVENT) and the one array of which most processes use the first entries
 * (SYS_LAST), before what shares a page with the path of the program
 * (SYS_NEAR). See preload/sections.ld. */
#define SYS_STATE __attribute__ ((section ("dftrace_state")))
#define SYS_START __attribute__ ((section ("dftrace_start")))
#define SYS_EVENT __attribute__ ((section ("dftrace_event")))
#define SYS_LAST  __attribute__ ((section ("dftrace_last")))
#define SYS_NEAR  __attribute__ ((section ("dftrace_near")))

/* As syscall of libc, which a wrapper may be in front of, too (ours is).
 * Async-signal-safe. */
#if defined __x86_64__ || defined __aarch64__
long sys_call (long number, ...);
#else
#define sys_call syscall
#endif

static inline int sys_open (const char *path, int flags, mode_t mode)
{
    return (int)sys_call (SYS_openat, AT_FDCWD, path, flags, mode);
}

static inline int sys_close (int fd)
{
    return (int)sys_call (SYS_close, fd);
}

/* Bytes that the functions below have moved in the process pid, and not in a
 * child that shares its memory. 0: they are not counted. */
struct sys_moved {
    uint64_t read, written;
    pid_t pid;
};
extern struct sys_moved sys_moved __attribute__ ((visibility ("hidden")));

static inline ssize_t sys_count (uint64_t *sum, ssize_t n)
{
    if (n > 0 && sys_moved.pid && sys_moved.pid == (pid_t)sys_call (SYS_getpid))
        __atomic_fetch_add (sum, (uint64_t)n, __ATOMIC_RELAXED);
    return n;
}

/* For callers that know that this is still the same process. */
static inline ssize_t sys_count_own (uint64_t *sum, ssize_t n)
{
    if (n > 0)
        __atomic_fetch_add (sum, (uint64_t)n, __ATOMIC_RELAXED);
    return n;
}

static inline ssize_t sys_read (int fd, void *buf, size_t n)
{
    return sys_count (&sys_moved.read, sys_call (SYS_read, fd, buf, n));
}

static inline ssize_t sys_pread (int fd, void *buf, size_t n, uint64_t offset)
{
    return sys_count (&sys_moved.read,
                      sys_call (SYS_pread64, fd, buf, n, (off_t)offset));
}

static inline ssize_t sys_write (int fd, const void *buf, size_t n)
{
    return sys_count (&sys_moved.written, sys_call (SYS_write, fd, buf, n));
}

static inline ssize_t
sys_pwrite (int fd, const void *buf, size_t n, uint64_t offset)
{
    return sys_count (&sys_moved.written,
                      sys_call (SYS_pwrite64, fd, buf, n, (off_t)offset));
}

static inline int sys_ftruncate (int fd, uint64_t size)
{
    return (int)sys_call (SYS_ftruncate, fd, (off_t)size);
}

static inline int
sys_fallocate (int fd, int mode, uint64_t offset, uint64_t size)
{
    return (int)sys_call (SYS_fallocate, fd, mode, (off_t)offset, (off_t)size);
}

static inline int sys_mkdir (const char *path, mode_t mode)
{
    return (int)sys_call (SYS_mkdirat, AT_FDCWD, path, mode);
}

static inline int sys_chmod (const char *path, mode_t mode)
{
    return (int)sys_call (SYS_fchmodat, AT_FDCWD, path, mode);
}

static inline int sys_fchmod (int fd, mode_t mode)
{
    return (int)sys_call (SYS_fchmod, fd, mode);
}

static inline ssize_t sys_readlink (const char *path, char *buf, size_t size)
{
    return sys_call (SYS_readlinkat, AT_FDCWD, path, buf, size);
}

static inline int sys_fstat (int fd, struct stat *st)
{
#ifdef SYS_fstat
    return (int)sys_call (SYS_fstat, fd, st);
#else
    return (int)sys_call (SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
#endif
}

/* ThreadSanitizer takes an address that comes back for the same memory, unless
 * it sees who unmapped it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SYS_SEEN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define SYS_SEEN 1
#endif

/* Address for our next mapping; 0 lets the kernel choose. The kernel fills
 * holes behind the program's mappings, which then could not grow there
 * (mremap). See sys_map_away. */
extern uintptr_t sys_map_next __attribute__ ((visibility ("hidden")));

/* From now on our mappings are far from those of the program. */
void sys_map_away (void);

static inline void *sys_map_place (size_t size)
{
    const size_t page = 1 << 16; /* the largest that kernels have */

    if (__builtin_expect (!__atomic_load_n (&sys_map_next, __ATOMIC_RELAXED),
                          1))
        return NULL;
    return (void *)__atomic_fetch_add (
        &sys_map_next, (size + page - 1) & ~(page - 1), __ATOMIC_RELAXED);
}

enum { SYS_PAGE_LEAST = 4096 }; /* the smallest page of all machines */

/* Our mappings of files begin at multiples of 4096, which on some machines is
 * in the middle of a page: the mapping begins with the page. These are the bits
 * of an address that tell how far before; 0 where pages are that small. */
extern uintptr_t sys_page_bits __attribute__ ((visibility ("hidden")));

/* Before anything of a file is mapped. */
void sys_page_start (void);

static inline size_t sys_page_before (uint64_t at)
{
    return (size_t)at & __atomic_load_n (&sys_page_bits, __ATOMIC_RELAXED);
}

/* MAP_FAILED on failure. at: NULL, or a page with MAP_FIXED among the flags. */
static inline void *
sys_mmap (void *at, size_t size, int prot, int flags, int fd, uint64_t offset)
{
    size_t before = sys_page_before (offset);
    void *p;

    size += before;
    if (!at)
        at = sys_map_place (size);
#ifdef SYS_SEEN
    p = mmap (at, size, prot, flags, fd, (off_t)(offset - before));
#else
    p = (void *)sys_call (SYS_mmap, at, size, prot, flags, fd,
                          (off_t)(offset - before));
#endif
    return p == MAP_FAILED ? p : (char *)p + before;
}

/* Map the pages at `at` once more, at another address: of a shared mapping that
 * begins at the page, a copy is made, which may be longer. NULL on failure. */
static inline void *sys_map_again (void *at, size_t size)
{
    size_t before = sys_page_before ((uintptr_t)at);
    void *p = (void *)sys_call (SYS_mremap, (char *)at - before, 0,
                                size + before, MREMAP_MAYMOVE);

    return p == MAP_FAILED ? NULL : (char *)p + before;
}

/* Unmap a mapping of sys_mmap or sys_map_again. */
static inline int sys_munmap (void *at, size_t size)
{
    size_t before = sys_page_before ((uintptr_t)at);

#ifdef SYS_SEEN
    return munmap ((char *)at - before, size + before);
#else
    return (int)sys_call (SYS_munmap, (char *)at - before, size + before);
#endif
}

/* For all pages that these bytes are in, but for MADV_REMOVE: for those that
 * are theirs alone. */
static inline int sys_madvise (void *at, size_t size, int advice)
{
    size_t before = sys_page_before ((uintptr_t)at);
    char *begin = (char *)at - before, *end = (char *)at + size;

    if (advice == MADV_REMOVE) {
        begin += before ? sys_page_bits + SYS_PAGE_LEAST : 0;
        end -= sys_page_before ((uintptr_t)end);
    }
    return end <= begin
               ? 0
               : (int)sys_call (SYS_madvise, begin, end - begin, advice);
}

static inline pid_t sys_getpid (void)
{
    return (pid_t)sys_call (SYS_getpid);
}

static inline pid_t sys_gettid (void)
{
    return (pid_t)sys_call (SYS_gettid);
}

static inline void sys_yield (void)
{
    sys_call (SYS_sched_yield);
}

static inline void sys_nap (long ns)
{
    struct timespec ts = {0, ns};

    sys_call (SYS_nanosleep, &ts, NULL);
}

static inline int sys_getrlimit (int resource, struct rlimit *limit)
{
    return (int)sys_call (SYS_prlimit64, 0, resource, NULL, limit);
}

static inline void *sys_anonymous (size_t size, int how)
{
    void *p = sys_mmap (NULL, size, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS,
                        -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* Anonymous private memory, zeroed; NULL on failure. */
static inline void *sys_memory (size_t size)
{
    return sys_anonymous (size, MAP_PRIVATE);
}

/* As sys_memory, shared with children of fork. */
static inline void *sys_memory_shared (size_t size)
{
    return sys_anonymous (size, MAP_SHARED);
}

/* As sys_memory, at this address, replacing the mapping that is there. */
static inline void sys_memory_at (void *at, size_t size)
{
    size_t before = sys_page_before ((uintptr_t)at);

    sys_mmap ((char *)at - before, size + before, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* --- dirwalk.c: an absolute path -> its directory, made where it is missing
 * ---
 */

/* Open the parent of path, whose directories are made (mode 0700) where they
 * are missing. path is absolute, without slashes at its end; *base points at
 * its last component. Symbolic links are followed where root or the caller
 * made them, in a directory where nobody else could swap them. A descriptor
 * (O_PATH, O_CLOEXEC), or -1 and errno: ELOOP for a link of somebody else. */
int dirwalk_parent (const char *path, const char **base);
