/* SPDX-License-Identifier: MIT
 *
 * escape.c - test of: text of strangers -> text that cannot pose as ours
 */
#include "tests/unit/tap.h"

#include "lib/base/text.h"

static void texts (void **state)
{
    static const struct {
        const char *text, *want;
    } t[] = {
        {"", ""},
        {"plain ä € \xf0\x9f\x98\x80 \\", "plain ä € \xf0\x9f\x98\x80 \\"},
        {"a\ndftrace: b\r\t\x1b[2J\x7f", "a\\ndftrace: b\\x0d\\t\\x1b[2J\\x7f"},
        {"\xc2\x80\xc2\x9b\xc2\xa0", "\\u{80}\\u{9b}\xc2\xa0"},
        {"\x80\xff\xc3", "\\x80\\xff\\xc3"},
        {"\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf", "\\u{202e}\\u{2066}\\u{feff}"},
        {"\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbe",
         "\\u{fffe}\\u{ffff}\\u{1fffe}"},
        {"\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"},
    };
    char out[200];

    for (size_t i = 0; i < sizeof (t) / sizeof (t[0]); i++)
        assert_string_equal (
            escape_text (out, sizeof (out), t[i].text, ESCAPE_LINES),
            t[i].want);
    assert_string_equal (
        escape_text (out, sizeof (out), "a\nb\r", ESCAPE_KEEP_LINES),
        "a\nb\\x0d");
}

static void cut (void **state)
{
    char out[8];

    assert_string_equal (escape_text (out, 4, "ab\n", ESCAPE_LINES), "ab");
    assert_string_equal (escape_text (out, 4, "ab\xc3\xa4", ESCAPE_LINES),
                         "ab");
    assert_string_equal (escape_text (out, 5, "ab\xc3\xa4", ESCAPE_LINES),
                         "ab\xc3\xa4");
    assert_string_equal (escape_text (out, 1, "a", ESCAPE_LINES), "");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (texts),
        cmocka_unit_test (cut),
    };

    return tap_run (tests);
}
