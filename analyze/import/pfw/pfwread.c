/* SPDX-License-Identifier: MIT
 *
 * pfwread.c - a DFTracer trace on disk -> its lines, and what is wrong
 *
 * In:  .pfw or .pfw.gz; also two processes that wrote into one file, files
 *      put one behind the other ("]["), killed and still running writers
 * Out: struct pfw_line of every object that is one, to pfwtrace.c
 */
#include "config.h"

#include <string.h>

#include "analyze/import/pfw/pfwread.h"
#include "analyze/import/pfw/pfwshape.h"
#include "lib/util/log.h"

enum { TRIES_MAX = 64 /* places in a bad line to go on from */ };

struct reader {
    struct pfw_account *account;
    pfw_take *take;
    void *cookie;
    struct pfw_line line;
    struct pfw_shapes shapes; /* of the lines so far */
};

/* --- lines ------------------------------------------------------------ */

static const char *separators (const char *p, const char *limit)
{
    if (limit - p >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
        p += 3; /* a byte order mark */
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
        a->merged += l->merged > 0 && l->merged <= PFW_MERGED_MAX
                         ? (uint64_t)l->merged
                         : 1;
        if (!(l->has & PFW_HAS_TS))
            return 0;
        break;
    case PFW_PHASE_OTHER:
        a->others++;
        return 0;
    case PFW_PHASE_BEGIN:
    case PFW_PHASE_END:
        a->pairs++;
        return 0;
    default:
        if (l->has & PFW_HAS_TS_BELOW) {
            a->bad_times++;
            return 0;
        }
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
static int
pfwread_take_line (struct reader *r, const char *p, const char *limit)
{
    struct pfw_account *a = r->account;
    const char *next;

    p = separators (p, limit);
    a->lines += p < limit;
    while (p < limit) {
        if (!(next = pfw_shapes_lex (&r->shapes, &r->line, p, limit))) {
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

int pfw_block_read (const struct pfw_block *b,
                    struct pfw_account *account,
                    pfw_take *take,
                    void *cookie)
{
    struct reader r;
    const char *p = b->p, *limit = p + b->n, *end;
    uint64_t bad;

    r.account = account;
    r.take = take;
    r.cookie = cookie;
    pfw_shapes_init (&r.shapes);
    for (; p < limit && (end = memchr (p, '\n', (size_t)(limit - p)));
         p = end + 1)
        if (pfwread_take_line (&r, p, end) < 0)
            return -1;
    if (p == limit)
        return 0;
    bad = account->bad; /* what stands behind the last newline */
    if (pfwread_take_line (&r, p, limit) < 0)
        return -1;
    account->cut = account->bad > bad;
    return 0;
}

/* --- all of them ------------------------------------------------------ */

void pfw_account_add (struct pfw_account *a, const struct pfw_account *more)
{
    a->lines += more->lines;
    a->events += more->events;
    a->meta += more->meta;
    a->counters += more->counters;
    a->others += more->others;
    a->pairs += more->pairs;
    a->merged += more->merged;
    a->bad += more->bad;
    a->bad_bytes += more->bad_bytes;
    a->bad_times += more->bad_times;
    a->no_duration += more->no_duration;
    a->huge += more->huge;
    a->unsized += more->unsized;
    a->back += more->back;
    a->copies += more->copies;
    a->crossed += more->crossed;
    a->other_units += more->other_units;
    a->unnamed += more->unnamed;
    a->cut |= more->cut;
}

void pfw_account_end (struct pfw_account *a, const struct pfw_blocks *f)
{
    uint64_t bad, bytes;

    pfw_blocks_damage (f, &bad, &bytes);
    a->bad += bad;
    a->bad_bytes += bytes;
    a->in = *pfw_blocks_account (f);
    log_debug ("%llu lines of DFTracer read", (unsigned long long)a->lines);
}

int pfw_read (int fd, struct pfw_account *account, pfw_take *take, void *cookie)
{
    struct pfw_blocks *f = pfw_blocks_create (fd);
    struct pfw_block b = {0};
    int rc = -1;

    memset (account, 0, sizeof (*account));
    while (f && (rc = pfw_blocks_next (f, &b)) > 0)
        if ((rc = pfw_block_read (&b, account, take, cookie)) < 0)
            break;
    if (f)
        pfw_account_end (account, f);
    pfw_blocks_destroy (f);
    pfw_block_clear (&b);
    return rc;
}

uint64_t pfw_lost (const struct pfw_account *a)
{
    return a->bad + a->bad_times + a->merged + a->pairs;
}
