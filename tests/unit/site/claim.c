/* SPDX-License-Identifier: MIT
 *
 * claim.c - test of spank/epilog/claim.c: of many nodes one, however old the
 * claim
 */
#include "tests/unit/scratch.h"

#include <sys/wait.h>
#include <time.h>

#include "spank/epilog/user_side.h"

enum { NODES = 16, ROUNDS = 20, LONG_AGO = 2 * 3600 };

static void one_gets_it (void **state)
{
    struct errtext err;

    assert_int_equal (claim_take (".", "n1", &err), 1);
    assert_string_equal (scratch_text (".claim"), "n1");
    assert_int_equal (claim_take (".", "n2", &err), 0);
    assert_int_equal (claim_take (".", "n1", &err), 0);
    claim_release (".");
    assert_int_equal (claim_take (".", "n2", &err), 1);
    claim_release (".");
    claim_release ("."); /* nothing to release */
}

static void an_old_one_is_taken_over (void **state)
{
    struct errtext err;

    assert_int_equal (claim_take (".", "n1", &err), 1);
    scratch_time (".claim", time (NULL) - LONG_AGO, 0);
    assert_int_equal (claim_take (".", "n2", &err), 1);
    assert_string_equal (scratch_text (".claim"), "n2");
    assert_int_equal (claim_take (".", "n3", &err), 0);
    claim_release (".");
    assert_int_equal (rmdir (scratch), 0); /* and nothing else is left */
    assert_int_equal (mkdir (scratch, 0700), 0);
}

static void a_link_is_no_way_out (void **state)
{
    struct errtext err;

    assert_int_equal (mkdir ("job", 0700), 0);
    assert_int_equal (symlink ("../made", "job/.claim"), 0);
    assert_int_equal (claim_take ("job", "n1", &err), 0);
    assert_false (scratch_has ("made"));
    scratch_time ("job/.claim", time (NULL) - LONG_AGO, 0);
    scratch_file ("made", "kept");
    assert_int_equal (claim_take ("job", "n1", &err), 1);
    assert_string_equal (scratch_text ("made"), "kept");
    assert_string_equal (scratch_text ("job/.claim"), "n1");
}

static void no_directory (void **state)
{
    struct errtext err = {""};

    assert_int_equal (claim_take ("none", "n1", &err), -1);
    assert_non_null (strstr (err.text, "none: cannot claim"));
    claim_release ("none");
}

/* Many at once; how many got it. */
static int race (void)
{
    pid_t child[NODES];
    int won = 0, status, gate[2];

    assert_int_equal (pipe (gate), 0);
    for (int i = 0; i < NODES; i++) {
        child[i] = fork ();
        if (child[i] == 0) {
            struct errtext err;
            char c;

            (void)close (gate[1]);
            (void)!read (gate[0], &c, 1); /* until all are there */
            _exit (claim_take (".", "n", &err) == 1);
        }
        assert_true (child[i] > 0);
    }
    (void)close (gate[0]);
    (void)close (gate[1]);
    for (int i = 0; i < NODES; i++) {
        assert_int_equal (waitpid (child[i], &status, 0), child[i]);
        won += WEXITSTATUS (status);
    }
    return won;
}

static void many_at_once (void **state)
{
    assert_int_equal (race (), 1);
    assert_int_equal (race (), 0);
}

static void many_find_an_old_one (void **state)
{
    for (int i = 0; i < ROUNDS; i++) {
        scratch_file (".claim", "dead");
        scratch_time (".claim", time (NULL) - LONG_AGO, 0);
        assert_int_equal (race (), 1);
        assert_string_equal (scratch_text (".claim"), "n");
        assert_false (scratch_has (".claim.over"));
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (one_gets_it),
        scratch_test (an_old_one_is_taken_over),
        scratch_test (a_link_is_no_way_out),
        scratch_test (no_directory),
        scratch_test (many_at_once),
        scratch_test (many_find_an_old_one),
    };

    return tap_run (tests);
}
