/* SPDX-License-Identifier: MIT
 *
 * nest.c - time inside nested regions, against a random tree
 */
#include "tests/unit/tap.h"

#include "analyze/nest.h"

static struct nest nest;
static uint64_t seed = 3, now;

static uint64_t next (uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

/* A region with up to three children, depth first; checks that what nest.c
 * says is inside is what the children took. Returns its own length. */
static uint64_t run (int depth)
{
    uint64_t start = now, children = 0, inside = 77;

    now += next (5);
    for (uint64_t n = depth < 6 ? next (4) : 0; n > 0; n--) {
        children += run (depth + 1);
        now += next (3);
    }
    now += 1 + next (5);
    assert_int_equal (nest_add (&nest, start, now, 0, &inside), 0);
    assert_int_equal (inside, children);
    return now - start;
}

static void trees_add_up (void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        (void)run (0);
        now += 1 + next (3);
    }
    assert_int_equal (nest.count, 500); /* the roots, and only they */
    nest_clear (&nest);
    assert_int_equal (nest.count, 0);
}

static void overlap_counts_once (void **state)
{
    uint64_t inside;

    (void)state;
    assert_int_equal (nest_add (&nest, 10, 30, 1, &inside), 0);
    assert_int_equal (nest_add (&nest, 20, 40, 2, &inside), 0);
    assert_int_equal (inside, 0); /* begins later, but is no child */
    assert_int_equal (nest_add (&nest, 5, 50, 3, &inside), 0);
    assert_int_equal (inside, 30); /* 10 to 40 */
    assert_int_equal (nest.count, 1);
    assert_int_equal (nest.item[0].tag, 3);
    nest_clear (&nest);
}

static void earlier_start_is_no_child (void **state)
{
    uint64_t inside;

    (void)state;
    assert_int_equal (nest_add (&nest, 10, 30, 1, &inside), 0);
    assert_int_equal (nest_add (&nest, 25, 40, 2, &inside), 0);
    assert_int_equal (inside, 0);
    assert_int_equal (nest.count, 2);
    nest_clear (&nest);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (trees_add_up),
        cmocka_unit_test (overlap_counts_once),
        cmocka_unit_test (earlier_start_is_no_child),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
