/* SPDX-License-Identifier: MIT
 *
 * pfw.c - any bytes as DFTracer's lines: no crash, no leak, all is accounted
 *
 * make fuzz-pfw; the corpus to start from is tests/data/pfw, plain and gzip.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/tables/results.h"
#include "lib/util/pool.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Every event that was read is counted, in the trace or by the tracer. */
static void check (const struct source *s, const struct health *h)
{
    if (h->undecoded || h->chunks_bad || h->heads_bad ||
        h->events > s->lines.events)
        abort ();
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static const struct kind_rules rules;
    struct joblist jobs = {0};
    struct totals t;
    char path[64];
    int fd;

    pool_use (1); /* as many runs as can be */
    (void)snprintf (path, sizeof (path), "/dev/shm/fuzz-%d.pfw",
                    (int)getpid ());
    fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write (fd, data, size) != (ssize_t)size)
        abort ();
    (void)close (fd);
    if (joblist_add (&jobs, path, NULL) < 0 ||
        job_open (&jobs.item[0], NULL) < 0)
        abort ();
    if (jobs.item[0].source[0].file) {
        if (totals_load (&t, &jobs.item[0], &rules, NULL, 1, NULL) < 0)
            abort ();
        check (&jobs.item[0].source[0], &t.health[0]);
        totals_clear (&t);
    }
    joblist_clear (&jobs);
    (void)unlink (path);
    return 0;
}
