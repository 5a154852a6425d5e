/* SPDX-License-Identifier: MIT
 *
 * raw.c - system calls through syscall () of libc, harmless and otherwise
 *
 * raw DIR: in an empty directory; shows what each call gave
 * raw ring FILE: reads FILE by an io_uring of its own making; 77: there is none
 * raw polled FILE: the same three times, by one that the kernel polls
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { KEPT = 77, HOW_BYTES = 24 };

static char *const wild = (char *)8;

/* What a call gave and left in errno; that of a success must be as it was. */
#define TRY(...)                          \
    do {                                  \
        errno = KEPT;                     \
        long rc_ = syscall (__VA_ARGS__); \
        int err_ = errno;                 \
        SHOW ((int)rc_);                  \
        SHOW (err_);                      \
    } while (0)

static void on_data (int fd)
{
    char a[8] = "abcdefg", b[8] = "1234567";
    struct iovec v[2] = {{a, 3}, {b, 4}};

    TRY (SYS_write, fd, a, 7);
    TRY (SYS_pwrite64, fd, b, 7, 100L);
    TRY (SYS_writev, fd, v, 2);
    TRY (SYS_pwritev, fd, v, 2, 200L, 0L);
    TRY (SYS_pwritev2, fd, v, 2, 300L, 0L, 0);
    TRY (SYS_lseek, fd, 1L, SEEK_SET);
    TRY (SYS_read, fd, a, 2);
    TRY (SYS_pread64, fd, a, 3, 100L);
    TRY (SYS_readv, fd, v, 2);
    TRY (SYS_preadv, fd, v, 2, 100L, 0L);
    TRY (SYS_preadv2, fd, v, 2, -1L, 0L, 0);
    TRY (SYS_fsync, fd);
    TRY (SYS_fdatasync, fd);
    TRY (SYS_fallocate, fd, 0, 0L, 4096L);
}

static void on_pairs (int fd, int out)
{
    char text[] = "append";
    struct iovec v = {text, sizeof (text) - 1};
    off_t at = 2, to = 1;
    int ends[2];

    TRY (SYS_copy_file_range, fd, &at, out, &to, 5L, 0);
    SHOW ((int)at);
    SHOW ((int)to);
    at = 100;
    TRY (SYS_sendfile, out, fd, &at, 3L);
    SHOW ((int)at);
    at = 0;
    TRY (SYS_pwritev2, out, &v, 1L, 0L, 0L, 0x10L);
    TRY (SYS_sync_file_range, out, 1L, 2L, 0L);
    TRY (SYS_ftruncate, out, 4L);
    if (pipe (ends) == 0)
        TRY (SYS_splice, fd, &at, ends[1], NULL, 4L, 0L);
}

static void failures (void)
{
    char c;

    TRY (SYS_openat, AT_FDCWD, "none", O_RDONLY, 0);
    TRY (SYS_openat, AT_FDCWD, wild, O_RDONLY, 0);
    TRY (SYS_openat2, AT_FDCWD, "file", wild, HOW_BYTES);
    TRY (SYS_openat2, AT_FDCWD, wild, wild, HOW_BYTES);
    TRY (SYS_read, -1, &c, 1);
    TRY (SYS_write, 9999, &c, 1);
    TRY (SYS_readv, 0, wild, 3);
    TRY (SYS_close, -1);
    TRY (SYS_dup3, 9999, 3, 0);
    TRY (SYS_io_uring_setup, 0, wild);
    TRY (SYS_io_uring_enter, -1, 1, 0, 0, NULL, 0);
    TRY (-1L);
    TRY (511L);
    TRY (512L);
    TRY (1L << 40 | SYS_close, -1);
}

/* Leaves at once, without a call that would write to the stack. */
static inline __attribute__ ((always_inline, noreturn)) void leave (void)
{
    for (;;) {
#if defined __x86_64__
        __asm__ volatile("syscall" ::"a"(SYS_exit_group), "D"(3)
                         : "rcx", "r11", "memory");
#elif defined __aarch64__
        register long n __asm__("x8") = SYS_exit_group;
        register long code __asm__("x0") = 3;
        __asm__ volatile("svc #0" ::"r"(n), "r"(code) : "memory");
#endif
    }
}

/* Children that return on their parent's stack. */
static void children (int fd)
{
    int status = 0;
    long pid = syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);

    if (pid == 0) {
        (void)syscall (SYS_write, fd, "child", 5);
        syscall (SYS_exit_group, 4);
    }
    SHOW (waitpid ((pid_t)pid, &status, 0) == pid);
    SHOW (status);
    pid = syscall (SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        leave ();
    SHOW (waitpid ((pid_t)pid, &status, 0) == pid);
    SHOW (status);
}

/* A number that is closed and given out again by the bare calls. */
static void numbers (int fd)
{
    uint64_t how[3] = {O_RDONLY, 0, 0};
    int other;
    char c = 0;

    SHOW ((int)syscall (SYS_dup3, fd, 20, 0));
    SHOW ((int)read (20, &c, 1));
    TRY (SYS_close, 20);
    other = (int)syscall (SYS_openat2, AT_FDCWD, "other", how, HOW_BYTES);
    SHOW (other > 2);
    SHOW ((int)read (other, &c, 1));
    TRY (SYS_close, other);
    SHOW ((int)syscall (SYS_openat, AT_FDCWD, "file", O_RDONLY) == other);
    SHOW ((int)read (other, &c, 1));
    TRY (SYS_close_range, other, other, 0);
    SHOW ((int)read (other, &c, 1));
    TRY (SYS_dup, fd);
    SHOW (syscall (SYS_memfd_create, "name", 0) > 2);
}

static void six_arguments (void)
{
    char *p = (char *)syscall (SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

    SHOW (p != MAP_FAILED);
    SHOW (p[4095]);
    SHOW (syscall (SYS_getpid) == getpid ());
}

/* A file by its name, and in memory; the address is not shown. */
static void on_names (int fd)
{
    struct statx st = {0};
    char *p;

    TRY (SYS_statx, AT_FDCWD, "file", 0, STATX_SIZE, &st);
    TRY (SYS_statx, AT_FDCWD, "none", 0, STATX_SIZE, &st);
    TRY (SYS_statx, fd, "", AT_EMPTY_PATH, STATX_SIZE, &st);
    p = (char *)syscall (SYS_mmap, NULL, 4096L, PROT_READ, MAP_SHARED, fd, 0L);
    SHOW (p != MAP_FAILED);
    SHOW (p[0]);
    TRY (SYS_msync, p, 4096L, MS_SYNC);
    TRY (SYS_munmap, p, 4096L);
    TRY (SYS_mmap, NULL, 4096L, PROT_READ, MAP_SHARED, -1, 0L);
    TRY (SYS_mmap, NULL, 0L, PROT_READ, MAP_SHARED, fd, 0L);
}

/* Calls that say that files are not found any more, or that somebody listens:
 * none of them works. */
static void leaving (void)
{
    SHOW (unshare (-1));
    SHOW (setns (-1, 0));
    SHOW (mount ("none", "none/none", "none", 0, NULL));
    SHOW (inotify_add_watch (-1, "none", IN_ALL_EVENTS));
    SHOW (fanotify_mark (-1, 0, 0, -1, "none"));
    TRY (SYS_unshare, -1L);
    TRY (SYS_setns, -1, 0);
    TRY (SYS_mount, "none", "none/none", "none", 0L, NULL);
    TRY (SYS_pivot_root, "none", "none");
    TRY (SYS_chroot, "none");
    TRY (SYS_inotify_add_watch, -1, "none", IN_ALL_EVENTS);
    TRY (SYS_fanotify_mark, -1, 0, 0L, -1, "none");
}

/* --- a ring ------------------------------------------------------------ */

static void *map (int ring, size_t n, off_t what)
{
    void *p = mmap (NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, ring, what);

    if (p == MAP_FAILED)
        exit (9);
    return p;
}

static int by_ring (const char *path)
{
    struct io_uring_params how = {0};
    int ring = (int)syscall (SYS_io_uring_setup, 4, &how), fd;
    char buf[8] = "";
    char *sq, *cq;
    struct io_uring_sqe *e;

    if (ring < 0)
        return 77;
    sq = map (ring, how.sq_off.array + how.sq_entries * sizeof (unsigned),
              IORING_OFF_SQ_RING);
    cq = map (ring, how.cq_off.cqes + how.cq_entries * sizeof (*e),
              IORING_OFF_CQ_RING);
    e = map (ring, how.sq_entries * sizeof (*e), IORING_OFF_SQES);
    fd = open (path, O_RDONLY);
    e->opcode = IORING_OP_READV;
    e->fd = fd;
    e->addr = (uintptr_t) & (struct iovec){buf, 3};
    e->len = 1;
    ((unsigned *)(sq + how.sq_off.array))[0] = 0;
    __atomic_store_n ((unsigned *)(sq + how.sq_off.tail), 1, __ATOMIC_RELEASE);
    TRY (SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
    SHOW (((struct io_uring_cqe *)(cq + how.cq_off.cqes))->res);
    SHOW (strcmp (buf, "abc"));
    for (unsigned i = 1; i <= 3; i++) { /* as an event loop has them */
        e[i].opcode = IORING_OP_NOP;
        ((unsigned *)(sq + how.sq_off.array))[i] = i;
        __atomic_store_n ((unsigned *)(sq + how.sq_off.tail), i + 1,
                          __ATOMIC_RELEASE);
        TRY (SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0);
    }
    TRY (SYS_close, ring);
    return 0;
}

/* io_uring_enter by the instruction itself, as fio makes it. */
static void enter_bare (long ring, long n)
{
#if defined __x86_64__
    register long wait __asm__("r10") = IORING_ENTER_GETEVENTS;
    register long none __asm__("r8") = 0;
    register long size __asm__("r9") = 0;
    long rc;

    __asm__ volatile("syscall"
                     : "=a"(rc)
                     : "a"((long)SYS_io_uring_enter), "D"(ring), "S"(n), "d"(n),
                       "r"(wait), "r"(none), "r"(size)
                     : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = SYS_io_uring_enter;
    register long x0 __asm__("x0") = ring;
    register long x1 __asm__("x1") = n;
    register long x2 __asm__("x2") = n;
    register long x3 __asm__("x3") = IORING_ENTER_GETEVENTS;
    register long x4 __asm__("x4") = 0;
    register long x5 __asm__("x5") = 0;

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
#endif
}

/* A ring that the kernel looks at by itself, or that is submitted to by the
 * instruction: without a call that anybody sees. */
static int by_unseen (const char *path, unsigned flags)
{
    struct io_uring_params how = {.flags = flags,
                                  .sq_thread_idle = flags ? 1000 : 0};
    int ring = (int)syscall (SYS_io_uring_setup, 4, &how);
    char buf[8] = "";
    struct iovec to = {buf, 3};
    char *sq, *cq;
    struct io_uring_sqe *e;

    if (ring < 0)
        return 77;
    sq = map (ring, how.sq_off.array + how.sq_entries * sizeof (unsigned),
              IORING_OFF_SQ_RING);
    cq = map (ring, how.cq_off.cqes + how.cq_entries * sizeof (*e),
              IORING_OFF_CQ_RING);
    e = map (ring, how.sq_entries * sizeof (*e), IORING_OFF_SQES);
    for (unsigned i = 0; i < 3; i++)
        e[i] = (struct io_uring_sqe){.opcode = IORING_OP_READV,
                                     .fd = open (path, O_RDONLY),
                                     .addr = (uintptr_t)&to,
                                     .len = 1};
    for (unsigned i = 0; i < 3; i++)
        ((unsigned *)(sq + how.sq_off.array))[i] = i;
    __atomic_store_n ((unsigned *)(sq + how.sq_off.tail), 3, __ATOMIC_RELEASE);
    if (!flags)
        enter_bare (ring, 3);
    while (__atomic_load_n ((unsigned *)(cq + how.cq_off.tail),
                            __ATOMIC_ACQUIRE) < 3)
        (void)syscall (SYS_io_uring_enter, ring, 0, 0, IORING_ENTER_SQ_WAKEUP,
                       NULL, 0);
    SHOW (strcmp (buf, "abc"));
    return 0;
}

int main (int argc, char **argv)
{
    int fd, other;

    if (argc == 3)
        return strcmp (argv[1], "polled") == 0
                   ? by_unseen (argv[2], IORING_SETUP_SQPOLL)
               : strcmp (argv[1], "unseen") == 0 ? by_unseen (argv[2], 0)
                                                 : by_ring (argv[2]);
    if (argc != 2 || chdir (argv[1]) < 0)
        return 2;
    fd = (int)syscall (SYS_openat, AT_FDCWD, "file", O_CREAT | O_RDWR, 0600);
    other =
        (int)syscall (SYS_openat, AT_FDCWD, "other", O_CREAT | O_RDWR, 0640);
    SHOW (fd > 2 && other > fd);
    on_data (fd);
    on_pairs (fd, other);
    failures ();
    children (fd);
    numbers (fd);
    six_arguments ();
    on_names (fd);
    leaving ();
    return 5;
}
