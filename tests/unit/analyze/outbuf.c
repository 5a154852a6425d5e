/* SPDX-License-Identifier: MIT
 *
 * outbuf.c - numbers against printf, escapes, growth
 */
#include "tests/unit/tap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/util/gz.h"

static void is_text (struct outbuf *b, const char *want)
{
    assert_int_equal (b->n, strlen (want));
    assert_memory_equal (b->p, want, b->n);
    b->n = 0;
}

static void numbers (void **state)
{
    struct outbuf b = {0};
    char want[32];
    uint64_t v = 1;

    (void)state;
    for (int i = 0; i < 20; i++, v *= 10)
        for (int more = -1; more <= 1; more++) {
            uint64_t u = v + (uint64_t)(int64_t)more;

            outbuf_u64 (&b, u);
            (void)snprintf (want, sizeof (want), "%" PRIu64, u);
            is_text (&b, want);
            outbuf_i64 (&b, -(int64_t)(u >> 1));
            (void)snprintf (want, sizeof (want), "%" PRId64,
                            -(int64_t)(u >> 1));
            is_text (&b, want);
        }
    outbuf_u64 (&b, UINT64_MAX);
    is_text (&b, "18446744073709551615");
    outbuf_i64 (&b, INT64_MIN);
    is_text (&b, "-9223372036854775808");
    for (unsigned i = 0; i < 1000; i++) {
        outbuf_u64 (&b, i);
        (void)snprintf (want, sizeof (want), "%u", i);
        is_text (&b, want);
    }
    outbuf_clear (&b);
}

static void texts (void **state)
{
    struct outbuf b = {0};

    (void)state;
    outbuf_put (&b, NULL, 0);
    assert_int_equal (b.n, 0);
    outbuf_escaped (&b, "a\"\\\n\x01\xff\xc3\xa9", 8);
    is_text (&b, "a\\\"\\\\\\n\\u0001\\\\xff\xc3\xa9");
    outbuf_double (&b, 0.5);
    is_text (&b, "0.5");
    for (int i = 0; i < 100000; i++)
        OUTBUF_PUT (&b, "0123456789");
    assert_int_equal (b.n, 1000000);
    assert_memory_equal (b.p + 999990, "0123456789", 10);
    outbuf_clear (&b);
    outbuf_clear (&b);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (numbers),
        cmocka_unit_test (texts),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
