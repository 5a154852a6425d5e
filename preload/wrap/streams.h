/* SPDX-License-Identifier: MIT
 *
 * streams.h - what the buffer of a FILE held before and after a call
 *
 * In:  streams of wanted files, right before and right after the real call
 * Out: bytes that libc read from and wrote to the descriptor for that call;
 *      characters that went through the buffer between recorded calls, where
 *      getc and putc do not leave it; of ignored files the bytes alone, as sums
 * Caveat: of a stream that several threads use at the same time, bytes of one
 *         call may be counted for another.
 *
 * Nothing here locks, allocates, or moves a stream. May change errno.
 */
#ifndef DFT_PRELOAD_STREAMS_H
#define DFT_PRELOAD_STREAMS_H

#include <stdint.h>
#include <stdio.h>

struct span;
struct record;

/* musl says what its streams hold; of GNU's libc we know where that stands. */
extern size_t __freadahead (FILE *) __attribute__ ((weak));

static inline int streams_are_musl (void)
{
    return __freadahead != NULL;
}

/* Part of struct span: the stream before the call. */
struct stream_before {
    FILE *f;                   /* NULL: closed by the call */
    int64_t unread, unwritten; /* bytes in its buffer */
    int64_t offset; /* of the descriptor, as far as libc knows; else -1 */
    int64_t filled; /* seeks: bytes of the file in its buffer */
    int64_t chars;  /* bytes taken or put by calls that were not recorded since
                       the one before; negative: put back by ungetc */
    int64_t place;  /* of the descriptor, by streams_before_text */
    int64_t told; /* of the result of this event, bytes from before the call */
    int writes;   /* they were put, not taken */
};

/* f is open on fd, and nothing has gone through it. at: its place in the file,
 * -1 not known. */
void streams_opened (int fd, FILE *f, int64_t at);
void streams_forget (int fd);

/* Before the real call; sp->fd is known. */
void streams_before (struct span *sp, FILE *f);

/* For calls whose result is not the number of bytes; streams_text returns
 * that afterwards. characters is the call's result, used if nothing else is
 * known. */
void streams_before_text (struct span *sp, FILE *f);
int64_t streams_text (const struct span *sp, int64_t characters);

/* For a call that frees f. */
void streams_before_close (struct span *sp, FILE *f);

/* After it: record *r, with the bytes that libc moved. */
void streams_write (struct span *sp, struct record *r);

/* For a write that stopped inside an item of this size. */
void streams_write_items (struct span *sp, struct record *r, size_t size);

/* It is not recorded: its characters are those of the next one. */
void streams_cancel (struct span *sp);

/* libc is about to write what this stream has, or all streams have. Return how
 * many bytes that is. */
uint64_t streams_settle (int fd, FILE *f);
uint64_t streams_settle_all (void);

#endif
