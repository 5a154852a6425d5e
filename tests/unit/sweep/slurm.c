/* SPDX-License-Identifier: MIT
 *
 * slurm.c - what Slurm's commands print, read
 */
#include "tests/unit/tap.h"

#include "sweep/submit/slurm.h"

static void test_job_id (void **state)
{
    assert_null (slurm_job_id (""));
    assert_null (slurm_job_id ("Submitted\n"));
    assert_null (slurm_job_id ("12 tasks\n"));
    assert_string_equal (slurm_job_id ("4711\n"), "4711");
    assert_string_equal (slurm_job_id ("4711"), "4711");
    assert_string_equal (slurm_job_id ("4711;big\n"), "4711");
    assert_string_equal (slurm_job_id ("Welcome to site 7\n--> ok\n"
                                       "4711\n"),
                         "4711");
    assert_string_equal (slurm_job_id ("100\n4711;big\nbye\n"), "4711");
}

static void test_config (void **state)
{
    struct slurm_config c;

    slurm_config_parse ("MaxArraySize            = 21\n"
                        "AccountingStorageType   = "
                        "accounting_storage/none\n",
                        &c);
    assert_int_equal (c.max_tasks, 21);
    assert_int_equal (c.accounting, 0);
    slurm_config_parse ("AccountingStorageType = (null)\n"
                        "AccountingStorageType2 = x\n"
                        "SchedulerParameters = bf_interval=1,"
                        "max_array_tasks=10,defer\n"
                        "MaxArraySize = 1001\n",
                        &c);
    assert_int_equal (c.max_tasks, 10);
    assert_string_equal (c.source, "max_array_tasks 10");
    slurm_config_parse ("AccountingStorageType = "
                        "accounting_storage/slurmdbd\n",
                        &c);
    assert_int_equal (c.max_tasks, 1001);
    assert_int_equal (c.accounting, 1);
}

static void test_queue (void **state)
{
    struct slurm_queue q = {.count = 0};
    const struct slurm_task *t;

    slurm_queue_parse ("4711|0|RUNNING|n[1-2]|None\n"
                       "4711|1|PENDING||JobArrayTaskLimit\n"
                       "4713|N/A|PENDING||Dependency\n"
                       "4711|[2-5]|PENDING||Resources\n"
                       "slurm_load_jobs error\n\n"
                       "4712|7|COMPLETED|n1|None",
                       &q);
    t = slurm_queue_find (&q, "4711", 0);
    assert_non_null (t);
    assert_string_equal (t->state, "RUNNING");
    assert_string_equal (t->nodes, "n[1-2]");
    t = slurm_queue_find (&q, "4711", 1);
    assert_string_equal (t->reason, "JobArrayTaskLimit");
    assert_string_equal (slurm_queue_find (&q, "4713", -1)->reason,
                         "Dependency");
    assert_string_equal (slurm_queue_find (&q, "4712", 7)->state, "COMPLETED");
    assert_null (slurm_queue_find (&q, "4711", 2));
    assert_null (slurm_queue_find (&q, "4714", 0));
    slurm_queue_free (&q);
}

/* What squeue said stays; ranges are of pending tasks. */
static void test_sacct (void **state)
{
    struct slurm_queue q = {.count = 0};

    slurm_queue_parse ("4711|1|RUNNING|n1|None\n", &q);
    slurm_sacct_parse ("4711_[5-9%2]|PENDING|None assigned\n"
                       "4711_0|CANCELLED by 1000|n1\n"
                       "4711_1|COMPLETED|n1\n"
                       "4713|COMPLETED|n1\n",
                       &q);
    assert_int_equal (q.count, 3);
    assert_string_equal (slurm_queue_find (&q, "4711", 0)->state,
                         "CANCELLED by 1000");
    assert_string_equal (slurm_queue_find (&q, "4711", 1)->state, "RUNNING");
    assert_string_equal (slurm_queue_find (&q, "4713", -1)->state, "COMPLETED");
    slurm_queue_free (&q);
}

#define TEST(F) cmocka_unit_test (F)

int main (void)
{
    const struct CMUnitTest tests[] = {TEST (test_job_id), TEST (test_config),
                                       TEST (test_queue), TEST (test_sacct)};

    return tap_run (tests);
}
