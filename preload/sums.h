/* SPDX-License-Identifier: MIT
 *
 * sums.h - bytes of calls that are left out on purpose, by reason
 *
 * In ordinary memory, added without locks; a child of fork begins at 0.
 * Counted is what the kernel counts (rchar and wchar of /proc/self/io), and
 * nothing where it does not: splice, mappings, send and recv.
 */
#ifndef DFT_PRELOAD_SUMS_H
#define DFT_PRELOAD_SUMS_H

#include <stdint.h>

#include "lib/format/calls.h"
#include "lib/format/leftout.h"
#include "preload/record/recorder.h"
#include "preload/files.h"

struct sums {
    uint64_t read, written;
};

/* One for each reason. */
extern struct sums sums[LEFTOUTS] __attribute__ ((visibility ("hidden")));

/* Bytes that libc's threads move for aio_read and aio_write, which the kernel
 * counts and libaio does not. They are recorded. */
extern struct sums sums_aio __attribute__ ((visibility ("hidden")));

/* Bytes of this thread that are in the sums while it is in a function of libc
 * that is looked at. */
struct sums_inner {
    int looking;
    uint64_t read, written;
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

/* A call on an ignored file has ended. Keeps errno. */
static inline __attribute__ ((always_inline)) void
sums_call (int sides, struct file in, struct file out, int64_t rc)
{
    if ((sides & CALL_READS) && in.state == FILE_IGNORED)
        sums_add_read ((enum leftout)in.class, rc);
    if ((sides & CALL_WRITES) && out.state == FILE_IGNORED)
        sums_add_written ((enum leftout)out.class, rc);
}

/* sums_call in a wrapper that has a span sp. */
#define SUMS(CALL, RC)                                                 \
    sums_call (SUMS_OF_##CALL, sp.file,                                \
               SUMS_OF_##CALL == (CALL_READS | CALL_WRITES) ? sp.file2 \
                                                            : sp.file, \
               (int64_t)(intptr_t)(RC))

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

#endif
