/* SPDX-License-Identifier: MIT
 *
 * once.c - one of several processes does a step, the others take its result
 *
 * In:  a step, in processes that were forked after once_create
 * Out: its result, in memory that they share
 * Caveat: whoever is asked for the result may write there, too: it is for
 *         processes of one user, and nothing of root's is read from it.
 */
#include "config.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "spank/once.h"

enum {
    ONCE_NOBODY = 0, /* else the pid of who does it */
    ONCE_DONE = -1,
    LOOK_MS = 100, /* whether he still is there */
    MS_PER_S = 1000,
    NS_PER_MS = 1000000
};

struct once {
    size_t size;
    int rc, error;
    atomic_int state;
    char data[];
};

struct once *once_create (size_t size)
{
    struct once *o =
        mmap (NULL, sizeof (*o) + size, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* zeros: ONCE_NOBODY */

    if (o == MAP_FAILED)
        return NULL;
    o->size = size;
    return o;
}

void once_destroy (struct once *o)
{
    if (o)
        munmap (o, sizeof (*o) + o->size);
}

static uint64_t once_now (void)
{
    struct timespec ts;

    clock_gettime (CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * MS_PER_S + (uint64_t)ts.tv_nsec / NS_PER_MS;
}

static void once_sleep (struct once *o, int state)
{
    const struct timespec pause = {0, LOOK_MS * NS_PER_MS};

    if (syscall (SYS_futex, &o->state, FUTEX_WAIT, state, &pause, NULL, 0) <
            0 &&
        errno == ETIMEDOUT && state > 0 && kill (state, 0) < 0 &&
        errno == ESRCH)
        atomic_compare_exchange_strong (&o->state, &state, ONCE_NOBODY);
}

/* 1: it is ours to do; 0: it is done. */
static int once_claim (struct once *o, uint64_t ms)
{
    uint64_t end = once_now () + ms;
    int state;

    while ((state = atomic_load (&o->state)) != ONCE_DONE) {
        if (state == ONCE_NOBODY) {
            if (atomic_compare_exchange_strong (&o->state, &state, getpid ()))
                return 1;
            continue;
        }
        if (once_now () >= end) {
            errno = ETIMEDOUT;
            return -1;
        }
        once_sleep (o, state);
    }
    return 0;
}

static void
once_publish (struct once *o, int rc, int error, const void *data, size_t size)
{
    memcpy (o->data, data, size);
    o->rc = rc;
    o->error = error;
    atomic_store (&o->state, ONCE_DONE);
    syscall (SYS_futex, &o->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int once_run (struct once *o,
              int (*step) (void *data),
              void *data,
              size_t size,
              uint64_t ms)
{
    int ours, rc, error;

    if (!o)
        return step (data);
    if (size > o->size) {
        errno = EINVAL;
        return -1;
    }
    ours = once_claim (o, ms);
    if (ours < 0)
        return -1;
    if (!ours) {
        memcpy (data, o->data, size);
        errno = o->error;
        return o->rc;
    }
    rc = step (data);
    error = errno;
    once_publish (o, rc, error, data, size);
    errno = error;
    return rc;
}
