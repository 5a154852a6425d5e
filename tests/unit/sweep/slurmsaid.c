/* SPDX-License-Identifier: MIT
 *
 * slurmsaid.c - a step that was killed for its memory, by Slurm's words
 */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/run/runner.h"

static int said (const char *text, int before)
{
    char path[64];
    FILE *f;
    int rc;

    (void)snprintf (path, sizeof (path), "slurmsaid-test.%d", (int)getpid ());
    f = fopen (path, "w");
    for (int i = 0; i < before; i++)
        fputs ("epoch\n", f);
    fputs (text, f);
    (void)fclose (f);
    rc = slurmsaid_oom (path);
    (void)unlink (path);
    return rc;
}

static void test_words (void **state)
{
    static const struct {
        const char *text;
        int oom;
    } rows[] = {
        {"", 0},
        {"srun: error: n1: task 0: Out Of Memory\n", 1},
        {"x\nslurmstepd-n1: error: Detected 1 oom-kill event(s) in "
         "StepId=3.0. Some of your processes may have been killed by the "
         "cgroup out-of-memory handler.\n",
         1},
        {"slurmstepd: error: Detected 2 oom_kill events in StepId=1.0. Some of "
         "the step tasks have been OOM Killed.",
         1},
        {"slurmstepd-n1: error: StepId=3.0 exceeded memory limit (210522112 > "
         "62914560), being killed\n",
         1},
        {"srun: error: n1: task 0: Killed\n", 0},
        {"srun: Out Of Memory is what I fear\n", 0},
        {"torch.cuda: error: Out Of Memory\n", 0},
        {"Traceback: error: oom-kill event\n", 0},
        {"slurmstepd-n1: error: *** STEP 3.0 ON n1 CANCELLED ***\n", 0},
    };

    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++)
        assert_int_equal (said (rows[i].text, 0), rows[i].oom);
}

static void test_last_words (void **state)
{
    assert_int_equal (said ("srun: error: n1: task 0: Out Of Memory\n", 20000),
                      1);
    assert_int_equal (said ("done\n", 20000), 0);
}

static void test_no_file (void **state)
{
    assert_int_equal (slurmsaid_oom ("no/such/file"), 0);
    assert_int_equal (slurmsaid_oom ("."), 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_words),
        cmocka_unit_test (test_last_words),
        cmocka_unit_test (test_no_file),
    };

    return tap_run (tests);
}
