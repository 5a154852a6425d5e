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

enum escape_lines { ESCAPE_LINES = 0, ESCAPE_KEEP_LINES };

/* Write text to out with the rest as \n, \t, \xNN (bytes and ASCII) or \u{N},
 * cut to size with the NUL, never within a character; returns out. A backslash
 * stays as it is. */
char *
escape_text (char *out, size_t size, const char *text, enum escape_lines lines);

#endif
