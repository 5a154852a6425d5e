/* SPDX-License-Identifier: MIT
 *
 * parse.c - text -> sizes, durations, booleans
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "lib/base/parse.h"

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
    for (size_t i = 0; i < sizeof (units) / sizeof (units[0]); i++)
        if (strcmp (text, units[i].suffix) == 0)
            return scaled (value, units[i].ns, out);
    errno = EINVAL;
    return -1;
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
            if (strcasecmp (text, words[value][i]) == 0) {
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
