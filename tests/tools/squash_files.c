/* SPDX-License-Identifier: MIT
 *
 * squash_files.c - files that squash.c serves, and answers about them
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/tools/squash.h"

enum { MINOR = 23 /* of the protocol: what is used here, and no more */ };

/* Files that the kernel knows, by number. None is given up before the end: a
 * test makes few. */
static struct node {
    int fd; /* O_PATH */
    dev_t dev;
    ino_t ino;
} nodes[NODES_MAX];
static uint64_t count = FUSE_ROOT_ID;

int fuse_fd = -1;
static char data[DATA_MAX];

/* -- answers ----------------------------------------------------------- */

void answer (const struct fuse_in_header *in,
             int error,
             const void *body,
             size_t n)
{
    struct fuse_out_header out = {
        .len = (uint32_t)(sizeof (out) + (error ? 0 : n)),
        .error = -error,
        .unique = in->unique,
    };
    struct iovec iov[] = {{&out, sizeof (out)}, {(void *)(uintptr_t)body, n}};

    (void)!writev (fuse_fd, iov, error || !n ? 1 : 2);
}

/* 0 or -1 and errno -> an answer without a body. */
void answer_rc (const struct fuse_in_header *in, int rc)
{
    answer (in, rc < 0 ? errno : 0, NULL, 0);
}

static void fill_attr (struct fuse_attr *a, const struct stat *st)
{
    *a = (struct fuse_attr){
        .ino = st->st_ino,
        .size = (uint64_t)st->st_size,
        .blocks = (uint64_t)st->st_blocks,
        .atime = (uint64_t)st->st_atim.tv_sec,
        .mtime = (uint64_t)st->st_mtim.tv_sec,
        .ctime = (uint64_t)st->st_ctim.tv_sec,
        .atimensec = (uint32_t)st->st_atim.tv_nsec,
        .mtimensec = (uint32_t)st->st_mtim.tv_nsec,
        .ctimensec = (uint32_t)st->st_ctim.tv_nsec,
        .mode = st->st_mode,
        .nlink = (uint32_t)st->st_nlink,
        .uid = st->st_uid,
        .gid = st->st_gid,
        .blksize = (uint32_t)st->st_blksize,
    };
}

/* -- nodes ------------------------------------------------------------- */

int squash_fd (uint64_t id)
{
    return id < count ? nodes[id].fd : -1;
}

const char *squash_path (uint64_t id)
{
    static char path[2][32];
    static int next;

    next = !next;
    (void)snprintf (path[next], sizeof (path[0]), "/proc/self/fd/%d",
                    squash_fd (id));
    return path[next];
}

/* The number of an open file, which it takes over; 0 when there is no room. */
static uint64_t node_of (int fd, const struct stat *st)
{
    uint64_t i = FUSE_ROOT_ID;

    while (i < count &&
           (nodes[i].dev != st->st_dev || nodes[i].ino != st->st_ino))
        i++;
    if (i < count || i == NODES_MAX) {
        (void)close (fd);
        return i < count ? i : 0;
    }
    nodes[i] = (struct node){fd, st->st_dev, st->st_ino};
    return count++;
}

int squash_root (const char *dir)
{
    struct stat st;
    int fd = open (dir, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fstat (fd, &st) < 0)
        return -1;
    return node_of (fd, &st) == FUSE_ROOT_ID ? 0 : -1;
}

/* Answer with the entry `name` of a directory; after it, more bytes. */
static void answer_entry (const struct fuse_in_header *in,
                          const char *name,
                          const struct fuse_open_out *opened)
{
    struct {
        struct fuse_entry_out entry;
        struct fuse_open_out open;
    } out = {0};
    struct stat st;
    int fd =
        openat (squash_fd (in->nodeid), name, O_PATH | O_NOFOLLOW | O_CLOEXEC);

    if (fd < 0 || fstat (fd, &st) < 0) {
        answer (in, errno, NULL, 0);
        return;
    }
    out.entry.nodeid = node_of (fd, &st);
    if (!out.entry.nodeid) {
        answer (in, ENFILE, NULL, 0);
        return;
    }
    fill_attr (&out.entry.attr, &st);
    if (opened)
        out.open = *opened;
    answer (in, 0, &out, opened ? sizeof (out) : sizeof (out.entry));
}

/* The same where rc is 0. */
void answer_made (const struct fuse_in_header *in, int rc, const char *name)
{
    if (rc < 0)
        answer (in, errno, NULL, 0);
    else
        answer_entry (in, name, NULL);
}

void answer_attr (const struct fuse_in_header *in)
{
    struct fuse_attr_out out = {0};
    struct stat st;

    if (fstat (squash_fd (in->nodeid), &st) < 0) {
        answer (in, errno, NULL, 0);
        return;
    }
    fill_attr (&out.attr, &st);
    answer (in, 0, &out, sizeof (out));
}

/* -- requests ---------------------------------------------------------- */

void answer_init (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_init_in *asked = arg;
    struct fuse_init_out out = {
        .major = FUSE_KERNEL_VERSION,
        .minor = MINOR,
        .max_readahead = asked->max_readahead,
        .flags = asked->flags & FUSE_BIG_WRITES,
        .max_write = DATA_MAX,
    };

    answer (in, 0, &out, sizeof (out));
}

static int set_times (uint64_t id, const struct fuse_setattr_in *s)
{
    struct timespec t[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};

    if (s->valid & FATTR_ATIME)
        t[0] = (struct timespec){(time_t)s->atime, s->atimensec};
    if (s->valid & FATTR_MTIME)
        t[1] = (struct timespec){(time_t)s->mtime, s->mtimensec};
    if (s->valid & FATTR_ATIME_NOW)
        t[0].tv_nsec = UTIME_NOW;
    if (s->valid & FATTR_MTIME_NOW)
        t[1].tv_nsec = UTIME_NOW;
    return utimensat (AT_FDCWD, squash_path (id), t, 0);
}

void set_attr (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_setattr_in *s = arg;
    const char *path = squash_path (in->nodeid);
    uid_t uid = s->valid & FATTR_UID ? s->uid : (uid_t)-1;
    gid_t gid = s->valid & FATTR_GID ? s->gid : (gid_t)-1;
    int rc = 0;

    if (s->valid & FATTR_MODE)
        rc = chmod (path, s->mode & 07777);
    if (rc == 0 && s->valid & (FATTR_UID | FATTR_GID))
        rc = chown (path, uid, gid);
    if (rc == 0 && s->valid & FATTR_SIZE)
        rc = s->valid & FATTR_FH ? ftruncate ((int)s->fh, (off_t)s->size)
                                 : truncate (path, (off_t)s->size);
    if (rc == 0 && s->valid & (FATTR_ATIME | FATTR_MTIME))
        rc = set_times (in->nodeid, s);
    if (rc < 0)
        answer (in, errno, NULL, 0);
    else
        answer_attr (in);
}

/* Where to append is the kernel's to know. */
static int open_flags (uint32_t flags)
{
    return ((int)flags & (O_ACCMODE | O_TRUNC)) | O_CLOEXEC;
}

void open_node (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_open_in *o = arg;
    struct fuse_open_out out = {0};
    int fd = open (squash_path (in->nodeid), open_flags (o->flags));

    out.fh = (uint64_t)fd;
    answer (in, fd < 0 ? errno : 0, &out, sizeof (out));
}

void create (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_create_in *c = arg;
    const char *name = (const char *)(c + 1);
    struct fuse_open_out out = {0};
    int fd = openat (squash_fd (in->nodeid), name,
                     open_flags (c->flags) | O_NOFOLLOW | O_CREAT |
                         ((int)c->flags & O_EXCL),
                     c->mode & 07777);

    if (fd < 0) {
        answer (in, errno, NULL, 0);
        return;
    }
    out.fh = (uint64_t)fd;
    answer_entry (in, name, &out);
}

void open_dir (const struct fuse_in_header *in)
{
    struct fuse_open_out out = {0};
    DIR *d = opendir (squash_path (in->nodeid));

    out.fh = (uint64_t)(uintptr_t)d;
    answer (in, d ? 0 : errno, &out, sizeof (out));
}

void read_dir (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_read_in *r = arg;
    DIR *d = (DIR *)(uintptr_t)r->fh;
    const struct dirent *e;
    size_t used = 0;

    seekdir (d, (long)r->offset);
    while ((e = readdir (d))) {
        size_t n = strlen (e->d_name);
        size_t size = FUSE_DIRENT_ALIGN (FUSE_NAME_OFFSET + n);
        struct fuse_dirent *out = (struct fuse_dirent *)(data + used);

        if (used + size > r->size || used + size > sizeof (data))
            break;
        memset (out, 0, size);
        out->ino = e->d_ino;
        out->off = (uint64_t)telldir (d);
        out->namelen = (uint32_t)n;
        out->type = e->d_type;
        memcpy (out->name, e->d_name, n);
        used += size;
    }
    answer (in, 0, data, used);
}

void read_file (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_read_in *r = arg;
    size_t n = r->size < sizeof (data) ? r->size : sizeof (data);
    ssize_t got = pread ((int)r->fh, data, n, (off_t)r->offset);

    answer (in, got < 0 ? errno : 0, data, got < 0 ? 0 : (size_t)got);
}

void write_file (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_write_in *w = arg;
    ssize_t put = pwrite ((int)w->fh, w + 1, w->size, (off_t)w->offset);
    struct fuse_write_out out = {.size = put < 0 ? 0 : (uint32_t)put};

    answer (in, put < 0 ? errno : 0, &out, sizeof (out));
}

void read_link (const struct fuse_in_header *in)
{
    ssize_t n = readlinkat (squash_fd (in->nodeid), "", data, PATH_MAX);

    answer (in, n < 0 ? errno : 0, data, n < 0 ? 0 : (size_t)n);
}

void stat_fs (const struct fuse_in_header *in)
{
    struct fuse_statfs_out out = {0};
    struct statvfs s;

    if (fstatvfs (squash_fd (FUSE_ROOT_ID), &s) < 0) {
        answer (in, errno, NULL, 0);
        return;
    }
    out.st.blocks = s.f_blocks;
    out.st.bfree = s.f_bfree;
    out.st.bavail = s.f_bavail;
    out.st.files = s.f_files;
    out.st.ffree = s.f_ffree;
    out.st.bsize = (uint32_t)s.f_bsize;
    out.st.frsize = (uint32_t)s.f_frsize;
    out.st.namelen = NAME_MAX;
    answer (in, 0, &out, sizeof (out));
}
