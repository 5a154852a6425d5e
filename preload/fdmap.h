/* SPDX-License-Identifier: MIT
 *
 * fdmap.h - descriptor -> file and position
 *
 * Lock-free; async-signal-safe. Entries appear when we see an open, or at
 * first use of a descriptor that we did not see come (inherited, received,
 * made inside libc). Functions may change errno.
 */
#ifndef DFT_PRELOAD_FDMAP_H
#define DFT_PRELOAD_FDMAP_H

#include <stddef.h>
#include <stdint.h>

#include "preload/files.h"

enum {
    /* Descriptors that are remembered; higher ones are looked up at each
     * use. 2026-11: the kernel's default limit (fs.nr_open). */
    FDMAP_MAX = 1 << 20
};

struct fdmap_entry {
    uint64_t file;    /* struct file */
    int64_t position; /* bytes; -1 not known */
};

extern struct fdmap_entry *fdmap; /* NULL before fdmap_start */

/* Reserve address space (16 MiB, touched where used). 0 or -1. */
int fdmap_start (void);

/* Positions are from now on shared with a child. To be called before a fork or
 * spawn; in a child that came otherwise, in it. */
void fdmap_share (void);

/* Carry the names of open files along (names_carry_by); what has lost its name
 * is looked up at its next use. */
void fdmap_carry (void);

/* The file of a descriptor. fdmap_peek does not look it up when it is not
 * known. One that is not open, or negative, is FILE_IGNORED (peek:
 * FILE_UNKNOWN). */
struct file fdmap_find (int fd);

static inline struct file fdmap_peek (int fd)
{
    union {
        uint64_t word;
        struct file file;
    } u = {0};

    if (fdmap && (unsigned)fd < FDMAP_MAX)
        u.word = __atomic_load_n (&fdmap[fd].file, __ATOMIC_RELAXED);
    return u.file;
}

static inline struct file fdmap_get (int fd)
{
    struct file f = fdmap_peek (fd);

    return __builtin_expect (f.state != FILE_UNKNOWN, 1) ? f : fdmap_find (fd);
}

/* fd is now open on this file, at this position. */
void fdmap_set (int fd, struct file f, int64_t position);

/* fd is about to be closed. */
void fdmap_forget (int fd);
void fdmap_forget_range (unsigned first, unsigned last);

/* newfd is now the same open file as fd. */
void fdmap_dup (int fd, int newfd);

/* F_SETFL or fdopen changed the flags of fd. */
void fdmap_set_append (int fd, int append);

/* After a transfer of n bytes at the position of fd: where it began, -1 not
 * known. Where others may move the position, or it is not known, the kernel
 * is asked where it is now: exact, or -1. */
int64_t fdmap_advance (int fd, struct file f, int64_t n);
void fdmap_set_position (int fd, int64_t position);

#endif
