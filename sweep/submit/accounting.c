/* SPDX-License-Identifier: MIT
 *
 * accounting.c - sacct, where there is one -> numbers per run
 *
 * Caveat: MaxRSS and MaxDiskRead are of steps: the largest of a task's steps
 *      is taken, as Slurm does within a step.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/results/columns.h"
#include "sweep/results/resultset.h"
#include "sweep/submit/slurm.h"
#include "sweep/submit/submit.h"

/* In the order of sacct's fields behind the id. */
static const size_t accounting_columns[] = {
    METRIC_COUNT + COLUMN_acct_elapsed,
    METRIC_COUNT + COLUMN_acct_max_rss,
    METRIC_COUNT + COLUMN_acct_disk_read,
};

enum {
    ACCOUNTING = sizeof (accounting_columns) / sizeof (accounting_columns[0])
};

void accounting_declare (struct resultset *r)
{
    struct sweepdir *d = r->sweep;
    struct slurm_config c;
    struct journal j;

    r->accounting = NULL;
    if (!r->report.slurm_known || journal_read (d, &j, NULL) < 0 ||
        !j.submitted || slurm_config_read (d->arena, &c, NULL) < 0 ||
        !c.accounting)
        return;
    r->accounting = slurm_accounting (d->arena, submit_job_list (d, &j));
    for (int i = 0; r->accounting && i < ACCOUNTING; i++) {
        struct column column = column_at (accounting_columns[i]);

        (void)resultset_metric_add (r, column.name, column.unit);
    }
}

static int is_of (const struct run_report *x, const char *id)
{
    char own[64];
    size_t n;

    (void)snprintf (own, sizeof (own), "%s_%s", x->status.job, x->status.task);
    n = strlen (own);
    return !strncmp (id, own, n) && (!id[n] || id[n] == '.');
}

/* "1024K" */
static double accounting_bytes_of (const char *text)
{
    static const char units[] = "KMGTP";
    char *end;
    double n = strtod (text, &end);
    const char *unit = *end ? strchr (units, *end) : NULL;

    for (const char *p = units; unit && p <= unit; p++)
        n *= 1024;
    return n;
}

static void
accounting_take (struct resultset *r, size_t i, int column, double value)
{
    const char *name = column_at (accounting_columns[column]).name;
    struct measure *m = &r->run[i].measure[resultset_metric (r, name)];

    if (m->present && m->value >= value)
        return;
    m->present = 1;
    m->value = value;
}

void accounting_read (struct resultset *r)
{
    struct arena *a = r->sweep->arena;
    char *text, *line, *save = NULL;

    if (!r->accounting)
        return;
    text = arena_text (a, r->accounting);
    for (line = strtok_r (text, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save)) {
        const char *field[ACCOUNTING + 1] = {"", "", "", ""};

        for (size_t k = 0; k <= ACCOUNTING && line; k++)
            field[k] = strsep (&line, "|");
        for (size_t i = 0; i < r->report.count; i++) {
            if (!*r->report.run[i].status.job ||
                !is_of (&r->report.run[i], field[0]))
                continue;
            for (int k = 0; k < ACCOUNTING; k++)
                if (*field[k + 1])
                    accounting_take (r, i, k,
                                     k ? accounting_bytes_of (field[k + 1])
                                       : strtod (field[k + 1], NULL));
        }
    }
}
