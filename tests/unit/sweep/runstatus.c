/* SPDX-License-Identifier: MIT
 *
 * runstatus.c - the status file, and the truth table of outcomes
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "sweep/run/runstatus.h"

static void test_round_trip (void **state)
{
    struct runstatus s = {.state = RUN_ENDED,
                          .exit = 3,
                          .caught = 15,
                          .oom = 1,
                          .start = 1000.5,
                          .end = 1002.25,
                          .trace = TRACE_MISSING,
                          .node = "n1",
                          .nodes = "n[1-2]",
                          .job = "47",
                          .task = "3",
                          .array = "g0.0"};
    struct runstatus r;
    char path[64];

    (void)snprintf (path, sizeof (path), "runstatus-test.%d", (int)getpid ());
    runstatus_write (path, &s);
    runstatus_read (path, &r);
    assert_int_equal (r.state, RUN_ENDED);
    assert_int_equal (r.exit, 3);
    assert_int_equal (r.caught, 15);
    assert_int_equal (r.oom, 1);
    assert_int_equal (r.trace, TRACE_MISSING);
    assert_true (r.end - r.start == 1.75);
    assert_string_equal (r.nodes, "n[1-2]");
    assert_string_equal (r.task, "3");
    assert_true (r.written > 0);
    (void)unlink (path);
}

/* Torn: as good as none. */
static void test_torn (void **state)
{
    char path[64];
    struct runstatus r;
    FILE *f;

    (void)snprintf (path, sizeof (path), "runstatus-torn.%d", (int)getpid ());
    f = fopen (path, "w");
    fputs ("state ended\nexit 0\nsig", f);
    (void)fclose (f);
    runstatus_read (path, &r);
    assert_int_equal (r.state, RUN_NONE);
    (void)unlink (path);
    runstatus_read (path, &r);
    assert_int_equal (r.state, RUN_NONE);
}

static void write_nowhere (void *cookie)
{
    runstatus_write ("no/such/dir/status", cookie);
}

static void test_write_fails (void **state)
{
    struct runstatus s = {.state = RUN_RUNNING};

    assert_int_equal (xalloc_guard (write_nowhere, &s), -1);
}

static void test_truth_table (void **state)
{
    static const struct {
        enum run_state state;
        int exit, caught;
        enum trace_state trace;
        const char *slurm;
        int silent;
        enum outcome want;
    } rows[] = {
        {RUN_NONE, 0, 0, 0, "PENDING", 0, OUTCOME_QUEUED},
        {RUN_NONE, 0, 0, 0, "PENDING", 9999, OUTCOME_QUEUED},
        {RUN_NONE, 0, 0, 0, "RUNNING", 0, OUTCOME_RUNNING},
        {RUN_RUNNING, 0, 0, 0, "RUNNING", 9999, OUTCOME_RUNNING},
        {RUN_RUNNING, 0, 0, 0, "COMPLETING", 0, OUTCOME_RUNNING},
        {RUN_ENDED, 0, 0, TRACE_OK, "COMPLETED", 0, OUTCOME_DONE},
        {RUN_ENDED, 0, 0, TRACE_OK, "", 9999, OUTCOME_DONE},
        {RUN_ENDED, 0, 0, TRACE_OFF, "RUNNING", 0, OUTCOME_DONE},
        {RUN_ENDED, 0, 0, TRACE_MISSING, "COMPLETED", 0, OUTCOME_BAD_TRACE},
        /* a worker was killed, the script said 0 */
        {RUN_ENDED, 0, 0, TRACE_OK, "OUT_OF_MEMORY", 0, OUTCOME_OUT_OF_MEMORY},
        {RUN_ENDED, 0, 0, TRACE_OK, "NODE_FAIL", 0, OUTCOME_NODE_FAIL},
        {RUN_ENDED, 0, 0, TRACE_OK, "TIMEOUT", 0, OUTCOME_TIMEOUT},
        /* cancelled after it was through */
        {RUN_ENDED, 0, 0, TRACE_OK, "CANCELLED", 0, OUTCOME_DONE},
        {RUN_ENDED, 143, 15, TRACE_OK, "TIMEOUT", 0, OUTCOME_TIMEOUT},
        {RUN_ENDED, 143, 15, TRACE_OK, "CANCELLED by 1000", 0,
         OUTCOME_CANCELLED},
        {RUN_ENDED, 143, 15, TRACE_OK, "", 0, OUTCOME_STOPPED},
        {RUN_ENDED, 3, 0, TRACE_OK, "FAILED", 0, OUTCOME_FAILED},
        {RUN_ENDED, 3, 0, TRACE_OK, "", 9999, OUTCOME_FAILED},
        {RUN_ENDED, 3, 0, TRACE_OK, "PENDING", 0, OUTCOME_QUEUED},
        {RUN_RUNNING, 0, 0, 0, "TIMEOUT", 0, OUTCOME_TIMEOUT},
        {RUN_RUNNING, 0, 0, 0, "CANCELLED", 0, OUTCOME_CANCELLED},
        {RUN_RUNNING, 0, 0, 0, "PREEMPTED", 0, OUTCOME_PREEMPTED},
        {RUN_RUNNING, 0, 0, 0, "NODE_FAIL", 0, OUTCOME_NODE_FAIL},
        {RUN_RUNNING, 0, 0, 0, "FAILED", 0, OUTCOME_FAILED},
        {RUN_RUNNING, 0, 0, 0, "COMPLETED", 0, OUTCOME_LOST},
        {RUN_RUNNING, 0, 0, 0, "", 301, OUTCOME_LOST},
        {RUN_RUNNING, 0, 0, 0, "", 300, OUTCOME_RUNNING},
        {RUN_NONE, 0, 0, 0, "", 301, OUTCOME_MISSING},
        {RUN_NONE, 0, 0, 0, "", 300, OUTCOME_QUEUED},
        {RUN_NONE, 0, 0, 0, "FAILED", 0, OUTCOME_FAILED},
    };

    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
        struct runstatus s = {.state = rows[i].state,
                              .exit = rows[i].exit,
                              .caught = rows[i].caught,
                              .trace = rows[i].trace};
        enum outcome got = outcome_of (&s, rows[i].slurm, rows[i].silent);

        if (got != rows[i].want)
            print_message ("# row %zu (%s): %s\n", i, rows[i].slurm,
                           outcome_word (got));
        assert_int_equal (got, rows[i].want);
    }
}

/* A step of it was killed for its memory, which the script passed on. */
static void test_memory (void **state)
{
    struct runstatus s = {
        .state = RUN_ENDED, .exit = 1, .trace = TRACE_OK, .oom = 1};

    assert_int_equal (outcome_of (&s, "FAILED", 0), OUTCOME_OUT_OF_MEMORY);
    assert_int_equal (outcome_of (&s, "", 9999), OUTCOME_OUT_OF_MEMORY);
    assert_int_equal (outcome_of (&s, "TIMEOUT", 0), OUTCOME_TIMEOUT);
    assert_int_equal (outcome_of (&s, "PENDING", 0), OUTCOME_QUEUED);
    s.caught = 15;
    assert_int_equal (outcome_of (&s, "FAILED", 0), OUTCOME_STOPPED);
    s.caught = 0;
    s.exit = 0;
    assert_int_equal (outcome_of (&s, "COMPLETED", 0), OUTCOME_DONE);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_round_trip),
        cmocka_unit_test (test_torn),
        cmocka_unit_test (test_write_fails),
        cmocka_unit_test (test_truth_table),
        cmocka_unit_test (test_memory),
    };

    return tap_run (tests);
}
