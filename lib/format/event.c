/* SPDX-License-Identifier: MIT
 *
 * event.c - one event -> bytes
 *
 * In:  struct event, from the recorder
 * Out: a record of a chunk
 * Caveat: runs in the user's thread; no libc state, no allocation.
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/format/varint.h"

void event_state_init (struct event_state *st, uint64_t base)
{
    ZERO (st);
    st->end = base;
    st->fd = -1;
    st->next = -1;
}

/* Return the fields of ev that the decoder cannot predict: bits of enum
 * shard_mask. */
static unsigned surprises (const struct event_state *st,
                           const struct event *ev,
                           const struct call_info *info)
{
    unsigned fields = info->fields;
    unsigned mask = 0;

    if (fields & F_FILE && ev->file != *event_state_file (st, info))
        mask |= SHARD_HAS_FILE;
    if (fields & F_FD && ev->fd != st->fd)
        mask |= SHARD_HAS_FD;
    if (fields & F_SIZE && ev->size != st->size)
        mask |= SHARD_HAS_SIZE;
    if (fields & F_OFFSET && ev->offset != st->next)
        mask |= SHARD_HAS_OFFSET;
    if (info->category != CALL_CATEGORY_APP && ev->ret != event_ret (ev, info))
        mask |= SHARD_HAS_RET;
    if (ev->err)
        mask |= SHARD_HAS_ERR;
    if (fields & F_FLAGS && ev->flags)
        mask |= SHARD_HAS_FLAGS;
    if ((fields & F_FILE2 && ev->file2) || ev->nargs)
        mask |= SHARD_HAS_MORE;
    return mask;
}

static unsigned char *put_args (unsigned char *p, const struct event *ev)
{
    *p++ = ev->nargs;
    for (int i = 0; i < ev->nargs; i++) {
        const struct event_arg *a = &ev->args[i];

        p = put_varint (p, a->key);
        *p++ = a->type;
        if (a->type == EVENT_ARG_INT)
            p = put_varint (p, zigzag (a->i));
        else if (a->type == EVENT_ARG_TEXT)
            p = put_varint (p, a->text);
        else {
            memcpy (p, &a->d, sizeof (a->d));
            p += sizeof (a->d);
        }
    }
    return p;
}

static unsigned char *
put_more (unsigned char *p, const struct event *ev, unsigned mask2)
{
    if (mask2 & SHARD_HAS_FILE2)
        p = put_varint (p, ev->file2);
    if (mask2 & SHARD_HAS_ARGS)
        p = put_args (p, ev);
    return p;
}

size_t
event_encode (struct event_state *st, const struct event *ev, unsigned char *p)
{
    const struct call_info *info = &call_table[ev->call];
    unsigned mask = surprises (st, ev, info);
    unsigned mask2 = 0;
    unsigned char *begin = p;
    uint64_t end = MAX (st->end, ev->end);
    uint64_t start = MIN (end, ev->start);

    *p++ = (unsigned char)ev->call;
    *p++ = (unsigned char)mask;
    if (mask & SHARD_HAS_MORE) {
        if (info->fields & F_FILE2 && ev->file2)
            mask2 |= SHARD_HAS_FILE2;
        if (ev->nargs)
            mask2 |= SHARD_HAS_ARGS;
        *p++ = (unsigned char)mask2;
    }
    p = put_varint (p, end - st->end);
    p = put_varint (p, end - start);
    if (mask & SHARD_HAS_FILE)
        p = put_varint (p, ev->file);
    if (mask & SHARD_HAS_FD)
        p = put_varint (p, zigzag (ev->fd));
    if (mask & SHARD_HAS_SIZE)
        p = put_varint (p, ev->size);
    if (mask & SHARD_HAS_OFFSET)
        p = put_varint (p, (uint64_t)ev->offset + 1);
    if (mask & SHARD_HAS_RET)
        p = put_varint (p, zigzag (ev->ret));
    if (mask & SHARD_HAS_ERR)
        p = put_varint (p, (uint64_t)(uint32_t)ev->err);
    if (mask & SHARD_HAS_FLAGS)
        p = put_varint (p, ev->flags);
    p = put_more (p, ev, mask2);
    event_state_advance (st, ev, info, end);
    return p - begin;
}

size_t event_encode_name (struct event_state *st,
                          enum shard_name_kind kind,
                          enum file_class class,
                          const char *text,
                          size_t length,
                          unsigned char *p)
{
    unsigned char *begin = p;

    if (length > EVENT_NAME_MAX)
        length = EVENT_NAME_MAX;
    *p++ = SHARD_RECORD_NAME;
    *p++ = (unsigned char)kind;
    *p++ = (unsigned char)class;
    p = put_varint (p, length);
    memcpy (p, text, length);
    st->names++;
    return (size_t)(p - begin) + length;
}

size_t event_encode_like (struct event_state *st,
                          const struct event_like *like,
                          const char *text,
                          size_t length,
                          unsigned char *p)
{
    size_t own = length - like->prefix - like->suffix;
    unsigned char *begin = p;

    *p++ = SHARD_RECORD_LIKE;
    p = put_varint (p, like->back);
    p = put_varint (p, like->prefix);
    p = put_varint (p, like->suffix);
    p = put_varint (p, own);
    memcpy (p, text + like->prefix, own);
    st->names++;
    st->alike += (uint32_t)length;
    return (size_t)(p - begin) + own;
}

size_t event_encode_clock (struct event_state *st,
                           uint64_t tick,
                           uint64_t ns,
                           uint64_t hz,
                           unsigned char *p)
{
    unsigned char *begin = p;

    *p++ = SHARD_RECORD_CLOCK;
    p = put_varint (p, zigzag (tick - st->end));
    p = put_varint (p, ns - st->pair_ns);
    p = put_varint (p, hz);
    st->pair_ns = ns;
    return p - begin;
}
