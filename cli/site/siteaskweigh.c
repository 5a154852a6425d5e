/* SPDX-License-Identifier: MIT
 *
 * siteaskweigh.c - questions of groups where jobs stand for others
 */
#include "config.h"

#include <stdio.h>

#include "cli/site/siteaskown.h"
#include "cli/site/siteestimate.h"

static int weigh_found (void *arg, int n, const struct sitecell *cell)
{
    (void)n;
    (void)cell;
    *(int *)arg = 1;
    return 1;
}

int ask_weigh (struct ask *a, struct sitedb *db, struct errtext *err)
{
    char sql[512];
    int known = 0;

    if (sitedb_ask (db,
                    "SELECT 1 FROM pragma_table_info ('job') WHERE name = "
                    "'weight'",
                    NULL, weigh_found, &known, err) < 0)
        return -1;
    (void)snprintf (sql, sizeof (sql),
                    "SELECT 1 FROM job%s AND weight > 1 LIMIT 1", a->where);
    return known ? sitedb_ask (db, sql, a->args, weigh_found, &a->sampled, err)
                 : 0;
}

/* The half of its interval, behind the column of an estimate. */
static void weigh_half (struct ask *a, const char *of, int digits)
{
    char name[128];

    (void)snprintf (name, sizeof (name), "%s_half", of);
    textable_column (a->table, name, "\302\261\n95 %", "", 1);
    textable_column_digits (a->table, digits);
}

static void weigh_column (
    struct ask *a, const char *x, const char *alias, int mean, int digits)
{
    weigh_half (a, alias, digits);
    estimate_sql (a->sql, x, alias, mean);
    a->mean[a->estimates++] = mean;
}

void ask_weigh_columns (struct ask *a)
{
    textable_column (a->table, "traced", "traced", "", 1);
    textable_column_digits (a->table, 0);
    (void)fputs ("count (*)", a->sql);
    a->estimate = a->keys + 1;
    textable_column (a->table, "jobs", "jobs\nestimate", "", 1);
    textable_column_digits (a->table, 0);
    weigh_column (a, "1", "jobs", 0, 0);
    textable_column (a->table, "node_hours", "node hours\nestimate", "h", 1);
    textable_column_digits (a->table, 2);
    weigh_column (a, ASK_NODE_HOURS, "node_hours", 0, 2);
    for (int i = 0; i < a->metrics; i++) {
        const char *how = ask_adds_up (a->metric[i]) ? "sum" : "mean";
        struct summary_info info = summary_info (a->metric[i]);
        char alias[96];

        ask_metric_column (a, a->metric[i], how);
        (void)snprintf (alias, sizeof (alias), "%s_%s", info.name, how);
        weigh_column (a, info.name, alias, *how == 'm',
                      ask_digits (a->metric[i]));
    }
}

static void weigh_cell (struct ask *a, const struct sitecell *cell, int mean)
{
    double number[ESTIMATE_CELLS];
    struct estimate e;

    for (int i = 0; i < ESTIMATE_CELLS; i++)
        number[i] = cell[i].number;
    e = estimate_of (number, mean);
    textable_double (a->table, e.value, 0);
    textable_double (a->table, e.half, 0);
}

void ask_weigh_row (struct ask *a, const struct sitecell *cell)
{
    for (int i = 0; i < a->estimates; i++)
        weigh_cell (a, cell + i * (ESTIMATE_CELLS + 1) + 1, a->mean[i]);
}
