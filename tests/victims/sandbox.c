/* SPDX-License-Identifier: MIT
 *
 * sandbox.c - programs that forbid themselves system calls, or the clock
 *
 * sandbox KIND FILE: writes 100 lines of 10 bytes to FILE, then
 *
 * strict     prctl: read, write, exit
 * filter     prctl: a filter that kills at anything but read, write, lseek,
 *            close, exit, exit_group
 * seccomp    the same by syscall (SYS_seccomp)
 * ring       the same by a program that has an io_uring of its own making
 * all        the same for all threads; another one writes all the time
 * thread     the same in a thread of its own, which ends
 * child      the same in a child of fork, beside which the parent goes on
 * fork       a filter that allows fork, exec and what a small program needs,
 *            but kills at fallocate; then a child, then another program
 * mild       a filter that answers some calls with an error, and kills at a
 *            change of processors: traced on
 * refused    a filter that the kernel refuses; traced on
 * clock      prctl (PR_SET_TSC, PR_TSC_SIGSEGV)
 * asks       whether there is seccomp, as libseccomp does; traced on
 *
 * and writes 100 more, which are all there whether it is traced or not.
 */
#include "config.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/victims/show.h"

enum { LINES = 100, BYTES = 10 };

static int out;
static volatile int stop, begun;

static void put (void)
{
    for (int i = 0; i < LINES; i++)
        (void)!write (out, "0123456789", BYTES);
}

static _Noreturn void leave (void)
{
    for (;;)
        (void)syscall (SYS_exit, 7);
}

#define LOAD(FIELD) \
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, FIELD))
#define RETURN(WHAT) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_##WHAT)
#define ALLOW(NAME) \
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_##NAME, 0, 1), RETURN (ALLOW)

static struct sock_filter few[] = {
    LOAD (nr),     ALLOW (read), ALLOW (write),      ALLOW (lseek),
    ALLOW (close), ALLOW (exit), ALLOW (exit_group), RETURN (KILL_PROCESS)};
static struct sock_filter no_fallocate[] = {
    LOAD (nr), BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
    RETURN (KILL_PROCESS), RETURN (ALLOW)};
/* As containers have it: one call by number, another by an argument; and one
 * that many programs forbid, at which this one is killed. */
static struct sock_filter mild[] = {
    LOAD (nr),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
    RETURN (KILL_PROCESS),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_sethostname, 0, 1),
    RETURN (ERRNO),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
    LOAD (args[2]),
    BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, O_DIRECT, 0, 1),
    RETURN (ERRNO),
    RETURN (ALLOW)};

#define FILTER(F) (&(struct sock_fprog){sizeof (F) / sizeof ((F)[0]), F})

static void strict (void)
{
    (void)prctl (PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    put ();
    leave ();
}

static void by_prctl (struct sock_fprog *f)
{
    (void)prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    SHOW (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, f));
}

static void filter (void)
{
    by_prctl (FILTER (few));
    put ();
    leave ();
}

static void seccomp (void)
{
    (void)prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    SHOW (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, FILTER (few)));
    put ();
    exit (5);
}

/* With a ring of its own making that the kernel polls; 77: there is none. */
static void ring (void)
{
    struct io_uring_params how = {.flags = IORING_SETUP_SQPOLL};
    int fd = (int)syscall (SYS_io_uring_setup, 4, &how);

    if (fd < 0 || mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                        IORING_OFF_SQ_RING) == MAP_FAILED)
        _exit (77);
    seccomp ();
}

static void *writer (void *cookie)
{
    begun = 1;
    while (!stop)
        (void)!write (*(int *)cookie, "x", 1);
    return cookie;
}

static void all (void)
{
    int null = open ("/dev/null", O_WRONLY);
    pthread_t t;

    (void)pthread_create (&t, NULL, writer, &null);
    while (!begun) /* libc's own calls of a new thread are forbidden, too */
        (void)usleep (100);
    (void)prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    SHOW (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                   SECCOMP_FILTER_FLAG_TSYNC, FILTER (few)));
    put ();
    (void)syscall (SYS_exit_group, 7);
}

static void *boxed (void *cookie)
{
    (void)prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, FILTER (few));
    put ();
    stop = 1;
    for (;;)
        (void)syscall (SYS_exit, 0);
    return cookie;
}

static void thread (void)
{
    pthread_t t;

    (void)pthread_create (&t, NULL, boxed, NULL);
    while (!stop)
        (void)usleep (1000);
    (void)usleep (10000);
    exit (5);
}

static void child (void)
{
    int status;
    pid_t pid = fork ();

    if (pid == 0)
        filter ();
    SHOW (waitpid (pid, &status, 0) == pid);
    SHOW (status);
    put ();
}

static void forks (void)
{
    int status;
    pid_t pid;

    by_prctl (FILTER (no_fallocate));
    put ();
    pid = fork ();
    if (pid == 0) {
        put ();
        (void)close (open ("/dev/null", O_RDONLY));
        _exit (3);
    }
    SHOW (waitpid (pid, &status, 0) == pid);
    SHOW (WEXITSTATUS (status));
    (void)execl ("/bin/sh", "sh", "-c",
                 "echo $LD_PRELOAD | grep -c dftrace_preload", NULL);
}

static void mildly (void)
{
    by_prctl (FILTER (mild));
    (void)access ("/none", R_OK);
    put ();
}

static void refused (void)
{
    SHOW (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
    SHOW (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (void *)1));
    (void)setreuid (65534, 65534);
    SHOW (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, FILTER (few)));
    put ();
}

static void no_clock (void)
{
    SHOW (prctl (PR_SET_TSC, PR_TSC_SIGSEGV));
    put ();
}

/* As libseccomp asks what the kernel has. */
static void asks (void)
{
    SHOW (syscall (SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL));
    SHOW (syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                   SECCOMP_FILTER_FLAG_TSYNC, NULL));
    put ();
}

static const struct victim kinds[] = {
    {"strict", strict},  {"filter", filter}, {"seccomp", seccomp},
    {"all", all},        {"thread", thread}, {"child", child},
    {"fork", forks},     {"mild", mildly},   {"refused", refused},
    {"clock", no_clock}, {"ring", ring},     {"asks", asks},
};

int main (int argc, char **argv)
{
    if (argc != 3)
        return 2;
    out = open (argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    put ();
    SHOW (out >= 0); /* what stdio asks of the kernel at first */
    return VICTIM_RUN (kinds, argv[1]);
}
