/* SPDX-License-Identifier: MIT
 *
 * wrap_wait.c - wrappers of calls that learn how a child has ended
 *
 * In:  wait, waitpid, waitid, wait3, wait4; kill
 * Out: the same; of a process that a signal has ended, a line of
 *      JOBDIR/shards/processes.HOST, as it could not tell itself
 * Caveat: may run in signal handlers and in children of vfork.
 */
#include "config.h"

#include <signal.h>
#include <sys/wait.h>

#include "lib/format/proclines.h"
#include "preload/counted.h"
#include "preload/real.h"
#include "preload/span.h"
#include "preload/untraced.h"
#include "preload/waits.h"

/* After a failure, status may be an invalid pointer. */
static int wait_status (pid_t pid, const int *status, int own)
{
    return pid > 0 && status ? *status : own;
}

static void wait_note (pid_t pid, int status)
{
    int saved_errno = errno;

    if (pid > 0 && status != 0 &&
        (WIFSIGNALED (status) || WIFEXITED (status)) && recorder_layers &&
        process_is_ours ())
        untraced_ended (pid, status, PROCLINE_PARENT);
    errno = saved_errno;
}

static void wait_begins (struct waits_span *w)
{
    if (recorder_layers && process_has_begun () && process_is_ours ())
        counted_waits ();
    waits_begin (w, LASTWORD_waitpid, 1);
}

static void wait_returned (const struct waits_span *w)
{
    waits_end (w, CALL_wait_child, -1);
}

/* ARGS pass `to` where the program may have passed no status. */
#define WAIT(F, PARAMS, ARGS)                            \
    pid_t F PARAMS                                       \
    {                                                    \
        struct waits_span w;                             \
        int own = 0, *to = status ? status : &own;       \
        pid_t pid;                                       \
                                                         \
        wait_begins (&w);                                \
        pid = REAL (F) ARGS;                             \
        wait_returned (&w);                              \
        wait_note (pid, wait_status (pid, status, own)); \
        return pid;                                      \
    }

WAIT (wait, (int *status), (to))
WAIT (waitpid, (pid_t child, int *status, int options), (child, to, options))
WAIT (wait3,
      (int *status, int options, struct rusage *usage),
      (to, options, usage))
WAIT (wait4,
      (pid_t child, int *status, int options, struct rusage *usage),
      (child, to, options, usage))

/* With WNOWAIT the caller will wait again. */
int waitid (idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own = {.si_pid = 0};
    siginfo_t *to = info ? info : &own;
    struct waits_span w;
    int rc;

    wait_begins (&w);
    rc = REAL (waitid) (type, id, to, options);
    wait_returned (&w);
    if (rc == 0 && !(options & WNOWAIT) &&
        (to->si_code == CLD_KILLED || to->si_code == CLD_DUMPED))
        wait_note (to->si_pid, to->si_status);
    return rc;
}

/* Nobody may wait for it: timeout -s KILL ends itself, too. */
int kill (pid_t pid, int signal)
{
    int rc = REAL (kill) (pid, signal), saved_errno = errno;

    if (rc == 0 && pid > 0 && signal == SIGKILL && recorder_layers &&
        process_is_ours ())
        untraced_ended (pid, signal, PROCLINE_KILLER);
    errno = saved_errno;
    return rc;
}

/* ---- wrappers of calls that wait, and move no bytes ---- */

enum { PAUSE_TIMED = 1, PAUSE_UNTIMED = 0 };

/* ---- the descriptor that ended a wait for several; -1: not known ---- */

static int pause_polled (const struct pollfd *fds, nfds_t n, int rc)
{
    if (rc >= 0 && n == 1)
        return fds->fd;
    for (nfds_t i = 0; rc > 0 && i < n; i++)
        if (fds[i].revents)
            return fds[i].fd;
    return -1;
}

static int pause_selected (int n, const fd_set *in, const fd_set *out, int rc)
{
    const fd_set *set[] = {in, out};

    for (int i = 0; rc > 0 && i < 2; i++)
        for (int fd = 0; set[i] && fd < n && fd < FD_SETSIZE; fd++)
            if (FD_ISSET (fd, set[i]))
                return fd;
    return -1;
}

/* Most programs keep the descriptor in the event; others an address, which is
 * larger. Of several the first socket: an event loop wakes itself, too. */
static int pause_epolled (const struct epoll_event *events, int rc)
{
    int first = -1;

    for (int i = 0; i < rc; i++) {
        int fd = events[i].data.fd; /* the other half may be anything */
        struct file f;

        if ((unsigned)fd >= LASTWORD_LEFT)
            continue;
        f = fdmap_get (fd);
        if (f.state == FILE_IGNORED && f.class == LEFTOUT_socket)
            return fd;
        first = first < 0 ? fd : first;
    }
    return first;
}

/* FD: the descriptor that it waited for, -1: none, or not known. */
#define PAUSE_ON(R, F, WAIT, EVENT, FD, TIMED, PARAMS, ARGS) \
    R F PARAMS                                               \
    {                                                        \
        __typeof__ (real.F) real_f = REAL (F);               \
        struct waits_span w;                                 \
        R rc;                                                \
                                                             \
        waits_begin (&w, LASTWORD_##WAIT, PAUSE_##TIMED);    \
        rc = real_f ARGS;                                    \
        waits_end (&w, CALL_wait_##EVENT, FD);               \
        return rc;                                           \
    }
/* For n things; for none it is a sleep. */
#define CALL_wait_for_n (n ? CALL_wait_poll : CALL_wait_sleep)
#define PAUSE(R, F, WAIT, EVENT, TIMED, PARAMS, ARGS) \
    PAUSE_ON (R, F, WAIT, EVENT, -1, TIMED, PARAMS, ARGS)

PAUSE (unsigned, sleep, sleep, sleep, TIMED, (unsigned s), (s))
PAUSE (int, usleep, sleep, sleep, TIMED, (useconds_t us), (us))
PAUSE (int,
       nanosleep,
       sleep,
       sleep,
       TIMED,
       (const struct timespec *t, struct timespec *left),
       (t, left))
PAUSE (int,
       clock_nanosleep,
       sleep,
       sleep,
       TIMED,
       (clockid_t clock,
        int flags,
        const struct timespec *t,
        struct timespec *left),
       (clock, flags, t, left))
PAUSE_ON (int,
          poll,
          poll,
          for_n,
          pause_polled (fds, n, rc),
          UNTIMED,
          (struct pollfd * fds, nfds_t n, int ms),
          (fds, n, ms))
PAUSE_ON (int,
          __poll_chk,
          poll,
          for_n,
          pause_polled (fds, n, rc),
          UNTIMED,
          (struct pollfd * fds, nfds_t n, int ms, size_t room),
          (fds, n, ms, room))
PAUSE_ON (int,
          ppoll,
          poll,
          for_n,
          pause_polled (fds, n, rc),
          UNTIMED,
          (struct pollfd * fds,
           nfds_t n,
           const struct timespec *t,
           const sigset_t *mask),
          (fds, n, t, mask))
PAUSE_ON (int,
          __ppoll_chk,
          poll,
          for_n,
          pause_polled (fds, n, rc),
          UNTIMED,
          (struct pollfd * fds,
           nfds_t n,
           const struct timespec *t,
           const sigset_t *mask,
           size_t room),
          (fds, n, t, mask, room))
PAUSE_ON (int,
          select,
          select,
          for_n,
          pause_selected (n, in, out, rc),
          UNTIMED,
          (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t),
          (n, in, out, other, t))
PAUSE_ON (int,
          pselect,
          select,
          for_n,
          pause_selected (n, in, out, rc),
          UNTIMED,
          (int n,
           fd_set *in,
           fd_set *out,
           fd_set *other,
           const struct timespec *t,
           const sigset_t *mask),
          (n, in, out, other, t, mask))
PAUSE_ON (int,
          epoll_wait,
          epoll_wait,
          poll,
          pause_epolled (events, rc),
          UNTIMED,
          (int fd, struct epoll_event *events, int n, int ms),
          (fd, events, n, ms))
PAUSE_ON (
    int,
    epoll_pwait,
    epoll_wait,
    poll,
    pause_epolled (events, rc),
    UNTIMED,
    (int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask),
    (fd, events, n, ms, mask))
PAUSE (int, sem_wait, lock, lock, TIMED, (sem_t * sem), (sem))
PAUSE (int,
       sem_timedwait,
       lock,
       lock,
       TIMED,
       (sem_t * sem, const struct timespec *t),
       (sem, t))
PAUSE (int,
       sem_clockwait,
       lock,
       lock,
       TIMED,
       (sem_t * sem, clockid_t clock, const struct timespec *t),
       (sem, clock, t))

/* Nobody else may make a call meanwhile in which the sampler could begin: until
 * it has, the wait is cut. It is not told here: what the threads do meanwhile
 * is not known without the sampler. A wait for a semaphore cannot be cut, since
 * a signal would end it then. */
int pthread_join (pthread_t thread, void **result)
{
    int saved_errno = errno, rc = ETIMEDOUT;
    struct timespec until;

    if (recorder_layers && process_has_begun () && process_is_ours ())
        for (int n = 0; rc == ETIMEDOUT && waits_cut (n, &until); n++)
            rc = REAL (pthread_timedjoin_np) (thread, result, &until);
    errno = saved_errno;
    return rc == ETIMEDOUT ? REAL (pthread_join) (thread, result) : rc;
}

int pthread_timedjoin_np (pthread_t thread,
                          void **result,
                          const struct timespec *t)
{
    return REAL (pthread_timedjoin_np) (thread, result, t);
}
