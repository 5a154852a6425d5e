/* SPDX-License-Identifier: MIT
 *
 * parse.h - text -> sizes, durations, booleans
 *
 * All return 0, or -1 with errno EINVAL (not such a thing) or ERANGE (too
 * large); *out is then unchanged. text may not be NULL. No allocation, no
 * locale; safe inside a traced process.
 */
#ifndef DFT_CORE_PARSE_H
#define DFT_CORE_PARSE_H

#include <stdint.h>

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

#endif
