/* SPDX-License-Identifier: MIT
 *
 * pfwlex.c - one JSON object of a DFTracer trace -> struct pfw_line
 *
 * In:  bytes of a line, hostile
 * Out: facts and texts, to pfwread.c
 * Caveat: what a JSON parser would refuse but can only mean one thing (a
 *         comma before a brace, control characters) is taken.
 */
#include "config.h"

#include "analyze/pfwlex.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, NUMBER_MAX = 63 };

/* A value: text of a string, word of anything else that is no container. */
struct value {
    struct pfw_text text;
    int quoted, container;
};

static const char *blanks (const char *p, const char *limit)
{
    while (p < limit && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* After the opening quote; returns what follows the closing one. */
static const char *string (const char *p, const char *limit, struct pfw_text *t)
{
    const char *begin = p;

    t->p = p;
    t->escaped = 0;
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

static const char *value (const char *p, const char *limit, struct value *v)
{
    const char *begin = p;

    memset (v, 0, sizeof (*v));
    if (p == limit)
        return NULL;
    if (*p == '"') {
        v->quoted = 1;
        return string (p + 1, limit, &v->text);
    }
    if (*p == '{' || *p == '[') {
        v->container = 1;
        return container (p, limit);
    }
    while (p < limit && *p != ',' && *p != '}' && *p != ']' && *p != ' ' &&
           *p != '"')
        p++;
    v->text.p = begin;
    v->text.n = (uint32_t)(p - begin);
    return p > begin ? p : NULL;
}

/* --- numbers ---------------------------------------------------------- */

/* A whole number that fits, or 0: not one. */
static int whole (const struct pfw_text *t, int64_t *out)
{
    const char *p = t->p, *limit = p + t->n;
    int minus = t->n && *p == '-';
    uint64_t n = 0;

    p += minus;
    if (p == limit || limit - p > 18)
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
static int number (const struct value *v, int64_t *out)
{
    double d;

    *out = 0;
    if (v->container || !v->text.p)
        return 0;
    if (whole (&v->text, out))
        return 1;
    if (!real (&v->text, &d) || !(d > -9e18 && d < 9e18))
        return 0;
    *out = (int64_t)d;
    return 1;
}

static uint64_t natural (const struct value *v, int *known)
{
    int64_t n;

    *known = number (v, &n) && n >= 0;
    return *known ? (uint64_t)n : 0;
}

/* --- fields ----------------------------------------------------------- */

static int is (const struct pfw_text *key, const char *word, size_t n)
{
    return key->n == n && memcmp (key->p, word, n) == 0;
}
#define IS(KEY, WORD) is (KEY, WORD, sizeof (WORD) - 1)

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
    default:
        return PFW_PHASE_NONE;
    }
}

static void top_field (struct pfw_line *l,
                       const struct pfw_text *key,
                       const struct value *v)
{
    int known = 0;

    if (v->container)
        return;
    if (IS (key, "name"))
        l->name = v->text;
    else if (IS (key, "cat"))
        l->cat = v->text;
    else if (IS (key, "ph"))
        l->phase = phase_of (&v->text);
    else if (IS (key, "pid")) {
        l->pid = natural (v, &known);
        l->has |= known ? PFW_HAS_PID : 0;
    } else if (IS (key, "tid"))
        l->tid = natural (v, &known);
    else if (IS (key, "dur"))
        l->dur = natural (v, &known);
    else if (IS (key, "ts")) {
        l->ts = natural (v, &known);
        l->has |= known ? PFW_HAS_TS : 0;
    }
}

/* Fields that are texts. */
static struct pfw_text *text_field (struct pfw_line *l,
                                    const struct pfw_text *key)
{
    return IS (key, "fhash")      ? &l->fhash
           : IS (key, "hhash")    ? &l->hhash
           : IS (key, "fname")    ? &l->fname
           : IS (key, "hostname") ? &l->hostname
           : IS (key, "name")     ? &l->meta_name
           : IS (key, "value")    ? &l->meta_value
                                  : NULL;
}

static int64_t *
number_field (struct pfw_line *l, const struct pfw_text *key, unsigned *has)
{
    static const struct {
        const char *word;
        size_t n, offset;
        unsigned has;
    } fields[] = {
#define FIELD(WORD, MEMBER, HAS) \
    {WORD, sizeof (WORD) - 1, offsetof (struct pfw_line, MEMBER), HAS}
        FIELD ("ret", ret, PFW_HAS_RET),
        FIELD ("count", count, PFW_HAS_COUNT),
        FIELD ("fd", fd, PFW_HAS_FD),
        FIELD ("offset", offset, PFW_HAS_OFFSET),
        FIELD ("size", size, PFW_HAS_SIZE),
        FIELD ("flags", flags, 0),
        FIELD ("errno", err, 0),
        FIELD ("size_sum", size_sum, PFW_HAS_SIZE_SUM),
        FIELD ("dft_cnt", merged, 0),
    };

    for (size_t i = 0; i < sizeof (fields) / sizeof (fields[0]); i++)
        if (is (key, fields[i].word, fields[i].n)) {
            *has = fields[i].has;
            return (int64_t *)(void *)((char *)l + fields[i].offset);
        }
    return NULL;
}

static void other_arg (struct pfw_line *l,
                       const struct pfw_text *key,
                       const struct value *v)
{
    struct pfw_arg *a = &l->arg[l->nargs];

    if (l->nargs == PFW_ARGS_MAX || IS (key, "p_idx") || IS (key, "level"))
        return;
    memset (a, 0, sizeof (*a));
    a->key = *key;
    if (whole (&v->text, &a->i))
        a->type = PFW_INT;
    else if (!v->quoted && real (&v->text, &a->d))
        a->type = PFW_DOUBLE;
    else {
        a->type = PFW_TEXT;
        a->text = v->text;
    }
    l->nargs++;
}

static void arg_field (struct pfw_line *l,
                       const struct pfw_text *key,
                       const struct value *v)
{
    struct pfw_text *text = text_field (l, key);
    unsigned has = 0;
    int64_t *n, got;

    if (v->container)
        return;
    if (text) {
        *text = v->text;
        return;
    }
    if ((n = number_field (l, key, &has)) && number (v, &got)) {
        *n = got;
        l->has |= has;
    }
    if (!n || IS (key, "count") || IS (key, "size"))
        other_arg (l, key, v);
}

/* --- objects ---------------------------------------------------------- */

/* Key and colon, at the value. NULL: malformed. */
static const char *
key_of (const char *p, const char *limit, struct pfw_text *key)
{
    if (p == limit || *p != '"' || !(p = string (p + 1, limit, key)))
        return NULL;
    p = blanks (p, limit);
    return p < limit && *p == ':' ? blanks (p + 1, limit) : NULL;
}

/* To the next key, or to the closing brace. NULL: malformed. */
static const char *next_key (const char *p, const char *limit)
{
    p = blanks (p, limit);
    if (p < limit && *p == ',')
        return blanks (p + 1, limit);
    return p < limit && *p == '}' ? p : NULL;
}

static const char *args (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_text key;
    struct value v;

    p = blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if ((p = key_of (p, limit, &key)) && (p = value (p, limit, &v))) {
            arg_field (l, &key, &v);
            p = next_key (p, limit);
        }
    }
    return p && p < limit ? p + 1 : NULL;
}

const char *pfw_lex (struct pfw_line *l, const char *p, const char *limit)
{
    struct pfw_text key;
    struct value v;

    memset (l, 0, offsetof (struct pfw_line, arg));
    if (p >= limit || *p != '{')
        return NULL;
    p = blanks (p + 1, limit);
    while (p && p < limit && *p != '}') {
        if (!(p = key_of (p, limit, &key)))
            return NULL;
        if (IS (&key, "args") && p < limit && *p == '{')
            p = args (l, p, limit);
        else if ((p = value (p, limit, &v)))
            top_field (l, &key, &v);
        if (p)
            p = next_key (p, limit);
    }
    if (!p || p >= limit || !l->name.p || !l->phase)
        return NULL;
    return p + 1;
}

/* --- texts ------------------------------------------------------------ */

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

/* Halves of pairs stay what they are: such names are rare and only have to
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

size_t pfw_unescape (const struct pfw_text *t, char *out, size_t room)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *p = t->p, *limit = p + t->n;
    size_t n = 0;
    unsigned c;

    if (!t->escaped) {
        n = t->n < room ? t->n : room;
        memcpy (out, p, n);
        return n;
    }
    while (p < limit && n + 3 <= room) {
        const char *known;

        if (*p != '\\' || p + 1 == limit) {
            out[n++] = *p++;
            continue;
        }
        p += 2;
        if (p[-1] == 'u' && hex4 (p, limit, &c)) {
            n += put_utf8 (c, out + n);
            p += 4;
        } else if (p[-1] && (known = strchr (from, p[-1])))
            out[n++] = to[known - from];
        else
            out[n++] = p[-1];
    }
    return n;
}
