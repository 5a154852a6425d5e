/* SPDX-License-Identifier: MIT
 *
 * node.c - shards of one node -> node.HOST.json; who is done
 *
 * In:  <dir>/shards/HOST-PID-TIME.dft, started.HOST
 * Out: <dir>/node.HOST.json
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "epilog/node.h"
#include "lib/core/tracefile.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"

struct totals {
    uint64_t shards, unreadable;
    uint64_t bytes, events, missing, lost, lost_names;
    uint64_t processes, unfinished;
};

static int has_prefix (const char *text, const char *prefix)
{
    return strncmp (text, prefix, strlen (prefix)) == 0;
}

static int has_suffix (const char *text, const char *suffix)
{
    size_t n = strlen (text), m = strlen (suffix);

    return n >= m && strcmp (text + n - m, suffix) == 0;
}

/* HOST-PID-TIME.dft; a host name may hold dashes, too. */
static int is_shard_of (const char *name, const char *host)
{
    size_t n = strlen (host);

    if (strncmp (name, host, n) != 0 || name[n] != '-' ||
        !has_suffix (name, ".dft"))
        return 0;
    name += n + 1;
    name += strspn (name, "0123456789");
    return *name == '-' && !strchr (name + 1, '-');
}

/* -- counting ---------------------------------------------------------- */

static void add_shard (struct totals *t, int dirfd, const char *name)
{
    struct tracefile *f = tracefile_openat (dirfd, name, NULL);
    const struct trace_health *h;

    t->shards++;
    if (!f) {
        t->unreadable++;
        return;
    }
    h = tracefile_health (f);
    t->bytes += h->bytes;
    t->events += h->events;
    t->missing += h->missing;
    t->lost += h->lost;
    t->lost_names += h->lost_names;
    t->processes += h->processes;
    t->unfinished += h->unfinished;
    tracefile_close (f);
}

static DIR *open_dir (const char *dir, const char *below, struct errtext *err)
{
    char *path = path_join (dir, below);
    int fd = path ? open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                  : -1;
    DIR *d = fd >= 0 ? fdopendir (fd) : NULL;

    if (!d)
        (void)errf (err, "%s: %s", path ? path : dir, strerror (errno));
    if (!d && fd >= 0)
        (void)close (fd);
    free (path);
    return d;
}

static int count_shards (const char *dir,
                         const char *host,
                         struct totals *t,
                         struct errtext *err)
{
    DIR *d = open_dir (dir, "shards", err);
    const struct dirent *entry;

    if (!d)
        return -1;
    while ((entry = readdir (d))) {
        if (is_shard_of (entry->d_name, host))
            add_shard (t, dirfd (d), entry->d_name);
    }
    (void)closedir (d);
    return 0;
}

/* -- node.HOST.json ---------------------------------------------------- */

static void json_now (struct json *j, const char *key)
{
    struct timespec now;
    struct tm tm;
    char text[32];

    (void)clock_gettime (CLOCK_REALTIME, &now);
    (void)gmtime_r (&now.tv_sec, &tm);
    (void)strftime (text, sizeof (text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_text (j, key, text);
}

static void print_node (FILE *out, const char *host, const struct totals *t)
{
    struct json j;

    json_init (&j, out, 0);
    json_open (&j, NULL, '{');
    json_text (&j, "format", "dftrace-node");
    json_int (&j, "version", 1);
    json_text (&j, "host", host);
    json_uint (&j, "shards", t->shards);
    json_uint (&j, "shards_unreadable", t->unreadable);
    json_uint (&j, "bytes", t->bytes);
    json_uint (&j, "processes", t->processes);
    json_uint (&j, "unfinished", t->unfinished);
    json_uint (&j, "events", t->events);
    json_uint (&j, "events_missing", t->missing);
    json_uint (&j, "events_lost", t->lost);
    json_uint (&j, "names_lost", t->lost_names);
    json_now (&j, "collected");
    json_close (&j, '}');
}

int node_write (const char *dir, const char *host, struct errtext *err)
{
    struct totals t = {0};
    struct atomic_file *a;
    char *path;

    if (count_shards (dir, host, &t, err) < 0)
        return -1;
    path = text_format ("%s/node.%s.json", dir, host);
    if (!path)
        return errf (err, "%s: %s", dir, strerror (errno));
    a = atomic_open (path, 0600, err);
    free (path);
    if (!a)
        return -1;
    print_node (atomic_stream (a), host, &t);
    return atomic_commit (a, err);
}

/* -- who is done ------------------------------------------------------- */

static int host_done (const char *dir, const char *host)
{
    char *path = text_format ("%s/node.%s.json", dir, host);
    struct stat st;
    int done = path && lstat (path, &st) == 0 && S_ISREG (st.st_mode);

    free (path);
    return done;
}

int node_all_done (const char *dir, struct errtext *err)
{
    DIR *d = open_dir (dir, "shards", err);
    const struct dirent *entry;
    int done = 1, shards = 0;

    if (!d)
        return -1;
    while (done && (entry = readdir (d))) {
        if (has_prefix (entry->d_name, "started."))
            done = host_done (dir, entry->d_name + strlen ("started."));
        else if (has_suffix (entry->d_name, ".dft"))
            shards = 1;
    }
    (void)closedir (d);
    return done && shards;
}

static int is_newer (const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec
               ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
               : a->st_mtim.tv_nsec >= b->st_mtim.tv_nsec;
}

int node_is_analyzed (const char *dir)
{
    DIR *d = open_dir (dir, ".", NULL);
    const struct dirent *entry;
    struct stat metrics, st;
    int done = d && fstatat (dirfd (d), "metrics.json", &metrics,
                             AT_SYMLINK_NOFOLLOW) == 0;

    while (done && (entry = readdir (d))) {
        if (has_prefix (entry->d_name, "node.") &&
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            done = is_newer (&metrics, &st);
    }
    if (d)
        (void)closedir (d);
    return done;
}
