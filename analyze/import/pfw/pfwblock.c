/* SPDX-License-Identifier: MIT
 *
 * pfwblock.c - a DFTracer trace on disk -> blocks of whole lines
 *
 * In:  plain bytes, from gz.c
 * Out: blocks, to pfwread.c and pfwstore.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwblock.h"
#include "analyze/import/pfw/pfwlex.h"
#include "lib/base/array.h"
#include "lib/util/xalloc.h"

/* --- other JSON -> one event a line
 * -------------------------------------------
 *
 * {"traceEvents": [...]} of Chrome, Perfetto and PyTorch, objects over several
 * lines, and pairs of "ph" B and E become one object a line, a pair one event
 * with a duration. Arguments of a pair's end are not kept. A begin without an
 * end has no duration.
 */

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
    uint64_t bad; /* ends without a begin, objects that are too long */
};

/* NULL is fine */
static void pfw_reline_destroy (struct pfw_reline *r)
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

static void text_add (struct text *t, const char *p, size_t n)
{
    GROW (t->p, t->room, t->n + n);
    memcpy (t->p + t->n, p, n);
    t->n += n;
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

/* The first bytes of a file: is it to be changed? */
static int pfw_reline_wanted (const char *p, size_t n)
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

static void reline_begin (struct pfw_reline *r, const struct pfw_line *l)
{
    struct begun *b = APPEND (r->begun, r->count, r->room);

    *b = (struct begun){.pid = l->pid, .tid = l->tid, .ts = reline_time (l)};
    text_add (&b->text, r->object.p, r->object.n);
}

/* The last value counts. */
static void reline_put_event (struct pfw_reline *r,
                              const struct begun *b,
                              const uint64_t *end)
{
    char more[64] = ",\"ph\":\"X\"}\n";

    if (end)
        snprintf (more, sizeof (more),
                  ",\"ph\":\"X\",\"dur\":%" PRIu64 ".%03u}\n",
                  (*end - b->ts) / 1000, (unsigned)((*end - b->ts) % 1000));
    text_add (&r->out, b->text.p, b->text.n - 1);
    text_add (&r->out, more, strlen (more));
}

static void reline_finish (struct pfw_reline *r, const struct pfw_line *l)
{
    uint64_t end = reline_time (l);
    size_t i = r->count;

    while (i > 0 &&
           (r->begun[i - 1].pid != l->pid || r->begun[i - 1].tid != l->tid))
        i--;
    if (i == 0 || end < r->begun[i - 1].ts) {
        r->bad++;
        return;
    }
    reline_put_event (r, &r->begun[--i], &end);
    free (r->begun[i].text.p);
    memmove (&r->begun[i], &r->begun[i + 1],
             (--r->count - i) * sizeof (*r->begun));
}

/* An object is whole. */
static void reline_object (struct pfw_reline *r)
{
    const char *next;
    char phase = reline_phase (r->object.p, r->object.n, &next);
    struct pfw_line l;

    if ((phase == 'B' || phase == 'E') &&
        pfw_lex (&l, r->object.p, r->object.p + r->object.n) &&
        (l.has & PFW_HAS_TS)) {
        (phase == 'B' ? reline_begin : reline_finish) (r, &l);
        return;
    }
    text_add (&r->out, r->object.p, r->object.n);
    text_add (&r->out, "\n", 1);
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

static void reline_inside (struct pfw_reline *r, char c)
{
    if (r->where == OBJECT && r->object.n > OBJECT_MAX) {
        r->bad++;
        r->where = r->back;
        return;
    }
    if (c == '{' || c == '[')
        r->depth++;
    if ((c != '}' && c != ']') || --r->depth > 0)
        return;
    if (r->where == OTHER) {
        r->where = WRAPPER;
        return;
    }
    r->where = r->back;
    reline_object (r);
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

static void reline_char (struct pfw_reline *r, char c)
{
    int inside = r->where == OBJECT || r->where == OTHER;
    int string = reline_string (r, c);

    if (!inside && !string)
        reline_outside (r, c);
    if (r->where == OBJECT)
        text_add (&r->object, c == '\n' || c == '\r' ? " " : &c, 1);
    if (inside && !string)
        reline_inside (r, c);
}

/* n more bytes of the file; end: there are no more. */
static void pfw_reline_feed (struct pfw_reline *r, const char *p, size_t n)
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
        reline_char (r, *p);
}

static void pfw_reline_end (struct pfw_reline *r)
{
    for (size_t i = 0; i < r->count; i++) {
        reline_put_event (r, &r->begun[i], NULL);
        free (r->begun[i].text.p);
    }
    r->count = 0;
    if (r->where != OBJECT)
        return;
    r->where = r->back; /* cut off */
    text_add (&r->out, r->object.p, r->object.n);
}

/* Up to n bytes of what has become of them. */
static size_t pfw_reline_take (struct pfw_reline *r, char *out, size_t n)
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

/* --- blocks ------------------------------------------------------------- */

enum {
    BLOCK_BYTES = 1 << 21,
    LINE_MAX_BYTES = 1 << 24, /* a longer one is damage */
    LOOK_BYTES = 1 << 16      /* which tell what kind of file it is */
};

struct pfw_blocks {
    struct gzin *in;
    char *rest; /* what is left of a line; owned */
    size_t rest_n, rest_room;
    struct pfw_reline *lines; /* NULL: the file has one event a line */
    int skipping;             /* inside a line that is too long */
    int end;
    uint64_t read; /* plain bytes */
    uint64_t bad, bad_bytes;
};

struct pfw_blocks *pfw_blocks_create (int fd)
{
    struct pfw_blocks *f = ZEROED (f, 1);

    f->in = xalloc_checked (gzin_create (fd));
    return f;
}

void pfw_blocks_destroy (struct pfw_blocks *f)
{
    if (!f)
        return;
    gzin_destroy (f->in);
    pfw_reline_destroy (f->lines);
    free (f->rest);
    free (f);
}

static void block_reserve (char **p, size_t *room, size_t want)
{
    if (want <= *room)
        return;
    *p = xreallocarray (*p, want + PFW_BLOCK_SLACK, 1);
    *room = want;
}

/* The begin of the file: what kind is it? */
static ssize_t block_look (struct pfw_blocks *f, char *p, size_t room)
{
    size_t n = 0;
    ssize_t got = 1;

    while (n < room && n < LOOK_BYTES && got > 0)
        if ((got = gzin_read (f->in, p + n, room - n)) > 0)
            n += (size_t)got;
    if (got < 0 || !pfw_reline_wanted (p, n))
        return got < 0 ? -1 : (ssize_t)n;
    NEW (f->lines, 1);
    pfw_reline_feed (f->lines, p, n);
    if (got == 0)
        pfw_reline_end (f->lines);
    return (ssize_t)pfw_reline_take (f->lines, p, room);
}

static ssize_t relined (struct pfw_blocks *f, char *p, size_t room)
{
    char in[1 << 14];
    size_t n;
    ssize_t got;

    while (!(n = pfw_reline_take (f->lines, p, room))) {
        got = gzin_read (f->in, in, sizeof (in));
        if (got < 0)
            return -1;
        if (got == 0) {
            pfw_reline_end (f->lines);
            return (ssize_t)pfw_reline_take (f->lines, p, room);
        }
        pfw_reline_feed (f->lines, in, (size_t)got);
    }
    return (ssize_t)n;
}

static ssize_t block_read (struct pfw_blocks *f, char *p, size_t room)
{
    if (!f->read && !f->lines)
        return block_look (f, p, room);
    return f->lines ? relined (f, p, room) : gzin_read (f->in, p, room);
}

/* Read until b is full or the file ends. */
static int block_fill (struct pfw_blocks *f, struct pfw_block *b, size_t room)
{
    ssize_t got = 1;

    while (b->n < room && got > 0)
        if ((got = block_read (f, b->p + b->n, room - b->n)) > 0) {
            b->n += (size_t)got;
            f->read += (uint64_t)got;
        }
    f->end = got == 0;
    return got < 0 ? -1 : 0;
}

/* Drop what belongs to a line that is too long. */
static void block_skip (struct pfw_blocks *f, struct pfw_block *b)
{
    const char *end = memchr (b->p, '\n', b->n);
    size_t bad = end ? (size_t)(end - b->p) : b->n;

    f->bad_bytes += bad;
    f->skipping = !end;
    b->n -= end ? bad + 1 : bad;
    if (b->n)
        memmove (b->p, end + 1, b->n);
}

/* Cut b behind its last newline; the rest waits. */
static void
block_cut (struct pfw_blocks *f, struct pfw_block *b, const char *newline)
{
    size_t whole = (size_t)(newline + 1 - b->p);

    f->rest_n = b->n - whole;
    block_reserve (&f->rest, &f->rest_room, f->rest_n + 1);
    memcpy (f->rest, newline + 1, f->rest_n);
    b->n = whole;
}

int pfw_blocks_next (struct pfw_blocks *f, struct pfw_block *b)
{
    size_t room = b->room ? BLOCK_BYTES : LOOK_BYTES;
    const char *newline;

    b->n = b->last = 0;
    if (f->end)
        return 0;
    while (room < 2 * f->rest_n)
        room *= 2;
    block_reserve (&b->p, &b->room, room);
    if (f->rest_n)
        memcpy (b->p, f->rest, f->rest_n);
    b->n = f->rest_n;
    for (;;) {
        if (block_fill (f, b, room) < 0)
            return -1;
        if (f->skipping)
            block_skip (f, b);
        if (f->end) {
            b->last = 1;
            return b->n > 0;
        }
        if (room < BLOCK_BYTES) { /* not a small file */
            block_reserve (&b->p, &b->room, room = BLOCK_BYTES);
            continue;
        }
        if (b->n && (newline = memrchr (b->p, '\n', b->n))) {
            block_cut (f, b, newline);
            return 1;
        }
        if (b->n == room && room >= LINE_MAX_BYTES) {
            f->bad++;
            f->skipping = 1;
            block_skip (f, b);
        } else if (b->n == room)
            block_reserve (&b->p, &b->room, room *= 2);
    }
}

void pfw_blocks_damage (const struct pfw_blocks *f,
                        uint64_t *lines,
                        uint64_t *bytes)
{
    *lines = f->bad + (f->lines ? f->lines->bad : 0);
    *bytes = f->bad_bytes;
}

const struct gzin_account *pfw_blocks_account (const struct pfw_blocks *f)
{
    return gzin_account (f->in);
}

void pfw_block_clear (struct pfw_block *b)
{
    free (b->p);
    memset (b, 0, sizeof (*b));
}
