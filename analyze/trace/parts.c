/* SPDX-License-Identifier: MIT
 *
 * parts.c - sources of a job -> its processes with their chunks, in order
 *
 * In:  open trace files, from sources.c
 * Out: struct parts, to load.c, merge.c and pfw.c; without copies of a process
 *      in several sources; a partition for one of several tasks
 */
#include "config.h"

#include "analyze/trace/parts.h"
#include "lib/base/array.h"
#include "lib/format/event.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

/* A chunk while it is compared. */
struct copies_chunk {
    unsigned char *payload; /* owned */
    struct decoder decoder;
};

static uint64_t part_events (const struct part *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->chunks; i++)
        if (p->chunk[i]->present >= p->chunk[i]->used)
            n += p->chunk[i]->events;
    return n;
}

static int is_longer (const struct part *a, const struct part *b)
{
    uint64_t x = part_events (a), y = part_events (b);

    return x != y ? x > y : a->who->p.end_ns > b->who->p.end_ns;
}

/* --- contents ---------------------------------------------------------------
 */

/* Read a chunk; one that cannot be read has no events. */
static void copies_load (struct copies_chunk *to,
                         const struct part *part,
                         const struct trace_chunk *c)
{
    ssize_t got;

    memset (to, 0, sizeof (*to));
    to->payload = xmalloc ((size_t)c->used + 1);
    got = tracefile_read (part->file, c, to->payload);
    decoder_begin (&to->decoder, &c->head, to->payload, MAX (got, 0));
}

static void copies_free (struct copies_chunk *c)
{
    decoder_end (&c->decoder);
    free (c->payload);
}

static int same_events (const struct event *a, const struct event *b)
{
    return a->start == b->start && a->end == b->end && a->call == b->call &&
           a->ret == b->ret && a->size == b->size && a->offset == b->offset;
}

/* Events of the copy behind the last one that both have. */
static uint64_t chunk_differs (const struct part *copy,
                               const struct trace_chunk *c,
                               const struct part *whole,
                               const struct trace_chunk *w)
{
    struct copies_chunk a, b;
    struct event x, y;
    uint64_t same = 0;

    copies_load (&a, copy, c);
    copies_load (&b, whole, w);
    while (decoder_next (&a.decoder, &x) > 0 &&
           decoder_next (&b.decoder, &y) > 0 && same_events (&x, &y))
        same++;
    copies_free (&a);
    copies_free (&b);
    return c->events - same;
}

/* Events that the longer part does not have. The chunks of both are by thread,
 * those of a thread in their order. */
static uint64_t part_differs (const struct part *copy, const struct part *whole)
{
    uint64_t n = 0;
    size_t at = 0;

    for (size_t i = 0; i < copy->chunks; i++) {
        const struct trace_chunk *c = copy->chunk[i];

        while (at < whole->chunks && whole->chunk[at]->head.tid < c->head.tid)
            at++;
        if (at < whole->chunks && whole->chunk[at]->head.tid == c->head.tid) {
            n += chunk_differs (copy, c, whole, whole->chunk[at]);
            at++;
        } else
            n += c->events;
    }
    return n;
}

/* --- all of them ------------------------------------------------------------
 */

static void copies_count (struct parts *p,
                          const struct job *job,
                          const struct part *copy,
                          const struct part *whole)
{
    struct part_copies *c = &p->copies[copy->source];

    profparts_add_process (&c->left, copy->file, copy->who,
                           (const struct trace_chunk *const *)copy->chunk,
                           copy->chunks, &job->source[copy->source].rows);
    if (job->source[copy->source].merged || job->source[whole->source].merged)
        return;
    c->processes++;
    c->events += part_events (copy);
    c->differ += part_differs (copy, whole);
}

/* Keep of each process the part with most events, and count in p->copies what
 * the others have, and what of it differs; p->item is in its order. What the
 * job's own trace.dft has besides its shards is no copy to be told of. */
static void parts_drop_copies (struct parts *p, const struct job *job)
{
    size_t kept = 0, next;

    for (size_t i = 0; i < p->count; i = next) {
        size_t best = i;

        for (next = i + 1;
             next < p->count &&
             process_order (p->item[i].who, p->item[next].who) == 0;
             next++)
            if (is_longer (&p->item[next], &p->item[best]))
                best = next;
        for (size_t k = i; k < next; k++)
            if (k != best)
                copies_count (p, job, &p->item[k], &p->item[best]);
        p->item[kept++] = p->item[best];
    }
    p->count = kept;
}

struct thing {
    uint64_t size;
    size_t index;
};

static int by_size (const void *a, const void *b)
{
    const struct thing *x = a, *y = b;

    return ORDER (y->size, x->size) ?: ORDER (x->index, y->index);
}

int partitions_deal (unsigned *partition,
                     const uint64_t *size,
                     size_t n,
                     unsigned partitions)
{
    struct thing *thing = xcalloc (n + 1, sizeof (*thing));
    uint64_t *load = xcalloc (partitions + 1u, sizeof (*load));

    for (size_t i = 0; i < n; i++)
        thing[i] = (struct thing){size[i], i};
    qsort (thing, n, sizeof (*thing), by_size);
    for (size_t i = 0; partitions && i < n; i++) {
        unsigned least = 0;

        for (unsigned k = 1; k < partitions; k++)
            if (load[k] < load[least])
                least = k;
        partition[thing[i].index] = least;
        load[least] += thing[i].size + 1; /* an empty one is work, too */
    }
    free (thing);
    free (load);
    return partitions ? 0 : -1;
}

/* --- sources -------------------------------------------------------------- */

/* The others' names may explain hashes of ours. */
static void
keep_sources (struct job *job, const unsigned *partition_of, unsigned partition)
{
    size_t kept = 0;

    job->other = xcalloc (job->sources + 1, sizeof (*job->other));
    for (size_t i = 0; i < job->sources; i++) {
        if (partition_of[i] == partition)
            job->source[kept++] = job->source[i];
        else if (job->source[i].is_pfw)
            job->other[job->others++] = job->source[i].path;
        else
            free (job->source[i].path);
    }
    job->sources = kept;
}

static void
deal_files (struct job *job, unsigned partition, unsigned partitions)
{
    uint64_t *size = xcalloc (job->sources + 1, sizeof (*size));
    unsigned *of = xcalloc (job->sources + 1, sizeof (*of));
    struct stat st;

    for (size_t i = 0; i < job->sources; i++)
        if (stat (job->source[i].path, &st) == 0)
            size[i] = (uint64_t)st.st_size;
    partitions_deal (of, size, job->sources, partitions);
    keep_sources (job, of, partition);
    free (size);
    free (of);
}

static uint64_t start_of (const struct tracefile *f)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < tracefile_processes (f); i++)
        if (tracefile_process (f, i)->p.start_real < start)
            start = tracefile_process (f, i)->p.start_real;
    return start;
}

static int find_start (struct job *job, struct errtext *err)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < job->sources; i++) {
        struct tracefile *f;

        if (job->source[i].is_pfw) {
            errno = EINVAL;
            return errf (
                err,
                "%s: says when it began only when it is read: no "
                "partitions with --where time: run dftrace merge first",
                job->source[i].path);
        }
        if (!(f = tracefile_open (job->source[i].path, NULL)))
            continue; /* it is said when it is read */
        if (start_of (f) < start)
            start = start_of (f);
        tracefile_close (f);
    }
    job->start = start;
    return 0;
}

int job_take_partition (struct job *job,
                        unsigned partition,
                        unsigned partitions,
                        int start,
                        struct errtext *err)
{
    if (job_list (job, err) < 0 || (start && find_start (job, err) < 0))
        return -1;
    if (job->sources == 1 && !job->source[0].is_pfw) {
        job->partition = partition;
        job->partitions = partitions;
    } else
        deal_files (job, partition, partitions);
    return 0;
}

int process_order (const struct trace_process *a, const struct trace_process *b)
{
    int order = strcmp (a->text[SHARD_STRING_HOST], b->text[SHARD_STRING_HOST]);

    if (order)
        return order;
    return ORDER (a->p.start_real, b->p.start_real)
               ?: ORDER (a->p.pid, b->p.pid);
}

static int parts_by_start (const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    return process_order (x->who, y->who) ?: ORDER (x->source, y->source);
}

static int by_thread (const void *a, const void *b)
{
    const struct trace_chunk *x = *(const struct trace_chunk *const *)a;
    const struct trace_chunk *y = *(const struct trace_chunk *const *)b;

    return ORDER (x->head.proc, y->head.proc)
           ?: ORDER (x->head.tid, y->head.tid)
           ?: ORDER (x->offset, y->offset);
}

/* Events of chunks that are cut are found, or not, when they are decoded. */
static uint64_t missing_in (const struct tracefile *f)
{
    uint64_t missing = tracefile_health (f)->missing;

    for (size_t i = 0; i < tracefile_chunks (f); i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);

        if (c->present < c->used)
            missing -= c->events;
    }
    return missing;
}

/* All chunks of a file, by process and thread. NULL: ENOMEM. */
static const struct trace_chunk **sorted_chunks (const struct tracefile *f)
{
    size_t n = tracefile_chunks (f);
    const struct trace_chunk **chunk = xcalloc (n + 1, sizeof (*chunk));

    for (size_t i = 0; i < n; i++)
        chunk[i] = tracefile_chunk (f, i);
    qsort (chunk, n, sizeof (*chunk), by_thread);
    return chunk;
}

static void
parts_collect (struct parts *p, const struct job *job, size_t source)
{
    const struct tracefile *f = job->source[source].file;
    const struct trace_chunk **chunk = sorted_chunks (f);
    size_t n = tracefile_chunks (f), at = 0;

    p->chunks[source] = chunk;
    for (size_t i = 0; i < tracefile_processes (f); i++) {
        struct part *part = &p->item[p->count++];

        part->source = source;
        part->file = f;
        part->who = tracefile_process (f, i);
        part->missing = i == 0 ? missing_in (f) : 0;
        part->chunk = chunk + at;
        while (at < n && chunk[at]->head.proc == i)
            at++;
        part->chunks = (size_t)(chunk + at - part->chunk);
    }
}

size_t part_thread_end (const struct part *part, size_t first)
{
    size_t i = first + 1;

    while (i < part->chunks &&
           part->chunk[i]->head.tid == part->chunk[first]->head.tid &&
           part->chunk[i]->head.seq != 0)
        i++;
    return i;
}

/* Only the processes of the job's partition: the large ones are dealt first. */
static void keep_partition (struct parts *p, const struct job *job)
{
    uint64_t *size = xcalloc (p->count + 1, sizeof (*size));
    unsigned *partition = xcalloc (p->count + 1, sizeof (*partition));
    size_t kept = 0;

    for (size_t i = 0; i < p->count; i++)
        for (size_t c = 0; c < p->item[i].chunks; c++)
            size[i] += p->item[i].chunk[c]->used;
    partitions_deal (partition, size, p->count, job->partitions);
    for (size_t i = 0; i < p->count; i++)
        if (partition[i] == job->partition)
            p->item[kept++] = p->item[i];
    p->count = kept;
    free (size);
    free (partition);
}

void parts_make (struct parts *p, const struct job *job)
{
    size_t n = 0;

    memset (p, 0, sizeof (*p));
    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file)
            n += tracefile_processes (job->source[i].file);
    p->sources = job->sources;
    p->item = xcalloc (n + 1, sizeof (*p->item));
    p->chunks = xcalloc (p->sources + 1, sizeof (*p->chunks));
    p->copies = xcalloc (p->sources + 1, sizeof (*p->copies));
    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file)
            parts_collect (p, job, i);
    qsort (p->item, p->count, sizeof (*p->item), parts_by_start);
    parts_drop_copies (p, job);
    if (job->partitions)
        keep_partition (p, job);
}

struct part_thread *parts_threads (const struct parts *p, size_t *n)
{
    struct part_thread *thread;
    size_t count = 0;

    for (size_t i = 0; i < p->count; i++)
        for (size_t c = 0; c < p->item[i].chunks; count++)
            c = part_thread_end (&p->item[i], c);
    *n = 0;
    thread = xcalloc (count + 1, sizeof (*thread));
    for (size_t i = 0; i < p->count; i++)
        for (size_t c = 0, next; c < p->item[i].chunks; c = next) {
            next = part_thread_end (&p->item[i], c);
            thread[(*n)++] =
                (struct part_thread){i, p->item[i].chunk + c, next - c};
        }
    return thread;
}

uint64_t parts_start (const struct parts *p)
{
    uint64_t start = UINT64_MAX;

    for (size_t i = 0; i < p->count; i++)
        if (p->item[i].who->p.start_real < start)
            start = p->item[i].who->p.start_real;
    return start;
}

void parts_clear (struct parts *p)
{
    int saved = errno;

    for (size_t i = 0; p->chunks && i < p->sources; i++)
        free (p->chunks[i]);
    free (p->chunks);
    free (p->copies);
    free (p->item);
    free (p->lines);
    memset (p, 0, sizeof (*p));
    errno = saved;
}

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
        h->profparts = job->source[i].profparts;
        profparts_subtract (&h->profparts, &h->copies.left);
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
