/* SPDX-License-Identifier: MIT
 *
 * wrap_pause.c - wrappers of calls that wait, and move no bytes
 *
 * In:  sleep and its kind, poll, select, epoll_wait
 * Out: the same, unchanged; while they last, the thread's chunk says so
 *
 * Of those that may return at once it is not said since when: reading the clock
 * would cost more than all the rest.
 */
#include "config.h"

#include "preload/real.h"
#include "preload/span.h"

enum { PAUSE_TIMED = 1, PAUSE_UNTIMED = 0 };

#define PAUSE(R, F, WAIT, TIMED, PARAMS, ARGS)           \
    R F PARAMS                                           \
    {                                                    \
        __typeof__ (real.F) real_f = REAL (F);           \
        R rc;                                            \
                                                         \
        span_wait_says (LASTWORD_##WAIT, PAUSE_##TIMED); \
        rc = real_f ARGS;                                \
        span_wait_returned ();                           \
        return rc;                                       \
    }

PAUSE (unsigned, sleep, sleep, TIMED, (unsigned s), (s))
PAUSE (int, usleep, sleep, TIMED, (useconds_t us), (us))
PAUSE (int,
       nanosleep,
       sleep,
       TIMED,
       (const struct timespec *t, struct timespec *left),
       (t, left))
PAUSE (int,
       clock_nanosleep,
       sleep,
       TIMED,
       (clockid_t clock,
        int flags,
        const struct timespec *t,
        struct timespec *left),
       (clock, flags, t, left))
PAUSE (int,
       poll,
       poll,
       UNTIMED,
       (struct pollfd * fds, nfds_t n, int ms),
       (fds, n, ms))
PAUSE (int,
       __poll_chk,
       poll,
       UNTIMED,
       (struct pollfd * fds, nfds_t n, int ms, size_t room),
       (fds, n, ms, room))
PAUSE (int,
       ppoll,
       poll,
       UNTIMED,
       (struct pollfd * fds,
        nfds_t n,
        const struct timespec *t,
        const sigset_t *mask),
       (fds, n, t, mask))
PAUSE (int,
       __ppoll_chk,
       poll,
       UNTIMED,
       (struct pollfd * fds,
        nfds_t n,
        const struct timespec *t,
        const sigset_t *mask,
        size_t room),
       (fds, n, t, mask, room))
PAUSE (int,
       select,
       select,
       UNTIMED,
       (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *t),
       (n, in, out, other, t))
PAUSE (int,
       pselect,
       select,
       UNTIMED,
       (int n,
        fd_set *in,
        fd_set *out,
        fd_set *other,
        const struct timespec *t,
        const sigset_t *mask),
       (n, in, out, other, t, mask))
PAUSE (int,
       epoll_wait,
       epoll_wait,
       UNTIMED,
       (int fd, struct epoll_event *events, int n, int ms),
       (fd, events, n, ms))
PAUSE (
    int,
    epoll_pwait,
    epoll_wait,
    UNTIMED,
    (int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask),
    (fd, events, n, ms, mask))
