/* SPDX-License-Identifier: MIT
 *
 * util.c - errors, memory, numbers, whole reads and writes, random numbers
 */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "etc/examples/minigpt/minigpt.h"

void die (int status, const char *fmt, ...)
{
    char *text = NULL;
    va_list ap;

    va_start (ap, fmt);
    if (vasprintf (&text, fmt, ap) < 0)
        text = NULL;
    va_end (ap);
    (void)fprintf (stderr, "%s: %s\n", program_invocation_short_name,
                   text ? text : "not enough memory");
    exit (status);
}

void *allocate (size_t bytes)
{
    void *p = calloc (1, bytes);

    if (!p)
        die (STATUS_FAILED, "not enough memory");
    return p;
}

char *format (const char *fmt, ...)
{
    char *text;
    va_list ap;
    int n;

    va_start (ap, fmt);
    n = vasprintf (&text, fmt, ap);
    va_end (ap);
    if (n < 0)
        die (STATUS_FAILED, "not enough memory");
    return text;
}

int parse_size (const char *text, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *unit;
    int shift = 0;
    char *end;
    unsigned long long n;

    errno = 0;
    n = strtoull (text, &end, 10);
    if (errno || end == text || *text == '-' || *text == '+')
        return -1;
    if (*end && (unit = strchr (units, *end))) {
        shift = 10 * (int)(unit - units + 1);
        end++;
    }
    if (*end || n > UINT64_MAX >> shift)
        return -1;
    *out = n << shift;
    return 0;
}

int write_whole (int fd, const void *data, size_t bytes)
{
    const char *p = data;

    while (bytes > 0) {
        ssize_t n = write (fd, p, bytes);

        if (n < 0 && errno != EINTR)
            return -1;
        if (n > 0) {
            p += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}

int read_whole (int fd, void *data, size_t bytes)
{
    char *p = data;

    while (bytes > 0) {
        ssize_t n = read (fd, p, bytes);

        if (n == 0)
            errno = ENODATA;
        if (n == 0 || (n < 0 && errno != EINTR))
            return -1;
        if (n > 0) {
            p += n;
            bytes -= (size_t)n;
        }
    }
    return 0;
}

/* --- random numbers --------------------------------------------------- */

enum { MIDDLE = 397 };

void mt19937_seed (struct mt19937 *r, uint32_t seed)
{
    for (uint32_t i = 0; i < MT19937_WORDS; i++) {
        r->key[i] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
    }
    r->next = MT19937_WORDS;
}

static void refill (struct mt19937 *r)
{
    uint32_t *k = r->key;

    for (int i = 0; i < MT19937_WORDS; i++) {
        uint32_t y =
            (k[i] & 0x80000000u) | (k[(i + 1) % MT19937_WORDS] & 0x7fffffffu);

        k[i] = k[(i + MIDDLE) % MT19937_WORDS] ^ y >> 1 ^
               (y & 1 ? 0x9908b0dfu : 0);
    }
    r->next = 0;
}

uint32_t mt19937_u32 (struct mt19937 *r)
{
    uint32_t y;

    if (r->next == MT19937_WORDS)
        refill (r);
    y = r->key[r->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

uint32_t mt19937_interval (struct mt19937 *r, uint32_t max)
{
    uint32_t mask = max, value;

    if (max == 0)
        return 0;
    for (int shift = 1; shift <= 16; shift *= 2)
        mask |= mask >> shift;
    do
        value = mt19937_u32 (r) & mask;
    while (value > max);
    return value;
}

void mt19937_shuffle (struct mt19937 *r, uint32_t *item, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        uint32_t j = mt19937_interval (r, (uint32_t)i), swap = item[i];

        item[i] = item[j];
        item[j] = swap;
    }
}
