/* SPDX-License-Identifier: MIT
 *
 * mmmade.h - a process of layer mmap, made by hand, and its join
 */
#ifndef DFT_TESTS_MMMADE_H
#define DFT_TESTS_MMMADE_H

#include "tests/unit/tap.h"

#include <string.h>

#include "analyze/facts/mmjoin.h"

enum { MS = 1000000 };

static struct mm_log log_;
static struct mm_totals totals;

static inline uint32_t name (struct strmap **map, const char *text)
{
    return mmlog_ordinal (map, text, strlen (text));
}

static inline void use (uint64_t ms, uint64_t read, uint64_t major)
{
    struct mm_use *u = mmlist_add (&log_.uses, sizeof (*u));

    *u = (struct mm_use){ms * MS, read, major, 0, 0};
}

static inline void
grown (uint64_t ms, const char *file, uint64_t bytes, int cached)
{
    struct mm_look *k = mmlist_add (&log_.looks, sizeof (*k));

    *k = (struct mm_look){.t = ms * MS,
                          .mapped = 1000000,
                          .touched = bytes,
                          .cached = bytes,
                          .loaded = cached ? bytes : 0,
                          .file = name (&log_.files, file),
                          .cached_known = cached};
}

static inline void missed (uint64_t ms, uint64_t bytes)
{
    struct mm_miss *m = mmlist_add (&log_.misses, sizeof (*m));

    *m = (struct mm_miss){ms * MS, bytes, name (&log_.files, "read"), 0};
}

static inline void
fault (uint32_t tid, uint64_t from, uint64_t to, const char *file)
{
    struct mm_seen *f = mmlist_add (&log_.faults, sizeof (*f));

    *f = (struct mm_seen){from * MS, to * MS, tid, name (&log_.files, file),
                          0,         0};
}

static inline void watched (uint32_t tid, uint64_t from, uint64_t to)
{
    struct mm_watch *w = mmlist_add (&log_.watched, sizeof (*w));

    *w = (struct mm_watch){from * MS, to * MS, tid};
}

/* A minor one that waited. */
static inline void
late (uint32_t tid, uint64_t from, uint64_t to, const char *file)
{
    fault (tid, from, to, file);
    ((struct mm_seen *)log_.faults.item)[log_.faults.count - 1].minor = 1;
}

static inline void part (uint32_t tid,
                         uint64_t from,
                         uint64_t to,
                         const char *op,
                         uint64_t major,
                         uint64_t read,
                         uint64_t wait_us)
{
    struct mm_part *p = mmlist_add (&log_.parts, sizeof (*p));

    *p = (struct mm_part){.start = from * MS,
                          .end = to * MS,
                          .major = major,
                          .read = read,
                          .wait_us = wait_us,
                          .op = name (&log_.ops, op),
                          .tid = tid};
}

static inline const struct mm_file *file (const char *path)
{
    int64_t at = strmap_find (totals.files, path, strlen (path));

    assert_true (at >= 0);
    return strmap_value (totals.files, (size_t)at);
}

static inline const struct mm_op *op (const char *text)
{
    int64_t at = strmap_find (totals.ops, text, strlen (text));

    assert_true (at >= 0);
    return strmap_value (totals.ops, (size_t)at);
}

static inline void join (void)
{
    mmjoin_begin (&totals, 1, 0, 1000 * (uint64_t)MS);
    mmjoin_process (&totals, 0, &log_);
}

static inline int clear (void **state)
{
    mmlog_clear (&log_);
    mmjoin_clear (&totals);
    return 0;
}

#endif
