/* SPDX-License-Identifier: MIT
 *
 * user_side.c - what the epilog does as the user
 *
 * In:  a marker; shards of this node, staged or not
 * Out: node.HOST.json, fewer shards; on the last node what merge and analyze
 *      make; complaints in DIR/epilog.HOST.log
 */
#include "config.h"

#include <sys/resource.h>

#include "lib/settings/jobdir.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "spank/epilog/node.h"
#include "spank/epilog/pack.h"
#include "spank/epilog/tell.h"
#include "spank/epilog/user_side.h"
#include "spank/epilog/verb.h"

enum {
    MS_PER_S = 1000,
    US_PER_MS = 1000,
    NS_PER_MS = 1000000,
    SIDE_SMALL_BYTES = 4 << 20 /* of shards: some 10 ms of work */
};

static int user_side_fd = -1; /* to root; -1: it does not ask */
static int user_side_careful;
static int (*user_side_note) (const char *dir, struct errtext *err);

static uint64_t cpu_ms (int who)
{
    struct rusage u;

    if (getrusage (who, &u) < 0)
        return 0;
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * MS_PER_S +
           (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / US_PER_MS;
}

/* Return the cost of this process, which serves one epilog only, and of the
 * processes it waited for. */
static struct node_cost cost_now (void)
{
    struct timespec now;
    struct node_cost c;

    clock_gettime (CLOCK_MONOTONIC, &now);
    c.wall_ms =
        (uint64_t)now.tv_sec * MS_PER_S + (uint64_t)now.tv_nsec / NS_PER_MS;
    c.cpu_ms = cpu_ms (RUSAGE_SELF) + cpu_ms (RUSAGE_CHILDREN);
    return c;
}

/* A file only if there is something to say. */
static void log_to (const char *dir, const char *host)
{
    char *path = xasprintf ("%s/epilog.%s.log", dir, host);

    log_to_file (path);
    free (path);
}

/* A directory that is finished. */
struct side_job {
    const char *dir, *host;
    const struct site *site;
    int part;  /* the marker's directories, from 0 */
    int small; /* and no other node may be at it */
    int here;  /* verbs run in this process */
};

static int side_verb (const struct side_job *j, const char *const *argv)
{
    return j->here ? verb_call (argv) : verb_run (argv);
}

static int run_merge (const struct side_job *j)
{
    const char *argv[] = {"dftrace", "merge", "--quiet", j->dir, NULL};

    return side_verb (j, argv);
}

static int run_analyze (const struct side_job *j)
{
    const char *when =
        strcmp (j->site->finish, "tables") == 0 ? "always" : "auto";
    const char *argv[] = {"dftrace", "analyze", "--quiet", "--tables",
                          when,      j->dir,    NULL};

    return side_verb (j, argv);
}

/* Whether what it makes is there. */
static int check_status (const char *dir, const char *verb, int status)
{
    if (status == EXIT_OK || status == EXIT_DAMAGED)
        return 1;
    log_error ("%s: %s ended with status %d: run `dftrace %s %s`", dir, verb,
               status, verb, dir);
    return 0;
}

/* Claim the merge. A job of one node needs no claim, since two epilogs of one
 * node would write the same bytes; that saves a file for each job. */
static int finish_claim (const struct side_job *j, struct errtext *err)
{
    return j->small || node_is_alone (j->dir, j->host)
               ? 1
               : claim_take (j->dir, j->host, err);
}

/* The node that comes last does the work of all. 1 when metrics.json has the
 * shards that are there. */
static int finish_job (const struct side_job *j)
{
    struct errtext err;
    int rc = node_all_done (j->dir, j->small ? j->host : NULL, &err), done;

    if (rc == 2) /* the list of its programs is all there is */
        run_merge (j);
    if (rc == 1)
        rc = finish_claim (j, &err);
    if (rc < 0)
        log_error ("%s", err.text);
    if (rc != 1)
        return 0;
    done = !j->small && node_is_analyzed (j->dir);
    if (!done) {
        check_status (j->dir, "merge", run_merge (j));
        if (user_side_note && user_side_note (j->dir, &err) < 0)
            log_error ("%s", err.text);
        done = check_status (j->dir, "analyze", run_analyze (j));
        if (user_side_fd >= 0)
            tell_job (user_side_fd, j->dir, j->part);
    }
    if (!j->small)
        claim_release (j->dir);
    return done;
}

static int is_own_directory (const char *dir)
{
    struct stat st;

    return lstat (dir, &st) == 0 && S_ISDIR (st.st_mode) &&
           st.st_uid == geteuid ();
}

/* Each file is on the disk before it has its name; the names are there when all
 * of them are, by one fsync for each directory instead of one for each file.
 * Root's marker goes after that. */
static void finish_sync (const char *dir)
{
    char *tables = path_join (dir, "tables");

    if (tables)
        directory_sync (tables);
    directory_sync (dir);
    atomic_directories (1);
    free (tables);
}

/* j: its directory, host, site and part; alone: it is the only directory.
 * since: when the work for it began. */
static void
finish_directory (struct side_job *j, int alone, const struct node_cost *since)
{
    const struct pack pack = {j->dir,        j->dir, j->host,
                              j->site->pack, 1,      PACK_BATCH_BYTES};
    int later = strcmp (j->site->finish, "later") == 0, done = 0;
    struct node_totals totals;
    struct node_cost cost;
    struct errtext err;

    if (node_count (j->dir, j->host, &totals, &err) < 0) {
        log_error ("%s", err.text);
        return;
    }
    if (j->site->pack && pack_shards (&pack, &err) < 0)
        log_error ("%s", err.text);
    atomic_directories (0); /* packing removes what it has read: not before */
    j->small =
        totals.bytes <= SIDE_SMALL_BYTES && node_is_alone (j->dir, j->host);
    j->here = j->small && alone && !user_side_careful;
    /* When this file is there, another node may merge what is in shards/.
     * Where there is none, once is enough. */
    if (!later && !j->small &&
        node_write (j->dir, j->host, &totals, NULL, NODE_NEW, &err) < 0) {
        log_error ("%s", err.text);
        return;
    }
    if (!later)
        done = finish_job (j);
    cost = cost_now ();
    cost.wall_ms -= since->wall_ms;
    cost.cpu_ms -= since->cpu_ms;
    if (node_write (j->dir, j->host, &totals, &cost,
                    later       ? NODE_NEW
                    : !j->small ? NODE_AS_BEFORE
                    : done      ? NODE_AS_METRICS
                                : NODE_NEW,
                    &err) < 0)
        log_error ("%s", err.text);
}

void user_side_be_careful (void)
{
    user_side_careful = 1;
}

void user_side_at_end (int (*note) (const char *dir, struct errtext *err))
{
    user_side_note = note;
}

void user_side_tell (int fd)
{
    user_side_fd = fd;
}

int user_side_stages (const struct marker *m, const char *host)
{
    struct errtext err;
    int rc = 0;

    for (size_t i = 0; i < m->count; i++) {
        if (!*m->stage[i] || !is_own_directory (m->dir[i]))
            continue;
        log_to (m->dir[i], host);
        if (pack_stages (m->stage[i], m->dir[i], host, &err) < 0) {
            log_error ("%s", err.text);
            rc = -1;
        }
    }
    return rc;
}

int user_side_finish (const struct marker *m,
                      const char *host,
                      const struct site *site)
{
    struct node_cost since = cost_now ();
    int rc = user_side_stages (m, host); /* on the first one's account */

    for (size_t i = 0; i < m->count; i++) {
        /* else the plugin refused it, or did not get as far */
        if (!is_own_directory (m->dir[i]))
            continue;
        log_to (m->dir[i], host);
        finish_directory (
            &(struct side_job){
                .dir = m->dir[i], .host = host, .site = site, .part = (int)i},
            m->count == 1, &since);
        finish_sync (m->dir[i]);
        since = cost_now ();
    }
    return rc;
}

/* STAGE.STEP, where STAGE is a marker's. */
static int is_step_of (const char *path, const char *stage)
{
    size_t n = strlen (stage);

    return n > 0 && strncmp (path, stage, n) == 0 && path[n] == '.' &&
           !strchr (path + n, '/');
}

int user_side_collect (const struct marker *m,
                       const char *host,
                       const char *path,
                       int fd)
{
    struct errtext err;
    int rc = -1;

    for (size_t i = 0; i < m->count; i++) {
        const struct pack pack = {".", m->dir[i], host, 1, 0, PACK_BATCH_BYTES};

        if (!is_step_of (path, m->stage[i]) || !is_own_directory (m->dir[i]))
            continue;
        log_to (m->dir[i], host);
        /* by the descriptor: the path may exist in the job's own /tmp only */
        rc = fchdir (fd) < 0 ? -1 : pack_shards (&pack, &err);
        if (rc < 0)
            log_error ("%s: %s", path, err.text);
        if (rc == 0) {
            rmdir ("shards");
            rmdir (path);
            jobdir_mark_collected (m->dir[i], host, path);
        }
        if (chdir ("/") < 0) /* which cannot fail, and nothing depends on it */
            errno = 0;
        break;
    }
    return rc;
}

/* ---- one of many nodes may merge ---- */

enum { CLAIM_STALE_SECONDS = 3600 }; /* no epilog may take that long */

static char *claim_path (const char *dir)
{
    return path_join (dir, ".claim");
}

static int is_stale (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0 &&
           st.st_mtime + CLAIM_STALE_SECONDS < time (NULL);
}

static int make_claim (const char *path, const char *host)
{
    int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return -1;
    if (write (fd, host, strlen (host)) < 0)
        errno = 0; /* only for the human who looks */
    close (fd);
    return 0;
}

/* Does the old claim end here, so that there may be a new one? */
static int take_over (const char *dir, const char *path, const char *host)
{
    char *guard = path_join (dir, ".claim.over");
    int rc = guard ? make_claim (guard, host) : -1, saved;

    if (rc == 0) {
        rc = -1;
        errno = EEXIST;
        if (is_stale (path)) { /* still: nobody was faster */
            unlink (path);
            rc = make_claim (path, host);
        }
        saved = errno;
        unlink (guard);
        errno = saved;
    }
    free (guard);
    return rc;
}

int claim_take (const char *dir, const char *host, struct errtext *err)
{
    char *path = claim_path (dir);
    int rc = path ? make_claim (path, host) : -1;

    if (path && rc < 0 && errno == EEXIST && is_stale (path)) {
        rc = take_over (dir, path, host);
    }
    free (path);
    if (rc == 0)
        return 1;
    if (errno == EEXIST)
        return 0;
    return errf (err, "%s: cannot claim: %s", dir, strerror (errno));
}

void claim_release (const char *dir)
{
    char *path = claim_path (dir);

    if (path)
        unlink (path);
    free (path);
}
