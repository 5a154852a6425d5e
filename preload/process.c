/* SPDX-License-Identifier: MIT
 *
 * process.c - fork, vfork, thread ends -> recorder and descriptor map
 *
 * In:  the atfork hook, a page that fork wipes, the pid by system call
 * Out: recorder_atfork_child, fdmap_share, recorder_thread_end
 * Caveat: everything after process_start may run in a signal handler, or in
 *         a child of vfork on its parent's stack.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>

#include "lib/core/record/recorder.h"
#include "lib/core/sys.h"
#include "preload/fdmap.h"
#include "preload/mm/mm.h"
#include "preload/process.h"

/* pthread_atfork itself; weak, as another libc that has it not would refuse
 * to start the program. */
extern void *__dso_handle __attribute__ ((visibility ("hidden")));
extern int
__register_atfork (void (*) (void), void (*) (void), void (*) (void), void *)
    __attribute__ ((weak));

_Thread_local unsigned char process_thread
    __attribute__ ((tls_model ("initial-exec")));

static SYS_STATE unsigned no_page; /* where the kernel does not wipe on fork */
static SYS_STATE unsigned *page = &no_page;
SYS_STATE const unsigned *process_alive = &no_page;

static SYS_STATE pid_t pid;
static SYS_STATE pthread_key_t ends;

static void forked (void)
{
    *page = 1;
    pid = sys_getpid ();
    if (process_thread != THREAD_NEW)
        process_thread = THREAD_READY;
    fdmap_share ();
    recorder_atfork_child ();
    mm_atfork_child ();
}

/* Hooks of libc: of forks through it only. */
static void before_fork (void)
{
    int saved_errno = errno;

    if (recorder_layers) {
        fdmap_share ();
        recorder_before_fork ();
    }
    errno = saved_errno;
}

static void after_fork_in_parent (void)
{
    int saved_errno = errno;

    if (recorder_layers)
        recorder_after_fork ();
    errno = saved_errno;
}

static void after_fork (void)
{
    int saved_errno = errno;

    /* A store first, as a read would fault in a page of zeros before it. */
    if (!recorder_aside &&
        (page == &no_page || !__atomic_exchange_n (page, 1, __ATOMIC_RELAXED)))
        forked ();
    errno = saved_errno;
}

static void thread_ended (void *unused)
{
    int saved_errno = errno;

    process_thread = THREAD_NEW; /* later destructors may still do I/O */
    recorder_thread_end ();
    errno = saved_errno;
}

int process_start (void)
{
    if (recorder_wiped ())
        process_alive = page = recorder_wiped ();
    *page = 1;
    pid = sys_getpid ();
    if (pthread_key_create (&ends, thread_ended) != 0)
        return -1;
    if (!__register_atfork)
        return -1;
    return __register_atfork (before_fork, after_fork_in_parent, after_fork,
                              __dso_handle);
}

int process_check (void)
{
    int saved_errno = errno;
    int ours = 1;

    if (!*process_alive)
        forked ();
    else if (process_thread >= THREAD_VFORKED)
        ours = sys_getpid () == pid;
    if (ours && process_thread == THREAD_VFORKED)
        process_thread = THREAD_NEW; /* the child has gone */
    if (ours && process_thread == THREAD_NEW &&
        pthread_setspecific (ends, &ends) == 0)
        process_thread = THREAD_READY;
    errno = saved_errno;
    return ours;
}

void process_before_vfork (void)
{
    fdmap_share ();
    if (process_thread != THREAD_DOUBTFUL)
        process_thread = THREAD_VFORKED;
}

void process_before_shared_clone (void)
{
    fdmap_share ();
    process_thread = THREAD_DOUBTFUL;
}
