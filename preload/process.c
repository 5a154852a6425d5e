/* SPDX-License-Identifier: MIT
 *
 * process.c - fork, vfork, thread ends -> recorder and descriptor map
 *
 * In:  the atfork hook, a page that fork wipes, the pid by system call
 * Out: recorder_atfork_child, fdmap_share, recorder_thread_end
 * Caveat: everything after process_start may run in a signal handler, or in
 *         a child of vfork on its parent's stack.
 */

/* Design. Fork. A thread's buffer lies on a page that the kernel wipes in a
 * child (MADV_WIPEONFORK) and chunks are not inherited (MADV_DONTFORK). The
 * child, however it came to be, finds an empty buffer and no word that says
 * it has begun. By its first event it is begun as a process, with a process
 * block of its own, by whichever of its threads has that; libc's hook only
 * notes the tick of the fork. What such a child has to change lies in one
 * page (SYS_STATE, preload/sections.ld) beside the first names and
 * descriptors, since each page that it touches or copies costs a microsecond
 * or two (t1000 sees to it); its first chunk and its process block share a
 * page of the file, in space that its parent mapped ahead. vfork children
 * share our memory: the wrapper of vfork marks the thread, and until the
 * parent is back every wrapper steps aside after comparing the pid. */

#include "config.h"

#include <pthread.h>

#include "lib/base/oldlibc.h"
#include "lib/base/programkind.h"
#include "preload/follow/locks.h"
#include "preload/record/recorder.h"
#include "lib/base/sys.h"
#include "preload/counted.h"
#include "preload/untraced.h"
#include "preload/wrap/fsfacts.h"
#include "preload/wrap/rawring.h"
#include "preload/fdmap.h"
#include "preload/follow/departure.h"
#include "preload/mmap/mm.h"
#include "preload/mmap/mmsampler.h"
#include "preload/peers.h"
#include "preload/process.h"
#include "preload/program.h"
#include "preload/real.h"
#include "preload/waits.h"

OLDLIBC (pthread_key_create);
OLDLIBC (pthread_setspecific);

enum {
    NAPS = 1000, /* while another thread begins the process; 100 ms in all */
    NAP_NS = 100000
};

/* pthread_atfork of GNU's libc, which has it in no shared library, and of
 * musl. */
extern int
__register_atfork (void (*) (void), void (*) (void), void (*) (void), void *)
    __attribute__ ((weak));
extern int pthread_atfork (void (*) (void), void (*) (void), void (*) (void))
    __attribute__ ((weak));

_Thread_local unsigned char process_thread
    __attribute__ ((tls_model ("initial-exec")));

/* Used if the kernel cannot wipe pages on fork. */
static SYS_START struct recorder_wiped no_page;
static SYS_START struct recorder_wiped *page = &no_page;
SYS_START const unsigned *process_alive = &no_page.alive;

static SYS_STATE pid_t pid;
static SYS_START pthread_key_t ends;

/* This process begins. */
static void process_begin (void)
{
    pid = sys_getpid ();
    if (process_thread != THREAD_NEW)
        process_thread = THREAD_READY;
    fdmap_share ();
    fsfacts_atfork_child ();
    recorder_atfork_child ();
    counted_forked ();
    peers_forked ();
    mm_atfork_child ();
    __atomic_store_n (&page->alive, 1, __ATOMIC_RELEASE);
}

/* By the first of its threads that comes here; the others wait, as a thread of
 * a child that has just begun may. False if that takes too long. */
static int process_begin_once (void)
{
    unsigned self = (unsigned)sys_gettid (), none = 0;

    if (__atomic_compare_exchange_n (&page->beginner, &none, self, 0,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        process_begin ();
        return 1;
    }
    for (int i = 0; none != self && i < NAPS; i++) {
        if (__atomic_load_n (&page->alive, __ATOMIC_ACQUIRE))
            return 1;
        sys_nap (NAP_NS);
    }
    return none == self; /* a signal handler in the middle of that */
}

/* A page that is written to, if only what it had before, is copied after a
 * fork: in the parent and in the child. */
static void restore_errno (int saved_errno)
{
    if (errno != saved_errno)
        errno = saved_errno;
}

/* Hooks of libc: of forks through it only. */
static void before_fork (void)
{
    int saved_errno = errno;

    if (recorder_layers && *process_alive) {
        real_before_fork ();
        fdmap_share ();
        mmsampler_before_fork ();
        recorder_before_fork ();
    }
    restore_errno (saved_errno);
}

static void after_fork_in_parent (void)
{
    int saved_errno = errno;

    if (recorder_layers && *process_alive) {
        recorder_after_fork ();
        mmsampler_after_fork ();
    }
    restore_errno (saved_errno);
}

/* Most children do little. One that does nothing that is recorded has to know
 * no more than when it began: it is not begun before its first event. Where a
 * signal handler forked inside of our code, that goes on in the child. */
static int process_may_wait (void)
{
    return page != &no_page && !(recorder_layers & LAYER_MMAP) &&
           !recorder_self.busy && clock_known () > 0;
}

static void after_fork (void)
{
    int saved_errno;

    locks_atfork_child ();
    if (recorder_aside)
        return;
    if (process_may_wait ()) {
        *page = (struct recorder_wiped){.born = clock_tick ()};
        return;
    }
    saved_errno = errno;
    page->beginner = (unsigned)sys_gettid ();
    process_begin ();
    errno = saved_errno;
}

typedef void process_end_f (void);
static process_end_f *at_thread_end;

void process_at_thread_end (void (*function) (void))
{
    at_thread_end = function;
}

static void thread_ended (void *unused)
{
    int saved_errno = errno;

    process_thread = THREAD_NEW; /* later destructors may still do I/O */
    recorder_thread_end ();
    counted_thread_ended ();
    spare_thread_end ();
    if (at_thread_end)
        at_thread_end ();
    errno = saved_errno;
}

/* Return 1 if the process may have threads. If libpthread is a separate
 * library, a program without it has one thread only. */
static int process_has_threads (void)
{
    return OLDLIBC_HAS (pthread_key_create) &&
           OLDLIBC_HAS (pthread_setspecific);
}

int process_start (void)
{
    if (recorder_wiped ()) {
        page = recorder_wiped ();
        process_alive = &page->alive;
        recorder_begin_by (process_check);
    }
    page->alive = 1;
    pid = sys_getpid ();
    /* early, so that its number is low: a high one's value is allocated */
    if (process_has_threads () && pthread_key_create (&ends, thread_ended) != 0)
        return -1;
    if (!__register_atfork)
        return pthread_atfork
                   ? pthread_atfork (before_fork, after_fork_in_parent,
                                     after_fork)
                   : -1;
    return __register_atfork (before_fork, after_fork_in_parent, after_fork,
                              NULL); /* never unloaded */
}

int process_check (void)
{
    int saved_errno = errno;
    int ours = 1;

    if (!__atomic_load_n (process_alive, __ATOMIC_ACQUIRE))
        ours = process_begin_once ();
    else if (process_thread >= THREAD_VFORKED)
        ours = sys_getpid () == pid;
    if (ours && process_thread == THREAD_VFORKED)
        process_thread = THREAD_NEW; /* the child has gone */
    if (ours && process_thread == THREAD_NEW &&
        (!process_has_threads () || pthread_setspecific (ends, &ends) == 0))
        process_thread = THREAD_READY;
    errno = saved_errno;
    return ours;
}

void process_end (uint64_t late)
{
    int ours = recorder_layers && process_is_ours (), quiet = 0;

    if (ours) {
        python_finish ();
        waits_finish ();
        mm_finish ();
        peers_write ();
        rawring_finish ();
        quiet = counted_quiet ();
    }
    recorder_finish ();
    if (ours)
        counted_exit (late, quiet);
    if (ours && counted_lost ())
        untraced_self ("", programkind_reason (PROGRAM_NO_ROOM));
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
