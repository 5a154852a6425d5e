/* SPDX-License-Identifier: MIT
 *
 * pack.c - many shards of a node -> few in the job directory
 *
 * In:  FROM/shards/HOST-PID-TIME.dft
 * Out: TO/shards/HOST-0-TIME.dft
 *
 * FROM/.pack.HOST.TIME/shards holds the shards while `dftrace merge` writes
 * the one. Large jobs go in batches, so that a run that is killed has done
 * something. The one appears whole or not at all, so a later run sees by its
 * name whether those in .pack have done their duty or go back.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "spank/epilog/filemove.h"
#include "spank/epilog/pack.h"
#include "spank/epilog/packlines.h"
#include "spank/epilog/packlist.h"
#include "spank/epilog/verb.h"
#include "lib/format/procline.h"
#include "lib/settings/jobdir.h"
#include "lib/util/fsutil.h"
#include "lib/util/optparse.h"

/* Rename or copy every name from one directory to the other. */
static int
move_all (const struct packlist *names, const char *from, const char *to)
{
    int rc = 0;

    for (size_t i = 0; i < names->count; i++)
        if (filemove (from, to, names->item[i]) < 0)
            rc = -1;
    return rc;
}

static int remove_all (const struct packlist *names, const char *dir)
{
    int fd = open (dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 ? -1 : 0;

    for (size_t i = 0; rc == 0 && i < names->count; i++)
        rc = unlinkat (fd, names->item[i], 0);
    if (fd >= 0)
        (void)close (fd);
    return rc;
}

/* -- one round --------------------------------------------------------- */

struct round {
    char *work;        /* FROM/.pack.HOST.TIME */
    char *work_shards; /* and its shards/ */
    char *from_shards, *to_shards;
    char *packed; /* TO/shards/HOST-0-TIME.dft */
};

static void round_clear (struct round *r)
{
    free (r->work);
    free (r->work_shards);
    free (r->from_shards);
    free (r->to_shards);
    free (r->packed);
}

static int round_init (struct round *r, const struct pack *p, const char *time)
{
    r->work = text_format ("%s/.pack.%s.%s", p->from, p->host, time);
    r->work_shards = r->work ? path_join (r->work, "shards") : NULL;
    r->from_shards = path_join (p->from, "shards");
    r->to_shards = path_join (p->to, "shards");
    r->packed = text_format ("%s/shards/%s-0-%s.dft", p->to, p->host, time);
    return r->work_shards && r->from_shards && r->to_shards && r->packed ? 0
                                                                         : -1;
}

static void remove_work (const struct round *r)
{
    (void)rmdir (r->work_shards);
    (void)rmdir (r->work);
}

/* A loss while merging is none of recording: keep the originals. */
static int pack_merge (const struct round *r)
{
    const char *argv[] = {"dftrace", "merge", "--quiet", "--output",
                          r->packed, r->work, NULL};

    if (verb_run (argv) == EXIT_OK)
        return 0;
    (void)unlink (r->packed);
    return -1;
}

/* Move the shards into .pack and merge them there. */
static int pack_round (const struct round *r, const struct packlist *names)
{
    if (mkdir (r->work, 0700) < 0 || mkdir (r->work_shards, 0700) < 0 ||
        move_all (names, r->from_shards, r->work_shards) < 0 ||
        pack_merge (r) < 0)
        return -1;
    (void)remove_all (names, r->work_shards);
    remove_work (r);
    return 0;
}

/* The shards as they are, from wherever the attempt left them. A full disk
 * may let nothing through; then they stay. */
static int move_instead (const struct pack *p,
                         const struct round *r,
                         const struct packlist *names)
{
    int in_place = strcmp (p->from, p->to) == 0;
    int rc = 0;

    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->item[i];

        if (filemove (r->work_shards, r->to_shards, name) < 0 && !in_place &&
            filemove (r->from_shards, r->to_shards, name) < 0)
            rc = -1;
    }
    remove_work (r);
    return rc;
}

static int has_packed (const struct round *r)
{
    struct stat st;

    return lstat (r->packed, &st) == 0 && S_ISREG (st.st_mode);
}

static uint64_t packlist_bytes (const struct packlist *names)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < names->count; i++)
        bytes += names->bytes[i];
    return bytes;
}

/* Finish a round that was killed. Return the bytes of shards that it had begun
 * to pack in vain. */
static uint64_t finish_round (const struct pack *p, const struct round *r)
{
    struct packlist names = {0};
    uint64_t undone = 0;

    if (packlist_shards (p, r->work_shards, &names) == 0) {
        if (has_packed (r)) {
            (void)remove_all (&names, r->work_shards);
        } else if (mkdir (r->from_shards, 0700) == 0 || errno == EEXIST) {
            undone = packlist_bytes (&names);
            (void)move_all (&names, r->work_shards, r->from_shards);
        }
    }
    remove_work (r);
    packlist_clear (&names);
    return undone;
}

/* Bytes of the largest batch that was undone. */
static uint64_t finish_earlier (const struct pack *p)
{
    char *prefix = text_format (".pack.%s.", p->host);
    DIR *d = packlist_open (p->from);
    const struct dirent *entry;
    size_t n = prefix ? strlen (prefix) : 0;
    uint64_t undone = 0, bytes;

    while (prefix && d && (entry = readdir (d))) {
        struct round r = {0};
        const char *time = entry->d_name + n;

        if (strncmp (entry->d_name, prefix, n) != 0 ||
            time[strspn (time, "0123456789")] != '\0')
            continue;
        bytes = round_init (&r, p, time) == 0 ? finish_round (p, &r) : 0;
        if (bytes > undone)
            undone = bytes;
        round_clear (&r);
    }
    if (d)
        (void)closedir (d);
    free (prefix);
    return undone;
}

/* Return the size of the next batch. After a round that ran out of time batches
 * are smaller, so that each round makes progress. */
static uint64_t batch_bytes (const struct pack *p, uint64_t undone)
{
    uint64_t least = p->batch / PACK_BATCH_PARTS, bytes;

    if (!undone)
        return p->batch;
    bytes = undone / PACK_UNDONE_PARTS;
    return bytes > least ? bytes : least + 1;
}

/* From `at` on: as many as fit into max bytes (0: all), at least one. */
static size_t
batch_count (const struct packlist *names, size_t at, uint64_t max)
{
    uint64_t bytes = names->bytes[at];
    size_t n = 1;

    while (at + n < names->count &&
           (max == 0 || bytes + names->bytes[at + n] <= max))
        bytes += names->bytes[at + n++];
    return n;
}

static unsigned *pack_done;

void pack_count (unsigned *done)
{
    pack_done = done;
    filemove_count (done);
}

/* plain: the shards are not merged, only moved. */
static int
pack_batch (const struct pack *p, const struct packlist *names, int plain)
{
    struct round r = {0};
    struct timespec now;
    char time[32];
    int rc = -1;

    (void)clock_gettime (CLOCK_REALTIME, &now);
    (void)snprintf (time, sizeof (time), "%" PRIu64 "%09ld",
                    (uint64_t)now.tv_sec, now.tv_nsec);
    if (round_init (&r, p, time) == 0)
        rc = plain || pack_round (&r, names) < 0 ? move_instead (p, &r, names)
                                                 : 0;
    round_clear (&r);
    if (rc == 0 && pack_done)
        ++*pack_done;
    return rc;
}

int pack_shards (const struct pack *p, struct errtext *err)
{
    const int in_place = strcmp (p->from, p->to) == 0;
    char *shards = path_join (p->from, "shards");
    struct packlist names = {0};
    uint64_t undone = finish_earlier (p), max = batch_bytes (p, undone);
    int rc;

    rc = shards ? packlist_shards (p, shards, &names) : -1;
    for (size_t at = 0;
         p->least && names.count >= p->least && rc == 0 && at < names.count;) {
        struct packlist batch = {.item = names.item + at,
                                 .count = batch_count (&names, at, max)};

        if (batch.count > 1 || !in_place) /* one is packed already */
            rc = pack_batch (p, &batch, undone && names.bytes[at] > max);
        at += batch.count;
    }
    if (rc < 0)
        (void)errf (err, "%s: cannot pack its shards: %s", p->from,
                    strerror (errno));
    packlist_clear (&names);
    free (shards);
    return rc;
}

/* -- stages ------------------------------------------------------------ */

static int pack_stage (const char *stage,
                       const char *dir,
                       const char *host,
                       struct errtext *err)
{
    const struct pack p = {stage, dir, host, 1, 1, PACK_BATCH_BYTES};
    char *shards = path_join (stage, "shards"), *to = path_join (dir, "shards");
    int rc = shards && to ? pack_shards (&p, err) : -1;

    if (rc == 0) {
        (void)packlines (shards, to, PROCLINE_FILE);
        (void)rmdir (shards);
        (void)rmdir (stage);
        jobdir_mark_collected (dir, host, stage);
    }
    free (shards);
    free (to);
    return rc;
}

int pack_stages (const char *stage,
                 const char *dir,
                 const char *host,
                 struct errtext *err)
{
    const char *slash = strrchr (stage, '/');
    size_t n = slash ? strlen (slash + 1) : 0;
    char *parent =
        slash ? text_format ("%.*s/", (int)(slash - stage), stage) : NULL;
    DIR *d = parent ? opendir (parent) : NULL;
    const struct dirent *entry;
    int rc = 0;

    while (d && (entry = readdir (d))) {
        struct stat st;
        char *path;

        if (strncmp (entry->d_name, slash + 1, n) != 0 ||
            entry->d_name[n] != '.' ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR (st.st_mode) || st.st_uid != geteuid ())
            continue;
        path = path_join (parent, entry->d_name);
        if (!path || pack_stage (path, dir, host, err) < 0)
            rc = -1;
        free (path);
    }
    if (d)
        (void)closedir (d);
    free (parent);
    return rc;
}
