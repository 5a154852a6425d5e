/* SPDX-License-Identifier: MIT
 *
 * sitestatsprint.c - `dftrace site stats`: what was traced, at what overhead
 *
 * In:  struct sitestats
 * Out: a row for each user: jobs, events, bytes, losses; what is measured of
 *      the cost
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/site/site.h"
#include "cli/site/sitestats.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/textable.h"

enum { SECONDS_PER_DAY = 24 * 3600 };
enum section { TRACED = 1, COST = 2, ESTIMATE = 4 };

static const double us_per_s = 1e6, us_per_hour = 3.6e9, ms_per_s = 1e3,
                    mib = 1 << 20;

/* -- cells ------------------------------------------------------------- */

struct column {
    enum section section;
    const char *name, *title, *unit;
    int digits;                                /* -1: a count */
    double (*value) (const struct site_row *); /* NaN: not known */
};

static int call_ns; /* of --call-ns */

static double ratio (double a, double b)
{
    return b > 0 ? a / b : NAN;
}

#define COUNT(FIELD)                                    \
    static double FIELD##_of (const struct site_row *r) \
    {                                                   \
        return (double)r->FIELD;                        \
    }
COUNT (jobs)
COUNT (open)
COUNT (nodes)
COUNT (processes)
COUNT (unfinished)
COUNT (events)
COUNT (lost)
COUNT (epilogs)

static double stages_of (const struct site_row *r)
{
    return (double)r->stages;
}

static double mib_of (const struct site_row *r)
{
    return (double)r->bytes / mib;
}

static double event_bytes_of (const struct site_row *r)
{
    return ratio ((double)r->bytes, (double)r->events);
}

static double hours_of (const struct site_row *r)
{
    return (double)r->processes_us / us_per_hour;
}

static double events_per_s_of (const struct site_row *r)
{
    return ratio ((double)r->rated_events, (double)r->processes_us / us_per_s);
}

static double mib_per_hour_of (const struct site_row *r)
{
    return ratio ((double)r->rated_bytes / mib, hours_of (r));
}

static double epilog_s_of (const struct site_row *r)
{
    return r->epilogs ? (double)r->epilog_ms / ms_per_s : NAN;
}

static double epilog_max_s_of (const struct site_row *r)
{
    return r->epilogs ? (double)r->epilog_max_ms / ms_per_s : NAN;
}

static double epilog_cpu_s_of (const struct site_row *r)
{
    return r->epilogs ? (double)r->epilog_cpu_ms / ms_per_s : NAN;
}

static double pairs_of (const struct site_row *r)
{
    return (double)r->overhead.pairs;
}

static double overhead_of (const struct site_row *r)
{
    return (r->overhead.mean - 1) * 100;
}

static double overhead_low_of (const struct site_row *r)
{
    return (r->overhead.low - 1) * 100;
}

static double overhead_high_of (const struct site_row *r)
{
    return (r->overhead.high - 1) * 100;
}

static double estimate_of (const struct site_row *r)
{
    return (double)r->events * call_ns / 1e9;
}

static const struct column columns[] = {
    {TRACED, "jobs", "jobs", "", -1, jobs_of},
    {TRACED, "open", "not\nanalyzed", "", -1, open_of},
    {TRACED, "nodes", "nodes", "", -1, nodes_of},
    {TRACED, "processes", "processes", "", -1, processes_of},
    {TRACED, "unfinished", "killed", "", -1, unfinished_of},
    {TRACED, "events", "events", "", -1, events_of},
    {TRACED, "lost", "lost", "", -1, lost_of},
    {TRACED, "stages_missing", "stages\nmissing", "", -1, stages_of},
    {TRACED, "mib", "traces", "MiB", 1, mib_of},
    {TRACED, "bytes_per_event", "per\nevent", "B", 1, event_bytes_of},
    {COST, "process_hours", "processes", "h", 3, hours_of},
    {COST, "events_per_s", "events\nof one", "1/s", 1, events_per_s_of},
    {COST, "mib_per_hour", "traces\nof one", "MiB/h", 1, mib_per_hour_of},
    {COST, "epilogs", "epilogs\ntimed", "", -1, epilogs_of},
    {COST, "epilog_s", "their\ntime", "s", 3, epilog_s_of},
    {COST, "epilog_max_s", "longest", "s", 3, epilog_max_s_of},
    {COST, "epilog_cpu_s", "their\nCPU", "s", 3, epilog_cpu_s_of},
    {COST, "pairs", "controls", "", -1, pairs_of},
    {COST, "overhead", "slower\nby", "%", 1, overhead_of},
    {COST, "overhead_low", "from", "%", 1, overhead_low_of},
    {COST, "overhead_high", "to", "%", 1, overhead_high_of},
    {ESTIMATE, "estimate_s", "estimate\nof calls", "s", 3, estimate_of},
};
enum { COLUMNS = sizeof (columns) / sizeof (columns[0]) };

/* -- the table --------------------------------------------------------- */

static void
site_put_row (struct textable *t, const struct site_row *r, unsigned sections)
{
    textable_row (t);
    textable_text (t, r->user ? r->user : "all");
    for (int i = 0; i < COLUMNS; i++) {
        const struct column *c = &columns[i];

        if (!(c->section & sections))
            continue;
        if (c->digits < 0)
            textable_uint (t, (uint64_t)c->value (r));
        else
            textable_double (t, c->value (r), c->digits);
    }
}

static int print_sections (const struct sitestats *s,
                           unsigned sections,
                           enum table_format format)
{
    struct textable *t = textable_create ();
    int rc;

    if (!t)
        return -1;
    textable_column (t, "user", "user", "", 0);
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].section & sections)
            textable_column (t, columns[i].name, columns[i].title,
                             columns[i].unit, 1);
    for (size_t i = 0; i < s->rows; i++)
        site_put_row (t, &s->row[i], sections);
    site_put_row (t, &s->sum, sections);
    rc = textable_print (t, stdout, format);
    textable_destroy (t);
    return rc;
}

static int print_stats (const struct sitestats *s, enum table_format format)
{
    unsigned cost = call_ns ? COST | ESTIMATE : COST;

    if (format == TABLE_CSV || format == TABLE_JSON)
        return print_sections (s, TRACED | cost, format);
    if (print_sections (s, TRACED, format) < 0)
        return -1;
    (void)putchar ('\n');
    return print_sections (s, cost, format);
}

int site_stats (const struct site_options *o, int count, char **operands)
{
    struct sitestats s;
    int rc;

    call_ns = o->call_ns;
    sitestats_begin (&s, o->ask.days ? time (NULL) -
                                           (time_t)o->ask.days * SECONDS_PER_DAY
                                     : 0);
    for (int i = 0; i < count; i++)
        sitestats_read (&s, operands[i]);
    sitestats_end (&s);
    rc = print_stats (&s, o->format);
    sitestats_clear (&s);
    if (s.unreadable)
        log_warn ("site: %" PRIu64 " files or directories could not be read",
                  s.unreadable);
    return rc < 0 ? EXIT_FAILED : s.unreadable ? EXIT_DAMAGED : EXIT_OK;
}
