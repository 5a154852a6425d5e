/* SPDX-License-Identifier: MIT
 *
 * facts.h - what is learnt from a finished call
 *
 * All are called right after the real call, with its result; they keep the
 * errno it left, update the descriptor map, and record the call. Arguments
 * behind pointers are read only where the call's success shows that they
 * could be read.
 */
#pragma once

/* First: glibc before 2.36 has enumerators that linux/mount.h defines, which
 * linux/aio_abi.h brings in. */
#include <sys/mount.h>

#include <aio.h>
#include <dirent.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <sys/uio.h>

#include <netdb.h>
#include <sys/socket.h>

#include "preload/span.h"

struct io_uring;
struct io_uring_params;

/* Nothing but the map has changed. */
static inline void facts_none (struct span *sp)
{
}

/* fd is new and no file: it is looked up when somebody asks. */
static inline void facts_end (int fd)
{
    if (fd >= 0)
        fdmap_forget (fd);
}

static inline void facts_ends (int rc, const int fd[2])
{
    if (rc < 0)
        return;
    fdmap_forget (fd[0]);
    fdmap_forget (fd[1]);
}

/* --- facts_fd.c: calls on descriptors and mappings ------------------- */

void facts_fd (struct span *sp, int64_t rc);
void facts_size (struct span *sp, int64_t rc, uint64_t size);
void facts_flags (struct span *sp, int64_t rc, unsigned flags);
void facts_range (
    struct span *sp, int64_t rc, int64_t off, int64_t n, int flags);
/* The call returns the error number itself. */
void facts_range_err (
    struct span *sp, int err, int64_t off, int64_t n, int flags);

/* Transfers at the position of the descriptor, which moves. */
void facts_next (struct span *sp, int64_t rc, uint64_t size);
void facts_next_write (struct span *sp, int64_t rc, uint64_t size);
/* A whole transfer of a run (recorder_run_next), which ended at this tick: 1,
 * or 0 and nothing has happened. */
int facts_run (const struct span *sp, uint64_t size, uint64_t end);
/* A transfer from an offset, which ended at this tick. The position has moved
 * where it had to. */
void facts_moved_from (
    struct span *sp, int64_t rc, uint64_t size, int64_t offset, uint64_t end);
/* Transfers at off; -1 (preadv2) means at the position. */
void facts_at (struct span *sp, int64_t rc, uint64_t size, int64_t off);
void facts_at_write (struct span *sp, int64_t rc, uint64_t size, int64_t off);
/* RWF_APPEND among the flags: at the end, wherever off says. */
void facts_at_flagged (
    struct span *sp, int64_t rc, uint64_t size, int64_t off, int flags);
void facts_seek (struct span *sp, int64_t rc, int64_t off, int whence);

/* Bytes that v asks for; rc says whether it may be read. */
uint64_t iov_size (int64_t rc, const struct iovec *v, int count);

void facts_dup (struct span *sp, int newfd);
void facts_close_range (
    struct span *sp, int rc, unsigned first, unsigned last, int flags);
void facts_map (struct span *sp,
                const void *addr,
                size_t n,
                int prot,
                int flags,
                int64_t off);

/* --- facts_path.c: calls on names ------------------------------------ */

/* The file of a path that a call with this result was given; ignored where it
 * failed and there is nothing to read. err: its reason, as far as that can
 * only be this path; ENOENT, among others, says that it was read: else the
 * kernel is asked. fd: the new one, or -1. */
struct file
facts_file (int64_t rc, int err, int dirfd, const char *path, int fd);

void facts_open (
    struct span *sp, int fd, int dirfd, const char *path, int flags);
void facts_path (
    struct span *sp, int64_t rc, int dirfd, const char *path, unsigned flags);
void facts_path_size (
    struct span *sp, int64_t rc, int dirfd, const char *path, int64_t size);
/* A link's text, which may have been put where its path was: then there is no
 * name, and that is counted. */
void facts_link (struct span *sp,
                 int64_t rc,
                 int dirfd,
                 const char *path,
                 const char *text,
                 size_t n);
void facts_paths (struct span *sp,
                  int64_t rc,
                  int dirfd,
                  const char *path,
                  int todir,
                  const char *to);

void facts_shm (struct span *sp, int64_t rc, const char *name, int flags);

/* --- facts_new.c: descriptors that come without a path --------------- */

void facts_new (struct span *sp, int fd, unsigned flags);
void facts_tmpfile (struct span *sp, FILE *f);
void facts_opendir (struct span *sp, DIR *dir, const char *path);
/* readdir_r: rc is an error number; next points to its result. */
void facts_entry (struct span *sp, int rc, const void *next);

/* --- facts_copy.c: copies -------------------------------------------- */

/* at, to: the offsets, moved by the call; NULL: those of the descriptors. */
void facts_pair (struct span *sp,
                 ssize_t rc,
                 int in,
                 int out,
                 size_t n,
                 const off64_t *at,
                 const off64_t *to);

/* --- facts_net.c: sockets --------------------------------------------- */

/* A call on a socket, recorded or not. */
int facts_net_open (struct span *sp, int fd);

void facts_socket (int fd, int domain, int type);
void facts_socketpair (int rc, const int fd[2]);
void facts_connect (struct span *sp,
                    int rc,
                    const struct sockaddr *to,
                    socklen_t n);
void facts_accept (struct span *sp, int fd);
void facts_shutdown (struct span *sp, int rc);

/* to, from: NULL: the call has none, or did not ask for it. */
void facts_send (struct span *sp,
                 ssize_t rc,
                 size_t size,
                 const struct sockaddr *to,
                 socklen_t n);
void facts_recv (struct span *sp,
                 ssize_t rc,
                 size_t size,
                 int flags,
                 const struct sockaddr *from,
                 const socklen_t *n);
void facts_sendmsg (struct span *sp, ssize_t rc, const struct msghdr *m);
void facts_recvmsg (struct span *sp,
                    ssize_t rc,
                    const struct msghdr *m,
                    int flags);
void facts_sendmmsg (struct span *sp, int count, const struct mmsghdr *v);
void facts_recvmmsg (struct span *sp,
                     int count,
                     const struct mmsghdr *v,
                     int flags);

/* A read, write or copy of rc bytes, some of whose descriptors may be sockets;
 * sides: of enum call_sides; both: file is read and file2 written. */
void facts_net_transfer (const struct span *sp, int sides, int64_t rc);

/* As facts_net_transfer, after a call that is left out and took ns. */
void facts_net_left (const struct span *sp, int sides, int64_t rc, uint64_t ns);

/* A call that waits for this socket alone took ns, and ends now. Return 0 if it
 * is not connected. May change errno. */
int facts_net_polled (int fd, uint64_t ns);

/* Bytes that libc has read and written for a call r on a stream of f. */
void facts_net_stream (const struct record *r,
                       struct file f,
                       int64_t in,
                       int64_t out);

/* A lookup of a name; looking: libcio_end ends it. */
int facts_lookup_open (struct span *sp, int looking);
void facts_lookup (struct span *sp,
                   int rc,
                   const char *host,
                   struct addrinfo *const *found);
void facts_lookup_by (struct span *sp,
                      const char *host,
                      const struct hostent *found);

/* --- facts_aio.c: asynchronous transfers ------------------------------ */

/* op: of enum lio_opcode. */
void facts_aio (struct span *sp, int rc, const struct aiocb *cb, int op);
void facts_aio_return (struct span *sp, ssize_t rc, const struct aiocb *cb);
void facts_lio (struct span *sp, int rc, struct aiocb *const list[], int n);
void facts_io_submit (struct span *sp, int rc, struct iocb *const list[]);
void facts_io_fetched (struct span *sp, int rc, const struct io_event *events);

/* --- facts_ring.c: io_urings ------------------------------------------ */

/* One was made. */
void facts_ring (int rc);
/* Without liburing; flags: of io_uring_enter. */
void facts_raw_ring (int rc, const struct io_uring_params *how);
void facts_raw_enter (int rc, int ring, unsigned flags);
/* rc of its requests were submitted. */
void facts_submit (struct span *sp, int rc, const struct io_uring *ring);

/* --- facts_stream.c: calls on streams -------------------------------- */

/* path may be NULL (freopen changes the mode only). */
void facts_fopen (struct span *sp, FILE *f, const char *path, const char *mode);
void facts_stream (struct span *sp, int64_t rc);
void facts_items (
    struct span *sp, size_t items, size_t size, size_t asked, FILE *f);
void facts_fdopen (struct span *sp, FILE *f);
void facts_fclose (struct span *sp, int rc);
void facts_fseek (struct span *sp, int64_t rc, int64_t off, int whence);
void facts_text (struct span *sp, const char *s, int room, FILE *f);
void facts_puts (struct span *sp, int rc, const char *s);
void facts_line (struct span *sp, int64_t rc, FILE *f);
void facts_printed (struct span *sp, int rc);
void facts_dprinted (struct span *sp, int rc);
void facts_ftell (struct span *sp, int64_t rc);
void facts_getpos (struct span *sp, int rc);
/* n bytes went to the program or came from it; failed: the call says so. */
void facts_moved (struct span *sp, int failed, uint64_t n);
