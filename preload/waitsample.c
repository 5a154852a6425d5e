/* SPDX-License-Identifier: MIT
 *
 * waitsample.c - samples of the threads of this process -> events of category
 *                WAIT
 *
 * Caveat: in a thread of ours beside the program's: system calls only, nothing
 * of libc that takes a lock.
 */

/* Design. wall = CPU + run delay + blocked; the first two are exact, so that
 * samples divide the blocked part only. Each sample stands for the time since
 * the one before: weighting it by what was blocked of that would prefer long
 * waits. Nothing is read while a thread's CPU clock stands still: it is blocked
 * at what it was blocked at. Threads beside the main one are read in turn, so
 * many a tick. Events are kept until no earlier end can come, since those of a
 * chunk are in the order of their ends. */

#include "config.h"

#include <linux/futex.h>
#include <sys/uio.h>

#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/fdmap.h"
#include "preload/record/recorder.h"
#include "preload/waits.h"
#include "preload/waitsample.h"

enum {
    THREADS = 1024, /* more are not watched */
    EVENTS = 4096,  /* that wait for their turn */
    READS = 12,     /* of syscall, a tick, beside the main thread's */
    NS_PER_MS = 1000000,
    WINDOW_MS = 100, /* of the main thread */
    WINDOW_OTHERS_MS = 500,
    WINDOW_MANY_MS = 1000, /* where there are more than these */
    MANY = 64,
    FLUSH_NS = 1000000000,
    LONGEST_NS = 10000, /* ms; an event that goes on is written, and again */
    LIST_MS = 500,      /* between looks for new threads, where none is seen */
    MIXED = 8,          /* so large a part of what it waited is known */
    LEAST_NS = 200000   /* a part of a window that is not told apart */
};

/* The state of a thread. Those below KIND_EVENTS have a row each. */
enum kind {
    KIND_run,
    KIND_runq,
    KIND_lock,
    KIND_gil,
    KIND_pipe,
    KIND_net,
    KIND_sleep,
    KIND_child,
    KIND_poll,
    KIND_file,
    KIND_fault,
    KIND_blocked,
    KIND_EVENTS,
    KIND_CALL = KIND_EVENTS, /* which has an event of its own */
    KIND_COUNT,
    KIND_UNKNOWN
};

_Static_assert(CALL_wait_blocked - CALL_wait_run == KIND_blocked - KIND_run,
               "kinds are in the order of their rows");

struct told {
    uint64_t start, end; /* ns */
    uint32_t tid, text;
    uint32_t kind;
};

struct watched {
    uint32_t tid; /* 0: free */
    uint32_t round;
    uint64_t start, cpu, delay;  /* at the begin of the window */
    uint64_t last, last_cpu;     /* at the tick before */
    uint64_t still;              /* since when its clock stands still; 0 */
    uint64_t weight[KIND_COUNT]; /* ns of the window by samples */
    uint32_t text[KIND_COUNT];
    uint32_t at;   /* enum kind: while it stands still */
    uint32_t most; /* enum kind: of the window before */
    struct told pending;
};

static struct {
    struct watched *thread; /* [THREADS] */
    struct told *event;     /* [EVENTS] */
    unsigned threads, events, turn;
    uint32_t round, main;
    uint64_t listed, flushed;
    uint64_t links;     /* of /proc/self/task when it was listed */
    struct told untold; /* of the main thread, until its first window ends */
    uint64_t ran;   /* ns: the longest that another ran, or wanted to, before */
    int mixed;      /* the main thread waited for much else before */
    int before;     /* what it was blocked at before is told */
    uint64_t began; /* ns */
    int blind;      /* syscall cannot be read */
    struct recorder_thread chunk;
} self;

/* --- files of a thread ------------------------------------------------------
 */

static uint64_t sample_number (const char **p, unsigned base)
{
    uint64_t n = 0;

    for (;; (*p)++) {
        unsigned c = (unsigned char)**p;
        unsigned digit = c - '0' < 10u  ? c - '0'
                         : c - 'a' < 6u ? c - 'a' + 10
                                        : 16;
        if (digit >= base)
            return n;
        n = n * base + digit;
    }
}

/* Read NAME of a thread into buf, as a text. Its length, or -1. */
static ssize_t
sample_read (uint32_t tid, const char *name, char *buf, size_t size)
{
    static const char before[] = "/proc/self/task/";
    char path[sizeof (before) + 32], digits[10];
    size_t at = sizeof (before) - 1;
    int count = 0, fd;
    ssize_t n;

    memcpy (path, before, at);
    do
        digits[count++] = (char)('0' + tid % 10);
    while (tid /= 10);
    while (count)
        path[at++] = digits[--count];
    memcpy (path + at, name, strlen (name) + 1);
    if ((fd = highfd_open (AT_FDCWD, path, O_RDONLY, 0)) < 0)
        return -1;
    n = sys_read (fd, buf, size - 1);
    (void)sys_close (fd);
    if (n < 0)
        return -1;
    buf[n] = '\0';
    return n;
}

/* 0, or -1: gone. */
static int sample_cpu (uint32_t tid, uint64_t *ns)
{
    struct timespec ts;

    if (sys_call (SYS_clock_gettime, (int)(~tid << 3 | 6), &ts) < 0)
        return -1;
    *ns = (uint64_t)ts.tv_sec * CLOCK_NS_PER_S + (uint64_t)ts.tv_nsec;
    return 0;
}

static uint64_t sample_delay (uint32_t tid)
{
    char buf[96];
    const char *p = buf;

    if (sample_read (tid, "/schedstat", buf, sizeof (buf)) <= 0)
        return 0;
    (void)sample_number (&p, 10);
    p += *p == ' ';
    return sample_number (&p, 10);
}

/* --- a system call -> what its thread waits for ----------------------------
 */

struct sampled {
    long call; /* -1: none */
    uint64_t arg[6], stack;
};

/* The thread that has a mutex of glibc; 0: it is none, or nobody that is
 * watched. Its words are the lock, which is 2 while somebody waits, a count and
 * the owner. */
static uint32_t sample_owner (const struct sampled *s)
{
    uint32_t word[3] = {0};
    struct iovec mine = {word, sizeof (word)};
    struct iovec other = {(void *)(uintptr_t)s->arg[0], sizeof (word)};

    if ((s->arg[1] & FUTEX_CMD_MASK & UINT32_MAX) != FUTEX_WAIT ||
        s->arg[2] != 2 ||
        sys_call (SYS_process_vm_readv, sys_getpid (), &mine, 1, &other, 1,
                  0) != sizeof (word) ||
        word[0] != 2)
        return 0;
    for (unsigned i = 0; i < self.threads; i++)
        if (self.thread[i].tid == word[2])
            return word[2];
    return 0;
}

static enum kind sample_lock (const struct sampled *s, uint32_t *text)
{
    uint32_t owner;

    if (waitmaps_is_gil (s->arg[0]))
        return KIND_gil;
    owner = sample_owner (s);
    *text = owner ? waitmaps_held (owner) : 0;
    if (!*text)
        *text = waitmaps_under (s->stack);
    return KIND_lock;
}

/* Of a file that is recorded, or of a pipe, the call itself tells. */
static enum kind sample_socket (int fd)
{
    switch (waits_for (fd)) {
    case CALL_wait_net:
        return KIND_net;
    case CALL_wait_pipe:
        return KIND_pipe;
    default:
        return KIND_blocked;
    }
}

static enum kind sample_call (const struct sampled *s, uint32_t *text)
{
    int has_file = recorder_has_file ();

    switch (s->call) {
    case -1:
        return KIND_fault;
    case SYS_futex:
        return sample_lock (s, text);
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_connect:
    case SYS_accept:
    case SYS_accept4:
        return sample_socket ((int)s->arg[0]);
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
        return has_file ? KIND_CALL : KIND_sleep;
    case SYS_wait4:
    case SYS_waitid:
        return has_file ? KIND_CALL : KIND_child;
#ifdef SYS_poll
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
        return has_file ? KIND_CALL : KIND_poll;
#ifdef SYS_pause
    case SYS_pause:
#endif
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend:
    case SYS_restart_syscall:
    case SYS_ioctl:
        *text = waitmaps_under (s->stack);
        return KIND_blocked;
    default:
        return KIND_CALL;
    }
}

static enum kind sample_kind (uint32_t tid, uint64_t now, uint32_t *text)
{
    char buf[256];
    const char *p = buf;
    struct sampled s;
    ssize_t n =
        self.blind ? -1 : sample_read (tid, "/syscall", buf, sizeof (buf));

    *text = 0;
    if (n <= 0) {
        self.blind |= n < 0 && (errno == EACCES || errno == EPERM);
        return KIND_blocked;
    }
    if (buf[0] == 'r')
        return KIND_run;
    s.call = buf[0] == '-' ? -1 : (long)sample_number (&p, 10);
    if (s.call == -1)
        return KIND_fault;
    for (int i = 0; i < 7; i++) {
        if (strncmp (p, " 0x", 3) != 0)
            return KIND_blocked;
        p += 3;
        *(i < 6 ? &s.arg[i] : &s.stack) = sample_number (&p, 16);
    }
    if (s.call == SYS_futex)
        waitmaps_look (now);
    return sample_call (&s, text);
}

/* --- events -----------------------------------------------------------------
 */

static void told_sort (struct told *t, unsigned n)
{
    for (unsigned gap = n / 2; gap; gap /= 2)
        for (unsigned i = gap; i < n; i++) {
            struct told one = t[i];
            unsigned at = i;

            for (; at >= gap && t[at - gap].end > one.end; at -= gap)
                t[at] = t[at - gap];
            t[at] = one;
        }
}

/* Into the chunk of samples, whoever writes it. */
static void told_write (unsigned n, int last)
{
    struct recorder_thread before = recorder_self;
    struct clock_pair now = clock_pair ();
    uint64_t hz = clock_hz (&now);

    if (before.busy)
        return;
    recorder_self = self.chunk;
    recorder_self.busy = 1;
    for (unsigned i = 0; i < n; i++) {
        const struct told *t = &self.event[i];
        uint64_t past = now.ns > t->end ? now.ns - t->end : 0;
        struct record r = {.call = (uint16_t)(CALL_wait_run + t->kind),
                           .fd = -1,
                           .offset = -1,
                           .file2 = t->text,
                           .flags = (uint64_t)t->tid << WAIT_TID_SHIFT |
                                    WAIT_ESTIMATE};

        r.end = now.tick -
                (uint64_t)((unsigned __int128)past * hz / CLOCK_NS_PER_S);
        r.start = r.end - (uint64_t)((unsigned __int128)(t->end - t->start) *
                                     hz / CLOCK_NS_PER_S);
        recorder_record (&r);
    }
    recorder_self.busy = 0;
    if (last)
        recorder_thread_end ();
    self.chunk = recorder_self;
    recorder_self = before;
}

/* Write what no event can come before any more. */
static void told_flush (uint64_t until, int last)
{
    unsigned n = 0;

    told_sort (self.event, self.events);
    while (n < self.events && self.event[n].end <= until)
        n++;
    if (n || last)
        told_write (n, last);
    memmove (self.event, self.event + n,
             (self.events - n) * sizeof (*self.event));
    self.events -= n;
}

static void told_done (struct told *t)
{
    if (t->end > t->start && self.events < EVENTS)
        self.event[self.events++] = *t;
    t->start = t->end;
}

/* A part of a window; the next one begins where it ends. */
static void told_part (struct watched *w, enum kind kind, uint64_t ns)
{
    struct told *t = &w->pending;
    uint32_t text = kind < KIND_EVENTS ? w->text[kind] : 0;

    if (ns == 0)
        return;
    if (t->kind != kind || t->text != text ||
        t->end - t->start > (uint64_t)LONGEST_NS * NS_PER_MS) {
        if (t->kind < KIND_EVENTS)
            told_done (t);
        t->start = t->end;
        t->kind = kind;
        t->text = text;
    }
    t->end += ns;
}

/* --- windows ----------------------------------------------------------------
 */

/* Divide what was blocked by the samples. Where there are none, it was at what
 * it was last blocked at. */
static void
window_divide (struct watched *w, uint64_t blocked, uint64_t part[KIND_COUNT])
{
    uint64_t all = 0, left = blocked;
    int most = (int)w->most;

    for (int k = KIND_lock; k < KIND_COUNT; k++) {
        all += w->weight[k];
        if (w->weight[k] > w->weight[most])
            most = k;
    }
    for (int k = KIND_lock; all && k < KIND_COUNT; k++) {
        part[k] = (uint64_t)((unsigned __int128)blocked * w->weight[k] / all);
        left -= part[k];
    }
    part[most] += left;
    w->most = (uint32_t)most;
}

/* Was it seen blocked? */
static int window_blocked (const struct watched *w)
{
    uint64_t all = 0;

    for (int k = KIND_lock; k < KIND_COUNT; k++)
        all |= w->weight[k];
    return all != 0;
}

/* Before its first window the main thread was blocked, but for its own calls,
 * at what it was in the window. If it made many that waited, only for as long
 * as it can have waited for a thread that ran. */
static void window_untold (const struct watched *w,
                           const uint64_t part[KIND_COUNT])
{
    uint64_t blocked = 0, room = self.untold.end - self.untold.start;

    for (int k = KIND_lock; k < KIND_COUNT; k++)
        blocked += part[k];
    if (self.mixed && room > self.ran)
        room = self.ran;
    for (int k = KIND_lock; k <= KIND_gil && blocked; k++) {
        uint64_t ns = (uint64_t)((unsigned __int128)room * part[k] / blocked);

        self.untold.kind = (uint32_t)k;
        self.untold.text = w->text[k];
        self.untold.start = self.untold.end - ns;
        told_done (&self.untold);
        self.untold.end -= ns;
    }
    self.untold.end = 0;
    self.before = !self.mixed;
}

/* gone: its delay cannot be read any more; if it was not seen blocked, it
 * wanted a CPU while it had none. */
static void window_end (struct watched *w, uint64_t now, uint64_t cpu, int gone)
{
    uint64_t wall = now - w->start, part[KIND_COUNT] = {0}, delay;
    int first = (int)w->pending.kind;

    part[KIND_run] = cpu - w->cpu < wall ? cpu - w->cpu : wall;
    if (gone)
        part[KIND_runq] = window_blocked (w) ? 0 : wall;
    else if (part[KIND_run] || w->weight[KIND_runq] || w->at == KIND_UNKNOWN) {
        delay = sample_delay (w->tid);
        if (delay > w->delay)
            part[KIND_runq] = delay - w->delay;
        w->delay = delay;
    }
    if (part[KIND_runq] > wall - part[KIND_run])
        part[KIND_runq] = wall - part[KIND_run];
    window_divide (w, wall - part[KIND_run] - part[KIND_runq], part);
    if (self.untold.end && w->tid == self.untold.tid)
        window_untold (w, part);
    for (int k = 0, most = KIND_run; k < KIND_COUNT; k++) {
        /* so that a moment of another kind does not part two long waits */
        for (int i = 0; i < KIND_COUNT; i++)
            most = part[i] > part[most] ? i : most;
        if (k != most && part[k] < LEAST_NS && part[k] < part[most] / 100) {
            part[most] += part[k];
            part[k] = 0;
        }
    }
    w->pending.end = w->start;
    if (first < KIND_COUNT)
        told_part (w, (enum kind)first, part[first]);
    for (int k = 0; k < KIND_COUNT; k++)
        if (k != first)
            told_part (w, (enum kind)k, part[k]);
    w->pending.end = now;
    w->start = now;
    w->cpu = cpu;
    memset (w->weight, 0, sizeof (w->weight));
}

static void
window_begin (struct watched *w, uint32_t tid, uint64_t now, uint64_t cpu)
{
    *w = (struct watched){
        .tid = tid,
        .round = self.round,
        .start = now,
        .cpu = cpu,
        .delay = sample_delay (tid),
        .last = now,
        .last_cpu = cpu,
        .at = KIND_UNKNOWN,
        .most = KIND_blocked,
        .pending = {
            .start = now, .end = now, .tid = tid, .kind = KIND_UNKNOWN}};
}

/* --- threads ----------------------------------------------------------------
 */

static void thread_forget (unsigned i)
{
    struct watched *w = &self.thread[i];

    if (w->last > w->start)
        window_end (w, w->last, w->last_cpu, 1);
    if (self.thread[i].pending.kind < KIND_EVENTS)
        told_done (&self.thread[i].pending);
    __atomic_store_n (&self.thread[i].tid, 0, __ATOMIC_RELAXED);
    if (i + 1 < self.threads)
        self.thread[i] = self.thread[self.threads - 1];
    self.threads--;
    __atomic_store_n (&self.thread[self.threads].tid, 0, __ATOMIC_RELAXED);
}

static void thread_listed (uint32_t tid, uint64_t now)
{
    uint64_t cpu;

    for (unsigned i = 0; i < self.threads; i++)
        if (self.thread[i].tid == tid) {
            self.thread[i].round = self.round;
            return;
        }
    if (self.threads < THREADS && sample_cpu (tid, &cpu) == 0)
        window_begin (&self.thread[self.threads++], tid, now, cpu);
}

static void thread_list (uint32_t except, uint64_t now)
{
    struct entry {
        uint64_t inode, offset;
        uint16_t length;
        uint8_t type;
        char name[];
    };
    char buf[4096] __attribute__ ((aligned (8)));
    int fd =
        highfd_open (AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    long n;

    if (fd < 0)
        return;
    self.listed = now;
    self.round++;
    while ((n = sys_call (SYS_getdents64, fd, buf, sizeof (buf))) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(buf + at);
            const char *p = e->name;
            uint32_t tid = (uint32_t)sample_number (&p, 10);

            if (tid && tid != except)
                thread_listed (tid, now);
            at += e->length;
        }
    (void)sys_close (fd);
    for (unsigned i = self.threads; i-- > 0;)
        if (self.thread[i].round != self.round)
            thread_forget (i);
}

/* How long each thread beside the main one ran, and wanted a CPU, before the
 * first tick is known, but not when: as late as can be. */
static void thread_earlier (void)
{
    uint64_t end = self.untold.end, room = end - self.untold.start;

    self.ran = 0;
    for (unsigned i = 0; i < self.threads; i++) {
        const struct watched *w = &self.thread[i];
        uint64_t delay = w->delay < room ? w->delay : room;
        uint64_t cpu = w->cpu < room - delay ? w->cpu : room - delay;

        if (w->tid == self.untold.tid)
            continue;
        told_done (&(struct told){.start = end - delay - cpu,
                                  .end = end - delay,
                                  .tid = w->tid,
                                  .kind = KIND_run});
        told_done (&(struct told){.start = end - delay,
                                  .end = end,
                                  .tid = w->tid,
                                  .kind = KIND_runq});
        self.ran = delay + cpu > self.ran ? delay + cpu : self.ran;
    }
}

/* Has the number of threads changed, as the kernel says in one call? */
static int thread_changed (void)
{
    struct stat st;
    uint64_t links = self.links;

    if (sys_call (SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) < 0)
        return 0;
    self.links = st.st_nlink;
    return self.links != links;
}

/* --- a tick -----------------------------------------------------------------
 */

static void thread_sample (struct watched *w, uint64_t now, uint64_t stands)
{
    uint32_t text;
    enum kind kind = sample_kind (w->tid, now, &text);

    if (kind == KIND_run) { /* or wants to: what that was the clocks tell */
        w->at = KIND_UNKNOWN;
        if (stands)
            w->weight[KIND_runq] += stands;
        return;
    }
    w->weight[kind] += stands ? stands : now - w->last;
    w->text[kind] = text;
    if (stands)
        w->at = kind;
}

/* Return -1 if it has gone. */
static int thread_tick (struct watched *w, uint64_t now, int *reads)
{
    uint64_t cpu, ran, wall = now - w->last;
    int main = w->tid == self.main;
    uint64_t window = main                  ? WINDOW_MS
                      : self.threads < MANY ? WINDOW_OTHERS_MS
                                            : WINDOW_MANY_MS;

    if (sample_cpu (w->tid, &cpu) < 0 || cpu < w->last_cpu)
        return -1;
    ran = cpu - w->last_cpu;
    if (ran) {
        w->still = 0;
        w->at = KIND_UNKNOWN;
        if (ran * 100 < wall * 98 && (main || (*reads)-- > 0))
            thread_sample (w, now, 0);
    } else if (w->at != KIND_UNKNOWN)
        w->weight[w->at] += wall;
    else {
        w->still = w->still ? w->still : w->last;
        if (main || (*reads)-- > 0) {
            thread_sample (w, now, now - w->still);
            w->still = now;
        }
    }
    w->last = now;
    w->last_cpu = cpu;
    if (now - w->start >= window * NS_PER_MS)
        window_end (w, now, cpu, 0);
    return 0;
}

void waitsample_tick (uint32_t except)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC), until = now;
    int reads = READS, gone = 0;

    if (!self.thread || (recorder_layers & LAYER_PROFILE))
        return;
    if (now - self.listed > (uint64_t)LIST_MS * NS_PER_MS || thread_changed ())
        thread_list (except, now);
    if (self.untold.end && !self.flushed)
        thread_earlier ();
    for (unsigned n = 0; n < self.threads; n++) {
        unsigned i = (n + self.turn) % self.threads;

        if (thread_tick (&self.thread[i], now, &reads) < 0) {
            self.thread[i].round--;
            gone = 1;
        }
    }
    if (self.threads)
        self.turn = (self.turn + READS) % self.threads;
    for (unsigned i = self.threads; gone && i-- > 0;)
        if (self.thread[i].round != self.round)
            thread_forget (i);
    if (!self.flushed)
        self.flushed = now;
    if (now - self.flushed < FLUSH_NS && self.events < EVENTS / 2)
        return;
    self.flushed = now;
    for (unsigned i = 0; i < self.threads; i++)
        if (self.thread[i].start < until)
            until = self.thread[i].start;
    told_flush (until, 0);
}

/* --- from outside -----------------------------------------------------------
 */

void waitsample_earlier (uint64_t since, uint64_t told, uint64_t waited)
{
    uint64_t end = (self.began = clock_ns (CLOCK_MONOTONIC)) - told;

    if (end <= since + waited)
        return;
    self.untold = (struct told){
        .start = since + waited, .end = end, .tid = (uint32_t)sys_getpid ()};
    self.mixed = waited > (end - since) / MIXED;
    self.before = 0;
}

int waitsample_tells (uint64_t start)
{
    uint64_t end = __atomic_load_n (&self.untold.end, __ATOMIC_RELAXED);
    uint64_t room = end - self.untold.start;
    uint64_t ns = self.began > start ? self.began - start : 0;

    if (end)
        __atomic_store_n (&self.untold.end, end - (ns < room ? ns : room),
                          __ATOMIC_RELAXED);
    return !end && self.before && ns;
}

int waitsample_begin (void)
{
    if (!self.thread &&
        !(self.thread = sys_memory (THREADS * sizeof (*self.thread))))
        return -1;
    if (!self.event &&
        !(self.event = sys_memory (EVENTS * sizeof (*self.event)))) {
        self.thread = NULL;
        return -1;
    }
    self.threads = self.events = 0;
    self.main = (uint32_t)sys_getpid ();
    self.listed = self.flushed = 0;
    return 0;
}

void waitsample_end (int last)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC), cpu;

    if (!self.thread)
        return;
    for (unsigned i = self.threads; i-- > 0;) {
        struct watched *w = &self.thread[i];

        if (!(recorder_layers & LAYER_PROFILE) &&
            sample_cpu (w->tid, &cpu) == 0 && cpu >= w->cpu)
            window_end (w, now, cpu, 0);
        thread_forget (i);
    }
    told_flush (UINT64_MAX, last);
}

int waitsample_delay (uint32_t tid,
                      uint64_t *delay,
                      uint64_t *cpu,
                      uint64_t *at)
{
    unsigned n = __atomic_load_n (&self.threads, __ATOMIC_RELAXED);

    for (unsigned i = 0; self.thread && i < n && i < THREADS; i++) {
        const struct watched *w = &self.thread[i];

        if (__atomic_load_n (&w->tid, __ATOMIC_RELAXED) != tid)
            continue;
        *delay = __atomic_load_n (&w->delay, __ATOMIC_RELAXED);
        *cpu = __atomic_load_n (&w->cpu, __ATOMIC_RELAXED);
        *at = __atomic_load_n (&w->start, __ATOMIC_RELAXED);
        return *delay != 0;
    }
    return 0;
}

void waitsample_forked (void)
{
    if (self.untold.end || self.before)
        self.untold.end = 0, self.before = 0;
    if (!self.thread)
        return;
    self.threads = self.events = 0;
    self.blind = 0;
    memset (&self.chunk, 0, sizeof (self.chunk)); /* its page was wiped */
}
