/* SPDX-License-Identifier: MIT
 *
 * mmperf.c - perf_event_open -> rings -> faults with the time they took
 *
 * The kernel reports a major fault when it is over. What it waited for is
 * told by the context switches before it: the thread was put to sleep and
 * came back, perhaps several times, and shortly after that the fault was
 * done. Preemption is no sleep.
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "lib/core/record/highfd.h"
#include "lib/core/sys.h"
#include "preload/mm/mmperf.h"

enum {
    RINGS = 256,          /* threads at a time */
    RING_PAGES = 64,      /* of records: some 2500 faults with their switches */
    CHAIN_NS = 200000,    /* on the CPU between two sleeps of one fault */
    SWITCHES_A_S = 10000, /* more would cost the thread over 1 % */
    SWITCHES_AT_LEAST = 500 /* in one interval, before that is judged */
};

enum ring_state {
    RING_FREE = 0,
    RING_OPENING,
    RING_OPEN,
    RING_REFUSED /* watched no longer, or not at all */
};

struct ring {
    uint32_t state; /* enum ring_state */
    uint32_t tid;
    uint32_t seen; /* round in which the thread was there */
    uint32_t switches;
    struct perf_event_mmap_page *page;
    size_t bytes;
    uint64_t slept, woke; /* ns: begin and end of the present chain; 0 none */
    uint64_t asleep;      /* ns: switched out then; 0: running */
};

static struct ring rings[RINGS];
static unsigned sources;
static int error;
static uint64_t lost;
static uint32_t round_number;
static size_t page_bytes; /* set by the first watch */

/* --- opening -------------------------------------------------------------- */

static int open_event (pid_t tid, int user_only, int switches)
{
    struct perf_event_attr a;

    memset (&a, 0, sizeof (a));
    a.size = sizeof (a);
    a.type = PERF_TYPE_SOFTWARE;
    a.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ;
    a.sample_period = 1;
    a.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
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
static int open_best (pid_t tid, unsigned *what)
{
    static const struct {
        int user_only, switches;
        unsigned what;
    } ways[] = {{0, 1, MM_PERF | MM_PERF_KERNEL | MM_PERF_SWITCH},
                {1, 1, MM_PERF | MM_PERF_SWITCH},
                {1, 0, MM_PERF}};
    int fd = -1;

    for (size_t i = 0; fd < 0 && i < sizeof (ways) / sizeof (ways[0]); i++) {
        fd = open_event (tid, ways[i].user_only, ways[i].switches);
        *what = ways[i].what;
        if (fd < 0 && (errno == ESRCH || errno == ENOSYS))
            break;
    }
    return fd;
}

static int map_ring (struct ring *r, int fd)
{
    static const int pages[] = {RING_PAGES, RING_PAGES / 4, RING_PAGES / 16};

    for (size_t i = 0; i < sizeof (pages) / sizeof (pages[0]); i++) {
        size_t bytes = (size_t)(pages[i] + 1) * page_bytes;
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

static int open_ring (struct ring *r, pid_t tid)
{
    unsigned what;
    int fd = open_best (tid, &what), rc = -1;

    if (fd >= 0) {
        rc = map_ring (r, fd);
        if (rc < 0)
            error = errno;
        (void)sys_close (fd);
    } else if (errno != ESRCH)
        error = errno;
    if (rc == 0)
        __atomic_or_fetch (&sources, what, __ATOMIC_RELAXED);
    return rc;
}

static struct ring *claim (pid_t tid)
{
    for (int i = 0; i < RINGS; i++)
        if (__atomic_load_n (&rings[i].state, __ATOMIC_ACQUIRE) != RING_FREE &&
            rings[i].tid == (uint32_t)tid)
            return NULL;
    for (int i = 0; i < RINGS; i++) {
        uint32_t state = RING_FREE;

        if (__atomic_compare_exchange_n (&rings[i].state, &state, RING_OPENING,
                                         0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED)) {
            rings[i].tid = (uint32_t)tid;
            return &rings[i];
        }
    }
    return NULL;
}

int mmperf_watch (pid_t tid)
{
    struct ring *r;

    if (error && !sources)
        return -1; /* it has been refused before */
    if (!page_bytes)
        page_bytes = (size_t)sysconf (_SC_PAGESIZE);
    if (!(r = claim (tid)))
        return 0;
    r->page = NULL;
    r->switches = 0;
    r->slept = r->woke = r->asleep = 0;
    r->seen = round_number;
    if (open_ring (r, tid) < 0) {
        __atomic_store_n (&r->state, RING_REFUSED, __ATOMIC_RELEASE);
        return -1;
    }
    __atomic_store_n (&r->state, RING_OPEN, __ATOMIC_RELEASE);
    return 0;
}

static void close_ring (struct ring *r, enum ring_state state)
{
    if (r->page)
        (void)sys_munmap (r->page, r->bytes);
    r->page = NULL;
    __atomic_store_n (&r->state, state, __ATOMIC_RELEASE);
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
    (void)mmperf_watch (tid);
    for (int i = 0; i < RINGS; i++)
        if (rings[i].tid == (uint32_t)tid)
            rings[i].seen = round_number;
}

void mmperf_forget (void)
{
    for (int i = 0; i < RINGS; i++) {
        uint32_t state = __atomic_load_n (&rings[i].state, __ATOMIC_ACQUIRE);

        if ((state == RING_OPEN || state == RING_REFUSED) &&
            round_number - rings[i].seen > 1) {
            rings[i].tid = 0;
            close_ring (&rings[i], RING_FREE);
        }
    }
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
    (void)sys_close (fd);
}

/* --- records -------------------------------------------------------------- */

struct sample { /* as sample_type says; behind the header */
    uint32_t pid, tid;
    uint64_t time, addr;
};

struct switched { /* sample_id_all */
    uint32_t pid, tid;
    uint64_t time;
};

static void take_bytes (const struct ring *r, uint64_t at, void *to, size_t n)
{
    const char *data = (const char *)r->page + page_bytes;
    size_t room = r->bytes - page_bytes, from = (size_t)(at % room);
    size_t first = n < room - from ? n : room - from;

    memcpy (to, data + from, first);
    memcpy ((char *)to + first, data, n - first);
}

static void on_switch (struct ring *r, uint16_t misc, uint64_t time)
{
    r->switches++;
    if (misc & PERF_RECORD_MISC_SWITCH_OUT) {
        if (!(misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT))
            r->asleep = time;
        return;
    }
    if (!r->asleep)
        return;
    if (!r->slept || r->asleep - r->woke > CHAIN_NS)
        r->slept = r->asleep;
    r->woke = time;
    r->asleep = 0;
}

static void
on_fault (struct ring *r, const struct sample *s, struct mm_fault *f)
{
    f->end = s->time;
    f->start = r->slept && s->time - r->woke < CHAIN_NS ? r->slept : s->time;
    f->addr = s->addr;
    f->tid = s->tid;
    r->slept = r->woke = 0;
}

/* One record at *tail: 1 when it was a fault. */
static unsigned take (struct ring *r, uint64_t *tail, struct mm_fault *f)
{
    struct perf_event_header h;
    union {
        struct sample sample;
        struct switched switched;
        uint64_t lost[2]; /* id, number */
    } u;
    size_t n;

    take_bytes (r, *tail, &h, sizeof (h));
    if (h.size < sizeof (h)) { /* cannot be; nothing behind it can be read */
        *tail = __atomic_load_n (&r->page->data_head, __ATOMIC_ACQUIRE);
        return 0;
    }
    memset (&u, 0, sizeof (u));
    n = h.size - sizeof (h) < sizeof (u) ? h.size - sizeof (h) : sizeof (u);
    take_bytes (r, *tail + sizeof (h), &u, n);
    *tail += h.size;
    if (h.type == PERF_RECORD_SWITCH)
        on_switch (r, h.misc, u.switched.time);
    else if (h.type == PERF_RECORD_LOST)
        __atomic_add_fetch (&lost, u.lost[1], __ATOMIC_RELAXED);
    else if (h.type == PERF_RECORD_SAMPLE) {
        on_fault (r, &u.sample, f);
        return 1;
    }
    return 0;
}

static unsigned drain_ring (struct ring *r,
                            struct mm_fault *faults,
                            unsigned room,
                            unsigned *fullest)
{
    uint64_t head = __atomic_load_n (&r->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = r->page->data_tail;
    unsigned n = 0,
             full = (unsigned)((head - tail) * 100 / (r->bytes - page_bytes));

    if (full > *fullest)
        *fullest = full;
    while (tail < head && n < room)
        n += take (r, &tail, &faults[n]);
    __atomic_store_n (&r->page->data_tail, tail, __ATOMIC_RELEASE);
    return n;
}

unsigned mmperf_drain (struct mm_fault *faults,
                       unsigned room,
                       uint64_t elapsed,
                       unsigned *fullest)
{
    unsigned n = 0;

    *fullest = 0;
    for (int i = 0; i < RINGS; i++) {
        struct ring *r = &rings[i];

        if (__atomic_load_n (&r->state, __ATOMIC_ACQUIRE) != RING_OPEN)
            continue;
        n += drain_ring (r, faults + n, room - n, fullest);
        if (r->switches > SWITCHES_AT_LEAST &&
            r->switches > elapsed / 1000 * SWITCHES_A_S / 1000000)
            close_ring (r, RING_REFUSED);
        r->switches = 0;
    }
    return n;
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
        memset (rings, 0, sizeof (rings));
    sources = 0;
    lost = 0;
}
