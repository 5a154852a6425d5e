/* SPDX-License-Identifier: MIT
 *
 * recent.c - which of the last names is most like a new one
 *
 * In:  texts of names_intern
 * Out: bytes in common at the begin and at the end
 * Caveat: runs in the user's thread, once for each name that a chunk defines.
 */
#include "config.h"

#include <string.h>

#include "preload/record/recent.h"
#include "preload/record/recorder.h"

enum { WORTH = 4 }; /* bytes that saying what is shared may cost */

static uint64_t word_at (const char *p)
{
    uint64_t word;

    memcpy (&word, p, sizeof (word));
    return word;
}

/* Bytes that a and b, of n each, begin with. */
static size_t same_begin (const char *a, const char *b, size_t n)
{
    size_t i = 0;

    for (; n - i >= 8; i += 8) {
        uint64_t differ = word_at (a + i) ^ word_at (b + i);

        if (differ)
            return i + (size_t)__builtin_ctzll (differ) / 8;
    }
    while (i < n && a[i] == b[i])
        i++;
    return i;
}

/* Bytes that end at a and b, at most n, from the last backwards. */
static size_t same_end (const char *a, const char *b, size_t n)
{
    size_t i = 0;

    for (; n - i >= 8; i += 8) {
        uint64_t differ = word_at (a - i - 8) ^ word_at (b - i - 8);

        if (differ)
            return i + (size_t)__builtin_clzll (differ) / 8;
    }
    while (i < n && a[-1 - (ptrdiff_t)i] == b[-1 - (ptrdiff_t)i])
        i++;
    return i;
}

static struct event_like
compare (const char *text, size_t length, const char *base, size_t base_length)
{
    size_t n = length < base_length ? length : base_length;
    struct event_like like = {.prefix = (uint32_t)same_begin (text, base, n)};

    like.suffix =
        (uint32_t)same_end (text + length, base + base_length, n - like.prefix);
    return like;
}

int recent_find (const struct recent *r,
                 uint32_t local,
                 uint32_t id,
                 struct event_like *like)
{
    enum file_class class, base_class;
    size_t length, base_length, most = WORTH;
    const char *text = names_text (id, &length, &class);

    for (uint32_t back = 1; text && back <= RECENT_NAMES; back++) {
        uint32_t base_id = r->ids[(local - back) % RECENT_NAMES];
        const char *base = names_text (base_id, &base_length, &base_class);
        struct event_like found;

        if (!base || base_class != class ||
            names_kind (base_id) != names_kind (id))
            continue;
        found = compare (text, length, base, base_length);
        if (found.prefix + found.suffix <= most || !names_valid (base_id))
            continue;
        most = found.prefix + found.suffix;
        *like = found;
        like->back = back;
    }
    return most > WORTH;
}
