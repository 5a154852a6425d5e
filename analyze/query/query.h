/* SPDX-License-Identifier: MIT
 *
 * query.h - questions about the events of a job -> cells
 *
 * A query is a list of keys, conditions, and what to measure. Its answer is a
 * cell for each combination of values that occurs: how many events, how long,
 * how many bytes, quantiles, and for how much of the time one of them was
 * running (a union, exactly). Several queries are answered in one reading.
 *
 *     struct query q[] = {
 *         {.key = {{GROUP_process}, {GROUP_role}, {GROUP_interval}},
 *          .keys = 3, .measures = QUERY_UNION, .interval = 1000000000},
 *         {.key = {{GROUP_class}}, .keys = 1, .measures = QUERY_SIZES}};
 *     struct query_answer a[2];
 *
 *     if (job_open (job, err) == 0 &&
 *         query_job (a, q, 2, &(struct query_input){.job = job}, err) == 0)
 *         for (size_t i = 0; i < a[0].count; i++)
 *             use (&a[0].cell[i]);
 *     query_answers_clear (a, 2);
 *
 * Behind that is one state with six operations: create, add (a batch), merge,
 * pack, unpack, unite. Each worker adds to a state of its own. All numbers are
 * sums, minima, maxima and sets of time, so that whoever read what, the answer
 * is the same; cells are sorted by their texts.
 */

/* Design. A query (analyze/query/query.h) is a list of keys, conditions and
 * measures; its state has six operations: create, add (a batch), merge,
 * pack, unpack, answer. A key is a column of small numbers (column.h), found
 * per call, name or thread where it follows from these; the pair of a cell
 * and the next key's number is the next cell (marks.h), so that there may be
 * any number of keys. Sums, minima, maxima, histograms and packed times of
 * each thread add up in any order; unions are made once, of all of them. The
 * overlap of a cell with the events of another condition (QUERY_OVERLAP, for
 * example I/O by rank with computing of the same rank) is exact: the other
 * events are a state of their own, by the keys that both share, and what two
 * sets have in common is what they have more than their union. */

/* Design. Who reads says what it looks at (enum batch_need, pass_user.need):
 * of packed chunks only these columns are unpacked, and only these names are
 * looked up. A question finds it out from its keys, measures and conditions
 * (query.c). What needs more in the same pass gets all. */

#pragma once

#include "analyze/query/numbers.h"
#include "analyze/scan/context.h"
#include "analyze/scan/hist.h"
#include "analyze/scan/keys.h"
#include "analyze/scan/packer.h"
#include "analyze/scan/pass.h"
#include "analyze/scan/where.h"

/* Measures beside counts, sums, minima and maxima. */
enum query_measure {
    QUERY_UNION = 1,  /* when any event of the cell was running */
    QUERY_TIMES = 2,  /* a histogram of durations, ns */
    QUERY_SIZES = 4,  /* one of bytes moved, of calls that did not fail */
    QUERY_OVERLAP = 8 /* when any event of the cell was running, and one of
                         `with` as well; has QUERY_UNION, too */
};

struct query {
    struct query_key key[QUERY_KEYS_MAX];
    int keys;                                   /* 0: one cell of all events */
    unsigned measures;                          /* set of enum query_measure */
    struct query_value value[QUERY_VALUES_MAX]; /* columns of numbers, too */
    int values;
    const struct where *where; /* NULL: all events; the caller's */
    uint64_t interval;         /* ns, of the key of that name */
    const struct where *with;  /* of QUERY_OVERLAP; the caller's. Of its events
                                  those count that have the cell's values of */
    int with_keys;             /* the first so many keys; 0: all events */
    int times_only; /* nobody asks for bytes and errors of cells: they are 0 */
};

/* All events with the same values. An event that passes several intervals
 * counts where it begins; its time is divided, and so are its bytes in
 * `spread`. */
struct query_cell {
    const char *const *value; /* text of each key; "-": none */
    const int64_t *number;    /* the same of keys that are numbers, else 0;
                                 QUERY_NO_NUMBER: none */
    uint64_t count, errors;
    uint64_t bytes;                       /* moved; a copy moves them once */
    uint64_t bytes_read, bytes_written;   /* a copy does both */
    uint64_t spread_read, spread_written; /* the same, by time */
    uint64_t ns, min, max;                /* of durations */
    uint64_t running;                     /* ns; with QUERY_UNION */
    uint64_t overlap;                     /* ns; with QUERY_OVERLAP */
    const struct hist *times, *sizes;     /* NULL: not asked for */
    struct query_numbers *numbers;        /* of each value of the query; NULL:
                                             none was met */
};

struct query_answer {
    struct query_cell *cell; /* by value: numbers by size, texts by bytes */
    size_t count;
    struct query_state *state; /* owns the rest */
};

/* Input of queries, and the number of threads that answer them. */
struct query_input {
    const struct job *job;               /* open */
    const struct kind_rules *rules;      /* NULL: by default */
    const struct query_context *context; /* what is known of ranks and steps;
                                           NULL: a rank is what its process
                                           says, steps are what regions say,
                                           intervals begin with the first
                                           process */
    int threads;                         /* 0: one for each core */
};

/* Answer n queries in one reading. 0, or -1 with err; the answers are then
 * empty. */
int query_job (struct query_answer *a,
               const struct query *q,
               size_t n,
               const struct query_input *in,
               struct errtext *err);

/* Columns of a batch that a query needs; that a key or column needs; that a
 * condition needs (NULL: none). */
enum batch_need query_need (const struct query *q);
enum batch_need query_need_of_column (enum where_column column);
enum batch_need query_need_of_where (const struct where *w);

/* Say why a query failed, by errno; -1. */
int query_fail (const char *label, struct errtext *err);

void query_answers_clear (struct query_answer *a, size_t n); /* zeroed: fine */

/* "interval", "file,rank,arg.step": the keys of q. 0, or -1 with err. */
int query_parse_keys (struct query *q, const char *words, struct errtext *err);
int query_has_key (const struct query *q, enum group_key key);

/* --- the state ------------------------------------------------------------ */

struct query_state;

/* q, context and dict stay the caller's and must outlive the state; dict NULL:
 * only to be merged and unpacked. */
struct query_state *query_state_create (const struct query *q,
                                        const struct query_context *context,
                                        struct dict *dict);
void query_state_destroy (struct query_state *s); /* NULL is fine */

/* A split of a thread begins. */
void query_state_begin (struct query_state *s);

/* Count the events of a batch. 0, or -1 with errno. */
int query_state_add (struct query_state *s, const struct batch *b);

/* Write the state as sections; read a section of these types, adding it. A
 * section that makes no sense sets u->bad. 0, or -1 with errno. */
enum query_section {
    QUERY_SECTION_CELL = 2,
    QUERY_SECTION_TIMES,
    QUERY_SECTION_END,
    QUERY_SECTION_WITH_CELL, /* the same of the events of `with` */
    QUERY_SECTION_WITH_TIMES
};
int query_state_pack (struct query_state *s, struct packer *p, FILE *out);
/* Pack without times: unpacked cells then have no unions, and nothing of
 * `with`. */
int query_state_pack_cells (struct query_state *s, struct packer *p, FILE *out);
int query_state_unpack (struct query_state *s,
                        struct unpacker *u,
                        uint64_t type);

/* Find the unions and sort the cells. The answer has the state, also when it
 * fails. 0, or -1 with errno. */
int query_state_answer (struct query_state *s,
                        struct query_answer *a,
                        int threads);

/* A state for each worker of a pass. */
struct query_work {
    struct query_state *state[PASS_WORKERS_MAX];
    const struct pass *pass;
};

/* Make a user of the pass. */
void query_work_make (struct query_work *w,
                      struct pass_user *user,
                      const struct query *q,
                      const struct query_context *context,
                      const struct pass *pass);
/* After the pass: one state of all, which is then the caller's. NULL:
 * EOVERFLOW. */
struct query_state *query_work_merge (struct query_work *w);
void query_work_clear (struct query_work *w);
