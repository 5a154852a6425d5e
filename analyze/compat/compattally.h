/* SPDX-License-Identifier: MIT
 *
 * compattally.h - events -> sums by operation, thread and second, as
 * DFAnalyzer divides them (private to compat*.c)
 *
 * An operation is a category, which has what counts of the path in it, and a
 * name: layers are made of operations, and so are not known here. Sums and
 * sets of time of two tallies of the same start can be put together.
 */
#ifndef DFT_ANALYZE_COMPATTALLY_H
#define DFT_ANALYZE_COMPATTALLY_H

#include "analyze/scan/interval.h"
#include "analyze/compat/compattotals.h"
#include "analyze/compat/compatversion.h"
#include "lib/util/strmap.h"

enum { US_PER_S = 1000000, COMPAT_PRESETS = 2, COMPAT_HOST_MAX = 64 };

/* What may be asked for: the layers of a file, a preset, or the first of the
 * presets that fits, by the rules of a version. */
struct compat_layers {
    const struct compat_version *version;
    struct layerset set[COMPAT_PRESETS];
    int sets;
};

/* What is known of an operation; its key is category NUL name NUL hash. */
struct compat_op {
    int moves;  /* has bytes */
    int wanted; /* it is in a layer */
    int open;   /* the path is not known yet, only its hash */
};

struct compat_thread {
    uint32_t process;
    int counts; /* has an event that is not ignored */
};

/* Of the events that are in it. */
struct compat_second {
    uint64_t number; /* from the start of the job; with COMPAT_MIDDLE of the
                        clock, until compat_tally_resolve */
    uint64_t us, n, bytes;
    uint64_t first; /* when the first of them begins, us */
};

/* An operation in a thread. */
struct compat_run {
    uint32_t op, thread;
    struct compat_second *second; /* by number; owned */
    size_t seconds, room;
    struct intervals set; /* us */
};

struct compat_tally {
    const struct compat_layers *layers; /* others need no sums */
    uint64_t start, end;                /* us, of the job; end: so far */
    struct compat_totals totals;        /* with COMPAT_TOTALS */
    struct strmap *ops;                 /* -> struct compat_op */
    struct strmap *threads; /* pid, host, tid -> struct compat_thread */
    struct strmap *processes;
    struct strmap *runs;  /* two ordinals -> struct compat_run */
    struct strmap *paths; /* hash -> text: the least that any file says */
    struct strmap *cache; /* category, name, path -> operation */
};

/* An event on its way. */
struct compat_item {
    const char *category, *name;
    const char *path; /* NULL: none */
    const char *hash; /* of a path that is not known yet; NULL: none */
    size_t category_length, name_length, hash_length;
    uint64_t pid, tid, ts, dur, bytes;
    const void *host;
    size_t host_length;
};

/* 0, or -1 (ENOMEM). */
int compat_tally_init (struct compat_tally *t,
                       const struct compat_layers *layers,
                       uint64_t start);
void compat_tally_clear (struct compat_tally *t); /* zeroed is fine */

static inline int compat_rule (const struct compat_tally *t,
                               enum compat_rule rule)
{
    return (t->layers->version->rules & rule) != 0;
}

/* An event ended then, us. */
static inline void compat_tally_saw (struct compat_tally *t, uint64_t end)
{
    if (end > t->end)
        t->end = end;
}

/* All return 0, or -1 (ENOMEM). */
int compat_tally_add (struct compat_tally *t, const struct compat_item *e);
/* The same where the operation and the thread are known. */
int compat_tally_count (struct compat_tally *t,
                        int64_t op,
                        int64_t thread,
                        const struct compat_item *e);
/* Add all of another tally of the same layers and start, which is then only
 * good for compat_tally_clear. */
int compat_tally_merge (struct compat_tally *to, struct compat_tally *from);
int compat_tally_path (struct compat_tally *t,
                       const char *hash,
                       size_t length,
                       const char *path);
/* The end is known: what was open gets its path. */
int compat_tally_resolve (struct compat_tally *t);

/* The operation of an event, COMPAT_IGNORED, or -1; its thread. */
int64_t compat_tally_op_of (struct compat_tally *t,
                            const struct compat_item *e);
int64_t compat_tally_thread_of (struct compat_tally *t,
                                const struct compat_item *e);

/* Ordinals, or -1 (ENOMEM); of a new operation all is said. The key of a
 * thread is COMPAT_HOST_MAX + 16 bytes at most, and 16 at least. */
int64_t compat_tally_op (struct compat_tally *t, const char *key, size_t n);
int64_t compat_tally_thread (struct compat_tally *t, const char *key, size_t n);
/* The run of both, new if need be. NULL: ENOMEM. */
struct compat_run *
compat_tally_run (struct compat_tally *t, uint32_t op, uint32_t thread);
/* Add what another run has. */
int compat_run_add (struct compat_run *to, const struct compat_run *from);
/* In any order. */
int compat_run_second (struct compat_run *r, const struct compat_second *s);

#endif
