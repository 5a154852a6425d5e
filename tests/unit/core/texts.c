/* SPDX-License-Identifier: MIT
 *
 * texts.c - memory that stays where it is
 */
#include "tests/unit/tap.h"

#include "lib/format/event.h"

enum { PIECES = 1000, PIECE = 8191 };

static void test_bad (void **state)
{
    struct texts t = {.first = NULL};

    errno = 0;
    assert_null (texts_room (&t, TEXTS_MAX + 1));
    assert_int_equal (errno, EINVAL);
    texts_reset (&t);
    texts_free (&t);
    texts_free (&t);
}

/* Twice: the second round must use the memory of the first. */
static void test_stays (void **state)
{
    struct texts t = {.first = NULL};
    char *first = NULL, *p[PIECES];

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < PIECES; i++) {
            p[i] = texts_room (&t, PIECE);
            assert_non_null (p[i]);
            memset (p[i], i & 127, PIECE);
        }
        for (int i = 0; i < PIECES; i++)
            for (int k = 0; k < PIECE; k += PIECE - 1)
                assert_int_equal (p[i][k], i & 127);
        if (round == 0)
            first = p[0];
        assert_ptr_equal (p[0], first);
        texts_reset (&t);
    }
    texts_free (&t);
}

static void test_whole (void **state)
{
    struct texts t = {.first = NULL};
    char *a = texts_room (&t, TEXTS_MAX), *b = texts_room (&t, TEXTS_MAX);

    assert_true (a && b && a != b);
    memset (a, 1, TEXTS_MAX);
    memset (b, 2, TEXTS_MAX);
    assert_int_equal (a[TEXTS_MAX - 1], 1);
    assert_non_null (texts_room (&t, 0));
    texts_free (&t);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bad),
        cmocka_unit_test (test_stays),
        cmocka_unit_test (test_whole),
    };

    return tap_run (tests);
}
