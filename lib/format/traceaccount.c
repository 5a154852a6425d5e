/* SPDX-License-Identifier: MIT
 *
 * traceaccount.c - index of a trace -> what is there and what is missing
 *
 * In:  processes and chunks, from tracefile.c
 * Out: struct trace_health
 */
#include "config.h"

#include "lib/format/layers.h"
#include "lib/format/tracefile_own.h"

/* Shorter than the process made it. What ended before the space of a chunk was
 * there, with the process, leaves a place without one: then no chunk is
 * missing. */
static int traceaccount_is_cut (const struct tracefile *f,
                                const struct shard_process *p)
{
    uint64_t closed = p->file_bytes & SHARD_CLOSED;

    return p->file_bytes - closed > f->size &&
           (closed || f->chunks.count + f->profiles.count < p->chunks);
}

static void traceaccount_processes (struct tracefile *f, uint64_t *promised)
{
    struct trace_health *h = &f->health;

    for (size_t i = 0; i < f->procs.count; i++) {
        const struct shard_process *p = &f->procs.all[i].p;

        h->lost += p->lost_busy + p->lost_space;
        h->lost_names += p->lost_names;
        h->unfinished += !shard_in_order (p) && p->exec_ns == 0;
        *promised += p->events_sealed;
    }
    h->processes = (uint32_t)f->procs.count;
    if (f->node.version ? f->node.promised > f->size
                        : f->procs.count == 1 && !f->procs.paged &&
                              traceaccount_is_cut (f, &f->procs.all[0].p))
        h->cut = 1;
}

void tracefile_account (struct tracefile *f)
{
    struct trace_health *h = &f->health;
    uint64_t promised = 0, sealed = 0;

    h->bytes = f->size;
    h->chunks = f->chunks.count + f->profiles.count;
    traceaccount_processes (f, &promised);
    for (size_t i = 0; i < f->chunks.count; i++) {
        const struct trace_chunk *c = &f->chunks.all[i];

        if (c->present < c->used) {
            h->chunks_cut++;
            h->missing += c->events;
        } else
            h->events += c->events;
        if (c->head.flags & SHARD_SEALED)
            sealed += c->events;
    }
    for (size_t i = 0; i < f->profiles.count; i++)
        h->chunks_cut += f->profiles.all[i].present < f->profiles.all[i].used;
    if (promised > sealed)
        h->missing += promised - sealed;
}

void tracefile_end_process (struct tracefile *f, size_t proc, uint64_t ns)
{
    struct shard_process *p;

    if (proc >= f->procs.count)
        return;
    p = &f->procs.all[proc].p;
    p->layers &= ~(uint32_t)LAYER_PROFILE;
    if (ns > p->start_ns)
        p->end_ns = ns;
}

void tracefile_note_end (struct tracefile *f,
                         size_t proc,
                         uint32_t ended,
                         uint64_t real_ns)
{
    struct shard_process *p;

    if (proc >= f->procs.count)
        return;
    p = &f->procs.all[proc].p;
    if (p->exec_ns || real_ns < p->start_real)
        return;
    if (!(p->ended & (SHARD_ENDED_EXIT | SHARD_ENDED_SIGNAL)) ||
        (ended & SHARD_ENDED_SIGNAL))
        p->ended = ended | (p->ended & SHARD_ENDED_ROOT);
    p->ended |= ended & SHARD_ENDED_ROOT;
    if (p->end_ns)
        return;
    p->end_ns = p->start_ns + (real_ns - p->start_real);
    if (shard_in_order (p) && f->health.unfinished)
        f->health.unfinished--;
}
