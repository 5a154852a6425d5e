/* SPDX-License-Identifier: MIT
 *
 * subject.h - a finding -> the program, the files and the rows of its view
 * that it is about
 */
#pragma once

#include "analyze/facts/insight.h"
#include "analyze/tables/views.h"

/* --- subject.c: a finding -> the program and the files that it is about --- */

enum { SUBJECT_MAX = 160 };

/* "train.py", "python3 -c", "gmx": the script of an interpreter, else the
 * program. "" where it is not known. */
char *subject_program (char text[SUBJECT_MAX], const struct trace_process *who);

/* "train.py (rank 3), shard-N.bin": who has most of the time that the finding
 * is about, and which file, or files whose names differ in their numbers. ""
 * where neither is known. */
char *subject_words (char text[SUBJECT_MAX],
                     const struct finding *f,
                     const struct result *r);

enum { SUBJECT_PIDS = 320, SUBJECT_PLACE = SUBJECT_PIDS + 96 };

/* When a finding was, s since the start of the job; NaN: not known. */
double finding_from (const struct finding *f, const struct summary *s);
double finding_until (const struct finding *f, const struct summary *s);

/* "node1:4711, node1:4712": who has most of it. "": nobody is known. */
char *finding_pids (char text[SUBJECT_PIDS],
                    const struct finding *f,
                    const struct totals *t);

/* "12.0 ms to 1.30 s of the job; node1:4711, node1:4712 and 3 more". */
char *finding_place (char text[SUBJECT_PLACE],
                     double from_s,
                     double until_s,
                     double processes,
                     const char *pids);

enum { SUBJECT_SOURCES = 400 };

/* "data.py:57", whole: "/home/u/data.py:57 in Dataset.__getitem__": the lines
 * of the program, two at most, that open the files of a finding, start
 * its programs or connect. "": none is known. */
char *finding_source (char text[SUBJECT_SOURCES],
                      const struct finding *f,
                      const struct result *r,
                      int whole);

/* The files on storage that took most of the time of all calls, one name for
 * those that differ in their numbers only. Returns their time in ns, 0: none.
 */
uint64_t subject_file (char text[SUBJECT_MAX], const struct result *r);

/* --- a finding -> the rows of its view that it came from --- */

enum { INSIGHT_ROWS_MAX = 3 };

struct insight_rows {
    size_t count;
    size_t row[INSIGHT_ROWS_MAX]; /* of the whole view, from 1 */
    char *name[INSIGHT_ROWS_MAX]; /* what a reader calls it; owned */
};

void insight_rows (struct insight_rows *rows,
                   enum insight i,
                   const struct result *r);
void insight_rows_clear (struct insight_rows *rows);
