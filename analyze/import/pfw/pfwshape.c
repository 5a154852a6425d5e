/* SPDX-License-Identifier: MIT
 *
 * pfwshape.c - lines like those before -> struct pfw_line
 *
 * In:  bytes of a line, hostile
 * Out: the same as pfwlex.c, to pfwread.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwshape.h"

#include <stddef.h>
#include <string.h>

#include "analyze/import/pfw/pfwtoken.h"

_Static_assert(8 * PFW_SHAPE_WORDS + 16 <= PFW_BLOCK_SLACK,
               "steps are compared whole");

void pfw_shapes_init (struct pfw_shapes *s)
{
    memset (&s->spot[0], 0, sizeof (s->spot[0]));
    s->steps = s->spots = 1;
}

/* --- reading -------------------------------------------------------------- */

static inline int step_fits (const struct pfw_step *s, const char *p)
{
    unsigned last = s->words - 1u;

    for (unsigned i = 0; i < last; i++)
        if (pfw_load (p + 8 * i) != s->text[i])
            return 0;
    return (pfw_load (p + 8 * last) & s->last) == s->text[last];
}

/* Where the step that stands at p is looked for first. */
static inline uint16_t *fast_step (struct pfw_spot *spot, const char *p)
{
    uint64_t a = pfw_load (p + spot->look) & spot->mask[0],
             b = pfw_load (p + spot->look + 8) & spot->mask[1];

    a = (a ^ b * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return &spot->fast[a >> 32 & (PFW_SHAPE_FAST - 1)];
}

static struct pfw_step *
search_step (struct pfw_shapes *s, struct pfw_spot *spot, const char *p)
{
    uint16_t *fast = fast_step (spot, p);

    for (uint16_t at = spot->first; at; at = s->step[at].other)
        if (step_fits (&s->step[at], p)) {
            if (!*fast || s->step[at].names != PFW_STEP_NAME)
                *fast = at;
            return &s->step[at];
        }
    return NULL;
}

/* The step whose text stands at p. NULL: none. Where there is one only, it does
 * not wait for the bytes at p. */
static inline struct pfw_step *
find_step (struct pfw_shapes *s, struct pfw_spot *spot, const char *p)
{
    uint16_t fast = spot->first;

    if (spot->steps > 1)
        fast = *fast_step (spot, p);
    return fast && step_fits (&s->step[fast], p) ? &s->step[fast]
                                                 : search_step (s, spot, p);
}

static inline void
take_given (struct pfw_line *l, struct pfw_step *s, const char *p)
{
    for (unsigned i = 0; i < s->givens; i++) {
        const struct pfw_given *g = &s->given[i];
        const struct pfw_text text = {p + g->in, g->n, 0};

        memcpy ((char *)l + g->at, &text, sizeof (text));
    }
    if (s->phase)
        l->phase = (enum pfw_phase)s->phase;
    if (s->names)
        l->known = s->names == PFW_STEP_EVENT ? &s->known : NULL;
}

static inline void put_value (struct pfw_line *l,
                              struct pfw_step *s,
                              const char *key,
                              const struct pfw_value *v)
{
    struct pfw_key k = {.text = {key + s->key, s->key_n, 0}, .code = s->code};
    int before = l->nargs;

    if (s->top) {
        pfw_value_top (l, &k, v);
        return;
    }
    pfw_value_arg (l, &k, v);
    if (l->nargs > before && !s->names)
        l->arg[before].known = &s->known;
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
                                              struct pfw_step *s,
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

static inline const char *pfwshape_take_number (struct pfw_line *l,
                                                struct pfw_step *s,
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

/* By the steps only. NULL: none fits, or the line is none. */
static const char *read_shape (struct pfw_shapes *s,
                               struct pfw_line *l,
                               const char *p,
                               const char *limit)
{
    struct pfw_spot *spot = &s->spot[0];

    memset (l, 0, pfw_line_head);
    while (p && p < limit) {
        struct pfw_step *step = find_step (s, spot, p);
        const char *key = p;

        if (!step)
            return NULL;
        take_given (l, step, p);
        p += step->length;
        if (step->kind == PFW_STEP_END)
            return p <= limit && l->name.p && l->phase ? p : NULL;
        p = step->kind == PFW_STEP_TEXT
                ? pfwshape_take_text (l, step, key, p, limit)
                : pfwshape_take_number (l, step, key, p, limit);
        spot = &s->spot[step->behind];
    }
    return NULL;
}

const char *pfw_shapes_lex (struct pfw_shapes *s,
                            struct pfw_line *line,
                            const char *p,
                            const char *limit)
{
    const char *end = read_shape (s, line, p, limit);

    if (!end && (end = pfw_lex (line, p, limit)))
        pfw_shapes_learn (s, p, end);
    return end;
}
