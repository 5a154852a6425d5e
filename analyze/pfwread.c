/* SPDX-License-Identifier: MIT
 *
 * pfwread.c - a DFTracer trace on disk -> its lines, and what is wrong
 *
 * In:  .pfw or .pfw.gz; also two processes that wrote into one file, files
 *      put one behind the other ("]["), killed and still running writers
 * Out: struct pfw_line of every object that is one, to pfwtrace.c
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/pfwread.h"

enum {
    BUFFER_BYTES = 1 << 20,
    LINE_MAX_BYTES = 1 << 24, /* a longer one is damage */
    TRIES_MAX = 64            /* places in a bad line to go on from */
};

struct reader {
    struct pfw_account *account;
    pfw_take *take;
    void *cookie;
    struct pfw_line line;
};

/* --- lines ------------------------------------------------------------ */

static const char *separators (const char *p, const char *limit)
{
    while (p < limit && (*p == ' ' || *p == '\t' || *p == '\r' || *p == ',' ||
                         *p == '[' || *p == ']'))
        p++;
    return p;
}

static int accept (struct reader *r)
{
    struct pfw_account *a = r->account;
    const struct pfw_line *l = &r->line;

    switch (l->phase) {
    case PFW_PHASE_META:
        a->meta++;
        break;
    case PFW_PHASE_COUNTER:
        a->counters++;
        return 0;
    case PFW_PHASE_AGGREGATED:
        a->merged += l->merged ? l->merged : 1;
        return 0;
    default:
        if (!(l->has & PFW_HAS_TS)) { /* an event without a time */
            a->bad++;
            return 0;
        }
        a->events++;
    }
    return r->take (r->cookie, l);
}

/* The next object after a bad place, or limit; r->line is then it. */
static const char *
resume (struct reader *r, const char *p, const char *limit, const char **next)
{
    *next = limit;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        const char *brace =
            p < limit ? memmem (p, (size_t)(limit - p), "{\"", 2) : NULL;

        if (!brace)
            break;
        if ((*next = pfw_lex (&r->line, brace, limit)) && r->line.cat.p)
            return brace;
        p = brace + 1;
    }
    *next = limit;
    return limit;
}

/* One line, without its newline. */
static int take_line (struct reader *r, const char *p, const char *limit)
{
    struct pfw_account *a = r->account;
    const char *next;

    p = separators (p, limit);
    a->lines += p < limit;
    while (p < limit) {
        if (!(next = pfw_lex (&r->line, p, limit))) {
            const char *good = resume (r, p + 1, limit, &next);

            a->bad++;
            a->bad_bytes += (uint64_t)(good - p);
            if (good == limit)
                return 0;
        }
        if (accept (r) < 0)
            return -1;
        p = separators (next, limit);
    }
    return 0;
}

/* All whole lines of a buffer; returns what is left, NULL: stop. */
static const char *
take_lines (struct reader *r, const char *p, const char *limit)
{
    const char *end;

    while (p < limit && (end = memchr (p, '\n', (size_t)(limit - p)))) {
        if (take_line (r, p, end) < 0)
            return NULL;
        p = end + 1;
    }
    return p;
}

/* --- the file --------------------------------------------------------- */

struct buffer {
    char *p;
    size_t n, room;
    int skipping; /* inside a line that is too long */
};

/* Make room behind what is left of a line. */
static int make_room (struct reader *r, struct buffer *b)
{
    char *p;

    if (b->n < b->room)
        return 0;
    if (b->room >= LINE_MAX_BYTES) {
        r->account->bad += (uint64_t)!b->skipping;
        r->account->bad_bytes += b->n;
        b->skipping = 1;
        b->n = 0;
        return 0;
    }
    if (!(p = realloc (b->p, 2 * b->room)))
        return -1;
    b->p = p;
    b->room *= 2;
    return 0;
}

/* b->n bytes, of which `fresh` at the end are new. */
static int consume (struct reader *r, struct buffer *b, size_t fresh)
{
    const char *limit = b->p + b->n, *p = b->p;

    if (b->skipping) {
        const char *end = memchr (limit - fresh, '\n', fresh);

        r->account->bad_bytes += end ? (size_t)(end - p) : b->n;
        p = end ? end + 1 : limit;
        b->skipping = !end;
    }
    if (!(p = take_lines (r, p, limit)))
        return -1;
    b->n = (size_t)(limit - p);
    memmove (b->p, p, b->n);
    return 0;
}

static int read_all (struct reader *r, struct gzin *in, struct buffer *b)
{
    ssize_t got;

    do {
        if (make_room (r, b) < 0)
            return -1;
        got = gzin_read (in, b->p + b->n, b->room - b->n);
        if (got > 0) {
            b->n += (size_t)got;
            if (consume (r, b, (size_t)got) < 0)
                return -1;
        }
    } while (got > 0);
    return (int)got;
}

/* What stands behind the last newline. */
static int take_rest (struct reader *r, const struct buffer *b)
{
    uint64_t bad = r->account->bad;

    if (take_line (r, b->p, b->p + b->n) < 0)
        return -1;
    r->account->cut = r->account->bad > bad;
    return 0;
}

int pfw_read (int fd, struct pfw_account *account, pfw_take *take, void *cookie)
{
    struct reader r = {.account = account, .take = take, .cookie = cookie};
    struct buffer b = {.p = malloc (BUFFER_BYTES), .room = BUFFER_BYTES};
    struct gzin *in = gzin_create (fd);
    int rc = -1;

    memset (account, 0, sizeof (*account));
    if (b.p && in && read_all (&r, in, &b) == 0)
        rc = take_rest (&r, &b);
    if (in)
        account->in = *gzin_account (in);
    gzin_destroy (in);
    free (b.p);
    return rc;
}

uint64_t pfw_lost (const struct pfw_account *a)
{
    return a->bad + a->merged;
}
