/* SPDX-License-Identifier: MIT
 *
 * json.h - values -> JSON text (reading JSON is ytree's work)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes to out; commas, newlines and two-space indentation are its
 * business; a newline follows the outermost bracket. Errors stay in the stream
 * (ferror). key is NULL inside lists. */
struct json {
    FILE *out;
    int depth;
    int first;   /* no element yet at this depth */
    int compact; /* one line */
};

void json_init (struct json *j, FILE *out, int compact);
void json_open (struct json *j, const char *key, char bracket); /* { or [ */
void json_close (struct json *j, char bracket);                 /* } or ] */
/* NULL is null. */
void json_text (struct json *j, const char *key, const char *value);
/* Any bytes: invalid UTF-8 becomes \u00XX per byte, so that nothing is lost
 * silently; control characters are escaped. */
void json_bytes (struct json *j,
                 const char *key,
                 const char *value,
                 size_t length);
void json_int (struct json *j, const char *key, int64_t value);
void json_uint (struct json *j, const char *key, uint64_t value);
/* Shortest text that reads back the same; NaN and infinities are null. */
void json_double (struct json *j, const char *key, double value);
void json_bool (struct json *j, const char *key, int value);
void json_null (struct json *j, const char *key);

/* A member, or a bracket, for each word of format: "key:%s", "key:%jd",
 * "key:%ju", "key:%zu", "key:%d", "key:%u", "key:%f" (json_double), "key:%db"
 * (json_bool), "key:-" (null), "key:'constant'", "key:{", "key:[", "}", "]";
 * inside of lists without "key:". The compiler checks the arguments as those of
 * printf. */
void json_put (struct json *j, const char *format, ...)
    __attribute__ ((format (printf, 2, 3)));

/* The text that json_double writes; size >= 32. Returns buf or "null". */
const char *json_number (char *buf, size_t size, double value);

/* Only the escaped text, without quotes. */
void json_escape (FILE *out, const char *value, size_t length);

/* Escape into memory with room for JSON_ESCAPE_MAX * length. Return the
 * length. */
enum { JSON_ESCAPE_MAX = 6 };
size_t json_escape_to (char *out, const char *value, size_t length);
