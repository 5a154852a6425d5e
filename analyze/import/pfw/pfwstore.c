/* SPDX-License-Identifier: MIT
 *
 * pfwstore.c - a DFTracer trace -> its processes, and columns of its events
 *
 * In:  batches of lines, from pfwbatch.c
 * Out: struct pfw_store, to sources.c; chunks of columns, to pfwcolumns.c
 *
 * Each worker inflates a block while the others may not, reads its lines while
 * they read theirs, and adds its processes, names and chunks to the store when
 * its turn has come: the result does not depend on the number of workers. The
 * columns themselves go to an unnamed temporary file at once.
 *
 * A process is a process id on a host.
 */
#include "config.h"

#include <pthread.h>

#include "analyze/import/pfw/pfwbatch.h"
#include "analyze/import/pfw/pfwstore.h"
#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/util/fsutil.h"
#include "lib/util/pool.h"
#include "lib/util/log.h"
#include "lib/util/spool.h"
#include "lib/util/strmap.h"

enum {
    HOST_MAX_BYTES = 256, /* of the strings of a process */
    EXE_MAX_BYTES = 1024,
    FIRST_THREADS = 64 /* slots, a power of two */
};

/* A process, as far as its lines say. */
struct pfw_proc {
    struct shard_process p;
    uint64_t first;           /* ns of its first event */
    uint64_t around;          /* the same of aggregated ones, rounded down */
    uint32_t host, exe, argv; /* names; 0 not known */
};

struct pfw_thread {
    uint32_t proc, tid, seq;
    struct pfw_mark mark; /* its last line */
};

struct pfw_store {
    int fd;
    uint64_t bytes;          /* of the file */
    struct pfw_names *names; /* owned, as all that follows */
    struct pfw_proc *proc;
    struct pfw_thread *thread;
    struct trace_chunk *chunk;
    size_t procs, procs_room, threads, threads_room, chunks, chunks_room;
    uint32_t *slot; /* (proc, tid) -> index + 1 */
    size_t slots;
};

/* An empty one, with names of its own. NULL: ENOMEM, or no file can be had. */
static struct pfw_store *pfw_store_create (void)
{
    struct pfw_store *s = calloc (1, sizeof (*s));

    if (!s)
        return NULL;
    s->slots = FIRST_THREADS;
    s->fd = spool_file ();
    if (s->fd < 0 || !(s->names = pfw_names_create ()) ||
        !(s->slot = calloc (s->slots, sizeof (*s->slot)))) {
        pfw_store_destroy (s);
        return NULL;
    }
    return s;
}

void pfw_store_destroy (struct pfw_store *s)
{
    int saved = errno;

    if (!s)
        return;
    if (s->fd >= 0)
        close (s->fd);
    pfw_names_destroy (s->names);
    free (s->proc);
    free (s->thread);
    free (s->chunk);
    free (s->slot);
    free (s);
    errno = saved;
}

struct pfw_names *pfw_store_names (const struct pfw_store *s)
{
    return s->names;
}

/* --- processes and threads -------------------------------------------- */

/* A new process. Number from 0, or -1 (ENOMEM). The process is valid until
 * there is another one. */
static int64_t pfw_store_add_process (struct pfw_store *s, uint64_t pid)
{
    struct pfw_proc *p;

    if (GROW (s->proc, s->procs_room, s->procs + 1) < 0)
        return -1;
    p = &s->proc[s->procs];
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
    return (int64_t)s->procs++;
}

static struct pfw_proc *pfw_store_process (struct pfw_store *s, int64_t number)
{
    return &s->proc[number];
}

static size_t
store_slot (const struct pfw_store *s, uint32_t proc, uint32_t tid)
{
    uint64_t h = ((uint64_t)proc << 32 | tid) * 0x9e3779b97f4a7c15u;

    return (h >> 32) & (s->slots - 1);
}

static int store_rehash (struct pfw_store *s)
{
    uint32_t *slot = calloc (2 * s->slots, sizeof (*slot));

    if (!slot)
        return -1;
    free (s->slot);
    s->slot = slot;
    s->slots *= 2;
    for (size_t i = 0; i < s->threads; i++) {
        size_t at = store_slot (s, s->thread[i].proc, s->thread[i].tid);

        while (s->slot[at])
            at = (at + 1) & (s->slots - 1);
        s->slot[at] = (uint32_t)(i + 1);
    }
    return 0;
}

/* NULL: ENOMEM. */
static struct pfw_thread *
store_thread (struct pfw_store *s, uint32_t proc, uint32_t tid)
{
    size_t at;

    if (s->threads * 2 >= s->slots && store_rehash (s) < 0)
        return NULL;
    for (at = store_slot (s, proc, tid); s->slot[at];
         at = (at + 1) & (s->slots - 1)) {
        struct pfw_thread *t = &s->thread[s->slot[at] - 1];

        if (t->proc == proc && t->tid == tid)
            return t;
    }
    if (GROW (s->thread, s->threads_room, s->threads + 1) < 0)
        return NULL;
    s->thread[s->threads] = (struct pfw_thread){.proc = proc, .tid = tid};
    s->slot[at] = (uint32_t)s->threads + 1;
    return &s->thread[s->threads++];
}

/* The first and the last line that a thread has in a batch; batches in their
 * order. 1: it goes back, 0, -1 (ENOMEM). */
static int pfw_store_mark (struct pfw_store *s,
                           uint32_t proc,
                           uint32_t tid,
                           const struct pfw_mark *first,
                           const struct pfw_mark *last)
{
    struct pfw_thread *t = store_thread (s, proc, tid);
    int back;

    if (!t)
        return -1;
    back = t->mark.end && pfw_goes_back (&t->mark, first);
    t->mark = *last;
    return back;
}

/* --- chunks ----------------------------------------------------------- */

/* Room for so many bytes of chunks; where it is. */
static uint64_t pfw_store_room (struct pfw_store *s, size_t bytes)
{
    s->bytes += bytes;
    return s->bytes - bytes;
}

/* A chunk that is, or will be, there, the next one of its thread. 0, or -1
 * (ENOMEM). */
static int pfw_store_add_chunk (struct pfw_store *s,
                                uint32_t proc,
                                uint32_t tid,
                                const struct trace_chunk *chunk)
{
    struct pfw_thread *t = store_thread (s, proc, tid);
    struct trace_chunk *c;

    if (!t || !(c = APPEND (s->chunk, s->chunks, s->chunks_room)))
        return -1;
    *c = *chunk;
    c->present = c->used;
    c->head.magic = SHARD_MAGIC;
    c->head.type = SHARD_BLOCK_EVENTS;
    c->head.flags = SHARD_SEALED;
    c->head.proc = proc;
    c->head.tid = tid;
    c->head.seq = t->seq++;
    s->proc[proc].p.events_sealed += c->events;
    s->proc[proc].p.chunks++;
    return 0;
}

/* Write the bytes for which there is room. 0, or -1. Thread safe. */
static int pfw_store_write (const struct pfw_store *s,
                            const void *data,
                            size_t n,
                            uint64_t offset)
{
    const char *p = data;

    while (n > 0) {
        ssize_t done = pwrite (s->fd, p, n, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        p += done;
        n -= (size_t)done;
        offset += (uint64_t)done;
    }
    return 0;
}

int pfw_store_read (const struct pfw_store *s,
                    const struct trace_chunk *c,
                    unsigned char *buf)
{
    size_t n = 0;

    while (n < c->used) {
        ssize_t got =
            pread (s->fd, buf + n, c->used - n, (off_t)(c->offset + n));

        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO;
        if (got <= 0)
            return -1;
        n += (size_t)got;
    }
    return 0;
}

/* --- as a trace ------------------------------------------------------- */

static size_t
store_string (struct pfw_store *s, char *to, uint32_t number, size_t max)
{
    const struct pfw_name *name = pfw_names_get (s->names, number);
    size_t n = name ? name->length : 0;

    if (n > max)
        n = max;
    if (n)
        memcpy (to, name->text, n);
    to[n] = '\0';
    return strlen (to) + 1;
}

/* A process of which only metadata is known began with the others. */
static void store_starts (struct pfw_store *s)
{
    uint64_t earliest = UINT64_MAX;

    for (size_t i = 0; i < s->procs; i++) {
        struct pfw_proc *p = &s->proc[i];

        if (p->first == UINT64_MAX)
            p->first = p->around;
        if (p->first < earliest)
            earliest = p->first;
    }
    for (size_t i = 0; i < s->procs; i++)
        if (s->proc[i].first == UINT64_MAX)
            s->proc[i].first = earliest == UINT64_MAX ? 0 : earliest;
}

static int
store_put_process (struct pfw_store *s, struct tracefile *f, struct pfw_proc *p)
{
    char text[HOST_MAX_BYTES + EXE_MAX_BYTES + EVENT_NAME_MAX + 8];
    size_t n;

    p->p.start_real = p->p.start_ns = p->p.start_tick = p->first;
    if (p->p.end_ns && p->p.end_ns <= p->first)
        p->p.end_ns = p->first + 1;
    n = store_string (s, text, p->host, HOST_MAX_BYTES);
    n += store_string (s, text + n, p->exe, EXE_MAX_BYTES);
    text[n++] = '\0';
    text[n++] = '\0';
    n += store_string (s, text + n, p->argv, EVENT_NAME_MAX);
    p->p.strings_bytes = (uint32_t)n;
    return tracefile_add_process (f, &p->p, text, n);
}

struct tracefile *pfw_store_index (struct pfw_store *s)
{
    struct tracefile *f = tracefile_create (s->bytes);
    int rc = f ? 0 : -1;

    store_starts (s);
    for (size_t i = 0; rc == 0 && i < s->procs; i++)
        rc = store_put_process (s, f, &s->proc[i]);
    if (rc < 0) {
        tracefile_close (f);
        return NULL;
    }
    pfw_names_seal (s->names);
    tracefile_set_chunks (f, s->chunk, s->chunks);
    s->chunk = NULL;
    s->chunks = s->chunks_room = 0;
    return f;
}

/* --- batches into the store --------------------------------------------------
 */

struct convert {
    struct pfw_account *account;
    struct pfw_sums *sums;
    struct pfw_blocks *blocks;
    struct pfw_store *store;
    struct pfw_names *names; /* the store's */
    struct strmap *pids;     /* pid and host -> number */
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
    if ((number = pfw_store_add_process (c->store, p->pid)) < 0)
        return -1;
    strmap_set (c->pids, (size_t)at, (void *)(uintptr_t)number);
    if (p->kind == PFW_HOST_NAME)
        pfw_store_process (c->store, number)->host =
            pfw_names_text (c->names, SHARD_NAME_FILE, &host);
    else if (host.n)
        pfw_store_process (c->store, number)->host =
            pfw_names_hash (c->names, &host);
    return number;
}

static uint32_t hash_number (struct convert *c, const struct pfw_text *hash)
{
    return hash->n ? pfw_names_hash (c->names, hash) : 0;
}

/* Add the facts that a batch has of a process. 0, or -1 (ENOMEM). */
static int take_proc (struct convert *c, struct pfw_batch_proc *from)
{
    struct pfw_proc *p;

    if ((from->number = find_proc (c, from)) < 0)
        return -1;
    p = pfw_store_process (c->store, from->number);
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

/* A chunk of the batch, which will be at offset. */
static int take_chunk (struct convert *c,
                       struct pfw_batch *b,
                       const struct pfw_batch_chunk *from,
                       uint64_t offset)
{
    const struct pfw_batch_thread *t = &b->thread[from->thread];
    const struct trace_chunk chunk = {
        .head = {.base = from->base, .base_ns = from->base},
        .offset = offset + from->at,
        .events = from->events,
        .used = (uint32_t)from->bytes};
    unsigned char *p = b->bytes + from->at + from->bytes -
                       (from->names + (size_t)1) * sizeof (from->names);
    uint32_t name;

    for (uint32_t i = 0; i < from->names; i++, p += sizeof (name)) {
        memcpy (&name, p, sizeof (name));
        if (!(name = pfw_local_number (&b->names.item[name], c->names)))
            return -1;
        memcpy (p, &name, sizeof (name));
    }
    return pfw_store_add_chunk (c->store, (uint32_t)b->proc[t->proc].number,
                                t->tid, &chunk);
}

/* Does a thread go on where it was in the batches before? */
static int take_mark (struct convert *c,
                      const struct pfw_batch *b,
                      const struct pfw_batch_thread *t)
{
    int back;

    if (!t->count)
        return 0;
    back = pfw_store_mark (c->store, (uint32_t)b->proc[t->proc].number, t->tid,
                           &t->earliest, &t->last);
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

/* The next batch of the file; where its chunks will be. 0, or -1. */
static int take_batch (struct convert *c, struct pfw_batch *b, uint64_t *offset)
{
    *offset = pfw_store_room (c->store, b->used);
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
        if (take_chunk (c, b, &b->chunk[i], *offset) < 0)
            return -1;
    if (pfw_sums_merge (c->sums, &b->sums) < 0)
        return -1;
    pfw_sums_clear (&b->sums);
    remember_last (c, b);
    pfw_account_add (c->account, &b->account);
    return 0;
}

/* --- all of it ---------------------------------------------------------- */

/* The next block and its number. 1, 0 at the end, -1. */
static int read_block (struct convert *c, struct pfw_batch *b, uint64_t *number)
{
    uint64_t packed;
    int rc;

    pthread_mutex_lock (&c->reading);
    rc = pfw_blocks_next (c->blocks, &b->block);
    packed = pfw_blocks_account (c->blocks)->packed;
    progress_add (packed - c->packed);
    c->packed = packed;
    *number = c->blocks_read;
    c->blocks_read += rc > 0;
    pthread_mutex_unlock (&c->reading);
    return rc;
}

static int convert_fail (struct convert *c, int error)
{
    if (!c->failed)
        c->failed = error ? error : ENOMEM;
    return -1;
}

/* Take a batch after all before it, then write it; rc < 0: it could not be
 * read. Returns what is to be done: 0 go on, -1 stop. */
static int
write_batch (struct convert *c, struct pfw_batch *b, uint64_t number, int rc)
{
    int error = errno;
    uint64_t offset = 0;

    pthread_mutex_lock (&c->writing);
    while (c->blocks_written < number && !c->failed)
        pthread_cond_wait (&c->turn_over, &c->writing);
    if (rc == 0 && !c->failed && (rc = take_batch (c, b, &offset)) < 0)
        error = errno;
    if (rc < 0)
        convert_fail (c, error);
    c->blocks_written++;
    rc = c->failed ? -1 : 0;
    pthread_cond_broadcast (&c->turn_over);
    pthread_mutex_unlock (&c->writing);
    if (rc < 0 || pfw_store_write (c->store, b->bytes, b->used, offset) == 0)
        return rc;
    error = errno;
    pthread_mutex_lock (&c->writing);
    rc = convert_fail (c, error);
    pthread_mutex_unlock (&c->writing);
    return rc;
}

static void trace_work (void *cookie, size_t index, int worker)
{
    struct convert *c = cookie;
    struct pfw_batch b = {.unit = c->unit, .seen = c->seen};
    uint64_t number;
    int rc;

    while ((rc = read_block (c, &b, &number)) > 0)
        if (write_batch (c, &b, number, pfw_batch_read (&b)) < 0)
            break;
    if (rc < 0)
        write_batch (c, &b, number, -1);
    pfw_batch_clear (&b);
}

static int trace_run (struct convert *c, int from, int threads)
{
    if (threads <= 0)
        threads = pool_threads ();
    if (pfw_unit_find (from, &c->unit) < 0 ||
        !(c->blocks = pfw_blocks_create (from)) ||
        !(c->pids = strmap_create ()) ||
        pool_run ((size_t)threads, threads, trace_work, c) < 0)
        return -1;
    pfw_account_end (c->account, c->blocks);
    c->account->unit = c->unit.ns;
    c->account->unit_guessed = c->unit.guessed;
    errno = c->failed;
    return c->failed ? -1 : 0;
}

/* Read fd `from`, which stays the caller's; any number of threads gives the
 * same result. once: leave out lines that are there twice; on one thread. NULL
 * with errno. */
static struct pfw_store *
pfw_convert (int from, const struct pfw_reading *how, int once)
{
    struct convert c = {.account = how->account,
                        .sums = how->sums,
                        .store = pfw_store_create (),
                        .seen = once ? pfw_seen_create () : NULL,
                        .reading = PTHREAD_MUTEX_INITIALIZER,
                        .writing = PTHREAD_MUTEX_INITIALIZER,
                        .turn_over = PTHREAD_COND_INITIALIZER};
    int rc = -1, saved;

    memset (how->account, 0, sizeof (*how->account));
    pfw_sums_clear (how->sums);
    if (c.store && (!once || c.seen)) {
        c.names = pfw_store_names (c.store);
        rc = trace_run (&c, from, once ? 1 : how->threads);
    }
    saved = errno;
    if (rc < 0) {
        pfw_store_destroy (c.store);
        c.store = NULL;
    }
    pfw_seen_destroy (c.seen);
    strmap_destroy (c.pids);
    pfw_blocks_destroy (c.blocks);
    errno = saved;
    return c.store;
}

/* --- files by name ---------------------------------------------------------
 */

int pfw_is_name (const char *name)
{
    size_t n = strlen (name);

    return (n > 4 && strcmp (name + n - 4, ".pfw") == 0) ||
           (n > 7 && strcmp (name + n - 7, ".pfw.gz") == 0);
}

/* As often as it takes. NULL with errno. */
static struct pfw_store *open_convert (int from, const struct pfw_reading *how)
{
    struct pfw_store *s = pfw_convert (from, how, 0);

    if (!s || how->account->back == 0)
        return s;
    pfw_store_destroy (s);
    return lseek (from, 0, SEEK_SET) < 0 ? NULL : pfw_convert (from, how, 1);
}

static const char *open_nothing (const struct pfw_account *a)
{
    return a->in.packed == 0 ? "empty: nothing was recorded"
           : a->meta         ? "no events in it, only names"
                             : "not a DFTracer trace: no line of it is an "
                               "event";
}

struct pfw_store *
pfw_open (const char *path, const struct pfw_reading *how, struct errtext *err)
{
    struct pfw_account *a = how->account;
    int from = open_regular (path, err);
    struct pfw_store *s;

    memset (a, 0, sizeof (*a));
    if (from < 0)
        return NULL;
    if (!(s = open_convert (from, how))) {
        errf (err, "%s: cannot read: %s", path, strerror (errno));
    } else if (a->events == 0 && pfw_sums_count (how->sums) == 0) {
        a->empty = a->in.packed == 0 || (a->meta && !pfw_lost (a) && !a->cut);
        pfw_store_destroy (s);
        s = NULL;
        errno = EBADMSG;
        errf (err, "%s: %s", path, open_nothing (a));
    }
    close (from);
    return s;
}

/* --- only what hashes stand for ------------------------------------------- */

static int open_take (void *cookie, const struct pfw_line *l)
{
    return l->phase == PFW_PHASE_META ? pfw_names_tell_line (l, cookie) : 0;
}

int pfw_read_definitions (const char *path, struct strmap *map)
{
    struct pfw_account account;
    int fd = open_regular (path, NULL);
    int rc = fd < 0 ? -1 : pfw_read (fd, &account, open_take, map);

    if (fd >= 0)
        close (fd);
    return rc;
}
