/* SPDX-License-Identifier: MIT
 *
 * checkpoint.c - state of a step -> files, each whole under its name
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "etc/examples/minigpt/checkpoint.h"
#include "etc/examples/minigpt/wholeio.h"

enum {
    PATH_BYTES = 4096,
    BLOCK = 1024 * 1024, /* bytes of one write */
    PIECES = 8           /* of one writev, as libstdc++ splits a tensor */
};

enum how { BY_WRITE, BY_WRITEV };

static void path_of (const struct checkpoint *c,
                     uint64_t step,
                     const char *name,
                     char *path)
{
    (void)snprintf (path, PATH_BYTES, "%s/checkpoint-%07llu%s%s", c->dir,
                    (unsigned long long)step, *name ? "/" : "", name);
}

static void ranked (char *name, size_t size, const char *what, int rank)
{
    (void)snprintf (name, size, "%s_%03d.pt", what, rank);
}

/* All n bytes of p in one writev; what a short one leaves by write. */
static int put_pieces (int fd, const unsigned char *p, size_t n)
{
    struct iovec iov[PIECES];
    size_t each = n / PIECES;
    ssize_t done;

    for (size_t i = 0; i < PIECES; i++) {
        iov[i].iov_base = (void *)(p + i * each);
        iov[i].iov_len = i + 1 < PIECES ? each : n - i * each;
    }
    do
        done = writev (fd, iov, PIECES);
    while (done < 0 && errno == EINTR);
    if (done < 0)
        return -1;
    return whole_write (fd, p + done, n - (size_t)done);
}

/* Tensors whose content says step and place. */
static int put_tensors (int fd, uint64_t bytes, uint64_t step, enum how how)
{
    static unsigned char block[BLOCK];

    memset (block, (int)(step & 0xff), sizeof (block));
    for (uint64_t at = 0; at < bytes; at += BLOCK) {
        size_t n = bytes - at < BLOCK ? (size_t)(bytes - at) : BLOCK;

        memcpy (block, &at, sizeof (at));
        if ((how == BY_WRITEV ? put_pieces (fd, block, n)
                              : whole_write (fd, block, n)) < 0)
            return -1;
    }
    return 0;
}

/* --- files ------------------------------------------------------------ */

static int open_temporary (const char *path, char *temporary)
{
    int n = snprintf (temporary, PATH_BYTES, "%s.tmp", path);

    if (n >= PATH_BYTES) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open (temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

/* rc of the writing so far; 0 when the file is there under its name. */
static int finish (int fd, int rc, const char *temporary, const char *path)
{
    int saved_errno;

    if (rc == 0)
        rc = fsync (fd);
    saved_errno = errno;
    if (close (fd) < 0 && rc == 0)
        return -1;
    if (rc == 0)
        return rename (temporary, path);
    (void)unlink (temporary);
    errno = saved_errno;
    return -1;
}

static int save_tensors (const char *path,
                         uint64_t bytes,
                         uint64_t step,
                         enum how how,
                         struct failure *f)
{
    char temporary[PATH_BYTES];
    int fd = open_temporary (path, temporary);

    if (fd < 0 ||
        finish (fd, put_tensors (fd, bytes, step, how), temporary, path) < 0)
        return failf (f, "%s: cannot write: %m", path);
    return 0;
}

static int
save_bytes (const char *path, const void *data, size_t n, struct failure *f)
{
    char temporary[PATH_BYTES];
    int fd = open_temporary (path, temporary);

    if (fd < 0 || finish (fd, whole_write (fd, data, n), temporary, path) < 0)
        return failf (f, "%s: cannot write: %m", path);
    return 0;
}

static int
save_latest (const struct checkpoint *c, uint64_t step, struct failure *f)
{
    char path[PATH_BYTES], text[32];
    int n = snprintf (text, sizeof (text), "%llu\n", (unsigned long long)step);

    if (snprintf (path, sizeof (path), "%s/latest_checkpointed_iteration.txt",
                  c->dir) >= PATH_BYTES) {
        errno = ENAMETOOLONG;
        return failf (f, "%s: %m", c->dir);
    }
    return save_bytes (path, text, (size_t)n, f);
}

static int
make_dir (const struct checkpoint *c, uint64_t step, struct failure *f)
{
    char path[PATH_BYTES];

    if (strlen (c->dir) > PATH_BYTES - 64) {
        errno = ENAMETOOLONG;
        return failf (f, "%s: %m", c->dir);
    }
    if (mkdir (c->dir, 0777) < 0 && errno != EEXIST)
        return failf (f, "%s: cannot make directory: %m", c->dir);
    path_of (c, step, "", path);
    if (mkdir (path, 0777) < 0 && errno != EEXIST)
        return failf (f, "%s: cannot make directory: %m", path);
    return 0;
}

/* This rank's files of the previous one; the last rank to do so gets the
 * directory away, too. */
static void remove_last (const struct checkpoint *c)
{
    char name[64], path[PATH_BYTES];

    if (c->last == 0)
        return;
    if (c->rank == 0) {
        path_of (c, c->last, "model_optim_rng.pt", path);
        (void)unlink (path);
    }
    ranked (name, sizeof (name), "distrib_optim", c->rank);
    path_of (c, c->last, name, path);
    (void)unlink (path);
    ranked (name, sizeof (name), "rng", c->rank);
    path_of (c, c->last, name, path);
    (void)unlink (path);
    path_of (c, c->last, "", path);
    (void)rmdir (path);
}

int checkpoint_save (struct checkpoint *c,
                     uint64_t step,
                     const struct mt19937 *random,
                     struct failure *f)
{
    uint64_t share = c->model_bytes * 2 / (uint64_t)c->world;
    char name[64], path[PATH_BYTES];

    if (make_dir (c, step, f) < 0)
        return -1;
    path_of (c, step, "model_optim_rng.pt", path);
    if (c->rank == 0 &&
        save_tensors (path, c->model_bytes, step, BY_WRITE, f) < 0)
        return -1;
    ranked (name, sizeof (name), "distrib_optim", c->rank);
    path_of (c, step, name, path);
    if (save_tensors (path, share, step, BY_WRITEV, f) < 0)
        return -1;
    ranked (name, sizeof (name), "rng", c->rank);
    path_of (c, step, name, path);
    if (save_bytes (path, random, sizeof (*random), f) < 0)
        return -1;
    if (c->rank == 0 && save_latest (c, step, f) < 0)
        return -1;
    remove_last (c);
    c->last = step;
    return 0;
}
