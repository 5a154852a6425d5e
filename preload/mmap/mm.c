/* SPDX-License-Identifier: MIT
 *
 * mm.c - what happens to mappings -> registry and sampler
 */
#include "config.h"

#include <errno.h>

#include "lib/format/layers.h"
#include "preload/record/recorder.h"
#include "lib/base/sys.h"
#include "preload/record/usage.h"
#include "preload/mmap/mmevent.h"
#include "preload/mmap/mmpages.h"
#include "preload/mmap/mmreg.h"
#include "preload/mmap/mmsampler.h"
#include "preload/mmap/mmwalk.h"

enum {
    /* Mapped in all before a thread is worth its while. 2026-11: what a
     * program maps to look at a file or two is less. */
    WATCH_BYTES = 1 << 20,
    /* What is new or about to go is looked at as long as that has cost less
     * than this, and this share of the time so far. */
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
    page_mask = (uint64_t)sysconf (_SC_PAGESIZE) - 1;
    began_ns = clock_ns (CLOCK_MONOTONIC);
    mmsampler_init (s->mmap_perf);
    usage_new_thread = new_thread;
}

/* May the user ask which pages are in the cache? Of files of others the
 * kernel says that all are. */
static int mm_is_own (const struct stat *st)
{
    uid_t uid = geteuid ();

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

/* What was touched since the last tick would be gone. False: it is. */
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
    /* Of a file that has no name any more: the program's own memory. */
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

/* The same pages at other addresses, or fewer of them. */
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
        (void)mmreg_find ((uint64_t)(uintptr_t)addr, m);
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
    (void)mmreg_cut (moved.start, moved.end);
    if (n > 0 && moved.filled <= moved.start)
        moved.filled = moved.end; /* not known: it may be all file */
    (void)mmreg_add (&moved);
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
    if (has_to_tell ())
        (void)mmsampler_look (0, UINT64_MAX, 0);
}

void mm_finish (void)
{
    if (!has_to_tell ())
        return;
    usage_look (); /* what this thread did since its last call */
    (void)mmsampler_look (0, UINT64_MAX, 1);
}

void mm_stop (int wait)
{
    mm_finish ();
    if (settings)
        mmsampler_stop (wait);
}

void mm_pause (void)
{
    if (settings)
        mmsampler_pause ();
}

void mm_atfork_child (void)
{
    if (!(recorder_layers & LAYER_MMAP) || !settings)
        return;
    mmreg_atfork_child ();
    mmsampler_atfork_child ();
    looks_ns = 0;
    began_ns = clock_ns (CLOCK_MONOTONIC);
}
