/* SPDX-License-Identifier: MIT
 *
 * pfwunit.c - times of a DFTracer trace -> nanoseconds
 *
 * In:  the first lines of a file; times of lines
 * Out: the unit, to pfwtrace.c; nanoseconds, to pfwbatch.c
 */
#include "config.h"

#include "analyze/import/pfw/pfwunit.h"

#include <string.h>
#include <unistd.h>

#include "analyze/import/pfw/pfwread.h"

enum { LOOK_EVENTS = 1000 };

/* Times of day: from 2001-09-09 to 2128, in seconds. */
#define DAYS_FIRST ((uint64_t)1000000000)
#define DAYS_LIMIT ((uint64_t)5000000000)
#define NS_LIMIT   ((uint64_t)9000000000000000000)

static const struct {
    const char *word;
    uint32_t ns;
} units[] = {{"NS", 1}, {"US", 1000}, {"MS", 1000000}, {"SEC", 1000000000}};

enum { UNITS = sizeof (units) / sizeof (units[0]), USUAL = 1 };

static int pfwunit_is (const struct pfw_text *t, const char *word)
{
    return t->p && t->n == strlen (word) && memcmp (t->p, word, t->n) == 0;
}

uint32_t pfw_unit_said (const struct pfw_line *l)
{
    if (pfwunit_is (&l->name, "CM") &&
        pfwunit_is (&l->meta_name, "time_metric"))
        for (int i = 0; i < UNITS; i++)
            if (pfwunit_is (&l->meta_value, units[i].word))
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

struct pfwunit_look {
    uint32_t said;
    unsigned events, of_day[UNITS];
};

static int pfwunit_look (void *cookie, const struct pfw_line *l)
{
    struct pfwunit_look *k = cookie;

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
    struct pfwunit_look k = {0};
    int at = USUAL, rc = f ? pfw_blocks_next (f, &b) : -1;

    if (rc > 0)
        (void)pfw_block_read (&b, &account, pfwunit_look, &k);
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
