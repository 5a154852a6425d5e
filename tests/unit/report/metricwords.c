/* SPDX-License-Identifier: MIT
 *
 * metricwords.c - test of: the name of a metric -> words
 */
#include "tests/unit/tap.h"

#include "analyze/report/study/choice.h"

static void words (void **state)
{
    static const char *const pair[][2] = {
        {"read_time", "read time"},
        {"io_sync_count", "I/O sync count"},
        {"posix_bytes", "POSIX bytes"},
        {"bill_write", "ranks' time: writing"},
        {"bill_write_time", "ranks' time: writing"},
        {"bill_writer", "bill writer"}, /* of no row */
        {"bill_", "bill "},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof (pair) / sizeof (pair[0]); i++)
        assert_string_equal (metricwords (pair[i][0]), pair[i][1]);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (words),
    };

    return tap_run (tests);
}
