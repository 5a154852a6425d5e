/* SPDX-License-Identifier: MIT
 *
 * pfwlex.c - one JSON object of a DFTracer trace -> struct pfw_line
 *
 * In:  bytes of a line, hostile
 * Out: times, ids and sizes; other arguments by their names; to pfwread.c
 * Caveat: what a JSON parser would refuse but can only mean one thing (a
 *         comma before a brace, control characters) is taken.
 */
#include "config.h"

#include "analyze/import/pfw/pfwlex.h"
#include "analyze/import/pfw/pfwtoken.h"
#include "lib/base/array.h"
#include "lib/base/text.h"

const size_t pfw_line_head = offsetof (struct pfw_line, arg);

static const char *
lex_args (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_key key;
    struct pfw_value v;

    p = pfw_blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if ((p = pfw_key_of (p, limit, &key)) &&
            (p = pfw_value (p, limit, &v))) {
            pfw_value_arg (l, &key, &v);
            p = pfw_next_key (p, limit);
        }
    }
    return p && p < limit ? p + 1 : NULL;
}

const char *pfw_lex (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_key key;
    struct pfw_value v;

    memset (l, 0, pfw_line_head);
    if (p >= limit || *p != '{')
        return NULL;
    p = pfw_blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if (!(p = pfw_key_of (p, limit, &key)))
            return NULL;
        if (key.code == PFW_KEY_ARGS && p < limit && *p == '{')
            p = lex_args (l, p, limit);
        else if ((p = pfw_value (p, limit, &v)))
            pfw_value_top (l, &key, &v);
        if (p)
            p = pfw_next_key (p, limit);
    }
    if (!p || p >= limit || !l->phase ||
        (!l->name.p && l->phase != PFW_PHASE_END))
        return NULL;
    return p + 1;
}

/* --- texts -> bytes without escapes ------------------------------------------
 */

static int hex4 (const char *p, const char *limit, unsigned *out)
{
    *out = 0;
    if (limit - p < 4)
        return 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                            : 16;

        if (d > 15)
            return 0;
        *out = *out << 4 | d;
    }
    return 1;
}

/* One surrogate of a pair stays as it is: such names are rare and only have to
 * be told apart. */
static size_t put_utf8 (unsigned c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 63));
    out[2] = (char)(0x80 | (c & 63));
    return 3;
}

/* One escape at p, whose first byte is a backslash, to out; returns how many
 * bytes it has, *n those of out. */
static size_t
pfw_unescape_one (const char *p, const char *limit, char out[3], size_t *n)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *known;
    unsigned c;
    int byte;

    *n = 1;
    out[0] = p[0];
    if (p + 1 == limit)
        return 1;
    out[0] = p[1];
    if (p[1] == 'u' && hex4 (p + 2, limit, &c)) {
        *n = put_utf8 (c, out);
        return 6;
    }
    if (p[1] == '\\' &&
        (byte = escape_byte_of (p + 1, (size_t)(limit - p - 1))) >= 0) {
        out[0] = (char)byte; /* as we write them */
        return 5;
    }
    if (p[1] && (known = strchr (from, p[1])))
        out[0] = to[known - from];
    return 2;
}

size_t pfw_unescape (const struct pfw_text *t, char *out, size_t room)
{
    const char *p = t->p, *limit = p + t->n;
    size_t n = 0, more;
    char one[3];

    if (!t->escaped) {
        n = t->n < room ? t->n : room;
        memcpy (out, p, n);
        return n;
    }
    while (p < limit) {
        size_t taken = 1;

        one[0] = *p;
        more = 1;
        if (*p == '\\')
            taken = pfw_unescape_one (p, limit, one, &more);
        if (n + more > room)
            break;
        memcpy (out + n, one, more);
        n += more;
        p += taken;
    }
    return n;
}

enum { NUMBER_MAX = 63, DIGITS_MAX = 18, TIME_DIGITS_MAX = 19 };

#define KEY2(A, B)                PFW_KEY (A, B, 0, 0, 0, 0, 0, 0)
#define KEY3(A, B, C)             PFW_KEY (A, B, C, 0, 0, 0, 0, 0)
#define KEY4(A, B, C, D)          PFW_KEY (A, B, C, D, 0, 0, 0, 0)
#define KEY5(A, B, C, D, E)       PFW_KEY (A, B, C, D, E, 0, 0, 0)
#define KEY6(A, B, C, D, E, F)    PFW_KEY (A, B, C, D, E, F, 0, 0)
#define KEY7(A, B, C, D, E, F, G) PFW_KEY (A, B, C, D, E, F, G, 0)

/* --- numbers ---------------------------------------------------------- */

/* A whole number that fits, or 0: not one. */
static int value_whole (const struct pfw_value *v, int64_t *out)
{
    const struct pfw_text *t = &v->text;
    const char *p = t->p, *limit = p + t->n;
    int minus = t->n && *p == '-';
    uint64_t n = 0;

    if (v->whole) {
        *out = v->i;
        return 1;
    }
    p += minus;
    if (p == limit || limit - p > DIGITS_MAX)
        return 0;
    for (; p < limit; p++) {
        unsigned digit = (unsigned)(*p - '0');

        if (digit > 9)
            return 0;
        n = n * 10 + digit;
    }
    *out = minus ? -(int64_t)n : (int64_t)n;
    return 1;
}

static int real (const struct pfw_text *t, double *out)
{
    char buf[NUMBER_MAX + 1], *end;

    if (!t->n || t->n > NUMBER_MAX || strchr ("+-.0123456789", *t->p) == NULL)
        return 0;
    memcpy (buf, t->p, t->n);
    buf[t->n] = '\0';
    *out = strtod (buf, &end);
    return *end == '\0';
}

/* As a count; fractions are cut, what is no number is 0. */
static int value_number (const struct pfw_value *v, int64_t *out)
{
    double d;

    *out = 0;
    if (v->container || !v->text.p)
        return 0;
    if (value_whole (v, out))
        return 1;
    if (!real (&v->text, &d) || !(d > -9e18 && d < 9e18))
        return 0;
    *out = (int64_t)d;
    return 1;
}

/* Sets the bits of `has` when it is one. */
static inline uint64_t
natural (const struct pfw_value *v, struct pfw_line *l, unsigned has)
{
    int64_t n;

    if (v->whole) {
        l->has |= has;
        return (uint64_t)v->i;
    }
    if (!value_number (v, &n) || n < 0)
        return 0;
    l->has |= has;
    return (uint64_t)n;
}

/* A time that is not just digits: up to 19 of them, and what stands behind a
 * point. */
static uint64_t value_time (const struct pfw_value *v,
                            struct pfw_line *l,
                            unsigned has,
                            uint16_t *part)
{
    const char *p = v->text.p, *limit = p + v->text.n;
    uint64_t n = 0;
    int digits = 0;

    if (v->whole) {
        l->has |= has;
        return (uint64_t)v->i;
    }
    while (p < limit && *p >= '0' && *p <= '9' && digits++ < TIME_DIGITS_MAX)
        n = n * 10 + (uint64_t)(*p++ - '0');
    if (!digits || (p < limit && *p != '.'))
        return natural (v, l, has);
    for (unsigned tenth = 100; ++p < limit && tenth > 0; tenth /= 10) {
        if (*p < '0' || *p > '9')
            return natural (v, l, has);
        *part = (uint16_t)(*part + (unsigned)(*p - '0') * tenth);
    }
    l->has |= has;
    return n;
}

/* --- the object ------------------------------------------------------- */

static enum pfw_phase phase_of (const struct pfw_text *t)
{
    switch (t->n == 1 ? *t->p : 0) {
    case 'X':
    case '1':
        return PFW_PHASE_EVENT;
    case 'C':
    case '2':
        return PFW_PHASE_COUNTER;
    case '3':
        return PFW_PHASE_AGGREGATED;
    case 'M':
    case '4':
        return PFW_PHASE_META;
    case 'B':
        return PFW_PHASE_BEGIN;
    case 'E':
        return PFW_PHASE_END;
    case 'i':
    case 'I':
    case 'b':
    case 'n':
    case 'e':
    case 'S':
    case 'T':
    case 'p':
    case 'F':
    case 's':
    case 't':
    case 'f':
    case 'N':
    case 'O':
    case 'D':
    case 'P':
    case 'v':
    case 'V':
    case 'R':
    case 'c':
        return PFW_PHASE_OTHER;
    default:
        return PFW_PHASE_NONE;
    }
}

void pfw_value_top (struct pfw_line *l,
                    const struct pfw_key *key,
                    const struct pfw_value *v)
{
    if (v->container)
        return;
    switch (key->code) {
    case KEY4 ('n', 'a', 'm', 'e'):
        l->name = v->text;
        break;
    case KEY3 ('c', 'a', 't'):
        l->cat = v->text;
        break;
    case KEY2 ('p', 'h'):
        l->phase = phase_of (&v->text);
        break;
    case KEY3 ('p', 'i', 'd'):
        l->pid = natural (v, l, PFW_HAS_PID);
        break;
    case KEY3 ('t', 'i', 'd'):
        l->tid = natural (v, l, 0);
        break;
    case KEY3 ('d', 'u', 'r'):
        l->dur = value_time (v, l, PFW_HAS_DUR, &l->dur_part);
        break;
    case KEY2 ('t', 's'):
        l->ts = value_time (v, l, PFW_HAS_TS, &l->ts_part);
        if (!(l->has & PFW_HAS_TS) && v->text.p && *v->text.p == '-')
            l->has |= PFW_HAS_TS_BELOW;
        break;
    case KEY2 ('i', 'd'):
        l->id = natural (v, l, PFW_HAS_ID);
        break;
    default:
        break;
    }
}

/* --- args ------------------------------------------------------------- */

static void other_arg (struct pfw_line *l,
                       const struct pfw_key *key,
                       const struct pfw_value *v)
{
    struct pfw_arg *a = &l->arg[l->nargs];

    if (l->nargs == PFW_ARGS_MAX)
        return;
    a->key = key->text;
    a->text = v->text;
    a->known = NULL;
    a->i = 0;
    a->d = 0;
    if (v->whole) {
        a->type = PFW_INT;
        a->i = v->i;
    } else if (value_whole (v, &a->i))
        a->type = PFW_INT;
    else if (!v->quoted && real (&v->text, &a->d))
        a->type = PFW_DOUBLE;
    else
        a->type = PFW_TEXT;
    l->nargs++;
}

/* Take a size or a result; one that cannot be is marked as huge. */
static void value_size (struct pfw_line *l,
                        int64_t *field,
                        const struct pfw_value *v,
                        unsigned has)
{
    int64_t got = v->i;
    double d;

    if (v->container || !v->text.p)
        return;
    if (!v->whole && !value_whole (v, &got)) {
        if (!real (&v->text, &d))
            return;
        if (!(d > -9e18 && d < 9e18)) {
            l->has |= PFW_HAS_HUGE;
            return;
        }
        got = (int64_t)d;
    }
    *field = got;
    l->has |= has;
}

static inline void take_number (struct pfw_line *l,
                                int64_t *field,
                                const struct pfw_value *v,
                                unsigned has)
{
    int64_t got = v->i;

    if (!v->whole && !value_number (v, &got))
        return;
    *field = got;
    l->has |= has;
}

void pfw_value_arg (struct pfw_line *l,
                    const struct pfw_key *key,
                    const struct pfw_value *v)
{
    if (v->container)
        return;
    switch (key->code) {
    case KEY5 ('h', 'h', 'a', 's', 'h'):
        l->hhash = v->text;
        return;
    case KEY5 ('f', 'h', 'a', 's', 'h'):
        l->fhash = v->text;
        return;
    case KEY5 ('f', 'n', 'a', 'm', 'e'):
        l->fname = v->text;
        return;
    case PFW_KEY ('h', 'o', 's', 't', 'n', 'a', 'm', 'e'):
        l->hostname = v->text;
        return;
    case KEY4 ('n', 'a', 'm', 'e'):
        l->meta_name = v->text;
        return;
    case KEY5 ('v', 'a', 'l', 'u', 'e'):
        l->meta_value = v->text;
        return;
    case KEY3 ('r', 'e', 't'):
        value_size (l, &l->ret, v, PFW_HAS_RET);
        return;
    case KEY2 ('f', 'd'):
        take_number (l, &l->fd, v, PFW_HAS_FD);
        return;
    case KEY6 ('o', 'f', 'f', 's', 'e', 't'):
        take_number (l, &l->offset, v, PFW_HAS_OFFSET);
        return;
    case KEY5 ('f', 'l', 'a', 'g', 's'):
        take_number (l, &l->flags, v, 0);
        return;
    case KEY5 ('e', 'r', 'r', 'n', 'o'):
        take_number (l, &l->err, v, 0);
        return;
    case PFW_KEY ('s', 'i', 'z', 'e', '_', 's', 'u', 'm'):
        take_number (l, &l->size_sum, v, PFW_HAS_SIZE_SUM);
        return;
    case KEY7 ('d', 'f', 't', '_', 'c', 'n', 't'):
        take_number (l, &l->merged, v, 0);
        return;
    case KEY7 ('d', 'u', 'r', '_', 's', 'u', 'm'):
        take_number (l, &l->dur_sum, v, PFW_HAS_DUR_SUM);
        break;
    case KEY7 ('d', 'u', 'r', '_', 'm', 'i', 'n'):
        take_number (l, &l->dur_min, v, PFW_HAS_DUR_MIN);
        break;
    case KEY7 ('d', 'u', 'r', '_', 'm', 'a', 'x'):
        take_number (l, &l->dur_max, v, PFW_HAS_DUR_MAX);
        break;
    case KEY3 ('d', 'u', 'r'): /* where there was one call only */
        take_number (l, &l->dur_one, v, PFW_HAS_DUR_ONE);
        break;
    case KEY7 ('r', 'e', 't', '_', 's', 'u', 'm'):
        take_number (l, &l->ret_sum, v, PFW_HAS_RET_SUM);
        break;
    case KEY7 ('r', 'e', 't', '_', 'm', 'i', 'n'):
        take_number (l, &l->ret_min, v, PFW_HAS_RET_MIN);
        break;
    case KEY5 ('p', '_', 'i', 'd', 'x'):
    case KEY5 ('l', 'e', 'v', 'e', 'l'):
        return;
    case KEY5 ('c', 'o', 'u', 'n', 't'):
        value_size (l, &l->count, v, PFW_HAS_COUNT);
        break;
    case KEY4 ('s', 'i', 'z', 'e'):
    case KEY6 ('l', 'e', 'n', 'g', 't', 'h'): /* of mmap, since 2026 */
    case KEY3 ('l', 'e', 'n'):
        value_size (l, &l->size, v, PFW_HAS_SIZE);
        break;
    default:
        break;
    }
    other_arg (l, key, v);
}

/* --- simple ones -------------------------------------------------------- */

struct simple {
    uint64_t code;
    uint16_t at, has;
    uint8_t top, text;
};

#define AT(FIELD) offsetof (struct pfw_line, FIELD) + 1
static const struct simple simple[] = {
    {KEY4 ('n', 'a', 'm', 'e'), AT (name), 0, 1, 1},
    {KEY3 ('c', 'a', 't'), AT (cat), 0, 1, 1},
    {KEY3 ('p', 'i', 'd'), AT (pid), PFW_HAS_PID, 1, 0},
    {KEY3 ('t', 'i', 'd'), AT (tid), 0, 1, 0},
    {KEY3 ('d', 'u', 'r'), AT (dur), PFW_HAS_DUR, 1, 0},
    {KEY2 ('i', 'd'), AT (id), PFW_HAS_ID, 1, 0},
    {KEY2 ('t', 's'), AT (ts), PFW_HAS_TS, 1, 0},
    {KEY5 ('h', 'h', 'a', 's', 'h'), AT (hhash), 0, 0, 1},
    {KEY5 ('f', 'h', 'a', 's', 'h'), AT (fhash), 0, 0, 1},
    {KEY5 ('f', 'n', 'a', 'm', 'e'), AT (fname), 0, 0, 1},
    {KEY3 ('r', 'e', 't'), AT (ret), PFW_HAS_RET, 0, 0},
    {KEY2 ('f', 'd'), AT (fd), PFW_HAS_FD, 0, 0},
    {KEY6 ('o', 'f', 'f', 's', 'e', 't'), AT (offset), PFW_HAS_OFFSET, 0, 0},
    {KEY5 ('f', 'l', 'a', 'g', 's'), AT (flags), 0, 0, 0},
};
#undef AT

static struct pfw_place simple_place (int top, int text, uint64_t code)
{
    for (size_t i = 0; i < ITEMS (simple); i++)
        if (simple[i].code == code && simple[i].top == top &&
            simple[i].text == text)
            return (struct pfw_place){simple[i].at, simple[i].has};
    return (struct pfw_place){0, 0};
}

struct pfw_place pfw_value_text_place (int top, uint64_t code)
{
    return simple_place (top, 1, code);
}

struct pfw_place pfw_value_number_place (int top, uint64_t code)
{
    return simple_place (top, 0, code);
}
