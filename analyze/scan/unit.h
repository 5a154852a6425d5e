/* SPDX-License-Identifier: MIT
 *
 * unit.h - results of one thread that depend on the order of its events
 */
#pragma once

#include "analyze/scan/marks.h"
#include "analyze/scan/mmlog.h"
#include "analyze/scan/nest.h"
#include "analyze/scan/place.h"
#include "analyze/scan/spanlog.h"
#include "analyze/scan/startup.h"
#include "lib/format/event.h"
#include "lib/model/kind.h"
#include "lib/model/metric.h"
#include "lib/util/pool.h"

/* Pairs of a thread and a file in a job; of more no list is kept, as that would
 * take more memory than all else. 40 MiB. */
enum { SHARES_MAX = 640 << 10 };

struct share {
    uint64_t id; /* of the file */
    uint64_t reads, read_bytes, writes, write_bytes;
    uint64_t ns, write_ns; /* of all calls on it; of writes and syncs */
};

struct shares {
    struct share *item; /* owned */
    size_t count, room;
    struct pairs index; /* id -> index of item */
};

uint64_t shares_id (const char *path, size_t length);

/* Index of the share of a file, zeroed when it is new. */
size_t shares_at (struct shares *s, uint64_t id);

/* Add what another list has. */
void shares_append (struct shares *to, const struct shares *from);

void shares_clear (struct shares *s);

/* Sets of time that are kept; ns of CLOCK_REALTIME. */
enum set {
    SET_READ,       /* POSIX reads of data files */
    SET_WRITE,      /* POSIX writes to storage */
    SET_CKPT_WRITE, /* writes and syncs of checkpoint files */
    SET_LOADER,     /* regions, by role */
    SET_STALL,
    SET_CHECKPOINT, /* of main threads: checkpoint regions, CKPT_WRITE, _META */
    SET_COMPUTE,
    SET_BARRIER,
    SET_CKPT_SYNC, /* syncs of checkpoint files */
    SET_CKPT_META, /* opening, closing, renaming them */
    SET_COMM,      /* of main threads: barriers and collectives */
    SET_COUNT
};

enum { SAMPLE_RATE_UNIT = 1 << 20 };

typedef uint64_t count_NUMBER;
typedef struct transfer count_TRANSFER;
typedef uint128_t count_WIDE;

/* All numbers are sums, so units add up to processes and jobs. */
struct counts {
#define COUNT(TYPE, NAME, HELP) count_##TYPE NAME;
#include "lib/model/counts.def"
#undef COUNT
    uint64_t regions[ROLE_COUNT];
    struct transfer cost[COST_COUNT]; /* calls on storage */
};

void transfer_add (struct transfer *t, const struct transfer *more);
void counts_add (struct counts *n, const struct counts *more);

/* Key by which the times of an event are kept. */
struct span_key {
    uint16_t call;    /* enum call */
    uint16_t sets;    /* bits of enum set */
    uint8_t bill;     /* enum bill, BILL_NONE */
    uint8_t storage;  /* a call on a file on storage */
    uint8_t estimate; /* a wait that the sampler divided */
};

/* When a thread was in a call, those calls that belong to the same. Of
 * regions: the time of their sets, and apart from these their own. */
struct spans {
    struct spans *next;
    struct span_key key;
    uint8_t main; /* of the main thread: see load.c */
    struct spanlog log;
};

/* Stacks of regions of a unit. */
enum unit_nest {
    UNIT_REGIONS,
    UNIT_SAMPLES,
    UNIT_COUNTED, /* the samples again; tag: how many */
    UNIT_OWN,     /* regions that have a row in the bill */
    UNIT_NESTS
};

struct unit {
    const struct trace_process *who;
    struct counts n;
    uint64_t first, last;   /* ns of CLOCK_REALTIME; first is ~0: no event */
    uint64_t waits, others; /* events, whatever the condition */
    struct spans *call[CALL_MAX]; /* lists, owned */
    struct nest nest[UNIT_NESTS];
    struct marks marks[MARK_KINDS];
    struct mm_log mm; /* layer mmap */
    struct scanabove above;
    struct shares shares; /* of files on storage */
    struct strides strides;
    struct startup startup;
    uint32_t main_tid;      /* of the process: see load.c */
    int main_thread;        /* it is that */
    char apart[POOL_APART]; /* from the next one */
};

/* continues: the split before it. */
void unit_init (struct unit *u,
                const struct trace_process *who,
                uint32_t main_tid,
                int continues);
/* After the last chunk: settle what waited for a parent, and free the nests. */
void unit_finish (struct unit *u);
/* later is the next split of the same thread, which continues it, and its
 * process has no layer mmap but what layer kernel says. u becomes what it would
 * be had it seen both; later is then empty. The tallies of both must still be
 * there. Not finished yet, both. */
void unit_join (struct unit *u, struct unit *later);
/* New spans of a key; main: of the main thread. */
struct spans *unit_new_spans (struct unit *u, struct span_key key, int main);

static inline int span_key_same (struct span_key a, struct span_key b)
{
    return a.sets == b.sets && a.bill == b.bill && a.storage == b.storage &&
           a.estimate == b.estimate;
}

/* The spans of a key; main: when it was of the main thread. */
static inline struct spans *
unit_spans (struct unit *u, struct span_key key, int main)
{
    struct spans *s = u->call[key.call];

    while (s && !(span_key_same (s->key, key) && s->main == main))
        s = s->next;
    return s ? s : unit_new_spans (u, key, main);
}

/* The event or region of this kind took [start, end). */
static inline void
unit_keep (struct unit *u, struct span_key key, uint64_t start, uint64_t end)
{
    spanlog_add (&unit_spans (u, key, u->main_thread)->log, start, end);
}

/* Keep the own time of the region that the nest UNIT_OWN took last, if it is a
 * compute region or one that is no more than its body. Other regions have none.
 */
void unit_keep_own (struct unit *u, enum role role);

/* Put all spans of u, which are then the caller's, before `others`. */
struct spans *unit_take_spans (struct unit *u, struct spans *others);
void spans_clear (struct spans *s); /* the whole list */
void unit_clear (struct unit *u);
