/* SPDX-License-Identifier: MIT
 *
 * mmperf.c - threads -> rings -> faults with the time they slept
 */
#include "config.h"

#include <linux/perf_event.h>
#include <sys/auxv.h>

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmperf.h"
#include "preload/record/usage.h"

enum {
    WATCHES = 256, /* threads at a time */
    /* Switches that no fault explains: more would cost the thread over 1 %. */
    SWITCHES_A_S = 10000,
    SWITCHES_AT_LEAST = 500, /* in one interval, before that is judged */
    /* Cost of a minor fault that is reported, by its two reports of 1.1 to 1.3
     * us each, as measured on a busy virtual machine; elsewhere they cost less.
     * Up to 0.5 % of the time is spent in any case, more where it shows at
     * least ten times as much of waiting. */
    MINOR_NS = 2600,
    MINOR_SHARE = 200,
    MINOR_WORTH = 10,
    MINORS_AT_LEAST = 200,
    BACKOFF_SHIFT_MAX = 6, /* 64 s */
    FULL = 99              /* percent of a ring: the next record may be lost */
};

static const uint64_t second_ns = 1000000000;

enum watch_state {
    WATCH_FREE = 0,
    WATCH_OPENING,
    WATCH_OPEN,
    WATCH_CLOSED /* given up for now, or for ever */
};

struct watch {
    uint32_t state; /* enum watch_state */
    uint32_t tid;
    uint32_t seen;   /* round in which the thread was there */
    int paired;      /* all three rings are open */
    unsigned tries;  /* how often something was given up */
    uint64_t retry;  /* ns: when to try again */
    uint64_t from;   /* ns: watched wholly since; 0: it is not */
    uint64_t until;  /* ns: all records before are taken */
    unsigned faults; /* found since it was judged */
    struct mm_watched told;
    struct mmring ring[MMRING_EVENTS];
    struct mmtrack track;
};

static struct watch watches[WATCHES];
static unsigned sources;
static int error;
static uint64_t lost;
static uint32_t round_number;
static unsigned fullest; /* percent, since it was asked; also by others */

/* --- opening --------------------------------------------------------------
 */

static void close_rings (struct watch *w, enum mmring_event from)
{
    for (int e = (int)from; e < MMRING_EVENTS; e++)
        mmring_close (&w->ring[e]);
    w->paired = 0;
    w->from = 0;
}

/* The two that report minor faults, or none. */
static void open_pair (struct watch *w)
{
    unsigned what;

    if (mmring_open (&w->ring[MMRING_ENTRY], (pid_t)w->tid, MMRING_ENTRY,
                     &what) < 0 ||
        mmring_open (&w->ring[MMRING_MINOR], (pid_t)w->tid, MMRING_MINOR,
                     &what) < 0) {
        close_rings (w, MMRING_ENTRY);
        w->retry = UINT64_MAX;
        return;
    }
    w->paired = 1;
    w->from = clock_ns (CLOCK_MONOTONIC);
    __atomic_store_n (&fullest, 100, __ATOMIC_RELAXED); /* judge it soon */
}

static int open_watch (struct watch *w)
{
    unsigned what = 0;

    mmtrack_start (&w->track, w->tid);
    w->until = 0;
    if (mmring_open (&w->ring[MMRING_MAJOR], (pid_t)w->tid, MMRING_MAJOR,
                     &what) < 0) {
        if (errno != ESRCH)
            error = errno;
        w->retry = UINT64_MAX;
        return -1;
    }
    if (what & MM_PERF_SWITCH)
        open_pair (w);
    __atomic_or_fetch (&sources, what, __ATOMIC_RELAXED);
    return 0;
}

static struct watch *mmperf_claim (pid_t tid)
{
    for (int i = 0; i < WATCHES; i++)
        if (__atomic_load_n (&watches[i].state, __ATOMIC_ACQUIRE) !=
                WATCH_FREE &&
            watches[i].tid == (uint32_t)tid)
            return NULL;
    for (int i = 0; i < WATCHES; i++) {
        uint32_t state = WATCH_FREE;

        if (__atomic_compare_exchange_n (&watches[i].state, &state,
                                         WATCH_OPENING, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED)) {
            watches[i].tid = (uint32_t)tid;
            return &watches[i];
        }
    }
    return NULL;
}

int mmperf_watch (pid_t tid)
{
    struct watch *w;
    int rc;

    if (error && !sources)
        return -1; /* it has been refused before */
    if (!(w = mmperf_claim (tid)))
        return 0;
    w->seen = round_number;
    w->tries = w->faults = 0;
    w->retry = 0;
    rc = open_watch (w);
    __atomic_store_n (&w->state, rc < 0 ? WATCH_CLOSED : WATCH_OPEN,
                      __ATOMIC_RELEASE);
    return rc;
}

/* --- threads -------------------------------------------------------------- */

struct entry { /* linux_dirent64 */
    uint64_t ino;
    int64_t off;
    uint16_t length;
    uint8_t type;
    char name[];
};

static void thread_seen (const char *name, pid_t except)
{
    pid_t tid = 0;

    for (; *name >= '0' && *name <= '9'; name++)
        tid = tid * 10 + (*name - '0');
    if (tid == 0 || tid == except)
        return;
    mmperf_watch (tid);
    for (int i = 0; i < WATCHES; i++)
        if (watches[i].tid == (uint32_t)tid)
            watches[i].seen = round_number;
}

void mmperf_watch_all (pid_t except)
{
    char buf[4096] __attribute__ ((aligned (8)));
    int fd =
        highfd_open (AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    long n;

    if (fd < 0)
        return;
    round_number++;
    while ((n = sys_call (SYS_getdents64, fd, buf, sizeof (buf))) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const struct entry *)(buf + at);

            thread_seen (e->name, except);
            at += e->length;
        }
    sys_close (fd);
}

/* --- records -------------------------------------------------------------- */

/* The event whose next record is the earliest; -1: there is none. */
static int earliest (const struct watch *w, uint64_t until)
{
    uint64_t time = until;
    int found = -1;

    for (int e = 0; e < MMRING_EVENTS; e++)
        if (w->ring[e].next.kind != MMRING_NOTHING &&
            w->ring[e].next.time < time) {
            time = w->ring[e].next.time;
            found = e;
        }
    return found;
}

static unsigned drain_watch (struct watch *w,
                             struct mm_fault *faults,
                             unsigned room,
                             uint64_t until)
{
    unsigned n = 0;
    int e;

    for (e = 0; e < MMRING_EVENTS; e++) {
        unsigned full = mmring_begin (&w->ring[e]);

        w->track.lost += full >= FULL; /* the kernel says so later, if ever */
        fullest = full > fullest ? full : fullest;
    }
    while (n < room && (e = earliest (w, until)) >= 0) {
        int found = mmtrack_record (&w->track, (enum mmring_event)e,
                                    &w->ring[e].next, w->paired, &faults[n]);

        if (found)
            faults[n++].tid = w->tid;
        mmring_pass (&w->ring[e]);
    }
    for (e = 0; e < MMRING_EVENTS; e++)
        mmring_end (&w->ring[e]);
    if (n)
        mmtrack_delays (&w->track, w->tid, faults, n);
    w->faults += n;
    return n;
}

unsigned mmperf_drain (struct mm_fault *faults, unsigned room, int last)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC);
    unsigned n = 0;

    for (int i = 0; i < WATCHES; i++) {
        struct watch *w = &watches[i];

        if (__atomic_load_n (&w->state, __ATOMIC_ACQUIRE) != WATCH_OPEN)
            continue;
        w->until = now;
        n += drain_watch (w, faults + n, room - n, last ? UINT64_MAX : now);
    }
    return n;
}

/* --- what it is worth ------------------------------------------------------
 */

/* It was watched wholly up to a time. */
static void mmperf_tell (struct watch *w, uint64_t until)
{
    if (w->from && w->from < until)
        w->told = (struct mm_watched){w->from, until, w->tid};
}

static void rest (struct watch *w, uint64_t now)
{
    w->retry =
        now + (second_ns << (w->tries < BACKOFF_SHIFT_MAX ? w->tries
                                                          : BACKOFF_SHIFT_MAX));
    w->tries++;
}

static int too_many_switches (const struct watch *w, uint64_t elapsed)
{
    uint32_t explained = 2 * w->track.slow;
    uint32_t others =
        w->track.switches > explained ? w->track.switches - explained : 0;

    return others > SWITCHES_AT_LEAST &&
           others > elapsed / 1000 * SWITCHES_A_S / 1000000;
}

static int too_many_minors (const struct watch *w, uint64_t elapsed)
{
    uint64_t cost = (uint64_t)w->track.minors * MINOR_NS;

    return w->track.minors > MINORS_AT_LEAST && cost > elapsed / MINOR_SHARE &&
           cost > w->track.minor_ns / MINOR_WORTH;
}

static void judge_open (struct watch *w, uint64_t now, uint64_t elapsed)
{
    struct mmtrack *t = &w->track;

    if (t->lost) {
        __atomic_add_fetch (&lost, t->lost, __ATOMIC_RELAXED);
        w->from = w->from ? w->until : 0; /* what was before is not sure */
    } else if (w->faults) {
        mmperf_tell (w, w->until);
        w->from = w->from ? w->until : 0;
    }
    if (too_many_switches (w, elapsed)) {
        mmperf_tell (w, w->until);
        close_rings (w, MMRING_MAJOR);
        rest (w, now);
        __atomic_store_n (&w->state, WATCH_CLOSED, __ATOMIC_RELEASE);
    } else if (w->paired && too_many_minors (w, elapsed)) {
        mmperf_tell (w, w->until);
        close_rings (w, MMRING_ENTRY);
        rest (w, now);
    }
    w->faults = 0;
    mmtrack_judged (t);
}

/* Try again what was given up. */
static void try_again (struct watch *w, uint32_t state, uint64_t now)
{
    if (now < w->retry || (state == WATCH_OPEN && w->paired) ||
        !(sources & MM_PERF_SWITCH))
        return;
    if (state == WATCH_OPEN)
        open_pair (w);
    else if (open_watch (w) == 0)
        __atomic_store_n (&w->state, WATCH_OPEN, __ATOMIC_RELEASE);
}

static void judge_ended (struct watch *w)
{
    mmperf_tell (w, w->until);
    w->tid = 0;
    close_rings (w, MMRING_MAJOR);
    __atomic_store_n (&w->state, WATCH_FREE, __ATOMIC_RELEASE);
}

unsigned mmperf_judge (uint64_t elapsed, int may_open, int last)
{
    uint64_t now = clock_ns (CLOCK_MONOTONIC);
    unsigned full = __atomic_exchange_n (&fullest, 0, __ATOMIC_RELAXED);

    for (int i = 0; i < WATCHES; i++) {
        struct watch *w = &watches[i];
        uint32_t state = __atomic_load_n (&w->state, __ATOMIC_ACQUIRE);

        w->told.tid = 0;
        if (state != WATCH_OPEN && state != WATCH_CLOSED)
            continue;
        if (state == WATCH_OPEN && w->until)
            judge_open (w, now, elapsed);
        if (last)
            mmperf_tell (w, w->until);
        else if (round_number - w->seen > 1)
            judge_ended (w);
        else if (may_open)
            try_again (w, w->state, now);
    }
    return full;
}

int mmperf_watched (unsigned i, struct mm_watched *w)
{
    if (i >= WATCHES)
        return -1;
    *w = watches[i].told;
    return w->tid != 0;
}

unsigned mmperf_sources (void)
{
    return __atomic_load_n (&sources, __ATOMIC_RELAXED);
}

int mmperf_errno (void)
{
    return error;
}

uint64_t mmperf_lost (void)
{
    return __atomic_load_n (&lost, __ATOMIC_RELAXED);
}

/* Rings are not mapped here. */
void mmperf_atfork_child (void)
{
    if (sources || error) /* else they are as they were */
        memset (watches, 0, sizeof (watches));
    sources = 0;
    lost = 0;
}

/* ---- perf_event_open -> rings -> records ---- */

/* Pages of records: some 1600 major faults with their switches, 4000 minor
 * ones. */
static const struct {
    uint64_t config, sample;
    int switches, pages;
} events[MMRING_EVENTS] = {
    [MMRING_MAJOR] = {PERF_COUNT_SW_PAGE_FAULTS_MAJ,
                      PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR, 1, 32},
    [MMRING_ENTRY] = {PERF_COUNT_SW_PAGE_FAULTS,
                      PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR, 0, 32},
    [MMRING_MINOR] = {PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_SAMPLE_TIME, 0, 16},
};

static size_t page_bytes; /* set by the first open */

static int
open_event (pid_t tid, enum mmring_event event, int user_only, int switches)
{
    struct perf_event_attr a;

    memset (&a, 0, sizeof (a));
    a.size = sizeof (a);
    a.type = PERF_TYPE_SOFTWARE;
    a.config = events[event].config;
    a.sample_period = 1;
    a.sample_type = events[event].sample;
    a.exclude_kernel = user_only != 0;
    a.exclude_hv = 1;
    a.use_clockid = 1;
    a.clockid = CLOCK_MONOTONIC;
    a.context_switch = switches != 0;
    a.sample_id_all = 1;
    a.watermark = 1; /* nobody is woken */
    a.wakeup_watermark = UINT32_MAX;
    return (int)sys_call (SYS_perf_event_open, &a, tid, -1, -1,
                          PERF_FLAG_FD_CLOEXEC);
}

/* As much as is allowed. */
static int open_best (pid_t tid, enum mmring_event event, unsigned *what)
{
    static const struct {
        int user_only, switches;
        unsigned what;
    } ways[] = {{0, 1, MM_PERF | MM_PERF_KERNEL | MM_PERF_SWITCH},
                {1, 1, MM_PERF | MM_PERF_SWITCH},
                {1, 0, MM_PERF}};
    int fd = -1;

    for (size_t i = 0; fd < 0 && i < ITEMS (ways); i++) {
        fd = open_event (tid, event, ways[i].user_only,
                         ways[i].switches && events[event].switches);
        *what = ways[i].what;
        if (fd < 0 && (errno == ESRCH || errno == ENOSYS))
            break;
    }
    return fd;
}

static int map_ring (struct mmring *r, int fd, int pages)
{
    for (; pages >= 2; pages /= 4) {
        size_t bytes = (size_t)(pages + 1) * page_bytes;
        void *p =
            sys_mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

        if (p != MAP_FAILED) {
            r->page = p;
            r->bytes = bytes;
            return 0;
        }
    }
    return -1;
}

int mmring_open (struct mmring *r,
                 pid_t tid,
                 enum mmring_event event,
                 unsigned *what)
{
    int fd, rc, saved_errno;

    if (!page_bytes)
        page_bytes = getauxval (AT_PAGESZ);
    memset (r, 0, sizeof (*r));
    if ((fd = open_best (tid, event, what)) < 0)
        return -1;
    rc = map_ring (r, fd, events[event].pages);
    saved_errno = errno;
    sys_close (fd);
    errno = saved_errno;
    return rc;
}

void mmring_close (struct mmring *r)
{
    if (r->page)
        sys_munmap (r->page, r->bytes);
    memset (r, 0, sizeof (*r));
}

/* --- records -------------------------------------------------------------- */

static void
mmring_take_bytes (const struct mmring *r, uint64_t at, void *to, size_t n)
{
    const char *data = (const char *)r->page + page_bytes;
    size_t room = r->bytes - page_bytes, from = (size_t)(at % room);
    size_t first = n < room - from ? n : room - from;

    memcpy (to, data + from, first);
    memcpy ((char *)to + first, data, n - first);
}

/* Words behind the header, by sample_type and sample_id_all. */
enum { WORD_TIME = 0, WORD_ADDR = 1, WORD_LOST = 1, WORD_LOST_TIME = 2 };

static struct mmring_record record_of (const struct perf_event_header *h,
                                       const uint64_t *word)
{
    struct mmring_record rec = {.time = word[WORD_TIME]};

    switch (h->type) {
    case PERF_RECORD_SWITCH:
        rec.kind = !(h->misc & PERF_RECORD_MISC_SWITCH_OUT) ? MMRING_RUN
                   : h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT
                       ? MMRING_PREEMPT
                       : MMRING_SLEEP;
        break;
    case PERF_RECORD_SAMPLE:
        rec.kind = MMRING_FAULT;
        rec.addr = word[WORD_ADDR];
        break;
    case PERF_RECORD_LOST:
        rec.kind = MMRING_LOST;
        rec.lost = word[WORD_LOST];
        rec.time = word[WORD_LOST_TIME];
        break;
    case PERF_RECORD_THROTTLE:
        rec.kind = MMRING_LOST;
        rec.lost = 1;
        break;
    default:
        break;
    }
    return rec;
}

/* Look at the record at the tail; those that say nothing are passed. */
static void mmring_look (struct mmring *r)
{
    struct perf_event_header h;
    uint64_t word[3];
    size_t n;

    r->next.kind = MMRING_NOTHING;
    while (r->next.kind == MMRING_NOTHING && r->tail < r->head) {
        mmring_take_bytes (r, r->tail, &h, sizeof (h));
        if (h.size < sizeof (h)) { /* cannot be; what follows is unknown */
            r->tail = r->head;
            return;
        }
        memset (word, 0, sizeof (word));
        n = h.size - sizeof (h) < sizeof (word) ? h.size - sizeof (h)
                                                : sizeof (word);
        mmring_take_bytes (r, r->tail + sizeof (h), word, n);
        r->next = record_of (&h, word);
        r->size = h.size;
        if (r->next.kind == MMRING_NOTHING)
            r->tail += h.size;
    }
}

unsigned mmring_begin (struct mmring *r)
{
    r->next.kind = MMRING_NOTHING;
    if (!r->page)
        return 0;
    r->head = __atomic_load_n (&r->page->data_head, __ATOMIC_ACQUIRE);
    r->tail = r->page->data_tail;
    mmring_look (r);
    return (unsigned)((r->head - r->tail) * 100 / (r->bytes - page_bytes));
}

void mmring_pass (struct mmring *r)
{
    r->tail += r->size;
    mmring_look (r);
}

void mmring_end (struct mmring *r)
{
    if (r->page)
        __atomic_store_n (&r->page->data_tail, r->tail, __ATOMIC_RELEASE);
}

/* ---- faults and context switches of one thread -> how long it slept ---- */

enum {
    CHAIN_NS = 200000 /* on the CPU between two sleeps of one fault */
};

static void forget_fault (struct mmtrack *t)
{
    t->entered = t->slept = t->woke = 0;
    t->sleeps = 0;
}

static void wake (struct mmtrack *t, uint64_t time, int paired)
{
    if (paired ? !t->entered : t->woke && t->asleep - t->woke > CHAIN_NS)
        forget_fault (t);
    t->slept += time - t->asleep;
    t->slept_ns += time - t->asleep;
    t->woke = time;
    t->sleeps++;
}

/* A thread that was switched out before it was watched may have waited for a
 * CPU all the time. */
static void on_run (struct mmtrack *t, uint64_t time, int paired)
{
    if (!t->preempted && !t->asleep)
        t->preempted = t->since;
    if (t->preempted && time > t->preempted)
        t->preempted_ns += time - t->preempted;
    if (t->asleep && time > t->asleep)
        wake (t, time, paired);
    t->asleep = t->preempted = 0;
}

static int end_fault (struct mmtrack *t,
                      const struct mmring_record *r,
                      int minor,
                      struct mm_fault *f)
{
    *f = (struct mm_fault){.start = r->time - t->slept,
                           .end = r->time,
                           .addr = minor ? t->addr : r->addr,
                           .minor = (uint32_t)minor};
    if (t->sleeps)
        t->slow++;
    if (minor)
        t->minor_ns += t->slept;
    forget_fault (t);
    return 1;
}

static int on_fault (struct mmtrack *t,
                     enum mmring_event event,
                     const struct mmring_record *r,
                     int paired,
                     struct mm_fault *f)
{
    switch (event) {
    case MMRING_ENTRY:
        forget_fault (t);
        t->entered = r->time;
        t->addr = r->addr;
        return 0;
    case MMRING_MINOR:
        t->minors++;
        if (t->entered && t->sleeps)
            return end_fault (t, r, 1, f);
        forget_fault (t);
        return 0;
    default:
        if (paired ? !t->entered : r->time - t->woke > CHAIN_NS)
            forget_fault (t);
        return end_fault (t, r, 0, f);
    }
}

int mmtrack_record (struct mmtrack *t,
                    enum mmring_event event,
                    const struct mmring_record *r,
                    int paired,
                    struct mm_fault *f)
{
    switch (r->kind) {
    case MMRING_SLEEP:
        t->asleep = r->time;
        t->switches++;
        return 0;
    case MMRING_PREEMPT:
        t->preempted = r->time;
        t->switches++;
        return 0;
    case MMRING_RUN:
        on_run (t, r->time, paired);
        t->switches++;
        return 0;
    case MMRING_LOST:
        t->lost += r->lost;
        forget_fault (t);
        t->asleep = t->preempted = 0;
        t->since = r->time;
        return 0;
    case MMRING_FAULT:
        return on_fault (t, event, r, paired, f);
    default:
        return 0;
    }
}

/* --- waiting for a CPU ------------------------------------------------------
 */

static char *mmtrack_put_number (char *to, uint32_t n)
{
    char digits[10];
    int count = 0;

    do
        digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count)
        *to++ = digits[--count];
    return to;
}

/* The second number of schedstat: "running delay slices". 0: not known. */
static uint64_t delay_of (uint32_t tid)
{
    static const char before[] = "/proc/self/task/", behind[] = "/schedstat";
    char path[sizeof (before) + 10 + sizeof (behind)], buf[96], *p;
    uint64_t ns = 0;
    ssize_t n;
    int fd;

    memcpy (path, before, sizeof (before));
    p = mmtrack_put_number (path + sizeof (before) - 1, tid);
    memcpy (p, behind, sizeof (behind));
    if ((fd = highfd_open (AT_FDCWD, path, O_RDONLY, 0)) < 0)
        return 0;
    n = sys_read (fd, buf, sizeof (buf) - 1);
    sys_close (fd);
    buf[n > 0 ? n : 0] = '\0';
    if ((p = strchr (buf, ' ')))
        for (p++; *p >= '0' && *p <= '9'; p++)
            ns = ns * 10 + (uint64_t)(*p - '0');
    return ns;
}

void mmtrack_start (struct mmtrack *t, uint32_t tid)
{
    memset (t, 0, sizeof (*t));
    t->delay_ns = delay_of (tid);
    t->since = clock_ns (CLOCK_MONOTONIC);
}

void mmtrack_delays (struct mmtrack *t,
                     uint32_t tid,
                     struct mm_fault *f,
                     unsigned n)
{
    uint64_t delay = delay_of (tid), off = 0;

    if (delay > t->delay_ns + t->preempted_ns)
        off = delay - t->delay_ns - t->preempted_ns;
    if (off > t->slept_ns)
        off = t->slept_ns;
    for (unsigned i = 0; off && i < n; i++)
        f[i].start += (uint64_t)((double)(f[i].end - f[i].start) * (double)off /
                                 (double)t->slept_ns);
    t->delay_ns = delay;
    t->slept_ns = t->preempted_ns = 0;
}

void mmtrack_judged (struct mmtrack *t)
{
    t->switches = t->slow = t->minors = 0;
    t->minor_ns = t->lost = 0;
}
