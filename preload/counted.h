/* SPDX-License-Identifier: MIT
 *
 * counted.h - what the kernel has counted of a process, beside what was left
 *             out of its trace
 *
 * In:  /proc/self/io at the start of a program, at its end and before an exec;
 *      sums of bytes by reason
 * Out: a line `traced` of JOBDIR/shards/processes.HOST (doc/trace-format.md)
 *
 * The line of a process that recorded nothing says so, as evidence that it was
 * traced. A process that is killed leaves no line; where the kernel refuses the
 * file, there is no count in it.
 */
#pragma once

#include "lib/format/calls.h"
#include "lib/format/proclines.h"
#include "preload/files.h"
#include "preload/record/recorder.h"

/* -- what the kernel has counted of a process, beside what was left out of its
 * trace -- */

/* A program begins, in the constructor. s must stay. */
void counted_start (const struct settings *s);

/* In a child of fork, when it begins. */
void counted_forked (void);

/* A child is about to be waited for, in a process that has begun: from then on
 * the kernel's count has its bytes, too, and threads that end are counted one
 * by one. Keeps errno. */
void counted_waits (void);

/* This thread ends; once more, where it was active after that. */
void counted_thread_ended (void);

/* At the orderly end of a process that has begun, before the recorder's: it has
 * recorded nothing, and lost nothing. */
int counted_quiet (void);

/* Nothing of it had room in a file. */
int counted_lost (void);

/* Its end, once nothing is recorded any more; late: bytes that libc will write
 * after that. Before an exec: the same line comes once more where that fails.
 * Keep errno. */
void counted_exit (uint64_t late, int quiet);
void counted_exec (void);

/* -- calls that are left out on purpose, by reason -- */

struct sums {
    uint64_t read, written; /* bytes */
    uint64_t calls, ns;     /* how long these took, added up */
};

/* One for each reason. */
extern struct sums sums[LEFTOUTS] __attribute__ ((visibility ("hidden")));

/* Bytes that libc's threads move for aio_read and aio_write, which the kernel
 * counts and libaio does not. They are recorded. */
extern struct sums sums_aio __attribute__ ((visibility ("hidden")));

/* Of this thread, in the sums while it is in a function of libc that is looked
 * at. */
struct sums_inner {
    int looking;
    uint64_t read, written, ns;
};
extern _Thread_local struct sums_inner sums_inner
    __attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));

/* Files that the settings leave out, about: it is enough to know whether there
 * was one. */
extern unsigned sums_files __attribute__ ((visibility ("hidden")));

static inline void sums_add_file (enum file_class class)
{
    unsigned n = __atomic_load_n (&sums_files, __ATOMIC_RELAXED);

    if (class == FILE_CLASS_STORAGE || class == FILE_CLASS_SHM)
        __atomic_store_n (&sums_files, n + 1, __ATOMIC_RELAXED);
}

/* Devices of GPUs that the process has opened, about. */
extern unsigned sums_gpus __attribute__ ((visibility ("hidden")));

static inline void sums_add_read (enum leftout why, int64_t n)
{
    if (n > 0 && sums_inner.looking)
        sums_inner.read += (uint64_t)n;
    if (n > 0)
        (void)__atomic_fetch_add (&sums[why].read, (uint64_t)n,
                                  __ATOMIC_RELAXED);
}

static inline void sums_add_written (enum leftout why, int64_t n)
{
    if (n > 0 && sums_inner.looking)
        sums_inner.written += (uint64_t)n;
    if (n > 0)
        (void)__atomic_fetch_add (&sums[why].written, (uint64_t)n,
                                  __ATOMIC_RELAXED);
}

/* A call has ended that took so long. */
static inline void sums_add_call (enum leftout why, uint64_t ns)
{
    if (sums_inner.looking)
        sums_inner.ns += ns;
    (void)__atomic_fetch_add (&sums[why].calls, 1, __ATOMIC_RELAXED);
    (void)__atomic_fetch_add (&sums[why].ns, ns, __ATOMIC_RELAXED);
}

static inline void sums_add_aio (int reads, int64_t n)
{
    if (n > 0)
        (void)__atomic_fetch_add (reads ? &sums_aio.read : &sums_aio.written,
                                  (uint64_t)n, __ATOMIC_RELAXED);
}

/* Sides of a call that is not recorded; of calls on streams those whose bytes
 * libc moves at once. */
enum {
    SUMS_OF_NONE = 0,
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RULE)                \
    SUMS_OF_##NAME = NUMBER == CALL_dprintf                              \
                         ? CALL_WRITES                                   \
                         : CALL_SIDES (NUMBER, CALL_CATEGORY_##CATEGORY, \
                                       CALL_CLASS_##CLASS),
#include "lib/format/calls.def"
#undef CALL
};

/* A call on a file that is recorded is not, by exclude_calls or min_size. */
void sums_dropped (const struct record *r);

/* Count the bytes that libc moved for a call on a stream of file f if they are
 * not recorded. Return 1 if f is ignored. */
int sums_stream (struct file f,
                 const struct record *r,
                 int64_t in,
                 int64_t out);

/* In a child of fork. */
void sums_forked (void);

/* Whether anything was added. */
int sums_any (void);

/* -- /proc/self/io -> what the kernel has counted of this process -- */

struct kernelio {
    int known;
    uint64_t read, written; /* rchar, wchar */
};

/* all: with the children that were waited for. own: without them, known where
 * there were none, where this process has one thread only, or where it is known
 * what its ended threads had. Both since the last fork, over execs, and with
 * the bytes that asking takes. Keeps errno. */
void kernelio_take (struct kernelio *all,
                    struct kernelio *own,
                    const struct kernelio *ended);

/* Read the counters of this thread before and after a call; the difference is
 * its part. Return the bytes that reading took, which io includes. */
uint64_t kernelio_now (struct kernelio *io);

/* Read the counters of this thread, including the bytes of this read. Keeps
 * errno. */
void kernelio_thread (struct kernelio *io);

/* Read the counters of threads that ended; not known once a child was waited
 * for. Keeps errno. */
void kernelio_ended (struct kernelio *ended);

/* -- a line of this process -> DIR/shards/processes.HOST -- */

enum {
    APPENDLINE_MAKE = 1,     /* missing directories are made */
    APPENDLINE_DOUBTFUL = 2, /* only where processes cannot store in the shard
                                how they ended (shardfile.h) */
    APPENDLINE_RARE = 4      /* has room where there is none for others */
};

/* Append it with one write; dir: absolute. 0, also where the file is full, or
 * -1: it is not there. No state; async-signal-safe; fit for a child of vfork.
 * May change errno. */
int appendline (const char *dir, const struct procline *l, unsigned how);

/* Append a line that fill () makes when its file is open; l is empty before,
 * and where fill () adds nothing, nothing is written. Otherwise as appendline
 * (). */
typedef void appendline_fill_f (struct procline *l, void *cookie);
int appendline_made (const char *dir,
                     struct procline *l,
                     appendline_fill_f *fill,
                     void *cookie);
