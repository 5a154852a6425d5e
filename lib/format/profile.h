/* SPDX-License-Identifier: MIT
 *
 * profile.h - the bytes of a profile: names, rows of counters, histograms
 *
 * A block of type SHARD_BLOCK_PROFILE belongs to one thread. Its payload is a
 * run of records, each a struct profile_head and what its type says; the low
 * half of the block's commit says how many bytes of them count. A record is
 * whole when it is committed, then its counters grow, each by one store of 8
 * bytes. So a process may die at any instruction: what is in the counters is
 * what was counted up to then, but for the one call at hand, which may be in
 * some of them. doc/profile.md draws it.
 */
#pragma once

#include <stdint.h>

#include "lib/format/calls.h"
#include "lib/format/shard.h"

/* -- the bytes of a profile: names, rows of counters, histograms -- */

enum profile_counter {
#define COUNTER(NAME, UNIT, MERGE, HELP) PROFILE_##NAME,
#include "lib/format/profile.def"
#undef COUNTER
    PROFILE_COUNTERS
};

/* Place of an access in its file, beside the one before. Only reads and
 * writes that say where they are count; the first one of a thread on a file is
 * at none of the four places. All but extent are calls, which add up. */
enum profile_place {
    PROFILE_PLACE_consecutive, /* where the one before ended */
    PROFILE_PLACE_strided,     /* as far behind it as the one before */
    PROFILE_PLACE_sequential,  /* elsewhere behind it */
    PROFILE_PLACE_backward,    /* before it */
    PROFILE_PLACE_extent,   /* B, maximum: the furthest byte that a read reached
                             */
    PROFILE_PLACE_switches, /* reads behind a write, writes behind a read */
    PROFILE_PLACE_unaligned, /* at an offset that is no multiple of CALL_PAGE */
    PROFILE_PLACES
};

/* Counters of a stretch of time, of one thread: calls of posix and stdio on
 * files on storage. Calls and bytes count where the call began, its time (ns)
 * where it passes. A copy between two files counts as a read, if what it reads
 * is on storage, else as a write; its bytes are read, written, or both. */
enum profile_bin_counter {
    PROFILE_BIN_reads,
    PROFILE_BIN_read_bytes,
    PROFILE_BIN_read_time,
    PROFILE_BIN_writes,
    PROFILE_BIN_write_bytes,
    PROFILE_BIN_write_time,
    PROFILE_BIN_others, /* all other calls */
    PROFILE_BIN_other_time,
    PROFILE_BIN_COUNTERS
};

enum profile_merge { PROFILE_SUM, PROFILE_MIN, PROFILE_MAX };

enum profile_type {
    PROFILE_NONE = 0,
    PROFILE_NAME = 1,   /* number: its own, from 1 in the thread; class, kind;
                           call: bytes of the text, which follows */
    PROFILE_ROW = 2,    /* call; number, number2: its files, or its region, 0
                           none; then the counters of profile.def */
    PROFILE_FILE = 3,   /* number: the file; those of enum profile_place; then
                           what   struct profile_file has */
    PROFILE_FEW = 4,    /* call; kind: enum profile_hist; number: a group of
                           buckets; then how many values are in each of these,
                           in a byte */
    PROFILE_MANY = 5,   /* the same in 4 bytes each; kind: PROFILE_AGAIN and so
                           on for each one more */
    PROFILE_MAP = 6,    /* number: bins; then struct profile_map */
    PROFILE_SIZES = 7,  /* call, number, number2: of the row whose sizes differ;
                          kind: 0, then 1; then struct profile_values */
    PROFILE_STRIDES = 8 /* number: of the file; kind: as of sizes, and
                           PROFILE_STRIDES_WRITE; then the same */
};

enum profile_hist { PROFILE_HIST_TIME = 0, PROFILE_HIST_SIZE = 1 };

enum {
    PROFILE_ALIGN = 16,      /* of records */
    PROFILE_BUCKET_BITS = 6, /* log2 of the buckets of a power of two */
    PROFILE_BUCKETS = 16,    /* in a group */
    PROFILE_GROUPS = ((64 - PROFILE_BUCKET_BITS + 1) << PROFILE_BUCKET_BITS) /
                     PROFILE_BUCKETS,
    PROFILE_AGAIN = 2, /* in the kind of a group, beside enum profile_hist */
    PROFILE_AGAIN_MAX = 127,
    PROFILE_BINS_MAX = 256,     /* of a map of time */
    PROFILE_FOLDED = 1,         /* flag of a name: it stands for many */
    PROFILE_BYTES_MAX = 4 << 20 /* of a process */
};

struct profile_head {
    uint8_t type;  /* enum profile_type */
    uint8_t flags; /* PROFILE_FOLDED */
    uint8_t kind;
    uint8_t class;
    uint16_t bytes; /* of the record, with this; in units of PROFILE_ALIGN */
    uint16_t call;
    uint32_t number;
    uint32_t number2;
};
_Static_assert(sizeof (struct profile_head) == PROFILE_ALIGN, "record layout");

struct profile_row {
    struct profile_head head;
    uint64_t n[PROFILE_COUNTERS];
};
_Static_assert(sizeof (struct profile_row) == 128, "two cache lines");

struct profile_file {
    struct profile_head head;
    uint64_t n[PROFILE_PLACES];
    uint64_t end, gap; /* of the call before, when there was one */
    uint64_t before;   /* what it was: PROFILE_BEFORE_* and the thread */
    uint64_t zero[2];  /* reads and writes whose stride is 0 */
    uint64_t ends[2];  /* where the read, the write before ended, plus 1; 0:
                          none */
};
_Static_assert(sizeof (struct profile_file) == 128, "two cache lines");
enum {
    PROFILE_BEFORE_READ = 1,
    PROFILE_BEFORE_WRITE = 2,
    PROFILE_BEFORE_MASK = 3,
    PROFILE_BEFORE_SHIFT = 2 /* above: which of the threads that had these
                                blocks one after the other */
};

/* How often a row moved how many bytes, of calls of posix and stdio. While all
 * calls that did not fail moved as many, there is no such record: the row has
 * size_least - 1 = size_most. With the first one that differs, one is made that
 * has the calls before it, too.
 *
 * How often reads, and writes, of a file skipped how many bytes: the stride. It
 * is 0 where nothing was skipped, of the first one, too; those are counted in
 * struct profile_file, all others in records of strides.
 *
 * A value has the first slot that is free; in a second record when the first is
 * full. What has none then is not kept: the calls that did not fail, less those
 * that are counted. */
enum {
    PROFILE_VALUES_FIRST = 6, /* slots */
    PROFILE_VALUES_SECOND = 14,
    PROFILE_VALUES_SHIFT = 32, /* in a slot: how often << 32 | code of the
                                  value; 0: free */
    PROFILE_VALUES_RECORDS = 2,
    PROFILE_STRIDES_WRITE = 2 /* in the kind */
};

struct profile_values {
    struct profile_head head;
    uint64_t slot[PROFILE_VALUES_SECOND]; /* of the first record fewer */
};
_Static_assert(sizeof (struct profile_values) == 128, "two cache lines");

static inline unsigned profile_values_slots (unsigned record)
{
    return record ? PROFILE_VALUES_SECOND : PROFILE_VALUES_FIRST;
}

/* Values below 2^31 are as they are. With the highest bit: 5 bits of exponent,
 * 26 of mantissa, for values below 2^57 of which no more bits are set than
 * these. All others have no code, and so no slot. */
enum { PROFILE_VALUES_MANTISSA = 26 };
#define PROFILE_VALUES_LARGE ((uint32_t)1 << 31)
#define PROFILE_VALUES_NONE  UINT32_MAX

static inline uint32_t profile_value_large (uint64_t value)
{
    unsigned e =
        64 - (unsigned)__builtin_clzll (value) - PROFILE_VALUES_MANTISSA;
    uint64_t mantissa = value >> e;

    return e < 32 && mantissa << e == value
               ? PROFILE_VALUES_LARGE | e << PROFILE_VALUES_MANTISSA |
                     (uint32_t)mantissa
               : PROFILE_VALUES_NONE;
}

static inline uint32_t profile_value_code (uint64_t value)
{
    return value < PROFILE_VALUES_LARGE ? (uint32_t)value
                                        : profile_value_large (value);
}

static inline uint64_t profile_value_of (uint32_t code)
{
    uint32_t large = code & (PROFILE_VALUES_LARGE - 1);

    return code & PROFILE_VALUES_LARGE
               ? (uint64_t)(large & ((1u << PROFILE_VALUES_MANTISSA) - 1))
                     << (large >> PROFILE_VALUES_MANTISSA)
               : code;
}

struct profile_few {
    struct profile_head head;
    uint8_t count[PROFILE_BUCKETS];
};

struct profile_many {
    struct profile_head head;
    uint32_t count[PROFILE_BUCKETS];
};

/* Bin of a map of time. Bin i holds the times t, CLOCK_MONOTONIC in ns, with (t
 * >> shift) - (base >> shift) = i. When time passes the last bin, all bins
 * become twice as wide: pairs are added up in place, and `state` holds the
 * progress. With odd = (base >> shift) & 1, bin i before `done` holds the old
 * bins 2 i - odd and 2 i + 1 - odd and has the width of shift + 1; bins from 2
 * done - odd on are unchanged; those between do not count. If PROFILE_SPARE is
 * set, the bin of number odd is in the spare one. So a death at any instruction
 * loses nothing. */
struct profile_bin {
    uint64_t n[PROFILE_BIN_COUNTERS];
};
struct profile_map {
    struct profile_head head;
    uint64_t state; /* done << 16 | PROFILE_SPARE | shift */
    uint64_t base;
    struct profile_bin bin[]; /* the spare one, then bin 0 … */
};
enum { PROFILE_SPARE = 1 << 8, PROFILE_DONE_SHIFT = 16 };
_Static_assert(sizeof (struct profile_map) == 32, "record layout");

/* The bucket of a value: values below 64 have one each, then each power of two
 * has 64. Its group is the bucket / PROFILE_BUCKETS. */
static inline unsigned profile_bucket (uint64_t value)
{
    unsigned shift;

    if (value < 1u << PROFILE_BUCKET_BITS)
        return (unsigned)value;
    shift = 63 - (unsigned)__builtin_clzll (value) - PROFILE_BUCKET_BITS;
    return (shift << PROFILE_BUCKET_BITS) + (unsigned)(value >> shift);
}

/* How a counter of profile.def merges. */
static inline enum profile_merge profile_merge_of (enum profile_counter c)
{
    static const uint8_t merge[PROFILE_COUNTERS] = {
#define COUNTER(NAME, UNIT, MERGE, HELP) PROFILE_##MERGE,
#include "lib/format/profile.def"
#undef COUNTER
    };

    return (enum profile_merge)merge[c];
}

/* Add the counters of another row. */
static inline void profile_row_add (uint64_t *to, const uint64_t *from)
{
    for (int c = 0; c < PROFILE_COUNTERS; c++) {
        enum profile_merge merge = profile_merge_of ((enum profile_counter)c);

        if (merge == PROFILE_SUM)
            to[c] += from[c];
        else if (merge == PROFILE_MAX ? from[c] > to[c]
                                      : from[c] && (!to[c] || from[c] < to[c]))
            to[c] = from[c];
    }
}

/* -- what a call counts as in a map of time: the rule of enum
 * profile_bin_counter -- */

struct profkind {
    int calls, time;   /* enum profile_bin_counter */
    int reads, writes; /* do its bytes count as these? */
};

/* Return the kind of a call of posix or stdio by the storage of its files; a
 * call without any is not counted. */
static inline struct profkind
profkind (enum call_class class, int storage, int storage2)
{
    int copy = class == CALL_CLASS_COPY;
    struct profkind k = {PROFILE_BIN_others, PROFILE_BIN_other_time,
                         class == CALL_CLASS_READ || (copy && storage),
                         class == CALL_CLASS_WRITE || (copy && storage2)};

    if (k.reads) {
        k.calls = PROFILE_BIN_reads;
        k.time = PROFILE_BIN_read_time;
    } else if (k.writes) {
        k.calls = PROFILE_BIN_writes;
        k.time = PROFILE_BIN_write_time;
    }
    return k;
}
