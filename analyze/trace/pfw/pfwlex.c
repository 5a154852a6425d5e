/* SPDX-License-Identifier: MIT
 *
 * pfwlex.c - one JSON object of a DFTracer trace -> struct pfw_line
 *
 * In:  bytes of a line, hostile
 * Out: keys and values, to pfwvalue.c; facts and texts, to pfwread.c
 * Caveat: what a JSON parser would refuse but can only mean one thing (a
 *         comma before a brace, control characters) is taken. Eight bytes are
 *         looked at together where there are eight.
 */
#include "config.h"

#include "analyze/trace/pfw/pfwlex.h"

#include <string.h>

#include "analyze/trace/pfw/pfwvalue.h"

enum { DEPTH_MAX = 64, DIGITS_MAX = 18 };

#define EACH_BYTE ((uint64_t)0x0101010101010101)

/* --- eight bytes at once ----------------------------------------------- */

static inline uint64_t load (const char *p)
{
    uint64_t w;

    memcpy (&w, p, sizeof (w));
    return w;
}

/* The lowest bit that is set is in the first byte that is c. */
static inline uint64_t bytes_like (uint64_t w, unsigned char c)
{
    uint64_t x = w ^ EACH_BYTE * c;

    return (x - EACH_BYTE) & ~x & EACH_BYTE << 7;
}

static inline unsigned first_byte (uint64_t bits)
{
    return (unsigned)__builtin_ctzll (bits) / 8;
}

/* How many of the first bytes are digits. */
static inline unsigned digits_of (uint64_t w)
{
    uint64_t others =
        ((w + EACH_BYTE * 0x46) | (w - EACH_BYTE * '0')) & EACH_BYTE << 7;

    return others ? first_byte (others) : 8;
}

/* The number that n (1 … 8) digits make: zeros in front, then pairs, fours. */
static inline uint64_t number_of (uint64_t w, unsigned n)
{
    w = (w & EACH_BYTE * 0x0f) << (8 - n) * 8;
    w = w * 2561 >> 8;
    w = (w & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    return (w & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
}

/* --- values ------------------------------------------------------------ */

static inline const char *blanks (const char *p, const char *limit)
{
    while (p < limit && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* After the opening quote; returns what follows the closing one. */
static inline const char *
string (const char *p, const char *limit, struct pfw_text *t)
{
    const char *begin = p;

    t->p = p;
    t->escaped = 0;
    while (limit - p >= 8) {
        uint64_t w = load (p), end = bytes_like (w, '"') | bytes_like (w, '\\');

        if (end) {
            p += first_byte (end);
            break;
        }
        p += 8;
    }
    for (; p < limit && *p != '"'; p++)
        if (*p == '\\') {
            t->escaped = 1;
            if (++p == limit)
                return NULL;
        }
    if (p >= limit)
        return NULL;
    t->n = (uint32_t)(p - begin);
    return p + 1;
}

/* A list or an object, to be stepped over. */
static const char *container (const char *p, const char *limit)
{
    struct pfw_text t;
    int depth = 0;

    while (p && p < limit)
        switch (*p++) {
        case '"':
            p = string (p, limit, &t);
            break;
        case '{':
        case '[':
            if (++depth > DEPTH_MAX)
                return NULL;
            break;
        case '}':
        case ']':
            if (--depth == 0)
                return p;
            break;
        default:
            break;
        }
    return NULL;
}

static inline int ends_word (char c)
{
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '"';
}

/* A number of digits only, with eight bytes behind each part of it; p when it
 * is not that. */
static inline const char *
digits (const char *p, const char *limit, struct pfw_value *v)
{
    const char *begin = p;
    uint64_t i = 0;
    unsigned n = 8;

    while (n == 8 && limit - p > 8) {
        static const uint32_t tens[] = {
            1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
        uint64_t w = load (p);

        if (!(n = digits_of (w)))
            break;
        i = i * tens[n] + number_of (w, n);
        p += n;
        if (p - begin > DIGITS_MAX)
            return begin;
    }
    if (p == begin || !ends_word (*p))
        return begin;
    v->text = (struct pfw_text){begin, (uint32_t)(p - begin), 0};
    v->whole = 1;
    v->i = (int64_t)i;
    return p;
}

static inline const char *
value (const char *p, const char *limit, struct pfw_value *v)
{
    const char *begin = p;

    v->quoted = v->container = v->whole = 0;
    if (p == limit)
        return NULL;
    if (*p == '"') {
        v->quoted = 1;
        return string (p + 1, limit, &v->text);
    }
    if ((p = digits (p, limit, v)) > begin)
        return p;
    v->text = (struct pfw_text){NULL, 0, 0};
    if (*p == '{' || *p == '[') {
        v->container = 1;
        return container (p, limit);
    }
    while (p < limit && !ends_word (*p))
        p++;
    v->text.p = begin;
    v->text.n = (uint32_t)(p - begin);
    return p > begin ? p : NULL;
}

/* --- objects ---------------------------------------------------------- */

static uint64_t code_of (const struct pfw_text *t)
{
    uint64_t code = 0;

    if (t->n <= sizeof (code))
        memcpy (&code, t->p, t->n);
    return code;
}

/* Key and colon, at the value. NULL: malformed. */
static inline const char *
key_of (const char *p, const char *limit, struct pfw_key *key)
{
    uint64_t w, end;

    if (p == limit || *p != '"')
        return NULL;
    if (limit - p > 10) { /* the usual: short, and the colon at once */
        w = load (++p);
        end = bytes_like (w, '"') | bytes_like (w, '\\');
        if (end) {
            unsigned n = first_byte (end);

            if (p[n] == '"' && p[n + 1] == ':') {
                key->text = (struct pfw_text){p, n, 0};
                key->code = w & (((uint64_t)1 << 8 * n) - 1);
                return blanks (p + n + 2, limit);
            }
        }
        p--;
    }
    if (!(p = string (p + 1, limit, &key->text)))
        return NULL;
    key->code = code_of (&key->text);
    p = blanks (p, limit);
    return p < limit && *p == ':' ? blanks (p + 1, limit) : NULL;
}

/* To the next key, or to the closing brace. NULL: malformed. */
static inline const char *next_key (const char *p, const char *limit)
{
    p = blanks (p, limit);
    if (p < limit && *p == ',')
        return blanks (p + 1, limit);
    return p < limit && *p == '}' ? p : NULL;
}

static const char *args (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_key key;
    struct pfw_value v;

    p = blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if ((p = key_of (p, limit, &key)) && (p = value (p, limit, &v))) {
            pfw_value_arg (l, &key, &v);
            p = next_key (p, limit);
        }
    }
    return p && p < limit ? p + 1 : NULL;
}

const char *pfw_lex (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_key key;
    struct pfw_value v;

    memset (l, 0, offsetof (struct pfw_line, arg));
    if (p >= limit || *p != '{')
        return NULL;
    p = blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if (!(p = key_of (p, limit, &key)))
            return NULL;
        if (key.code == PFW_KEY_ARGS && p < limit && *p == '{')
            p = args (l, p, limit);
        else if ((p = value (p, limit, &v)))
            pfw_value_top (l, &key, &v);
        if (p)
            p = next_key (p, limit);
    }
    if (!p || p >= limit || !l->name.p || !l->phase)
        return NULL;
    return p + 1;
}
