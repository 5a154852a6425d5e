/* SPDX-License-Identifier: MIT
 *
 * interval.c - unions and intersections against an array of marks
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/scan/spanlog.h"

enum { TIME = 400, ROUNDS = 3000, SETS = 5 };

static uint64_t seed;

static uint64_t next (uint64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

static void mark (unsigned char *slots, uint64_t start, uint64_t end)
{
    for (uint64_t i = start; i < end; i++)
        slots[i] = 1;
}

static uint64_t count (const unsigned char *a, const unsigned char *b)
{
    uint64_t n = 0;

    for (int i = 0; i < TIME; i++)
        n += a[i] && b[i];
    return n;
}

static void assert_tidy (const struct intervals *set)
{
    for (size_t i = 0; i < set->count; i++) {
        assert_true (set->item[i].start < set->item[i].end);
        if (i)
            assert_true (set->item[i - 1].end < set->item[i].start);
    }
}

/* Random intervals, in the order of their ends or in any order. */
static void fill (struct intervals *set, unsigned char *slots, int ordered)
{
    uint64_t end = 0;

    memset (slots, 0, TIME);
    for (uint64_t n = next (30); n > 0; n--) {
        uint64_t start;

        end = ordered ? end + next (20) : next (TIME);
        if (end >= TIME)
            break;
        start = end - next (end + 1);
        if (next (2) && end > 8)
            start = end - next (8);
        intervals_add (set, start, end);
        mark (slots, start, end);
        assert_tidy (set);
    }
}

static void adds_nothing_empty (void **state)
{
    struct intervals set = {0};

    (void)state;
    intervals_add (&set, 5, 5);
    intervals_add (&set, 9, 3);
    assert_int_equal (set.count, 0);
    assert_int_equal (intervals_length (&set), 0);
    intervals_clear (&set);
    intervals_clear (&set);
}

static void parents_swallow_children (void **state)
{
    struct intervals set = {0};

    (void)state;
    intervals_add (&set, 10, 20);
    intervals_add (&set, 30, 40);
    intervals_add (&set, 5, 50);
    assert_int_equal (set.count, 1);
    assert_int_equal (intervals_length (&set), 45);
    intervals_clear (&set);
}

static void random_sets_agree (int ordered)
{
    for (uint64_t round = 1; round < ROUNDS; round++) {
        struct intervals set[SETS] = {{0}}, all = {0};
        unsigned char slots[SETS][TIME], any[TIME] = {0}, full[TIME];

        seed = round;
        memset (full, 1, sizeof (full));
        for (int i = 0; i < SETS; i++) {
            fill (&set[i], slots[i], ordered);
            assert_int_equal (intervals_length (&set[i]),
                              count (slots[i], full));
            for (int t = 0; t < TIME; t++)
                any[t] |= slots[i][t];
            for (size_t k = 0; k < set[i].count; k++)
                intervals_add (&all, set[i].item[k].start, set[i].item[k].end);
        }
        assert_tidy (&all);
        assert_int_equal (intervals_length (&all), count (any, full));
        for (int i = 0; i < SETS; i++)
            intervals_clear (&set[i]);
        intervals_clear (&all);
    }
}

static void ordered_sets_agree (void **state)
{
    (void)state;
    random_sets_agree (1);
}

static void unordered_sets_agree (void **state)
{
    (void)state;
    random_sets_agree (0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (adds_nothing_empty),
        cmocka_unit_test (parents_swallow_children),
        cmocka_unit_test (ordered_sets_agree),
        cmocka_unit_test (unordered_sets_agree),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
