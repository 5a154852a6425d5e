/* SPDX-License-Identifier: MIT
 *
 * jobcompare.h - the answers of two jobs to one question -> what changed
 */
#pragma once

#include "analyze/tables/analyzeopts.h"
#include "analyze/facts/summary.h"
#include "analyze/query/query.h"
#include "lib/util/textable.h"

/* -- runs of two sides -> what changed, and how sure that is -- */

enum jobcompare_verdict {
    JOBCOMPARE_FEW, /* too few runs or steps to tell */
    JOBCOMPARE_SAME,
    JOBCOMPARE_SLOWER,
    JOBCOMPARE_FASTER,
    JOBCOMPARE_NEW, /* only in B */
    JOBCOMPARE_GONE /* only in A */
};

enum { JOBCOMPARE_SIDES = 2, JOBCOMPARE_SENTENCES = 3 };

/* Geometric means, B / A, with the 95 % interval and the probability that the
 * difference is chance (Welch's t of the logarithms of runs or steps; adjusted
 * by Holm's method where there are several). NaN: not known. */
struct jobcompare_ratio {
    double ratio, low, high, p;
};

/* One run: what is kept of it. */
struct jobcompare_run {
    struct query_answer answer; /* of the query, also by step in a side of one
                                   run */
    double seconds, wall[BILL_COUNT]; /* of the job, and where they went */
    struct marks steps;               /* of one rank */
};

/* A group of events, or (title not NULL) the job or a step. */
struct jobcompare_row {
    const struct query_cell *any; /* has the keys */
    const char *title;
    double count[2], seconds[2]; /* means of the runs */
    enum jobcompare_verdict verdict;
    struct jobcompare_ratio than;
};

struct jobcompare {
    struct query
        query; /* the caller's and, where steps are compared, the step */
    struct jobcompare_run *run[2]; /* owned; A, B */
    size_t runs[2];
    int step;        /* the last key of the query is the step: one run a side */
    size_t units[2]; /* runs, or equal parts of the steps; 0: of one run */
    struct jobcompare_row *row; /* owned; the job first, then by the change of
                                   their time */
    size_t count;
    size_t verdicts[JOBCOMPARE_GONE + 1]; /* of the rows */
    int damaged;                          /* some trace is */
    char headline[JOBCOMPARE_SENTENCES]
                 [512]; /* what changed and how much; where; how sure */
};

/* The jobs are of side A, then of side B. Slower or faster is what differs by
 * more than `limit` (0.1: 10 %) and is no chance (p below 0.05); the same is
 * what has its whole interval within the limit. The unit of the test is the
 * run; with one run a side the step, in up to ten groups of steps that follow
 * each other, and then the whole interval must be beyond a factor of 2, as runs
 * vary, too. 0, or -1 with err; jobcompare_clear in any case. */
struct jobcompare_input {
    const struct query *query;
    struct joblist *jobs; /* of A, of B */
    double limit;
    int threads;
    int (*damage) (const struct result *r); /* is the trace damaged? */
};
int jobcompare_make (struct jobcompare *c,
                     const struct jobcompare_input *in,
                     struct errtext *err);
void jobcompare_clear (struct jobcompare *c); /* zeroed is fine */

/* Operands -> the jobs of both sides: a job, a trace file, or the directory of
 * a point of a sweep, which is its runs. `second` operands behind "--" are of
 * side B; 0 or all of them: the last one is. 0, or -1 with err. */
int jobcompare_sides (struct joblist jobs[2],
                      int operands,
                      char **operand,
                      int second,
                      struct errtext *err);
/* The number of words behind "--"; before options are parsed. */
int jobcompare_second (int argc, char **argv);

const char *jobcompare_word (enum jobcompare_verdict verdict);
void jobcompare_columns (struct textable *t, const struct jobcompare *c);
/* At most top groups of events, 0: all. */
void jobcompare_rows (struct textable *t,
                      const struct jobcompare *c,
                      size_t top);

/* -- a job and its baseline without real data -> what the loader costs -- */

struct jobbaseline;

/* The job that o->baseline names, with the rules and condition of the others.
 * NULL and err when it cannot be read, or is more than one job. */
struct jobbaseline *jobbaseline_load (const struct analyze_options *o,
                                      struct errtext *err);
void jobbaseline_destroy (struct jobbaseline *t); /* NULL is fine */
const struct result *jobbaseline_result (const struct jobbaseline *t);

/* A new table: first what the loader costs, then every metric that both have.
 * NULL when memory is short. */
struct textable *jobbaseline_table (const struct result *r,
                                    const struct result *baseline);
