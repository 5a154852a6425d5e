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
#pragma once

#include "analyze/scan/load.h"
#include "analyze/trace/find.h"
#include "lib/format/proclines.h"
#include "lib/format/untracedlist.h"

/* -- JOBDIR/shards/processes.HOST -> what the kernel counted -- */

struct counted {
    struct procrecord *image; /* programs of processes, by host, pid and start,
                                 with their hosts; owned */
    size_t count, room;
    int cut; /* a file has reached its limit, or there are too many lines */
    struct pointfaults *points; /* get the places of the program; NULL: not */
};

/* Lines `traced` with a count, of the shards of a job or, where there are none
 * any more, those that its merged trace has kept. *c is zeroed. 0, or -1
 * (ENOMEM). */
int counted_load (struct counted *c, const struct job *job);
void counted_clear (struct counted *c);

/* -- the kernel's count of a job = what is recorded + what is left out + the
 * rest -- */

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
    struct intervals quiet; /* lives of those that recorded nothing; owned */
    int64_t part[COVERAGE_PARTS][COUNTED_SIDES];
    /* calls that are left out, and how long they took, summed over threads */
    struct leftsum {
        uint64_t calls, ns;
    } left[LEFTOUTS];
};

/* gone: settled, not folded. Processes of t get their left_ns. 0, or -1
 * (ENOMEM). */
int coverage_make (struct coverage *c,
                   const struct job *job,
                   struct totals *t,
                   const struct untraced *gone);

void coverage_clear (struct coverage *c); /* zeroed is fine */

/* "recorded"; of COVERAGE_LEFT on what is left out. */
const char *coverage_title (int part);

/* Sums of all reasons. */
uint64_t coverage_left_ns (const struct coverage *c);

/* All but the rest. */
int64_t coverage_named (const struct coverage *c, int side);
