/* SPDX-License-Identifier: MIT
 *
 * waits.c - what a thread knows of its own waiting -> events of category WAIT
 */
#include "config.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmsampler.h"
#include "preload/ownthread.h"
#include "preload/waits.h"
#include "preload/waitsample.h"
#include "preload/wrap/facts.h"

enum {
    LATE_NS = 500000000, /* most programs are over by then */
    CUTS = 8,
    /* Starting a program takes less than a millisecond, many a while. */
    CHILD_LEAST_NS = 200000,
    /* Less of a call than this is not worth an event. */
    DELAY_LEAST_NS = 100000,
    /* So much makes a process worth a file that has recorded no call: what a
     * shell or a short command never takes. */
    WORTH_CPU_NS = 100000000,
    WORTH_WAIT_NS = 300000000,
    WORTH_DELAY_NS = 500000000,
    WORTH_CHILDREN_NS = 200000000,
    WORTH_CHILDREN = 20, /* of these 0.2 s on; each is short */
    SHORT_CHILD_NS = 100000000,
    EARLIER_NS = 50000000, /* at most; so that each is short, too */
    /* A process of less needs no sums. */
    SUMS_CPU_NS = 10000000,
    SUMS_AGE_NS = 100000000
};

SYS_NEAR int waits_wanted;

/* The thread's delay and CPU time when it was last looked at. */
static __thread struct {
    uint64_t delay, cpu, ns;
} waits_last __attribute__ ((tls_model ("initial-exec")));

static SYS_STATE uint64_t waits_due; /* ns: when to begin the sampler */
/* ns: what was before has been told; odd where it is not known how long the
 * process has been there: a child of fork may have begun late. */
static SYS_STATE uint64_t waits_since;
static SYS_NEAR uint64_t waited_ns; /* without a file; but for children */
static SYS_NEAR uint64_t main_ns; /* of slow calls and waits of the main thread
                                    that were told since waits_since */
static SYS_STATE uint64_t children_ns; /* without a file, short ones */
static SYS_STATE unsigned children;
/* The longest wait for a child that was not told: while there was no file. */
static SYS_NEAR struct {
    uint64_t end, ticks;
} long_child;
static SYS_NEAR uint64_t waits_sampled; /* tick: the sampler began first */
static SYS_NEAR int
    waits_threaded;               /* another thread than the main one waited */
static SYS_NEAR uint64_t said[2]; /* ns of the sums that have been told */
SYS_STATE unsigned waits_settled;

void waits_start (const struct settings *s)
{
    waits_wanted = s->waits;
    waits_settled = !s->waits || !(recorder_layers & LAYER_POSIX);
    waits_since = clock_ns (CLOCK_MONOTONIC) & ~(uint64_t)1;
    waits_due = waits_since + LATE_NS;
}

void waits_forked (void)
{
    waits_settled = !waits_wanted || !(recorder_layers & LAYER_POSIX);
    waits_since = clock_ns (CLOCK_MONOTONIC) | 1;
    waits_due = waits_since + LATE_NS;
    if (waited_ns || main_ns || waits_sampled || waits_threaded)
        waited_ns = main_ns = 0, waits_sampled = waits_threaded = 0;
    if (children)
        children_ns = children = 0;
    if (long_child.ticks)
        long_child.ticks = 0;
    if (said[0])
        said[0] = said[1] = 0;
}

void waits_paused (void)
{
    if (!waits_wanted || !(recorder_layers & LAYER_POSIX))
        return;
    waits_due = clock_ns (CLOCK_MONOTONIC) + LATE_NS;
    waits_settled = 0;
}

static uint64_t waits_digits (const char **p)
{
    uint64_t n = 0;

    for (; **p >= '0' && **p <= '9'; (*p)++)
        n = n * 10 + (uint64_t)(**p - '0');
    *p += **p == ' ';
    return n;
}

/* The numbers of a schedstat: ns on a CPU, ns of waiting for one, times. 0, or
 * -1. */
static int waits_schedstat (const char *path, uint64_t n[3])
{
    char buf[64];
    int fd = highfd_brief (AT_FDCWD, path, O_RDONLY, 0);
    ssize_t got = fd < 0 ? -1 : sys_read (fd, buf, sizeof (buf) - 1);
    const char *p = buf;

    if (fd >= 0)
        (void)sys_close (fd);
    if (got <= 0)
        return -1;
    buf[got] = '\0';
    for (int i = 0; i < 3; i++)
        n[i] = waits_digits (&p);
    return n[0] ? 0 : -1; /* all are 0: the kernel does not count */
}

int waits_main (uint64_t n[3])
{
    return waits_schedstat ("/proc/self/schedstat", n);
}

/* ---- the main thread's sums, where nobody sampled it ---- */

static uint64_t waits_ticks (const struct clock_pair *now, uint64_t ns)
{
    return (uint64_t)((unsigned __int128)ns * clock_hz (now) / CLOCK_NS_PER_S);
}

static void waits_put (enum call wait, uint64_t end, uint64_t ticks)
{
    struct record r = {.call = (uint16_t)wait,
                       .fd = -1,
                       .offset = -1,
                       .start = end - ticks,
                       .end = end,
                       .flags = (uint64_t)sys_getpid () << WAIT_TID_SHIFT |
                                WAIT_ESTIMATE};

    if (ticks)
        recorder_record (&r);
}

/* Ticks since the end of the last call of this thread. */
static uint64_t waits_since_call (uint64_t now)
{
    const struct repeat *s = (const struct repeat *)recorder_self.tbuf;

    return s && s->st.end < now ? now - s->st.end : 0;
}

static int waits_are_worth_it (uint64_t cpu, uint64_t delay)
{
    return recorder_has_file () || cpu >= WORTH_CPU_NS ||
           cpu + delay >= WORTH_DELAY_NS ||
           __atomic_load_n (&waited_ns, __ATOMIC_RELAXED) >= WORTH_WAIT_NS;
}

/* Say how long the main thread has computed and waited for a CPU since it
 * began, or since this was said. Where in that time it was is not known: at its
 * end, behind the calls that it recorded, since calls go before computing, but
 * not before waiting for a CPU. Return how long both were, ns; 0: it is worth
 * no file. */
static uint64_t waits_say_sums (void)
{
    int is_main = sys_gettid () == sys_getpid ();
    struct clock_pair now;
    uint64_t n[3], ran, wanted, room;

    if (waits_main (n) < 0 || !waits_are_worth_it (n[0], n[1]) ||
        recorder_self.busy || !recorder_enter ())
        return 0;
    waits_put (CALL_wait_child, long_child.end, long_child.ticks);
    long_child.ticks = 0;
    now = clock_pair ();
    ran = waits_ticks (&now, n[0] - said[0]);
    wanted = waits_ticks (&now, n[1] - said[1]);
    room = !recorder_has_file () ? wanted
           : is_main             ? waits_since_call (now.tick)
                                 : 0;
    wanted = wanted < room ? wanted : room;
    waits_put (CALL_wait_run, now.tick - wanted, ran);
    waits_put (CALL_wait_runq, now.tick, wanted);
    n[2] = n[0] - said[0] + n[1] - said[1];
    said[0] = n[0];
    said[1] = n[1];
    recorder_leave ();
    return n[2];
}

int waits_began_worth (void)
{
    return waits_wanted && (recorder_layers & LAYER_POSIX) &&
           clock_ns (CLOCK_THREAD_CPUTIME_ID) >= WORTH_CPU_NS;
}

/* Its CPU time, which takes the kernel a microsecond, is asked for only where
 * it can be enough. */
static int waits_is_due (void)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC);

    return now >= waits_due - LATE_NS + SUMS_AGE_NS ||
           ((waits_since & 1 || now - waits_since >= SUMS_CPU_NS / 2) &&
            clock_ns (CLOCK_THREAD_CPUTIME_ID) >= SUMS_CPU_NS);
}

void waits_finish (void)
{
    int saved_errno = errno;

    if (waits_wanted && !waits_sampled &&
        (recorder_layers & (LAYER_POSIX | LAYER_PROFILE)) == LAYER_POSIX &&
        waits_is_due ())
        (void)waits_say_sums ();
    errno = saved_errno;
}

/* Waiting for one child is the child's; for many short ones it is a cause. */
static int waits_are_many (uint64_t ns)
{
    return ns < SHORT_CHILD_NS &&
           __atomic_add_fetch (&children, 1, __ATOMIC_RELAXED) >=
               WORTH_CHILDREN &&
           __atomic_load_n (&children_ns, __ATOMIC_RELAXED) + ns >=
               WORTH_CHILDREN_NS;
}

/* A wait for a child of ns has ended that will be told. Those before it, which
 * were not, are told together: estimates of EARLIER_NS each, right before it.
 */
static void waits_tell_earlier (uint64_t ns)
{
    uint64_t left = __atomic_exchange_n (&children_ns, 0, __ATOMIC_RELAXED);
    struct clock_pair now;

    if (!left || recorder_layers & LAYER_PROFILE ||
        !(recorder_layers & LAYER_POSIX) || sys_gettid () != sys_getpid () ||
        recorder_self.busy || !recorder_enter ())
        return;
    now = clock_pair ();
    for (uint64_t part; left; left -= part) {
        part = left < EARLIER_NS ? left : EARLIER_NS;
        waits_put (CALL_wait_child,
                   now.tick - waits_ticks (&now, ns + left - part),
                   waits_ticks (&now, part));
    }
    recorder_leave ();
}

/* A wait for a child is not told, since there is no file. */
static void waits_untold (const struct waits_span *w, uint64_t ns)
{
    uint64_t end = clock_tick ();

    if (ns < SHORT_CHILD_NS)
        __atomic_add_fetch (&children_ns, ns, __ATOMIC_RELAXED);
    else if (w->begun && w->ticks && end - w->start > long_child.ticks) {
        long_child.end = end;
        long_child.ticks = end - w->start;
    }
}

int waits_has_place (enum call wait, uint64_t ns)
{
    if (recorder_has_file ())
        return 1;
    if (wait == CALL_wait_child)
        return waits_are_many (ns);
    if (wait == CALL_wait_file)
        return 0;
    return __atomic_add_fetch (&waited_ns, ns, __ATOMIC_RELAXED) >=
           WORTH_WAIT_NS;
}

/* In a child that has recorded nothing: it begins now, if that is worth it. */
static int waits_begins (enum call wait, uint64_t ns)
{
    return wait != CALL_wait_child &&
           __atomic_add_fetch (&waited_ns, ns, __ATOMIC_RELAXED) >=
               WORTH_WAIT_NS &&
           process_is_ours ();
}

/* A handler of a signal may have interrupted malloc, whose locks the start of a
 * thread takes. While one runs, its signal is blocked, unless it was asked not
 * to be. Some programs, as Java, have signals blocked all the time: there, the
 * stack tells. */
enum { SIGNALS = 64, RESTORERS = 4, STACK_PIECES = 256, STACK_WORDS = 512 };

/* Find the addresses that handlers return to, inverted, so that the stack does
 * not have them because of us. Return their number; -1: too many, or one is not
 * known. */
static __attribute__ ((noinline)) int
waits_restorers (uint64_t inverted[RESTORERS], uint64_t *suspect)
{
    struct kernel_action {
        uint64_t handler;
        unsigned long flags;
        uint64_t restorer, mask;
    } action;
    int n = 0;

    for (int s = 1; s <= SIGNALS && n >= 0; s++) {
        int i = 0;

        if (sys_call (SYS_rt_sigaction, s, NULL, &action,
                      sizeof (action.mask)) < 0 ||
            action.handler <= 1)
            continue;
        if (action.flags & (unsigned long)SA_NODEFER)
            *suspect |= (uint64_t)1 << (s - 1);
        while (i < n && inverted[i] != ~action.restorer)
            i++;
        if (!action.restorer || i == RESTORERS)
            n = -1;
        else if (i == n)
            inverted[n++] = ~action.restorer;
    }
    action.restorer = 0;
    __asm__ volatile("" : : "r"(&action) : "memory");
    return n;
}

/* Is one of these in a frame of this thread, or is that not known? Above the
 * stack of a thread but the first one lie its thread-local variables; the first
 * one's ends where nothing is mapped. */
static __attribute__ ((noinline)) int waits_stack_has (const uint64_t *inverted,
                                                       int n)
{
    uint64_t word[STACK_WORDS];
    uintptr_t at = (uintptr_t)__builtin_frame_address (0),
              top = (uintptr_t)&waits_last;

    for (int piece = 0; piece < STACK_PIECES; piece++) {
        uintptr_t left = top > at ? top - at : sizeof (word);
        struct iovec mine = {word, left < sizeof (word) ? left : sizeof (word)},
                     other = {(void *)at, mine.iov_len};
        long got = sys_call (SYS_process_vm_readv, sys_getpid (), &mine, 1,
                             &other, 1, 0);

        if (got < 0 && errno != EFAULT)
            return 1;
        for (long i = 0; i < got / (long)sizeof (*word); i++)
            for (int k = 0; k < n; k++)
                if (~word[i] == inverted[k])
                    return 1;
        if (got < (long)sizeof (word))
            return 0;
        at += sizeof (word);
    }
    return 1;
}

static int waits_in_handler (void)
{
    uint64_t suspect = 0, inverted[RESTORERS];
    stack_t stack = {.ss_flags = 0};
    int n;

    if (sys_call (SYS_rt_sigprocmask, SIG_BLOCK, NULL, &suspect,
                  sizeof (suspect)) < 0 ||
        sys_call (SYS_sigaltstack, NULL, &stack) < 0 ||
        stack.ss_flags & SS_ONSTACK)
        return 1;
    n = waits_restorers (inverted, &suspect);
    return suspect && (n <= 0 || waits_stack_has (inverted, n));
}

/* Once there is a second thread, libc takes its locks for good: malloc and getc
 * take up to three times as long. So the sampler is for programs that have
 * threads of their own, or had some; what one thread waits for, its calls tell.
 */
static int waits_has_threads (void)
{
    struct stat st;

    return waits_threaded || (sys_call (SYS_newfstatat, AT_FDCWD,
                                        "/proc/self/task", &st, 0) == 0 &&
                              st.st_nlink > 3); /* two and one for each */
}

/* The sampler will begin. */
static int waits_say_earlier (void)
{
    uint64_t since = waits_since, told = waits_say_sums ();

    if (told)
        waitsample_earlier (since, told, main_ns);
    return told != 0;
}

void waits_try (void)
{
    int saved_errno = errno;
    uint64_t now = clock_ns (CLOCK_MONOTONIC);

    if (now >= waits_due && !recorder_self.busy) {
        waits_due = now + LATE_NS / 4;
        if (recorder_layers & LAYER_PROFILE)
            waits_settled = 1;
        else if (!waits_has_threads ()) {
            if (waits_say_sums ()) { /* it may be killed */
                waits_since = now;
                main_ns = 0;
            }
        } else if (!waits_in_handler () && ownthread_may () &&
                   (!recorder_has_file () || recorder_may_rest ()) &&
                   (waits_sampled || waits_say_earlier ())) {
            waits_sampled = waits_sampled ? waits_sampled : clock_tick ();
            waits_settled = !recorder_may_rest () || mmsampler_start_waits ();
        }
    }
    errno = saved_errno;
}

void waits_have_thread (void)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC);

    if (waits_settled)
        return;
    waits_due = now < waits_due ? now : waits_due;
    waits_try ();
}

int waits_cut (int n, struct timespec *until)
{
    uint64_t now, ns;

    if (n > 0)
        waits_pulse ();
    if (waits_settled || n == CUTS)
        return 0;
    now = clock_ns (CLOCK_MONOTONIC);
    ns = clock_ns (CLOCK_REALTIME) + (waits_due > now ? waits_due - now : 0);
    until->tv_sec = (time_t)(ns / CLOCK_NS_PER_S);
    until->tv_nsec = (long)(ns % CLOCK_NS_PER_S);
    return 1;
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

/* A wait of ns has ended, of which what was before the sampler began is told or
 * will be: 1 where it was told as what the main thread was blocked at before.
 */
static int waits_told (uint64_t ns)
{
    if (sys_gettid () != sys_getpid ())
        return 0;
    if (!waits_sampled)
        main_ns += ns;
    return waitsample_tells (clock_ns (CLOCK_MONOTONIC) - ns);
}

/* A wait is over of which the sampler told, but not before it began. */
static void
waits_tell_before (const struct waits_span *w, enum call wait, uint64_t ns)
{
    struct record r = {.call = (uint16_t)wait,
                       .fd = -1,
                       .offset = -1,
                       .start = w->start,
                       .end = waits_sampled};

    if (w->ticks && r.start < r.end &&
        clock_ns_of (r.end - r.start) >= SPAN_WAIT_NS && !recorder_self.busy &&
        !waits_told (ns) && recorder_enter ()) {
        recorder_record (&r);
        recorder_leave ();
    }
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
    if (ns < (wait == CALL_wait_child ? CHILD_LEAST_NS : SPAN_WAIT_NS) ||
        !waits_wanted)
        return;
    saved_errno = errno;
    if (wait == CALL_wait_lock && waits_settled &&
        !(recorder_layers & LAYER_PROFILE)) {
        waits_tell_before (w, wait, ns);
        errno = saved_errno;
        return;
    }
    if (!waits_threaded && sys_gettid () != sys_getpid ())
        waits_threaded = 1;
    if (fd >= 0 && (wait = waits_for (fd)) == CALL_wait_net &&
        !facts_net_polled (fd, ns))
        wait = CALL_wait_poll; /* for who connects */
    if (wait != CALL_wait_net &&
        (w->begun ? waits_has_place (wait, ns) : waits_begins (wait, ns)) &&
        (!waits_told (ns) || wait != CALL_wait_lock)) {
        if (wait == CALL_wait_child)
            waits_tell_earlier (ns);
        span_wait (wait, ns, NULL, 0);
    } else if (wait == CALL_wait_child)
        waits_untold (w, ns);
    errno = saved_errno;
}

/* ---- waiting for a processor inside of a call ---- */

/* The part of a call of ns that ended now in which its thread had no processor.
 * Its delay has grown, and it was on a processor for `used`, since the last
 * look: what it was not on one before the call, it wanted one then, too. Each
 * wait of a millisecond is followed by a look, so that it was hardly blocked
 * meanwhile. */
static uint64_t waits_share (uint64_t grown, uint64_t used, uint64_t ns)
{
    uint64_t past = waits_last.ns ? clock_ns (CLOCK_MONOTONIC) - waits_last.ns
                                  : used + grown;
    uint64_t gap = past > ns ? past - ns : 0;
    uint64_t before = gap > used ? gap - used : 0;

    grown = grown > before ? grown - before : 0;
    return grown < ns ? grown : ns;
}

/* The sampler may have looked later than this thread. */
static void waits_look_back (uint64_t now)
{
    uint64_t delay, cpu, at;

    if (!waitsample_delay ((uint32_t)sys_gettid (), &delay, &cpu, &at) ||
        at <= waits_last.ns || at > now)
        return;
    waits_last.delay = delay;
    waits_last.cpu = cpu;
    waits_last.ns = at;
}

/* Return the part of a call of ns that ended now without a processor; 0: none,
 * or it is not known. */
static uint64_t waits_delayed (uint64_t ns)
{
    uint64_t n[3], part = 0;

    if (!waits_sampled && sys_gettid () == sys_getpid ())
        main_ns += ns;
    if (waits_schedstat ("/proc/thread-self/schedstat", n) < 0)
        return 0;
    waits_look_back (clock_ns (CLOCK_MONOTONIC) - ns);
    if (n[1] > waits_last.delay)
        part = waits_share (n[1] - waits_last.delay, n[0] - waits_last.cpu, ns);
    waits_last.delay = n[1];
    waits_last.cpu = n[0];
    waits_last.ns = clock_ns (CLOCK_MONOTONIC);
    return part;
}

void waits_look (uint64_t ns)
{
    (void)waits_delayed (ns);
}

void waits_after (const struct record *r)
{
    uint64_t ticks = r->end - r->start, ns = clock_ns_of (ticks), part;
    struct record wait = {.call = CALL_wait_runq, .fd = -1, .offset = -1};
    int saved_errno = errno;

    if (ns < SPAN_WAIT_NS || !waits_wanted ||
        (recorder_layers & LAYER_PROFILE)) {
        errno = saved_errno;
        return;
    }
    part = waits_delayed (ns);
    if (part >= DELAY_LEAST_NS && !recorder_self.busy && recorder_enter ()) {
        wait.end = r->end;
        wait.start = r->end - (uint64_t)((unsigned __int128)ticks * part / ns);
        recorder_record (&wait);
        recorder_leave ();
    }
    errno = saved_errno;
}
