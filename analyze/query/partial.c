/* SPDX-License-Identifier: MIT
 *
 * partial.c - totals of a partition of a job -> a file; names of its sources
 *
 * In:  struct totals, struct job
 * Out: sections of a file; whether the partitions have all sources
 */
#include "config.h"

#include "analyze/query/partial.h"
#include "analyze/scan/hist.h"
#include "analyze/scan/mmlog.h"
#include "analyze/scan/packer.h"
#include "analyze/scan/spanlog.h"
#include "analyze/scan/timemap.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

#include <pthread.h>

/* Partitions are read at the same time; several of a merged trace say the same
 * of it. */
static pthread_mutex_t sources_lock = PTHREAD_MUTEX_INITIALIZER;

/* Paths are from the job directory on. */
static void partial_pack_source (struct packer *p,
                                 const struct job *job,
                                 const struct source *s)
{
    pack_text (p, s->path + strlen (job->dir));
    pack_uint (p, s->readable);
    pack_text (p, s->problem.text);
    pack_bytes (p, &s->lines, sizeof (s->lines));
}

static int64_t source_find (const struct job *job, const char *path, size_t n)
{
    for (size_t i = 0; i < job->sources; i++) {
        const char *own = job->source[i].path + strlen (job->dir);

        if (strlen (own) == n && memcmp (own, path, n) == 0)
            return i;
    }
    errno = ENOENT;
    return -1;
}

int64_t partial_unpack_source (struct unpacker *u, struct job *job)
{
    size_t n, told;
    const char *path = unpack_text (u, &n), *problem;
    int readable = (int)unpack_uint (u);
    struct pfw_account lines;
    struct source *s;
    int64_t at;

    problem = unpack_text (u, &told);
    unpack_bytes (u, &lines, sizeof (lines));
    if (u->bad || (at = source_find (job, path, n)) < 0)
        return -1;
    pthread_mutex_lock (&sources_lock);
    s = &job->source[at];
    if (told >= sizeof (s->problem.text))
        told = sizeof (s->problem.text) - 1;
    memcpy (s->problem.text, problem, told);
    s->problem.text[told] = '\0';
    s->lines = lines;
    s->readable = readable;
    pthread_mutex_unlock (&sources_lock);
    return at;
}

void partial_check_sources (const struct job *job)
{
    for (size_t i = 0; i < job->sources; i++)
        if (!job->source[i].taken)
            die ("%s: in no partition: it came later; remove %s/partials and "
                 "begin again",
                 job->source[i].path, job->dir);
}

/* Partitions are of the shards; what only the merged trace has would be left
 * out.
 */
void partial_check_merged (const struct job *job,
                           int (*has) (const void *cookie,
                                       const struct trace_process *who),
                           const void *cookie)
{
    char *path = path_join (job->dir, "trace.dft");
    struct tracefile *f = job->merged ? NULL : tracefile_open (path, NULL);

    for (size_t i = 0; f && i < tracefile_processes (f); i++)
        if (!has (cookie, tracefile_process (f, i)))
            die ("%s: has a process that no shard has: analyze it without "
                 "--partial",
                 path);
    tracefile_close (f);
    free (path);
}

enum { PARTIAL_MODE = 0600 };

struct writer {
    struct packer *p; /* the caller's */
    FILE *out;
    const struct job *job;
    const struct totals *t;
    int sums;       /* no times of events */
    unsigned marks; /* bits of enum mark_kind */
};

static int partialwrite_put (struct writer *w, enum partial_section type)
{
    return pack_section (w->p, type, w->out);
}

int partial_put_head (struct packer *p,
                      const struct partial_head *head,
                      FILE *out)
{
    pack_bytes (p, PARTIAL_MAGIC, sizeof (PARTIAL_MAGIC));
    pack_uint (p, head->rules);
    pack_uint (p, head->partition);
    pack_uint (p, head->partitions);
    pack_uint (p, head->sources);
    return pack_section (p, PARTIAL_HEAD, out);
}

void partial_write_file (const char *path,
                         const struct partial_head *head,
                         int (*pack) (void *cookie,
                                      struct packer *p,
                                      FILE *out),
                         void *cookie)
{
    struct atomic_file *a = xatomic_open (path, PARTIAL_MODE);
    struct packer p = {0};
    int rc = partial_put_head (&p, head, atomic_stream (a));

    if (rc == 0)
        rc = pack (cookie, &p, atomic_stream (a));
    packer_clear (&p);
    if (rc == 0) {
        xatomic_commit (a);
        return;
    }
    rc = errno ? errno : EIO;
    atomic_abort (a);
    die ("%s: %s", path, strerror (rc));
}

static int partialwrite_put_sources (struct writer *w,
                                     const struct job *job,
                                     const struct totals *t)
{
    for (size_t i = 0; i < job->sources; i++) {
        partial_pack_source (w->p, job, &job->source[i]);
        pack_bytes (w->p, &t->health[i], sizeof (t->health[i]));
        if (partialwrite_put (w, PARTIAL_SOURCE) < 0)
            return -1;
    }
    return 0;
}

static int put_calls (struct writer *w, const struct tally *t)
{
    for (int i = 0; i < CALL_MAX; i++) {
        if (!t->call[i])
            continue;
        pack_uint (w->p, i);
        pack_uint (w->p, t->call[i]->bytes);
        pack_uint (w->p, t->call[i]->errors);
        pack_uint (w->p, t->call[i]->libc);
        hist_pack (w->p, &t->call[i]->time);
        if (partialwrite_put (w, PARTIAL_CALL) < 0)
            return -1;
    }
    return 0;
}

static void pack_key (struct packer *p, const struct strmap *m, size_t i)
{
    size_t n;
    const char *key = strmap_key (m, i, &n);

    pack_uint (p, n);
    pack_bytes (p, key, n);
}

static int put_operations (struct writer *w, const struct tally *t)
{
    for (size_t i = 0; i < strmap_count (t->ops); i++) {
        const struct op_total *op = strmap_value (t->ops, i);
        struct hist time;

        if (!op)
            continue;
        pack_key (w->p, t->ops, i);
        pack_uint (w->p, op->role);
        pack_uint (w->p, op->foreign);
        pack_uint (w->p, op->self);
        thinhist_to (&op->time, &time);
        hist_pack (w->p, &time);
        if (partialwrite_put (w, PARTIAL_OPERATION) < 0)
            return -1;
    }
    return 0;
}

static int put_files (struct writer *w, const struct tally *t)
{
    for (size_t i = 0; i < strmap_count (t->files); i++) {
        const struct file_total *f = strmap_value (t->files, i);
        struct file_total copy;

        if (!f)
            continue;
        copy = *f;
        copy.sizes = copy.strides = NULL;
        pack_key (w->p, t->files, i);
        pack_bytes (w->p, &copy, sizeof (copy));
        partial_pack_values (w->p, f);
        if (partialwrite_put (w, PARTIAL_FILE) < 0)
            return -1;
    }
    return 0;
}

/* Values of a map (NULL: none) that are plain structs of `size`. */
static int put_map (struct writer *w,
                    const struct strmap *m,
                    enum partial_section type,
                    size_t size)
{
    for (size_t i = 0; m && i < strmap_count (m); i++) {
        const void *value = strmap_value (m, i);

        if (!value)
            continue;
        pack_key (w->p, m, i);
        pack_bytes (w->p, value, size);
        if (partialwrite_put (w, type) < 0)
            return -1;
    }
    return 0;
}

static int put_time (struct writer *w, const struct tally *t)
{
    for (size_t i = 0; t->time && i < strmap_count (t->time); i++) {
        size_t length;
        const char *key = strmap_key (t->time, i, &length);
        const uint64_t *n = strmap_value (t->time, i);

        if (!n)
            continue;
        pack_bytes (w->p, key, length);
        pack_bytes (w->p, n, PROFILE_BIN_COUNTERS * sizeof (*n));
        if (partialwrite_put (w, PARTIAL_TIME) < 0)
            return -1;
    }
    return 0;
}

static int put_points (struct writer *w, const struct pointfaults *points)
{
    for (int what = 0; what < POINTFAULT_COUNT; what++)
        for (size_t i = 0; i < pointfaults_count (points, what); i++) {
            struct pointfault_text report = pointfaults_text (points, what, i);

            pack_uint (w->p, what);
            pack_text (w->p, report.where);
            pack_uint (w->p, report.times);
            if (partialwrite_put (w, PARTIAL_POINT) < 0)
                return -1;
        }
    return 0;
}

/* --- processes ----------------------------------------------------------- */

static void pack_who (struct packer *p, const struct trace_process *who)
{
    pack_bytes (p, &who->p, sizeof (who->p));
    pack_uint (p, who->offset);
    pack_uint (p, who->damaged);
    for (int i = 0; i < SHARD_STRING_COUNT; i++)
        pack_text (p, who->text[i]);
}

static int put_spans (struct writer *w, const struct process *p)
{
    for (const struct spans *s = p->spans; s; s = s->next) {
        pack_uint (w->p, s->key.call);
        pack_uint (w->p, s->key.sets);
        pack_uint (w->p, s->key.bill);
        pack_uint (w->p, s->key.storage | s->key.estimate << 1u);
        pack_uint (w->p, s->main);
        spanlog_pack (w->p, &s->log);
        if (partialwrite_put (w, PARTIAL_SPANS) < 0)
            return -1;
    }
    return 0;
}

/* Lists that were dropped are one that is too long. */
static int
put_shares (struct writer *w, const struct totals *t, const struct process *p)
{
    if (!p->shares.count && !t->shares_dropped)
        return 0;
    pack_uint (w->p, t->shares_dropped ? SHARES_MAX + 1 : p->shares.count);
    pack_bytes (w->p, p->shares.item, p->shares.count * sizeof (struct share));
    return partialwrite_put (w, PARTIAL_SHARES);
}

static int partialwrite_put_processes (struct writer *w, const struct totals *t)
{
    static const struct marks none;

    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        pack_who (w->p, p->who);
        pack_uint (w->p, p->threads);
        pack_bytes (w->p, &p->n, sizeof (p->n));
        pack_bytes (w->p, &p->startup, sizeof (p->startup));
        pack_uint (w->p, p->start);
        pack_uint (w->p, p->end);
        for (int kind = 0; kind < MARK_KINDS; kind++)
            marks_pack (w->p, w->marks >> kind & 1 ? &p->marks[kind] : &none);
        if (partialwrite_put (w, PARTIAL_PROCESS) < 0 ||
            (!w->sums && put_spans (w, p) < 0) || put_shares (w, t, p) < 0)
            return -1;
        if (w->sums || mmlog_empty (&p->mm))
            continue;
        mmlog_pack (w->p, &p->mm);
        if (partialwrite_put (w, PARTIAL_MMAP) < 0)
            return -1;
    }
    return 0;
}

static int partialwrite_put_all (void *cookie, struct packer *p, FILE *out)
{
    struct writer *w = cookie;
    const struct tally *t = &w->t->tally;

    w->p = p;
    w->out = out;
    if ((!w->sums && partialwrite_put_sources (w, w->job, w->t) < 0) ||
        put_calls (w, t) < 0 || put_operations (w, t) < 0 ||
        put_files (w, t) < 0 ||
        put_map (w, t->blocks, PARTIAL_BLOCK, sizeof (struct block_total)) <
            0 ||
        put_map (w, t->peers, PARTIAL_PEER, sizeof (struct peer_total)) < 0 ||
        put_map (w, t->objects, PARTIAL_OBJECT, sizeof (struct object_total)) <
            0 ||
        put_time (w, t) < 0 || put_points (w, &t->points) < 0 ||
        put_map (w, t->mounts, PARTIAL_MOUNT, sizeof (struct mount_entry)) <
            0 ||
        put_map (w, t->sums.of, PARTIAL_SUM, sizeof (struct pfw_sum)) < 0 ||
        partialwrite_put_processes (w, w->t) < 0)
        return -1;
    return partialwrite_put (w, PARTIAL_END);
}

int partial_pack_sums (struct packer *p, FILE *out, const struct totals *t)
{
    struct writer w = {.t = t, .sums = 1};

    for (size_t i = 1; i < t->processes; i++)
        if (strcmp (t->process[i].who->text[SHARD_STRING_HOST],
                    t->process[0].who->text[SHARD_STRING_HOST]) != 0)
            w.marks = 1u << MARK_BARRIER;
    return partialwrite_put_all (&w, p, out);
}

void partial_write (const char *path,
                    const struct partial_head *head,
                    const struct job *job,
                    const struct totals *t)
{
    struct writer w = {.job = job, .t = t, .marks = ~0u};

    partial_write_file (path, head, partialwrite_put_all, &w);
}
