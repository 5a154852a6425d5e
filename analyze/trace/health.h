/* SPDX-License-Identifier: MIT
 *
 * health.h - what is wrong with the files of a job
 */
#ifndef DFT_ANALYZE_HEALTH_H
#define DFT_ANALYZE_HEALTH_H

#include "analyze/trace/find.h"
#include "analyze/trace/parts.h"

/* Damage and losses of one file. */
struct health {
    struct trace_health file;
    uint64_t events;     /* decoded and counted */
    uint64_t undecoded;  /* in chunks of the file, but could not be decoded */
    uint64_t heads_bad;  /* process blocks with a wrong checksum */
    uint64_t chunks_bad; /* wrong checksum, or bytes that make no sense */
    uint64_t io_errors;  /* chunks that could not be read */
    struct part_copies copies;
    uint64_t cut_events;     /* of file.missing: in chunks that are cut; what
                                could be decoded of these is in events */
    struct profparts halves; /* what is in events, what in profiles */
};

/* Facts known before anything is read, for each source of the job; health is
 * zeroed. */
void health_begin (struct health *health,
                   const struct job *job,
                   const struct parts *parts);

/* Add what was found while reading. */
void health_add (struct health *to, const struct health *more);

/* Events of a source that are not in the totals: lost while recording, in
 * damaged chunks, or cut off; at least. */
uint64_t health_lost (const struct health *h);

/* Lines and events of a source that are there twice and count once. */
uint64_t health_copied (const struct health *h, const struct source *s);

/* Events that count although something in them cannot be. */
uint64_t health_doubtful (const struct source *s);

#endif
