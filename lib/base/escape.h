/* SPDX-License-Identifier: MIT
 *
 * escape.h - text of strangers -> text that cannot pose as ours
 *
 * A file name may hold line breaks, codes of terminals, marks that turn the
 * direction of text, and bytes that are no text at all. No allocation, no
 * state.
 */
#ifndef DFT_CORE_ESCAPE_H
#define DFT_CORE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the UTF-8 character at p, which has n > 0 bytes, and what it is; 0
 * where there is none. */
size_t escape_char (const char *p, size_t n, uint32_t *c);

/* True for a character that shows what it is: no control (C0, DEL, C1), no
 * mark of direction, no line or paragraph separator, no byte order mark, no
 * noncharacter. */
int escape_is_plain (uint32_t c);

/* One escape in all that programs read (CSV, JSON, SQLite, Python, .pfw): what
 * is no UTF-8 is \xNN, and so is a backslash that begins what looks like that,
 * so that each \xNN is a byte, and different texts stay different. All else is
 * as it is. The first character of p, which has n > 0 bytes, to out; how many
 * bytes of p it has gets *taken. Returns how many are in out. */
enum { ESCAPE_BYTES_MAX = 4 };
size_t escape_bytes (char out[ESCAPE_BYTES_MAX],
                     const char *p,
                     size_t n,
                     size_t *taken);

/* The byte that \xNN at p stands for, which has n bytes; -1: there is none. */
int escape_byte_of (const char *p, size_t n);

enum escape_lines { ESCAPE_LINES = 0, ESCAPE_KEEP_LINES };

/* Write text to out with the rest as \n, \t, \xNN (bytes and ASCII) or \u{N},
 * cut to size with the NUL, never within a character; returns out. A backslash
 * stays as it is. */
char *
escape_text (char *out, size_t size, const char *text, enum escape_lines lines);

#endif
