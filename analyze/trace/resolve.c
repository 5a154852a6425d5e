/* SPDX-License-Identifier: MIT
 *
 * resolve.c - hashes of files in DFTracer's traces -> what other files of the
 *             job say they stand for
 *
 * In:  sources that are open, with their names
 * Out: the same, read again where that explains a hash
 * Caveat: of the files of other partitions only definitions are read, and only
 *         until nothing is missing any more.
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/trace/find.h"
#include "analyze/trace/pfw/pfwtrace.h"
#include "lib/util/strmap.h"

static size_t resolve_missing (const struct job *job, const struct strmap *map)
{
    size_t n = 0;

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].names)
            n += pfw_names_missing (job->source[i].names, map) +
                 pfw_names_late (job->source[i].names);
    return n;
}

/* What all files of the job say. NULL: ENOMEM. */
static struct strmap *resolve_known (const struct job *job)
{
    struct strmap *map = strmap_create ();
    int rc = map ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < job->sources; i++)
        if (job->source[i].names)
            rc = pfw_names_tell (job->source[i].names, map);
    for (size_t i = 0; rc == 0 && i < job->others &&
                       resolve_missing (job, map) < resolve_missing (job, NULL);
         i++)
        (void)pfw_read_definitions (job->other[i], map);
    return map;
}

/* Again, with what is known now. Where that fails, what was read stays. */
static void
resolve_source (struct source *s, const struct strmap *known, int threads)
{
    struct pfw_account lines;
    struct pfw_sums sums = {0};
    struct pfw_reading how = {
        .threads = threads, .known = known, .account = &lines, .sums = &sums};
    struct tracefile *f = pfw_open (s->path, &how, NULL);

    if (!f) {
        pfw_sums_clear (&sums);
        return;
    }
    tracefile_close (s->file);
    pfw_sums_clear (&s->sums);
    s->file = f;
    s->lines = lines;
    s->sums = sums;
}

void job_resolve (struct job *job, int threads)
{
    struct strmap *known =
        resolve_missing (job, NULL) ? resolve_known (job) : NULL;

    for (size_t i = 0; i < job->sources; i++) {
        struct source *s = &job->source[i];

        if (known && s->file && s->names &&
            pfw_names_missing (s->names, known) + pfw_names_late (s->names))
            resolve_source (s, known, threads);
    }
    for (size_t i = 0; i < job->sources; i++) {
        pfw_names_destroy (job->source[i].names);
        job->source[i].names = NULL;
    }
    for (size_t i = 0; known && i < strmap_count (known); i++)
        free (strmap_value (known, i));
    strmap_destroy (known);
}
