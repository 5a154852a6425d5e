/* SPDX-License-Identifier: MIT
 *
 * mmring.c - perf_event_open -> rings -> records
 */
#include "config.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "preload/record/usage.h"
#include "lib/base/sys.h"
#include "preload/mmap/mmring.h"

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

    for (size_t i = 0; fd < 0 && i < sizeof (ways) / sizeof (ways[0]); i++) {
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
        page_bytes = (size_t)sysconf (_SC_PAGESIZE);
    memset (r, 0, sizeof (*r));
    if ((fd = open_best (tid, event, what)) < 0)
        return -1;
    rc = map_ring (r, fd, events[event].pages);
    saved_errno = errno;
    (void)sys_close (fd);
    errno = saved_errno;
    return rc;
}

void mmring_close (struct mmring *r)
{
    if (r->page)
        (void)sys_munmap (r->page, r->bytes);
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
