/* SPDX-License-Identifier: MIT
 *
 * keptjob.h - what the standard tables are made of, kept beside the trace, so
 *             that asking for them again reads no event
 */
#ifndef DFT_ANALYZE_KEPTJOB_H
#define DFT_ANALYZE_KEPTJOB_H

#include "analyze/analyzeopts.h"
#include "analyze/facts/summary.h"
#include "analyze/query/keptanswer.h"

enum keptjob_section {
    KEPTJOB_SOURCES = 32, /* other than those of partial.h */
    KEPTJOB_SUMMARY
};

struct keptjob {
    struct keptanswer kept; /* file NULL: nothing is kept */
    char *question;         /* owned */
    char *bytes;            /* owned; to be written; NULL: nothing */
    size_t n;
    int found; /* it was there */
};

/* 1: t and s are those of a reading before, of the traces as they are; the job
 * has its sources, none of them open. 0: they are zeroed. */
int keptjob_find (struct keptjob *k,
                  struct job *job,
                  const struct analyze_options *o,
                  struct totals *t,
                  struct summary *s);

/* Read the totals and the summary of the file into zeroed t and s, which are to
 * be cleared in any case. Return 0, or -1: the file makes no sense. */
int keptjob_read (FILE *in,
                  struct job *job,
                  struct totals *t,
                  struct summary *s);

/* --tables auto, and thousands of such jobs would be thousands of files that
 * can be made in a moment. */
int keptjob_few (const struct analyze_options *o, const struct result *r);

/* The job has been read: note it, if nothing is wrong with it and it was not
 * found. */
void keptjob_note (struct keptjob *k,
                   const struct analyze_options *o,
                   const struct result *r);

/* The job is closed: write what was noted. k is then cleared. */
void keptjob_put (struct keptjob *k, struct job *job);

#endif
