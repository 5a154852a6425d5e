/* SPDX-License-Identifier: MIT
 *
 * sitecost.c - `dftrace site cost`: what tracing cost, by month
 *
 * In:  results/runs.csv of sweeps with `control`, below the directories
 * Out: a row for each month in which results were made
 */
#include "config.h"

#include <inttypes.h>
#include <time.h>

#include "cli/site/site.h"
#include "cli/site/sitestats.h"
#include "lib/util/log.h"

enum { SECONDS_PER_DAY = 24 * 3600 };

static void cost_columns (struct textable *t)
{
    textable_column (t, "month", "month", "", 0);
    textable_column (t, "sweeps", "sweeps", "", 1);
    textable_column (t, "pairs", "controls", "", 1);
    textable_column (t, "overhead_percent", "slower\nby", "%", 1);
    textable_column (t, "low_percent", "95 %\nfrom", "%", 1);
    textable_column (t, "high_percent", "to", "%", 1);
}

static void cost_row (struct textable *t,
                      const char *name,
                      uint64_t sweeps,
                      const struct effect *e)
{
    textable_row (t);
    textable_text (t, name);
    textable_uint (t, sweeps);
    textable_uint (t, e->pairs);
    textable_double (t, (e->mean - 1) * 100, 2);
    textable_double (t, (e->low - 1) * 100, 2);
    textable_double (t, (e->high - 1) * 100, 2);
}

static int cost_print (const struct sitestats *s, enum table_format format)
{
    struct textable *t = textable_create ();
    uint64_t sweeps = 0;
    int rc;

    if (!t)
        return -1;
    cost_columns (t);
    for (size_t i = 0; i < s->months; i++) {
        if (s->month[i].overhead.pairs)
            cost_row (t, s->month[i].name, s->month[i].sweeps,
                      &s->month[i].overhead);
        sweeps += s->month[i].sweeps;
    }
    if (sweeps)
        cost_row (t, "all", sweeps, &s->sum.overhead);
    rc = textable_print (t, stdout, format);
    textable_destroy (t);
    if (!sweeps)
        log_warn (
            "site: no pair of a traced run and its untraced control: "
            "give a sweep `control: {paired: true}` and make its results");
    return rc;
}

int site_cost (const struct site_options *o, int count, char **operands)
{
    struct sitestats s;
    int rc;

    sitestats_begin (&s, o->days_said ? time (NULL) - (time_t)o->ask.days *
                                                          SECONDS_PER_DAY
                                      : 0);
    for (int i = 0; i < count; i++)
        sitestats_read (&s, operands[i]);
    sitestats_end (&s);
    rc = cost_print (&s, o->format);
    if (s.unreadable)
        log_warn ("site: %" PRIu64 " files or directories could not be read",
                  s.unreadable);
    rc = rc < 0 ? EXIT_FAILED : s.unreadable ? EXIT_DAMAGED : EXIT_OK;
    sitestats_clear (&s);
    return rc;
}
