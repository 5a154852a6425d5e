/* SPDX-License-Identifier: MIT
 *
 * mmthread.c - a thread of our own in the program
 */
#include "config.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/base/oldlibc.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmthread.h"

OLDLIBC (pthread_create, OLDLIBC_FIRST);
OLDLIBC (pthread_attr_setstack, OLDLIBC_FIRST);

enum {
    MASK_BYTES = 8, /* the kernel's sigset_t */
    STACK_BYTES = 256 * 1024,
    WAIT_NAPS = 40000, /* 2 s; it ends within a millisecond */
    NAP_NS = 50000,
    NS_PER_MS = 1000000,
    NONE = 0,
    STARTING = -1
};

static int thread_id; /* for the kernel */
static void *stack;   /* of one thread after the other: not libc's, which it
                         would put into a hole that the program has left */

static int mmthread_none (void)
{
    __atomic_store_n (&thread_id, NONE, __ATOMIC_RELEASE);
    return -1;
}

static void *mmthread_main (void *run)
{
    __atomic_store_n (&thread_id, sys_gettid (), __ATOMIC_RELEASE);
    (void)sys_call (SYS_prctl, PR_SET_NAME, "dftrace", 0, 0, 0);
    ((void (*) (void))run) ();
    return NULL;
}

static int mmthread_is_there (void)
{
    int id = __atomic_load_n (&thread_id, __ATOMIC_ACQUIRE);

    if (id == NONE || id == STARTING)
        return id == STARTING;
    if (sys_call (SYS_tgkill, sys_getpid (), id, 0) == 0 || errno != ESRCH)
        return 1;
    (void)mmthread_none ();
    return 0;
}

int mmthread_start (void (*run) (void))
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, before;
    int rc;

    if (!OLDLIBC_HAS (pthread_create) || mmthread_is_there () ||
        (!stack && !(stack = sys_memory (STACK_BYTES))))
        return -1;
    __atomic_store_n (&thread_id, STARTING, __ATOMIC_RELEASE);
    if (pthread_attr_init (&attr) != 0)
        return mmthread_none ();
    (void)pthread_attr_setdetachstate (&attr, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstack (&attr, stack, STACK_BYTES);
    sigfillset (&all);
    (void)sys_call (SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, MASK_BYTES);
    rc = pthread_create (&thread, &attr, mmthread_main, (void *)run);
    (void)sys_call (SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, MASK_BYTES);
    (void)pthread_attr_destroy (&attr);
    return rc == 0 ? 0 : mmthread_none ();
}

void mmthread_wait (void)
{
    for (int i = 0; i < WAIT_NAPS && mmthread_is_there (); i++)
        sys_nap (NAP_NS);
}

void mmthread_sleep (const uint32_t *word, uint32_t value, uint64_t ms)
{
    struct timespec ts = {(time_t)(ms / 1000),
                          (long)(ms % 1000) * (long)NS_PER_MS};

    (void)sys_call (SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &ts, NULL, 0);
}

void mmthread_wake (uint32_t *word)
{
    (void)sys_call (SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The state of the main thread and the number of threads, behind the name in
 * parentheses: ") S … 15 more … N". */
int mmthread_is_alone (void)
{
    char buf[1024];
    int fd = highfd_open (AT_FDCWD, "/proc/self/stat", O_RDONLY, 0);
    ssize_t n = fd < 0 ? -1 : sys_read (fd, buf, sizeof (buf) - 1);
    const char *p;

    if (fd >= 0)
        (void)sys_close (fd);
    if (n <= 0)
        return 0;
    buf[n] = '\0';
    p = strrchr (buf, ')');
    if (!p || p[1] != ' ' || p[2] != 'Z')
        return 0;
    for (int field = 2; p && field < 20; field++)
        p = strchr (p + 1, ' ');
    return p && strncmp (p, " 2 ", 3) == 0;
}

void mmthread_atfork_child (void)
{
    thread_id = NONE;
}
