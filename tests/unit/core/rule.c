/* SPDX-License-Identifier: MIT
 *
 * rule.c - test of lib/settings/rule.c
 */
#include "tests/unit/tap.h"

#include "lib/format/calls.h"
#include "lib/settings/site.h"

static struct rule r;
static struct errtext err;

static void refuses_bad_words (void **state)
{
    static const char *const bad[] = {
        "partition", "partition=",  "partitoin=x", "nodes=4-2", "nodes=-",
        "nodes=x",   "nodes=1-2-3", "nodes=",      "sample=x",  "sample=",
        "layers=x",  "layers=",     "=",
    };

    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
        err.text[0] = '\0';
        assert_int_equal (rule_parse (&r, bad[i], &err), -1);
        assert_non_null (strstr (err.text, "rule: "));
    }
}

static void refuses_long_words (void **state)
{
    char text[RULE_TEXT_MAX + 32];

    memset (text, 'x', sizeof (text));
    memcpy (text, "user=", 5);
    text[sizeof (text) - 1] = '\0';
    assert_int_equal (rule_parse (&r, text, &err), -1);
}

static void an_empty_rule_fits_all_and_traces_none (void **state)
{
    struct jobinfo job = {.nnodes = 3};

    assert_int_equal (rule_parse (&r, " \t ", &err), 0);
    assert_true (rule_fits (&r, &job));
    assert_int_equal (r.layers, LAYER_OFF);
}

static int fits (const char *text, const struct jobinfo *job)
{
    assert_int_equal (rule_parse (&r, text, &err), 0);
    return rule_fits (&r, job);
}

static void names (void **state)
{
    struct jobinfo job = {.user = "ada", .uid = 1000, .partition = "gpu-a"};

    assert_true (fits ("user=ada", &job));
    assert_true (fits ("user=bob,1000", &job));
    assert_false (fits ("user=ad", &job));
    assert_true (fits ("partition=cpu,gpu-?", &job));
    assert_false (fits ("partition=gpu", &job));
    assert_false (fits ("account=*", &job)); /* not known */
    assert_true (fits ("partition=gpu*  user=ada\tlayers=posix", &job));
    assert_int_equal (r.layers, LAYER_POSIX | LAYER_STDIO);
}

static void ranges (void **state)
{
    struct jobinfo job = {.nnodes = 4, .ntasks = 64};

    assert_true (fits ("nodes=4", &job));
    assert_true (fits ("nodes=4-", &job));
    assert_true (fits ("nodes=-4", &job));
    assert_true (fits ("nodes=2-4 tasks=64-128", &job));
    assert_false (fits ("nodes=5-", &job));
    assert_false (fits ("nodes=-3", &job));
    assert_false (fits ("nodes=4 tasks=-63", &job));
}

static void samples_evenly (void **state)
{
    static const uint64_t steps[] = {1, 2, 10, 64};

    for (size_t i = 0; i < 4; i++) {
        int traced = 0;

        for (uint64_t k = 0; k < 1000; k++)
            traced += rule_samples (10, 7000 + k * steps[i]);
        assert_true (traced > 70 && traced < 130);
    }
    assert_true (rule_samples (0, 5) && rule_samples (1, 5));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (refuses_bad_words),
        cmocka_unit_test (refuses_long_words),
        cmocka_unit_test (an_empty_rule_fits_all_and_traces_none),
        cmocka_unit_test (names),
        cmocka_unit_test (ranges),
        cmocka_unit_test (samples_evenly),
    };

    return tap_run (tests);
}
