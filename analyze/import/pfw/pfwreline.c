/* SPDX-License-Identifier: MIT
 *
 * pfwreline.c - JSON traces that are not one event a line -> those that are
 *
 * In:  bytes, from pfwblock.c
 * Out: lines, to pfwblock.c
 * Caveat: of a pair, the arguments of its end are not kept. A begin without an
 *         end has no duration.
 */
#include "config.h"

#include "analyze/import/pfw/pfwreline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwlex.h"

enum {
    OBJECT_MAX = 1 << 24, /* bytes; a longer one is damage */
    KEY_BYTES = 16
};

static const char list_key[] = "traceEvents";

enum where { ROOT, WRAPPER, EVENTS, OBJECT, OTHER };

struct text {
    char *p; /* owned */
    size_t n, room;
};

/* A begin that waits for its end. */
struct begun {
    uint64_t pid, tid, ts;
    struct text text;
};

struct pfw_reline {
    enum where where, back; /* back: behind the object */
    unsigned depth;
    int string, escaped, wrapper, any;
    char key[KEY_BYTES];
    size_t key_n;
    struct text object, out;
    size_t taken; /* of out */
    struct begun *begun;
    size_t count, room;
    uint64_t bad;
};

struct pfw_reline *pfw_reline_create (void)
{
    return calloc (1, sizeof (struct pfw_reline));
}

void pfw_reline_destroy (struct pfw_reline *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->count; i++)
        free (r->begun[i].text.p);
    free (r->begun);
    free (r->object.p);
    free (r->out.p);
    free (r);
}

uint64_t pfw_reline_bad (const struct pfw_reline *r)
{
    return r->bad;
}

static int text_add (struct text *t, const char *p, size_t n)
{
    size_t room = t->room ? t->room : 4096;
    char *more;

    while (room < t->n + n)
        room *= 2;
    if (room != t->room) {
        if (!(more = realloc (t->p, room)))
            return -1;
        t->p = more;
        t->room = room;
    }
    memcpy (t->p + t->n, p, n);
    t->n += n;
    return 0;
}

/* --- is it such a file? --------------------------------------------------- */

static const char *reline_blanks (const char *p, const char *limit)
{
    while (p < limit && strchr (" \t\r\n", *p) && *p)
        p++;
    return p;
}

/* The value of the first "ph" in n bytes at p; 0: it is not one letter. *next:
 * behind it; NULL: there is none. */
static char reline_phase (const char *p, size_t n, const char **next)
{
    const char *limit = p + n, *at = memmem (p, n, "\"ph\"", 4);

    *next = at ? at + 4 : NULL;
    if (!at)
        return 0;
    at = reline_blanks (at + 4, limit);
    if (at == limit || *at != ':')
        return 0;
    at = reline_blanks (at + 1, limit);
    return limit - at > 2 && at[0] == '"' && at[2] == '"' ? at[1] : 0;
}

/* Does a line end inside the object at p, where it may? A torn one ends
 * elsewhere. */
static int reline_is_long (const char *p, const char *limit)
{
    const char *end = memchr (p, '\n', (size_t)(limit - p));

    if (!end)
        return 0;
    while (end > p && strchr (" \t\r", end[-1]))
        end--;
    return end > p && strchr ("{[,:", end[-1]) != NULL &&
           (end[-1] != ',' || end[-2] != '}');
}

static const char *reline_mark (const char *p, size_t n)
{
    return n >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0 ? p + 3 : p;
}

int pfw_reline_wanted (const char *p, size_t n)
{
    const char *limit = p + n, *next;

    p = reline_blanks (reline_mark (p, n), limit);
    if (p < limit && *p == '{' &&
        memmem (p, (size_t)(limit - p), list_key, sizeof (list_key) - 1))
        return 1;
    if (p < limit && *p == '[')
        p = reline_blanks (p + 1, limit);
    if (p == limit || *p != '{')
        return 0;
    if (reline_is_long (p, limit))
        return 1;
    for (; p && p < limit; p = next) {
        char phase = reline_phase (p, (size_t)(limit - p), &next);

        if (phase == 'B' || phase == 'E')
            return 1;
    }
    return 0;
}

/* --- pairs ---------------------------------------------------------------- */

static uint64_t reline_time (const struct pfw_line *l)
{
    return l->ts * 1000 + l->ts_part;
}

static int reline_begin (struct pfw_reline *r, const struct pfw_line *l)
{
    struct begun *b;

    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 64;

        if (!(b = reallocarray (r->begun, room, sizeof (*b))))
            return -1;
        r->begun = b;
        r->room = room;
    }
    b = &r->begun[r->count];
    *b = (struct begun){.pid = l->pid, .tid = l->tid, .ts = reline_time (l)};
    if (text_add (&b->text, r->object.p, r->object.n) < 0)
        return -1;
    r->count++;
    return 0;
}

/* The last value counts. */
static int reline_put_event (struct pfw_reline *r,
                             const struct begun *b,
                             const uint64_t *end)
{
    char more[64] = ",\"ph\":\"X\"}\n";

    if (end)
        (void)snprintf (
            more, sizeof (more), ",\"ph\":\"X\",\"dur\":%" PRIu64 ".%03u}\n",
            (*end - b->ts) / 1000, (unsigned)((*end - b->ts) % 1000));
    return text_add (&r->out, b->text.p, b->text.n - 1) < 0
               ? -1
               : text_add (&r->out, more, strlen (more));
}

static int reline_finish (struct pfw_reline *r, const struct pfw_line *l)
{
    uint64_t end = reline_time (l);
    size_t i = r->count;
    int rc;

    while (i > 0 &&
           (r->begun[i - 1].pid != l->pid || r->begun[i - 1].tid != l->tid))
        i--;
    if (i == 0 || end < r->begun[i - 1].ts) {
        r->bad++;
        return 0;
    }
    rc = reline_put_event (r, &r->begun[--i], &end);
    free (r->begun[i].text.p);
    memmove (&r->begun[i], &r->begun[i + 1],
             (--r->count - i) * sizeof (*r->begun));
    return rc;
}

/* An object is whole. */
static int reline_object (struct pfw_reline *r)
{
    const char *next;
    char phase = reline_phase (r->object.p, r->object.n, &next);
    struct pfw_line l;

    if ((phase == 'B' || phase == 'E') &&
        pfw_lex (&l, r->object.p, r->object.p + r->object.n) &&
        (l.has & PFW_HAS_TS))
        return phase == 'B' ? reline_begin (r, &l) : reline_finish (r, &l);
    return text_add (&r->out, r->object.p, r->object.n) < 0
               ? -1
               : text_add (&r->out, "\n", 1);
}

/* --- characters ----------------------------------------------------------- */

static void reline_outside (struct pfw_reline *r, char c)
{
    if (r->where == WRAPPER) {
        if (c == '}')
            r->where = ROOT;
        else if (c == '{' || c == '[') {
            r->where = c == '[' && r->key_n == sizeof (list_key) - 1 &&
                               memcmp (r->key, list_key, r->key_n) == 0
                           ? EVENTS
                           : OTHER;
            r->depth = 1;
        }
    } else if (c == ']' && r->where == EVENTS)
        r->where = r->wrapper ? WRAPPER : ROOT;
    else if (c == '{' && r->where == ROOT && r->wrapper)
        r->where = WRAPPER;
    else if (c == '{') {
        r->back = r->where;
        r->where = OBJECT;
        r->depth = 1;
        r->object.n = 0;
    }
}

static int reline_inside (struct pfw_reline *r, char c)
{
    if (r->where == OBJECT && r->object.n > OBJECT_MAX) {
        r->bad++;
        r->where = r->back;
        return 0;
    }
    if (c == '{' || c == '[')
        r->depth++;
    if ((c != '}' && c != ']') || --r->depth > 0)
        return 0;
    if (r->where == OTHER) {
        r->where = WRAPPER;
        return 0;
    }
    r->where = r->back;
    return reline_object (r);
}

/* True: c is of a text. */
static int reline_string (struct pfw_reline *r, char c)
{
    if (!r->string) {
        r->string = c == '"';
        r->key_n = r->string ? 0 : r->key_n;
        return r->string;
    }
    if (r->escaped)
        r->escaped = 0;
    else if (c == '\\')
        r->escaped = 1;
    else if (c == '"')
        r->string = 0;
    if (r->string && r->where == WRAPPER && r->key_n < KEY_BYTES)
        r->key[r->key_n++] = c;
    return 1;
}

static int reline_char (struct pfw_reline *r, char c)
{
    int string, inside = r->where == OBJECT || r->where == OTHER, rc = 0;

    string = reline_string (r, c);
    if (!inside && !string)
        reline_outside (r, c);
    if (r->where == OBJECT &&
        text_add (&r->object, c == '\n' || c == '\r' ? " " : &c, 1) < 0)
        return -1;
    if (inside && !string)
        rc = reline_inside (r, c);
    return rc;
}

int pfw_reline_feed (struct pfw_reline *r, const char *p, size_t n)
{
    const char *limit = p + n;

    if (!r->any) {
        r->any = 1;
        p = reline_blanks (reline_mark (p, n), limit);
        r->wrapper = p < limit && *p == '{' &&
                     memmem (p, (size_t)(limit - p), list_key,
                             sizeof (list_key) - 1) != NULL;
    }
    for (; p < limit; p++)
        if (reline_char (r, *p) < 0)
            return -1;
    return 0;
}

int pfw_reline_end (struct pfw_reline *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (reline_put_event (r, &r->begun[i], NULL) < 0)
            return -1;
    for (size_t i = 0; i < r->count; i++)
        free (r->begun[i].text.p);
    r->count = 0;
    if (r->where != OBJECT)
        return 0;
    r->where = r->back; /* cut off */
    return text_add (&r->out, r->object.p, r->object.n);
}

size_t pfw_reline_take (struct pfw_reline *r, char *out, size_t n)
{
    size_t left = r->out.n - r->taken;

    if (n > left)
        n = left;
    if (n)
        memcpy (out, r->out.p + r->taken, n);
    r->taken += n;
    if (r->taken == r->out.n)
        r->taken = r->out.n = 0;
    return n;
}
