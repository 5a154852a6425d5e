/* SPDX-License-Identifier: MIT
 *
 * traceproc.c - process blocks of a trace -> who they were
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/base/clock.h"
#include "lib/format/calls.h"
#include "lib/format/tracefile.h"

ssize_t traceproc_read (int fd, void *buf, size_t n, uint64_t offset)
{
    size_t done = 0;

    while (done < n) {
        ssize_t rc =
            pread (fd, (char *)buf + done, n - done, (off_t)(offset + done));

        if (rc < 0 && errno == EINTR)
            continue;
        if (rc < 0)
            return -1;
        if (rc == 0)
            break;
        done += rc;
    }
    return (ssize_t)done;
}

enum { SLOTS_MIN = 64 };

/* Point at the strings; each missing one is "". */
static void split_strings (struct trace_process *p, char *text, size_t n)
{
    size_t at = 0;

    for (int i = 0; i < SHARD_STRING_COUNT; i++) {
        p->text[i] = at < n ? text + at : "";
        if (at < n)
            at += strlen (text + at) + 1;
    }
}

static int traceproc_grow (struct traceproc *t)
{
    size_t room = t->room;

    if (TRY_GROW (t->all, room, t->count + 1) < 0)
        return -1;
    return TRY_GROW (t->text, t->room, t->count + 1);
}

/* --- numbers of pages ----------------------------------------------------- */

/* Its slot, or the empty one where it would be. There is one. */
static uint32_t *numbered (const struct traceproc *t, uint32_t number)
{
    size_t at = (number * 0x9e3779b97f4a7c15u >> 32) & (t->slots - 1);

    while (t->slot[at] && t->all[t->slot[at] - 1].number != number)
        at = (at + 1) & (t->slots - 1);
    return &t->slot[at];
}

/* Room for one more, half of the slots staying empty. */
static int traceproc_grow_slots (struct traceproc *t)
{
    size_t slots = t->slots ? t->slots : SLOTS_MIN;
    uint32_t *slot;

    while (slots < 2 * (t->count + 1))
        slots *= 2;
    if (slots == t->slots)
        return 0;
    TRY_NEW (slot, slots);
    if (!slot)
        return -1;
    free (t->slot);
    t->slot = slot;
    t->slots = slots;
    for (size_t i = 0; i < t->count; i++)
        *numbered (t, t->all[i].number) = (uint32_t)i + 1;
    return 0;
}

/* text, which may be NULL, is t's from now on. */
static int
traceproc_append (struct traceproc *t, struct trace_process *p, char *text)
{
    if (traceproc_grow (t) < 0 || (t->paged && traceproc_grow_slots (t) < 0)) {
        free (text);
        return -1;
    }
    t->text[t->count] = text;
    t->all[t->count++] = *p;
    if (t->paged)
        *numbered (t, p->number) = (uint32_t)t->count;
    return 0;
}

int traceproc_add (struct traceproc *t,
                   const struct shard_process *p,
                   const char *strings,
                   size_t n)
{
    struct trace_process who = {.p = *p, .number = (uint32_t)t->count};
    char *text = malloc (n + 1);

    if (!text)
        return -1;
    memcpy (text, strings, n);
    text[n] = '\0';
    split_strings (&who, text, n);
    return traceproc_append (t, &who, text);
}

/* The payload at offset into *p, as far as it is there, strings cut to what is
 * said. Returns the text that p points into; NULL: EBADMSG, or as read. */
static char *
read_payload (int fd, uint64_t offset, size_t n, struct trace_process *p)
{
    char *payload = malloc (n + 1);
    ssize_t got = payload ? traceproc_read (fd, payload, n, offset) : -1;
    size_t strings;

    if (got < (ssize_t)sizeof (p->p)) {
        if (got >= 0)
            errno = EBADMSG;
        free (payload);
        return NULL;
    }
    memcpy (&p->p, payload, sizeof (p->p));
    strings = (size_t)got - sizeof (p->p);
    p->damaged = p->p.strings_bytes > strings;
    if (p->p.strings_bytes < strings)
        strings = p->p.strings_bytes;
    payload[sizeof (p->p) + strings] = '\0';
    split_strings (p, payload + sizeof (p->p), strings);
    return payload;
}

/* The process died, or is, on the way to say that it has a profile (shardhead):
 * with what was there before, the checksum is right. */
static int
traceproc_is_between (char *payload, struct shard_process *p, uint64_t checksum)
{
    struct shard_process before = *p;
    int found;

    if (!(p->layers & LAYER_PROFILE))
        return 0;
    before.layers &= ~(uint32_t)LAYER_PROFILE;
    memcpy (payload, &before, sizeof (before));
    found = shard_process_sum (payload, p->strings_bytes) == checksum;
    memcpy (payload, p, sizeof (*p));
    return found;
}

int traceproc_take (struct traceproc *t,
                    int fd,
                    const struct shard_block *b,
                    uint64_t offset)
{
    struct trace_process p = {.offset = offset, .number = b->proc};
    size_t n = (uint32_t)b->commit;
    char *payload;

    t->paged |= b->seq == SHARD_PAGED;
    if (!t->paged && b->proc > 0 && traceproc_index (t, fd, b->proc - 1) < 0)
        return -1;
    if (n > TRACEPROC_BYTES_MAX)
        n = TRACEPROC_BYTES_MAX;
    payload = read_payload (fd, offset + sizeof (*b), n, &p);
    if (!payload)
        return errno != EBADMSG                       ? -1
               : traceproc_index (t, fd, b->proc) < 0 ? -1
                                                      : 0;
    if (!p.damaged &&
        shard_process_sum (payload, p.p.strings_bytes) != b->checksum &&
        !traceproc_is_between (payload, &p.p, b->checksum))
        p.damaged = 1;
    if (!p.damaged && p.p.version != SHARD_VERSION) {
        t->version = p.p.version;
        free (payload);
        errno = EPROTONOSUPPORT;
        return -1;
    }
    return traceproc_append (t, &p, payload);
}

/* The first block when only its header is damaged: it has one place. */
static char *save_first (int fd, struct trace_process *p)
{
    size_t n = SHARD_PROCESS_BYTES - sizeof (struct shard_block);
    char *payload = read_payload (fd, sizeof (struct shard_block), n, p);

    if (payload && p->p.version == SHARD_VERSION && p->p.tick_hz > 0 &&
        p->p.strings_bytes <= n - sizeof (p->p))
        return payload;
    free (payload);
    return NULL;
}

static int
append_nobody (struct traceproc *t, int fd, uint32_t number, int first)
{
    static const struct shard_process nobody = {
        .version = SHARD_VERSION,
        .rank = -1,
        .local_rank = -1,
        .array_task_id = -1,
        .step_id = -1,
        .tick_hz = CLOCK_NS_PER_S,
        .clock = SHARD_CLOCK_MONOTONIC,
    };
    struct trace_process p = {.offset = 0};
    char *payload = first ? save_first (fd, &p) : NULL;

    if (!payload) {
        p.p = nobody;
        split_strings (&p, NULL, 0);
    }
    p.damaged = 1;
    p.number = number;
    return traceproc_append (t, &p, payload);
}

int64_t traceproc_index (struct traceproc *t, int fd, uint32_t proc)
{
    if (t->paged) {
        uint32_t index = t->slots ? *numbered (t, proc) : 0;

        if (index > 0)
            return index - 1;
        return append_nobody (t, fd, proc, 0) < 0 ? -1 : (int64_t)t->count - 1;
    }
    while (t->count <= proc)
        if (append_nobody (t, fd, (uint32_t)t->count, t->count == 0) < 0)
            return -1;
    return proc;
}

void traceproc_free (struct traceproc *t)
{
    for (size_t i = 0; i < t->count; i++)
        free (t->text[i]);
    free (t->text);
    free (t->all);
    free (t->slot);
    ZERO (t);
}

/* --- time -------------------------------------------------------------- */

uint64_t trace_real_ns (const struct trace_process *p, uint64_t ns)
{
    return p->p.start_real + (ns - p->p.start_ns) - (uint64_t)p->p.clock_offset;
}
