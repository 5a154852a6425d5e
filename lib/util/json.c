/* SPDX-License-Identifier: MIT
 *
 * json.c - values -> JSON text
 */
#include "config.h"

#include <stdarg.h>

#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/util/json.h"

void json_init (struct json *j, FILE *out, int compact)
{
    *j = (struct json){.out = out, .first = 1, .compact = compact};
}

/* --- text ------------------------------------------------------------- */

static const char *short_escape (unsigned char c)
{
    switch (c) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    case '\r':
        return "\\r";
    default:
        return NULL;
    }
}

/* One unit of UTF-16. */
static size_t json_unit (char *out, uint32_t unit)
{
    static const char digits[] = "0123456789abcdef";

    memcpy (out, "\\u", 2);
    for (int i = 0; i < 4; i++)
        out[2 + i] = digits[unit >> (12 - 4 * i) & 15];
    return 6;
}

/* The first character of p, escaped, at most JSON_ESCAPE_MAX for each byte of
 * it, into out; how many bytes it has gets *taken. Returns those of out. What
 * is no text is escaped, too: parsers of YAML, ours among them, refuse
 * controls, and people should see them. */
static size_t
escape_one (char *out, const unsigned char *p, size_t left, size_t *taken)
{
    uint32_t c;
    size_t n = escape_char ((const char *)p, left, &c);
    const char *e = short_escape (*p);

    *taken = n ? n : 1;
    if (n == 0 || escape_byte_of ((const char *)p, left) >= 0) {
        out[0] = '\\';
        return 1 + escape_bytes (out + 1, (const char *)p, left, taken);
    }
    if (e) {
        memcpy (out, e, 2);
        return 2;
    }
    if (c >= 0x20 && c < 0x7f) {
        *out = (char)c;
        return 1;
    }
    if (!escape_is_plain (c)) {
        if (c < 0x10000)
            return json_unit (out, c);
        json_unit (out, 0xd800 + ((c - 0x10000) >> 10));
        return 6 + json_unit (out + 6, 0xdc00 + ((c - 0x10000) & 0x3ff));
    }
    memcpy (out, p, n);
    return n;
}

/* How many bytes, from the first on, stand for themselves: most of most texts.
 */
static size_t json_plain (const unsigned char *p, size_t length)
{
    size_t n = 0;

    while (n < length && p[n] >= 0x20 && p[n] < 0x7f && p[n] != '"' &&
           p[n] != '\\')
        n++;
    return n;
}

size_t json_escape_to (char *out, const char *value, size_t length)
{
    const unsigned char *p = (const unsigned char *)value;
    size_t n = 0, taken;

    for (; length > 0; p += taken, length -= taken) {
        taken = json_plain (p, length);
        if (taken > 0) {
            memcpy (out + n, p, taken);
            n += taken;
        } else
            n += escape_one (out + n, p, length, &taken);
    }
    return n;
}

void json_escape (FILE *out, const char *value, size_t length)
{
    const unsigned char *p = (const unsigned char *)value;
    char one[2 * JSON_ESCAPE_MAX];
    size_t taken;

    for (; length > 0; p += taken, length -= taken) {
        taken = json_plain (p, length);
        if (taken > 0)
            (void)fwrite (p, 1, taken, out);
        else
            (void)fwrite (one, 1, escape_one (one, p, length, &taken), out);
    }
}

/* --- structure -------------------------------------------------------- */

static void newline (struct json *j)
{
    if (j->compact)
        return;
    fputc ('\n', j->out);
    for (int i = 0; i < j->depth; i++)
        fputs ("  ", j->out);
}

/* Write the comma, newline and key before a value. */
static void lead (struct json *j, const char *key)
{
    if (!j->first)
        fputc (',', j->out);
    if (j->depth > 0)
        newline (j);
    j->first = 0;
    if (key) {
        fputc ('"', j->out);
        json_escape (j->out, key, strlen (key));
        fputs (j->compact ? "\":" : "\": ", j->out);
    }
}

void json_open (struct json *j, const char *key, char bracket)
{
    lead (j, key);
    fputc (bracket, j->out);
    j->depth++;
    j->first = 1;
}

void json_close (struct json *j, char bracket)
{
    j->depth--;
    if (!j->first)
        newline (j);
    fputc (bracket, j->out);
    j->first = j->depth == 0; /* another document may follow */
    if (j->depth == 0)
        fputc ('\n', j->out);
}

/* --- values ----------------------------------------------------------- */

void json_bytes (struct json *j,
                 const char *key,
                 const char *value,
                 size_t length)
{
    lead (j, key);
    fputc ('"', j->out);
    json_escape (j->out, value, length);
    fputc ('"', j->out);
}

void json_text (struct json *j, const char *key, const char *value)
{
    if (value)
        json_bytes (j, key, value, strlen (value));
    else
        json_null (j, key);
}

void json_int (struct json *j, const char *key, int64_t value)
{
    lead (j, key);
    fprintf (j->out, "%" PRId64, value);
}

void json_uint (struct json *j, const char *key, uint64_t value)
{
    lead (j, key);
    fprintf (j->out, "%" PRIu64, value);
}

void json_double (struct json *j, const char *key, double value)
{
    char buf[32];

    lead (j, key);
    fputs (json_number (buf, sizeof (buf), value), j->out);
}

const char *json_number (char *buf, size_t size, double value)
{
    if (!isfinite (value))
        return "null";
    for (int digits = 15; digits <= 17; digits++) {
        snprintf (buf, size, "%.*g", digits, value);
        if (strtod (buf, NULL) == value)
            break;
    }
    return buf;
}

void json_bool (struct json *j, const char *key, int value)
{
    lead (j, key);
    fputs (value ? "true" : "false", j->out);
}

void json_null (struct json *j, const char *key)
{
    lead (j, key);
    fputs ("null", j->out);
}

/* --- several members at once ---------------------------------------------- */

static void
json_put_one (struct json *j, const char *key, const char *f, va_list *ap)
{
    size_t n = strcspn (f, " ");

    if (f[0] == '}' || f[0] == ']')
        json_close (j, f[0]);
    else if (f[0] == '{' || f[0] == '[')
        json_open (j, key, f[0]);
    else if (f[0] == '\'')
        json_bytes (j, key, f + 1, n - 2);
    else if (f[0] == '-')
        json_null (j, key);
    else if (f[1] == 's')
        json_text (j, key, va_arg (*ap, const char *));
    else if (f[1] == 'f')
        json_double (j, key, va_arg (*ap, double));
    else if (f[1] == 'd' && f[2] == 'b')
        json_bool (j, key, va_arg (*ap, int));
    else if (f[1] == 'd')
        json_int (j, key, va_arg (*ap, int));
    else if (f[1] == 'u')
        json_uint (j, key, va_arg (*ap, unsigned));
    else if (f[1] == 'z')
        json_uint (j, key, va_arg (*ap, size_t));
    else if (f[2] == 'd')
        json_int (j, key, va_arg (*ap, intmax_t));
    else
        json_uint (j, key, va_arg (*ap, uintmax_t));
}

void json_put (struct json *j, const char *format, ...)
{
    va_list ap;

    va_start (ap, format);
    for (const char *f = format; *f; f += strcspn (f, " "), f += *f == ' ') {
        size_t n = strcspn (f, ": ");
        char key[64] = "";

        if (f[n] == ':') {
            FORMAT (key, "%.*s", (int)n, f);
            f += n + 1;
        }
        json_put_one (j, *key ? key : NULL, f, &ap);
    }
    va_end (ap);
}
