/* SPDX-License-Identifier: MIT
 *
 * text.h - one line of error text, owned by the caller
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* -- one line of error text, owned by the caller -- */

struct errtext {
    char text[512]; /* "object: problem: next step", no newline */
};

/* Format into err (which may be NULL). Always returns -1 so that a function
 * can `return errf (err, …)`. Keeps errno. A longer text is cut.
 */
int errf (struct errtext *err, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* As errf: "WHAT: the text of an error of the system", or the text alone. */
int err_system (struct errtext *err, const char *what, int error);

/* -- text of strangers -> text that cannot pose as ours -- */

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

/* -- text -> sizes, durations, booleans -- */

/* Decimal digits only. */
int parse_u64 (const char *text, uint64_t *out);

/* Digits and an optional K, M, G or T (powers of 1024, "KiB" and "k" too).
 * Unit of *out: bytes. */
int parse_size (const char *text, uint64_t *out);

/* Digits and us, ms, s, m, h or d; no suffix means seconds. Unit: nanoseconds.
 */
int parse_duration (const char *text, uint64_t *out);

/* 1 0 yes no true false on off, any case. */
int parse_bool (const char *text, int *out);

/* The reverse: digits and a unit of a few letters, somewhere in
 * buf[PARSE_TEXT_MAX]. In a traced process, too, where printf is not to be
 * called. */
enum { PARSE_TEXT_MAX = 32 };
const char *parse_text (uint64_t n, const char *unit, char *buf);

/* Whether the n bytes of text have that word somewhere. Bytes behind a NUL do
 * not count. */
int text_contains (const char *text, size_t n, const char *word);

/* The bytes of a path of n bytes up to its last '/', with it. By hand: memrchr
 * of libc is a page fault where nobody else calls it. */
static inline size_t text_folder (const char *path, size_t n)
{
    while (n > 0 && path[n - 1] != '/')
        n--;
    return n;
}
