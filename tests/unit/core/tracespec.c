/* SPDX-License-Identifier: MIT
 *
 * tracespec.c - test of lib/settings/tracespec.c
 */
#include "tests/unit/tap.h"

#include "lib/format/calls.h"
#include "lib/settings/plan.h"

static struct tracespec spec;
static struct settings s;
static struct errtext err;

static void bad_text_says_nothing (void **state)
{
    static const char *const bad[] = {
        NULL,
        "",
        "(null)",
        ",",
        "posix,",
        ",posix",
        "posx",
        "=",
        "=1",
        "max_bytes=",
        "max_bytes=lots",
        "max=1G",
        "layers=app",
        "posix,,app",
        "posix,job_dir=",
        "state_dir=/x",
        "preload=/x",
        "min_size=-1",
    };

    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
        err.text[0] = '\0';
        assert_int_equal (tracespec_parse (&spec, bad[i], &err), -1);
        assert_true (strlen (err.text) > 0);
        assert_int_equal (spec.layers, -1);
        assert_int_equal (spec.settings.given, 0);
    }
    assert_int_equal (tracespec_parse (&spec, "posx", NULL), -1);
}

static void too_long_is_refused (void **state)
{
    static char text[SETTING_TEXT_MAX + 1];

    memset (text, 'x', sizeof (text) - 1);
    assert_int_equal (tracespec_parse (&spec, text, &err), -1);
    assert_int_equal (errno, ENAMETOOLONG);
}

static void words_and_keys_in_any_order (void **state)
{
    assert_int_equal (
        tracespec_parse (&spec, "max_bytes=2G,posix,job_dir=/s/%u/%x-%j,app",
                         &err),
        0);
    assert_int_equal (spec.layers, LAYER_POSIX | LAYER_STDIO | LAYER_APP);
    assert_int_equal (spec.settings.given,
                      SETTING_BIT (max_bytes) | SETTING_BIT (job_dir));
    settings_init (&s);
    settings_overlay (&s, &spec.settings);
    assert_int_equal (s.given, spec.settings.given);
    assert_int_equal (s.max_bytes, 2ull << 30);
    assert_string_equal (s.job_dir, "/s/%u/%x-%j");
    assert_int_equal (s.layers, LAYER_NONE);
}

static void keys_alone_name_no_layer (void **state)
{
    assert_int_equal (tracespec_parse (&spec, "max_bytes=1K", &err), 0);
    assert_int_equal (spec.layers, -1);
    assert_int_equal (tracespec_parse (&spec, "nostdio", &err), 0);
    assert_int_equal (spec.layers, LAYER_POSIX | LAYER_NOSTDIO);
    assert_int_equal (tracespec_parse (&spec, "posix,off,max_bytes=1K", &err),
                      0);
    assert_int_equal (spec.layers, LAYER_OFF);
}

static void the_last_of_two_wins (void **state)
{
    assert_int_equal (
        tracespec_parse (&spec, "max_bytes=1K,max_bytes=2K", &err), 0);
    assert_int_equal (spec.settings.max_bytes, 2048);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (bad_text_says_nothing),
        cmocka_unit_test (too_long_is_refused),
        cmocka_unit_test (words_and_keys_in_any_order),
        cmocka_unit_test (keys_alone_name_no_layer),
        cmocka_unit_test (the_last_of_two_wins),
    };

    return tap_run (tests);
}
