/* SPDX-License-Identifier: MIT
 *
 * tbufmem.c - pages, wiped on fork -> buffers of threads, words of the process
 *
 * Most processes have one thread that records something: its buffer and the
 * words lie on one page, as each page costs a child of fork a microsecond.
 */
#include "config.h"

#include <string.h>

#include "preload/record/tbufmem.h"
#include "lib/base/sys.h"

struct first {
    struct recorder_wiped words;
    unsigned char tbuf[TBUFMEM_BYTES];
};
_Static_assert(sizeof (struct first) == SHARD_ALIGN, "a page");

static SYS_START struct first *first;
static SYS_STATE struct tbuf *spare; /* its buffer, if nobody has it */

static struct tbuf *first_tbuf (void)
{
    return first ? (struct tbuf *)(void *)first->tbuf : NULL;
}

struct recorder_wiped *recorder_wiped (void)
{
    struct first *p = first ? NULL : sys_memory (sizeof (*p));

    if (p && sys_madvise (p, sizeof (*p), MADV_WIPEONFORK) == 0) {
        first = p;
        spare = first_tbuf ();
    } else if (p)
        (void)sys_munmap (p, sizeof (*p));
    return first ? &first->words : NULL;
}

struct tbuf *tbufmem_take (int *wiped)
{
    struct tbuf *t = __atomic_exchange_n (&spare, NULL, __ATOMIC_ACQUIRE);

    *wiped = 1;
    if (t)
        return t;
    t = sys_memory (TBUFMEM_BYTES);
    *wiped = t && sys_madvise (t, TBUFMEM_BYTES, MADV_WIPEONFORK) == 0;
    return t;
}

void tbufmem_free (struct tbuf *t)
{
    if (t != first_tbuf ()) {
        (void)sys_munmap (t, TBUFMEM_BYTES);
        return;
    }
    memset (t, 0, TBUFMEM_BYTES);
    __atomic_store_n (&spare, t, __ATOMIC_RELEASE);
}

void tbufmem_advise (struct tbuf *t, int advice)
{
    void *page = t == first_tbuf () ? (void *)first : t;

    (void)sys_madvise (page, SHARD_ALIGN, advice);
}

void tbufmem_forked (const struct tbuf *t)
{
    if (first && t != first_tbuf ())
        spare = first_tbuf ();
}
