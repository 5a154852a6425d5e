/* SPDX-License-Identifier: MIT
 *
 * nest.c - time inside nested regions, against a random tree
 */
#include "tests/unit/tap.h"

#include "analyze/scan/nest.h"
#include "lib/util/spool.h"

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
    inside = nest_add (&nest, start, now, 0, NULL);
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

static void is_tag_3 (void *cookie, const struct nest_region *r)
{
    assert_int_equal (r->tag, 3);
}

static void overlap_counts_once (void **state)
{
    uint64_t inside;

    (void)state;
    inside = nest_add (&nest, 10, 30, 1, NULL);
    inside = nest_add (&nest, 20, 40, 2, NULL);
    assert_int_equal (inside, 0); /* begins later, but is no child */
    inside = nest_add (&nest, 5, 50, 3, NULL);
    assert_int_equal (inside, 30); /* 10 to 40 */
    assert_int_equal (nest.count, 1);
    nest_drain (&nest, is_tag_3, NULL);
    assert_int_equal (nest.count, 0);
    nest_clear (&nest);
}

static void earlier_start_is_no_child (void **state)
{
    uint64_t inside;

    (void)state;
    inside = nest_add (&nest, 10, 30, 1, NULL);
    inside = nest_add (&nest, 25, 40, 2, NULL);
    assert_int_equal (inside, 0);
    assert_int_equal (nest.count, 2);
    nest_clear (&nest);
}

enum { OVERLAPS = 5000 };

/* Each starts and ends later than the one before, and overlaps it; lengths and
 * tags need few bits or nearly all. */
static struct nest_region overlap (uint64_t i)
{
    return (struct nest_region){
        .start = i << 20,
        .end = (UINT64_C (1) << (i < OVERLAPS / 2 ? 33 : 62)) + (i << 21),
        .tag = i % 7 == 0 ? i | NEST_WINS : i + 1};
}

static void is_last_overlap (void *cookie, const struct nest_region *r)
{
    uint64_t *left = cookie;
    const struct nest_region want = overlap (--*left);

    assert_int_equal (r->start, want.start);
    assert_int_equal (r->end, want.end);
    assert_int_equal (r->tag, want.tag);
}

/* Regions in blocks below the top one are the same when they are read back. */
static void covered_regions_come_back (void **state)
{
    struct nest n = {.continues = 0};
    uint64_t left = OVERLAPS;

    (void)state;
    for (uint64_t i = 0; i < OVERLAPS; i++) {
        const struct nest_region r = overlap (i);

        nest_add (&n, r.start, r.end, r.tag, NULL);
    }
    assert_int_equal (n.count, OVERLAPS);
    nest_drain (&n, is_last_overlap, &left);
    assert_int_equal (left, 0);
    nest_clear (&n);
}

/* --- in splits, and out of memory ------------------------------------------
 */

enum { REGIONS = 40000 };

struct plan {
    uint64_t start, end;
    uint64_t inside; /* what one nest says of all */
    uint64_t own;    /* its gaps */
};

static struct plan plan[REGIONS];
static uint64_t own[REGIONS];
static size_t planned;

static void sketch (int depth)
{
    uint64_t start = now;

    for (uint64_t n = depth < 9 ? next (4) : 0; n > 0; n--)
        sketch (depth + 1);
    now += next (4);
    if (planned < REGIONS)
        plan[planned++] = (struct plan){start - next (3), now, 0, 0};
}

/* What is in no region inside it. */
static void add_gaps (struct plan *p, const struct nest *n)
{
    for (size_t i = 0; i < n->gaps; i++) {
        assert_true (n->gap[i].start < n->gap[i].end);
        assert_true (i == 0 || n->gap[i].end <= n->gap[i - 1].start);
        assert_true (n->gap[i].start >= p->start && n->gap[i].end <= p->end);
        p->own += n->gap[i].end - n->gap[i].start;
    }
}

static void add_more (void *cookie, void *owner, uint64_t inside)
{
    ((struct plan *)owner)->inside -= inside;
    add_gaps (owner, cookie);
}

static void count_tag (void *cookie, const struct nest_region *r)
{
    *(uint64_t *)cookie += r->tag;
}

/* All of them in one nest, or in splits that are joined. */
static uint64_t roots (size_t splits)
{
    struct nest all = {.keeps_gaps = 1};
    uint64_t sum = 0, inside;

    for (size_t k = 0; k < splits; k++) {
        struct nest part = {.continues = k > 0, .keeps_gaps = 1};

        for (size_t i = k * planned / splits; i < (k + 1) * planned / splits;
             i++) {
            inside = nest_add (&part, plan[i].start, plan[i].end, i, &plan[i]);
            plan[i].inside -= inside;
            add_gaps (&plan[i], &part);
        }
        nest_join (&all, &part, add_more, &all);
        assert_int_equal (part.count, 0);
    }
    nest_drain (&all, count_tag, &sum);
    nest_clear (&all);
    return sum;
}

static void pieces_are_as_one (void **state)
{
    static const size_t splits[] = {2, 3, 50, 4000, REGIONS};
    uint64_t want, inside;

    (void)state;
    now = 1000;
    while (planned < REGIONS) {
        sketch (0);
        for (int i = 0; i < 40; i++) /* so many that they leave memory */
            sketch (9);
    }
    for (int out = 0; out < 2; out++) {
        for (size_t i = 0; i < sizeof (splits) / sizeof (splits[0]); i++) {
            for (size_t k = 0; k < planned; k++)
                plan[k].inside = plan[k].own = 0;
            want = roots (1); /* takes off; the splits have to, too */
            inside = 0;
            for (size_t k = 0; k < planned; k++) {
                inside |= plan[k].inside;
                plan[k].inside = 0 - plan[k].inside;
                own[k] = plan[k].own;
                assert_int_equal (own[k] + plan[k].inside,
                                  plan[k].end - plan[k].start);
            }
            assert_int_not_equal (inside, 0);
            assert_int_equal (roots (splits[i]), want);
            for (size_t k = 0; k < planned; k++) {
                assert_int_equal (plan[k].inside, 0);
                assert_int_equal (plan[k].own, 2 * own[k]);
            }
        }
        spool_limit (0);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (pieces_are_as_one),
        cmocka_unit_test (trees_add_up),
        cmocka_unit_test (overlap_counts_once),
        cmocka_unit_test (earlier_start_is_no_child),
        cmocka_unit_test (covered_regions_come_back),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
