/* SPDX-License-Identifier: MIT
 *
 * pfwshape.c - lines like those before -> struct pfw_line
 *
 * In:  bytes of a line, hostile
 * Out: the same as pfwlex.c, to pfwread.c
 */
#include "config.h"

#include "analyze/trace/pfw/pfwshape.h"

#include <string.h>

#include "analyze/trace/pfw/pfwtoken.h"

enum { TEXT_MAX = 8 * PFW_SHAPE_WORDS, LINE_STEPS = 40, OTHERS_MAX = 32 };

enum step_kind {
    STEP_END = 0, /* of the object */
    STEP_TEXT,    /* in quotes, without a backslash */
    STEP_NUMBER   /* or another word */
};

void pfw_shapes_init (struct pfw_shapes *s)
{
    memset (&s->step[0], 0, sizeof (s->step[0]));
    s->steps = 1;
}

/* --- reading -------------------------------------------------------------- */

static inline int step_fits (const struct pfw_step *s, const char *p)
{
    for (unsigned i = 0; i < s->words; i++)
        if ((pfw_load (p + 8 * i) & s->mask[i]) != s->text[i])
            return 0;
    return 1;
}

/* The step behind `before` whose text stands at p; it comes first from now on.
 * NULL: none. */
static inline struct pfw_step *
find_step (struct pfw_shapes *s, struct pfw_step *before, const char *p)
{
    uint16_t *link = &before->first, *from = link;

    while (*link) {
        struct pfw_step *step = &s->step[*link];

        if (step_fits (step, p)) {
            if (link != from) {
                uint16_t found = *link;

                *link = step->other;
                step->other = *from;
                *from = found;
            }
            return step;
        }
        link = &step->other;
    }
    return NULL;
}

static inline void put_value (struct pfw_line *l,
                              const struct pfw_step *s,
                              const char *key,
                              const struct pfw_value *v)
{
    struct pfw_key k = {.text = {key + s->key, s->key_n, 0}, .code = s->code};

    if (s->top)
        pfw_value_top (l, &k, v);
    else
        pfw_value_arg (l, &k, v);
}

/* To the closing quote. NULL: there is a backslash, or no quote. */
static inline const char *text_end (const char *p, const char *limit)
{
    for (; p < limit; p += 8) {
        uint64_t w = pfw_load (p), quote = pfw_bytes_like (w, '"'),
                 slash = pfw_bytes_like (w, '\\');

        if (quote | slash) {
            p += pfw_first_byte (quote | slash);
            return *p == '"' ? p : NULL;
        }
    }
    return NULL;
}

static inline const char *pfwshape_take_text (struct pfw_line *l,
                                              const struct pfw_step *s,
                                              const char *key,
                                              const char *p,
                                              const char *limit)
{
    const char *end = text_end (p, limit);
    struct pfw_text text = {p, 0, 0};

    if (!end)
        return NULL;
    text.n = (uint32_t)(end - p);
    if (s->at)
        memcpy ((char *)l + s->at - 1, &text, sizeof (text));
    else
        put_value (l, s, key, &(struct pfw_value){.text = text, .quoted = 1});
    return end;
}

static inline const char *take_number (struct pfw_line *l,
                                       const struct pfw_step *s,
                                       const char *key,
                                       const char *p,
                                       const char *limit)
{
    struct pfw_value v = {.quoted = 0};
    const char *end;

    if (p >= limit)
        return NULL;
    if ((end = pfw_digits (p, limit + PFW_BLOCK_SLACK / 2, &v)) == p) {
        if (!(end = pfw_value (p, limit, &v)) || v.quoted || v.container)
            return NULL;
    } else if (s->at) {
        memcpy ((char *)l + s->at - 1, &v.i, sizeof (v.i));
        l->has |= s->has;
        return end;
    }
    put_value (l, s, key, &v);
    return end;
}

/* By the tree only. NULL: no branch fits, or the line is none. */
static const char *read_shape (struct pfw_shapes *s,
                               struct pfw_line *l,
                               const char *p,
                               const char *limit)
{
    struct pfw_step *before = &s->step[0];

    memset (l, 0, pfw_line_head);
    while (p && p < limit) {
        struct pfw_step *step = find_step (s, before, p);
        const char *key = p;

        if (!step)
            return NULL;
        p += step->length;
        if (step->kind == STEP_END)
            return p <= limit && l->name.p && l->phase ? p : NULL;
        p = step->kind == STEP_TEXT
                ? pfwshape_take_text (l, step, key, p, limit)
                : take_number (l, step, key, p, limit);
        before = step;
    }
    return NULL;
}

/* --- learning ------------------------------------------------------------- */

/* A line on its way into the tree. */
struct learner {
    struct pfw_step step[LINE_STEPS];
    unsigned steps;
    const char *from; /* behind the last value */
};

/* What stands from the last value up to `to`. NULL: too long, or too many. */
static struct pfw_step *add_step (struct learner *n, const char *to)
{
    size_t length = (size_t)(to - n->from);
    struct pfw_step *s = &n->step[n->steps];
    unsigned char text[TEXT_MAX] = {0}, mask[TEXT_MAX] = {0};

    if (n->steps == LINE_STEPS || length == 0 || length > TEXT_MAX)
        return NULL;
    memset (s, 0, sizeof (*s));
    memcpy (text, n->from, length);
    memset (mask, 0xff, length);
    memcpy (s->text, text, sizeof (text));
    memcpy (s->mask, mask, sizeof (mask));
    s->length = (uint8_t)length;
    s->words = (uint8_t)((length + 7) / 8);
    n->steps++;
    return s;
}

/* The value at p. Returns what follows it; NULL: it cannot be learnt. */
static const char *learn_value (struct learner *n,
                                const struct pfw_key *key,
                                int top,
                                const char *p,
                                const char *limit)
{
    struct pfw_value v;
    const char *end = pfw_value (p, limit, &v);
    struct pfw_place place;
    struct pfw_step *s;

    if (!end || v.container || (v.quoted && v.text.escaped) ||
        !(s = add_step (n, p + v.quoted)))
        return NULL;
    if (key->text.p < n->from || key->text.escaped)
        return NULL;
    place = v.quoted ? pfw_value_text_place (top, key->code)
                     : pfw_value_number_place (top, key->code);
    s->kind = v.quoted ? STEP_TEXT : STEP_NUMBER;
    s->top = (uint8_t)top;
    s->at = place.at;
    s->has = place.has;
    s->code = key->code;
    s->key = (uint8_t)(key->text.p - n->from);
    s->key_n = (uint8_t)key->text.n;
    n->from = end - v.quoted;
    return end;
}

static const char *
learn_args (struct learner *n, const char *p, const char *limit)
{
    struct pfw_key key;

    p = pfw_blanks (p + 1, limit);
    while (p && p < limit && *p != '}')
        if ((p = pfw_key_of (p, limit, &key)) &&
            (p = learn_value (n, &key, 0, p, limit)))
            p = pfw_next_key (p, limit);
    return p && p < limit ? p + 1 : NULL;
}

/* Put the steps into the tree, as far as they are not in it. */
static void keep_steps (struct pfw_shapes *s, const struct learner *n)
{
    unsigned before = 0, at;

    for (unsigned i = 0; i < n->steps; i++, before = at) {
        const struct pfw_step *step = &n->step[i];
        unsigned others = 0;

        for (at = s->step[before].first; at; at = s->step[at].other, others++)
            if (s->step[at].kind == step->kind &&
                s->step[at].length == step->length &&
                memcmp (s->step[at].text, step->text, sizeof (step->text)) == 0)
                break;
        if (at)
            continue;
        if (s->steps == PFW_SHAPE_STEPS || others == OTHERS_MAX)
            return;
        at = s->steps++;
        s->step[at] = *step;
        s->step[at].other = s->step[before].first;
        s->step[before].first = (uint16_t)at;
    }
}

/* A line that pfw_lex has read. */
static void learn (struct pfw_shapes *s, const char *p, const char *end)
{
    struct learner n = {.steps = 0, .from = p};
    struct pfw_key key;

    p = pfw_blanks (p + 1, end);
    while (p && p < end && *p != '}') {
        if (!(p = pfw_key_of (p, end, &key)))
            return;
        p = key.code == PFW_KEY_ARGS && p < end && *p == '{'
                ? learn_args (&n, p, end)
                : learn_value (&n, &key, 1, p, end);
        if (p)
            p = pfw_next_key (p, end);
    }
    if (p && add_step (&n, end))
        keep_steps (s, &n);
}

const char *pfw_shapes_lex (struct pfw_shapes *s,
                            struct pfw_line *line,
                            const char *p,
                            const char *limit)
{
    const char *end = read_shape (s, line, p, limit);

    if (end)
        return end;
    if ((end = pfw_lex (line, p, limit)))
        learn (s, p, end);
    return end;
}
