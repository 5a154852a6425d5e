/* SPDX-License-Identifier: MIT
 *
 * metrics.c - facts of a job -> the metrics of metrics.def
 *
 * In:  struct summary, from summary.c
 * Out: numbers, or why there is none
 */
#include "config.h"

#include "analyze/facts/metrics.h"

#include "lib/format/calls.h"

/* --- glue of the value column -----------------------------------------------
 */

static double metrics_per (double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Sum of a member of struct transfer over the POSIX transfers. */
#define POSIX_OF(S, WHAT)                                         \
    ((S)->n.cost[COST_read].WHAT + (S)->n.cost[COST_write].WHAT + \
     (S)->n.cost[COST_copy].WHAT)
#define PER(A, B)      metrics_per ((double)(A), (double)(B))
#define NS(T)          ((double)(T) / 1e9)
#define MEAN(OVER)     (PER ((OVER).sum, (OVER).ranks) / 1e9)
#define SHARE(A, B)    (100 * PER (A, B))
#define MIBS(RATE)     ((RATE) / (1024 * 1024))
#define RATE(BYTES, T) MIBS (PER ((BYTES), NS (T)))

/* --- needs ------------------------------------------------------------------
 */

enum need {
#define NEED(NAME, CONDITION, WHY) NEED_##NAME,
#include "lib/model/needs.def"
#undef NEED
};

/* NULL when it is met. */
static const char *unmet (const struct summary *s, enum need need)
{
    switch (need) {
#define NEED(NAME, CONDITION, WHY) \
    case NEED_##NAME:              \
        return (CONDITION) ? NULL : (WHY);
#include "lib/model/needs.def"
#undef NEED
    }
    return NULL;
}

static double value (const struct summary *s, enum metric m)
{
    switch (m) {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, MADE_OF, VALUE, TEXT) \
    case METRIC_##NAME:                                                        \
        return (double)(VALUE);
#include "lib/model/metrics.def"
#undef METRIC
    case METRIC_COUNT:
        break;
    }
    return 0;
}

static uint64_t metrics_whole (const struct summary *s, enum metric m)
{
    switch (m) {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, MADE_OF, VALUE, TEXT) \
    case METRIC_##NAME:                                                        \
        return (DIGITS) ? 0 : (uint64_t)(VALUE);
#include "lib/model/metrics.def"
#undef METRIC
    case METRIC_COUNT:
        break;
    }
    return 0;
}

struct metric_value metric_compute (const struct summary *s, enum metric m)
{
    static const enum need needs[METRIC_COUNT] = {
#define METRIC(NAME, TITLE, UNIT, DIGITS, SECTION, NEED, MADE_OF, VALUE, TEXT) \
    NEED_##NEED,
#include "lib/model/metrics.def"
#undef METRIC
    };
    struct metric_value v = {.note = unmet (s, needs[m])};

    if (summary_is_profile (s) && metric_table[m].made_of == METRIC_OF_TIMES)
        v.note = s->profparts.events
                     ? "profile: it needs the time of each event: "
                       "see --trace-part"
                     : "profile: it needs the time of each event";
    if (v.note)
        return v;
    v.known = 1;
    v.value = value (s, m);
    v.whole = metrics_whole (s, m);
    return v;
}
