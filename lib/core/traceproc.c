/* SPDX-License-Identifier: MIT
 *
 * traceproc.c - process blocks of a trace -> who they were
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/core/record/clock.h"
#include "lib/core/traceproc.h"

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
        done += (size_t)rc;
    }
    return (ssize_t)done;
}

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

static int grow (struct traceproc *t)
{
    size_t room = t->room ? t->room * 2 : 4;
    struct trace_process *all;
    char **text;

    if (t->count < t->room)
        return 0;
    all = realloc (t->all, room * sizeof (*all));
    if (all)
        t->all = all;
    text = realloc (t->text, room * sizeof (*text));
    if (text)
        t->text = text;
    if (!all || !text)
        return -1;
    t->room = room;
    return 0;
}

/* text, which may be NULL, is t's from now on. */
static int append (struct traceproc *t, struct trace_process *p, char *text)
{
    if (grow (t) < 0) {
        free (text);
        return -1;
    }
    t->text[t->count] = text;
    t->all[t->count++] = *p;
    return 0;
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

static int is_readable (uint32_t version)
{
    return version >= SHARD_VERSION_FIRST && version <= SHARD_VERSION;
}

int traceproc_take (struct traceproc *t,
                    int fd,
                    const struct shard_block *b,
                    uint64_t offset)
{
    struct trace_process p = {.offset = offset};
    size_t n = (uint32_t)b->commit;
    char *payload;

    if (n > TRACEPROC_BYTES_MAX)
        n = TRACEPROC_BYTES_MAX;
    payload = read_payload (fd, offset + sizeof (*b), n, &p);
    if (!payload)
        return errno == EBADMSG ? traceproc_reach (t, fd, b->proc) : -1;
    if (!p.damaged &&
        shard_process_sum (payload, p.p.strings_bytes) != b->checksum)
        p.damaged = 1;
    if (!p.damaged && !is_readable (p.p.version)) {
        t->version = p.p.version;
        free (payload);
        errno = EPROTONOSUPPORT;
        return -1;
    }
    return append (t, &p, payload);
}

/* The first block when only its header is damaged: it has one place. */
static char *save_first (int fd, struct trace_process *p)
{
    size_t n = SHARD_PROCESS_BYTES - sizeof (struct shard_block);
    char *payload = read_payload (fd, sizeof (struct shard_block), n, p);

    if (payload && is_readable (p->p.version) && p->p.tick_hz > 0 &&
        p->p.strings_bytes <= n - sizeof (p->p))
        return payload;
    free (payload);
    return NULL;
}

int traceproc_reach (struct traceproc *t, int fd, uint32_t proc)
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

    while (t->count <= proc) {
        struct trace_process p = {.offset = 0};
        char *payload = t->count == 0 ? save_first (fd, &p) : NULL;

        if (!payload) {
            p.p = nobody;
            split_strings (&p, NULL, 0);
        }
        p.damaged = 1;
        if (append (t, &p, payload) < 0)
            return -1;
    }
    return 0;
}

void traceproc_free (struct traceproc *t)
{
    for (size_t i = 0; i < t->count; i++)
        free (t->text[i]);
    free (t->text);
    free (t->all);
    memset (t, 0, sizeof (*t));
}

/* --- time -------------------------------------------------------------- */

uint64_t trace_real_ns (const struct trace_process *p, uint64_t ns)
{
    return p->p.start_real + (ns - p->p.start_ns) - (uint64_t)p->p.clock_offset;
}
