/* SPDX-License-Identifier: MIT
 *
 * insight.h - numbers of a job -> what is worth saying: insights.def
 */
#ifndef DFT_FACTS_INSIGHT_H
#define DFT_FACTS_INSIGHT_H

#include "analyze/facts/summary.h"

enum insight {
#define INSIGHT(NAME, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                       \
    INSIGHT_##NAME,
#include "lib/model/insights.def"
#undef INSIGHT
    INSIGHT_COUNT
};

struct insight_info {
    const char *name, *finding, *what_a, *what_b, *from, *advice;
    int below, costs; /* costs: it is about time, and its cost decides */
    double limit, critical;
};

extern const struct insight_info insight_table[INSIGHT_COUNT];

/* Minor: below 1 % of the job. */
enum severity {
    SEVERITY_NONE,
    SEVERITY_MINOR,
    SEVERITY_WARNING,
    SEVERITY_CRITICAL
};

struct finding {
    enum insight rule;
    enum severity severity;
    double a, b, value;
    int costs;            /* it costs time; else it is about the numbers */
    double cost, percent; /* s; of the job's time */
};

/* Find the findings of a job: those about its numbers first, then by cost.
 * Return their number. Never fails. */
size_t insights_find (struct finding found[INSIGHT_COUNT],
                      const struct summary *s,
                      const struct totals *t);

/* Is there anything to say? */
int insights_any (const struct summary *s, const struct totals *t);

const char *severity_name (enum severity severity);

#endif
