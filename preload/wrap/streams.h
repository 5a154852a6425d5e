/* SPDX-License-Identifier: MIT
 *
 * streams.h - the buffers of a FILE before and after a call, also of wide
 * characters
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

/* --- the buffer before and after a call ---
 *
 * In:  streams of wanted files, right before and right after the real call
 * Out: bytes that libc read from and wrote to the descriptor for that call;
 *      characters that went through the buffer between recorded calls, where
 *      getc and putc do not leave it; of ignored files the bytes alone, as sums
 * Caveat: of a stream that several threads use at the same time, bytes of one
 *         call may be counted for another.
 *
 * Nothing here locks, allocates, or moves a stream. May change errno. */

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

/* --- wide characters, and strings of them -> their bytes in the file ---
 *
 * A stream of wide characters has two buffers: bytes as they are in the file,
 * and the characters that they stand for. What is counted is bytes. In locales
 * of several bytes a character that are not UTF-8, they are those of UTF-8. */

/* Begin of libc's struct _IO_wide_data: part of the binary interface, since
 * macros of older headers use it. */
struct wide_data {
    wchar_t *read_ptr, *read_end, *read_base;
    wchar_t *write_base, *write_ptr, *write_end;
    wchar_t *buf_base, *buf_end;
    wchar_t *save_base, *backup_base, *save_end;
};

/* The buffer of wide characters; NULL: the stream has not become wide, or it is
 * one of musl's, which have none. */
static inline const struct wide_data *wide_data (const FILE *f)
{
    return !streams_are_musl () && f->_mode > 0
               ? (const struct wide_data *)f->_wide_data
               : NULL;
}

/* Bytes of the characters from from up to end. */
int64_t wide_bytes (const wchar_t *from, const wchar_t *end);

/* Bytes of the characters that wait to be read, or to be written. */
int64_t wide_unread (const FILE *f, int in_backup);
int64_t wide_unwritten (const FILE *f);
