/* SPDX-License-Identifier: MIT
 *
 * insight.h - numbers of a job -> what is worth saying: insights.def
 */
#pragma once

#include "analyze/facts/summary.h"

enum insight {
#define INSIGHT(NAME, PARTS, APPLIES, A, B, SIDE, LIMIT, CRITICAL, COST, TEXT, \
                WHAT_A, WHAT_B, FROM, TRY, FOUND)                              \
    INSIGHT_##NAME,
#include "lib/model/insights.def"
#undef INSIGHT
    INSIGHT_COUNT
};

struct insight_info {
    const char *name, *finding, *what_a, *what_b, *from, *advice;
    unsigned parts;   /* bits 1 << enum bill */
    int whole;        /* all of the time of its parts, whatever the cause */
    int below, costs; /* costs: it is about time, and its cost decides */
    double limit, critical;
};

extern const struct insight_info insight_table[INSIGHT_COUNT];

/* Minor: below 1 % of the job. Detail: it is about the time of a finding that
 * stands before it. */
enum severity {
    SEVERITY_NONE,
    SEVERITY_MINOR,
    SEVERITY_DETAIL,
    SEVERITY_WARNING,
    SEVERITY_CRITICAL
};

struct finding {
    enum insight rule;
    enum severity severity;
    double a, b, value;
    int costs;            /* it costs time; else it is about the numbers */
    double cost, percent; /* s; of the job's time */
    enum bill part;       /* of its parts the one with most time; BILL_COUNT */
    const struct process *who; /* who has most of it; NULL: nobody is known */
    size_t equals;  /* it is one of so many equal ones; 0: no other is known */
    size_t at_once; /* processes that want a CPU at once; 0: not known */
    double threads; /* of one process that want a CPU, at most; 0: not known */
    uint64_t since; /* the others have ended: ns of CLOCK_REALTIME; 0 */
    struct late_rank late; /* of late_rank */
    struct row_time when;  /* of its part, or of who */
    enum insight lead;     /* the rule that stands for it on the first screen */
    double lead_cost;
    enum severity lead_severity;
};

/* Find the findings of a job: those about its numbers first, then critical
 * ones, by cost, each with its details behind it. Return their number. Never
 * fails. */
size_t insights_find (struct finding found[INSIGHT_COUNT],
                      const struct summary *s,
                      const struct totals *t);

/* How many of them stand on the first screen with their cost. */
size_t insights_worth (const struct finding *found, size_t n);

/* Is there anything to say? */
int insights_any (const struct summary *s, const struct totals *t);

const char *severity_name (enum severity severity);

enum { INSIGHT_ADVICE = 256 };

/* Write the advice on a finding with what is known of this job: for waiting for
 * a CPU the processors allowed and the throttling. Returns text. */
char *insight_advice (char text[INSIGHT_ADVICE],
                      const struct finding *found,
                      const struct summary *s);

/* The lane with most of a row of the bill; of waits for other ranks with least,
 * since that one comes last. NULL: there are none. */
const struct bill_lane *insights_lane (enum bill row, const struct summary *s);

/* The program of a lane: of processes that live for nearly as long as the
 * longest one the last to begin. Those before it are its parents, shells and
 * launchers. */
const struct process *insights_program (const struct totals *t,
                                        const struct bill_lane *lane);

/* -- what no finding stands for -- */

/* Percent of the time of the main threads that nothing explains, without what
 * tracing took; 0 where no bill can be made. */
double insights_unexplained (const struct summary *s);

enum { INSIGHT_WORDS = 96 };

/* The sentence of a job without a finding above 1 %. */
char *insights_nothing (char text[INSIGHT_WORDS], const struct summary *s);
