/* SPDX-License-Identifier: MIT
 *
 * accessvalues.c - what is left of many values depends on all of them, and on
 *                  nothing else
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "analyze/scan/values.h"
#include "tests/unit/rng.h"

enum { MET = 20000, PARTS = 5 };

static uint64_t met[MET];

/* Is the value one of those whose odd factor has fewer bits? */
static int is_round (uint64_t value, unsigned bits)
{
    while (value && value % 2 == 0)
        value /= 2;
    return value < (uint64_t)1 << (bits - 1);
}

static int order (const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Different ones that are round; all: of any kind. */
static size_t different (size_t n, unsigned bits, int all)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += (i == 0 || met[i] != met[i - 1]) &&
                 (all || is_round (met[i], bits));
    return count;
}

static size_t times_of (size_t n, uint64_t value)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += met[i] == value;
    return count;
}

/* By the definition, from the sorted list of all. */
static void judge (const struct accessvalues *f, size_t n)
{
    const struct accessvalues_of *s = f->way[ACCESS_READ];
    uint64_t known = 0;
    size_t values;
    struct valuecount_slot *v = accessvalues_sorted (s, &values);

    assert_non_null (v);
    qsort (met, n, sizeof (*met), order);
    if (different (n, 0, 1) <= ACCESSVALUES_MOST)
        assert_int_equal (s->bits, 0);
    else {
        assert_in_range (s->bits, 1, 64);
        assert_true (different (n, s->bits, 0) <= ACCESSVALUES_MOST);
        assert_true (different (n, s->bits + 1, 0) > ACCESSVALUES_MOST);
    }
    assert_int_equal (values, different (n, s->bits, !s->bits));
    for (size_t i = 0; i < values; i++) {
        assert_true (!s->bits || is_round (v[i].value, s->bits));
        assert_int_equal (v[i].times, times_of (n, v[i].value));
        known += v[i].times;
    }
    assert_int_equal (known + s->unknown, n);
    free (v);
}

/* Met in parts, which are put together in another order. */
static void judge_parts (size_t n)
{
    struct accessvalues *part[PARTS] = {NULL}, *all = NULL;

    for (size_t i = 0; i < n; i++)
        accessvalues_meet (&part[i * i % PARTS], ACCESS_READ, met[i]);
    for (int i = PARTS; i-- > 0;)
        accessvalues_merge (&all, &part[i]);
    judge (all, n);
    accessvalues_free (all);
    for (int i = 0; i < PARTS; i++)
        accessvalues_free (part[i]);
}

static void few (void **state)
{
    (void)state;
    for (size_t i = 0; i < 3000; i++)
        met[i] = (i * i * 4099) % ACCESSVALUES_MOST;
    judge_parts (3000);
    for (size_t i = 0; i < ACCESSVALUES_MOST; i++)
        met[i] = i * 7 + 1;
    judge_parts (ACCESSVALUES_MOST);
    met[ACCESSVALUES_MOST] = 1 << 20; /* one too many */
    judge_parts (ACCESSVALUES_MOST + 1);
}

/* Sizes of records beside that of a block, pages of a large file, powers. */
static void many (void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (size_t i = 0; i < MET; i++)
        met[i] = i % 3 ? 1 + rng_below (&seed, 5000) : 1 << 20;
    judge_parts (MET);
    assert_int_equal (times_of (MET, 1 << 20), (MET + 2) / 3);
    for (size_t i = 0; i < MET; i++)
        met[i] = rng_below (&seed, 1 << 28) * 4096;
    judge_parts (MET);
    for (size_t i = 0; i < MET; i++)
        met[i] =
            i < 63 ? (uint64_t)1 << i : (i << 1 | 1) << rng_below (&seed, 9);
    judge_parts (MET);
}

/* The size of a block stays, however many others there are. */
static void round_one (void **state)
{
    struct accessvalues *f = NULL;
    size_t values;
    struct valuecount_slot *v;

    (void)state;
    for (uint64_t i = 0; i < MET; i++) {
        accessvalues_meet (&f, ACCESS_READ, 2 * i + 1);
        accessvalues_meet (&f, ACCESS_READ, 1 << 20);
    }
    v = accessvalues_sorted (f->way[ACCESS_READ], &values);
    assert_non_null (v);
    assert_int_equal (v[0].value, 1 << 20);
    assert_int_equal (v[0].times, MET);
    free (v);
    accessvalues_free (f);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (few),
        cmocka_unit_test (many),
        cmocka_unit_test (round_one),
    };

    return tap_run (tests);
}
