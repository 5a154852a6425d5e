/* SPDX-License-Identifier: MIT
 *
 * profrows.h - the rows of a profile, whoever wrote it
 *
 * What a source has instead of events: counters by process, thread, call and
 * file (lib/format/profile.def). Our own come from blocks of a trace
 * (profread.c); readers of other tools' logs fill the same struct. Times are
 * CLOCK_MONOTONIC ns of the process's node, as decoders give them: where a
 * source has only CLOCK_REALTIME, its processes have start_ns = start_real.
 */

/* Design. Rows of a profile are events with a weight (analyze/trace/,
 * scan/loadrows.c). A source may have profrows: counters by process, thread,
 * call and file, from blocks of a trace or from another tool's log. They are
 * no batches; the totals take them where a scanner is at hand, by the same
 * plans as events, with the counts of all calls at once. What needs the time
 * of each event (unions, overlaps, phases, conditions) is n/a: profile for
 * the whole job, since a union of some processes would be a wrong number. */

#pragma once

#include "lib/format/calls.h"
#include "lib/format/profile.h"
#include "lib/format/tracefile.h"

/* A path, or the category and name of a region, as in struct name. */
struct profname {
    char *text; /* owned; NUL-terminated beyond length */
    uint32_t length;
    uint8_t kind;   /* enum shard_name_kind: FILE or EVENT */
    uint8_t class;  /* enum file_class */
    uint8_t folded; /* a pattern or a directory, which stands for many files */
};

struct profrow {
    uint32_t proc;    /* index of tracefile_process */
    uint32_t tid;     /* 0: the source does not say */
    uint16_t call;    /* enum call: its category and class say what it is */
    uint32_t name;    /* index of profrows.name plus 1; 0: none */
    uint32_t name2;   /* the same; of calls with two files */
    uint32_t thread;  /* which one of the source, where tids come again */
    uint8_t same;     /* all that did not fail moved size_most */
    uint8_t both;     /* its values are those of reads and writes together */
    uint64_t unknown; /* else: of these, whose size is not among profvalues */
    uint64_t n[PROFILE_COUNTERS];
};

enum profvalue_kind {
    PROFVALUE_SIZE,      /* bytes that a row moved */
    PROFVALUE_STRIDE,    /* bytes that a call of this class skipped */
    PROFVALUE_SIZE_BOTH, /* the same of reads and writes of a file, which are */
    PROFVALUE_STRIDE_BOTH /* not told apart */
};

/* How often a size, or a stride, was met. */
struct profvalue {
    uint32_t proc, thread, name, name2; /* of the row, or the file */
    uint16_t call; /* of strides: read or write, for all of their class */
    uint8_t kind;  /* enum profvalue_kind */
    uint64_t bytes, times;
};

/* Positions at which a thread read and wrote a file. */
struct profplace {
    uint32_t proc, tid, name;
    uint64_t n[PROFILE_PLACES];
};

/* Durations or sizes of a call in a thread: values in the buckets of
 * profile_bucket, a group of them. */
struct profgroup {
    uint32_t proc, tid;
    uint32_t name; /* of the region; 0: of a call of libc or MPI */
    uint16_t call;
    uint8_t what; /* enum profile_hist */
    uint8_t group;
    uint64_t count[PROFILE_BUCKETS];
};

/* Bytes that a thread moved in a stretch of time. */
struct profbin {
    uint32_t proc, tid;
    uint64_t start, width; /* ns, CLOCK_MONOTONIC */
    uint64_t n[PROFILE_BIN_COUNTERS];
};

/* All zero is empty. Rows of one (proc, tid, call, name, name2) may stand
 * here more than once: they add up. */
struct profrows {
    int bins_have_events;  /* what the source's events moved is in its bins, too
                            */
    struct profname *name; /* owned, as are the others */
    struct profrow *row;
    struct profplace *place;
    struct profvalue *value;
    struct profgroup *group;
    struct profbin *bin;
    size_t names, rows, places, values, groups, bins;
    size_t name_room, row_room, place_room, value_room, group_room, bin_room;
};

/* Calls that did not fail. */
static inline uint64_t profrow_good (const struct profrow *r)
{
    uint64_t calls = r->n[PROFILE_calls], errors = r->n[PROFILE_errors];

    return errors < calls ? calls - errors : 0;
}

/* Append a name, copying the text; its index plus 1. */
uint32_t profrows_name (struct profrows *p,
                        const struct profname *like,
                        const char *text,
                        size_t length);
/* Append one that is all zeros. */
struct profrow *profrows_row (struct profrows *p);
struct profplace *profrows_place (struct profrows *p);
struct profvalue *profrows_value (struct profrows *p);
struct profgroup *profrows_group (struct profrows *p);
struct profbin *profrows_bin (struct profrows *p);
void profrows_clear (struct profrows *p);

/* Events and counters of a file, or of a job. */
struct profparts {
    uint64_t events;  /* in the trace */
    uint64_t calls;   /* in profiles, regions included */
    uint64_t until;   /* ns of CLOCK_REALTIME: before, all calls of processes
                         that have events are among these; 0: always */
    uint64_t both;    /* processes that have events and counters */
    uint64_t counted; /* that have counters alone */
    uint64_t after;   /* of both, that have events after until, too */
};

void profparts_find (struct profparts *p,
                     const struct tracefile *f,
                     const struct profrows *rows);

void profparts_add (struct profparts *to, const struct profparts *more);

/* A process of a file that has so many chunks; and without what was added so.
 */
void profparts_add_process (struct profparts *to,
                            const struct tracefile *f,
                            const struct trace_process *who,
                            const struct trace_chunk *const *chunk,
                            size_t chunks,
                            const struct profrows *rows);
void profparts_subtract (struct profparts *from, const struct profparts *less);

/* "3 128 events in the trace, all to 0.019 s; 16 876 in the profile after
 * that", with seconds since start (ns of CLOCK_REALTIME). Returns buf. */
enum { PROFPARTS_WORDS = 256 }; /* its bytes */
char *profparts_words (char *buf, const struct profparts *p, uint64_t start);

/* ", all to 0.019 s", as above; "" where there is no such time. The same. */
char *profparts_until (char *buf, const struct profparts *p, uint64_t start);

/* Leave the events alone: processes that went on as a profile end there. */
void profparts_drop_rows (struct tracefile *f, struct profrows *rows);
