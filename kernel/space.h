/* SPDX-License-Identifier: MIT
 *
 * space.h - the file that the recorder writes, and places in it
 *
 * A file as the processes of a node share it (doc/trace-format.md), but of one
 * writer, which writes with pwrite: that works on every file system.
 */
#ifndef DFT_KERNEL_SPACE_H
#define DFT_KERNEL_SPACE_H

#include <stdint.h>
#include <sys/types.h>

struct space {
    int dir;          /* the directory; the caller's */
    const char *name; /* of the file; the caller's */
    int fd;           /* -1: not made yet */
    uint64_t next;    /* where the next place begins */
    uint64_t max;     /* bytes that the file may have; 0: any number */
};

void space_start (struct space *s, int dir, const char *name, uint64_t max);

/* A place of size bytes (whole pages); 0: there is none. */
uint64_t space_take (struct space *s, uint32_t size);

/* n bytes to byte `at`; the first ones make the file. 0, or -1 and errno: what
 * was to be written is lost. */
int space_write (struct space *s, const void *bytes, size_t n, uint64_t at);

/* The node block says how much there is. */
void space_finish (struct space *s);

#endif
