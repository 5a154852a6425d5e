/* SPDX-License-Identifier: MIT
 *
 * pack.c - many shards of a node -> one in the job directory
 *
 * In:  FROM/shards/HOST-PID-TIME.dft
 * Out: TO/shards/HOST-0-TIME.dft
 *
 * FROM/.pack.HOST.TIME/shards holds the shards while `dftrace merge` writes
 * the one. That appears whole or not at all, so a later run sees by its name
 * whether those in .pack have done their duty or go back.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "epilog/filemove.h"
#include "epilog/pack.h"
#include "epilog/verb.h"
#include "lib/core/settings/jobdir.h"
#include "lib/core/tracefile.h"
#include "lib/util/fsutil.h"
#include "lib/util/optparse.h"

static int pack_has_suffix (const char *text, const char *suffix)
{
    size_t n = strlen (text), m = strlen (suffix);

    return n >= m && strcmp (text + n - m, suffix) == 0;
}

int pack_is_shard (const char *name, const char *host, long *pid)
{
    size_t n = strlen (host);
    const char *digits;

    if (strncmp (name, host, n) != 0 || name[n] != '-' ||
        !pack_has_suffix (name, ".dft"))
        return 0;
    digits = name + n + 1;
    name = digits + strspn (digits, "0123456789");
    if (name == digits || *name != '-' || strchr (name + 1, '-'))
        return 0;
    *pid = strtol (digits, NULL, 10);
    return 1;
}

/* -- shards of a directory --------------------------------------------- */

struct names {
    char **item;
    size_t count, room;
};

static void names_clear (struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free (names->item[i]);
    free (names->item);
    *names = (struct names){0};
}

static int names_add (struct names *names, const char *name)
{
    if (names->count == names->room) {
        size_t room = names->room ? 2 * names->room : 64;
        char **item = reallocarray (names->item, room, sizeof (*item));

        if (!item)
            return -1;
        names->item = item;
        names->room = room;
    }
    names->item[names->count] = strdup (name);
    if (!names->item[names->count])
        return -1;
    names->count++;
    return 0;
}

static int has_ended (long pid)
{
    return kill ((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* One of many processes has pid 0. */
static int all_have_ended (int dirfd, const char *name)
{
    struct tracefile *f = tracefile_openat (dirfd, name, NULL);
    int ended = 1;

    for (size_t i = 0; f && ended && i < tracefile_processes (f); i++) {
        const struct shard_process *p = &tracefile_process (f, i)->p;

        ended = p->end_ns != 0 || has_ended (p->pid);
    }
    tracefile_close (f);
    return ended;
}

/* From now on nobody begins to write to a file that the processes of a node
 * share; who would, makes the next. Whoever takes a place between the two calls
 * has it for himself. */
static void close_shared (int dirfd, const char *name)
{
    struct {
        struct shard_block b;
        struct shard_node node;
    } head;
    int fd = openat (dirfd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    if (fd >= 0 && pread (fd, &head, sizeof (head), 0) == sizeof (head) &&
        head.b.magic == SHARD_MAGIC && head.b.type == SHARD_BLOCK_NODE) {
        head.node.next |= SHARD_CLOSED;
        (void)!pwrite (fd, &head.node.next, sizeof (head.node.next),
                       sizeof (head.b) + offsetof (struct shard_node, next));
    }
    if (fd >= 0)
        (void)close (fd);
}

static int can_go (int dirfd, const char *name, long pid, int all)
{
    if (pid != 0)
        return all || has_ended (pid);
    if (!all && !all_have_ended (dirfd, name))
        return 0;
    close_shared (dirfd, name);
    return all || all_have_ended (dirfd, name);
}

static DIR *pack_open_dir (const char *path)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);

    if (!d && fd >= 0)
        (void)close (fd);
    return d;
}

static int
list_shards (const struct pack *p, const char *path, struct names *names)
{
    DIR *d = pack_open_dir (path);
    const struct dirent *entry;
    struct stat st;
    long pid;
    int rc = d ? 0 : -1;

    while (rc == 0 && (entry = readdir (d))) {
        if (!pack_is_shard (entry->d_name, p->host, &pid) ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG (st.st_mode))
            continue;
        if (can_go (dirfd (d), entry->d_name, pid, p->all))
            rc = names_add (names, entry->d_name);
    }
    if (d)
        (void)closedir (d);
    return rc;
}

/* Rename or copy every name from one directory to the other. */
static int
move_all (const struct names *names, const char *from, const char *to)
{
    int rc = 0;

    for (size_t i = 0; i < names->count; i++)
        if (filemove (from, to, names->item[i]) < 0)
            rc = -1;
    return rc;
}

static int remove_all (const struct names *names, const char *dir)
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
static int pack_round (const struct round *r, const struct names *names)
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
static int
move_instead (const struct pack *p, const struct round *r, struct names *names)
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

/* What a run that was killed has left. */
static void finish_round (const struct pack *p, const struct round *r)
{
    struct names names = {0};

    if (list_shards (p, r->work_shards, &names) == 0) {
        if (has_packed (r))
            (void)remove_all (&names, r->work_shards);
        else if (mkdir (r->from_shards, 0700) == 0 || errno == EEXIST)
            (void)move_all (&names, r->work_shards, r->from_shards);
    }
    remove_work (r);
    names_clear (&names);
}

static void finish_earlier (const struct pack *p)
{
    char *prefix = text_format (".pack.%s.", p->host);
    DIR *d = pack_open_dir (p->from);
    const struct dirent *entry;
    size_t n = prefix ? strlen (prefix) : 0;

    while (prefix && d && (entry = readdir (d))) {
        struct round r = {0};
        const char *time = entry->d_name + n;

        if (strncmp (entry->d_name, prefix, n) != 0 ||
            time[strspn (time, "0123456789")] != '\0')
            continue;
        if (round_init (&r, p, time) == 0)
            finish_round (p, &r);
        round_clear (&r);
    }
    if (d)
        (void)closedir (d);
    free (prefix);
}

int pack_shards (const struct pack *p, struct errtext *err)
{
    struct names names = {0};
    struct round r = {0};
    struct timespec now;
    char time[32];
    int rc = -1;

    finish_earlier (p);
    (void)clock_gettime (CLOCK_REALTIME, &now);
    (void)snprintf (time, sizeof (time), "%" PRIu64 "%09ld",
                    (uint64_t)now.tv_sec, now.tv_nsec);
    if (round_init (&r, p, time) == 0 &&
        list_shards (p, r.from_shards, &names) == 0) {
        rc = 0;
        if (p->least && names.count >= p->least)
            rc = pack_round (&r, &names) < 0 ? move_instead (p, &r, &names) : 0;
    }
    if (rc < 0)
        (void)errf (err, "%s: cannot pack its shards: %s", p->from,
                    strerror (errno));
    names_clear (&names);
    round_clear (&r);
    return rc;
}

/* -- stages ------------------------------------------------------------ */

static int pack_stage (const char *stage,
                       const char *dir,
                       const char *host,
                       struct errtext *err)
{
    const struct pack p = {stage, dir, host, 1, 1};
    char *shards = path_join (stage, "shards");
    int rc = shards ? pack_shards (&p, err) : -1;

    if (rc == 0) {
        (void)rmdir (shards);
        (void)rmdir (stage);
        jobdir_mark_collected (dir, host, stage);
    }
    free (shards);
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
