/* SPDX-License-Identifier: MIT
 *
 * prof.h - records of one thread -> counters of its profile
 *
 * Private to the recorder, as tbuf.h is: a buffer that profiles has a struct
 * prof in the place of what an encoder needs. All zero is empty.
 */
#pragma once

#include "lib/format/profile.h"
#include "preload/record/recorder.h"
#include "preload/record/shardfile.h"

enum {
    PROF_CHUNKS = 48,
    PROF_REF_BITS = 16, /* of a prof_ref: where in its block, in units */
    PROF_CACHED_LOG = 5,
    PROF_CACHED = 1 << PROF_CACHED_LOG, /* rows that are found at once */
    PROF_GROUPED_LOG = 6,
    PROF_GROUPED = 1 << PROF_GROUPED_LOG, /* groups of histograms, the same */
    PROF_OPEN = 16 /* regions inside each other whose self time is known */
};

/* Place of a record: chunk and offset plus 1; 0 means none. */
typedef uint32_t prof_ref;

/* Which of its files are on storage. */
enum prof_storage { PROF_STORAGE = 1, PROF_STORAGE2 = 2 };

/* Values that are counted each for itself. */
enum prof_what { PROF_SIZES = 0, PROF_STRIDES = 1, PROF_WHATS, PROF_FULL = 4 };

enum {
    PROF_VALUES_LOG = 6,
    PROF_VALUES_MORE = 128 /* other values have this hash, too; once all slots
                              are used */
};

/* Slots for the values of a row or file. */
struct prof_values {
    uint64_t *slot[PROFILE_VALUES_RECORDS]; /* NULL: no record */
    uint8_t at[1 << PROF_VALUES_LOG]; /* by hash: where the latest value is,
                                         plus 1; PROF_VALUES_MORE */
};

struct prof_cache {
    uint32_t id; /* of names_intern */
    uint16_t call;
    uint8_t storage; /* set of enum prof_storage */
    uint8_t values;  /* bits of enum prof_what: there are records, and known;
                        PROF_FULL higher: all of their slots are used, and in
                        at[] */
    struct profile_row *row;
    struct profile_file *file; /* NULL: the call is at no place */
};

/* The map of time that is filled now. */
struct prof_map {
    struct profile_map *record;
    struct profile_bin *at; /* of the record */
    uint64_t base;          /* where its first bin begins, ns */
    uint32_t shift, bins;   /* no bins: there is none */
    uint64_t *now; /* counters of the bin of the call before, or NULL */
    uint64_t now_start, now_ns; /* when it begins, its width */
};

/* The size of the call before, and its cell. */
struct prof_size {
    const struct profile_row *row;
    uint64_t size;
    uint32_t *cell; /* NULL: none */
};

struct prof {
    uint64_t base, base_ns;      /* of all its blocks */
    uint64_t end, end_ns;        /* of the call before */
    uint64_t due;                /* tick at which the clock is looked at */
    uint64_t pair_tick, pair_ns; /* when that was last */
    uint64_t scale;              /* ns a tick << 32; 0: ticks are ns */
    prof_ref *index;             /* by hash; anonymous memory */
    uint64_t *ids; /* behind it: ids of names_intern, numbers of names */
    struct prof_values *values; /* behind these: PROF_WHATS of each row of
                                   cache[], and of a row that is not in it */
    uint32_t slots, records;    /* of it; it is never more than half full */
    uint32_t names;
    uint32_t turn; /* threads that had it before */
    uint16_t chunks, opened;
    struct {
        uint64_t calls, above; /* up to the window at hand */
    } slow;
    unsigned char *p, *limit; /* of the last chunk */
    struct prof_map map;
    struct prof_size size;
    uint64_t unkept; /* a slot for values that have none */
    struct shardfile_chunk chunk[PROF_CHUNKS];
    struct prof_cache cache[PROF_CACHED];
    struct {
        uint64_t key;    /* of prof_hist_key; 0: none */
        uintptr_t count; /* of struct profile_many, or plus 1 of profile_few */
    } grouped[PROF_GROUPED];
    struct {
        uint64_t start, inside; /* tick, ns */
    } open[PROF_OPEN];
};

/* Count a record. wiped: the caller's page is zeros in a child of fork, and
 * so must be what is mapped here. 0, or -1 when there is no room (the caller
 * counts it). */
int prof_record (struct prof *p, const struct record *r, int wiped);

/* The short way for a read or write that moved all that it asked for, where the
 * same call on the same file was not long ago, and nothing has to be made: 1
 * when it was counted, else 0 and nothing has happened. Keeps errno. */
int prof_transfer_here (enum call call,
                        uint64_t start,
                        uint64_t end,
                        uint32_t file,
                        uint64_t size,
                        int64_t offset);

/* Its thread ends; another one may go on with it. */
void prof_rest (struct prof *p);

/* A region begins at this tick. */
void prof_begin (struct prof *p, uint64_t tick);

/* Seal what there is. last: the end of the process; else all is unmapped. */
void prof_end (struct prof *p, int last);

/* In a child of fork: without touching what is the parent's. leave: interrupted
 * code goes on and must find memory that nobody reads. */
void prof_drop (struct prof *p);
void prof_leave (struct prof *p);

/* In a child of fork: it has taken no space. */
void prof_forked (void);

/* Return the slot of a row in the cache. */
static inline unsigned prof_cache_slot (uint32_t id, uint32_t call)
{
    return (id * 251u + call) * 0x9e3779b1u >> (32 - PROF_CACHED_LOG);
}

/* --- proffind.c ------------------------------------------------------- */

/* The row of a call with these files (ids of names_intern, 0 none), made if
 * need be, and where the file was read. NULL: no room. */
struct prof_cache *prof_find (struct prof *p,
                              const struct record *r,
                              uint32_t id,
                              uint32_t id2,
                              int wiped,
                              struct prof_cache *pair);

/* The record that is like this one, or a new one of so many bytes, zeros but
 * for its head; NULL: no room. */
void *prof_find_or_make (struct prof *p,
                         const struct profile_head *like,
                         uint32_t bytes,
                         int wiped);

/* The record that is like this one, else NULL. */
void *prof_has (const struct prof *p, const struct profile_head *like);

/* A new record with these bytes behind its head. NULL: no room. */
void *prof_make (struct prof *p,
                 const struct profile_head *like,
                 const void *content,
                 uint32_t bytes,
                 int wiped);

/* --- slow calls --------------------------------------------------------- */

/* Says so where calls have become slow (detailnow.h); to be called now and
 * then. Returns the tick of the next time; UINT64_MAX: never. */
uint64_t prof_look (struct prof *p);

/* --- blocks ----------------------------------------------------------- */

/* A record of so many bytes, zeros but for *head; it is there once prof_commit
 * says so, which returns where. NULL: no room. */
void *prof_append (struct prof *p,
                   const struct profile_head *head,
                   uint32_t bytes,
                   int wiped);
prof_ref prof_commit (struct prof *p, const void *record);

void prof_end_blocks (struct prof *p, int last);

/* Bytes of blocks that this process has taken. */
uint64_t prof_taken (void);

/* --- files as one ------------------------------------------------------- */

/* How much a name stands for where room is short. */
enum prof_fold {
    PROF_FOLD_NOT,
    PROF_FOLD_DIGITS,
    PROF_FOLD_DIR,
    PROF_FOLD_ALL
};

/* How much a new file is folded, by what this process has taken. */
enum prof_fold prof_fold_now (void);

/* The name of the series that a path belongs to: into buf, of n bytes or
 * more. Returns its length, <= n. */
size_t prof_fold (enum prof_fold how, const char *text, size_t n, char *buf);
