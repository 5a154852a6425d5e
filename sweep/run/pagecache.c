/* SPDX-License-Identifier: MIT
 *
 * pagecache.c - /proc, mincore, posix_fadvise and DIR/nodes/NODE -> status
 *
 * Caveat: of the node where the task's shell runs, the first of a job. Needs
 *      no root; another user's open mappings keep their pages.
 */
#include "config.h"

#include <ftw.h>
#include <sys/mman.h>

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "sweep/run/machine.h"

enum {
    WALK_DESCRIPTORS = 16,
    WINDOW = 1 << 30, /* bytes of a file that are mapped at a time */
    TRIES = 5,        /* to drop a file */
    NAPS = 50,        /* before tries, of all files of a run */
    NAP_US = 10000
};

/* -- the node ---------------------------------------------------------- */

/* Once per node: what it is, on which file systems the data lies, and the
 * environment of the first run there. */
static void describe_node (const struct sweepdir *d,
                           const struct point *p,
                           const char *dir,
                           const char *name)
{
    const char *path = arena_format ("%s/%s.json", dir, name);
    struct atomic_file *f;
    struct json j;

    if (access (path, F_OK) == 0)
        return;
    write_file (arena_format ("%s/%s.environment", dir, name), 0600,
                provenance_environment (), NULL);
    f = atomic_open (path, 0644, NULL);
    if (!f)
        return;
    json_init (&j, atomic_stream (f), 0);
    json_open (&j, NULL, '{');
    machine_host (&j);
    json_text (&j, "environment", arena_format ("nodes/%s.environment", name));
    machine_mounts (&j, p->data, d->spec->datas);
    json_close (&j, '}');
    atomic_commit (f, NULL);
}

/* One file per node: tasks of different nodes never write the same one. */
static void predecessor (const struct sweepdir *d,
                         const struct point *p,
                         struct run r,
                         struct runstatus *s)
{
    const char *dir = arena_format ("%s/nodes", d->path), *path;
    char *text;

    if (!*s->node || strchr (s->node, '/') || make_dirs (dir, 0755, NULL) < 0)
        return;
    path = arena_format ("%s/%s", dir, s->node);
    describe_node (d, p, dir, s->node);
    text = access (path, R_OK) == 0 ? read_file (path, 4096, NULL, NULL) : NULL;
    if (text)
        FORMAT (s->predecessor, "%.*s", (int)strcspn (text, "\n"), text);
    free (text);
    write_file (path, 0644, arena_format ("%s\n", run_id (d->grid, r)), NULL);
}

/* -- the data ---------------------------------------------------------- */

/* nftw has no argument for its function. */
static struct walk {
    enum pagecache_action action;
    int naps;
    struct pagecache_sum sum;
} walk;

/* Can mincore () be trusted? For a file that the user neither owns nor may
 * write, it calls every page resident: the kernel does not let users watch each
 * other. */
static int kernel_tells (const char *path, const struct stat *st)
{
    return geteuid () == 0 || st->st_uid == geteuid () ||
           access (path, W_OK) == 0;
}

static int64_t resident_of (int fd, off_t size)
{
    static unsigned char page[WINDOW / 4096];
    long page_size = sysconf (_SC_PAGESIZE);
    int64_t bytes = 0;

    for (off_t at = 0; at < size; at += WINDOW) {
        size_t length = size - at < WINDOW ? (size - at) : WINDOW;
        size_t pages = (length + (size_t)page_size - 1) / (size_t)page_size;
        void *map = mmap (NULL, length, PROT_READ, MAP_SHARED, fd, at);

        if (map == MAP_FAILED)
            return bytes;
        if (mincore (map, length, page) == 0)
            for (size_t i = 0; i < pages; i++)
                bytes += (page[i] & 1) * page_size;
        munmap (map, length);
    }
    return bytes;
}

/* A page that the kernel, or another processor, is at just now stays: it is
 * tried again a moment later. How many bytes stay. */
static int64_t pagecache_drop (int fd, off_t size, int is_told)
{
    int64_t bytes;

    fdatasync (fd); /* dirty pages stay otherwise */
    for (int tries = 1;; tries++) {
        posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
        bytes = is_told ? resident_of (fd, size) : 0;
        if (!bytes || tries == TRIES || walk.naps == NAPS)
            return bytes;
        walk.naps++;
        usleep (NAP_US);
    }
}

static void pagecache_fill (int fd)
{
    static char buf[1 << 20];
    ssize_t n;

    do
        n = read (fd, buf, sizeof (buf));
    while (n > 0 || (n < 0 && errno == EINTR));
}

static int pagecache_visit (const char *path,
                            const struct stat *st,
                            int type,
                            struct FTW *where)
{
    int fd, is_told;

    if (type != FTW_F || !S_ISREG (st->st_mode) || !st->st_size)
        return 0;
    walk.sum.bytes += st->st_size;
    if (walk.action == PAGECACHE_SIZES)
        return 0;
    fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOATIME);
    if (fd < 0)
        fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    is_told = kernel_tells (path, st);
    if (walk.action == PAGECACHE_FILL)
        pagecache_fill (fd);
    if (walk.action == PAGECACHE_DROP)
        walk.sum.resident += pagecache_drop (fd, st->st_size, is_told);
    else if (is_told)
        walk.sum.resident += resident_of (fd, st->st_size);
    walk.sum.unknown |= !is_told;
    close (fd);
    return 0;
}

void pagecache_tree (const char *path,
                     enum pagecache_action action,
                     struct pagecache_sum *sum)
{
    char *real = realpath (path, NULL);

    if (!sum->bytes)
        walk.naps = 0;
    walk.action = action;
    walk.sum = *sum;
    if (real)
        nftw (real, pagecache_visit, WALK_DESCRIPTORS, FTW_PHYS);
    *sum = walk.sum;
    free (real);
}

void pagecache_before (const struct sweepdir *d,
                       const struct point *p,
                       struct run r,
                       struct runstatus *s)
{
    struct pagecache_sum sum = {.bytes = 0};
    const char *cached;

    for (size_t i = 0; i < d->spec->datas; i++) {
        const char *path = p->data[i];

        if (*path != '/') /* as seen from where runs start */
            path = arena_format ("%s/%s", d->cwd, path);
        pagecache_tree (path, d->spec->cold ? PAGECACHE_DROP : PAGECACHE_LOOK,
                        &sum);
    }
    s->data_cached_kb =
        d->spec->datas && !sum.unknown ? sum.resident / 1024 : -1;
    cached = machine_value ("/proc/meminfo", "Cached", ':');
    s->cached_kb = cached ? strtoll (cached, NULL, 10) : 0;
    getloadavg (&s->loadavg, 1);
    predecessor (d, p, r, s);
}
