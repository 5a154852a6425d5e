/* SPDX-License-Identifier: MIT
 *
 * mmwalk.c - mappings of the registry, a piece at a time -> mm_pages events
 *
 * Large mappings are looked at over several ticks. Caveat: one caller at a
 * time; the sampler's lock sees to it.
 */
#include "config.h"

#include <sys/auxv.h>
#include <sys/ioctl.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/mmap/mm.h"
#include "preload/mmap/mmregistry.h"
#include "preload/mmap/mmwalk.h"

enum { WALK_BYTES = 1 << 25 /* of a mapping at a time */ };

/* How far a mapping has been looked at. */
struct walk {
    uint32_t id;
    uint64_t next;            /* address; 0: begin anew */
    uint64_t present, cached; /* of this pass so far */
    uint64_t present_before, cached_before;
    uint32_t deliveries; /* at the last look at the cache */
    int cached_known;
    int baseline; /* cached_before is of this mapping */
    int skip;     /* present_before is not: a first look that counts nothing */
};

static struct {
    unsigned first; /* slot to begin with */
    unsigned how;   /* enum mm_source */
    uint64_t unlooked;
    struct walk walks[MMREG_MAX];
} self;

uint64_t mmwalk_cpu_ns (void)
{
    return clock_ns (CLOCK_THREAD_CPUTIME_ID);
}

void mmwalk_skip (uint64_t bytes)
{
    __atomic_add_fetch (&self.unlooked, bytes, __ATOMIC_RELAXED);
}

uint64_t mmwalk_unlooked (void)
{
    return __atomic_load_n (&self.unlooked, __ATOMIC_RELAXED);
}

unsigned mmwalk_how (void)
{
    return self.how;
}

static struct walk *walk_of (unsigned slot, const struct mm_map *m)
{
    struct walk *w = &self.walks[slot];

    if (w->id != m->id) {
        *w = (struct walk){.id = m->id, .baseline = m->cached >= 0};
        w->cached_before = w->baseline ? (uint64_t)m->cached : 0;
    }
    return w;
}

static void finish_walk (struct walk *w, const struct mm_map *m)
{
    struct mmevent_pages p = {.map = m,
                              .present = w->present,
                              .cached = w->cached,
                              .cached_known = w->cached_known};

    if (!w->skip && w->present > w->present_before)
        p.touched = w->present - w->present_before;
    if (w->cached_known && w->baseline && w->cached > w->cached_before)
        p.loaded = w->cached - w->cached_before;
    if (p.touched || p.loaded || w->present < w->present_before ||
        (p.cached_known && !w->baseline))
        mmevent_pages (&p);
    w->skip = 0;
    w->present_before = w->present;
    if (w->cached_known) {
        w->baseline = 1;
        w->cached_before = w->cached;
    }
    w->present = w->cached = 0;
    w->next = 0;
}

/* One mapping, on from where it was left, until the time is over. False: that
 * was before its end. */
static int walk_map (unsigned slot,
                     const struct mm_map *m,
                     int fd,
                     uint64_t deadline,
                     int anew,
                     uint32_t deliveries)
{
    struct walk *w = walk_of (slot, m);
    uint64_t at = m->start;

    if (!anew && w->next > m->start && w->next < m->end)
        at = w->next;

    if (at == m->start) {
        w->present = w->cached = 0;
        w->cached_known = m->own && w->deliveries != deliveries;
        w->deliveries = deliveries;
    }
    while (at < m->end) {
        uint64_t to = m->end - at > WALK_BYTES ? at + WALK_BYTES : m->end;
        int64_t n = mmpages_present (fd, at, to, &self.how);

        if (n > 0)
            w->present += (uint64_t)n;
        if (w->cached_known && at < m->filled &&
            (n = mmpages_cached (at, to < m->filled ? to : m->filled)) > 0)
            w->cached += (uint64_t)n;
        w->next = at = to;
        if (mmwalk_cpu_ns () > deadline)
            break;
    }
    if (at < m->end)
        return 0;
    finish_walk (w, m);
    return 1;
}

int mmwalk_maps (uint64_t start,
                 uint64_t end,
                 uint64_t deadline,
                 int anew,
                 uint32_t deliveries)
{
    unsigned n = mmreg_slots (), i;
    int whole = 1, fd;
    struct mm_map m;

    if (!mm_maps)
        return 1;
    if (mmpages_start () < 0)
        return 0;
    fd = mmpages_open ();
    for (i = 0; i < n && mmwalk_cpu_ns () < deadline; i++) {
        unsigned slot = (self.first + i) % n;

        if (mmreg_get (slot, &m) && m.start < end && m.end > start)
            whole &= walk_map (slot, &m, fd, deadline, anew, deliveries);
    }
    whole &= i == n;
    if (n)
        self.first = (self.first + i) % n;
    if (fd >= 0)
        sys_close (fd);
    return whole;
}

static void rebase (unsigned slot, const struct mm_map *m, int fd, int may)
{
    struct walk *w = &self.walks[slot];
    int64_t present = -1, cached = -1;

    *w = (struct walk){.id = m->id, .skip = 1};
    if (!may)
        return;
    present = mmpages_present (fd, m->start, m->end, &self.how);
    if (m->own && m->start < m->filled)
        cached = mmpages_cached (m->start, m->filled);
    w->skip = present < 0;
    w->present_before = present > 0 ? (uint64_t)present : 0;
    w->baseline = cached >= 0;
    w->cached_before = cached > 0 ? (uint64_t)cached : 0;
}

void mmwalk_rebase (uint32_t id, int may)
{
    struct mm_map m;
    int fd;

    if (mmpages_start () < 0)
        may = 0;
    fd = may ? mmpages_open () : -1;
    for (unsigned i = 0; i < mmreg_slots (); i++)
        if (mmreg_get (i, &m) && m.id == id) {
            rebase (i, &m, fd, may);
            if (self.walks[i].skip && m.filled > m.start)
                mmwalk_skip (m.filled - m.start);
        }
    if (fd >= 0)
        sys_close (fd);
}

void mmwalk_atfork_child (void)
{
    memset (self.walks, 0, mmreg_slots () * sizeof (self.walks[0]));
    self.how = 0;
    self.unlooked = 0;
}

/* ---- PAGEMAP_SCAN, /proc/self/pagemap, mincore -> bytes ---- */

enum {
    BUFFER_BYTES = 65536,
    SMALL_BYTES = 4096,
    REGIONS = BUFFER_BYTES / 24,
    ENTRIES = BUFFER_BYTES / 8,
    ENTRY_PRESENT = 63 /* bit of a pagemap entry */
};

/* linux/fs.h of 6.7; older headers do not have it. */
struct scan_region {
    uint64_t start, end, categories;
};
struct scan_arg {
    uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask;
    uint64_t return_mask;
};
#define SCAN         _IOWR ('f', 16, struct scan_arg)
#define SCAN_PRESENT (UINT64_C (1) << 3)
_Static_assert(sizeof (struct scan_arg) == 96, "as the kernel has it");

static unsigned char *buffer;
static uint64_t page_bytes = 4096;
static int no_scan; /* the kernel does not know it */

int mmpages_start (void)
{
    page_bytes = getauxval (AT_PAGESZ);
    if (!buffer)
        buffer = sys_memory (BUFFER_BYTES);
    return buffer ? 0 : -1;
}

/* The main thread may have ended. */
int mmpages_open (void)
{
    return highfd_open (AT_FDCWD, "/proc/thread-self/pagemap", O_RDONLY, 0);
}

static int64_t mmpages_scan (int fd, uint64_t start, uint64_t end)
{
    const struct scan_region *r = (const struct scan_region *)buffer;
    int64_t bytes = 0;

    while (start < end) {
        struct scan_arg arg = {.size = sizeof (arg),
                               .start = start,
                               .end = end,
                               .vec = (uint64_t)(uintptr_t)buffer,
                               .vec_len = REGIONS,
                               .category_mask = SCAN_PRESENT,
                               .return_mask = SCAN_PRESENT};
        long n = sys_call (SYS_ioctl, fd, SCAN, &arg);

        if (n < 0)
            return -1;
        for (long i = 0; i < n; i++)
            bytes += (int64_t)(r[i].end - r[i].start);
        if (arg.walk_end <= start)
            break;
        start = arg.walk_end;
    }
    return bytes;
}

static int64_t read_map (int fd, uint64_t start, uint64_t end)
{
    const uint64_t *entry = (const uint64_t *)buffer;
    int64_t bytes = 0;

    while (start < end) {
        uint64_t pages = (end - start + page_bytes - 1) / page_bytes;
        long n;

        if (pages > ENTRIES)
            pages = ENTRIES;
        n = sys_pread (fd, buffer, pages * sizeof (*entry),
                       (off_t)(start / page_bytes * sizeof (*entry)));
        if (n < (long)sizeof (*entry))
            return n < 0 ? -1 : bytes;
        n /= (long)sizeof (*entry);
        for (long i = 0; i < n; i++)
            if (entry[i] >> ENTRY_PRESENT & 1)
                bytes += (int64_t)page_bytes;
        start += (uint64_t)n * page_bytes;
    }
    return bytes;
}

int64_t mmpages_present (int fd, uint64_t start, uint64_t end, unsigned *source)
{
    if (fd < 0)
        return -1;
    if (!no_scan) {
        int64_t bytes = mmpages_scan (fd, start, end);

        *source = MM_PAGEMAP_SCAN;
        if (bytes >= 0)
            return bytes;
        no_scan = errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP;
    }
    *source = MM_PAGEMAP;
    return read_map (fd, start, end);
}

static int64_t
ask_cache (uint64_t start, uint64_t end, unsigned char *pages_at, size_t room)
{
    int64_t bytes = 0;

    while (start < end) {
        uint64_t pages = (end - start + page_bytes - 1) / page_bytes;

        if (pages > room)
            pages = room;
        if (sys_call (SYS_mincore, start, pages * page_bytes, pages_at) < 0)
            return -1;
        for (uint64_t i = 0; i < pages; i++)
            bytes += pages_at[i] & 1 ? (int64_t)page_bytes : 0;
        start += pages * page_bytes;
    }
    return bytes;
}

int64_t mmpages_cached (uint64_t start, uint64_t end)
{
    return ask_cache (start, end, buffer, BUFFER_BYTES);
}

/* linux/mman.h of 6.5. */
struct cache_range {
    uint64_t offset, length;
};
struct cache_state {
    uint64_t cached, dirty, writeback, evicted, recently_evicted;
};
enum { SYS_CACHESTAT = 451 };

int64_t mmpages_of_file (int fd, uint64_t offset, uint64_t length)
{
    struct cache_range range = {offset, length};
    struct cache_state state;

    if (sys_call (SYS_CACHESTAT, fd, &range, &state, 0) < 0)
        return -1;
    return (int64_t)(state.cached * page_bytes);
}

int64_t mmpages_cached_now (uint64_t start, uint64_t end)
{
    unsigned char pages[SMALL_BYTES];

    return ask_cache (start, end, pages, sizeof (pages));
}
