/* SPDX-License-Identifier: MIT
 *
 * event.h - one event, its bytes, and memory for its texts
 */
#pragma once

#include <stddef.h>

#include "lib/base/text.h"
#include "lib/format/calls.h"
#include "lib/format/shard.h"

/* --- decoder.c: memory for texts that are put together while a chunk is read
 * ---
 *
 * For the tools. What was given out stays where it is until texts_reset.
 */

struct texts_block;

/* Zero it before first use. Not shared by threads. */
struct texts {
    struct texts_block *first, *now;
    size_t used; /* bytes of now */
};

/* n bytes, at most TEXTS_MAX, or NULL (ENOMEM, EINVAL). */
enum { TEXTS_MAX = 1 << 16 };
char *texts_room (struct texts *t, size_t n);

/* Begin anew in the same memory. */
void texts_reset (struct texts *t);

void texts_free (struct texts *t);

/* --- event.c: one event, and its bytes ---
 *
 * In: struct event, from the wrappers and the application API Out: records of a
 * chunk; and back, for the tools
 *
 * Encoder and decoder keep the same small state per chunk, so that what can be
 * predicted is not written. Pure: no I/O, no allocation, no libc state.
 */

/* -- one event, and its bytes -- */

enum {
    EVENT_ARGS_MAX = 16,             /* arguments of one application event */
    EVENT_BYTES_MAX = 512,           /* of one encoded record without names */
    EVENT_NAME_MAX = 8192,           /* bytes of one dictionary entry */
    EVENT_LIKE_MAX = SHARD_CHUNK_MAX /* bytes of all entries of a chunk that
                                        are said by their likeness */
};

enum event_arg_type {
    EVENT_ARG_NONE = 0,
    EVENT_ARG_INT = 1,    /* zigzag varint */
    EVENT_ARG_DOUBLE = 2, /* 8 bytes */
    EVENT_ARG_TEXT = 3    /* varint dictionary id */
};

/* A dictionary entry as the decoder gives it. text is not NUL-terminated and
 * points into the caller's chunk buffer or the decoder's memory. */
struct name {
    const char *text;
    uint32_t length;
    uint8_t kind;  /* enum shard_name_kind */
    uint8_t class; /* enum file_class */
};

struct event_arg {
    uint32_t key;  /* dictionary id of the chunk */
    uint8_t type;  /* enum event_arg_type */
    int64_t i;     /* EVENT_ARG_INT */
    double d;      /* EVENT_ARG_DOUBLE */
    uint32_t text; /* EVENT_ARG_TEXT: dictionary id */
};

struct event {
    uint64_t start, end; /* ticks going in, ns of CLOCK_MONOTONIC coming out */
    uint16_t call;       /* enum call */
    uint8_t nargs;
    int32_t err;   /* errno, 0 when the call did not fail */
    int32_t fd;    /* -1 none */
    uint32_t file; /* dictionary id of the chunk, 0 none */
    uint32_t file2;
    uint64_t size;  /* bytes asked for */
    int64_t offset; /* bytes; -1 not known */
    int64_t ret;    /* bytes or as the call; -1 on failure */
    uint64_t flags;
    struct event_arg args[EVENT_ARGS_MAX];
};

/* State of encoder and decoder inside one chunk. */
struct event_state {
    uint64_t end;     /* tick of the previous record's end */
    uint64_t pair_ns; /* of the previous pair of the clock */
    uint64_t size;    /* last size said */
    int64_t next;     /* offset after the previous read or write, -1 */
    uint32_t file;    /* last file said by a libc call */
    uint32_t app;     /* last name said by an application event */
    int32_t fd;       /* last descriptor said */
    uint32_t names;   /* dictionary entries so far */
    uint32_t alike;   /* bytes of those said by their likeness */
};

void event_state_init (struct event_state *st, uint64_t base);

/* Write one record at p, which has room for EVENT_BYTES_MAX. Returns its
 * length; st advances. The event's dictionary ids must already be defined.
 * An event that ends before st->end is moved to it (clocks do not run
 * backwards inside a thread). */
size_t
event_encode (struct event_state *st, const struct event *ev, unsigned char *p);

/* Write a dictionary entry at p (room for length + 16); its id is then
 * st->names. text longer than EVENT_NAME_MAX is cut. */
size_t event_encode_name (struct event_state *st,
                          enum shard_name_kind kind,
                          enum file_class class,
                          const char *text,
                          size_t length,
                          unsigned char *p);

/* Likeness of a dictionary entry to the one defined `back` entries before:
 * kind, class, and these bytes of the text. */
struct event_like {
    uint32_t back;   /* from 1, <= st->names */
    uint32_t prefix; /* bytes at the begin */
    uint32_t suffix; /* bytes at the end; both from different bytes of it */
};

/* event_encode_name in fewer bytes. length <= EVENT_NAME_MAX. */
size_t event_encode_like (struct event_state *st,
                          const struct event_like *like,
                          const char *text,
                          size_t length,
                          unsigned char *p);

/* False when another such entry of length bytes would be too much. */
static inline int event_may_like (const struct event_state *st, size_t length)
{
    return st->alike + length <= EVENT_LIKE_MAX;
}

/* Write a pair of the clock; hz: ticks a second. Like names it may stand
 * between any two records; those behind it are placed by it. */
size_t event_encode_clock (struct event_state *st,
                           uint64_t tick,
                           uint64_t ns,
                           uint64_t hz,
                           unsigned char *p);

/* --- decoding ------------------------------------------------------- */

/* One chunk's records. Zero it before first use; decoder_begin may be called
 * again and again, decoder_end frees the dictionary. Not shared by threads. */
struct decoder {
    const unsigned char *p, *limit;
    struct event_state st;
    struct name *names; /* [1 … st.names]; owned */
    size_t names_room;
    struct texts texts;          /* of those that are not in the payload */
    uint64_t events;             /* decoded so far */
    uint64_t pair_tick, pair_ns; /* last pair of the clock */
    uint64_t scale;              /* ns a tick << 32; 0: a tick is a ns */
    uint64_t end_ns;             /* end of the previous event */
};

/* Decode the payload of an event block. payload stays the caller's and must
 * outlive the use of names. 0, or -1 (ENOMEM). */
int decoder_begin (struct decoder *d,
                   const struct shard_block *b,
                   const unsigned char *payload,
                   size_t bytes);

/* Next event: 1, 0 at the end, -1 when the bytes make no sense (EBADMSG) or
 * memory is short (ENOMEM); nothing more can then be read from this chunk.
 * Every id in *ev has been checked against the dictionary. */
int decoder_next (struct decoder *d, struct event *ev);

/* For those who read events by themselves: a record that is none, whose first
 * byte was the one before d->p. 0, or -1 as above. */
int decoder_other (struct decoder *d, unsigned first);

/* Entry of an id, or NULL for 0 and ids that do not exist. Valid until the
 * next decoder_begin or decoder_end; entries move with decoder_next. */
const struct name *decoder_name (const struct decoder *d, uint32_t id);

void decoder_end (struct decoder *d);

/* -- what encoder and decoders guess (private to them) -- */

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
