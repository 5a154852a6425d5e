/* SPDX-License-Identifier: MIT
 *
 * pfwread.c - a DFTracer trace on disk -> its lines, and what is wrong
 *
 * In:  .pfw or .pfw.gz; also two processes that wrote into one file, files
 *      put one behind the other ("]["), killed and still running writers
 * Out: struct pfw_line of every object that is one, to pfwstore.c
 */

/* Design. Lines go in turns. A worker inflates a block of whole lines while
 * the others may not, makes records of it while they do theirs, and says
 * where they are when its turn has come. Merging does the same the other
 * way: take the next events or chunk, make the bytes, write in turn. What is
 * written does not depend on the number of threads, and each has one block
 * in memory. */

#include "config.h"

#include "analyze/import/pfw/pfwread.h"
#include "analyze/import/pfw/pfwshape.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

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
static int take_line (struct reader *r, const char *p, const char *limit)
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

void pfw_block_read (const struct pfw_block *b,
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
        if (take_line (&r, p, end) < 0)
            return;
    if (p == limit)
        return;
    bad = account->bad; /* what stands behind the last newline */
    take_line (&r, p, limit);
    account->cut = account->bad > bad;
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
    int rc;

    memset (account, 0, sizeof (*account));
    while ((rc = pfw_blocks_next (f, &b)) > 0)
        pfw_block_read (&b, account, take, cookie);
    pfw_account_end (account, f);
    pfw_blocks_destroy (f);
    pfw_block_clear (&b);
    return rc;
}

uint64_t pfw_lost (const struct pfw_account *a)
{
    return a->bad + a->bad_times + a->merged + a->pairs;
}

/* --- the unit of times
 * -------------------------------------------------------- */

enum { LOOK_EVENTS = 1000 };

/* Times of day: from 2001-09-09 to 2128, in seconds. */
#define DAYS_FIRST ((uint64_t)1000000000)
#define DAYS_LIMIT ((uint64_t)5000000000)
#define NS_LIMIT   ((uint64_t)9000000000000000000)

static const struct {
    const char *word;
    uint32_t ns;
} units[] = {{"NS", 1}, {"US", 1000}, {"MS", 1000000}, {"SEC", 1000000000}};

enum { UNITS = ITEMS (units), USUAL = 1 };

uint32_t pfw_unit_said (const struct pfw_line *l)
{
    if (pfw_text_is (&l->name, "CM") &&
        pfw_text_is (&l->meta_name, "time_metric"))
        for (int i = 0; i < UNITS; i++)
            if (pfw_text_is (&l->meta_value, units[i].word))
                return units[i].ns;
    return 0;
}

static int is_of_day (uint64_t time, uint32_t ns)
{
    uint64_t second = 1000000000 / ns;

    return time / second >= DAYS_FIRST && time / second < DAYS_LIMIT;
}

/* --- the first lines --------------------------------------------------------
 */

struct unit_look {
    uint32_t said;
    unsigned events, of_day[UNITS];
};

static int unit_look (void *cookie, const struct pfw_line *l)
{
    struct unit_look *k = cookie;

    if (l->phase == PFW_PHASE_META) {
        if (!k->said)
            k->said = pfw_unit_said (l);
    } else {
        k->events++;
        for (int i = 0; i < UNITS; i++)
            k->of_day[i] += (unsigned)is_of_day (l->ts, units[i].ns);
    }
    return k->events == LOOK_EVENTS ? -1 : 0;
}

int pfw_unit_find (int fd, struct pfw_unit *unit)
{
    struct pfw_blocks *f = pfw_blocks_create (fd);
    struct pfw_block b = {0};
    struct pfw_account account = {0};
    struct unit_look k = {0};
    int at = USUAL, rc = pfw_blocks_next (f, &b);

    if (rc > 0)
        pfw_block_read (&b, &account, unit_look, &k);
    for (int i = 0; i < UNITS; i++)
        if (k.said ? units[i].ns == k.said : 2 * k.of_day[i] > k.events)
            at = i;
    *unit = (struct pfw_unit){.ns = units[at].ns,
                              .guessed = !k.said && at != USUAL,
                              .of_day = 2 * k.of_day[at] > k.events,
                              .latest = NS_LIMIT / units[at].ns / 2,
                              .longest = NS_LIMIT / units[at].ns / 2};
    if (unit->of_day && unit->latest > DAYS_LIMIT * (1000000000 / unit->ns) - 1)
        unit->latest = DAYS_LIMIT * (1000000000 / unit->ns) - 1;
    pfw_blocks_destroy (f);
    pfw_block_clear (&b);
    return rc < 0 || lseek (fd, 0, SEEK_SET) < 0 ? -1 : 0;
}

/* --- times ------------------------------------------------------------------
 */

int pfw_unit_times (const struct pfw_unit *unit,
                    const struct pfw_line *l,
                    uint64_t *start,
                    uint64_t *end)
{
    if (l->ts > unit->latest || l->dur > unit->longest ||
        (unit->of_day && l->ts == 0))
        return -1; /* 0 is what was never set */
    *start = l->ts * unit->ns + (uint64_t)l->ts_part * unit->ns / 1000;
    *end = *start + l->dur * unit->ns + (uint64_t)l->dur_part * unit->ns / 1000;
    return 0;
}

/* --- lines that are there twice
 * ------------------------------------------------ */

enum { FIRST_SLOTS = 1024, ROUNDED_NS = 2000 /* both ends are whole us */ };

struct pfw_seen {
    uint64_t *slot; /* hashes of lines; 0 empty */
    size_t slots, count;
};

int pfw_goes_back (const struct pfw_mark *before, const struct pfw_mark *after)
{
    return (after->id && after->id == before->id) ||
           (after->start + ROUNDED_NS < before->start &&
            after->end + ROUNDED_NS < before->end);
}

struct pfw_seen *pfw_seen_create (void)
{
    struct pfw_seen *s = ZEROED (s, 1);

    s->slots = FIRST_SLOTS;
    NEW (s->slot, s->slots);
    return s;
}

void pfw_seen_destroy (struct pfw_seen *s)
{
    int saved = errno;

    if (s)
        free (s->slot);
    free (s);
    errno = saved;
}

/* --- hashes ----------------------------------------------------------------
 */

static uint64_t seen_mix (uint64_t h, uint64_t w)
{
    h = (h ^ w) * 0xff51afd7ed558ccdu;
    return h ^ h >> 32;
}

static uint64_t seen_text (uint64_t h, const struct pfw_text *t)
{
    h = seen_mix (h, t->p ? t->n : UINT32_MAX);
    for (uint32_t i = 0; t->p && i < t->n; i++)
        h = (h ^ (unsigned char)t->p[i]) * 0x100000001b3u;
    return seen_mix (h, 0);
}

static uint64_t seen_hash (const struct pfw_line *l)
{
    uint64_t h = seen_mix (0x9e3779b97f4a7c15u, l->id);

    h = seen_mix (seen_mix (seen_mix (h, l->pid), l->tid), l->ts);
    h = seen_mix (seen_mix (h, l->dur),
                  (uint64_t)l->ts_part << 16 | l->dur_part);
    h = seen_text (seen_text (h, &l->name), &l->cat);
    h = seen_text (seen_text (h, &l->hhash), &l->fhash);
    h = seen_mix (seen_mix (h, (uint64_t)l->ret), (uint64_t)l->offset);
    h = seen_mix (seen_mix (h, (uint64_t)l->size), (uint64_t)l->count);
    return h ? h : 1;
}

/* --- the set
 * ------------------------------------------------------------------ */

static void seen_grow (struct pfw_seen *s)
{
    size_t slots = 2 * s->slots;
    uint64_t *slot;

    if (2 * s->count < s->slots)
        return;
    NEW (slot, slots);
    for (size_t i = 0; i < s->slots; i++) {
        size_t at = s->slot[i] & (slots - 1);

        if (!s->slot[i])
            continue;
        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = s->slot[i];
    }
    free (s->slot);
    s->slot = slot;
    s->slots = slots;
}

int pfw_seen_add (struct pfw_seen *s, const struct pfw_line *l)
{
    uint64_t hash;
    size_t at;

    if (!(l->has & PFW_HAS_ID))
        return 0;
    seen_grow (s);
    hash = seen_hash (l);
    for (at = hash & (s->slots - 1); s->slot[at];
         at = (at + 1) & (s->slots - 1))
        if (s->slot[at] == hash)
            return 1;
    s->slot[at] = hash;
    s->count++;
    return 0;
}
