/* SPDX-License-Identifier: MIT
 *
 * pfwbatch.h - a block of lines of a DFTracer trace -> records of events of
 *              its threads, whose names are still to be explained
 *
 * Needs nothing but the block, so that blocks can be read in any order.
 */
#pragma once

#include "analyze/import/pfw/pfwnames.h"
#include "analyze/import/pfw/pfwread.h"
#include "analyze/import/pfw/pfwsums.h"

enum { PFW_HOST_MAX = 64 };

enum pfw_host {
    PFW_HOST_NONE = 0,
    PFW_HOST_NAME,
    PFW_HOST_HASH,
    PFW_HOST_BEFORE /* as in the last line before the block, if that has the
                       same process id; else none */
};

enum pfw_fact {
    PFW_FACT_RANK = 1,
    PFW_FACT_PPID = 2,
    PFW_FACT_EXE = 4,
    PFW_FACT_ARGV = 8,
    PFW_FACT_JOB = 16,
    PFW_FACT_END = 32
};

/* A process: its number and host, and what the lines say of it. */
struct pfw_batch_proc {
    uint64_t pid;
    enum pfw_host kind;
    struct pfw_text host; /* cut to PFW_HOST_MAX */
    uint64_t first;       /* ns of its first event; ~0 none */
    uint64_t around;      /* the same of aggregated ones, rounded down */
    uint32_t layers;
    unsigned facts; /* bits of enum pfw_fact: what follows is said */
    int32_t rank;
    uint32_t ppid;
    struct pfw_text exe, argv; /* hashes */
    uint64_t job_id, end_ns;
    uint32_t number; /* the writer's */
};

struct pfw_batch_thread {
    uint32_t proc, tid;
    size_t first, count;            /* of order */
    struct pfw_mark earliest, last; /* lines, as they come */
};

/* Events of one thread, by their ends: the records of a chunk, but for those of
 * its dictionary, which come first. */
struct pfw_batch_chunk {
    uint32_t thread;
    uint32_t events;
    uint32_t names; /* of its dictionary, the next ones of the batch's name */
    uint64_t base;  /* ns */
    size_t at, bytes;
};

/* A hash and what it stands for. */
struct pfw_batch_definition {
    struct pfw_text hash, text;
};

struct pfw_event;
struct pfw_event_arg;

/* Zero it before first use; all arrays are owned. */
struct pfw_batch {
    struct pfw_block block;
    struct pfw_unit unit;
    struct pfw_seen *seen; /* lines so far, where some are there twice; NULL */
    struct pfw_account account;
    struct pfw_locals names;
    struct pfw_sums sums;
    struct pfw_batch_proc *proc;
    struct pfw_batch_thread *thread;
    struct pfw_batch_chunk *chunk;
    struct pfw_batch_definition *definition;
    uint32_t *name; /* dictionaries of the chunks: numbers of names */
    unsigned char *bytes;
    uint64_t at; /* the writer's: where it put these */
    size_t procs, threads, chunks, definitions, names_used, used;
    int64_t last_thread; /* of the last line that has one; -1 none */
    /* private */
    size_t procs_room, threads_room, chunks_room, definitions_room, names_room,
        room;
    uint32_t *slot; /* (pid, tid, host) -> thread + 1 */
    size_t slots;
    struct pfw_event *ev;
    struct pfw_event_arg *arg;
    uint32_t *order; /* of events, by thread */
    uint64_t *id;    /* of each name: the last chunk that used it, from 1, and
                        its id there in the lower half */
    size_t evs, evs_room, args, args_room, order_room, ids;
};

/* Read all lines of b->block. */
void pfw_batch_read (struct pfw_batch *b);

void pfw_batch_clear (struct pfw_batch *b);
