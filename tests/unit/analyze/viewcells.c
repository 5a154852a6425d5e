/* SPDX-License-Identifier: MIT
 *
 * viewcells.c - test of analyze/tables/viewcells.c
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "analyze/tables/views.h"

static uint64_t weight (const void *value)
{
    return *(const uint64_t *)value;
}

static void
put (struct strmap *m, const char *key, size_t length, uint64_t *value)
{
    int isnew;
    int64_t at = strmap_intern (m, key, length, &isnew);

    assert_true (at >= 0 && isnew);
    strmap_set (m, (size_t)at, value);
}

static void no_rows (void **state)
{
    struct strmap *m = strmap_create ();
    size_t *order = rows_sorted (m, weight);

    assert_non_null (order);
    free (order);
    assert_null (rows_sorted (NULL, weight));
    strmap_destroy (m);
}

/* The heaviest first; then by all bytes of the key, a NUL among them. */
static void rows_have_one_order (void **state)
{
    static const size_t want[] = {4, 3, 1, 0, 2};
    struct strmap *m = strmap_create ();
    uint64_t light = 0, heavy = 7;
    size_t *order;

    put (m, "data\0read", 9, &light);
    put (m, "data\0item", 9, &light);
    put (m, "data\0reads", 10, &light);
    put (m, "b", 1, &heavy);
    put (m, "a", 1, &heavy);
    order = rows_sorted (m, weight);
    assert_non_null (order);
    assert_memory_equal (order, want, sizeof (want));
    free (order);
    strmap_destroy (m);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (no_rows),
        cmocka_unit_test (rows_have_one_order),
    };

    return tap_run (tests);
}
