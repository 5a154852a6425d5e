/* SPDX-License-Identifier: MIT
 *
 * pfwtrace.c - lines of a DFTracer trace -> blocks of a trace of ours
 *
 * In:  batches of lines, from pfwbatch.c
 * Out: processes and events in a file, to pfwopen.c
 *
 * Each worker inflates a block while the others may not, reads its lines
 * while they read theirs, and writes the events when its turn has come: what
 * is written does not depend on the number of workers.
 *
 * A process is a process id on a host. What lines of metadata say of it
 * arrives at any time, so its block is written last, into space that was
 * left for it.
 */
#include "config.h"

#include "analyze/trace/pfw/pfwtrace.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/pfw/pfwbatch.h"
#include "analyze/trace/pfw/pfwproc.h"
#include "analyze/trace/pfw/pfwwrite.h"
#include "lib/util/pool.h"
#include "lib/util/progress.h"
#include "lib/util/strmap.h"

struct convert {
    struct pfw_account *account;
    struct pfw_sums *sums;
    struct pfw_blocks *blocks;
    struct pfw_names *names;
    struct pfw_writer *writer;
    struct strmap *pids; /* pid and host -> number */
    struct pfw_proc *proc;
    size_t procs, room;
    /* of the last line so far */
    int any;
    uint64_t pid;
    char host[PFW_HOST_MAX];
    size_t host_length;
    /* of the workers */
    pthread_mutex_t reading, writing;
    pthread_cond_t turn_over;
    struct pfw_unit unit;
    struct pfw_seen *seen;
    uint64_t blocks_read, blocks_written;
    uint64_t packed; /* bytes of the file that have been read */
    int failed;      /* errno */
};

/* --- processes -------------------------------------------------------- */

static int64_t new_proc (struct convert *c, uint64_t pid)
{
    size_t room = c->room ? 2 * c->room : 8;
    struct pfw_proc *p = c->proc;

    if (c->procs == c->room) {
        if (!(p = reallocarray (p, room, sizeof (*p))))
            return -1;
        c->proc = p;
        c->room = room;
    }
    p = &c->proc[c->procs];
    memset (p, 0, sizeof (*p));
    p->p = (struct shard_process){.version = SHARD_VERSION,
                                  .pid = (uint32_t)pid,
                                  .rank = -1,
                                  .local_rank = -1,
                                  .array_task_id = -1,
                                  .step_id = -1,
                                  .tick_hz = 1000000000u,
                                  .clock = SHARD_CLOCK_MONOTONIC};
    p->first = p->around = UINT64_MAX;
    c->procs++;
    return pfw_writer_process (c->writer, &p->offset);
}

/* The host of the process; that of the last line before the batch where that
 * is what counts. */
static struct pfw_text host_of (const struct convert *c,
                                const struct pfw_batch_proc *p)
{
    struct pfw_text host = p->host;

    if (p->kind == PFW_HOST_BEFORE && c->any && c->pid == p->pid) {
        host.p = c->host;
        host.n = (uint32_t)c->host_length;
    }
    return host;
}

static int64_t find_proc (struct convert *c, const struct pfw_batch_proc *p)
{
    struct pfw_text host = host_of (c, p);
    char key[sizeof (p->pid) + PFW_HOST_MAX];
    int isnew;
    int64_t at, number;

    memcpy (key, &p->pid, sizeof (p->pid));
    if (host.n)
        memcpy (key + sizeof (p->pid), host.p, host.n);
    at = strmap_intern (c->pids, key, sizeof (p->pid) + host.n, &isnew);
    if (at < 0)
        return -1;
    if (!isnew)
        return (int64_t)(uintptr_t)strmap_value (c->pids, (size_t)at);
    if ((number = new_proc (c, p->pid)) < 0)
        return -1;
    strmap_set (c->pids, (size_t)at, (void *)(uintptr_t)number);
    if (p->kind == PFW_HOST_NAME)
        c->proc[number].host =
            pfw_names_text (c->names, SHARD_NAME_FILE, &host);
    else if (host.n)
        c->proc[number].host = pfw_names_hash (c->names, &host);
    return number;
}

static uint32_t hash_number (struct convert *c, const struct pfw_text *hash)
{
    return hash->n ? pfw_names_hash (c->names, hash) : 0;
}

/* What a batch says of a process. */
static int take_proc (struct convert *c, struct pfw_batch_proc *from)
{
    struct pfw_proc *p;

    if ((from->number = find_proc (c, from)) < 0)
        return -1;
    p = &c->proc[from->number];
    p->p.layers |= from->layers;
    if (from->first < p->first)
        p->first = from->first;
    if (from->around < p->around)
        p->around = from->around;
    if (from->facts & PFW_FACT_RANK)
        p->p.rank = from->rank;
    if (from->facts & PFW_FACT_PPID)
        p->p.ppid = from->ppid;
    if (from->facts & PFW_FACT_EXE)
        p->exe = hash_number (c, &from->exe);
    if (from->facts & PFW_FACT_ARGV)
        p->argv = hash_number (c, &from->argv);
    if (from->facts & PFW_FACT_JOB)
        p->p.job_id = from->job_id;
    if (from->facts & PFW_FACT_END)
        p->p.end_ns = from->end_ns;
    return 0;
}

/* --- batches ---------------------------------------------------------- */

static int take_chunk (struct convert *c,
                       struct pfw_batch *b,
                       const struct pfw_batch_chunk *from)
{
    const struct pfw_batch_thread *t = &b->thread[from->thread];
    uint32_t *name = b->name_list + from->name;
    struct pfw_chunk chunk = {.proc = (uint32_t)b->proc[t->proc].number,
                              .tid = t->tid,
                              .events = from->events,
                              .base = from->base,
                              .name = name,
                              .names = from->names,
                              .bytes = b->bytes + from->at,
                              .used = from->bytes};

    for (size_t i = 0; i < from->names; i++)
        if (!(name[i] = pfw_local_number (&b->names.item[name[i]], c->names)))
            return -1;
    return pfw_writer_chunk (c->writer, &chunk);
}

/* Does a thread go on where it was in the batches before? */
static int take_mark (struct convert *c,
                      const struct pfw_batch *b,
                      const struct pfw_batch_thread *t)
{
    int back;

    if (!t->count)
        return 0;
    back = pfw_writer_mark (c->writer, (uint32_t)b->proc[t->proc].number,
                            t->tid, &t->earliest, &t->last);
    c->account->back += back > 0;
    return back < 0 ? -1 : 0;
}

static void remember_last (struct convert *c, const struct pfw_batch *b)
{
    const struct pfw_batch_proc *p;
    struct pfw_text host;

    if (b->last_thread < 0)
        return;
    p = &b->proc[b->thread[b->last_thread].proc];
    host = host_of (c, p);
    c->host_length = host.n;
    if (host.n)
        memmove (c->host, host.p, host.n);
    c->pid = p->pid;
    c->any = 1;
}

/* The next batch of the file. 0, or -1. */
static int take_batch (struct convert *c, struct pfw_batch *b)
{
    for (size_t i = 0; i < b->definitions; i++)
        if (pfw_names_define (c->names, &b->definition[i].hash,
                              &b->definition[i].text) < 0)
            return -1;
    for (size_t i = 0; i < b->procs; i++)
        if (take_proc (c, &b->proc[i]) < 0)
            return -1;
    for (size_t i = 0; i < b->threads; i++)
        if (take_mark (c, b, &b->thread[i]) < 0)
            return -1;
    for (size_t i = 0; i < b->chunks; i++)
        if (take_chunk (c, b, &b->chunk[i]) < 0)
            return -1;
    if (pfw_sums_merge (c->sums, &b->sums) < 0)
        return -1;
    pfw_sums_clear (&b->sums);
    remember_last (c, b);
    pfw_account_add (c->account, &b->account);
    return 0;
}

/* --- blocks of processes ---------------------------------------------- */

/* A process of which only metadata is known began with the others. */
static void find_starts (struct convert *c)
{
    uint64_t earliest = UINT64_MAX;

    for (size_t i = 0; i < c->procs; i++) {
        struct pfw_proc *p = &c->proc[i];

        if (p->first == UINT64_MAX)
            p->first = p->around;
        if (p->first < earliest)
            earliest = p->first;
    }
    for (size_t i = 0; i < c->procs; i++)
        if (c->proc[i].first == UINT64_MAX)
            c->proc[i].first = earliest == UINT64_MAX ? 0 : earliest;
}

static int finish (struct convert *c, int fd)
{
    find_starts (c);
    for (size_t i = 0; i < c->procs; i++)
        if (pfw_proc_write (&c->proc[i], c->names, c->writer, fd, (uint32_t)i) <
            0)
            return -1;
    for (size_t i = 1; i <= pfw_names_count (c->names); i++)
        c->account->unnamed +=
            pfw_names_get (c->names, (uint32_t)i)->undefined != 0;
    return 0;
}

/* --- all of it ---------------------------------------------------------- */

/* The next block and its number. 1, 0 at the end, -1. */
static int read_block (struct convert *c, struct pfw_batch *b, uint64_t *number)
{
    uint64_t packed;
    int rc;

    (void)pthread_mutex_lock (&c->reading);
    rc = pfw_blocks_next (c->blocks, &b->block);
    packed = pfw_blocks_account (c->blocks)->packed;
    progress_add (packed - c->packed);
    c->packed = packed;
    *number = c->blocks_read;
    c->blocks_read += rc > 0;
    (void)pthread_mutex_unlock (&c->reading);
    return rc;
}

/* Write a batch after all before it; rc < 0: it could not be read. Returns
 * what is to be done: 0 go on, -1 stop. */
static int
write_batch (struct convert *c, struct pfw_batch *b, uint64_t number, int rc)
{
    int error = errno;

    (void)pthread_mutex_lock (&c->writing);
    while (c->blocks_written < number && !c->failed)
        (void)pthread_cond_wait (&c->turn_over, &c->writing);
    if (rc == 0 && !c->failed && (rc = take_batch (c, b)) < 0)
        error = errno;
    if (rc < 0 && !c->failed)
        c->failed = error ? error : ENOMEM;
    c->blocks_written++;
    rc = c->failed ? -1 : 0;
    (void)pthread_cond_broadcast (&c->turn_over);
    (void)pthread_mutex_unlock (&c->writing);
    return rc;
}

static void work (void *cookie, size_t index, int worker)
{
    struct convert *c = cookie;
    struct pfw_batch b = {.unit = c->unit, .seen = c->seen};
    uint64_t number;
    int rc;

    (void)index;
    (void)worker;
    while ((rc = read_block (c, &b, &number)) > 0)
        if (write_batch (c, &b, number, pfw_batch_read (&b)) < 0)
            break;
    if (rc < 0)
        (void)write_batch (c, &b, number, -1);
    pfw_batch_clear (&b);
}

static int run (struct convert *c, int from, int to, int threads)
{
    if (threads <= 0)
        threads = pool_threads ();
    if (pfw_unit_find (from, &c->unit) < 0 ||
        !(c->blocks = pfw_blocks_create (from)) ||
        !(c->pids = strmap_create ()) ||
        !(c->writer = pfw_writer_create (to, c->names)) ||
        pool_run ((size_t)threads, threads, work, c) < 0)
        return -1;
    pfw_account_end (c->account, c->blocks);
    c->account->unit = c->unit.ns;
    c->account->unit_guessed = c->unit.guessed;
    c->account->late = pfw_names_late (c->names);
    errno = c->failed;
    return c->failed ? -1 : finish (c, to);
}

int pfw_convert (int from, int to, const struct pfw_reading *how, int once)
{
    struct convert c = {.account = how->account,
                        .sums = how->sums,
                        .names = pfw_names_create (how->known),
                        .seen = once ? pfw_seen_create () : NULL,
                        .reading = PTHREAD_MUTEX_INITIALIZER,
                        .writing = PTHREAD_MUTEX_INITIALIZER,
                        .turn_over = PTHREAD_COND_INITIALIZER};
    int rc = -1, saved;

    memset (how->account, 0, sizeof (*how->account));
    pfw_sums_clear (how->sums);
    if (c.names && (!once || c.seen))
        rc = run (&c, from, to, once ? 1 : how->threads);
    saved = errno;
    pfw_writer_destroy (c.writer);
    pfw_seen_destroy (c.seen);
    if (how->names && rc == 0)
        *how->names = c.names;
    else
        pfw_names_destroy (c.names);
    strmap_destroy (c.pids);
    pfw_blocks_destroy (c.blocks);
    free (c.proc);
    errno = saved;
    return rc;
}
