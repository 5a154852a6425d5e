/* SPDX-License-Identifier: MIT
 *
 * tokenizer.c - test of the tokens of the example workload
 */
#include "tests/unit/tap.h"

#include "etc/examples/minigpt/synth.h"
#include "etc/examples/minigpt/tokenizer.h"

static void test_tokenizer (void **state)
{
    uint16_t a[64], b[64];
    size_t n = tokenize ("the cat, the cat", 16, a);

    assert_int_equal (n, 5);
    assert_int_equal (a[0], a[3]);
    assert_int_equal (a[1], a[4]);
    assert_true (a[0] != a[1]);
    assert_int_equal (tokenize ("internationalization", 20, b), 3);
    assert_int_equal (tokenize ("a\n\nb", 4, b), 3);
    assert_int_equal (tokenize ("", 0, b), 0);
    for (size_t i = 0; i < n; i++)
        assert_true (a[i] >= TOKEN_FIRST && a[i] < TOKEN_LIMIT);
}

static void test_synth (void **state)
{
    static uint16_t a[SYNTH_TOKENS_MAX], b[SYNTH_TOKENS_MAX];
    struct synth s, t;
    uint64_t total = 0;

    synth_init (&s, 1);
    synth_init (&t, 1);
    for (int i = 0; i < 300; i++) {
        size_t n = synth_document (&s, a);

        assert_int_equal (synth_document (&t, b), n);
        assert_memory_equal (a, b, n * sizeof (*a));
        assert_true (n >= 16 && n <= SYNTH_TOKENS_MAX);
        total += n;
    }
    assert_in_range (total / 300, 600, 1300);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_tokenizer),
        cmocka_unit_test (test_synth),
    };

    return tap_run (tests);
}
