/* SPDX-License-Identifier: MIT
 *
 * pfwtoken.h - bytes of a JSON object -> keys and values (private to pfwlex.c
 *              and pfwshape.c)
 *
 * Eight bytes are looked at together where there are eight before limit.
 */
#pragma once

#include <string.h>

#include "analyze/import/pfw/pfwlex.h"

/* A value: text of a string, word of anything else that is no container. */
struct pfw_value {
    struct pfw_text text;
    uint8_t quoted, container;
    uint8_t whole; /* a number without a sign, at most 18 digits: i */
    int64_t i;
};

struct pfw_key {
    struct pfw_text text;
    uint64_t code; /* its bytes if these are at most 8, first lowest, else 0 */
};

/* Eight characters, or fewer and 0, as code. */
#define PFW_KEY(A, B, C, D, E, F, G, H)                                \
    ((uint64_t)(A) | (uint64_t)(B) << 8 | (uint64_t)(C) << 16 |        \
     (uint64_t)(D) << 24 | (uint64_t)(E) << 32 | (uint64_t)(F) << 40 | \
     (uint64_t)(G) << 48 | (uint64_t)(H) << 56)
#define PFW_KEY_ARGS PFW_KEY ('a', 'r', 'g', 's', 0, 0, 0, 0)

/* The field that takes a value as it is. */
struct pfw_place {
    uint16_t at;  /* offset of struct pfw_line + 1; 0: it is not so simple */
    uint16_t has; /* bits of enum pfw_has */
};

/* The place of a text; of a number without a sign. */
struct pfw_place pfw_value_text_place (int top, uint64_t code);
struct pfw_place pfw_value_number_place (int top, uint64_t code);

/* A field of the object, one of "args". */
void pfw_value_top (struct pfw_line *l,
                    const struct pfw_key *key,
                    const struct pfw_value *v);
void pfw_value_arg (struct pfw_line *l,
                    const struct pfw_key *key,
                    const struct pfw_value *v);

/* --- bytes ------------------------------------------------------------- */

/* Bytes of struct pfw_line before its arguments. Not a constant, since
 * compilers clear that many bytes in place, slower than memset does. */
extern const size_t pfw_line_head;

enum { PFW_DEPTH_MAX = 64, PFW_DIGITS_MAX = 18 };

#define PFW_EACH_BYTE ((uint64_t)0x0101010101010101)

/* --- eight bytes at once ----------------------------------------------- */

static inline uint64_t pfw_load (const char *p)
{
    uint64_t w;

    memcpy (&w, p, sizeof (w));
    return w;
}

/* The lowest bit that is set is in the first byte that is c. */
static inline uint64_t pfw_bytes_like (uint64_t w, unsigned char c)
{
    uint64_t x = w ^ PFW_EACH_BYTE * c;

    return (x - PFW_EACH_BYTE) & ~x & PFW_EACH_BYTE << 7;
}

static inline unsigned pfw_first_byte (uint64_t bits)
{
    return (unsigned)__builtin_ctzll (bits) / 8;
}

/* How many of the first bytes are digits. */
static inline unsigned pfw_digits_of (uint64_t w)
{
    uint64_t others = ((w + PFW_EACH_BYTE * 0x46) | (w - PFW_EACH_BYTE * '0')) &
                      PFW_EACH_BYTE << 7;

    return others ? pfw_first_byte (others) : 8;
}

/* The number that n (1 … 8) digits make: zeros in front, then pairs, fours. */
static inline uint64_t pfw_number_of (uint64_t w, unsigned n)
{
    w = (w & PFW_EACH_BYTE * 0x0f) << (8 - n) * 8;
    w = w * 2561 >> 8;
    w = (w & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    return (w & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
}

/* --- values ------------------------------------------------------------ */

static inline const char *pfw_blanks (const char *p, const char *limit)
{
    while (p < limit && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* After the opening quote; returns what follows the closing one. */
static inline const char *
pfw_string (const char *p, const char *limit, struct pfw_text *t)
{
    const char *begin = p;

    t->p = p;
    t->escaped = 0;
    while (limit - p >= 8) {
        uint64_t w = pfw_load (p),
                 end = pfw_bytes_like (w, '"') | pfw_bytes_like (w, '\\');

        if (end) {
            p += pfw_first_byte (end);
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
static inline const char *pfw_container (const char *p, const char *limit)
{
    struct pfw_text t;
    int depth = 0;

    while (p && p < limit)
        switch (*p++) {
        case '"':
            p = pfw_string (p, limit, &t);
            break;
        case '{':
        case '[':
            if (++depth > PFW_DEPTH_MAX)
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

static inline int pfw_ends_word (char c)
{
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '"';
}

/* A number of digits only, with eight bytes behind each part of it; p when it
 * is not that. */
static inline const char *
pfw_digits (const char *p, const char *limit, struct pfw_value *v)
{
    const char *begin = p;
    uint64_t i = 0;
    unsigned n = 8;

    while (n == 8 && limit - p > 8) {
        static const uint32_t tens[] = {
            1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
        uint64_t w = pfw_load (p);

        if (!(n = pfw_digits_of (w)))
            break;
        i = i * tens[n] + pfw_number_of (w, n);
        p += n;
        if (p - begin > PFW_DIGITS_MAX)
            return begin;
    }
    if (p == begin || !pfw_ends_word (*p))
        return begin;
    v->text = (struct pfw_text){begin, (uint32_t)(p - begin), 0};
    v->whole = 1;
    v->i = (int64_t)i;
    return p;
}

static inline const char *
pfw_value (const char *p, const char *limit, struct pfw_value *v)
{
    const char *begin = p;

    v->quoted = v->container = v->whole = 0;
    if (p == limit)
        return NULL;
    if (*p == '"') {
        v->quoted = 1;
        return pfw_string (p + 1, limit, &v->text);
    }
    if ((p = pfw_digits (p, limit, v)) > begin)
        return p;
    v->text = (struct pfw_text){NULL, 0, 0};
    if (*p == '{' || *p == '[') {
        v->container = 1;
        return pfw_container (p, limit);
    }
    while (p < limit && !pfw_ends_word (*p))
        p++;
    v->text.p = begin;
    v->text.n = (uint32_t)(p - begin);
    return p > begin ? p : NULL;
}

/* --- objects ---------------------------------------------------------- */

static inline uint64_t pfw_code_of (const struct pfw_text *t)
{
    uint64_t code = 0;

    if (t->n <= sizeof (code))
        memcpy (&code, t->p, t->n);
    return code;
}

/* Key and colon, at the value. NULL: malformed. */
static inline const char *
pfw_key_of (const char *p, const char *limit, struct pfw_key *key)
{
    uint64_t w, end;

    if (p == limit || *p != '"')
        return NULL;
    if (limit - p > 10) { /* the usual: short, and the colon at once */
        w = pfw_load (++p);
        end = pfw_bytes_like (w, '"') | pfw_bytes_like (w, '\\');
        if (end) {
            unsigned n = pfw_first_byte (end);

            if (p[n] == '"' && p[n + 1] == ':') {
                key->text = (struct pfw_text){p, n, 0};
                key->code = w & (((uint64_t)1 << 8 * n) - 1);
                return pfw_blanks (p + n + 2, limit);
            }
        }
        p--;
    }
    if (!(p = pfw_string (p + 1, limit, &key->text)))
        return NULL;
    key->code = pfw_code_of (&key->text);
    p = pfw_blanks (p, limit);
    return p < limit && *p == ':' ? pfw_blanks (p + 1, limit) : NULL;
}

/* To the next key, or to the closing brace. NULL: malformed. */
static inline const char *pfw_next_key (const char *p, const char *limit)
{
    p = pfw_blanks (p, limit);
    if (p < limit && *p == ',')
        return pfw_blanks (p + 1, limit);
    return p < limit && *p == '}' ? p : NULL;
}
