/* SPDX-License-Identifier: MIT
 *
 * partialsource.c - the sources of a job in the files of its partitions
 *
 * In:  struct job, sections
 * Out: sections; what is wrong with a source; whether all are there
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/partial.h"
#include "lib/util/fsutil.h"

/* Partitions are read at the same time; several of a merged trace say the same
 * of it. */
static pthread_mutex_t sources_lock = PTHREAD_MUTEX_INITIALIZER;

/* Paths are from the job directory on. */
void partial_pack_source (struct packer *p,
                          const struct job *job,
                          const struct source *s)
{
    pack_text (p, s->path + strlen (job->dir));
    pack_uint (p, (uint64_t)s->readable);
    pack_text (p, s->problem.text);
    pack_bytes (p, &s->lines, sizeof (s->lines));
}

static int64_t source_find (const struct job *job, const char *path, size_t n)
{
    for (size_t i = 0; i < job->sources; i++) {
        const char *own = job->source[i].path + strlen (job->dir);

        if (strlen (own) == n && memcmp (own, path, n) == 0)
            return (int64_t)i;
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
    (void)pthread_mutex_lock (&sources_lock);
    s = &job->source[at];
    if (told >= sizeof (s->problem.text))
        told = sizeof (s->problem.text) - 1;
    memcpy (s->problem.text, problem, told);
    s->problem.text[told] = '\0';
    s->lines = lines;
    s->readable = readable;
    (void)pthread_mutex_unlock (&sources_lock);
    return at;
}

int partial_check_sources (const struct job *job, struct errtext *err)
{
    errno = EINVAL;
    for (size_t i = 0; i < job->sources; i++)
        if (!job->source[i].taken)
            return errf (
                err,
                "%s: in no partition: it came later; remove %s/partials "
                "and begin again",
                job->source[i].path, job->dir);
    return 0;
}

/* Partitions are of the shards; what only the merged trace has would be left
 * out.
 */
int partial_check_merged (const struct job *job,
                          int (*has) (const void *cookie,
                                      const struct trace_process *who),
                          const void *cookie,
                          struct errtext *err)
{
    char *path = path_join (job->dir, "trace.dft");
    struct tracefile *f =
        path && !job->merged ? tracefile_open (path, NULL) : NULL;
    int rc = 0;

    for (size_t i = 0; rc == 0 && f && i < tracefile_processes (f); i++)
        if (!has (cookie, tracefile_process (f, i))) {
            errno = EINVAL;
            rc = errf (err,
                       "%s: has a process that no shard has: analyze it "
                       "without --partial",
                       path);
        }
    tracefile_close (f);
    free (path);
    return rc;
}
