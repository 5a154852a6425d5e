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

#include "analyze/hist.h"
#include "analyze/interval.h"
#include "analyze/kind.h"
#include "analyze/nest.h"
#include "analyze/role.h"
#include "analyze/spanlog.h"
#include "lib/core/event.h"
#include "lib/core/tracefile.h"
#include "lib/util/strmap.h"

/* --- per call, operation, file: order does not matter ---------------- */

struct call_total {
    uint64_t bytes;   /* moved, as the results say */
    uint64_t errors;  /* calls that failed */
    struct hist time; /* ns */
};

struct op_total {
    enum role role;
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
    /* reads and writes whose place is known, by where the one before it in
       the same file and chunk of a thread ended */
    uint64_t consecutive; /* there */
    uint64_t strided;     /* as far behind it as the one before */
    uint64_t sequential;  /* elsewhere behind it */
    uint64_t random;      /* before it */
    uint64_t extent;      /* bytes up to the last one read */
};

/* Where a thread is in a file. */
struct place {
    uint64_t end, gap; /* of the call before */
    int known;
};

/* Add the counters; class and kind of `to` stay. */
void file_total_add (struct file_total *to, const struct file_total *from);

struct tally {
    struct call_total *call[CALL_MAX]; /* NULL: none */
    struct strmap *ops;   /* "category NUL name" -> struct op_total */
    struct strmap *files; /* path -> struct file_total */
};

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
    SET_CHECKPOINT,
    SET_COMPUTE,
    SET_COUNT
};

struct transfer {
    uint64_t count, bytes, ns;
};

/* All numbers are sums, so units add up to processes and jobs. */
struct counts {
    uint64_t events;
    uint64_t posix, posix_storage, stdio, app;
    struct transfer read;        /* POSIX, data files */
    struct transfer other_read;  /* POSIX, other files on storage */
    struct transfer write;       /* POSIX, storage */
    struct transfer ckpt_write;  /* POSIX and stdio, checkpoint files */
    uint64_t stdio_reads;        /* of data files */
    uint64_t maps, mapped_bytes; /* successful mmap of storage files */
    struct transfer sample;      /* outermost regions with image_size */
    uint64_t sample_timed;       /* of these: longer than nothing */
    double sample_rate;          /* sum of bytes a second over those */
    uint64_t regions[ROLE_COMPUTE + 1];
};

void counts_add (struct counts *n, const struct counts *more);

struct unit {
    const struct trace_process *who;
    struct counts n;
    uint64_t first, last; /* ns of CLOCK_REALTIME; first is ~0: no event */
    struct spanlog set[SET_COUNT];
    struct spanlog
        *call[CALL_MAX]; /* when each call was running; NULL: never */
    struct nest regions, samples;
};

void unit_init (struct unit *u, const struct trace_process *who);
/* After the last chunk: settle what waited for a parent; frees regions and
 * samples. */
void unit_finish (struct unit *u);
void unit_clear_calls (struct unit *u); /* only its calls */
void unit_clear (struct unit *u);

/* --- scanning -------------------------------------------------------- */

/* What a worker keeps from chunk to chunk. */
struct scanner {
    const struct kind_rules *rules;
    struct tally *tally;
    struct decoder decoder;
    void **target;       /* dictionary id -> its total, or a key's mark */
    struct place *place; /* the same ids */
    size_t target_room;
};

/* Count all events of a chunk; payload is what tracefile_read gave. Returns
 * 0, or -1: EBADMSG when the bytes make no sense from some event on (those
 * before it are counted), ENOMEM. *decoded gets the events counted. */
int scanner_chunk (struct scanner *s,
                   struct unit *u,
                   const struct trace_chunk *c,
                   const unsigned char *payload,
                   size_t bytes,
                   uint64_t *decoded);
void scanner_clear (struct scanner *s);

#endif
