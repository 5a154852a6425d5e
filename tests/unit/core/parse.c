/* SPDX-License-Identifier: MIT
 *
 * parse.c - numbers, sizes, durations, booleans: what is one, what is not
 */
#include "tests/unit/tap.h"

#include "lib/base/text.h"

enum { UNTOUCHED = 4711 };

typedef int (*parse_f) (const char *text, uint64_t *out);

static void bad (parse_f parse, const char *text, int error)
{
    uint64_t v = UNTOUCHED;

    errno = 0;
    if (parse (text, &v) != -1 || errno != error || v != UNTOUCHED)
        fail_msg ("\"%s\": errno %d, value %llu", text, errno,
                  (unsigned long long)v);
}

static void good (parse_f parse, const char *text, uint64_t want)
{
    uint64_t v = ~want;

    if (parse (text, &v) != 0 || v != want)
        fail_msg ("\"%s\": %llu, not %llu", text, (unsigned long long)v,
                  (unsigned long long)want);
}

static void test_u64 (void **state)
{
    static const char *const not_numbers[] = {"",   " 1", "1 ",  "-1", "+1",
                                              "1a", "0x", "1.0", "a"};

    for (size_t i = 0; i < sizeof (not_numbers) / sizeof (char *); i++)
        bad (parse_u64, not_numbers[i], EINVAL);
    bad (parse_u64, "18446744073709551616", ERANGE);
    bad (parse_u64, "99999999999999999999999", ERANGE);
    good (parse_u64, "18446744073709551615", UINT64_MAX);
    good (parse_u64, "0", 0);
    good (parse_u64, "007", 7);
}

static void test_size (void **state)
{
    static const char *const not_sizes[] = {"",    "K",   "1KK", "1P",  "1Ki",
                                            "1KB", "-1K", "1 K", "1.5K"};

    for (size_t i = 0; i < sizeof (not_sizes) / sizeof (char *); i++)
        bad (parse_size, not_sizes[i], EINVAL);
    bad (parse_size, "16777216T", ERANGE);
    bad (parse_size, "18446744073709551615K", ERANGE);
    good (parse_size, "16777215T", 16777215ull << 40);
    good (parse_size, "0", 0);
    good (parse_size, "4096", 4096);
    good (parse_size, "4096B", 4096);
    good (parse_size, "3K", 3072);
    good (parse_size, "3k", 3072);
    good (parse_size, "3KiB", 3072);
    good (parse_size, "2M", 2u << 20);
    good (parse_size, "2MiB", 2u << 20);
    good (parse_size, "5G", 5ull << 30);
}

static void test_duration (void **state)
{
    static const char *const not_durations[] = {"",   "s",  "1S", "1 s",
                                                "-1", "1x", "1sm"};

    for (size_t i = 0; i < sizeof (not_durations) / sizeof (char *); i++)
        bad (parse_duration, not_durations[i], EINVAL);
    bad (parse_duration, "18446744074", ERANGE);
    good (parse_duration, "18446744073", 18446744073000000000u);
    good (parse_duration, "2", 2000000000u);
    good (parse_duration, "2s", 2000000000u);
    good (parse_duration, "500ms", 500000000u);
    good (parse_duration, "3m", 180000000000u);
    good (parse_duration, "1h", 3600000000000u);
    good (parse_duration, "1d", 86400000000000u);
}

static void test_bool (void **state)
{
    static const char *const words[] = {"0", "no",  "False", "OFF",
                                        "1", "Yes", "true",  "oN"};
    static const char *const others[] = {"", "2", "y", "truex", "none"};

    for (int i = 0; i < 8; i++) {
        int v = -1;

        assert_int_equal (parse_bool (words[i], &v), 0);
        assert_int_equal (v, i >= 4);
    }
    for (size_t i = 0; i < sizeof (others) / sizeof (char *); i++) {
        int v = UNTOUCHED;

        errno = 0;
        assert_int_equal (parse_bool (others[i], &v), -1);
        assert_int_equal (errno, EINVAL);
        assert_int_equal (v, UNTOUCHED);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_u64),
        cmocka_unit_test (test_size),
        cmocka_unit_test (test_duration),
        cmocka_unit_test (test_bool),
    };

    return tap_run (tests);
}
