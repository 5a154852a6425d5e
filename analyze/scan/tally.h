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
    FILE_SUMS (FILE_NUMBER) FILE_MAXIMA (FILE_NUMBER) FILE_placed,
#undef FILE_NUMBER
    FILE_NUMBERS = FILE_placed + PLACED_COUNT
};

struct file_total {
    enum file_class class;
    enum file_kind kind;
    union {
        struct {
#define FILE_NUMBER(NAME) uint64_t NAME;
            FILE_SUMS (FILE_NUMBER)
            FILE_MAXIMA (FILE_NUMBER)
#undef FILE_NUMBER
            uint64_t placed[PLACED_COUNT]; /* reads and writes, by enum
                                              placed; sums */
        };
        uint64_t number[FILE_NUMBERS];
    };
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

/* Maps of a tally. */
enum tally_map {
    TALLY_OPS,     /* "category NUL name" -> struct op_total */
    TALLY_FILES,   /* path -> struct file_total */
    TALLY_BLOCKS,  /* "device NUL path" -> struct block_total; path "": no file
                      is known */
    TALLY_PEERS,   /* "host:port" -> struct peer_total */
    TALLY_OBJECTS, /* struct object_name -> struct object_total */
    TALLY_MOUNTS,  /* prefix -> struct mount_entry */
    TALLY_TIME, /* where there are profiles: struct timemap_bin -> counters of
                   enum profile_bin_counter */
    TALLY_MAPS
};

struct tally {
    struct call_total *call[CALL_MAX]; /* NULL: none */
    union {
        struct {
            struct strmap *ops, *files, *blocks, *peers, *objects, *mounts,
                *time;
        };
        struct strmap *map[TALLY_MAPS]; /* owned; NULL: none */
    };
    struct pointfaults points;
    struct pfw_sums sums; /* of aggregated lines */
};

/* Add to the value under a key, which is made when it is new. Sizes and strides
 * of a file are moved: `from` can only be freed. */
void tally_add (struct tally *t,
                enum tally_map map,
                const char *key,
                size_t length,
                void *from);

/* The value under a key, zeroed when it is new. */
void *tally_value (struct tally *t,
                   enum tally_map map,
                   const char *key,
                   size_t length);

/* Free a value of such a map; NULL is fine. */
void tally_free (enum tally_map map, void *value);

/* The total of an object, to be added to. */
struct object_total *tally_object (struct tally *t,
                                   enum call_category layer,
                                   const char *file,
                                   const char *object);

/* With ops, files and objects, which are empty. */
void tally_init (struct tally *t);
void tally_merge (struct tally *t, const struct tally *other);
void tally_clear (struct tally *t); /* zeroed is fine */

/* Indices of a map, the heaviest value first; keys decide where that is equal.
 * malloc'd; NULL: m is NULL. */
size_t *rows_sorted (const struct strmap *m,
                     uint64_t (*weight) (const void *value));

/* Operations and files in the order of the tables: longest first, names decide
 * where that is equal. Indices into the maps of the tally; malloc'd. */
size_t *operations_sorted (const struct tally *t);
size_t *files_sorted (const struct tally *t);
