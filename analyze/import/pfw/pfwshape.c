/* SPDX-License-Identifier: MIT
 *
 * pfwshape.c - lines like those before -> struct pfw_line
 *
 * In:  bytes of a line, hostile
 * Out: the same as pfwlex.c, to pfwread.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwshape.h"
#include "analyze/import/pfw/pfwtoken.h"

/* --- learning ------------------------------------------------------------ */

enum {
    TEXT_MAX = 8 * PFW_SHAPE_WORDS,
    LINE_STEPS = 40,
    OTHERS_MAX = 64,  /* steps of a spot, */
    OTHERS_PLAIN = 32 /* and more of them without given values */
};

/* A line on its way into the tree. */
struct learner {
    struct pfw_step step[LINE_STEPS];
    unsigned steps;
    const char *from; /* behind the last value */
    int plain;        /* no values are given */
    int here;         /* names and categories given in the last step */
};

static struct pfw_step *next_step (struct learner *n)
{
    struct pfw_step *s = &n->step[n->steps];

    if (n->steps < LINE_STEPS)
        memset (s, 0, sizeof (*s));
    return s;
}

/* Add a step: the text from the last value up to `to`. NULL: it is too long, or
 * the line has too many. */
static struct pfw_step *add_step (struct learner *n, const char *to)
{
    size_t length = (size_t)(to - n->from), last = (length - 1) % 8 + 1;
    struct pfw_step *s = &n->step[n->steps];

    if (n->steps == LINE_STEPS || length == 0 || length > TEXT_MAX)
        return NULL;
    memcpy (s->text, n->from, length);
    s->last = UINT64_MAX;
    memset ((char *)&s->last + last, 0, 8 - last);
    s->length = (uint8_t)length;
    s->words = (uint8_t)((length + 7) / 8);
    n->steps++;
    n->here = 0;
    return s;
}

/* Keys whose values are few. */
static int is_few (int top, uint64_t code)
{
    return top ? code == PFW_KEY ('n', 'a', 'm', 'e', 0, 0, 0, 0) ||
                     code == PFW_KEY ('c', 'a', 't', 0, 0, 0, 0, 0) ||
                     code == PFW_KEY ('p', 'h', 0, 0, 0, 0, 0, 0)
               : code == PFW_KEY ('h', 'h', 'a', 's', 'h', 0, 0, 0);
}

/* The value v belongs to the text of the step at hand. 0: it cannot. */
static int give_value (struct learner *n,
                       const struct pfw_key *key,
                       int top,
                       const struct pfw_value *v)
{
    struct pfw_step *s = &n->step[n->steps];
    struct pfw_place place = pfw_value_text_place (top, key->code);
    size_t in = (size_t)(v->text.p - n->from);
    struct pfw_line line = {.phase = PFW_PHASE_NONE};

    if (n->steps == LINE_STEPS || in + v->text.n > TEXT_MAX)
        return 0;
    if (!place.at) {
        pfw_value_top (&line, key, v);
        s->phase = (uint8_t)line.phase;
        return line.phase != PFW_PHASE_NONE;
    }
    if (s->givens == PFW_SHAPE_GIVEN)
        return 0;
    s->given[s->givens++] = (struct pfw_given){(uint16_t)(place.at - 1),
                                               (uint8_t)in, (uint8_t)v->text.n};
    n->here += top;
    s->names = n->here == 2 ? PFW_STEP_EVENT
               : n->here    ? PFW_STEP_NAME
                            : PFW_STEP_UNNAMED;
    return 1;
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
        key->text.p < n->from || key->text.escaped)
        return NULL;
    if (!n->plain && is_few (top, key->code))
        return give_value (n, key, top, &v) ? end : NULL;
    if (!(s = add_step (n, p + v.quoted)))
        return NULL;
    place = v.quoted ? pfw_value_text_place (top, key->code)
                     : pfw_value_number_place (top, key->code);
    s->kind = v.quoted ? PFW_STEP_TEXT : PFW_STEP_NUMBER;
    s->top = (uint8_t)top;
    s->at = place.at;
    s->has = place.has;
    s->code = key->code;
    s->key = (uint8_t)(key->text.p - n->from);
    s->key_n = (uint8_t)key->text.n;
    if (n->plain && is_few (top, key->code))
        s->names = PFW_STEP_NAME;
    n->from = end - v.quoted;
    next_step (n);
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

/* --- steps and spots ------------------------------------------------------ */

static int same_step (const struct pfw_step *a, const struct pfw_step *b)
{
    return a->kind == b->kind && a->length == b->length &&
           a->givens == b->givens && a->phase == b->phase &&
           a->names == b->names &&
           memcmp (a->text, b->text, sizeof (a->text)) == 0;
}

/* The spot behind the value of a step; 0: there is no room. */
static unsigned spot_of (struct pfw_shapes *s, const struct pfw_step *step)
{
    struct pfw_spot *spot;

    for (unsigned i = 1; i < s->spots; i++) {
        spot = &s->spot[i];
        if (spot->code == step->code && spot->top == step->top &&
            spot->kind == step->kind)
            return i;
    }
    if (s->spots == PFW_SHAPE_SPOTS)
        return 0;
    spot = &s->spot[s->spots];
    memset (spot, 0, sizeof (*spot));
    spot->code = step->code;
    spot->top = step->top;
    spot->kind = step->kind;
    return s->spots++;
}

/* Find the bytes that tell the steps of a spot apart: the first ones that
 * differ in two of them, as far as all steps have them. */
static void look_at_steps (const struct pfw_shapes *s, struct pfw_spot *spot)
{
    const struct pfw_step *one = &s->step[spot->first];
    unsigned look = TEXT_MAX, least = TEXT_MAX, n;

    for (uint16_t at = one->other; at; at = s->step[at].other) {
        const char *a = (const char *)one->text,
                   *b = (const char *)s->step[at].text;

        for (n = 0; n < look && a[n] == b[n]; n++)
            ;
        look = n;
    }
    for (uint16_t at = spot->first; at; at = s->step[at].other)
        least = s->step[at].length < least ? s->step[at].length : least;
    n = look < least ? least - look : 0;
    memset (spot->fast, 0, sizeof (spot->fast));
    memset (spot->mask, 0, sizeof (spot->mask));
    memset (spot->mask, 0xff, n < 16 ? n : 16);
    spot->look = (uint8_t)(n ? look : 0);
}

/* One that fits where others with given values would, too, is last. */
static void link_step (struct pfw_shapes *s, struct pfw_spot *spot, uint16_t at)
{
    uint16_t *link = &spot->first;

    while (*link && s->step[at].names == PFW_STEP_NAME)
        link = &s->step[*link].other;
    s->step[at].other = *link;
    *link = at;
    spot->steps++;
    look_at_steps (s, spot);
}

/* The number of a step of the spot, which gets it when it is new. 0: there is
 * no room. */
static unsigned
keep_step (struct pfw_shapes *s, struct pfw_spot *spot, struct pfw_step *step)
{
    unsigned behind;

    for (uint16_t at = spot->first; at; at = s->step[at].other)
        if (same_step (&s->step[at], step))
            return at;
    if (s->steps == PFW_SHAPE_STEPS ||
        spot->steps >= OTHERS_MAX + (step->givens ? 0 : OTHERS_PLAIN))
        return 0;
    behind = step->kind == PFW_STEP_END ? 0 : spot_of (s, step);
    if (!behind && step->kind != PFW_STEP_END)
        return 0;
    step->behind = (uint8_t)behind;
    s->step[s->steps] = *step;
    link_step (s, spot, (uint16_t)s->steps);
    return s->steps++;
}

/* 0: there is no room for all steps, or none of them is new. */
static int keep_steps (struct pfw_shapes *s, struct learner *n)
{
    unsigned before = s->steps, spot = 0;

    for (unsigned i = 0; i < n->steps; i++) {
        unsigned at = keep_step (s, &s->spot[spot], &n->step[i]);

        if (!at)
            return 0;
        spot = s->step[at].behind;
    }
    return s->steps > before;
}

/* --- lines ---------------------------------------------------------------- */

/* 0: the line cannot be learnt in this way. */
static int
learn (struct pfw_shapes *s, const char *p, const char *end, int plain)
{
    struct learner n;
    struct pfw_key key;

    n.steps = 0;
    n.from = p;
    n.plain = plain;
    n.here = 0;
    next_step (&n);
    p = pfw_blanks (p + 1, end);
    while (p && p < end && *p != '}') {
        if (!(p = pfw_key_of (p, end, &key)))
            return 0;
        p = key.code == PFW_KEY_ARGS && p < end && *p == '{'
                ? learn_args (&n, p, end)
                : learn_value (&n, &key, 1, p, end);
        if (p)
            p = pfw_next_key (p, end);
    }
    return p && add_step (&n, end) && keep_steps (s, &n);
}

/* Remember the line [p, end), which pfw_lex has read. */
static void
pfw_shapes_learn (struct pfw_shapes *s, const char *p, const char *end)
{
    if (!learn (s, p, end, 0))
        learn (s, p, end, 1);
}

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

/* The place in the hash table of a spot that the step at p may be in. */
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

static inline const char *take_text (struct pfw_line *l,
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

static inline const char *take_number (struct pfw_line *l,
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
        p = step->kind == PFW_STEP_TEXT ? take_text (l, step, key, p, limit)
                                        : take_number (l, step, key, p, limit);
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
