/* SPDX-License-Identifier: MIT
 *
 * query.h - questions about the events of a job -> cells
 *
 * A query is a list of keys, conditions, and what to measure. Its answer is a
 * cell for each combination of values that occurs: how many events, how long,
 * how many bytes, quantiles, and for how much of the time one of them was
 * running (a union, exactly).
 *
 *     struct query q = {.key = {{GROUP_process}, {GROUP_interval}}, .keys = 2,
 *                       .running = 1, .interval = 1000000000};
 *     struct query_answer a;
 *
 *     if (job_open (job, err) == 0 &&
 *         query_job (&a, &q, &(struct query_input){.job = job}, err) == 0)
 *         for (size_t i = 0; i < a.count; i++)
 *             use (&a.cell[i]);
 *     query_answer_clear (&a);
 *
 * Behind that is one state with six operations: create, add (a batch), merge,
 * pack, unpack, answer. Each worker adds to a state of its own. All numbers are
 * sums, minima, maxima and sets of time, so that whoever read what, the answer
 * is the same; cells are sorted by their texts.
 */

/* Design. A key is a column of small numbers (column.h), found
 * per call, name or thread where it follows from these; the pair of a cell
 * and the next key's number is the next cell (marks.h), so that there may be
 * any number of keys. Sums, minima, maxima and packed times of each thread
 * add up in any order; unions are made once, of all of them. */

/* Design. Who reads says what it looks at (enum batch_need, pass_user.need):
 * of packed chunks only these columns are unpacked, and only these names are
 * looked up. A question finds it out from its keys, columns and conditions
 * (query.c). What needs more in the same pass gets all. */

#pragma once

#include "analyze/query/numbers.h"
#include "analyze/scan/context.h"
#include "analyze/scan/keys.h"
#include "analyze/scan/packer.h"
#include "analyze/scan/pass.h"
#include "analyze/scan/where.h"

struct query {
    struct query_key key[QUERY_KEYS_MAX];
    int keys;    /* 0: one cell of all events */
    int running; /* find for how long any event of a cell was running */
    struct query_value value[QUERY_VALUES_MAX]; /* columns of numbers, too */
    int values;
    const struct where *where; /* NULL: all events; the caller's */
    uint64_t interval;         /* ns, of the key of that name */
    int times_only; /* nobody asks for bytes and errors of cells: they are 0 */
};

/* All events with the same values. An event that passes several intervals
 * counts where it begins; its time is divided. */
struct query_cell {
    const char *const *value; /* text of each key; "-": none */
    uint64_t count, errors;
    uint64_t bytes;                /* moved; a copy moves them once */
    uint64_t ns, min, max;         /* of durations */
    uint64_t running;              /* ns; if the query asks for it */
    struct query_numbers *numbers; /* of each value of the query; NULL: none
                                      was met */
};

struct query_answer {
    struct query_cell *cell; /* by value: numbers by size, texts by bytes */
    size_t count;
    struct query_state *state; /* owns the rest */
};

/* Input of a query, and the number of threads that answer it. */
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

/* Answer a query. 0, or -1 with err; the answer is then empty. */
int query_job (struct query_answer *a,
               const struct query *q,
               const struct query_input *in,
               struct errtext *err);

/* Columns of a batch that a query needs; that a key or column needs; that a
 * condition needs (NULL: none). */
enum batch_need query_need (const struct query *q);
enum batch_need query_need_of_column (enum where_column column);
enum batch_need query_need_of_where (const struct where *w);

/* Say why a query failed, by errno; -1. */
int query_fail (const char *label, struct errtext *err);

void query_answer_clear (struct query_answer *a); /* zeroed: fine */

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
    QUERY_SECTION_END
};
/* times 0: without them; unpacked cells then have no unions. */
int query_state_pack (struct query_state *s,
                      int times,
                      struct packer *p,
                      FILE *out);
int query_state_unpack (struct query_state *s,
                        struct unpacker *u,
                        uint64_t type);

/* Find the unions and sort the cells. The answer has the state. */
void query_state_answer (struct query_state *s,
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
