/* SPDX-License-Identifier: MIT
 *
 * wide.h - wide characters in the buffer of a FILE, and strings of them ->
 *          their bytes in the file
 *
 * A stream of wide characters has two buffers: bytes as they are in the file,
 * and the characters that they stand for. What is counted is bytes.
 * Caveat: in locales of several bytes a character that are not UTF-8, the
 *         bytes are those of UTF-8.
 *
 * Nothing here locks, allocates, or moves a stream.
 */
#ifndef DFT_PRELOAD_WIDE_H
#define DFT_PRELOAD_WIDE_H

#include <stdint.h>
#include <stdio.h>
#include <wchar.h>

#include "preload/wrap/streams.h"

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

#endif
