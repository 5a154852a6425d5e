/* SPDX-License-Identifier: MIT
 *
 * tally.h - counts and histograms of a job by call, operation, file and object
 *
 * Every number is a sum or a maximum, so that the order of events does not
 * matter. Each worker has a tally; at the end they are merged.
 */
#pragma once

#include "analyze/import/pfw/pfwsums.h"
#include "analyze/scan/hist.h"
#include "analyze/scan/mounts.h"
#include "analyze/scan/place.h"
#include "analyze/scan/pointfault.h"
#include "analyze/scan/timemap.h"
#include "analyze/scan/values.h"
#include "lib/format/event.h"
#include "lib/model/kind.h"
#include "lib/util/strmap.h"

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
    struct thinhist time;       /* ns */
};

/* Numbers of a file: those that add up, then those of which the largest counts.
 */
/* clang-format off */
#define FILE_SUMS(X) \
    X (opens) X (meta) X (maps) /* calls */ \
    X (meta_ns)                 /* of all three */ \
    X (reads) X (read_bytes) X (read_ns) \
    X (writes) X (write_bytes) X (write_ns) \
    X (syncs) X (sync_ns) \
    X (stdio_read_bytes) X (stdio_write_bytes) /* of these, by streams */ \
    X (stdio_ns)                               /* all calls on streams */ \
    X (libc_read) X (libc_written) /* bytes, for calls on streams */ \
    X (switches)     /* reads behind a write, writes behind a read */ \
    X (unaligned)    /* reads and writes that do not begin at a page */ \
    X (fills) X (fill_bytes) /* pages that reads brought to the cache */ \
    X (missed_bytes) /* of these: asked for */ \
    X (unsure_bytes) /* of these: not known whether asked for */ \
    X (direct_bytes) /* read past the cache */
#define FILE_MAXIMA(X) \
    X (extent)       /* bytes up to the last one read */ \
    X (stripes) X (stripe_bytes) X (components) /* of Lustre; 0: not known */
/* clang-format on */

/* Index in file_total.number. */
enum file_number {
#define FILE_NUMBER(NAME) FILE_##NAME,
    FILE_SUMS (FILE_NUMBER) FILE_MAXIMA (FILE_NUMBER) FILE_NUMBERS
#undef FILE_NUMBER
};

struct file_total {
    enum file_class class;
    enum file_kind kind;
    union {
        struct {
#define FILE_NUMBER(NAME) uint64_t NAME;
            FILE_SUMS (FILE_NUMBER) FILE_MAXIMA (FILE_NUMBER)
#undef FILE_NUMBER
        };
        uint64_t number[FILE_NUMBERS];
    };
    uint64_t placed[PLACED_COUNT]; /* reads and writes, by enum placed */
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

/* Calls and bytes of a peer (doc/waits.md). */
#define PEER_TOTALS(X) \
    X (processes)      \
    X (connections)    \
    X (failed) X (calls) X (sent) X (received) X (ns) X (answers) X (first_ns)
struct peer_total {
#define PEER_TOTAL(NAME) uint64_t NAME;
    PEER_TOTALS (PEER_TOTAL)
#undef PEER_TOTAL
};

/* Add a file that another partition has, too: class, kind, sizes and strides
 * included. Sizes and strides of `from` are moved; it can only be freed. 0, or
 * -1 (ENOMEM). */
int file_total_join (struct file_total *to, struct file_total *from, int isnew);

/* Add the counters; class, kind and sizes of `to` stay. */
void file_total_add (struct file_total *to, const struct file_total *from);

struct object_total {
#define OBJECTCOUNT(RULE, NAME, HELP) uint64_t NAME;
#include "lib/model/objectcounts.def"
#undef OBJECTCOUNT
};

/* A key of struct tally's objects: layer, file and object are three texts with
 * a NUL between them. */
struct object_name {
    const char *layer, *file, *object;
};

/* 0, or -1: a key of `length` bytes (and a NUL) is none. */
int object_name_of (const char *key, size_t length, struct object_name *name);

struct tally {
    struct call_total *call[CALL_MAX]; /* NULL: none */
    struct strmap *ops;     /* "category NUL name" -> struct op_total */
    struct strmap *files;   /* path -> struct file_total */
    struct strmap *blocks;  /* "device NUL path" -> struct block_total; path "":
                               no file is known; NULL: none */
    struct strmap *peers;   /* "host:port" -> struct peer_total; NULL: none */
    struct strmap *objects; /* struct object_name -> struct object_total */
    struct pointfaults points;
    struct pfw_sums sums;  /* of aggregated lines */
    struct strmap *mounts; /* prefix -> struct mount_entry; NULL: none */
    struct strmap *time;   /* where there are profiles: struct timemap_bin ->
                              counters of enum profile_bin_counter; NULL: none */
};

/* Add to the value under a key: from is a struct file_total (joined as
 * file_total_join does), block_total, peer_total, op_total or object_total. */
void tally_add_file (struct tally *t,
                     const char *path,
                     size_t length,
                     void *from);
void tally_add_block (struct tally *t,
                      const char *key,
                      size_t length,
                      void *from);
void tally_add_peer (struct tally *t,
                     const char *key,
                     size_t length,
                     void *from);
void tally_add_op (struct tally *t, const char *key, size_t length, void *from);
void tally_add_object (struct tally *t,
                       const char *key,
                       size_t length,
                       void *from);

/* The total of an object, to be added to. */
struct object_total *tally_object (struct tally *t,
                                   enum call_category layer,
                                   const char *file,
                                   const char *object);

void tally_init (struct tally *t);
int tally_merge (struct tally *t, const struct tally *other);
void tally_clear (struct tally *t); /* zeroed is fine */

/* Indices of a map, the heaviest value first; keys decide where that is equal.
 * malloc'd; , or m is NULL. */
size_t *rows_sorted (const struct strmap *m,
                     uint64_t (*weight) (const void *value));

/* Operations and files in the order of the tables: longest first, names decide
 * where that is equal. Indices into the maps of the tally; malloc'd,. */
size_t *operations_sorted (const struct tally *t);
size_t *files_sorted (const struct tally *t);
