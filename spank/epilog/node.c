/* SPDX-License-Identifier: MIT
 *
 * node.c - shards of one node -> node.HOST.json; who is done
 *
 * In:  <dir>/shards/HOST-PID-TIME.dft, started.HOST
 * Out: <dir>/node.HOST.json
 */
#include "config.h"

#include <dirent.h>

#include "spank/epilog/node.h"
#include "spank/epilog/pack.h"
#include "lib/settings/jobdir.h"
#include "lib/format/proclines.h"
#include "lib/format/tracefile.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "lib/util/json.h"

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

static int has_prefix (const char *text, const char *prefix)
{
    return strncmp (text, prefix, strlen (prefix)) == 0;
}

static int node_has_suffix (const char *text, const char *suffix)
{
    size_t n = strlen (text), m = strlen (suffix);

    return n >= m && strcmp (text + n - m, suffix) == 0;
}

/* -- counting ---------------------------------------------------------- */

static uint64_t now_ns (void)
{
    struct timespec now;

    clock_gettime (CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* When the last chunk of each process began: it lived at least as long. */
static uint64_t *last_seen (const struct tracefile *f)
{
    uint64_t *last = calloc (tracefile_processes (f) + 1, sizeof (*last));

    for (size_t i = 0; last && i < tracefile_chunks (f); i++) {
        const struct shard_block *b = &tracefile_chunk (f, i)->head;

        if (b->base_ns > last[b->proc])
            last[b->proc] = b->base_ns;
    }
    return last;
}

/* How long the processes were traced; 0 where a block says what cannot be. */
static uint64_t lifetimes (const struct tracefile *f)
{
    uint64_t *last = last_seen (f), now = now_ns (), sum = 0;

    for (size_t i = 0; i < tracefile_processes (f); i++) {
        const struct shard_process *p = &tracefile_process (f, i)->p;
        uint64_t end = p->end_ns ? p->end_ns : p->exec_ns;

        if (!end && last)
            end = last[i];
        sum += end > p->start_ns && end <= now ? end - p->start_ns : 0;
    }
    free (last);
    return sum;
}

static void add_shard (struct node_totals *t, int dirfd, const char *name)
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
    t->processes_ns += lifetimes (f);
    tracefile_close (f);
}

static DIR *
node_open_dir (const char *dir, const char *below, struct errtext *err)
{
    char *path = path_join (dir, below);
    int fd = path ? open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                  : -1;
    DIR *d = fd >= 0 ? fdopendir (fd) : NULL;

    if (!d)
        errf (err, "%s: %s", path ? path : dir, strerror (errno));
    if (!d && fd >= 0)
        close (fd);
    free (path);
    return d;
}

int node_count (const char *dir,
                const char *host,
                struct node_totals *t,
                struct errtext *err)
{
    DIR *d = node_open_dir (dir, "shards", err);
    const struct dirent *entry;
    long pid;

    memset (t, 0, sizeof (*t));
    if (!d)
        return -1;
    while ((entry = readdir (d))) {
        if (pack_is_shard (entry->d_name, host, &pid))
            add_shard (t, dirfd (d), entry->d_name);
        t->stages += (uint64_t)jobdir_is_staged (entry->d_name, host);
    }
    closedir (d);
    return 0;
}

/* -- node.HOST.json ---------------------------------------------------- */

static void json_now (struct json *j, const char *key)
{
    struct timespec now;
    struct tm tm;
    char text[32];

    clock_gettime (CLOCK_REALTIME, &now);
    gmtime_r (&now.tv_sec, &tm);
    strftime (text, sizeof (text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_text (j, key, text);
}

static void print_node (FILE *out,
                        const char *host,
                        const struct node_totals *t,
                        const struct node_cost *cost)
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
    json_uint (&j, "processes_us", t->processes_ns / NS_PER_US);
    json_uint (&j, "unfinished", t->unfinished);
    json_uint (&j, "events", t->events);
    json_uint (&j, "events_missing", t->missing);
    json_uint (&j, "events_lost", t->lost);
    json_uint (&j, "names_lost", t->lost_names);
    json_uint (&j, "stages_missing", t->stages);
    if (cost) {
        json_uint (&j, "epilog_ms", cost->wall_ms);
        json_uint (&j, "epilog_cpu_ms", cost->cpu_ms);
    }
    json_now (&j, "collected");
    json_close (&j, '}');
}

/* As old as that file: nothing where there is none. */
static void keep_time (FILE *out, const char *path)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    struct stat st;

    if (lstat (path, &st) < 0 || fflush (out) != 0)
        return;
    times[1] = st.st_mtim;
    futimens (fileno (out), times);
}

static void
node_set_age (FILE *out, const char *dir, const char *path, enum node_age age)
{
    char *metrics =
        age == NODE_AS_METRICS ? path_join (dir, "metrics.json") : NULL;

    if (metrics)
        keep_time (out, metrics);
    else if (age == NODE_AS_BEFORE)
        keep_time (out, path);
    free (metrics);
}

int node_write (const char *dir,
                const char *host,
                const struct node_totals *t,
                const struct node_cost *cost,
                enum node_age age,
                struct errtext *err)
{
    char *path = xasprintf ("%s/node.%s.json", dir, host);
    struct atomic_file *a;

    if (!path)
        return errf (err, "%s: %s", dir, strerror (errno));
    a = atomic_open (path, 0600, err);
    if (a) {
        print_node (atomic_stream (a), host, t, cost);
        node_set_age (atomic_stream (a), dir, path, age);
    }
    free (path);
    return a ? atomic_commit (a, err) : -1;
}

/* -- who is done ------------------------------------------------------- */

static int host_done (const char *dir, const char *host)
{
    char *path = xasprintf ("%s/node.%s.json", dir, host);
    struct stat st;
    int done = path && lstat (path, &st) == 0 && S_ISREG (st.st_mode);

    free (path);
    return done;
}

static int node_takes_untraced (const struct procrecord *r, void *unused)
{
    return 1;
}

static int node_has_untraced (int shards)
{
    struct proclines p = {.kinds = PROCRECORD_UNTRACED,
                          .f = node_takes_untraced};

    return proclines_read_at (&p, shards) > 0;
}

int node_all_done (const char *dir, const char *asks, struct errtext *err)
{
    DIR *d = node_open_dir (dir, "shards", err);
    const struct dirent *entry;
    int done = 1, shards = 0;

    if (!d)
        return -1;
    while (done && (entry = readdir (d))) {
        if (has_prefix (entry->d_name, "started."))
            done = (asks &&
                    strcmp (entry->d_name + strlen ("started."), asks) == 0) ||
                   host_done (dir, entry->d_name + strlen ("started."));
        else if (node_has_suffix (entry->d_name, ".dft"))
            shards = 1;
    }
    if (done && !shards && node_has_untraced (dirfd (d)))
        shards = 2;
    closedir (d);
    return done ? shards : 0;
}

int node_is_alone (const char *dir, const char *host)
{
    char *claim = path_join (dir, ".claim");
    DIR *d = node_open_dir (dir, "shards", NULL);
    const struct dirent *entry;
    struct stat st;
    int alone = claim && d && lstat (claim, &st) < 0 && errno == ENOENT;
    int started = 0;

    while (alone && (entry = readdir (d))) {
        if (!has_prefix (entry->d_name, "started."))
            continue;
        alone = strcmp (entry->d_name + strlen ("started."), host) == 0;
        started = 1;
    }
    if (d)
        closedir (d);
    free (claim);
    return alone && started;
}

static int is_newer (const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec
               ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
               : a->st_mtim.tv_nsec >= b->st_mtim.tv_nsec;
}

int node_is_analyzed (const char *dir)
{
    DIR *d = node_open_dir (dir, ".", NULL);
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
        closedir (d);
    return done;
}
