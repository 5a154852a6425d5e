/* SPDX-License-Identifier: MIT
 *
 * parts.h - sources of a job -> its processes with their chunks, in order
 *
 * A process in several sources is taken from the source with most of its
 * events. A copy made while the process ran is a prefix of the longer one,
 * thread by thread; events that differ are counted as lost.
 */
#pragma once

#include "analyze/trace/find.h"

enum { PARTITIONS_MAX = 100000 };

/* Deal n things of these sizes to partitions: the largest first, each to the
 * one that has least so far. Every task that asks gets the same answer. 0, or
 * -1: there are none. */
int partitions_deal (unsigned *partition,
                     const uint64_t *size,
                     size_t n,
                     unsigned partitions);

/* Find the traces of a job and keep those of a partition: files, or, when there
 * is one of ours only, processes of it. They are not open yet. With start the
 * heads of all are read, to know when the job began, for conditions of time:
 * DFTracer's files say that only when they are read. 0, or -1 with err. */
int job_take_partition (struct job *job,
                        unsigned partition,
                        unsigned partitions,
                        int start,
                        struct errtext *err);

/* A process and its chunks, by thread, then as in the file. */
struct part {
    size_t source; /* index in job->source */
    const struct tracefile *file;
    const struct trace_process *who;
    const struct trace_chunk **chunk; /* of parts */
    size_t chunks;
    uint64_t missing; /* events promised by the source and not in it; the
                         first process of a source has them all */
};

/* Parts of a source that another one has, too, and that are left out. */
struct part_copies {
    uint64_t processes, events;
    uint64_t differ; /* of these events: in chunks that are not in the other */
    struct profparts left; /* of all that are left out, merged ones, too */
};

/* Processes by host, start and pid; of a process that is in several sources
 * the longest one. Does not depend on the order or the names of the files. */
struct parts {
    struct part *item; /* owned */
    size_t count;
    const struct trace_chunk ***chunks; /* of each source, owned */
    struct part_copies *copies;         /* of each source, owned */
    size_t sources;
    char *lines; /* of processes, to be kept with them; owned, NULL: none */
    size_t lines_bytes;
};

/* One thread of a process and its chunks. */
struct part_thread {
    size_t part;                      /* index of parts */
    const struct trace_chunk **chunk; /* of parts */
    size_t chunks;
};

/* All threads, in the order of the parts; malloc'd, *n of them. */
struct part_thread *parts_threads (const struct parts *p, size_t *n);

/* The order of parts; 0 for the same process. */
int process_order (const struct trace_process *a,
                   const struct trace_process *b);

/* Index after the last chunk of the thread to which chunk `first` belongs. A
 * thread's chunks count up from 0; a second 0 is another thread to which the
 * system gave the same number. */
size_t part_thread_end (const struct part *part, size_t first);

/* When the first of them started: ns of CLOCK_REALTIME. */
uint64_t parts_start (const struct parts *p);

void parts_make (struct parts *p, const struct job *job);
void parts_clear (struct parts *p); /* zeroed is fine; keeps errno */

/* Damage and losses of one file. */
struct health {
    struct trace_health file;
    uint64_t events;     /* decoded and counted */
    uint64_t undecoded;  /* in chunks of the file, but could not be decoded */
    uint64_t heads_bad;  /* process blocks with a wrong checksum */
    uint64_t chunks_bad; /* wrong checksum, or bytes that make no sense */
    uint64_t io_errors;  /* chunks that could not be read */
    struct part_copies copies;
    uint64_t cut_events;        /* of file.missing: in chunks that are cut; what
                                   could be decoded of these is in events */
    struct profparts profparts; /* what is in events, what in profiles */
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
