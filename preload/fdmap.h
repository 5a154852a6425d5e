/* SPDX-License-Identifier: MIT
 *
 * fdmap.h - descriptor -> file and position
 *
 * Lock-free; async-signal-safe. Entries appear when we see an open, or at
 * first use of a descriptor that we did not see come (inherited, received,
 * made inside libc). Functions may change errno.
 */
#pragma once

#include <stdint.h>

#include "preload/files.h"

enum {
    /* Descriptors that are remembered; higher ones are looked up at each
     * use. 2026-11: the kernel's default limit (fs.nr_open). */
    FDMAP_MAX = 1 << 20,
    /* Those of most programs: in the library itself, 16 KiB. */
    FDMAP_LOW = 1 << 10,
    /* The others come when they are met, so many at a time: 256 KiB. All that
     * is mapped counts where a program locks its memory (mlockall). */
    FDMAP_PIECE = 1 << 14
};

struct fdmap_entry {
    uint64_t file;    /* struct file */
    int64_t position; /* bytes; -1 not known */
};

extern struct fdmap_entry fdmap_low[FDMAP_LOW]
    __attribute__ ((visibility ("hidden")));

/* From now on things are remembered. */
void fdmap_start (void);

/* The entry of a higher descriptor; NULL where nothing is remembered. */
const struct fdmap_entry *fdmap_high (int fd);

/* Positions are from now on shared with a child. To be called before a fork or
 * spawn; in a child that came otherwise, in it. */
void fdmap_share (void);

/* Tables of descriptors and memories are going to part: a process or a thread
 * that has the table without the memory, or the memory with another table. From
 * now on nothing is remembered: each use asks the kernel, in this thread. */
void fdmap_part (void);

/* Carry the names of open files along (names_carry_by); what has lost its name
 * is looked up at its next use. */
void fdmap_carry (void);

/* The file of a descriptor. fdmap_peek does not look it up when it is not
 * known. One that is not open, or negative, is FILE_IGNORED (peek:
 * FILE_UNKNOWN). */
struct file fdmap_find (int fd);

static inline __attribute__ ((always_inline)) struct file fdmap_peek (int fd)
{
    union {
        uint64_t word;
        struct file file;
    } u = {0};

    const struct fdmap_entry *e = &fdmap_low[0];

    if (__builtin_expect ((unsigned)fd < FDMAP_LOW, 1))
        e += fd;
    else if (!(e = fdmap_high (fd)))
        return u.file;
    u.word = __atomic_load_n (&e->file, __ATOMIC_RELAXED);
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

/* Sockets that are not recorded have their peer (peers.h) in the place of a
 * name, and in the place of a position the tick at which they last sent
 * something that was not answered. */

/* fd is a new one with these bits of enum file_flag. */
void fdmap_set_socket (int fd, uint32_t peer, unsigned flags);

/* The peer of fd is known now. No effect on what is no such socket. */
void fdmap_set_peer (int fd, uint32_t peer);

/* fd has sent something; it has received something: since when that was
 * waited for, once; 0: it was not. */
void fdmap_asked (int fd, uint64_t tick);
uint64_t fdmap_answered (int fd);

/* After a transfer of n bytes at the position of fd: where it began, -1 not
 * known. Where others may move the position, or it is not known, the kernel
 * is asked where it is now: exact, or -1. */
int64_t fdmap_advance (int fd, struct file f, int64_t n);
void fdmap_set_position (int fd, int64_t position);

/* This thread's run (recorder_run_next) ends: before anything else is recorded
 * by it, and before something happens to a position that it may have moved. */
void fdmap_settle (void);

/* Unexpected moves of positions that others may move, by this process. */
extern unsigned fdmap_moves __attribute__ ((visibility ("hidden")));

/* A transfer at the position of a descriptor that others may move, too,
 * recorded without asking for it; as recorder_run_next. */
struct record;
int fdmap_run (const struct record *r);

/* Advance the position of a descriptor that is not shared. Return -1 and change
 * nothing if the position is not known or the descriptor is high. */
static inline __attribute__ ((always_inline)) int64_t fdmap_step (int fd,
                                                                  int64_t n)
{
    int64_t *position = &fdmap_low[fd].position;

    if (__builtin_expect ((unsigned)fd >= FDMAP_LOW, 0) ||
        __builtin_expect (__atomic_load_n (position, __ATOMIC_RELAXED) < 0, 0))
        return -1;
    return __atomic_fetch_add (position, n, __ATOMIC_RELAXED);
}
