/* SPDX-License-Identifier: MIT
 *
 * coverage.h - the kernel's count of a job = what is recorded + what is left
 *              out + the rest
 *
 * In:  shards/processes.HOST; the totals of the job, and who was not traced
 * Out: bytes read and written, part by part
 *
 * Only processes that have a line are in it; a process that was killed, or of
 * which the kernel refused the count, has none and is counted as such.
 */
#ifndef DFT_ANALYZE_COVERAGE_H
#define DFT_ANALYZE_COVERAGE_H

#include "analyze/facts/counted.h"
#include "analyze/scan/load.h"
#include "lib/format/untracedlist.h"

#define COVERAGE_CUT "a list of counts was full, later processes have none"

enum coverage_part {
    COVERAGE_KERNEL = 0, /* the sum of all others */
    COVERAGE_RECORDED,
    COVERAGE_FILLS,  /* what libc moved for streams beyond their results */
    COVERAGE_EXEC,   /* by the kernel and the loader before a program begins */
    COVERAGE_TRACER, /* by the tracer itself */
    COVERAGE_UNTRACED, /* by children that have no line */
    COVERAGE_REST,
    COVERAGE_LEFT, /* and so on, enum leftout */
    COVERAGE_PARTS = COVERAGE_LEFT + LEFTOUTS
};

struct coverage {
    int known;       /* false: no process has a line, or only some events were
                        asked for */
    int cut;         /* lines are missing: the file was full */
    size_t programs; /* that have a line */
    size_t missing;  /* traced processes without one: not in the sums */
    int64_t part[COVERAGE_PARTS][COUNTED_SIDES];
};

/* gone: settled, not folded. 0, or -1 (ENOMEM). */
int coverage_make (struct coverage *c,
                   const struct job *job,
                   const struct totals *t,
                   const struct untraced *gone);

/* "recorded"; of COVERAGE_LEFT on what is left out. */
const char *coverage_title (int part);

/* All but the rest. */
int64_t coverage_named (const struct coverage *c, int side);

#endif
