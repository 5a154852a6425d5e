/* SPDX-License-Identifier: MIT
 *
 * tally.h - events -> counts, sums, histograms, sets of time
 *
 * Two kinds of result. A struct tally counts per call, per operation and per
 * file; each worker has one, and they are merged. A struct unit belongs to
 * one thread of one process: what needs the order of events.
 */
#ifndef DFT_ANALYZE_TALLY_H
#define DFT_ANALYZE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/scan/evfilter.h"
#include "analyze/scan/hist.h"
#include "analyze/scan/interval.h"
#include "lib/model/bill.h"
#include "lib/model/cost.h"
#include "lib/model/kind.h"
#include "analyze/scan/marks.h"
#include "analyze/scan/mmlog.h"
#include "analyze/scan/mounts.h"
#include "analyze/scan/nest.h"
#include "analyze/scan/place.h"
#include "analyze/scan/strides.h"
#include "analyze/scan/objecttotal.h"
#include "analyze/scan/scanabove.h"
#include "analyze/scan/shares.h"
#include "analyze/scan/pointfault.h"
#include "lib/model/role.h"
#include "analyze/scan/spanlog.h"
#include "analyze/query/accessvalues.h"
#include "analyze/import/pfw/pfwsums.h"
#include "analyze/scan/startup.h"
#include "analyze/scan/timemap.h"
#include "lib/format/event.h"
#include "lib/util/pool.h"
#include "lib/util/strmap.h"

/* --- per call, operation, file: order does not matter ---------------- */

struct call_total {
    uint64_t bytes;   /* moved, as the results say */
    uint64_t libc;    /* of calls on streams: bytes libc moved for them */
    uint64_t errors;  /* calls that failed */
    struct hist time; /* ns */
};

struct op_total {
    enum role role;
    enum role_sample sample;
    enum call_category foreign; /* APP, or what a call without a row in
                                   calls.def belongs to */
    uint64_t self;              /* ns outside of regions inside it */
    struct hist time;           /* ns */
};

struct file_total {
    enum file_class class;
    enum file_kind kind;
    uint64_t opens, meta, maps; /* calls */
    uint64_t reads, read_bytes, read_ns;
    uint64_t writes, write_bytes, write_ns;
    uint64_t syncs, sync_ns;
    uint64_t meta_ns;                             /* of opens, meta and maps */
    uint64_t stdio_read_bytes, stdio_write_bytes; /* of these, by streams */
    uint64_t stdio_ns;                            /* all calls on streams */
    uint64_t libc_read, libc_written; /* bytes, for calls on streams */
    uint64_t placed[PLACED_COUNT];    /* reads and writes, by enum placed */
    uint64_t switches;  /* reads behind a write, writes behind a read */
    uint64_t unaligned; /* reads and writes that do not begin at a page */
    uint64_t extent;    /* bytes up to the last one read */
    /* on Lustre: the largest that was said; 0 not known */
    uint64_t stripes, stripe_bytes, components;
    uint64_t fills, fill_bytes; /* pages that reads brought to the cache */
    uint64_t missed_bytes;      /* of these: asked for */
    uint64_t unsure_bytes;      /* of these: nobody knows what was */
    uint64_t direct_bytes;      /* read past the cache */
    struct accessvalues *sizes; /* bytes moved; owned; NULL: none; not added by
                                   file_total_add */
    struct accessvalues *strides; /* bytes skipped, of POSIX; the same */
};

/* Requests to a block device for a file. */
struct block_total {
    uint64_t reads, read_bytes, read_ns,
        read_most; /* most: ns of the longest */
    uint64_t writes, write_bytes, write_ns, write_most;
    uint64_t others, other_ns; /* flushes, discards */
    uint64_t direct_bytes, late_bytes, failed;
};

void block_total_add (struct block_total *to, const struct block_total *from);

/* The same file in another partition: class, kind, sizes and strides, too. Its
 * sizes and strides are moved: they are of no use but to be freed. 0, or -1
 * (ENOMEM). */
int file_total_join (struct file_total *to, struct file_total *from, int isnew);

/* Add the counters; class, kind and sizes of `to` stay. */
void file_total_add (struct file_total *to, const struct file_total *from);

struct tally {
    struct call_total *call[CALL_MAX]; /* NULL: none */
    struct strmap *ops;     /* "category NUL name" -> struct op_total */
    struct strmap *files;   /* path -> struct file_total */
    struct strmap *blocks;  /* "device NUL path" -> struct block_total; path "":
                               no file is known; NULL: none */
    struct strmap *objects; /* struct object_name -> struct object_total */
    struct pointfaults points;
    struct pfw_sums sums;  /* of aggregated lines */
    struct strmap *mounts; /* prefix -> struct mount_entry; NULL: none */
    struct strmap *time;   /* where there are profiles: struct timemap_bin ->
                              counters of timemap.def; NULL: none */
};

/* Add what is known of one file, as file_total_join does, or of one operation.
 * 0, or -1 (ENOMEM). */
int tally_add_file (struct tally *t,
                    const char *path,
                    size_t length,
                    struct file_total *from);
int tally_add_block (struct tally *t,
                     const char *key,
                     size_t length,
                     const struct block_total *from);
int tally_add_op (struct tally *t,
                  const char *key,
                  size_t length,
                  const struct op_total *from);

/* The total of an object, to be added to. NULL: ENOMEM. */
struct object_total *tally_object (struct tally *t,
                                   enum call_category layer,
                                   const char *file,
                                   const char *object);

/* Those of `other` to those of t. 0, or -1 (ENOMEM). */
int tally_merge_objects (struct tally *t, const struct tally *other);

/* The value under a key in `to`, zeroed of `size` when it is new. For tally*.c.
 */
void *tally_value (
    struct strmap *to, const char *key, size_t length, size_t size, int *isnew);

/* 0, or -1 (ENOMEM). */
int tally_init (struct tally *t);
int tally_merge (struct tally *t, const struct tally *other);
void tally_clear (struct tally *t); /* zeroed is fine */

/* --- per thread ------------------------------------------------------ */

/* Sets of time that are kept; ns of CLOCK_REALTIME. */
enum set {
    SET_READ,       /* POSIX reads of data files */
    SET_WRITE,      /* POSIX writes to storage */
    SET_CKPT_WRITE, /* writes and syncs of checkpoint files */
    SET_LOADER,     /* regions, by role */
    SET_STALL,
    SET_CHECKPOINT, /* of main threads: checkpoint regions, CKPT_WRITE */
    SET_COMPUTE,
    SET_BARRIER,
    SET_COUNT
};

/* Sums are integers, so that they do not depend on the order in which they
 * were made: however a trace is divided, the result is the same. */
__extension__ typedef unsigned __int128 uint128_t;

struct transfer {
    uint64_t count, bytes, ns;
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

/* What the times of an event belong to. */
struct span_key {
    uint16_t call;   /* enum call */
    uint16_t sets;   /* bits of enum set */
    uint8_t bill;    /* enum bill, BILL_NONE */
    uint8_t storage; /* a call on a file on storage */
};

/* When a thread was in a call, those calls that belong to the same. Of
 * regions: the time of their sets, and apart from these their own. */
struct spans {
    struct spans *next;
    struct span_key key;
    uint8_t main; /* of the main thread: see load.c */
    struct spanlog log;
};

struct unit {
    const struct trace_process *who;
    struct counts n;
    uint64_t first, last; /* ns of CLOCK_REALTIME; first is ~0: no event */
    struct spans *call[CALL_MAX]; /* lists, owned */
    struct nest regions, samples;
    struct nest own; /* regions that have a row in the bill */
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

void unit_init (struct unit *u,
                const struct trace_process *who,
                uint32_t main_tid);
/* After the last chunk: settle what waited for a parent; frees regions and
 * samples. 0, or -1 (ENOMEM, or the temporary file failed). */
int unit_finish (struct unit *u);
/* later is the next piece of the same thread: its regions, samples and own have
 * `continues` set, and its process has no layer mmap but what layer kernel
 * says. u becomes what it would be had it seen both; later is then empty. The
 * tallies of both must still be there. 0 or -1, as above. Not finished yet,
 * both. */
int unit_join (struct unit *u, struct unit *later);
/* New spans of a key; NULL: ENOMEM. */
struct spans *unit_new_spans (struct unit *u, struct span_key key);

static inline int span_key_same (struct span_key a, struct span_key b)
{
    return a.sets == b.sets && a.bill == b.bill && a.storage == b.storage;
}

/* The spans of a key. NULL: ENOMEM. */
static inline struct spans *unit_spans (struct unit *u, struct span_key key)
{
    struct spans *s = u->call[key.call];

    while (s && !span_key_same (s->key, key))
        s = s->next;
    return s ? s : unit_new_spans (u, key);
}

/* The event or region of this kind took [start, end). 0, or -1 (ENOMEM, or the
 * temporary file failed). */
static inline int
unit_keep (struct unit *u, struct span_key key, uint64_t start, uint64_t end)
{
    struct spans *s = unit_spans (u, key);

    return s ? spanlog_add (&s->log, start, end) : -1;
}

/* What u->own found of the region that it took last is that region's own: of
 * compute regions, and those that are no more than their body. What they have
 * of other regions is none. */
int unit_keep_own (struct unit *u, enum role role);

/* Put all spans of u, which are then the caller's, before `others`. */
struct spans *unit_take_spans (struct unit *u, struct spans *others);
void spans_clear (struct spans *s); /* the whole list */
void unit_clear (struct unit *u);

/* --- scanning -------------------------------------------------------- */

/* What a worker has counted of a name. */
struct scan_name {
    union {
        struct file_total *file;
        struct op_total *op;
        void *any;
    } total;            /* owned; NULL: of a key */
    struct place place; /* where the thread is in the file, in this chunk */
    uint32_t chunk;     /* of an older one: nowhere yet */
    uint32_t share;     /* index of shares of `sharer` */
    const struct unit *sharer;  /* NULL: none yet */
    const struct unit *strider; /* the same, of the next */
    uint32_t stride;            /* index of its strides */
    uint8_t kind;               /* enum shard_name_kind; 0: nothing yet */
    uint8_t flavor;             /* enum scan_flavor, of files */
    uint8_t key;                /* enum dict_key, of keys */
};

/* What calls on a file have in common. */
enum scan_flavor {
    SCAN_NO_FILE,
    SCAN_ELSEWHERE, /* not on storage */
    SCAN_STORAGE,   /* + enum file_kind */
    SCAN_FLAVORS = SCAN_STORAGE + KIND_COUNT + 1
};

/* Where a call on a file of a flavor counts: found once for a unit. */
struct scan_plan {
    const struct unit *unit; /* for which it was made; NULL: not yet */
    struct call_total *call;
    struct transfer *moved, *also, *cost; /* of the unit; NULL: none */
    struct spans *spans;
    uint8_t count, bytes, ns; /* which number of struct file_total */
    uint8_t places;           /* reads and writes: where they are, too */
    uint8_t sizes;            /* enum access_way plus 1; 0: none */
    uint8_t bill, storage;    /* as of struct span_key */
    uint8_t more;             /* what follows from more than this */
    uint8_t class;            /* enum call_class, of this file */
    uint16_t sets;            /* bits of enum set */
};

/* What a worker keeps from batch to batch. */
struct scanner {
    const struct dict *dict;
    struct evfilter filter;
    struct tally tally; /* but operations and files; owned */
    uint8_t bill[CALL_MAX][KIND_COUNT + 1]; /* enum bill of a call and kind */
    uint8_t cost[CALL_MAX];                 /* enum cost */
    uint8_t bill_role[ROLE_COUNT];
    struct timemap_process *time; /* of the last process that is in the map
                                     of time; owned; NULL: there is none */
    int timed;                    /* the piece at hand is in that map */
    struct scan_name *name;       /* by number; owned */
    size_t names;
    uint32_t chunk;
    struct unit *unit; /* load.c's, of the piece at hand */
    uint64_t *pairs;   /* of threads and files, of all workers; NULL: no lists
                          of these are kept */
    struct scan_plan plan[CALL_MAX][SCAN_FLAVORS];
    struct scan_plan copied[CALL_MAX][SCAN_FLAVORS]; /* what copies write */
    struct {
        const struct unit *unit; /* NULL: not yet */
        struct spans *spans;     /* of it */
    } region[ROLE_COUNT];
    unsigned char wanted[BATCH_EVENTS];
    char apart[POOL_APART]; /* from the next one */
};

/* Of zeroed ones: what follows from a call. */
void scanner_begin (struct scanner *s);

/* Count all events of a batch. 0, or -1 (ENOMEM). */
int scanner_batch (struct scanner *s, struct unit *u, const struct batch *b);

/* What the first accesses of a later piece of the thread of u skipped, before
 * unit_join. 0, or -1 (ENOMEM). */
int scanplace_join (struct scanner *s, struct unit *u, struct unit *later);

/* Add what it has counted, before it is cleared. 0, or -1 (ENOMEM). */
int scanner_join (struct tally *t, const struct scanner *s);
void scanner_clear (struct scanner *s); /* zeroed is fine; it is not used on */

#endif
