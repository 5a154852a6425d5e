/* SPDX-License-Identifier: MIT
 *
 * pfwblock.c - a DFTracer trace on disk -> blocks of whole lines
 *
 * In:  plain bytes, from gzin.c
 * Out: blocks, to pfwread.c and pfwtrace.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwblock.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwreline.h"

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
    size_t member; /* that of the last block */
    uint64_t bad, bad_bytes;
};

struct pfw_blocks *pfw_blocks_create (int fd)
{
    struct pfw_blocks *f = calloc (1, sizeof (*f));

    if (f && !(f->in = gzin_create (fd))) {
        free (f);
        return NULL;
    }
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

static int pfwblock_reserve (char **p, size_t *room, size_t want)
{
    char *more;

    if (want <= *room)
        return 0;
    if (!(more = realloc (*p, want + PFW_BLOCK_SLACK)))
        return -1;
    *p = more;
    *room = want;
    return 0;
}

/* The begin of the file: what kind is it? */
static ssize_t pfwblock_look (struct pfw_blocks *f, char *p, size_t room)
{
    size_t n = 0;
    ssize_t got = 1;

    while (n < room && n < LOOK_BYTES && got > 0)
        if ((got = gzin_read (f->in, p + n, room - n)) > 0)
            n += (size_t)got;
    if (got < 0 || !pfw_reline_wanted (p, n))
        return got < 0 ? -1 : (ssize_t)n;
    if (!(f->lines = pfw_reline_create ()) ||
        pfw_reline_feed (f->lines, p, n) < 0 ||
        (got == 0 && pfw_reline_end (f->lines) < 0))
        return -1;
    return (ssize_t)pfw_reline_take (f->lines, p, room);
}

static ssize_t pfwblock_relined (struct pfw_blocks *f, char *p, size_t room)
{
    char in[1 << 14];
    size_t n;
    ssize_t got;

    while (!(n = pfw_reline_take (f->lines, p, room))) {
        got = gzin_read (f->in, in, sizeof (in));
        if (got < 0 ||
            (got > 0 && pfw_reline_feed (f->lines, in, (size_t)got) < 0) ||
            (got == 0 && pfw_reline_end (f->lines) < 0))
            return -1;
        if (got == 0)
            return (ssize_t)pfw_reline_take (f->lines, p, room);
    }
    return (ssize_t)n;
}

static ssize_t pfwblock_read (struct pfw_blocks *f, char *p, size_t room)
{
    if (!f->read && !f->lines)
        return pfwblock_look (f, p, room);
    return f->lines ? pfwblock_relined (f, p, room)
                    : gzin_read (f->in, p, room);
}

/* Read until b is full or the file ends. */
static int
pfwblock_fill (struct pfw_blocks *f, struct pfw_block *b, size_t room)
{
    ssize_t got = 1;

    while (b->n < room && got > 0)
        if ((got = pfwblock_read (f, b->p + b->n, room - b->n)) > 0) {
            b->n += (size_t)got;
            f->read += (uint64_t)got;
        }
    f->end = got == 0;
    return got < 0 ? -1 : 0;
}

/* Drop what belongs to a line that is too long. */
static void pfwblock_skip (struct pfw_blocks *f, struct pfw_block *b)
{
    const char *end = memchr (b->p, '\n', b->n);
    size_t bad = end ? (size_t)(end - b->p) : b->n;

    f->bad_bytes += bad;
    f->skipping = !end;
    b->n -= end ? bad + 1 : bad;
    if (b->n)
        memmove (b->p, end + 1, b->n);
}

/* Cut b behind its last newline; the rest waits. -1: ENOMEM. */
static int
pfwblock_cut (struct pfw_blocks *f, struct pfw_block *b, const char *newline)
{
    size_t whole = (size_t)(newline + 1 - b->p);

    f->rest_n = b->n - whole;
    if (pfwblock_reserve (&f->rest, &f->rest_room, f->rest_n + 1) < 0)
        return -1;
    memcpy (f->rest, newline + 1, f->rest_n);
    b->n = whole;
    return 0;
}

static void pfwblock_place (struct pfw_blocks *f, struct pfw_block *b)
{
    size_t n;
    const struct gzin_member *all = gzin_members (f->in, &n);

    while (f->member + 1 < n && all[f->member + 1].plain <= b->begin)
        f->member++;
    if (n)
        b->from = all[f->member];
}

static int pfwblock_next (struct pfw_blocks *f, struct pfw_block *b)
{
    size_t room = BLOCK_BYTES;
    const char *newline;

    b->n = b->last = 0;
    b->begin = f->read - f->rest_n;
    if (f->end)
        return 0;
    while (room < 2 * f->rest_n)
        room *= 2;
    if (pfwblock_reserve (&b->p, &b->room, room) < 0)
        return -1;
    if (f->rest_n)
        memcpy (b->p, f->rest, f->rest_n);
    b->n = f->rest_n;
    for (;;) {
        if (pfwblock_fill (f, b, room) < 0)
            return -1;
        if (f->skipping)
            pfwblock_skip (f, b);
        if (f->end) {
            b->last = 1;
            return b->n > 0;
        }
        if (b->n && (newline = memrchr (b->p, '\n', b->n)))
            return pfwblock_cut (f, b, newline) < 0 ? -1 : 1;
        if (b->n == room && room >= LINE_MAX_BYTES) {
            f->bad++;
            f->skipping = 1;
            pfwblock_skip (f, b);
        } else if (b->n == room &&
                   pfwblock_reserve (&b->p, &b->room, room *= 2) < 0)
            return -1;
    }
}

int pfw_blocks_next (struct pfw_blocks *f, struct pfw_block *b)
{
    int rc = pfwblock_next (f, b);

    if (rc > 0)
        pfwblock_place (f, b);
    return rc;
}

void pfw_blocks_damage (const struct pfw_blocks *f,
                        uint64_t *lines,
                        uint64_t *bytes)
{
    *lines = f->bad + (f->lines ? pfw_reline_bad (f->lines) : 0);
    *bytes = f->bad_bytes;
}

int pfw_blocks_relined (const struct pfw_blocks *f)
{
    return f->lines != NULL;
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
