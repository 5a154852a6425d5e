/* SPDX-License-Identifier: MIT
 *
 * insight.h - numbers of a job -> what is worth saying: insights.def
 */
#ifndef DFT_ANALYZE_INSIGHT_H
#define DFT_ANALYZE_INSIGHT_H

#include "analyze/derive/summary.h"

enum insight {
#define INSIGHT(NAME, APPLIES, A, B, SIDE, LIMIT, CRITICAL, TEXT, WHAT_A, \
                WHAT_B, FROM, TRY)                                        \
    INSIGHT_##NAME,
#include "lib/model/insights.def"
#undef INSIGHT
    INSIGHT_COUNT
};

struct insight_info {
    const char *name, *finding, *what_a, *what_b, *from, *advice;
    int below;
    double limit, critical;
};

extern const struct insight_info insight_table[INSIGHT_COUNT];

enum severity { SEVERITY_NONE, SEVERITY_WARNING, SEVERITY_CRITICAL };

struct finding {
    enum severity severity;
    double a, b, value;
};

/* All rules on a job. Never fails. */
void insights_find (struct finding found[INSIGHT_COUNT],
                    const struct summary *s,
                    const struct totals *t);

/* Is there anything to say? */
int insights_any (const struct summary *s, const struct totals *t);

const char *severity_name (enum severity severity);

#endif
