/* SPDX-License-Identifier: MIT
 *
 * decoder.c - bytes of a chunk -> events
 *
 * In:  the payload of an event block, hostile
 * Out: struct event with ids that exist in the chunk's dictionary
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/format/varint.h"

int decoder_begin (struct decoder *d,
                   const struct shard_block *b,
                   const unsigned char *payload,
                   size_t bytes)
{
    d->p = payload;
    d->limit = payload + bytes;
    d->events = 0;
    d->pair_tick = d->pair_ns = d->scale = d->end_ns = 0;
    texts_reset (&d->texts);
    event_state_init (&d->st, b->base);
    return 0;
}

void decoder_end (struct decoder *d)
{
    free (d->names);
    texts_free (&d->texts);
    ZERO (d);
}

const struct name *decoder_name (const struct decoder *d, uint32_t id)
{
    return id > 0 && id <= d->st.names ? &d->names[id] : NULL;
}

static int decoder_bad (void)
{
    errno = EBADMSG;
    return -1;
}

static int decoder_take_number (struct decoder *d, uint64_t *out)
{
    const unsigned char *p = get_varint (d->p, d->limit, out);

    if (!p)
        return decoder_bad ();
    d->p = p;
    return 0;
}

static int take_byte (struct decoder *d, uint8_t *out)
{
    if (d->p >= d->limit)
        return decoder_bad ();
    *out = *d->p++;
    return 0;
}

static int take_id (struct decoder *d, uint32_t *out)
{
    uint64_t id;

    if (decoder_take_number (d, &id) < 0)
        return -1;
    if (id > d->st.names)
        return decoder_bad ();
    *out = (uint32_t)id;
    return 0;
}

static int decoder_take_name (struct decoder *d)
{
    struct name n = {.text = NULL};
    uint64_t length;

    if (take_byte (d, &n.kind) < 0 || take_byte (d, &n.class) < 0 ||
        decoder_take_number (d, &length) < 0)
        return -1;
    if (length > EVENT_NAME_MAX || length > (uint64_t)(d->limit - d->p))
        return decoder_bad ();
    if (TRY_GROW (d->names, d->names_room, d->st.names + 2) < 0)
        return -1;
    n.text = (const char *)d->p;
    n.length = (uint32_t)length;
    d->p += length;
    d->names[++d->st.names] = n;
    return 0;
}

/* Build a text from the start and end of base and the bytes between. */
static char *put_together (struct decoder *d,
                           const struct name *base,
                           const struct event_like *like,
                           size_t own)
{
    char *text = texts_room (&d->texts, like->prefix + own + like->suffix);

    if (!text)
        return NULL;
    memcpy (text, base->text, like->prefix);
    memcpy (text + like->prefix, d->p, own);
    memcpy (text + like->prefix + own, base->text + base->length - like->suffix,
            like->suffix);
    return text;
}

static int take_like (struct decoder *d)
{
    uint64_t back, prefix, suffix, own, length;
    struct event_like like;
    struct name n;

    if (decoder_take_number (d, &back) < 0 ||
        decoder_take_number (d, &prefix) < 0 ||
        decoder_take_number (d, &suffix) < 0 ||
        decoder_take_number (d, &own) < 0)
        return -1;
    if (back < 1 || back > d->st.names)
        return decoder_bad ();
    n = d->names[d->st.names + 1 - back];
    if (prefix > n.length || suffix > n.length - prefix ||
        own > (uint64_t)(d->limit - d->p))
        return decoder_bad ();
    length = prefix + own + suffix;
    if (length > EVENT_NAME_MAX || !event_may_like (&d->st, length))
        return decoder_bad ();
    like =
        (struct event_like){(uint32_t)back, (uint32_t)prefix, (uint32_t)suffix};
    if (TRY_GROW (d->names, d->names_room, d->st.names + 2) < 0)
        return -1;
    n.text = put_together (d, &n, &like, own);
    if (!n.text)
        return -1;
    n.length = (uint32_t)length;
    d->p += own;
    d->st.alike += n.length;
    d->names[++d->st.names] = n;
    return 0;
}

static int take_arg (struct decoder *d, struct event_arg *a)
{
    uint64_t v;

    ZERO (a);
    if (take_id (d, &a->key) < 0 || take_byte (d, &a->type) < 0)
        return -1;
    switch (a->type) {
    case EVENT_ARG_INT:
        if (decoder_take_number (d, &v) < 0)
            return -1;
        a->i = unzigzag (v);
        return 0;
    case EVENT_ARG_TEXT:
        return take_id (d, &a->text);
    case EVENT_ARG_DOUBLE:
        if (d->limit - d->p < (ptrdiff_t)sizeof (a->d))
            return decoder_bad ();
        memcpy (&a->d, d->p, sizeof (a->d));
        d->p += sizeof (a->d);
        return 0;
    default:
        return decoder_bad ();
    }
}

static int take_args (struct decoder *d, struct event *ev)
{
    uint8_t n;

    if (take_byte (d, &n) < 0)
        return -1;
    if (n > EVENT_ARGS_MAX)
        return decoder_bad ();
    for (int i = 0; i < n; i++)
        if (take_arg (d, &ev->args[i]) < 0)
            return -1;
    ev->nargs = n;
    return 0;
}

static int take_clock (struct decoder *d)
{
    uint64_t step, ns, hz;

    if (decoder_take_number (d, &step) < 0 ||
        decoder_take_number (d, &ns) < 0 || decoder_take_number (d, &hz) < 0)
        return -1;
    if (hz < 1000 || hz > UINT32_MAX * (uint64_t)1000)
        return decoder_bad ();
    d->pair_tick = d->st.end + (uint64_t)unzigzag (step);
    d->pair_ns += ns;
    d->scale = ((uint64_t)1000000000 << 32) / hz;
    return 0;
}

static int take_times (struct decoder *d, struct event *ev, uint64_t *end)
{
    uint64_t step, length;

    if (decoder_take_number (d, &step) < 0 ||
        decoder_take_number (d, &length) < 0)
        return -1;
    if (__builtin_add_overflow (d->st.end, step, end) || length > *end ||
        *end > INT64_MAX)
        return decoder_bad ();
    decoder_place (d, *end, length, &ev->start, &ev->end);
    return 0;
}

/* Fill in fields that the call has and the mask does not: they are as before.
 */
static void
guess (const struct decoder *d, struct event *ev, const struct call_info *info)
{
    ev->nargs = 0;
    ev->err = 0;
    ev->flags = 0;
    ev->file2 = 0;
    ev->file = info->fields & F_FILE ? *event_state_file (&d->st, info) : 0;
    ev->fd = info->fields & F_FD ? d->st.fd : -1;
    ev->size = info->fields & F_SIZE ? d->st.size : 0;
    ev->offset = info->fields & F_OFFSET ? d->st.next : -1;
}

static int
take_said (struct decoder *d, struct event *ev, unsigned mask, int *ret_said)
{
    uint64_t v;

    if (mask & SHARD_HAS_FILE && take_id (d, &ev->file) < 0)
        return -1;
    if (mask & SHARD_HAS_FD) {
        if (decoder_take_number (d, &v) < 0)
            return -1;
        ev->fd = (int32_t)unzigzag (v);
    }
    if (mask & SHARD_HAS_SIZE && decoder_take_number (d, &ev->size) < 0)
        return -1;
    if (mask & SHARD_HAS_OFFSET) {
        if (decoder_take_number (d, &v) < 0)
            return -1;
        ev->offset = v - 1;
    }
    if (mask & SHARD_HAS_RET) {
        if (decoder_take_number (d, &v) < 0)
            return -1;
        ev->ret = unzigzag (v);
        *ret_said = 1;
    }
    if (mask & SHARD_HAS_ERR) {
        if (decoder_take_number (d, &v) < 0)
            return -1;
        ev->err = (int32_t)v;
    }
    if (mask & SHARD_HAS_FLAGS && decoder_take_number (d, &ev->flags) < 0)
        return -1;
    return 0;
}

static int take_event (struct decoder *d, unsigned call, struct event *ev)
{
    const struct call_info *info = &call_table[call];
    uint8_t mask, mask2 = 0;
    int ret_said = 0;
    uint64_t end;

    if (!info->name[0] || take_byte (d, &mask) < 0)
        return decoder_bad ();
    if (mask & SHARD_HAS_MORE && take_byte (d, &mask2) < 0)
        return -1;
    if (mask2 & ~(SHARD_HAS_FILE2 | SHARD_HAS_ARGS))
        return decoder_bad (); /* their bytes could not be stepped over */
    ev->call = (uint16_t)call;
    guess (d, ev, info);
    if (take_times (d, ev, &end) < 0 || take_said (d, ev, mask, &ret_said) < 0)
        return -1;
    if (mask2 & SHARD_HAS_FILE2 && take_id (d, &ev->file2) < 0)
        return -1;
    if (mask2 & SHARD_HAS_ARGS && take_args (d, ev) < 0)
        return -1;
    if (!ret_said)
        ev->ret = event_ret (ev, info);
    event_state_advance (&d->st, ev, info, end);
    d->events++;
    return 1;
}

int decoder_other (struct decoder *d, unsigned first)
{
    if (first == SHARD_RECORD_NAME)
        return decoder_take_name (d);
    if (first == SHARD_RECORD_LIKE)
        return take_like (d);
    return first == SHARD_RECORD_CLOCK ? take_clock (d) : decoder_bad ();
}

int decoder_next (struct decoder *d, struct event *ev)
{
    while (d->p < d->limit) {
        unsigned first = *d->p++;

        if (first == SHARD_RECORD_END)
            return 0;
        if (first < CALL_MAX)
            return take_event (d, first, ev);
        if (decoder_other (d, first) < 0)
            return -1;
    }
    return 0;
}

/* --- blocks of memory, one behind the other --- */

struct texts_block {
    struct texts_block *next;
    char bytes[TEXTS_MAX];
};

/* The block behind the current one: one of an earlier chunk, or a new one. */
static struct texts_block *texts_next_block (struct texts *t)
{
    struct texts_block **link = t->now ? &t->now->next : &t->first;

    if (!*link) {
        *link = malloc (sizeof (**link));
        if (*link)
            (*link)->next = NULL;
    }
    return *link;
}

char *texts_room (struct texts *t, size_t n)
{
    char *p;

    if (n > TEXTS_MAX) {
        errno = EINVAL;
        return NULL;
    }
    if (!t->now || TEXTS_MAX - t->used < n) {
        struct texts_block *b = texts_next_block (t);

        if (!b)
            return NULL;
        t->now = b;
        t->used = 0;
    }
    p = t->now->bytes + t->used;
    t->used += n;
    return p;
}

void texts_reset (struct texts *t)
{
    t->now = NULL;
    t->used = 0;
}

void texts_free (struct texts *t)
{
    while (t->first) {
        struct texts_block *b = t->first;

        t->first = b->next;
        free (b);
    }
    ZERO (t);
}
