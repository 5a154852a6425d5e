/* SPDX-License-Identifier: MIT
 *
 * facts.h - what is learnt from a finished call
 *
 * All are called right after the real call, with its result; they keep the
 * errno it left, update the descriptor map, and record the call. Arguments
 * behind pointers are read only where the call's success shows that they
 * could be read.
 */
#ifndef DFT_PRELOAD_FACTS_H
#define DFT_PRELOAD_FACTS_H

#include <stdio.h>
#include <sys/uio.h>

#include "preload/span.h"

/* Nothing but the map has changed. */
static inline void facts_none (struct span *sp)
{
    (void)sp;
}

/* --- facts_fd.c: calls on descriptors and mappings ------------------- */

void facts_fd (struct span *sp, int64_t rc);
void facts_size (struct span *sp, int64_t rc, uint64_t size);
void facts_range (
    struct span *sp, int64_t rc, int64_t off, int64_t n, int flags);
/* The call returns the error number itself. */
void facts_range_err (
    struct span *sp, int err, int64_t off, int64_t n, int flags);

/* Transfers at the position of the descriptor, which moves. */
void facts_next (struct span *sp, int64_t rc, uint64_t size);
void facts_next_write (struct span *sp, int64_t rc, uint64_t size);
/* Transfers at off; -1 (preadv2) means at the position. */
void facts_at (struct span *sp, int64_t rc, uint64_t size, int64_t off);
void facts_at_write (struct span *sp, int64_t rc, uint64_t size, int64_t off);
void facts_seek (struct span *sp, int64_t rc, int64_t off, int whence);

/* Bytes that v asks for; rc says whether it may be read. */
uint64_t iov_size (int64_t rc, const struct iovec *v, int count);

void facts_dup (struct span *sp, int newfd);
void facts_close_range (
    struct span *sp, int rc, unsigned first, unsigned last, int flags);
void facts_map (
    struct span *sp, const void *addr, size_t n, int prot, int64_t off);

/* --- facts_path.c: calls on names ------------------------------------ */

void facts_open (
    struct span *sp, int fd, int dirfd, const char *path, int flags);
void facts_path (
    struct span *sp, int64_t rc, int dirfd, const char *path, unsigned flags);
void facts_path_size (struct span *sp,
                      int64_t rc,
                      const char *path,
                      int64_t size);
void facts_paths (struct span *sp,
                  int64_t rc,
                  int dirfd,
                  const char *path,
                  int todir,
                  const char *to);

/* --- facts_stream.c: calls on streams -------------------------------- */

/* path may be NULL (freopen changes the mode only). */
void facts_fopen (struct span *sp, FILE *f, const char *path, const char *mode);
void facts_stream (struct span *sp, int64_t rc);
void facts_items (
    struct span *sp, size_t items, size_t size, size_t asked, FILE *f);
void facts_fseek (struct span *sp, int64_t rc, int64_t off, int whence);
void facts_text (struct span *sp, const char *s, int room, FILE *f);
void facts_puts (struct span *sp, int rc, const char *s);
void facts_line (struct span *sp, int64_t rc, FILE *f);
void facts_printed (struct span *sp, int rc);

#endif
