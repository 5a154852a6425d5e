/* SPDX-License-Identifier: MIT
 *
 * squash.c - a directory as a server with root_squash exports it
 *
 * squash DIR MOUNT: serve DIR below MOUNT until that is unmounted. Every
 * request is made by the user who made it, except root's: those are nobody's.
 *
 * FUSE without a library, so that tests need none. What programs of the tests
 * do not use (xattr, locks between hosts, device nodes) is not there.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tools/squash.h"

enum { NOBODY = 65534 };

static char request[DATA_MAX + 4096];

/* -- who asks ---------------------------------------------------------- */

static void become (const struct fuse_in_header *in)
{
    gid_t gid = in->uid ? in->gid : NOBODY;
    uid_t uid = in->uid ? in->uid : NOBODY;

    if (setegid (gid) < 0 || seteuid (uid) < 0)
        _exit (3);
}

static void become_root (void)
{
    if (seteuid (0) < 0 || setegid (0) < 0)
        _exit (3);
}

/* -- requests ---------------------------------------------------------- */

static const char *after (const char *name)
{
    return name + strlen (name) + 1;
}

static void rename_entry (const struct fuse_in_header *in,
                          uint64_t to,
                          unsigned flags,
                          const char *name)
{
    answer_rc (in, renameat2 (squash_fd (in->nodeid), name, squash_fd (to),
                              after (name), flags));
}

/* Those that concern a name in a directory. */
static int serve_name (const struct fuse_in_header *in, const char *arg)
{
    int dir = squash_fd (in->nodeid);
    const struct fuse_mkdir_in *md = (const void *)arg;
    const struct fuse_mknod_in *mn = (const void *)arg;
    const struct fuse_link_in *ln = (const void *)arg;
    const struct fuse_rename2_in *r2 = (const void *)arg;

    switch (in->opcode) {
    case FUSE_LOOKUP:
        answer_made (in, 0, arg);
        return 1;
    case FUSE_MKDIR:
        answer_made (in, mkdirat (dir, (const char *)(md + 1), md->mode),
                     (const char *)(md + 1));
        return 1;
    case FUSE_MKNOD:
        answer_made (in, mknodat (dir, (const char *)(mn + 1), mn->mode, 0),
                     (const char *)(mn + 1));
        return 1;
    case FUSE_SYMLINK:
        answer_made (in, symlinkat (after (arg), dir, arg), arg);
        return 1;
    case FUSE_LINK:
        answer_made (in,
                     linkat (AT_FDCWD, squash_path (ln->oldnodeid), dir,
                             (const char *)(ln + 1), AT_SYMLINK_FOLLOW),
                     (const char *)(ln + 1));
        return 1;
    case FUSE_UNLINK:
        answer_rc (in, unlinkat (dir, arg, 0));
        return 1;
    case FUSE_RMDIR:
        answer_rc (in, unlinkat (dir, arg, AT_REMOVEDIR));
        return 1;
    case FUSE_RENAME:
        rename_entry (in, r2->newdir, 0, arg + sizeof (struct fuse_rename_in));
        return 1;
    case FUSE_RENAME2:
        rename_entry (in, r2->newdir, r2->flags, (const char *)(r2 + 1));
        return 1;
    default:
        return 0;
    }
}

/* The others. */
static void serve_node (const struct fuse_in_header *in, const void *arg)
{
    const struct fuse_release_in *rel = arg;
    const struct fuse_fallocate_in *fa = arg;
    const struct fuse_access_in *ac = arg;

    switch (in->opcode) {
    case FUSE_GETATTR:
        answer_attr (in);
        break;
    case FUSE_SETATTR:
        set_attr (in, arg);
        break;
    case FUSE_READLINK:
        read_link (in);
        break;
    case FUSE_OPEN:
        open_node (in, arg);
        break;
    case FUSE_CREATE:
        create (in, arg);
        break;
    case FUSE_READ:
        read_file (in, arg);
        break;
    case FUSE_WRITE:
        write_file (in, arg);
        break;
    case FUSE_OPENDIR:
        open_dir (in);
        break;
    case FUSE_READDIR:
        read_dir (in, arg);
        break;
    case FUSE_RELEASE:
        answer_rc (in, close ((int)rel->fh));
        break;
    case FUSE_RELEASEDIR:
        answer_rc (in, closedir ((DIR *)(uintptr_t)rel->fh));
        break;
    case FUSE_FALLOCATE:
        answer_rc (in, fallocate ((int)fa->fh, (int)fa->mode, (off_t)fa->offset,
                                  (off_t)fa->length));
        break;
    case FUSE_ACCESS:
        answer_rc (in, faccessat (AT_FDCWD, squash_path (in->nodeid),
                                  (int)ac->mask, AT_EACCESS));
        break;
    case FUSE_STATFS:
        stat_fs (in);
        break;
    case FUSE_FSYNC:
    case FUSE_FSYNCDIR:
    case FUSE_FLUSH:
        answer (in, 0, NULL, 0);
        break;
    default:
        answer (in, ENOSYS, NULL, 0);
    }
}

static void serve (const struct fuse_in_header *in, const void *arg)
{
    switch (in->opcode) {
    case FUSE_INIT:
        answer_init (in, arg);
        return;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        return;
    default:
        become (in);
        if (!serve_name (in, arg))
            serve_node (in, arg);
        become_root ();
    }
}

/* -- main -------------------------------------------------------------- */

static int start (const char *dir, const char *where)
{
    struct rlimit many = {NODES_MAX, NODES_MAX};
    char options[96];

    (void)umask (0);
    (void)setrlimit (RLIMIT_NOFILE, &many);
    fuse_fd = open ("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (squash_root (dir) < 0 || fuse_fd < 0 || setgroups (0, NULL) < 0)
        return -1;
    (void)snprintf (options, sizeof (options),
                    "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
                    fuse_fd);
    return mount ("squash", where, "fuse", MS_NOSUID | MS_NODEV, options);
}

int main (int argc, char **argv)
{
    const struct fuse_in_header *in = (const void *)request;
    ssize_t n;

    if (argc != 3)
        return 2;
    if (start (argv[1], argv[2]) < 0) {
        perror (argv[2]);
        return 1;
    }
    if (fork () != 0) /* it is mounted: who waits for it sees the end of this */
        return 0;
    (void)setsid ();
    (void)!freopen ("/dev/null", "r", stdin);
    (void)!freopen ("/dev/null", "w", stdout);
    (void)!freopen ("/dev/null", "w", stderr);
    while ((n = read (fuse_fd, request, sizeof (request))) >= 0 ||
           errno == EINTR || errno == ENOENT || errno == EAGAIN)
        if (n >= (ssize_t)sizeof (*in))
            serve (in, in + 1);
    return errno == ENODEV ? 0 : 1;
}
