/* SPDX-License-Identifier: MIT
 *
 * sources.c - one job -> its trace files, open
 *
 * In:  a job directory or a file, from find.c
 * Out: struct source of each trace, to load.c, merge.c and cmd_stat.c; whether
 * a merged trace replaces its shards; names for hashes of DFTracer's files
 */
#include "config.h"

#include "analyze/import/pfw/pfwstore.h"
#include "analyze/trace/find.h"
#include "analyze/trace/parts.h"
#include "analyze/trace/profread.h"
#include "lib/base/array.h"
#include "lib/format/proclines.h"
#include "lib/util/fsutil.h"
#include "lib/util/pool.h"
#include "lib/util/log.h"
#include "lib/util/strmap.h"
#include "lib/util/xalloc.h"

#include <dirent.h>
#include <sys/resource.h>

/* Process ids come again, and a process has several blocks after an exec: it is
 * the last one that had begun by then. */
static void ended_find (const struct job *job,
                        const struct procrecord *e,
                        struct tracefile **file,
                        size_t *proc)
{
    uint64_t latest = 0;

    *file = NULL;
    for (size_t i = 0; i < job->sources; i++) {
        struct tracefile *f = job->source[i].file;

        for (size_t k = 0; f && k < tracefile_processes (f); k++) {
            const struct trace_process *who = tracefile_process (f, k);

            if (who->p.pid != e->pid || who->p.start_real > e->end ||
                who->p.start_real < latest ||
                strcmp (who->text[SHARD_STRING_HOST], e->host) != 0)
                continue;
            latest = who->p.start_real;
            *file = f;
            *proc = k;
        }
    }
}

static int ended_note (const struct procrecord *e, void *cookie)
{
    const int killer = strcmp (e->who, PROCLINE_KILLER) == 0;
    struct job *job = cookie;
    struct tracefile *f;
    size_t proc = 0;

    if ((e->ended & SHARD_ENDED_ROOT) &&
        (!job->ended || job->ended == SHARD_ENDED_EXIT))
        job->ended = e->ended & ~(uint32_t)SHARD_ENDED_ROOT;
    ended_find (job, e, &f, &proc);
    /* who had ended before it was killed has told its end */
    if (f && !(killer && tracefile_process (f, proc)->p.end_ns))
        tracefile_note_end (f, proc, e->ended, e->end);
    return 0;
}

void ended_apply (struct job *job)
{
    struct proclines p = {
        .kinds = PROCRECORD_ENDED, .f = ended_note, .cookie = job};

    proclines_read (&p, job->dir);
}

/* --- trace.dft and its shards ----------------------------------------------
 */

/* Add a process to a map, or return whether it is there. */
static int known (struct strmap *map, const struct trace_process *p, int add)
{
    char key[1024];

    FORMAT (key, "%" PRIx64 " %x %s", p->p.start_real, p->p.pid,
            p->text[SHARD_STRING_HOST]);
    return add ? (int)strmap_intern (map, key, strlen (key), NULL)
               : strmap_find (map, key, strlen (key)) >= 0;
}

static void known_add (struct strmap *map, const struct tracefile *f)
{
    for (size_t i = 0; i < tracefile_processes (f); i++)
        known (map, tracefile_process (f, i), 1);
}

static int known_all (struct strmap *map, const struct tracefile *f)
{
    for (size_t i = 0; i < tracefile_processes (f); i++)
        if (!known (map, tracefile_process (f, i), 0))
            return 0;
    return 1;
}

static int merged_whole (const struct tracefile *f)
{
    const struct trace_health *h = tracefile_health (f);

    for (size_t i = 0; i < tracefile_processes (f); i++)
        if (tracefile_process (f, i)->damaged)
            return 0;
    return !h->cut && !h->chunks_cut && !h->missing && !h->bytes_skipped;
}

static int merged_newer (const char *path, const char *than)
{
    struct stat a, b;

    if (stat (path, &a) < 0 || stat (than, &b) < 0)
        return 0;
    return (ORDER (a.st_mtim.tv_sec, b.st_mtim.tv_sec)
                ?: ORDER (a.st_mtim.tv_nsec, b.st_mtim.tv_nsec)) > 0;
}

/* Is the trace at path as good as the open sources of the job: newer, whole as
 * they are, and with their processes? */
static int merged_replaces (const char *path,
                            const struct tracefile *trace,
                            const struct job *job)
{
    struct strmap *map = strmap_create ();
    int yes = merged_whole (trace);

    known_add (map, trace);
    for (size_t i = 0; yes && i < job->sources; i++) {
        const struct source *s = &job->source[i];

        yes = s->file && merged_whole (s->file) &&
              merged_newer (path, s->path) && known_all (map, s->file);
    }
    strmap_destroy (map);
    return yes;
}

/* Has it a process that no open source has (they were removed)? */
static int merged_adds (const struct tracefile *trace, const struct job *job)
{
    struct strmap *map = strmap_create ();
    int yes;

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].file)
            known_add (map, job->source[i].file);
    yes = !known_all (map, trace);
    strmap_destroy (map);
    return yes;
}

static size_t resolve_missing (const struct job *job, const struct strmap *map)
{
    size_t n = 0;

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].store && !job->source[i].file)
            n +=
                pfw_names_missing (pfw_store_names (job->source[i].store), map);
    return n;
}

/* Names that all files of the job define. */
static struct strmap *resolve_known (const struct job *job)
{
    struct strmap *map = strmap_create ();

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].store && !job->source[i].file)
            pfw_names_tell (pfw_store_names (job->source[i].store), map);
    for (size_t i = 0; i < job->others &&
                       resolve_missing (job, map) < resolve_missing (job, NULL);
         i++)
        pfw_read_definitions (job->other[i], map);
    return map;
}

/* For sources.c: sources of DFTracer that have been read use hashes of files
 * that only other files of the job explain (a forked process names no file that
 * its parent opened), or that were explained too late: explain them. */
static void job_resolve (struct job *job)
{
    struct strmap *known =
        resolve_missing (job, NULL) ? resolve_known (job) : NULL;

    for (size_t i = 0; known && i < job->sources; i++)
        if (job->source[i].store && !job->source[i].file)
            pfw_names_explain (pfw_store_names (job->source[i].store), known);
    for (size_t i = 0; known && i < strmap_count (known); i++)
        free (strmap_value (known, i));
    strmap_destroy (known);
}

static int sources_is_file (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0 && S_ISREG (st.st_mode);
}

/* --- sources of a job --------------------------------------------------- */

void job_add_source (struct job *job, char *path)
{
    struct source *s;

    job->source = xreallocarray (job->source, job->sources + 1, sizeof (*s));
    s = &job->source[job->sources++];
    memset (s, 0, sizeof (*s));
    s->path = path;
    s->is_pfw = pfw_is_name (path);
    s->is_darshan = darshan_is_name (path);
}

/* Add the file of that name in the job's directory, if there is one. */
static void add_named (struct job *job, const char *name)
{
    char *path = path_join (job->dir, name);

    if (sources_is_file (path))
        job_add_source (job, path);
    else
        free (path);
}

static int is_shard_name (const struct dirent *d)
{
    size_t n = strlen (d->d_name);

    if (d->d_name[0] == '.' || strncmp (d->d_name, "combined.pfw", 12) == 0)
        return 0;
    return pfw_is_name (d->d_name) || darshan_is_name (d->d_name) ||
           (n > 4 && strcmp (d->d_name + n - 4, ".dft") == 0 &&
            strcmp (d->d_name, "trace.dft") != 0);
}

/* All traces of dir but the merged ones, by name. */
static void add_shards (struct job *job, const char *dir)
{
    struct dirent **names = NULL;
    int n = scandir (dir, &names, is_shard_name, alphasort);

    for (int i = 0; i < n; i++) {
        job_add_source (job, path_join (dir, names[i]->d_name));
        free (names[i]);
    }
    free (names);
}

static void source_close (struct source *s)
{
    tracefile_close (s->file);
    pfw_store_destroy (s->store);
    profrows_clear (&s->rows);
    darshan_facts_clear (&s->facts);
    s->copy = NULL;
    s->file = NULL;
    s->store = NULL;
}

void job_drop_sources (struct job *job)
{
    for (size_t i = 0; i < job->sources; i++) {
        source_close (&job->source[i]);
        pfw_sums_clear (&job->source[i].sums);
        free (job->source[i].path);
    }
    for (size_t i = 0; i < job->others; i++)
        free (job->other[i]);
    free (job->other);
    free (job->source);
    job->source = NULL;
    job->other = NULL;
    job->sources = job->others = 0;
}

struct opening {
    struct job *job;
    int threads; /* for each file */
};

static void sources_profile (const struct job *job, struct source *s)
{
    profread (s->file, &s->rows, &s->rows_bad);
    profparts_find (&s->profparts, s->file, &s->rows);
    if (job->trace_part)
        profparts_drop_rows (s->file, &s->rows);
}

/* The copy of a file of DFTracer. NULL: there is none that can be read. */
static struct tracefile *open_copy (const struct job *job, struct source *s)
{
    for (size_t i = 0; i < job->copies; i++) {
        const struct source_copy *c = &job->copy[i];
        struct tracefile *f = strcmp (c->path, s->path) == 0
                                  ? tracefile_open (c->copy, NULL)
                                  : NULL;

        if (!f)
            continue;
        pfw_sums_clear (&s->sums);
        pfw_sums_merge (&s->sums, &c->sums);
        s->lines = c->lines;
        s->copy = c->copy;
        return f;
    }
    return NULL;
}

/* A job may have more traces than a process may have files: those beyond half
 * of the limit are opened when they are read. */
static void sources_park (struct source *s)
{
    struct rlimit limit;
    int next = getrlimit (RLIMIT_NOFILE, &limit) == 0
                   ? open ("/dev/null", O_RDONLY | O_CLOEXEC)
                   : -1;

    if (next >= 0 && (rlim_t)next > limit.rlim_cur / 2)
        tracefile_park (s->file, s->path);
    if (next >= 0)
        close (next);
}

static void open_source (void *cookie, size_t index, int worker)
{
    const struct opening *o = cookie;
    struct source *s = &o->job->source[index];
    struct pfw_reading how = {
        .threads = o->threads, .account = &s->lines, .sums = &s->sums};

    if (s->file)
        return;
    if (s->is_pfw) {
        if (!(s->file = open_copy (o->job, s)))
            s->store = pfw_open (s->path, &how, &s->problem);
    } else if (s->is_darshan)
        s->file =
            darshan_open (s->path, &s->rows, &s->facts, &s->log, &s->problem);
    else if ((s->file = tracefile_open (s->path, &s->problem))) {
        sources_profile (o->job, s);
        sources_park (s);
    }
    s->readable = s->file || s->store || s->lines.empty;
}

/* All of the job have been read. */
static void finish_source (struct source *s)
{
    if (s->file || !s->store)
        return;
    s->lines.unnamed = pfw_names_undefined (pfw_store_names (s->store));
    s->file = pfw_store_index (s->store);
}

/* DFTracer's have to be read for that, which takes its time: several at once,
 * or one on all threads. */
static void open_sources (struct job *job)
{
    int pfw = 0, all = pool_threads ();
    uint64_t bytes = 0;
    struct stat st;
    struct opening o = {job, 1};

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].is_pfw && !job->source[i].file) {
            pfw++;
            bytes +=
                stat (job->source[i].path, &st) == 0 ? (uint64_t)st.st_size : 0;
        }
    o.threads = pfw > 0 && pfw < all ? (all + pfw - 1) / pfw : 1;
    if (pfw)
        progress_start ("read", bytes, "bytes");
    pool_run (job->sources, pfw ? all : 1, open_source, &o);
    if (pfw) {
        job_resolve (job);
        for (size_t i = 0; i < job->sources; i++)
            finish_source (&job->source[i]);
        progress_end ();
    }
}

/* --- trace.dft beside the shards --------------------------------------------
 */

/* Take trace.dft in the place of the shards where that loses nothing, or with
 * them where it has more. */
static void consider_trace (struct job *job)
{
    char *path = path_join (job->dir, "trace.dft");
    struct tracefile *trace =
        sources_is_file (path) ? tracefile_open (path, NULL) : NULL;
    struct source *s;

    if (trace && merged_replaces (path, trace, job)) {
        job_drop_sources (job);
        job->merged = 1;
    }
    if (!trace || !(job->merged || merged_adds (trace, job))) {
        tracefile_close (trace);
        free (path);
        return;
    }
    job_add_source (job, path);
    s = &job->source[job->sources - 1];
    s->file = trace;
    sources_profile (job, s);
    s->readable = s->merged = 1;
}

int job_list (struct job *job, struct errtext *err)
{
    char *shards;

    if (job->listed)
        return 0;
    job->listed = 1;
    shards = path_join (job->dir, "shards");
    add_shards (job, shards);
    free (shards);
    add_shards (job, job->dir);
    if (!job->sources) {
        add_named (job, "trace.dft");
        job->merged = job->sources > 0;
    }
    if (!job->sources) /* only an export is left */
        add_named (job, "combined.pfw.gz");
    if (!job->sources)
        add_named (job, "combined.pfw");
    if (job->sources)
        return 0;
    errno = ENOENT;
    return errf (
        err,
        "%s: no traces in it: looked for *.dft, *.pfw and "
        "*.pfw.gz there and in shards/; was the job traced (--dftrace=…)?",
        job->dir);
}

int job_open (struct job *job, struct errtext *err)
{
    int first = job->dir && !job->listed;

    if (first && job_list (job, err) < 0)
        return -1;
    open_sources (job);
    if (first || !job->dir)
        doing_collect (job); /* before trace.dft takes their place */
    if (first && !job->merged) {
        consider_trace (job);
        open_sources (job);
    }
    ended_apply (job);
    return 0;
}

void job_close (struct job *job)
{
    if (job->dir) {
        job_drop_sources (job);
        job->listed = 0;
    } else
        for (size_t i = 0; i < job->sources; i++)
            source_close (&job->source[i]);
}
