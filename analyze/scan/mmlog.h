/* SPDX-License-Identifier: MIT
 *
 * mmlog.h - faults, totals and losses of layer mmap in one thread or process
 *
 * In:  events with arguments of usage.def, page_fault, mm_* events
 * Out: lists for mmjoin.c, which sees the whole process
 */
#pragma once

#include "analyze/scan/packer.h"
#include "analyze/trace/batch.h"
#include "lib/format/event.h"
#include "lib/format/usagekeys.h"
#include "lib/util/strmap.h"

#include <stdint.h>

/* A list of items of one size. All zero is empty. */
struct mmlist {
    void *item; /* owned */
    size_t count, room;
};

/* Times are ns of CLOCK_REALTIME; file and op are ordinals of the log's maps,
 * MM_NOBODY: none. */
enum { MM_NOBODY = UINT32_MAX };

struct mm_use { /* totals of the process, so far */
    uint64_t t, read, major;
    uint64_t outside, wait_us; /* bytes outside of regions; not running then */
};

struct mm_look { /* at one mapping */
    uint64_t t, mapped, touched, cached, loaded;
    uint32_t file;
    int cached_known;
};

struct mm_seen { /* one fault: a major one, or a minor one that slept */
    uint64_t start, end;
    uint32_t tid, file;
    uint64_t minor;
    uint64_t bytes; /* that it added to the page cache; of layer kernel */
};

/* Every fault of a thread that slept in this time is among them. */
struct mm_watch {
    uint64_t start, end, tid;
};

struct mm_miss { /* bytes a call had from storage */
    uint64_t t, bytes;
    uint32_t file;
    int mapped; /* by filling a mapping, not by reading */
};

/* A region without the regions and calls inside it. */
struct mm_part {
    uint64_t start, end;
    uint64_t major, read, wait_us, system_us;
    uint32_t op, tid;
};

/* Regions and calls that have ended and have no parent yet. */
struct mm_open {
    uint64_t start;
    uint64_t major, read, wait_us, system_us; /* with all inside it */
    uint64_t quick;                           /* of read */
};

struct mm_log {
    struct mmlist uses, looks, faults, misses, parts, open;
    struct mmlist watched;      /* of struct mm_watch */
    struct mmlist sizes;        /* of uint64_t, by op: bytes used */
    struct strmap *files, *ops; /* NULL: none */
    uint64_t mapped_at;         /* its first mmap of a file; 0: none */
    unsigned sources;           /* enum mm_source */
    int perf_errno;
    struct mm_losses lost;
};

/* Note event i of a batch. */
void mmlog_event (struct mm_log *log,
                  const struct dict *dict,
                  const struct batch *b,
                  size_t i);

/* A region's op handled so many bytes. */
void mmlog_size (struct mm_log *log, uint32_t op, uint64_t size);

/* Ordinal of a text in a map that is made when it is NULL. */
uint32_t mmlog_ordinal (struct strmap **map, const char *text, size_t length);

/* Append what another thread of the process says. */
void mmlog_append (struct mm_log *to, const struct mm_log *from);

int mmlog_empty (const struct mm_log *log);
void mmlog_clear (struct mm_log *log); /* zeroed is fine */

/* One more item of n bytes, zeroed. */
void *mmlist_add (struct mmlist *l, size_t n);

void mmlog_pack (struct packer *p, const struct mm_log *log);

/* Into an empty log. 0, or -1: what makes no sense (u->bad). */
int mmlog_unpack (struct unpacker *u, struct mm_log *log);

/* A number that differs when the layout of the lists does. */
uint64_t mmlog_layout (void);
