/* SPDX-License-Identifier: MIT
 *
 * order.c - every run once, in a reproducible order, within all limits
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "sweep/plan/order.h"

struct fixture {
    struct spec *spec;
    struct grid *grid;
};

static struct fixture make (const char *more)
{
    struct fixture f = {NULL};
    struct errtext err = {""};
    const char *text =
        arena_format ("sweep: s\naxes: {a: \"range(1, 5)\", b: [x, y, z]}\n"
                      "slurm: {nodes: \"${a > 3 ? 2 : 1}\"}\nrun: r\n%s",
                      more);

    f.spec = spec_parse ("s.yaml", text, strlen (text), &err);
    assert_non_null (f.spec);
    f.grid = grid_expand (f.spec, &err);
    assert_non_null (f.grid);
    return f;
}

static void unmake (struct fixture *f)
{
    spec_destroy (f->spec);
}

/* The published first numbers for seed 1234567. */
static void test_splitmix (void **state)
{
    uint64_t s = 1234567;

    assert_true (splitmix64 (&s) == 6457827717110365317u);
    assert_true (splitmix64 (&s) == 3203168211198807973u);
    assert_true (splitmix64 (&s) == 9817491932198370423u);
    for (int i = 0; i < 10000; i++)
        assert_true (splitmix64_below (&s, 7) < 7);
    assert_true (splitmix64_below (&s, 1) == 0);
}

static void
check_once (const struct fixture *f, const struct layout *l, int max_tasks)
{
    char seen[15][8] = {{0}};
    size_t tasks = 0;

    assert_int_equal (l->runs, 15 * (size_t)f->spec->repeats);
    for (size_t c = 0; c < l->chunks; c++) {
        const struct chunk *k = &l->chunk[c];

        assert_in_range (k->count, 1, max_tasks); /* indices 0 … count - 1 */
        for (int i = 0; i < k->count; i++) {
            assert_int_equal (seen[k->run[i].point][k->run[i].repeat]++, 0);
            assert_int_equal (f->grid->point[k->run[i].point].group, k->group);
            tasks++;
        }
    }
    assert_int_equal (tasks, l->runs);
}

/* Every run exactly once over all arrays, whatever the site's limit. */
static void test_once (void **state)
{
    static const char *const order[] = {"blocked", "random", "grid"};

    srandom (1);
    for (int round = 0; round < 300; round++) {
        char more[128];
        int max_tasks = 1 + (int)(random () % 40);
        struct fixture f;

        (void)snprintf (more, sizeof (more),
                        "repeats: %d\norder: %s\nseed: %ld\n",
                        1 + (int)(random () % 7), order[round % 3], random ());
        f = make (more);
        check_once (&f, layout_make (f.spec, f.grid, max_tasks), max_tasks);
        unmake (&f);
    }
}

static void test_names (void **state)
{
    struct fixture f = make ("repeats: 2\n");
    struct layout *l = layout_make (f.spec, f.grid, 10);

    /* 9 points x 2 in group 0, 6 x 2 in group 1 */
    assert_int_equal (l->chunks, 4);
    assert_string_equal (l->chunk[0].name, "g0.0");
    assert_string_equal (l->chunk[1].name, "g0.1");
    assert_int_equal (l->chunk[1].count, 8);
    assert_string_equal (l->chunk[3].name, "g1.1");
    assert_int_equal (l->chunk[3].count, 2);
    unmake (&f);
}

/* A block is one pass over all points before the next begins. */
static void test_blocked (void **state)
{
    struct fixture f = make ("repeats: 3\norder: blocked\nseed: 7\n");
    struct layout *l = layout_make (f.spec, f.grid, 1000);
    int moved = 0, differ = 0;

    for (size_t i = 0; i < l->runs; i++) {
        assert_int_equal (l->run[i].repeat, i / 15);
        moved += l->run[i].point != (int)(i % 15);
        differ += i >= 15 && l->run[i].point != l->run[i - 15].point;
    }
    assert_true (moved > 15);
    assert_true (differ > 10);
    unmake (&f);
}

/* The same on every machine: numbers of another implementation (Python). */
static void test_reproducible (void **state)
{
    static const int want[] = {9, 2,  11, 14, 3,  13, 0, 8,
                               4, 12, 5,  1,  10, 7,  6};
    struct fixture f = make ("seed: 20260714\n");
    struct layout *l = layout_make (f.spec, f.grid, 1000);
    struct fixture g = make ("seed: 20260715\n");
    struct layout *m = layout_make (g.spec, g.grid, 1000);
    int differ = 0;

    for (size_t i = 0; i < 15; i++) {
        assert_int_equal (l->run[i].point, want[i]);
        differ += l->run[i].point != m->run[i].point;
    }
    assert_true (differ > 5);
    unmake (&f);
    unmake (&g);
}

static void test_grid_order (void **state)
{
    struct fixture f = make ("order: grid\nrepeats: 2\n");
    struct layout *l = layout_make (f.spec, f.grid, 1000);

    for (size_t i = 0; i < l->runs; i++)
        assert_int_equal (l->run[i].point, i % 15);
    unmake (&f);
}

/* Whatever arrays run together, their throttles never add up to more. */
static void test_max_running (void **state)
{
    for (int most = 1; most < 40; most++)
        for (int max_tasks = 1; max_tasks < 20; max_tasks += 3) {
            char more[64];
            struct fixture f;
            struct layout *l;
            int together = 0;

            (void)snprintf (more, sizeof (more),
                            "repeats: 2\nmax_running: %d\n", most);
            f = make (more);
            l = layout_make (f.spec, f.grid, max_tasks);
            for (size_t c = 0; c < l->chunks; c++) {
                assert_true (l->chunk[c].throttle >= 1);
                assert_true (l->chunk[c].after < (int)c);
                if (l->chunk[c].after < 0)
                    together += l->chunk[c].throttle;
                else /* takes the place of one that has ended */
                    assert_int_equal (l->chunk[c].throttle,
                                      l->chunk[l->chunk[c].after].throttle);
            }
            assert_true (together <= most);
            unmake (&f);
        }
}

static void test_seeds (void **state)
{
    struct fixture f = make ("repeats: 2\nseed: 5\n");
    const struct point *p = f.grid->point;

    assert_true (seed_of_run (f.spec, &p[0], 0) !=
                 seed_of_run (f.spec, &p[0], 1));
    assert_true (seed_of_run (f.spec, &p[0], 0) !=
                 seed_of_run (f.spec, &p[1], 0));
    assert_true (seed_of_repeat (f.spec, 0) != seed_of_repeat (f.spec, 1));
    assert_true (seed_of_run (f.spec, &p[0], 0) < 1u << 31);
    unmake (&f);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_splitmix),
        cmocka_unit_test (test_once),
        cmocka_unit_test (test_names),
        cmocka_unit_test (test_blocked),
        cmocka_unit_test (test_reproducible),
        cmocka_unit_test (test_grid_order),
        cmocka_unit_test (test_max_running),
        cmocka_unit_test (test_seeds),
    };

    return tap_run (tests);
}
