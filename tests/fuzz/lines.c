/* SPDX-License-Identifier: MIT
 *
 * lines.c - any bytes as the files of lines in shards/: no crash, no leak
 *
 * In:  untraced.HOST, quiet.HOST, ended.HOST and counted.HOST of one job
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

#include "analyze/facts/counted.h"
#include "analyze/trace/ended.h"
#include "lib/format/untracedlist.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static const char *const leaves[] = {"untraced.n1", "quiet.n1", "ended.n1",
                                     "counted.n1"};
enum { LEAVES = sizeof (leaves) / sizeof (leaves[0]), PATH_ROOM = 80 };
static char dir[] = "/dev/shm/dftrace-fuzz.XXXXXX", shards[PATH_ROOM];
static char file[LEAVES][PATH_ROOM];

static void drop_dir (void)
{
    for (size_t i = 0; i < LEAVES; i++)
        (void)unlink (file[i]);
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
    if (mkdir (shards, 0700) < 0)
        abort ();
    for (size_t i = 0; i < LEAVES; i++)
        (void)snprintf (file[i], PATH_ROOM, "%s/shards/%s", dir, leaves[i]);
    (void)atexit (drop_dir);
}

static void put (const char *path, const uint8_t *data, size_t size)
{
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

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

static void read_counted (void)
{
    struct counted c = {.count = 0};

    (void)counted_load (&c, dir);
    for (size_t i = 1; i < c.count; i++)
        if (!c.image[i].host)
            abort ();
    counted_clear (&c);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct job job = {.dir = dir};

    make_dir ();
    for (size_t i = 0; i < LEAVES; i++)
        put (file[i], data, size);
    read_untraced ();
    read_counted ();
    ended_apply (&job);
    return 0;
}
