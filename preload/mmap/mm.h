/* SPDX-License-Identifier: MIT
 *
 * mm.h - layer mmap: what the program's mappings cost it
 *
 * In:  mmap, munmap, mremap of files on storage, from the wrappers
 * Out: page_fault, mm_pages, mm_usage, mm_sources events
 *
 * Lock-free; safe in signal handlers and after fork. Functions keep nothing
 * open and may change errno.
 */
#pragma once

#include <stdint.h>

#include "lib/format/usagekeys.h"
#include "lib/settings/settings.h"
#include "preload/files.h"
#include "preload/mmap/mmperf.h"

/* -- layer mmap: what the program's mappings cost it -- */

/* A mapping of a file on storage. */
struct mm_map {
    uint64_t start, end; /* addresses */
    uint64_t offset;     /* of start in the file */
    uint32_t name;       /* names_intern; 0: none */
    uint32_t id;         /* of the mmap call it comes from */
    uint32_t flags;      /* of mmap */
    uint32_t own;        /* the user may ask for its pages in the cache */
    uint64_t filled;     /* address behind the file's end then */
    int64_t cached;      /* bytes in the cache when it was mapped; -1 */
};

/* Mappings that are known; 0 also where the layer is not traced. */
extern unsigned mm_maps;

/* From the constructor, once the recorder runs. s must stay. */
void mm_start (const struct settings *s);

/* A successful mmap. */
void mm_mapped (int fd,
                struct file file,
                const void *addr,
                size_t n,
                int flags,
                int64_t offset);

/* The range is about to go; returns the file that was at its begin, or 0. */
uint32_t mm_unmap (const void *addr, size_t n);

/* Look up the mapping at an address: mm_name its file, mm_find all of it. A
 * name of 0 means that there is none. */
uint32_t mm_name (const void *addr);
void mm_find (const void *addr, struct mm_map *m);

/* After mremap: what mm_find gave at `from` is now n bytes at `to`. */
void mm_moved (const struct mm_map *m,
               const void *from,
               const void *to,
               size_t n);

/* Before an exec: what is known is recorded. */
void mm_flush (void);

/* The process ends: the same, and nothing more after it. */
void mm_finish (void);

/* As mm_finish; nothing of the layer starts afterwards. With wait, its thread
 * has ended on return. */
void mm_stop (int wait);

/* Until the next mapping, there is no thread of ours. */
void mm_pause (void);

/* In a child of fork. */
void mm_atfork_child (void);

/* -- observations of layer mmap -> recorder -- */

/* A mapping that has been looked at from end to end; bytes. */
struct mmevent_pages {
    const struct mm_map *map;
    uint64_t present, touched;
    uint64_t cached, loaded;
    int cached_known;
};

/* MM_MINCORE once that has told something, else 0. */
extern unsigned mmevent_cached;

/* Totals count from here on: of the process, or of a child of fork. */
void mmevent_start (void);
void mmevent_atfork_child (void);

/* A thread's events are in the order of their ends, and faults are learnt of
 * late: what is written between these two goes to a chunk of its own, whoever
 * writes it, all at the time of the begin. One caller at a time. _begin: 0
 * where the thread is inside of our own code. */
int mmevent_begin (int last);
void mmevent_end (int last);

void mmevent_pages (const struct mmevent_pages *p);

/* Sorts them by their ends. */
void mmevent_faults (struct mm_fault *faults, unsigned n);

/* Behind the faults of that time. */
void mmevent_watched (const struct mm_watched *w);

/* Totals of the process, unless they are as at the last call; nothing where
 * there is neither a file nor anything to say. Returns how often storage had
 * delivered more than at the call before. */
uint32_t mmevent_usage (void);

/* Has storage delivered anything? */
int mmevent_any_read (void);

void mmevent_sources (unsigned sources,
                      int perf_errno,
                      const struct mm_losses *lost);
