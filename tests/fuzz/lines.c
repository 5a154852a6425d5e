/* SPDX-License-Identifier: MIT
 *
 * lines.c - any bytes as shards/processes.HOST, and as what a merged trace
 * keeps of it: no crash, no leak
 *
 * make fuzz-lines
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/facts/coverage.h"
#include "lib/format/untracedlist.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { PATH_ROOM = 80 };
static char dir[] = "/dev/shm/dftrace-fuzz.XXXXXX", shards[PATH_ROOM];
static char file[PATH_ROOM];

static void drop_dir (void)
{
    (void)unlink (file);
    (void)rmdir (shards);
    (void)rmdir (dir);
}

static void make_dir (void)
{
    if (shards[0])
        return;
    if (!mkdtemp (dir))
        abort ();
    (void)snprintf (shards, sizeof (shards), "%s/shards", dir);
    (void)snprintf (file, sizeof (file), "%s/shards/processes.n1", dir);
    if (mkdir (shards, 0700) < 0)
        abort ();
    (void)atexit (drop_dir);
}

static void put (const uint8_t *data, size_t size)
{
    int fd = open (file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write (fd, data, size) != (ssize_t)size)
        abort ();
    (void)close (fd);
}

static void read_untraced (void)
{
    struct untraced u = {.count = 0};
    char text[256];

    if (untracedlist_read (&u, dir) < 0)
        abort ();
    untracedlist_look (&u, dir);
    untracedlist_fold (&u);
    if (untracedlist_wishes (&u) > untracedlist_sum (&u) ||
        strlen (untracedlist_words (&u, 0, text, sizeof (text), 3)) >=
            sizeof (text))
        abort ();
    untracedlist_clear (&u);
}

static void read_counted (const struct job *job)
{
    struct counted c = {.count = 0};

    (void)counted_load (&c, job);
    for (size_t i = 1; i < c.count; i++)
        if (!c.image[i].host)
            abort ();
    counted_clear (&c);
}

static int take (const struct procrecord *r, void *unused)
{
    (void)unused;
    if (!r->host || !r->exe || !r->reason || !r->who)
        abort ();
    return 0;
}

static void read_kept (void)
{
    struct proclines p = {.kinds = ~0u, .f = take};
    size_t n;
    char *text = proclines_keep (dir, &n);

    if (text)
        (void)proclines_read_kept (&p, text, n);
    free (text);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct job job = {.dir = dir};

    make_dir ();
    put (data, size);
    read_untraced ();
    read_counted (&job);
    read_kept ();
    ended_apply (&job);
    return 0;
}
