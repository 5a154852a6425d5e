/* SPDX-License-Identifier: MIT
 *
 * eventstate.h - what encoder and decoders guess (private to them)
 */
#ifndef DFT_CORE_EVENTSTATE_H
#define DFT_CORE_EVENTSTATE_H

#include "lib/format/event.h"

/* libc calls and application events remember their names apart, so that a
 * region between two reads of one file costs nothing. */
static inline const uint32_t *event_state_file (const struct event_state *st,
                                                const struct call_info *info)
{
    return info->category == CALL_CATEGORY_APP ? &st->app : &st->file;
}

/* The result that is not written down. */
static inline int64_t event_ret (const struct event *ev,
                                 const struct call_info *info)
{
    if (ev->err)
        return -1;
    switch ((enum call_ret)info->ret) {
    case CALL_RET_SIZE:
        return (int64_t)ev->size;
    case CALL_RET_FD:
        return ev->fd;
    case CALL_RET_OFFSET:
        return ev->offset;
    case CALL_RET_ZERO:
        break;
    }
    return 0;
}

static inline void event_state_advance (struct event_state *st,
                                        const struct event *ev,
                                        const struct call_info *info,
                                        uint64_t end)
{
    st->end = end;
    if (info->category == CALL_CATEGORY_APP) {
        st->app = ev->file;
        return;
    }
    if (info->fields & F_FILE)
        st->file = ev->file;
    if (info->fields & F_FD)
        st->fd = ev->fd;
    if (info->fields & F_SIZE)
        st->size = ev->size;
    if (info->ret == CALL_RET_OFFSET)
        st->next = ev->ret;
    else if (info->fields & F_OFFSET && info->ret == CALL_RET_SIZE)
        st->next = ev->offset < 0 || ev->ret < 0
                       ? ev->offset
                       : (int64_t)((uint64_t)ev->offset + (uint64_t)ev->ret);
}

/* Ticks (perhaps negative) to nanoseconds. */
static inline int64_t decoder_ns (const struct decoder *d, int64_t ticks)
{
    return (int64_t)((__int128)ticks * (int64_t)d->scale >> 32);
}

/* Times in ns of CLOCK_MONOTONIC, of a record that ends at tick `tick` and took
 * `length`. */
static inline void decoder_place (struct decoder *d,
                                  uint64_t tick,
                                  uint64_t length,
                                  uint64_t *start,
                                  uint64_t *end)
{
    *end = tick;
    *start = tick - length;
    if (!d->scale)
        return;
    *end =
        d->pair_ns + (uint64_t)decoder_ns (d, (int64_t)(tick - d->pair_tick));
    if (*end < d->end_ns)
        *end = d->end_ns; /* a new pair set the clock back a little */
    length = (uint64_t)decoder_ns (d, (int64_t)length);
    *start = length < *end ? *end - length : 0;
    d->end_ns = *end;
}

#endif
