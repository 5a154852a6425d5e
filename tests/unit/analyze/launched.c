/* SPDX-License-Identifier: MIT
 *
 * launched.c - test of analyze/facts/launched.c: ranks found and started
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/facts/ancestry.h"
#include "tests/unit/tap.h"

enum { PROCESSES = 16, BATCH = -1 };

static struct trace_process who[PROCESSES];
static struct process process[PROCESSES];
static struct totals job = {.process = process};

static int empty (void **state)
{
    (void)state;
    memset (who, 0, sizeof (who));
    job.processes = 0;
    return 0;
}

static void ran (int64_t step, int32_t rank, uint32_t ranks, const char *exe)
{
    struct trace_process *w = &who[job.processes];

    w->p.job_id = 7;
    w->p.step_id = step;
    w->p.rank = rank;
    w->p.ranks = ranks;
    w->text[SHARD_STRING_EXE] = exe;
    process[job.processes++].who = w;
}

static void counts (size_t found, size_t started)
{
    struct launched l;

    launched_count (&l, &job);
    assert_int_equal (l.found, found);
    assert_int_equal (l.started, started);
}

static void nothing (void **state)
{
    counts (0, 0);
    ran (0, -1, 0, "/bin/a");
    counts (0, 0);
}

static void script_alone (void **state)
{
    ran (BATCH, 0, 0, "/bin/a");
    ran (BATCH, 0, 0, "/bin/b");
    counts (1, 0);
}

/* Slurm calls the batch script rank 0: it is none of the program's. */
static void script_and_step (void **state)
{
    ran (BATCH, 0, 0, "/bin/prepare");
    ran (0, 1, 2, "/bin/a");
    ran (0, 0, 2, "/bin/a");
    ran (0, 0, 2, "/bin/child");
    counts (2, 2);
    ran (1, 2, 4, "/bin/b"); /* one of four left a trace */
    counts (3, 6);
}

/* An older trace has what the job was allowed there. */
static void script_of_many (void **state)
{
    ran (4294967291, 0, 8, "/bin/prepare");
    ran (0, 0, 2, "/bin/a");
    ran (0, 1, 2, "/bin/a");
    counts (2, 2);
}

/* mpirun forks in the script, or has a daemon on each node that does. */
static void ranks_of_mpirun (void **state)
{
    ran (BATCH, 0, 0, "/usr/bin/orterun");
    ran (BATCH, 0, 3, "/bin/a");
    ran (BATCH, 1, 3, "/bin/a");
    counts (2, 3);
    ran (BATCH, 2, 3, "/bin/a");
    counts (3, 3);
}

static void daemons (void **state)
{
    ran (BATCH, 0, 0, "/usr/bin/orterun");
    ran (0, 0, 2, "/usr/bin/orted");
    ran (0, 1, 2, "/usr/bin/orted");
    ran (0, 2, 3, "/bin/a");
    ran (0, 1, 3, "/bin/a");
    counts (2, 3);
}

static void steps_of_two_jobs (void **state)
{
    ran (0, 0, 1, "/bin/a");
    ran (0, 0, 1, "/bin/a");
    who[1].p.job_id = 8;
    counts (2, 2);
    who[1].p.job_id = 7;
    who[1].p.restart = 1;
    counts (2, 2);
    who[1].p.restart = 0;
    counts (1, 1);
}

#define launched_test(TEST) cmocka_unit_test_setup (TEST, empty)

int main (void)
{
    const struct CMUnitTest tests[] = {
        launched_test (nothing),           launched_test (script_alone),
        launched_test (script_and_step),   launched_test (script_of_many),
        launched_test (ranks_of_mpirun),   launched_test (daemons),
        launched_test (steps_of_two_jobs),
    };

    return tap_run (tests);
}
