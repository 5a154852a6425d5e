/* SPDX-License-Identifier: MIT
 *
 * scan.h - events in the order of their thread -> a tally and a unit
 *
 * The functions below struct step are private to scan*.c and loadrows.c.
 */

/* Design. Totals are a user of the pass beside the queries, in the same
 * reading, not a query. A query counts events one by one in any order. The
 * totals judge each by the one before it: where a read is in its file, what
 * of a region is its own, which POSIX calls MPI-IO made, when steps and
 * epochs change; so they take a thread's events in their order (scan*.c),
 * and a tenth of what they find are sums over cells. As queries these would
 * be some forty states with a cell each looked up for each event (20 to 30
 * cycles each) where one plan for call and kind of file adds up all of them
 * for 90 to 120 cycles. What is the same is shared: batches, dictionary,
 * conditions, histograms, packed times, unions, sections of partial results. */

#pragma once

#include <errno.h>
#include <stdlib.h>

#include "analyze/scan/evfilter.h"
#include "analyze/scan/tally.h"
#include "analyze/scan/unit.h"
#include "lib/base/array.h"
#include "lib/model/kind.h"
#include "lib/util/xalloc.h"

/* Counts of a worker for one name. */
struct scan_name {
    union {
        struct file_total *file;
        struct op_total *op;
        void *any;
    } total;            /* owned; NULL: of a key; of TALLY_FILES or TALLY_OPS */
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

/* Classes of files whose calls are counted alike. */
enum scan_flavor {
    SCAN_NO_FILE,
    SCAN_ELSEWHERE, /* not on storage */
    SCAN_STORAGE,   /* + enum file_kind */
    SCAN_FLAVORS = SCAN_STORAGE + KIND_COUNT + 1
};

/* Counters for calls on a file of a flavor: found once for a unit. */
struct scan_plan {
    const struct unit *unit; /* for which it was made; NULL: not yet */
    struct call_total *call;
    struct transfer *moved, *also, *cost; /* of the unit; NULL: none */
    struct spans *spans;
    uint8_t count, bytes, ns; /* enum file_number */
    uint8_t places;           /* reads and writes: where they are, too */
    uint8_t sizes;            /* enum access_way plus 1; 0: none */
    uint8_t bill, storage;    /* as of struct span_key */
    uint8_t more;             /* what follows from more than this */
    uint8_t class;            /* enum call_class, of this file */
    uint16_t sets;            /* bits of enum set */
};

/* State of a worker from batch to batch. */
struct scanner {
    const struct dict *dict;
    struct evfilter filter;
    struct tally tally; /* but operations and files; owned */
    uint8_t bill[CALL_MAX][KIND_COUNT + 1]; /* enum bill of a call and kind */
    uint8_t cost[CALL_MAX];                 /* enum cost */
    uint8_t bill_role[ROLE_COUNT];
    struct timemap_process *time; /* of the last process that is in the map
                                     of time; owned; NULL: there is none */
    int timed;                    /* the split at hand is in that map */
    struct scan_name *name;       /* by number; owned */
    size_t names;
    uint32_t chunk;
    struct unit *unit; /* load.c's, of the split at hand */
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

/* Fill the tables that follow from a call. The scanners are zeroed. */
void scanner_begin (struct scanner *s);

/* Count all events of a batch. */
void scanner_batch (struct scanner *s, struct unit *u, const struct batch *b);

/* Add the bytes skipped by the first accesses of a later split of the thread of
 * u, before unit_join. */
void scanplace_join (struct scanner *s, struct unit *u, struct unit *later);

/* Move what it has counted, before it is cleared. */
void scanner_join (struct tally *t, struct scanner *s);
void scanner_clear (struct scanner *s); /* zeroed is fine; it is not used on */

/* --- one event on its way through the counters ------------------------- */

struct step {
    struct scanner *s;
    struct unit *u;
    const struct batch *b;
    size_t i; /* of the batch */
    const struct call_info *info;
    uint64_t start, end; /* ns of CLOCK_REALTIME */
    uint64_t bytes;      /* moved */
    uint64_t libc_read;  /* of a call on a stream: what libc moved for it */
    uint64_t libc_written;
    unsigned failed;         /* a call: 0 or 1 */
    unsigned sets;           /* of time it belongs to: bits of enum set */
    uint8_t bill;            /* enum bill */
    uint8_t storage;         /* a call on a file on storage */
    uint8_t placed;          /* a read or write of it: enum placed */
    struct scan_name *name;  /* of the file that is counted */
    struct file_total *file; /* of it; NULL: not known */
};

/* Entry of a name, whose number the scanner has room for; its total is made
 * when it is new. NULL: number 0, or a name of another kind than expected. */
struct scan_name *
scan_new_name (struct scanner *s, uint32_t number, enum shard_name_kind kind);

static inline struct scan_name *
scan_name (struct scanner *s, uint32_t number, enum shard_name_kind kind)
{
    struct scan_name *n = &s->name[number];

    return n->kind == kind ? n : scan_new_name (s, number, kind);
}

/* The event belongs to a set of time, too. */
static inline void scan_add_set (struct step *e, enum set set)
{
    e->sets |= 1u << set;
}

/* Cases that a plan does not cover. */
enum {
    SCAN_MORE_STREAM = 1,
    SCAN_MORE_INDEX = 2,
    SCAN_MORE_MAP = 4,
    SCAN_MORE_COPY = 8,
    SCAN_MORE_CKPT_OPEN = 16 /* of a checkpoint: to write or to read it */
};

/* Make a plan, of a call that does `class`, for a unit. */
void scan_new_plan (struct scan_plan *p,
                    struct scanner *s,
                    struct unit *u,
                    enum call call,
                    unsigned flavor,
                    enum call_class class);

/* The file of a name and the plan of a call that does `class` with it. */
static inline struct scan_plan *
scan_plan (struct step *e,
           uint32_t id,
           struct scan_plan (*plans)[SCAN_FLAVORS],
           enum call_class class)
{
    enum call call = (enum call)e->b->call[e->i];
    unsigned flavor = SCAN_NO_FILE;
    struct scan_plan *p;

    e->name = id ? scan_name (e->s, id, SHARD_NAME_FILE) : NULL;
    e->file = e->name ? e->name->total.file : NULL;
    if (e->name)
        flavor = e->name->flavor;
    p = &plans[call][flavor];
    if (p->unit != e->u)
        scan_new_plan (p, e->s, e->u, call, flavor, class);
    return p;
}

/* Room for all names of the dictionary. */
void scan_room (struct scanner *s);

/* Add an event to what is known of its call. */
static inline void scan_call_total (const struct step *e, uint64_t bytes)
{
    struct call_total **total = &e->s->tally.call[e->b->call[e->i]];

    if (!*total)
        NEW (*total, 1);
    (*total)->bytes += bytes;
    (*total)->errors += e->b->error[e->i] != 0;
    hist_add (&(*total)->time, e->end - e->start);
}

/* Keep when it was. */
void scan_keep_time (const struct step *e);

/* Count a call of libc, an application event. */
void scan_call (struct step *e);
void scan_region (struct step *e);

/* Count the calls from event `at` on, and return the first that is no call of
 * POSIX, or of which more follows than from its plan. */
size_t scan_calls (struct scanner *s,
                   struct unit *u,
                   const struct batch *b,
                   size_t at);

/* Position of the unit in the file n with this number, which it has not
 * accessed yet. */
struct strides_file *
scanplace_begin (struct unit *u, struct scan_name *n, uint32_t number);

/* Sums of the thread for the file n. */
struct share *
scan_new_share (struct scanner *s, struct unit *u, struct scan_name *n);

/* Add what one call, or the calls of a row of a profile, moved on a file to
 * what the thread has of it. */
static inline void
share_add (struct share *s, enum call_class class, struct transfer t)
{
    s->ns += t.ns;
    if (class == CALL_CLASS_READ) {
        s->reads += t.count;
        s->read_bytes += t.bytes;
    } else if (class == CALL_CLASS_WRITE) {
        s->writes += t.count;
        s->write_bytes += t.bytes;
        s->write_ns += t.ns;
    } else if (class == CALL_CLASS_SYNC)
        s->write_ns += t.ns;
}

/* Count calls on a stream, and on an index file. */
void scan_stream (const struct step *e,
                  enum call_class class,
                  struct transfer t);
void scan_index (const struct step *e,
                 enum call_class class,
                 struct transfer t);

/* Event i has arguments: take what they say of file systems, and of its file
 * (NULL: not known). */
void scanfs_event (struct scanner *s,
                   const struct batch *b,
                   size_t i,
                   struct file_total *file);

/* All calls of MPI-IO of a kind in a row of a profile (counters of
 * profile.def). */
void scanmpi_row (struct counts *u,
                  enum mpikind kind,
                  unsigned says,
                  const uint64_t *n);

/* As above for an object of HDF5, NetCDF or PnetCDF. */
void scanabove_row (struct object_total *o, enum call call, const uint64_t *n);

/* Add a POSIX call or one on a stream: its bytes, and what libc read and wrote
 * for it. */
void scansides_add (struct counts *n,
                    enum call call,
                    uint64_t bytes,
                    uint64_t filled,
                    uint64_t flushed);

/* --- scannet.c ------------------------------------------------------------ */

/* An event on a socket; a row of such calls in a profile. */
void scannet_event (const struct step *e);
void scannet_row (const struct step *e,
                  enum call call,
                  uint32_t name,
                  const uint64_t *n);
