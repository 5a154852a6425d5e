/* SPDX-License-Identifier: MIT
 *
 * resolve.c - hashes of files in DFTracer's traces -> what other files of the
 *             job say they stand for
 *
 * In:  sources that have been read
 * Out: their names, explained
 * Caveat: of the files of other partitions only definitions are read, and only
 *         until nothing is missing any more.
 */
#include "config.h"

#include <stdlib.h>

#include "analyze/trace/find.h"
#include "analyze/import/pfw/pfwtrace.h"
#include "lib/util/strmap.h"

static size_t resolve_missing (const struct job *job, const struct strmap *map)
{
    size_t n = 0;

    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].store && !job->source[i].file)
            n +=
                pfw_names_missing (pfw_store_names (job->source[i].store), map);
    return n;
}

/* What all files of the job say. NULL: ENOMEM. */
static struct strmap *resolve_known (const struct job *job)
{
    struct strmap *map = strmap_create ();
    int rc = map ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < job->sources; i++)
        if (job->source[i].store && !job->source[i].file)
            rc = pfw_names_tell (pfw_store_names (job->source[i].store), map);
    for (size_t i = 0; rc == 0 && i < job->others &&
                       resolve_missing (job, map) < resolve_missing (job, NULL);
         i++)
        (void)pfw_read_definitions (job->other[i], map);
    return map;
}

void job_resolve (struct job *job)
{
    struct strmap *known =
        resolve_missing (job, NULL) ? resolve_known (job) : NULL;

    for (size_t i = 0; known && i < job->sources; i++)
        if (job->source[i].store && !job->source[i].file)
            (void)pfw_names_explain (pfw_store_names (job->source[i].store),
                                     known);
    for (size_t i = 0; known && i < strmap_count (known); i++)
        free (strmap_value (known, i));
    strmap_destroy (known);
}
