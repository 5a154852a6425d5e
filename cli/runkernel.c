/* SPDX-License-Identifier: MIT
 *
 * runkernel.c - settings, job directory -> a recorder beside the command
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/places.h"
#include "cli/runkernel.h"
#include "lib/format/layers.h"
#include "lib/util/log.h"

enum { END_MS = 10000 }; /* it writes what it has */

int runkernel_start (struct kernelside *k,
                     struct settings *s,
                     int job,
                     struct errtext *err)
{
    char *program;
    int shards, rc;

    if (!(s->layers & LAYER_KERNEL))
        return 0;
    program = places_kernel ();
    shards = openat (job, "shards", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    rc = program && shards >= 0
             ? kernelside_start (k, program, s, NULL, err)
             : errf (err, "layer kernel: %s", strerror (errno));
    if (rc == 0)
        (void)kernelside_place (k, shards);
    if (shards >= 0)
        (void)close (shards);
    free (program);
    if (rc == 0 && err->text[0])
        log_warn ("%s", err->text);
    if (rc == 0 || s->layers & LAYER_STRICT)
        return rc;
    log_warn ("%s: going on without it", err->text);
    s->layers &= ~(unsigned)LAYER_KERNEL;
    return 0;
}

void runkernel_end (struct kernelside *k)
{
    struct errtext err;

    if (kernelside_end (k, END_MS, &err) < 0)
        log_warn ("%s", err.text);
}
