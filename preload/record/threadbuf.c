/* SPDX-License-Identifier: MIT
 *
 * threadbuf.c - buffers of threads that come and go
 */
#include "config.h"

#include <stdatomic.h>

#include "preload/record/prof.h"
#include "preload/record/threadbuf.h"
#include "lib/base/sys.h"

/* As many as a process has space for blocks of a page. */
enum { WAITING_MAX = PROFILE_BYTES_MAX / SHARD_ALIGN };

static struct tbuf *_Atomic waiting[WAITING_MAX];
static SYS_STATE _Atomic unsigned slots; /* of these, that were ever used */

static uint32_t threadbuf_capacity (const struct settings *s)
{
    uint64_t n = s->chunk;

    if (n < SHARD_CHUNK_MIN)
        n = SHARD_CHUNK_MIN;
    if (n > SHARD_CHUNK_MAX / 2)
        n = SHARD_CHUNK_MAX / 2;
    return (uint32_t)(n & ~(uint64_t)(SHARD_ALIGN - 1));
}

/* One that waits, or NULL. */
static struct tbuf *threadbuf_waiting (void)
{
    unsigned n = atomic_load_explicit (&slots, memory_order_acquire);

    for (unsigned i = 0; i < n; i++) {
        struct tbuf *t =
            atomic_load_explicit (&waiting[i], memory_order_relaxed);

        if (t && atomic_compare_exchange_strong (&waiting[i], &t, NULL))
            return t;
    }
    return NULL;
}

static int threadbuf_wait (struct tbuf *t)
{
    for (unsigned i = 0; i < WAITING_MAX; i++) {
        struct tbuf *none = NULL;
        unsigned n = atomic_load_explicit (&slots, memory_order_relaxed);

        if (!atomic_compare_exchange_strong (&waiting[i], &none, t))
            continue;
        while (n <= i && !atomic_compare_exchange_weak (&slots, &n, i + 1))
            continue;
        return 1;
    }
    return 0;
}

struct tbuf *
threadbuf_take (const struct settings *s, int profile, struct tbuf *wiped)
{
    struct tbuf *t;

    if (!profile)
        return tbuf_create (threadbuf_capacity (s), wiped);
    t = wiped ? NULL : threadbuf_waiting ();
    return t ? t : tbuf_create (0, wiped);
}

void threadbuf_end (struct tbuf *t, int last)
{
    if (t && !last && tbuf_valid (t) && tbuf_prof (t)) {
        prof_rest (tbuf_prof (t));
        if (threadbuf_wait (t))
            return;
    }
    tbuf_end (t, last);
    while (last && (t = threadbuf_waiting ()))
        tbuf_end (t, last);
}

void threadbuf_forked (void)
{
    unsigned n = atomic_exchange (&slots, 0);

    for (unsigned i = 0; i < n; i++)
        atomic_store_explicit (&waiting[i], NULL, memory_order_relaxed);
    prof_forked ();
}
