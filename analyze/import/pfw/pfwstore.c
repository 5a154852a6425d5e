/* SPDX-License-Identifier: MIT
 *
 * pfwstore.c - a DFTracer trace -> its processes, and chunks of its events
 *
 * In:  batches of lines, from pfwbatch.c
 * Out: struct pfw_store, to sources.c; a trace whose chunks are read from it
 *
 * Each worker inflates a block while the others may not, reads its lines while
 * they read theirs, and adds its processes, names and chunks to the store when
 * its turn has come: the result does not depend on the number of workers, but
 * for the order in an unnamed temporary file, where the records of the events
 * go at once. Those of a chunk's dictionary are made when it is read, since
 * only then all names are known.
 *
 * A process is a process id on a host.
 */
#include "config.h"

#include "analyze/import/pfw/pfwbatch.h"
#include "analyze/import/pfw/pfwstore.h"
#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/util/fsutil.h"
#include "lib/util/pool.h"
#include "lib/util/log.h"
#include "lib/util/spool.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

enum {
    HOST_MAX_BYTES = 256, /* of the strings of a process */
    EXE_MAX_BYTES = 1024
};

/* A process, as far as its lines say. */
struct pfw_proc {
    struct shard_process p;
    uint64_t first;           /* ns of its first event */
    uint64_t around;          /* the same of aggregated ones, rounded down */
    uint32_t host, exe, argv; /* names; 0 not known */
};

struct pfw_thread {
    uint32_t seq;         /* of its next chunk */
    struct pfw_mark mark; /* its last line */
};

/* The payload of a chunk: records of its dictionary, then of its events. */
struct pfw_payload {
    size_t name;    /* the first one of its dictionary, in the store's name */
    uint32_t names; /* in its dictionary */
    uint32_t bytes; /* of the records of events, in the file, */
    uint64_t at;
};

struct pfw_store {
    int fd;
    uint64_t bytes;          /* of the file; atomic */
    struct pfw_names *names; /* owned, as all that follows */
    struct pfw_proc *proc;
    struct pfw_thread *thread;
    struct strmap *number;     /* of threads, by process and thread id */
    struct trace_chunk *chunk; /* offset: of payload */
    struct pfw_payload *payload;
    uint32_t *name; /* dictionaries of the chunks: numbers of names */
    size_t procs, procs_room, threads_room, chunks, chunks_room, payloads,
        payloads_room, dictionary, dictionary_room;
};

/* An empty one, with names of its own. NULL: no file can be had. */
static struct pfw_store *pfw_store_create (void)
{
    int fd = spool_file ();
    struct pfw_store *s;

    if (fd < 0)
        return NULL;
    NEW (s, 1);
    s->fd = fd;
    s->names = pfw_names_create ();
    s->number = strmap_create ();
    return s;
}

void pfw_store_destroy (struct pfw_store *s)
{
    int saved = errno;

    if (!s)
        return;
    close (s->fd);
    pfw_names_destroy (s->names);
    free (s->proc);
    free (s->thread);
    free (s->chunk);
    free (s->payload);
    free (s->name);
    strmap_destroy (s->number);
    free (s);
    errno = saved;
}

struct pfw_names *pfw_store_names (const struct pfw_store *s)
{
    return s->names;
}

/* --- processes and threads -------------------------------------------- */

/* A new process, valid until there is another one. */
static struct pfw_proc *pfw_store_add_process (struct pfw_store *s,
                                               uint64_t pid)
{
    struct pfw_proc *p = APPEND (s->proc, s->procs, s->procs_room);

    p->p = (struct shard_process){.version = SHARD_VERSION,
                                  .pid = (uint32_t)pid,
                                  .rank = -1,
                                  .local_rank = -1,
                                  .array_task_id = -1,
                                  .step_id = -1,
                                  .tick_hz = 1000000000u,
                                  .clock = SHARD_CLOCK_MONOTONIC};
    p->first = p->around = UINT64_MAX;
    return p;
}

static struct pfw_thread *
store_thread (struct pfw_store *s, uint32_t proc, uint32_t tid)
{
    const uint32_t key[] = {proc, tid};
    int64_t at =
        strmap_intern (s->number, (const char *)key, sizeof (key), NULL);

    GROW_ZEROED (s->thread, s->threads_room, (size_t)at + 1);
    return &s->thread[at];
}

/* --- chunks ----------------------------------------------------------- */

/* Write the records of a batch's events. 0, or -1. Thread safe. */
static int store_write (struct pfw_store *s, struct pfw_batch *b)
{
    b->at = __atomic_fetch_add (&s->bytes, b->used, __ATOMIC_RELAXED);
    for (size_t n = 0; n < b->used;) {
        ssize_t done =
            pwrite (s->fd, b->bytes + n, b->used - n, (off_t)(b->at + n));

        if (done > 0)
            n += (size_t)done;
        else if (done == 0 || errno != EINTR)
            return -1;
    }
    return 0;
}

/* Write the records of a chunk's dictionary at p, or none of them (NULL). Their
 * number of bytes. */
static size_t store_dictionary (const struct pfw_store *s,
                                const struct pfw_payload *from,
                                unsigned char *p)
{
    unsigned char record[EVENT_NAME_MAX + 16];
    struct event_state st = {0};
    size_t bytes = 0;

    for (uint32_t i = 0; i < from->names; i++) {
        const struct pfw_name *n =
            pfw_names_get (s->names, s->name[from->name + i]);

        bytes += event_encode_name (&st, (enum shard_name_kind)n->kind,
                                    (enum file_class)n->class, n->text,
                                    n->length, p ? p + bytes : record);
    }
    return bytes;
}

/* tracefile_payload of a store. */
static ssize_t
store_payload (const void *of, uint64_t chunk, unsigned char *buf)
{
    const struct pfw_store *s = of;
    const struct pfw_payload *from = &s->payload[chunk];
    size_t names = store_dictionary (s, from, buf);
    ssize_t got = traceproc_read (s->fd, buf + names, from->bytes, from->at);

    return got < 0 ? -1 : (ssize_t)names + got;
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

static void
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
    if (tracefile_add_process (f, &p->p, text, n) < 0)
        xalloc_die ();
}

/* Set how long the chunks are, now that their names are known. Returns the sum
 * of all. */
static uint64_t store_measure (struct pfw_store *s)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < s->chunks; i++) {
        struct trace_chunk *c = &s->chunk[i];

        c->used = (uint32_t)store_dictionary (s, &s->payload[i], NULL) +
                  s->payload[i].bytes;
        c->present = c->used;
        bytes += c->used;
    }
    return bytes;
}

struct tracefile *pfw_store_index (struct pfw_store *s)
{
    struct tracefile *f = xalloc_checked (tracefile_create (store_measure (s)));

    store_starts (s);
    for (size_t i = 0; i < s->procs; i++)
        store_put_process (s, f, &s->proc[i]);
    pfw_names_seal (s->names);
    tracefile_set_chunks (f, s->chunk, s->chunks, store_payload, s);
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
    struct strmap *pids; /* pid and host -> number of the process */
    /* of the last line so far */
    int any;
    uint64_t pid;
    char host[PFW_HOST_MAX];
    size_t host_length;
    struct pfw_unit unit;
    struct pfw_seen *seen;
    uint64_t packed; /* bytes of the file that have been read */
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

static uint32_t find_proc (struct convert *c, const struct pfw_batch_proc *p)
{
    struct pfw_text host = host_of (c, p);
    char key[sizeof (p->pid) + PFW_HOST_MAX];
    struct pfw_proc *to;
    int isnew;
    uint32_t at;

    memcpy (key, &p->pid, sizeof (p->pid));
    if (host.n)
        memcpy (key + sizeof (p->pid), host.p, host.n);
    at = (uint32_t)strmap_intern (c->pids, key, sizeof (p->pid) + host.n,
                                  &isnew);
    if (!isnew)
        return at;
    to = pfw_store_add_process (c->store, p->pid);
    if (p->kind == PFW_HOST_NAME)
        to->host = pfw_names_text (c->store->names, SHARD_NAME_FILE, &host);
    else if (host.n)
        to->host = pfw_names_hash (c->store->names, &host);
    return at;
}

static uint32_t hash_number (struct convert *c, const struct pfw_text *hash)
{
    return hash->n ? pfw_names_hash (c->store->names, hash) : 0;
}

/* Add the facts that a batch has of a process. */
static void take_proc (struct convert *c, struct pfw_batch_proc *from)
{
    struct pfw_proc *p;

    from->number = find_proc (c, from);
    p = &c->store->proc[from->number];
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
}

/* --- batches ---------------------------------------------------------- */

/* A chunk of the batch, the next one of its thread, whose dictionary has the
 * batch's names from `name` on. */
static void take_chunk (struct pfw_store *s,
                        struct pfw_batch *b,
                        const struct pfw_batch_chunk *from,
                        const uint32_t *name)
{
    const struct pfw_batch_thread *of = &b->thread[from->thread];
    uint32_t proc = b->proc[of->proc].number;
    struct pfw_thread *t = store_thread (s, proc, of->tid);
    struct trace_chunk *c = APPEND (s->chunk, s->chunks, s->chunks_room);
    struct pfw_payload *to = APPEND (s->payload, s->payloads, s->payloads_room);

    GROW (s->name, s->dictionary_room, s->dictionary + from->names);
    *to = (struct pfw_payload){.name = s->dictionary,
                               .names = from->names,
                               .bytes = (uint32_t)from->bytes,
                               .at = b->at + from->at};
    for (uint32_t i = 0; i < from->names; i++)
        s->name[s->dictionary++] =
            pfw_local_number (&b->names.item[name[i]], s->names);
    *c = (struct trace_chunk){.head = {.magic = SHARD_MAGIC,
                                       .type = SHARD_BLOCK_EVENTS,
                                       .flags = SHARD_SEALED,
                                       .proc = proc,
                                       .tid = of->tid,
                                       .seq = t->seq++,
                                       .base = from->base,
                                       .base_ns = from->base},
                              .offset = s->payloads - 1,
                              .events = from->events};
    s->proc[proc].p.events_sealed += c->events;
    s->proc[proc].p.chunks++;
}

/* Count a thread that does not go on where it was in the batches before. */
static void take_mark (struct convert *c,
                       const struct pfw_batch *b,
                       const struct pfw_batch_thread *from)
{
    struct pfw_thread *t;

    if (!from->count)
        return;
    t = store_thread (c->store, b->proc[from->proc].number, from->tid);
    c->account->back +=
        t->mark.end && pfw_goes_back (&t->mark, &from->earliest);
    t->mark = from->last;
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

/* The next batch of the file. */
static int store_batch (void *cookie, void *item)
{
    struct convert *c = cookie;
    struct pfw_batch *b = item;
    const uint32_t *name = b->name;

    for (size_t i = 0; i < b->definitions; i++)
        pfw_names_define (c->store->names, &b->definition[i].hash,
                          &b->definition[i].text);
    for (size_t i = 0; i < b->procs; i++)
        take_proc (c, &b->proc[i]);
    for (size_t i = 0; i < b->threads; i++)
        take_mark (c, b, &b->thread[i]);
    for (size_t i = 0; i < b->chunks; name += b->chunk[i++].names)
        take_chunk (c->store, b, &b->chunk[i], name);
    pfw_sums_merge (c->sums, &b->sums);
    pfw_sums_clear (&b->sums);
    remember_last (c, b);
    pfw_account_add (c->account, &b->account);
    return 0;
}

/* --- all of it: struct pool_line ---------------------------------------- */

static int read_block (void *cookie, void *item)
{
    struct convert *c = cookie;
    struct pfw_batch *b = item;
    int rc = pfw_blocks_next (c->blocks, &b->block);
    uint64_t packed = pfw_blocks_account (c->blocks)->packed;

    progress_add (packed - c->packed);
    c->packed = packed;
    return rc;
}

static int make_batch (void *cookie, void *item)
{
    struct convert *c = cookie;
    struct pfw_batch *b = item;

    b->unit = c->unit;
    b->seen = c->seen;
    pfw_batch_read (b);
    return store_write (c->store, b);
}

static void clear_batch (void *item)
{
    pfw_batch_clear (item);
}

static int trace_run (struct convert *c, int from, int threads)
{
    static const struct pool_line line = {read_block, make_batch, store_batch,
                                          clear_batch,
                                          sizeof (struct pfw_batch)};
    int error;

    if (pfw_unit_find (from, &c->unit) < 0)
        return -1;
    c->blocks = pfw_blocks_create (from);
    c->pids = strmap_create ();
    error = pool_line (&line, threads, c);
    pfw_account_end (c->account, c->blocks);
    c->account->unit = c->unit.ns;
    c->account->unit_guessed = c->unit.guessed;
    errno = error;
    return error ? -1 : 0;
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
                        .seen = once ? pfw_seen_create () : NULL};
    int rc = -1, saved;

    memset (how->account, 0, sizeof (*how->account));
    pfw_sums_clear (how->sums);
    if (c.store)
        rc = trace_run (&c, from, once ? 1 : how->threads);
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
    if (l->phase == PFW_PHASE_META)
        pfw_names_tell_line (l, cookie);
    return 0;
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
