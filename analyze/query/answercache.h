/* SPDX-License-Identifier: MIT
 *
 * answercache.h - the answer to a question, kept beside the trace, so that
 *                asking again reads no event
 *
 * It is in DIR/answers, or FILE.answers beside a single file, as long as
 * program, question and traces are the same. Nothing is kept or trusted where
 * the directory belongs to another user or others may write to it.
 */

/* Design. Answers are kept (query/answercache.c): the cells of a question,
 * its unions, and of distributions the quantiles that were asked for go into
 * a file beside the trace, with a text of all that they depend on. Who asks
 * the same compares that text and opens no trace. What is kept is what tasks
 * of a job pass each other (query_state_pack), so that every format is
 * made from it. The standard tables are kept in the same way
 * (totalscache.c): the totals as tasks pass them, but without the times of
 * events, with the summary that was made of these, so that unions are not
 * made again. */

#pragma once

#include "analyze/query/show.h"

/* A question about a job, and the traces as they are now. */
struct answercache {
    char *dir;   /* owned; where answers are; NULL: nowhere */
    char *file;  /* owned; the path of this one */
    char *about; /* owned; all that it depends on */
    size_t most; /* bytes of the file; more are not kept */
};

/* question: all that q depends on, as text. The sources of the job are listed
 * and closed again, so not while it is open. */
void answercache_make (struct answercache *k,
                       struct job *job,
                       const char *question);
void answercache_clear (struct answercache *k);

/* 1: a has the answer, to be cleared; 0: there is none, or it is damaged. */
int answercache_find (struct query_answer *a,
                      const struct answercache *k,
                      const struct query *q);

/* For what is no answer of a query. The file of k, if it may be trusted,
 * behind what it says that it is about; the caller's. NULL: there is none. Or
 * write it, as answercache_put does: bytes stay the caller's. */
FILE *answercache_open (const struct answercache *k);
void answercache_put_bytes (const struct answercache *k,
                            struct job *job,
                            const char *question,
                            const char *bytes,
                            size_t n);

/* Make the directory, with room for one more answer, if it may be used. 0, or
 * -1. */
int answercache_make_dir (const struct answercache *k);

/* Are the traces of an open job such that a change of them shows? Those that
 * are being recorded are not. */
int answercache_may (const struct job *job);

/* Keep it, with those quantiles only that show asks for (a is thinned to
 * them), if it is small enough and the traces of the job, which is closed
 * again, are still what they were; errors only mean that it is not kept. */
void answercache_put (const struct answercache *k,
                      struct job *job,
                      const char *question,
                      const struct show *show,
                      struct query_answer *a);
