/* SPDX-License-Identifier: MIT
 *
 * totalscache.h - what the standard tables are made of, kept beside the trace,
 * so that asking for them again reads no event
 */
#pragma once

#include "analyze/tables/analyzeopts.h"
#include "analyze/facts/summary.h"
#include "analyze/query/answercache.h"

enum totalscache_section {
    TOTALSCACHE_SOURCES = 32, /* other than those of partial.h */
    TOTALSCACHE_SUMMARY
};

struct totalscache {
    struct answercache cache; /* file NULL: nothing is kept */
    char *question;           /* owned */
    char *bytes;              /* owned; to be written; NULL: nothing */
    size_t n;
    int found; /* it was there */
};

/* 1: t and s are those of a reading before, of the traces as they are; the job
 * has its sources, none of them open. 0: they are zeroed. */
int totalscache_find (struct totalscache *k,
                      struct job *job,
                      const struct analyze_options *o,
                      struct totals *t,
                      struct summary *s);

/* Read the totals and the summary of the file into zeroed t and s, which are to
 * be cleared in any case. Return 0, or -1: the file makes no sense. */
int totalscache_read (FILE *in,
                      struct job *job,
                      struct totals *t,
                      struct summary *s);

/* --tables auto, and thousands of such jobs would be thousands of files that
 * can be made in a moment. */
int totalscache_few (const struct analyze_options *o, const struct result *r);

/* The job has been read: note it, if nothing is wrong with it and it was not
 * found. */
void totalscache_note (struct totalscache *k,
                       const struct analyze_options *o,
                       const struct result *r);

/* The job is closed: write what was noted. k is then cleared. */
void totalscache_put (struct totalscache *k, struct job *job);
