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
#include <signal.h>

#include "lib/base/array.h"
#include "lib/format/proclines.h"
#include "lib/format/tracefile.h"
#include "lib/settings/jobdir.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "lib/util/optparse.h"
#include "spank/epilog/pack.h"
#include "spank/epilog/verb.h"

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
        close (fd);
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
    r->work = xasprintf ("%s/.pack.%s.%s", p->from, p->host, time);
    r->work_shards = r->work ? path_join (r->work, "shards") : NULL;
    r->from_shards = path_join (p->from, "shards");
    r->to_shards = path_join (p->to, "shards");
    r->packed = xasprintf ("%s/shards/%s-0-%s.dft", p->to, p->host, time);
    return r->work_shards && r->from_shards && r->to_shards && r->packed ? 0
                                                                         : -1;
}

static void remove_work (const struct round *r)
{
    rmdir (r->work_shards);
    rmdir (r->work);
}

/* A loss while merging is none of recording: keep the originals. */
static int pack_merge (const struct round *r)
{
    const char *argv[] = {"dftrace", "merge", "--quiet", "--output",
                          r->packed, r->work, NULL};

    if (verb_run (argv) == EXIT_OK)
        return 0;
    unlink (r->packed);
    return -1;
}

/* Move the shards into .pack and merge them there. */
static int pack_round (const struct round *r, const struct packlist *names)
{
    if (mkdir (r->work, 0700) < 0 || mkdir (r->work_shards, 0700) < 0 ||
        move_all (names, r->from_shards, r->work_shards) < 0 ||
        pack_merge (r) < 0)
        return -1;
    remove_all (names, r->work_shards);
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
            remove_all (&names, r->work_shards);
        } else if (mkdir (r->from_shards, 0700) == 0 || errno == EEXIST) {
            undone = packlist_bytes (&names);
            move_all (&names, r->work_shards, r->from_shards);
        }
    }
    remove_work (r);
    packlist_clear (&names);
    return undone;
}

/* Bytes of the largest batch that was undone. */
static uint64_t finish_earlier (const struct pack *p)
{
    char *prefix = xasprintf (".pack.%s.", p->host);
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
        closedir (d);
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

    clock_gettime (CLOCK_REALTIME, &now);
    snprintf (time, sizeof (time), "%" PRIu64 "%09ld", (uint64_t)now.tv_sec,
              now.tv_nsec);
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
        errf (err, "%s: cannot pack its shards: %s", p->from, strerror (errno));
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
        packlines (shards, to, PROCLINE_FILE);
        rmdir (shards);
        rmdir (stage);
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
        slash ? xasprintf ("%.*s/", (int)(slash - stage), stage) : NULL;
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
        closedir (d);
    free (parent);
    return rc;
}

/* ---- lines of processes of a node -> the job directory ---- */

enum { PIECE_BYTES = 65536 };

static int packlines_write (int out, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t put = write (out, text, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        text += put;
        n -= (size_t)put;
    }
    return 0;
}

/* Whole lines at a time, as others append to the file, too. */
static int packlines_copy (int in, int out)
{
    static char buf[PIECE_BYTES];
    size_t have = 0;
    ssize_t got;

    while ((got = read (in, buf + have, sizeof (buf) - have)) > 0) {
        const char *end = memrchr (buf, '\n', have += (size_t)got);
        size_t n = end ? (size_t)(end + 1 - buf) : 0;

        if (!n && have == sizeof (buf))
            n = have; /* no line of ours */
        if (packlines_write (out, buf, n) < 0)
            return -1;
        memmove (buf, buf + n, have -= n);
    }
    return got < 0 ? -1 : packlines_write (out, buf, have);
}

static int packlines_file (int from, int to, const char *name)
{
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    int in = openat (from, name, O_RDONLY | FLAGS), out = -1, rc = -1, saved;
    struct stat st;

    if (in >= 0 && fstat (in, &st) == 0 && S_ISREG (st.st_mode))
        out = openat (to, name, O_WRONLY | O_APPEND | O_CREAT | FLAGS, 0600);
    if (out >= 0 && fstat (out, &st) == 0 && S_ISREG (st.st_mode) &&
        packlines_copy (in, out) == 0)
        rc = unlinkat (from, name, 0);
    saved = errno;
    if (in >= 0)
        close (in);
    if (out >= 0)
        close (out);
    errno = saved;
    return rc;
}

int packlines (const char *from, const char *to, const char *prefix)
{
    int tofd = open (to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = tofd < 0 ? NULL : opendir (from);
    const struct dirent *entry;
    int rc = d ? 0 : -1, saved;

    while (d && (entry = readdir (d)))
        if (strncmp (entry->d_name, prefix, strlen (prefix)) == 0 &&
            packlines_file (dirfd (d), tofd, entry->d_name) < 0)
            rc = -1;
    saved = errno;
    if (d)
        closedir (d);
    if (tofd >= 0)
        close (tofd);
    errno = saved;
    return rc;
}

/* ---- the shards of a host in a directory that can be packed ---- */

enum { BLOCK_BYTES = 512 /* of st_blocks */ };

static int packlist_has_suffix (const char *text, const char *suffix)
{
    size_t n = strlen (text), m = strlen (suffix);

    return n >= m && strcmp (text + n - m, suffix) == 0;
}

int pack_is_shard (const char *name, const char *host, long *pid)
{
    size_t n = strlen (host);
    const char *digits;

    if (strncmp (name, host, n) != 0 || name[n] != '-' ||
        !packlist_has_suffix (name, ".dft"))
        return 0;
    digits = name + n + 1;
    name = digits + strspn (digits, "0123456789");
    if (name == digits || *name != '-' || strchr (name + 1, '-'))
        return 0;
    *pid = strtol (digits, NULL, 10);
    return 1;
}

void packlist_clear (struct packlist *names)
{
    for (size_t i = 0; i < names->count; i++)
        free (names->item[i]);
    free (names->item);
    free (names->bytes);
    *names = (struct packlist){0};
}

static int
packlist_add (struct packlist *names, const char *name, uint64_t bytes)
{
    size_t room = names->room;

    if (TRY_GROW (names->item, room, names->count + 1) < 0 ||
        TRY_GROW (names->bytes, names->room, names->count + 1) < 0)
        return -1;
    names->item[names->count] = strdup (name);
    if (!names->item[names->count])
        return -1;
    names->bytes[names->count++] = bytes;
    return 0;
}

static int packlist_ended (long pid)
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

        ended = p->end_ns != 0 || packlist_ended (p->pid);
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
        close (fd);
}

static int packlist_can_go (int dirfd, const char *name, long pid, int all)
{
    if (pid != 0)
        return all || packlist_ended (pid);
    if (!all && !all_have_ended (dirfd, name))
        return 0;
    close_shared (dirfd, name);
    return all || all_have_ended (dirfd, name);
}

DIR *packlist_open (const char *path)
{
    int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);

    if (!d && fd >= 0)
        close (fd);
    return d;
}

int packlist_shards (const struct pack *p,
                     const char *path,
                     struct packlist *names)
{
    DIR *d = packlist_open (path);
    const struct dirent *entry;
    struct stat st;
    long pid;
    int rc = d ? 0 : -1;

    while (rc == 0 && (entry = readdir (d))) {
        if (!pack_is_shard (entry->d_name, p->host, &pid) ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISREG (st.st_mode))
            continue;
        if (packlist_can_go (dirfd (d), entry->d_name, pid, p->all))
            rc = packlist_add (names, entry->d_name,
                               (uint64_t)st.st_blocks * BLOCK_BYTES);
    }
    if (d)
        closedir (d);
    return rc;
}

/* ---- a file to another directory, on whatever file system ---- */

enum { COPY_BYTES = 64 * 1024 };

static unsigned *move_synced;

void filemove_count (unsigned *synced)
{
    move_synced = synced;
}

/* From where in is now up to end. What lies FILEMOVE_SYNC_BYTES and more below
 * the size of out is on disk. */
static int copy_extent (int in, int out, off_t end)
{
    static char buf[COPY_BYTES];
    off_t at = lseek (in, 0, SEEK_CUR), synced = at;

    while (at < end) {
        size_t want = end - at < COPY_BYTES ? (size_t)(end - at) : COPY_BYTES;
        ssize_t got = read (in, buf, want), put;

        if (got <= 0)
            return (int)got;
        for (ssize_t done = 0; done < got; done += put) {
            put = pwrite (out, buf + done, (size_t)(got - done), at + done);
            if (put <= 0)
                return -1;
        }
        at += got;
        if (at - synced < FILEMOVE_SYNC_BYTES)
            continue;
        if (fdatasync (out) < 0)
            return -1;
        synced = at;
        if (move_synced)
            ++*move_synced;
    }
    return 0;
}

/* How much of a copy that was killed is sure to be there. A part as long as
 * the file or longer is that of another file. */
static off_t copy_have (int out, off_t size)
{
    struct stat st;
    off_t have;

    if (fstat (out, &st) < 0)
        return -1;
    have = st.st_size < size ? st.st_size - FILEMOVE_SYNC_BYTES : 0;
    if (have < 0)
        have = 0;
    return ftruncate (out, have) < 0 ? -1 : have;
}

/* Holes stay holes: a file of 8 TB may be made of nothing else. */
static int copy_bytes (int in, int out, off_t size)
{
    off_t have = copy_have (out, size), data, hole;

    if (have < 0)
        return -1;
    data = lseek (in, have, SEEK_DATA);
    if (data < 0 && errno != ENXIO)
        return lseek (in, have, SEEK_SET) < 0 || copy_extent (in, out, size) < 0
                   ? -1
                   : fsync (out);
    while (data >= 0 && data < size) {
        hole = lseek (in, data, SEEK_HOLE);
        if (hole < 0 || lseek (in, data, SEEK_SET) < 0 ||
            copy_extent (in, out, hole) < 0)
            return -1;
        data = lseek (in, hole, SEEK_DATA);
    }
    return ftruncate (out, size) < 0 ? -1 : fsync (out);
}

static int copy_file (int fromfd, int tofd, const char *name)
{
    char part[NAME_MAX + 1];
    int in = -1, out = -1, rc = -1, saved;
    struct stat st;

    if (snprintf (part, sizeof (part), ".%s.part", name) >=
        (int)sizeof (part)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    in = openat (fromfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in >= 0 && fstat (in, &st) == 0 && S_ISREG (st.st_mode))
        out = openat (tofd, part,
                      O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                      0600);
    if (out >= 0 && copy_bytes (in, out, st.st_size) == 0 &&
        renameat (tofd, part, tofd, name) == 0)
        rc = unlinkat (fromfd, name, 0);
    saved = errno;
    if (out >= 0 && rc < 0)
        unlinkat (tofd, part, 0);
    if (in >= 0)
        close (in);
    if (out >= 0)
        close (out);
    errno = saved;
    return rc;
}

int filemove (const char *from, const char *to, const char *name)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fromfd = open (from, flags), tofd = open (to, flags);
    int rc = -1, saved;

    if (fromfd >= 0 && tofd >= 0) {
        rc = renameat (fromfd, name, tofd, name);
        if (rc < 0 && errno == EXDEV)
            rc = copy_file (fromfd, tofd, name);
    }
    saved = errno;
    if (fromfd >= 0)
        close (fromfd);
    if (tofd >= 0)
        close (tofd);
    errno = saved;
    return rc;
}
