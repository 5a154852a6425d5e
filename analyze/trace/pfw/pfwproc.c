/* SPDX-License-Identifier: MIT
 *
 * pfwproc.c - a process of a DFTracer trace -> its block in a trace of ours
 *
 * In:  what lines of metadata said, from pfwtrace.c
 * Out: a process block, written into the space that was left for it
 */
#include "config.h"

#include "analyze/trace/pfw/pfwproc.h"

#include <string.h>

#include "lib/core/record/event.h"

enum { STRINGS_MAX = 12000 /* of SHARD_PROCESS_BYTES */ };

static size_t pfwproc_string (
    struct pfw_names *names, char *to, size_t at, uint32_t number, size_t max)
{
    const struct pfw_name *name = pfw_names_get (names, number);
    size_t n = name ? name->length : 0;

    if (n > max)
        n = max;
    if (n)
        memcpy (to + at, name->text, n);
    to[at + n] = '\0';
    return at + n + 1;
}

int pfw_proc_write (struct pfw_proc *p,
                    struct pfw_names *names,
                    const struct pfw_writer *writer,
                    int fd,
                    uint32_t number)
{
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_PROCESS,
                            .flags = SHARD_SEALED,
                            .proc = number,
                            .capacity = SHARD_PROCESS_BYTES};
    struct {
        struct shard_process p;
        char strings[STRINGS_MAX];
    } payload;
    size_t n = 0;

    p->p.start_real = p->p.start_ns = p->p.start_tick = p->first;
    if (p->p.end_ns && p->p.end_ns <= p->first)
        p->p.end_ns = p->first + 1;
    pfw_writer_sums (writer, number, &p->p.events_sealed, &p->p.chunks);
    n = pfwproc_string (names, payload.strings, n, p->host, 256);
    n = pfwproc_string (names, payload.strings, n, p->exe, 1024);
    n = pfwproc_string (names, payload.strings, n, 0, 0);
    n = pfwproc_string (names, payload.strings, n, 0, 0);
    n = pfwproc_string (names, payload.strings, n, p->argv, EVENT_NAME_MAX);
    p->p.strings_bytes = (uint32_t)n;
    payload.p = p->p;
    b.commit = sizeof (payload.p) + n;
    b.check = shard_block_check (&b);
    b.checksum = shard_process_sum (&payload, n);
    return pfw_write_at (fd, &b, sizeof (b), p->offset) < 0 ||
                   pfw_write_at (fd, &payload, sizeof (payload.p) + n,
                                 p->offset + sizeof (b)) < 0
               ? -1
               : 0;
}
