/* SPDX-License-Identifier: MIT
 *
 * health.c - what is wrong with the files of a job
 *
 * In:  accounts of trace files, from sources.c
 * Out: struct health, to pass.c and the view of that name
 */
#include "config.h"

#include "analyze/trace/health.h"

/* Count lines of DFTracer that did not get into the trace. */
static void health_add_lines (struct health *h, const struct source *s)
{
    if (!s->is_pfw)
        return;
    h->file.bytes = s->lines.in.packed;
    h->file.lost += pfw_lost (&s->lines);
    h->file.bytes_skipped += s->lines.bad_bytes + s->lines.in.packed_lost;
    h->file.cut = s->lines.cut || s->lines.in.cut || s->lines.in.members_bad;
}

void health_begin (struct health *health,
                   const struct job *job,
                   const struct parts *parts)
{
    for (size_t i = 0; i < job->sources; i++) {
        const struct tracefile *f = job->source[i].file;
        struct health *h = &health[i];

        if (!f)
            continue;
        h->file = *tracefile_health (f);
        health_add_lines (h, &job->source[i]);
        h->copies = parts->copies[i];
        h->halves = job->source[i].halves;
        profparts_subtract (&h->halves, &h->copies.left);
        for (size_t p = 0; p < tracefile_processes (f); p++)
            h->heads_bad += tracefile_process (f, p)->damaged != 0;
    }
}

void health_add (struct health *to, const struct health *more)
{
    to->events += more->events;
    to->undecoded += more->undecoded;
    to->chunks_bad += more->chunks_bad;
    to->io_errors += more->io_errors;
    to->cut_events += more->cut_events;
}

uint64_t health_lost (const struct health *h)
{
    return h->file.lost + h->file.missing - h->cut_events + h->undecoded +
           h->copies.differ;
}

uint64_t health_copied (const struct health *h, const struct source *s)
{
    return h->copies.events + (s->is_pfw ? s->lines.copies : 0);
}

uint64_t health_doubtful (const struct source *s)
{
    const struct pfw_account *a = &s->lines;

    return s->is_pfw ? a->no_duration + a->huge + a->crossed : 0;
}
