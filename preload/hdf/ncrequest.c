/* SPDX-License-Identifier: MIT
 *
 * ncrequest.c - a table of requests, of fixed size
 *
 * A request that finds no place has its post alone. NetCDF has no requests; its
 * library has this file all the same.
 */
#include "config.h"

#include <string.h>

#include "preload/hdf/ncrequest.h"

enum {
    REQUESTS = 2048,
    REQUEST_ALL = -1, /* NC_REQ_ALL, NC_GET_REQ_ALL, NC_PUT_REQ_ALL */
    REQUEST_GETS = -2,
    REQUEST_PUTS = -3
};

enum request_state { REQUEST_FREE, REQUEST_BUSY, REQUEST_POSTED };

static struct request {
    unsigned state; /* enum request_state */
    int request;
    uint64_t chosen; /* start of the wait that is about to end it; 0: none */
    uint64_t start, size, flags;
    uint16_t call; /* that posted it */
    struct hdfobject o;
} requests[REQUESTS];
static char paths[REQUESTS][HDFOBJECT_PATH_MAX];
static unsigned pending; /* about so many are posted */

void ncrequest_post (const struct nccall *c,
                     const struct record *r,
                     const struct hdfobject *o,
                     const char *path)
{
    const int *request = (const int *)c->arg[c->arguments - 1];

    for (int i = 0; request && i < REQUESTS; i++) {
        struct request *q = &requests[i];
        unsigned none = REQUEST_FREE;

        if (!__atomic_compare_exchange_n (&q->state, &none, REQUEST_BUSY, 0,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        q->request = *request;
        q->chosen = 0;
        q->start = r->start;
        q->size = r->size;
        q->flags = r->flags & ~(uint64_t)CALL_ABOVE_POSTED;
        q->call = r->call;
        q->o = *o;
        memcpy (paths[i], path, strnlen (path, HDFOBJECT_PATH_MAX - 1) + 1);
        __atomic_store_n (&q->state, REQUEST_POSTED, __ATOMIC_RELEASE);
        (void)__atomic_fetch_add (&pending, 1, __ATOMIC_RELAXED);
        return;
    }
}

static int request_reads (const struct request *q)
{
    return q->call == CALL_ncmpi_iget;
}

static int request_is_one (const struct request *q, const struct nccall *c)
{
    int count = (int)c->arg[1];
    const int *list = (const int *)c->arg[2];

    if (count == REQUEST_ALL)
        return 1;
    if (count == REQUEST_GETS || count == REQUEST_PUTS)
        return (count == REQUEST_GETS) == request_reads (q);
    for (int i = 0; list && i < count; i++)
        if (list[i] == q->request)
            return 1;
    return 0;
}

void ncrequest_choose (const struct nccall *c)
{
    struct hdfobject file;

    if (!__atomic_load_n (&pending, __ATOMIC_RELAXED))
        return;
    nccall_file (c, (int)c->arg[0], &file);
    for (int i = 0; i < REQUESTS; i++) {
        struct request *q = &requests[i];

        if (__atomic_load_n (&q->state, __ATOMIC_ACQUIRE) == REQUEST_POSTED &&
            q->o.file == file.file && q->o.turn == file.turn &&
            request_is_one (q, c))
            q->chosen = c->start;
    }
}

static void
request_done (const struct nccall *c, const struct request *q, const char *path)
{
    struct record r;

    hdfrecord_start (&r, c->door, c->start, c->failed,
                     request_reads (q) ? CALL_ncmpi_iget_done
                                       : CALL_ncmpi_iput_done);
    r.start = q->start;
    r.size = q->size;
    r.flags = q->flags | (c->mode == NC_ALL ? CALL_ABOVE_COLLECTIVE
                                            : CALL_ABOVE_INDEPENDENT);
    if (!c->failed)
        r.ret = (int64_t)q->size;
    hdfrecord_end (&r, c->door, &q->o, path);
}

void ncrequest_ended (const struct nccall *c, struct record *r)
{
    unsigned left = __atomic_load_n (&pending, __ATOMIC_RELAXED);
    struct hdfobject file;

    for (int i = 0; left && i < REQUESTS; i++) {
        struct request *q = &requests[i], was = *q;

        if (was.state != REQUEST_POSTED || was.chosen != c->start)
            continue;
        if (c->what == NCWHAT_WAIT)
            request_done (c, &was, paths[i]);
        __atomic_store_n (&q->state, REQUEST_FREE, __ATOMIC_RELEASE);
        (void)__atomic_fetch_sub (&pending, 1, __ATOMIC_RELAXED);
        r->size++;
    }
    if (c->what != NCWHAT_WAIT)
        return;
    r->flags =
        c->mode == NC_ALL ? CALL_ABOVE_COLLECTIVE : CALL_ABOVE_INDEPENDENT;
    nccall_file (c, (int)c->arg[0], &file);
    hdfrecord_end (r, c->door, &file, "");
}

void ncrequest_drop (uint32_t file, uint32_t turn)
{
    for (int i = 0;
         __atomic_load_n (&pending, __ATOMIC_RELAXED) && i < REQUESTS; i++) {
        struct request *q = &requests[i];

        if (__atomic_load_n (&q->state, __ATOMIC_ACQUIRE) != REQUEST_POSTED ||
            q->o.file != file || q->o.turn != turn)
            continue;
        __atomic_store_n (&q->state, REQUEST_FREE, __ATOMIC_RELEASE);
        (void)__atomic_fetch_sub (&pending, 1, __ATOMIC_RELAXED);
    }
}
