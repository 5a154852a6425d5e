/* SPDX-License-Identifier: MIT
 *
 * nativecopy.h - files of DFTracer in a job -> merged traces among the kept
 *                answers
 *
 * The first question with a condition leaves the events of each file behind as
 * a merged trace with its index (chunkindex.h), and beside these what a merged
 * trace cannot say: the account of the lines and the sums of aggregated ones.
 * Later questions and tables read the copies as they read any merged trace.
 * Copies are trusted by the rules of answercache.h.
 */

/* Design. A file of DFTracer is copied into a merged trace
 * (query/nativecopy) by the first question with a condition, after its
 * answer was printed: answers/N.dft with its index, and beside the answers
 * what a merged trace cannot say, the account of the lines and the sums of
 * aggregated ones. Later questions open the copy in the place of the file
 * (source.copy), so they are read as any merged trace is. A copy that is not
 * the file that was written, or that is damaged, is not used: the lines are
 * read again. The first reading itself writes no merged trace: 2 M events of
 * a .pfw.gz take 0.58 s of CPU so, 0.7 to 0.9 s if one is written and read
 * (zcat | wc -l: 1.19 s). */

#pragma once

#include "analyze/query/answercache.h"
#include "analyze/scan/load.h"

/* All zero: no copies are wanted. */
struct nativecopy {
    struct answercache cache;
    char *bytes; /* owned; about copies that were written; NULL: none */
    size_t n;
    int write; /* write copies if there are none */
};

/* Before the job is opened: take the copies of its sources, if there are any.
 * Undo it with nativecopy_clear. */
void nativecopy_find (struct nativecopy *n, struct job *job, int write);

/* After a reading, which failed or gave t: 1 if all copies were whole, or none
 * was used. Else the job is closed and will be read without them. */
int nativecopy_held (struct nativecopy *n,
                     struct job *job,
                     const struct totals *t,
                     int failed);

/* Write copies of the open job; then, when it is closed, the file that makes
 * them known. On errors there are no copies. */
void nativecopy_write (struct nativecopy *n, struct job *job);
void nativecopy_put (struct nativecopy *n, struct job *job);

/* The job must be closed. All zero is fine. */
void nativecopy_clear (struct nativecopy *n, struct job *job);
