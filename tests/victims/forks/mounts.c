/* SPDX-License-Identifier: MIT
 *
 * mounts.c - forks while another thread is about to tell of a mount
 *
 * In:  FILE OTHER, on two mounts of which nothing was opened yet
 * Out: a thread opens FILE; while the kernel is asked for its mount (statmount,
 *      or mountinfo), the process forks, and the child opens OTHER. Exit status
 *      77: no such question could be caught.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATX_BY_FD = 0x1000 /* AT_EMPTY_PATH */, NOT_CAUGHT = 77 };

static int asked[2], forked[2];

/* The thread waits inside of the call until the process has forked. */
static void on_trap (int signal, siginfo_t *info, void *context)
{
    char byte = 0;
    ucontext_t *u = context;

    (void)signal;
    (void)info;
    (void)!write (asked[1], &byte, 1);
    (void)!read (forked[0], &byte, 1);
#ifdef __x86_64__
    u->uc_mcontext.gregs[REG_RAX] = -ENOSYS;
#else
    u->uc_mcontext.regs[0] = (unsigned long)-ENOSYS;
#endif
}

/* By the instruction itself: who watches libc's would stop. */
static long bare_seccomp (const struct sock_fprog *program)
{
#if defined __x86_64__
    long rc;

    __asm__ volatile("syscall"
                     : "=a"(rc)
                     : "a"((long)SYS_seccomp),
                       "D"((long)SECCOMP_SET_MODE_FILTER), "S"(0L), "d"(program)
                     : "rcx", "r11", "memory");
    return rc;
#else
    register long x8 __asm__("x8") = SYS_seccomp;
    register long x0 __asm__("x0") = SECCOMP_SET_MODE_FILTER;
    register long x1 __asm__("x1") = 0;
    register const struct sock_fprog *x2 __asm__("x2") = program;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return x0;
#endif
}

/* statx of a descriptor, with which the question begins. Of this thread. */
static int trap_question (void)
{
    struct sock_filter code[] = {
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_statx, 0, 3),
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
                  offsetof (struct seccomp_data, args[2])),
        BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, STATX_BY_FD, 0, 1),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof (code) / sizeof (code[0]), code};

    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -1;
    return bare_seccomp (&program) == 0 ? 0 : -1;
}

static void *opener (void *path)
{
    char byte = 0;

    if (trap_question () < 0)
        (void)!write (asked[1], &byte, 0);
    else
        (void)close (open (path, O_RDONLY | O_CLOEXEC));
    (void)close (asked[1]);
    return NULL;
}

int main (int argc, char **argv)
{
    struct sigaction sa = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    pthread_t thread;
    char byte = 0;
    int status;
    pid_t child;

    if (argc != 3 || pipe (asked) < 0 || pipe (forked) < 0 ||
        sigaction (SIGSYS, &sa, NULL) < 0 ||
        pthread_create (&thread, NULL, opener, argv[1]) != 0)
        return 1;
    if (read (asked[0], &byte, 1) != 1)
        return NOT_CAUGHT;
    child = fork ();
    if (child == 0) {
        (void)close (open (argv[2], O_RDONLY | O_CLOEXEC));
        _exit (0);
    }
    for (int i = 0; i < 8; i++) /* it may ask more than once */
        (void)!write (forked[1], &byte, 1);
    (void)waitpid (child, &status, 0);
    (void)pthread_join (thread, NULL);
    return 0;
}
