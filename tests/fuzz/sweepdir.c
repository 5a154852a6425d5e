/* SPDX-License-Identifier: MIT
 *
 * sweepdir.c - any bytes as the files of a sweep directory and as metrics.json
 *              of its first run: no crash, no leak
 *
 * make fuzz-sweepdir
 *
 * In:  the files of `files`, one after the other, with FILE_END between them
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/page.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { FILE_END = 0x1e };

static char dir[] = "/dev/shm/dftrace-fuzz.XXXXXX";

/* The run is that of the point "p" with the label "l" in the first rows. */
static const char *const files[] = {
    "manifest.json",          "results/points.csv",
    "results/runs.csv",       "results/long.csv",
    "results/operations.csv", "runs/l.p/r0/a0/trace/metrics.json",
};

static void drop_dir (void)
{
    char *command = NULL;

    if (asprintf (&command, "rm -rf '%s'", dir) > 0 && system (command))
        abort ();
    free (command);
}

static void make_dir (void)
{
    static int made;
    char path[256];

    if (made++)
        return;
    if (!mkdtemp (dir))
        abort ();
    (void)atexit (drop_dir);
    (void)snprintf (path, sizeof (path), "%s/results", dir);
    if (make_dirs (path, 0700, NULL) < 0)
        abort ();
    (void)snprintf (path, sizeof (path), "%s/runs/l.p/r0/a0/trace", dir);
    if (make_dirs (path, 0700, NULL) < 0)
        abort ();
}

static void put (const char *name, const uint8_t *data, size_t size)
{
    char path[256];
    FILE *f;

    (void)snprintf (path, sizeof (path), "%s/%s", dir, name);
    f = fopen (path, "we");
    if (!f || fwrite (data, 1, size, f) != size || fclose (f))
        abort ();
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct errtext err = {""};
    FILE *null = fopen ("/dev/null", "we");
    void *mark = arena_alloc (1);

    if (!null)
        abort ();
    make_dir ();
    for (size_t i = 0; i < ITEMS (files); i++) {
        const uint8_t *end = size ? memchr (data, FILE_END, size) : NULL;
        size_t n = end ? (size_t)(end - data) : size;

        put (files[i], data, n);
        data += n + (end != NULL);
        size -= n + (end != NULL);
    }
    if (page_sweep (null, dir, &err) < 0 && !err.text[0])
        abort ();
    arena_free (mark);
    (void)fclose (null);
    return 0;
}
