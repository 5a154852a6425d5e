/* SPDX-License-Identifier: MIT
 *
 * partial.h - partial results of one task, of totals and of a question
 */
#pragma once

#include "analyze/query/query.h"
#include "analyze/scan/load.h"

/* --- partial.c: the totals of a partition of a job <-> a file ---
 *
 * The file is for the same version of the program on the same kind of machine
 * and says so itself. Totals are sums of integers, maxima, and sets of time, so
 * that it does not matter how a job was divided.
 */

/* Design. Unions cannot be added. A partial result keeps the packed times of
 * each thread by call and set (two varints for an interval); the union of a
 * rank or of the job is made by the reduction, with the k-way merge that a
 * single task uses. Times that touch are one interval already in the partial
 * result. */

/* Content of a file: the totals of a partition, or its rows of a view by key.
 */
enum partial_what { PARTIAL_TOTALS, PARTIAL_GROUPS, PARTIAL_WHATS };

/* Content of the first section. */
struct partial_head {
    unsigned partition, partitions; /* from 0 */
    uint64_t rules;   /* of patterns and program: partial_rules () */
    uint64_t sources; /* of this partition */
};

/* A number that differs when the patterns or the layout of totals do. */
uint64_t partial_rules (const struct kind_rules *rules);

/* "part", "rows", "sums". */
const char *partial_suffix (enum partial_what what);

/* "DIR/partials/3-of-8.part" for partition 2 of 8; malloc'd. */
char *partial_path (const char *dir,
                    enum partial_what what,
                    unsigned partition,
                    unsigned partitions);

/* Write the totals of the job's sources, whole or not at all: a failure ends
 * the analysis of the job (die). */
void partial_write (const char *path,
                    const struct partial_head *head,
                    const struct job *job,
                    const struct totals *t);

/* Write the totals as sections of a file that has more: calls, operations,
 * files, sums and processes without the times of their events, without sources
 * and layer mmap; marks are those of barriers, of several nodes. 0, or -1
 * (EIO). */
int partial_pack_sums (struct packer *p, FILE *out, const struct totals *t);

/* Sizes and strides of a file. */
void partial_pack_values (struct packer *p, const struct file_total *f);
/* Totals of them, to the end of the file. 0, or -1; *t is to be cleared in any
 * case. */
int partial_unpack_sums (FILE *in, struct totals *t);

/* Only the head. 0; -1 with err: no such file (ENOENT), not whole (EBADMSG),
 * of another version (EPROTO). */
int partial_head (const char *path,
                  struct partial_head *head,
                  struct errtext *err);

/* Add a file to totals whose sources are those of the job (job_list); has gets
 * a 1 for each source that it has. 0, or -1 with err; *t is then to be
 * cleared. Several threads may do that at once, each with its own totals. */
int partial_add (const char *path,
                 struct job *job,
                 struct totals *t,
                 char *has,
                 struct errtext *err);

/* All partitions of a job, in parallel; in no order. 0, or -1 with err; *t is
 * then to be cleared. */
int partial_add_all (struct totals *t,
                     struct job *job,
                     unsigned partitions,
                     int threads,
                     struct errtext *err);

/* --- for all kinds of files: partial*.c, querypartial.c --- */

/* The first section. 0, or -1 (EIO). */
int partial_put_head (struct packer *p,
                      const struct partial_head *head,
                      FILE *out);

/* Write a file, whole or not at all: the head, then what pack does (0, or -1
 * with errno). A failure ends the analysis of the job (die). */
void partial_write_file (const char *path,
                         const struct partial_head *head,
                         int (*pack) (void *cookie,
                                      struct packer *p,
                                      FILE *out),
                         void *cookie);

/* Read a file: get takes in the section at hand, all of it, but not the last
 * one, whose type is `end`. It gives 0, or -1: u->bad, or errno (ENOENT: of a
 * source that is not there; EEXIST: of a process that was there). 0, or -1
 * with err. */
int partial_read_file (const char *path,
                       struct unpacker *u,
                       uint64_t end,
                       int (*get) (void *cookie, uint64_t type),
                       void *cookie,
                       struct errtext *err);

int64_t partial_unpack_source (struct unpacker *u, struct job *job);

/* End the analysis of the job (die) unless every source of it is in a
 * partition, and every process of its merged trace one that has () knows. */
void partial_check_sources (const struct job *job);
void partial_check_merged (const struct job *job,
                           int (*has) (const void *cookie,
                                       const struct trace_process *who),
                           const void *cookie);

/* For partial*.c. */
enum partial_section {
    PARTIAL_HEAD = 1,
    PARTIAL_SOURCE,
    PARTIAL_CALL,
    PARTIAL_OPERATION,
    PARTIAL_FILE,
    PARTIAL_BLOCK,
    PARTIAL_PEER,
    PARTIAL_OBJECT,
    PARTIAL_TIME,
    PARTIAL_POINT,
    PARTIAL_SUM,
    PARTIAL_MOUNT,
    PARTIAL_PROCESS,
    PARTIAL_SPANS,
    PARTIAL_SHARES,
    PARTIAL_MMAP,
    PARTIAL_END
};
#define PARTIAL_MAGIC "dftpart5"

/* --- querypartial.c: counts of a query in a partition of a job <-> a file ---
 */

/* A query about an open job, and how it is answered. */
struct querypartial {
    const struct job *job;
    const struct query *query;
    const struct query_context *context;
    const struct kind_rules *rules;
    int threads;
};

/* Read the traces of an open job and write what the query counts, whole or not
 * at all: a failure ends the analysis of the job (die). */
void querypartial_write (const char *path,
                         const struct partial_head *head,
                         const struct querypartial *w);

/* Put the files of all partitions together. 0, or -1 with err; the answer is
 * then empty. */
int querypartial_read_all (struct query_answer *a,
                           const struct querypartial *w,
                           unsigned partitions,
                           struct errtext *err);
