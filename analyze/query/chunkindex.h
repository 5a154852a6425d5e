/* SPDX-License-Identifier: MIT
 *
 * chunkindex.h - index of chunks, and which of them a condition leaves
 */
#pragma once

#include "analyze/scan/context.h"
#include "analyze/scan/pass.h"
#include "analyze/scan/where.h"

/* --- chunkindex.c: what is in each chunk of a merged trace <-> a file beside
 * it ---
 *
 * TRACE.index says of each chunk which calls, files and regions are in it, and
 * the least and the most of each column of numbers, so that a condition reads
 * only the chunks that can fulfil it (chunkindex.h). doc/trace-format.md draws
 * it. Of a chunk that is not the one it was made of, it says nothing.
 */

/* With its last byte, 0; the number grows when the layout changes. */
#define CHUNKINDEX_MAGIC "dftindx1"

enum {
    CHUNKINDEX_SECTION = 1,
    CHUNKINDEX_HEAD = 24, /* bytes before the first one of a section */
    CHUNKINDEX_MODE = 0600
};

enum {
    CHUNKINDEX_NUMBERS = 9,
    CHUNKINDEX_NAMES_MAX = 4096, /* of a chunk; of others it is not known */
    CHUNKINDEX_MANY = UINT16_MAX
};

/* Columns of numbers whose least and most are kept, in the order of the file.
 * time is CLOCK_MONOTONIC of the process's node here. */
extern const enum where_column chunkindex_column[CHUNKINDEX_NUMBERS];

struct chunk_facts {
    uint64_t offset, checksum; /* of its block */
    uint32_t events;
    uint16_t any, all; /* events that have a value of column n: bit n */
    int64_t least[CHUNKINDEX_NUMBERS], most[CHUNKINDEX_NUMBERS];
    uint16_t calls, names;   /* names CHUNKINDEX_MANY: not known */
    size_t call_at, name_at; /* in chunkindex.call and .name */
};

struct chunkindex {
    struct chunk_facts *chunk; /* by offset; owned, as all of these */
    size_t chunks;
    uint16_t *call; /* enum call */
    uint32_t *name; /* numbers of the dictionary; 0: no name */
    size_t calls, names;
};

/* Read all of the merged trace at path and write path.index. 0, or -1 with err:
 * there is none then. */
int chunkindex_write (const char *path, struct errtext *err);

/* The index of a trace, its names in dict. NULL: there is none, it is damaged
 * or of another version (errno says which). */
struct chunkindex *chunkindex_read (const char *path, struct dict *dict);

void chunkindex_destroy (struct chunkindex *x); /* NULL is fine */

/* Remove the index of a trace, if what has its name is one. */
void chunkindex_remove (const char *path);

/* Facts about a chunk. NULL: the index has none, or the chunk has changed
 * since. */
const struct chunk_facts *chunkindex_find (const struct chunkindex *x,
                                           const struct trace_chunk *c);

/* "TRACE.index"; malloc'd. */
char *chunkindex_path (const char *trace);

/* --- chunkskip.c: a condition, and the index of a trace -> which chunks need
 * not be read ---
 */

/* Design. Chunks that cannot matter are not read (query/chunkindex.c,
 * chunkskip.c): the merge leaves an index beside the trace, with what is in
 * each chunk. Of each term of a condition two things follow for a chunk: may
 * it hold for an event of it, and may it fail for one; "and", "or" and "not"
 * are worked out with these two. What the index does not know may do both. A
 * pass then has chunks that it skips (pass_split.skip); who needs all events
 * (totals, learning, the time of the job) skips none. */

/* Leave out of the pass, which is open and has not run, the chunks in which no
 * event fulfils w according to an index; their names are in its dictionary all
 * the same. Traces without an index are read as a whole. context: as for the
 * query. 0, or -1 (ESRCH: the context lacks a process). */
int chunkskip (struct pass *p,
               const struct where *w,
               const struct query_context *context);
