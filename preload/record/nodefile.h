/* SPDX-License-Identifier: MIT
 *
 * nodefile.h - the trace file that the processes of a node share
 *
 * Private to the recorder. The first page of the file is mapped in each of
 * them; a place is taken by an atomic addition there. Whoever finds that the
 * file system has not promised the space yet asks for more, in large steps. A
 * place becomes a mapping by way of the first page's: without a descriptor.
 *
 * The first page may say anything: other processes of the user write to it.
 * Nothing here loops, blocks or leaves the file for that.
 */
#pragma once

#include <stdatomic.h>
#include <sys/types.h>

#include "lib/format/shard.h"

/* Join the file of this host below dir, or make one; again in each child of
 * fork. roll: bytes from which on the next file is begun. 0, or -1: there can
 * be none, each process needs a file of its own. Not thread safe. */
int nodefile_join (const char *dir, const char *host, uint64_t roll);

/* Join the file if it exists already, so that children of fork need not look
 * for it. */
int nodefile_look (const char *dir, const char *host);

/* size bytes of zeros (whole pages) of the file and where they are in it.
 * NULL and errno: no space, limit of the process, no more places (ESHUTDOWN,
 * who joins again gets another file), file damaged. Thread safe. */
void *nodefile_take (uint32_t size, uint64_t *offset);

/* As nodefile_take, once in a process: the place may lie in a mapping made by
 * an ancestor, and must be given to nodefile_drop, never to munmap. Not
 * thread-safe. */
void *nodefile_take_first (uint32_t size, uint64_t *offset);

/* Whole pages of a place back to the file system; they are zeros then. */
void nodefile_give_back (void *at, uint32_t size);

/* A first place is not wanted any more, or is an ancestor's. Thread safe. */
void nodefile_drop (void *at, size_t size);

/* Now and then before a fork: space for the first places of children that are
 * to come is mapped before them, so that they need not map it. To be called
 * where no other thread joins or takes a first place; thread safe apart from
 * that. */
void nodefile_before_fork (void);

/* The name of the file that was joined. */
const char *nodefile_path (void);

/* As shardfile_keep; and in a child of fork: without what was kept. */
void nodefile_keep (void);
void nodefile_forked (void);

/* --- private to nodefile.c --------------------------------------------------
 */

struct nodestate {
    dev_t dev;
    ino_t ino;
    uint32_t owner;           /* user that joined */
    _Atomic int kept;         /* a descriptor; 0: none */
    struct shard_block *head; /* its first page, mapped; NULL: no file */
    uint64_t seen; /* tick at which it had its name, here or in an ancestor */
    struct nodewindow *_Atomic window; /* NULL: none */
};
extern struct nodestate node;

/* Space behind the first page, mapped before a fork. */
struct nodewindow {
    char *at;
    uint64_t offset;
    uint32_t size;
    int used; /* by this process or an ancestor */
};

/* In a child of fork. */
void nodespace_forked (void);

/* Right after the file was joined, by its descriptor: the first place of this
 * process will be in the window. */
void nodespace_joined (int fd);

/* The window is not to be had any more; its mapping stays where it is used. */
void nodespace_close (void);

/* Pages that the file does not have (any more) would kill the program where it
 * writes to them: the kernel says so if it is asked for them. All of a small
 * place, whose pages will be written to anyhow; else the last one, to which the
 * file must reach. 0; -1: they are not there; 1: the kernel cannot be asked. */
int nodefile_touch (char *at, uint32_t size);
