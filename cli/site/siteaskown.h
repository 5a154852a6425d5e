/* SPDX-License-Identifier: MIT
 *
 * siteaskown.h - a question that is being asked, for siteask.c and
 *                siteaskweigh.c
 */
#ifndef DFT_CLI_SITEASKOWN_H
#define DFT_CLI_SITEASKOWN_H

#include "cli/site/siteask.h"

enum { KEYS_MAX = 8, METRICS_MAX = 12 };

#define ASK_NODE_HOURS \
    "max (1, coalesce (nodes, 1)) * coalesce (job_time, 0) / 3600"

struct ask {
    int key[KEYS_MAX], keys;
    int metric[METRICS_MAX], metrics;
    int sampled;                         /* some jobs stand for others */
    int estimate, mean[METRICS_MAX + 2]; /* groups: their first cell, and which
                                            are means; 0: none are estimated */
    int estimates;
    const char *args[4]; /* of the statement */
    char where[256];
    FILE *sql;
    char *text;
    size_t size;
    struct textable *table;
};

/* siteask.c: sums of what adds up, means of the rest; digits in text; a column
 * of the table, named by how it is made. */
int ask_adds_up (int at);
int ask_digits (int at);
void ask_metric_column (struct ask *a, int at, const char *how);

/* Does a job of the question stand for others? Into a->sampled. Databases of
 * older versions do not know. 0, or -1 with err. */
int ask_weigh (struct ask *a, struct sitedb *db, struct errtext *err);

/* Where one does: columns and SQL of each number, an estimate, with its
 * interval; then the cells of a row. */
void ask_weigh_columns (struct ask *a);
void ask_weigh_row (struct ask *a, const struct sitecell *cell);

#endif
