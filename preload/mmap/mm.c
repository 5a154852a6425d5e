/* SPDX-License-Identifier: MIT
 *
 * mm.c - what happens to mappings -> registry and sampler
 */

/* Design. Layer mmap sees what no call shows. mmreg knows the mappings of
 * files on storage; usage asks the kernel for the thread's faults, bytes
 * from storage and waiting, at edges of regions and around calls, but only
 * where it was out of sight for more than 50 us; mmsampler, one thread,
 * begun with the first file mapping of a process, asks now and then which
 * pages are there (mmpages) and takes what the kernel wrote into the rings
 * of mmperf. It has all signals blocked, no descriptor, ends where it costs
 * more than 1 %, where it is the last thread, and begins anew in a child of
 * fork that goes on. */

#include "config.h"

#include <sys/auxv.h>

#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/mmap/mm.h"
#include "preload/mmap/mmregistry.h"
#include "preload/mmap/mmsampler.h"
#include "preload/mmap/mmwalk.h"
#include "preload/record/recorder.h"
#include "preload/record/usage.h"
#include "preload/waits.h"

enum {
    /* Mapped in all before a thread is worth its while. 2026-11: what a
     * program maps to look at a file or two is less. */
    WATCH_BYTES = 1 << 20,
    /* Mappings that are new or about to go are looked at while that has cost
     * less than LOOKS_NS, or 1/LOOKS_SHARE of the time so far. */
    LOOKS_NS = 5000000,
    LOOKS_SHARE = 200,
    LOOK_BYTES = 32 << 20 /* longer mappings are looked at only by cachestat */
};

static const struct settings *settings; /* NULL: the layer is not traced */
static uint64_t mapped;                 /* bytes, so far */
static uint64_t began_ns, looks_ns;
static uint64_t page_mask = 4095;

static void new_thread (void)
{
    if (!settings->mmap_sampler)
        return;
    if (mmsampler_running ())
        mmsampler_watch_self ();
    else if (mm_maps && mapped >= WATCH_BYTES)
        mmsampler_start ();
}

void mm_start (const struct settings *s)
{
    if (!(recorder_layers & LAYER_MMAP))
        return;
    settings = s;
    sys_map_away ();
    page_mask = getauxval (AT_PAGESZ) - 1;
    began_ns = clock_ns (CLOCK_MONOTONIC);
    mmsampler_init (s->mmap_perf);
    usage_new_thread = new_thread;
}

/* May the user ask which pages are in the cache? Of files of others the
 * kernel says that all are. */
static int mm_is_own (const struct stat *st)
{
    uid_t uid = (uid_t)sys_call (SYS_geteuid);

    return uid == 0 || st->st_uid == uid;
}

/* May this thread spend time on a look? *since for looked (). */
static int may_look (uint64_t *since)
{
    uint64_t so_far = clock_ns (CLOCK_MONOTONIC) - began_ns;

    *since = clock_ns (CLOCK_THREAD_CPUTIME_ID);
    return settings->mmap_sampler &&
           __atomic_load_n (&looks_ns, __ATOMIC_RELAXED) <
               LOOKS_NS + so_far / LOOKS_SHARE;
}

static void looked (uint64_t since)
{
    __atomic_add_fetch (&looks_ns, clock_ns (CLOCK_THREAD_CPUTIME_ID) - since,
                        __ATOMIC_RELAXED);
}

/* How warm a new mapping is. */
static void look_new (struct mm_map *m, int fd)
{
    struct mmevent_pages p = {.map = m, .cached_known = 1};
    uint64_t since;

    m->cached = -1;
    if (!m->own || m->filled == m->start || !may_look (&since))
        return;
    m->cached = mmpages_of_file (fd, m->offset, m->filled - m->start);
    if (m->cached < 0 && m->filled - m->start <= LOOK_BYTES)
        m->cached = mmpages_cached_now (m->start, m->filled);
    if (m->cached >= 0) {
        p.cached = (uint64_t)m->cached;
        mmevent_pages (&p);
    }
    looked (since);
}

/* Look at a range before its pages are lost. Return 0 if that was not
 * possible. */
static int look_first (uint64_t start, uint64_t end)
{
    uint64_t since;
    int whole;

    if (!may_look (&since))
        return 0;
    whole = mmsampler_look (start, end, 0);
    looked (since);
    return whole;
}

void mm_mapped (int fd,
                struct file file,
                const void *addr,
                size_t n,
                int flags,
                int64_t offset)
{
    struct mm_map m = {.start = (uint64_t)(uintptr_t)addr,
                       .offset = (uint64_t)offset,
                       .name = file.name,
                       .flags = (uint32_t)flags};
    struct stat st;

    m.end = m.start + ((n + page_mask) & ~page_mask);
    if (!settings || !file.name || file.class != FILE_CLASS_STORAGE || n == 0)
        return;
    /* A file without a name is memory of the program itself. */
    if (sys_fstat (fd, &st) < 0 || st.st_nlink == 0)
        return;
    if (!mm_maps)
        mmevent_usage (); /* what came before is no mapping's */
    m.filled =
        m.start + (((uint64_t)st.st_size + page_mask) & ~page_mask) -
        (m.offset < (uint64_t)st.st_size ? m.offset : (uint64_t)st.st_size);
    m.filled = m.filled < m.end ? m.filled : m.end;
    m.own = (uint32_t)mm_is_own (&st);
    look_new (&m, fd);
    if (mmreg_add (&m) < 0)
        return;
    if (__atomic_add_fetch (&mapped, n, __ATOMIC_RELAXED) >= WATCH_BYTES &&
        settings->mmap_sampler)
        mmsampler_start ();
}

/* Bytes of the file in [start, end), which begins in m; what is behind m counts
 * as such. */
static uint64_t mm_filled (const struct mm_map *m, uint64_t start, uint64_t end)
{
    uint64_t last = end <= m->end && m->filled < end ? m->filled : end;

    return last > start ? last - start : 0;
}

/* Register pages that moved to other addresses, or became fewer. */
static void look_again (const struct mm_map *m)
{
    uint64_t since;
    int may = may_look (&since);

    if (!mmsampler_rebase (m->id, may))
        mmwalk_skip (mm_filled (m, m->start, m->end));
    if (may)
        looked (since);
}

uint32_t mm_unmap (const void *addr, size_t n)
{
    uint64_t start = (uint64_t)(uintptr_t)addr;
    uint64_t end = start + ((n + page_mask) & ~page_mask);
    int saved_errno = errno, partly;
    struct mm_map m;
    uint32_t name;

    if (start & page_mask)
        return 0;
    if (!mmreg_find (start, &m))
        m.id = 0;
    partly = m.id && (m.start < start || m.end > end);
    /* what was not seen is not known of what stays either: it begins anew */
    if (m.id && !look_first (start, end))
        mmwalk_skip (partly ? mm_filled (&m, m.start, m.end)
                            : mm_filled (&m, start, end));
    name = mmreg_cut (start, end);
    if (partly)
        look_again (&m);
    errno = saved_errno;
    return name;
}

uint32_t mm_name (const void *addr)
{
    struct mm_map m;

    mm_find (addr, &m);
    return m.name;
}

void mm_find (const void *addr, struct mm_map *m)
{
    m->name = 0;
    if (mm_maps)
        mmreg_find ((uint64_t)(uintptr_t)addr, m);
}

void mm_moved (const struct mm_map *m,
               const void *from,
               const void *to,
               size_t n)
{
    struct mm_map moved = *m;

    if (!m->name)
        return;
    moved.cached = -1;
    moved.filled =
        moved.filled > (uint64_t)(uintptr_t)from
            ? (uint64_t)(uintptr_t)to + moved.filled - (uint64_t)(uintptr_t)from
            : 0;
    moved.offset += (uint64_t)(uintptr_t)from - m->start;
    moved.start = (uint64_t)(uintptr_t)to;
    moved.end = moved.start + ((n + page_mask) & ~page_mask);
    mmreg_cut (moved.start, moved.end);
    if (n > 0 && moved.filled <= moved.start)
        moved.filled = moved.end; /* not known: it may be all file */
    mmreg_add (&moved);
    look_again (&moved);
}

/* A child of fork that recorded nothing, and had nothing from storage, is not
 * worth a file: many only live to call exec or to touch a page or two. */
static int has_to_tell (void)
{
    return (recorder_layers & LAYER_MMAP) && settings &&
           (recorder_has_file () || (mm_maps && mmevent_any_read ()));
}

void mm_flush (void)
{
    mmsampler_end_waits (0);
    if (has_to_tell ())
        mmsampler_look (0, UINT64_MAX, 0);
}

void mm_finish (void)
{
    mmsampler_end_waits (1);
    if (!has_to_tell ())
        return;
    usage_look (); /* what this thread did since its last call */
    mmsampler_look (0, UINT64_MAX, 1);
}

void mm_stop (int wait)
{
    mm_finish ();
    mmsampler_stop (wait);
}

void mm_pause (void)
{
    mmsampler_pause ();
    waits_paused ();
}

void mm_atfork_child (void)
{
    mmsampler_forked ();
    waits_forked ();
    if (!(recorder_layers & LAYER_MMAP) || !settings)
        return;
    mmreg_atfork_child ();
    mmsampler_atfork_child ();
    looks_ns = 0;
    began_ns = clock_ns (CLOCK_MONOTONIC);
}

/* ---- pages, faults, totals -> struct record ---- */

enum { BLOCK_BYTES = 512, NS_PER_US = 1000 };

struct totals {
    uint64_t major, minor, read;
};

static struct totals base, before;
static uint64_t outside_before; /* ns */
static int told;                /* `before` is in the trace */
static uint32_t deliveries;

unsigned mmevent_cached;

/* The chunk that ticks write to, and the time they were taken at; 0: none is
 * being taken in this thread. */
static struct recorder_thread own;
static __thread struct {
    struct recorder_thread before;
    uint64_t tick;
    int swapped;
} self __attribute__ ((tls_model ("initial-exec")));

/* The end of a process that had no tick: nothing can be late, so that its
 * thread's chunk will do. */
int mmevent_begin (int last)
{
    if (recorder_self.busy)
        return 0;
    self.tick = clock_tick ();
    self.swapped = own.tbuf || !last;
    if (self.swapped) {
        self.before = recorder_self;
        recorder_self = own;
    }
    recorder_self.busy = 1;
    return 1;
}

void mmevent_end (int last)
{
    recorder_self.busy = 0;
    self.tick = 0;
    if (!self.swapped)
        return;
    if (last)
        recorder_thread_end ();
    own = recorder_self;
    recorder_self = self.before;
}

static void write_record (struct record *r)
{
    if (self.tick) {
        recorder_record (r);
        return;
    }
    if (recorder_self.busy || !recorder_enter ())
        return;
    recorder_record (r);
    recorder_leave ();
}

static uint64_t now_tick (void)
{
    return self.tick ? self.tick : clock_tick ();
}

static struct record at_now (enum call call)
{
    uint64_t tick = now_tick ();

    return (struct record){.start = tick,
                           .end = tick,
                           .call = (uint16_t)call,
                           .fd = -1,
                           .offset = -1};
}

/* Never less than it was: what another thread's recorder has just had may be in
 * the kernel's count before it is in ours. */
static uint64_t program_had (uint64_t all, uint64_t ours, uint64_t was)
{
    return all > ours && all - ours > was ? all - ours : was;
}

/* Read the totals of the process, less those of the recorder. */
static struct totals mmevent_look (void)
{
    struct usage_process p;
    struct totals t;
    struct rusage r;

    if (sys_call (SYS_getrusage, RUSAGE_SELF, &r) < 0)
        return before;
    p = usage_process (); /* it has grown since then if at all */
    t.major = program_had ((uint64_t)r.ru_majflt, p.own_major, before.major);
    t.minor = program_had ((uint64_t)r.ru_minflt, p.own_minor, before.minor);
    t.read = program_had ((uint64_t)r.ru_inblock * BLOCK_BYTES, p.own_bytes,
                          before.read);
    return t;
}

void mmevent_start (void)
{
    base = before = mmevent_look ();
    told = 0;
}

void mmevent_atfork_child (void)
{
    memset (&base, 0, sizeof (base));
    memset (&before, 0, sizeof (before));
    memset (&own, 0, sizeof (own)); /* its page was wiped */
    memset (&self, 0, sizeof (self));
    told = 0;
    outside_before = 0;
    mmevent_cached = 0;
}

int mmevent_any_read (void)
{
    return mmevent_look ().read != base.read;
}

uint32_t mmevent_usage (void)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = at_now (CALL_mm_usage);
    struct usage_process p = usage_process ();
    struct totals now = mmevent_look ();
    uint32_t n = 0;

    if (now.read != before.read)
        deliveries++;
    if (told ? now.read == before.read && now.major == before.major &&
                   p.outside_wait_ns == outside_before
             : !recorder_has_file () && now.read == base.read)
        return deliveries;
    n = usage_put (args, n, USAGE_READ, now.read - base.read);
    n = usage_put (args, n, USAGE_MAJOR, now.major - base.major);
    n = usage_put (args, n, USAGE_MINOR, now.minor - base.minor);
    if (p.outside_bytes || p.outside_wait_ns) {
        n = usage_put (args, n, USAGE_OUTSIDE, p.outside_bytes);
        n = usage_put (args, n, USAGE_WAIT, p.outside_wait_ns / NS_PER_US);
    }
    if (p.own_bytes)
        n = usage_put (args, n, USAGE_OWN, p.own_bytes);
    r.args = args;
    r.nargs = (uint8_t)n;
    write_record (&r);
    before = now;
    outside_before = p.outside_wait_ns;
    told = 1;
    return deliveries;
}

void mmevent_pages (const struct mmevent_pages *p)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = at_now (CALL_mm_pages);
    uint32_t n = 0;

    r.file = p->map->name;
    r.size = p->map->end - p->map->start;
    r.offset = (int64_t)p->map->offset;
    n = usage_put (args, n, USAGE_PRESENT, p->present);
    n = usage_put (args, n, USAGE_TOUCHED, p->touched);
    if (p->cached_known) {
        n = usage_put (args, n, USAGE_CACHED, p->cached);
        n = usage_put (args, n, USAGE_LOADED, p->loaded);
        mmevent_cached = MM_MINCORE;
    }
    r.args = args;
    r.nargs = (uint8_t)n;
    write_record (&r);
}

/* Tick of a time of CLOCK_MONOTONIC, near now. */
static uint64_t tick_of (const struct clock_pair *now, uint64_t hz, uint64_t ns)
{
    uint64_t past = now->ns > ns ? now->ns - ns : 0;

    return now->tick -
           (uint64_t)((unsigned __int128)past * hz / CLOCK_NS_PER_S);
}

static void sort_by_end (struct mm_fault *f, unsigned n)
{
    for (unsigned gap = n / 2; gap; gap /= 2)
        for (unsigned i = gap; i < n; i++) {
            struct mm_fault one = f[i];
            unsigned at = i;

            for (; at >= gap && f[at - gap].end > one.end; at -= gap)
                f[at] = f[at - gap];
            f[at] = one;
        }
}

void mmevent_faults (struct mm_fault *faults, unsigned n)
{
    struct clock_pair now = clock_pair ();
    uint64_t hz = clock_hz (&now);
    struct mm_map m = {.name = 0};
    struct record_arg minor[EVENT_ARGS_MAX];
    uint32_t args = usage_put (minor, 0, USAGE_MINOR, 1);

    sort_by_end (faults, n);
    for (unsigned i = 0; i < n; i++) {
        const struct mm_fault *f = &faults[i];
        struct record r = at_now (CALL_page_fault);

        r.args = minor;
        r.nargs = f->minor ? (uint8_t)args : 0;
        r.start = tick_of (&now, hz, f->start);
        r.end = tick_of (&now, hz, f->end);
        r.flags = f->tid;
        if (m.name && f->addr >= m.start && f->addr < m.end)
            r.file = m.name;
        else if (mmreg_find (f->addr, &m))
            r.file = m.name;
        if (r.file)
            r.offset = (int64_t)(m.offset + (f->addr - m.start));
        write_record (&r);
    }
}

void mmevent_watched (const struct mm_watched *w)
{
    struct clock_pair now = clock_pair ();
    uint64_t hz = clock_hz (&now);
    struct record r = at_now (CALL_mm_watched);

    r.start = tick_of (&now, hz, w->start);
    r.end = tick_of (&now, hz, w->end);
    r.flags = w->tid;
    write_record (&r);
}

void mmevent_sources (unsigned sources,
                      int perf_errno,
                      const struct mm_losses *lost)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record r = at_now (CALL_mm_sources);
    uint32_t n = 0;

    r.flags = sources;
    if (perf_errno)
        n = usage_put (args, n, USAGE_ERRNO, (uint64_t)perf_errno);
#define LOSS(FIELD, ROW) \
    if (lost->FIELD)     \
        n = usage_put (args, n, USAGE_##ROW, lost->FIELD);
    MM_LOSSES
#undef LOSS
    r.args = args;
    r.nargs = (uint8_t)n;
    write_record (&r);
}
