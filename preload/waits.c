/* SPDX-License-Identifier: MIT
 *
 * waits.c - what a thread knows of its own waiting -> events of category WAIT
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmsampler.h"
#include "preload/waits.h"
#include "preload/waitsample.h"
#include "preload/wrap/facts.h"

enum {
    LATE_NS = 500000000, /* most programs are over by then */
    /* Less of a call than this is not worth an event. */
    DELAY_LEAST_NS = 100000,
    /* Where the last look is farther back than this and four times the call,
     * what has grown since then is not the call's alone. */
    LOOK_FAR_NS = 20000000,
    FAR_CALLS = 4
};

int waits_wanted;

/* The thread's delay when it was last looked at. */
static __thread struct {
    uint64_t delay, ns;
} waits_last __attribute__ ((tls_model ("initial-exec")));

static SYS_STATE uint64_t waits_due; /* ns: when to begin the sampler */
SYS_STATE unsigned waits_settled;

void waits_start (const struct settings *s)
{
    waits_wanted = s->waits;
    waits_settled = !s->waits || !(recorder_layers & LAYER_POSIX);
    waits_due = clock_ns (CLOCK_MONOTONIC) + LATE_NS;
}

void waits_forked (void)
{
    waits_settled = !waits_wanted || !(recorder_layers & LAYER_POSIX);
    waits_due = clock_ns (CLOCK_MONOTONIC) + LATE_NS;
}

void waits_paused (void)
{
    if (!waits_wanted || !(recorder_layers & LAYER_POSIX))
        return;
    waits_due = clock_ns (CLOCK_MONOTONIC) + LATE_NS;
    waits_settled = 0;
}

/* A handler of a signal may have interrupted malloc, whose locks the start of a
 * thread takes. While one runs, its signal is blocked, unless it was asked not
 * to be: then there is no telling. */
static int waits_in_handler (void)
{
    struct kernel_action {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } action;
    uint64_t blocked = 0;
    stack_t stack = {.ss_flags = 0};

    if (sys_call (SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked,
                  sizeof (blocked)) < 0 ||
        blocked || sys_call (SYS_sigaltstack, NULL, &stack) < 0 ||
        stack.ss_flags & SS_ONSTACK)
        return 1;
    for (int n = 1; n <= (int)sizeof (blocked) * 8; n++)
        if (sys_call (SYS_rt_sigaction, n, NULL, &action, sizeof (blocked)) ==
                0 &&
            (uintptr_t)action.handler > 1 &&
            action.flags & (unsigned long)SA_NODEFER)
            return 1;
    return 0;
}

void waits_try (void)
{
    int saved_errno = errno;
    uint64_t now = clock_ns (CLOCK_MONOTONIC);

    if (now >= waits_due && !recorder_self.busy) {
        waits_due = now + LATE_NS / 4;
        if (recorder_layers & LAYER_PROFILE)
            waits_settled = 1;
        else if (recorder_has_file () && !waits_in_handler () &&
                 mmsampler_start_waits ())
            waits_settled = 1;
    }
    errno = saved_errno;
}

enum call waits_for (int fd)
{
    struct file f = fdmap_get (fd);
    struct sockaddr address = {.sa_family = AF_UNSPEC};
    socklen_t length = sizeof (address);

    if (f.state != FILE_IGNORED)
        return CALL_wait_poll;
    if (f.class == LEFTOUT_pipe || f.class == LEFTOUT_terminal)
        return CALL_wait_pipe;
    if (f.class != LEFTOUT_socket ||
        sys_call (SYS_getsockname, fd, &address, &length) < 0)
        return CALL_wait_poll;
    return address.sa_family == AF_UNIX ? CALL_wait_pipe
           : address.sa_family == AF_INET || address.sa_family == AF_INET6
               ? CALL_wait_net
               : CALL_wait_poll;
}

void waits_ended (const struct waits_span *w, enum call wait, int fd)
{
    unsigned ticks = clock_known () > 0;
    uint64_t ns;
    int saved_errno;

    if (ticks != w->ticks) /* that clock was not chosen */
        return;
    ns = ticks ? clock_ns_of (clock_tick () - w->start)
               : clock_ns (CLOCK_MONOTONIC) - w->start;
    if (ns < SPAN_WAIT_NS || !waits_wanted)
        return;
    saved_errno = errno;
    if (fd >= 0 && (wait = waits_for (fd)) == CALL_wait_net &&
        !facts_net_polled (fd, ns))
        wait = CALL_wait_poll; /* for who connects */
    if (wait != CALL_wait_net && recorder_has_file ())
        span_wait (wait, ns, NULL, 0);
    errno = saved_errno;
}

/* ---- waiting for a processor inside of a call ---- */

static uint64_t waits_digits (const char **p)
{
    uint64_t n = 0;

    for (; **p >= '0' && **p <= '9'; (*p)++)
        n = n * 10 + (uint64_t)(**p - '0');
    return n;
}

/* The second and the third number of a schedstat. */
static int waits_schedstat (const char *path, uint64_t n[2])
{
    char buf[64];
    int fd = highfd_open (AT_FDCWD, path, O_RDONLY, 0);
    ssize_t got = fd < 0 ? -1 : sys_read (fd, buf, sizeof (buf) - 1);
    const char *p = buf;
    uint64_t cpu;

    if (fd >= 0)
        (void)sys_close (fd);
    if (got <= 0)
        return -1;
    buf[got] = '\0';
    cpu = waits_digits (&p);
    for (int i = 0; i < 2; i++) {
        p += *p == ' ';
        n[i] = waits_digits (&p);
    }
    return cpu ? 0 : -1; /* all are 0: the kernel does not count */
}

int waits_main (uint64_t n[2])
{
    return waits_schedstat ("/proc/self/schedstat", n);
}

int waits_delay (uint64_t *ns)
{
    uint64_t n[2];

    if (waits_schedstat ("/proc/thread-self/schedstat", n) < 0)
        return -1;
    *ns = n[0];
    return 0;
}

/* The part of a call of ns that ended now in which its thread had no processor.
 * Its delay has grown by that much since `since`, perhaps long before. */
static uint64_t waits_share (uint64_t grown, uint64_t since, uint64_t ns)
{
    uint64_t past;

    if (!since)
        past = clock_ns (CLOCK_THREAD_CPUTIME_ID) + grown;
    else
        past = clock_ns (CLOCK_MONOTONIC) - since;
    if (past > FAR_CALLS * ns + LOOK_FAR_NS)
        grown = (uint64_t)((unsigned __int128)grown * ns / past);
    return grown < ns ? grown : ns;
}

/* The sampler may have looked later than this thread. */
static void waits_look_back (uint64_t now)
{
    uint64_t delay, at;

    if (!waitsample_delay ((uint32_t)sys_gettid (), &delay, &at) ||
        at <= waits_last.ns || at > now)
        return;
    waits_last.delay = delay;
    waits_last.ns = at;
}

void waits_after (const struct record *r)
{
    uint64_t ticks = r->end - r->start, ns = clock_ns_of (ticks), delay, part;
    struct record wait = {.call = CALL_wait_runq, .fd = -1, .offset = -1};
    int saved_errno = errno;

    if (ns < SPAN_WAIT_NS || !waits_wanted ||
        (recorder_layers & LAYER_PROFILE) || waits_delay (&delay) < 0) {
        errno = saved_errno;
        return;
    }
    waits_look_back (clock_ns (CLOCK_MONOTONIC) - ns);
    part = delay < waits_last.delay
               ? 0
               : waits_share (delay - waits_last.delay, waits_last.ns, ns);
    waits_last.delay = delay;
    waits_last.ns = clock_ns (CLOCK_MONOTONIC);
    if (part >= DELAY_LEAST_NS && !recorder_self.busy && recorder_enter ()) {
        wait.end = r->end;
        wait.start = r->end - (uint64_t)((unsigned __int128)ticks * part / ns);
        recorder_record (&wait);
        recorder_leave ();
    }
    errno = saved_errno;
}
