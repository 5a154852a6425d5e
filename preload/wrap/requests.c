/* SPDX-License-Identifier: MIT
 *
 * requests.c - a table of requests by key
 *
 * A request lies in one of the few places behind that of its key. A place that
 * is being written has the key BUSY.
 */
#include "config.h"

#include <stddef.h>

#include "preload/wrap/requests.h"

enum {
    PLACES = 4096, /* a power of two */
    NEAR = 32      /* places looked at */
};

static const uintptr_t BUSY = 1; /* no address of a request */

static struct place {
    uintptr_t key; /* 0: free */
    struct request request;
} places[PLACES];

static struct place *requests_place_of (uintptr_t key, unsigned i)
{
    uint64_t hash = key * UINT64_C (0x9e3779b97f4a7c15);

    return &places[((hash >> 32) + i) & (PLACES - 1)];
}

/* Take the place if it has this key. */
static int lock_place (struct place *p, uintptr_t key)
{
    return __atomic_load_n (&p->key, __ATOMIC_RELAXED) == key &&
           __atomic_compare_exchange_n (&p->key, &key, BUSY, 0,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static struct place *requests_find (uintptr_t key, uintptr_t now)
{
    for (unsigned i = 0; i < NEAR; i++)
        if (lock_place (requests_place_of (key, i), now))
            return requests_place_of (key, i);
    return NULL;
}

void requests_add (uintptr_t key, const struct request *q)
{
    struct place *p = requests_find (key, key);

    if (!p)
        p = requests_find (key, 0);
    if (!p)
        return;
    p->request = *q;
    __atomic_store_n (&p->key, key, __ATOMIC_RELEASE);
}

int requests_take (uintptr_t key, struct request *q)
{
    struct place *p = requests_find (key, key);

    if (!p)
        return 0;
    *q = p->request;
    __atomic_store_n (&p->key, 0, __ATOMIC_RELEASE);
    return 1;
}
