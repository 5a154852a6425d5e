/* SPDX-License-Identifier: MIT
 *
 * untracedshard.c - a shard -> whether it has no events but exec_untraced
 *
 * In:  a shard in a directory of a user
 * Out: yes, or no
 */
#include "config.h"

#include "lib/format/untracedshard.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/format/calls.h"
#include "lib/format/event.h"
#include "lib/format/tracefile.h"

enum {
    BLOCKS_MAX = 256, /* one process leaves two; more is a trace */
    EVENTS_MAX = 256,
    SHARD_BYTES_MAX = 1 << 26
};

static int untracedshard_is_small (int fd)
{
    struct stat st;

    return fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
           st.st_size <= SHARD_BYTES_MAX;
}

static int untracedshard_chunk (const struct tracefile *f,
                                const struct trace_chunk *c)
{
    unsigned char *payload = malloc (c->present + 1u);
    ssize_t n = payload ? tracefile_read (f, c, payload) : -1;
    struct decoder d = {.p = NULL};
    struct event ev;
    uint32_t events = 0;

    if (n >= 0 && decoder_begin (&d, &c->head, payload, (size_t)n) == 0)
        while (decoder_next (&d, &ev) > 0)
            events += ev.call == CALL_exec_untraced;
    decoder_end (&d);
    free (payload);
    return events == c->events;
}

static int untracedshard_all (const struct tracefile *f)
{
    const struct trace_health *h = tracefile_health (f);
    int only = h->events > 0 && h->events <= EVENTS_MAX && !h->missing &&
               !h->lost && tracefile_chunks (f) <= BLOCKS_MAX;

    for (size_t i = 0; only && i < tracefile_chunks (f); i++)
        only = untracedshard_chunk (f, tracefile_chunk (f, i));
    return only;
}

int untracedshard_only (int dirfd, const char *name)
{
    int fd =
        openat (dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct tracefile *f = NULL;
    struct errtext err;
    int only;

    if (fd >= 0 && !untracedshard_is_small (fd)) {
        (void)close (fd);
        return 0;
    }
    if (fd >= 0)
        f = tracefile_openfd (fd, name, &err);
    only = f && untracedshard_all (f);
    tracefile_close (f);
    return only;
}
