/* SPDX-License-Identifier: MIT
 *
 * text.c - format -> one line of error text
 */
#include "config.h"

#include <stdarg.h>
#include <strings.h>

#include "lib/base/array.h"
#include "lib/base/text.h"

int errf (struct errtext *err, const char *fmt, ...)
{
    int saved_errno = errno;
    va_list ap;

    if (err) {
        va_start (ap, fmt);
        vsnprintf (err->text, sizeof (err->text), fmt, ap);
        va_end (ap);
    }
    errno = saved_errno;
    return -1;
}

int err_system (struct errtext *err, const char *what, int error)
{
    return errf (err, "%s%s%s", what ? what : "", what ? ": " : "",
                 strerror (error));
}

/* ---- text of strangers -> text that cannot pose as ours ---- */

size_t escape_char (const char *text, size_t n, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    size_t length = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;

    *c = *p;
    if (*p < 0x80)
        return 1;
    if (*p < 0xc2 || *p > 0xf4 || length > n)
        return 0;
    *c = *p & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (p[i] & 0x3f);
    }
    if (*c < least[length] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
        return 0;
    return length;
}

int escape_is_plain (uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } not [] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfdd0, 0xfdef}, {0xfeff, 0xfeff},
    };

    for (size_t i = 0; i < ITEMS (not ); i++)
        if (c >= not [i].first && c <= not [i].last)
            return 0;
    return (c & 0xfffe) != 0xfffe;
}

static int escape_digit (char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

int escape_byte_of (const char *p, size_t n)
{
    int high, low;

    if (n < 4 || p[0] != '\\' || p[1] != 'x')
        return -1;
    high = escape_digit (p[2]);
    low = escape_digit (p[3]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

size_t escape_bytes (char out[ESCAPE_BYTES_MAX],
                     const char *p,
                     size_t n,
                     size_t *taken)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t c;
    size_t length = escape_char (p, n, &c);

    if (length == 0 || escape_byte_of (p, n) >= 0) {
        *taken = 1;
        out[0] = '\\';
        out[1] = 'x';
        out[2] = digits[(unsigned char)*p >> 4];
        out[3] = digits[(unsigned char)*p & 15];
        return 4;
    }
    memcpy (out, p, length);
    *taken = length;
    return length;
}

/* The character of n bytes at p (0: a raw byte), not plain, in words. */
static int in_words (char buf[16], const char *p, size_t n, uint32_t c)
{
    if (*p == '\n')
        return snprintf (buf, 16, "\\n");
    if (*p == '\t')
        return snprintf (buf, 16, "\\t");
    if (n <= 1)
        return snprintf (buf, 16, "\\x%02x", (unsigned char)*p);
    return snprintf (buf, 16, "\\u{%x}", (unsigned)c);
}

char *
escape_text (char *out, size_t size, const char *text, enum escape_lines lines)
{
    size_t left = strlen (text), used = 0;

    while (left > 0) {
        char buf[16];
        uint32_t c;
        size_t n = escape_char (text, left, &c), taken = n ? n : 1;
        const char *from = text;

        if (n == 0 || (!escape_is_plain (c) &&
                       !(c == '\n' && lines == ESCAPE_KEEP_LINES))) {
            n = in_words (buf, text, n, c);
            from = buf;
        }
        if (used + n >= size)
            break;
        memcpy (out + used, from, n);
        used += n;
        text += taken;
        left -= taken;
    }
    if (size > 0)
        out[used] = '\0';
    return out;
}

/* ---- text -> sizes, durations, booleans ---- */

/* Digits at *text -> *out; *text moves behind them. */
static int digits (const char **text, uint64_t *out)
{
    const char *p = *text;
    uint64_t value = 0;

    if (*p < '0' || *p > '9') {
        errno = EINVAL;
        return -1;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        if (__builtin_mul_overflow (value, (uint64_t)10, &value) ||
            __builtin_add_overflow (value, (uint64_t)(*p - '0'), &value)) {
            errno = ERANGE;
            return -1;
        }
    }
    *text = p;
    *out = value;
    return 0;
}

static int scaled (uint64_t value, uint64_t unit, uint64_t *out)
{
    if (__builtin_mul_overflow (value, unit, &value)) {
        errno = ERANGE;
        return -1;
    }
    *out = value;
    return 0;
}

int parse_u64 (const char *text, uint64_t *out)
{
    uint64_t value;

    if (digits (&text, &value) < 0)
        return -1;
    if (*text != '\0') {
        errno = EINVAL;
        return -1;
    }
    *out = value;
    return 0;
}

int parse_size (const char *text, uint64_t *out)
{
    static const char letters[] = "KMGT";
    const char *letter;
    uint64_t value;
    int shift = 0;

    if (digits (&text, &value) < 0)
        return -1;
    if (*text == 'k')
        letter = letters;
    else
        letter = *text ? strchr (letters, *text) : NULL;
    if (letter) {
        shift = 10 * (int)(letter - letters + 1);
        text++;
        if (text[0] == 'i' && text[1] == 'B')
            text += 2;
    }
    if (*text == 'B' && !letter)
        text++;
    if (*text != '\0') {
        errno = EINVAL;
        return -1;
    }
    return scaled (value, (uint64_t)1 << shift, out);
}

int parse_duration (const char *text, uint64_t *out)
{
    static const struct {
        const char *suffix;
        uint64_t ns;
    } units[] = {
        {"", 1000000000u},
        {"us", 1000u},
        {"ms", 1000000u},
        {"s", 1000000000u},
        {"m", 60 * (uint64_t)1000000000},
        {"h", 3600 * (uint64_t)1000000000},
        {"d", 86400 * (uint64_t)1000000000},
    };
    uint64_t value;

    if (digits (&text, &value) < 0)
        return -1;
    for (size_t i = 0; i < ITEMS (units); i++)
        if (strcmp (text, units[i].suffix) == 0)
            return scaled (value, units[i].ns, out);
    errno = EINVAL;
    return -1;
}

int text_contains (const char *text, size_t n, const char *word)
{
    size_t length = strlen (word);

    for (; n >= length && *text; n--, text++)
        if (memcmp (text, word, length) == 0)
            return 1;
    return 0;
}

/* In letters of either case. */
static int text_is_word (const char *text, const char *word)
{
    while (*word && (*text == *word || (*text >= 'A' && *text <= 'Z' &&
                                        *text - 'A' + 'a' == *word))) {
        text++;
        word++;
    }
    return *text == *word;
}

int parse_bool (const char *text, int *out)
{
    static const char *const words[2][4] = {{"0", "no", "false", "off"},
                                            {"1", "yes", "true", "on"}};

    if ((text[0] == '0' || text[0] == '1') && text[1] == '\0') {
        *out = text[0] == '1'; /* most are so */
        return 0;
    }
    for (int value = 0; value < 2; value++) {
        for (int i = 0; i < 4; i++) {
            if (text_is_word (text, words[value][i])) {
                *out = value;
                return 0;
            }
        }
    }
    errno = EINVAL;
    return -1;
}

const char *parse_text (uint64_t n, const char *unit, char *buf)
{
    size_t length = strlen (unit) + 1;
    char *p = buf + PARSE_TEXT_MAX - length;

    memcpy (p, unit, length);
    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    return p;
}
