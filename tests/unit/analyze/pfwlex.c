/* SPDX-License-Identifier: MIT
 *
 * pfwlex.c - objects of DFTracer's lines, well formed and not
 */
#include "tests/unit/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/import/pfw/pfwlex.h"

static struct pfw_line line;

/* From memory of exactly that size, so that reading on is seen. */
static int lex (const char *text)
{
    size_t n = strlen (text);
    char *copy = malloc (n ? n : 1);
    const char *end;
    int rc;

    assert_non_null (copy);
    memcpy (copy, text, n);
    end = pfw_lex (&line, copy, copy + n);
    rc = end == copy + n;
    free (copy);
    return rc;
}

static void refuses_what_is_no_event (void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "}",
        "[",
        "{}",
        "{\"name\":\"read\"}",
        "{\"ph\":\"X\"}",
        "{\"name\":\"read\",\"ph\":\"Q\"}",
        "{\"name\":\"read\" \"ph\":\"X\"}",
        "{\"name\":\"read\",\"ph\":\"X\"",
        "{\"name\":\"read\",\"ph\":\"X\",\"args\":{\"a\":1}",
        "{\"name\":\"read\",\"ph\":\"X\",\"args\":{\"a\":",
        "{\"name\":\"read\",\"ph\":\"X\",\"args\":{\"a\":[1,2}",
        "{\"name\":\"read\\",
        "{\"name",
        "{\"name\":",
        "{\"name\":,\"ph\":1}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++)
        assert_false (lex (bad[i]));
}

/* Every prefix of an object is refused, none is read beyond its end. */
static void refuses_every_prefix (void **state)
{
    static const char whole[] =
        "{\"id\":1,\"name\":\"r\\\"d\",\"cat\":\"POSIX\",\"pid\":\"7\","
        "\"ts\":5,\"dur\":1,\"ph\":\"X\",\"args\":{\"ret\":-1,"
        "\"x\":[{\"a\":\"}\"}],\"y\":1.5e3}}";

    (void)state;
    for (size_t n = 1; n < sizeof (whole) - 1; n++) {
        char *prefix = strndup (whole, n);

        assert_non_null (prefix);
        assert_false (lex (prefix));
        free (prefix);
    }
    assert_true (lex (whole));
    assert_int_equal (line.ret, -1);
    assert_int_equal (line.pid, 7);
    assert_int_equal (line.nargs, 1);
    assert_true (line.arg[0].d > 1499 && line.arg[0].d < 1501);
}

static void takes_phases_of_every_dialect (void **state)
{
    static const struct {
        const char *ph;
        enum pfw_phase phase;
    } rows[] = {
        {"\"X\"", PFW_PHASE_EVENT},   {"1", PFW_PHASE_EVENT},
        {"\"M\"", PFW_PHASE_META},    {"4", PFW_PHASE_META},
        {"\"C\"", PFW_PHASE_COUNTER}, {"2", PFW_PHASE_COUNTER},
        {"3", PFW_PHASE_AGGREGATED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
        char text[64];

        (void)snprintf (text, sizeof (text), "{\"name\":\"a\",\"ph\":%s}",
                        rows[i].ph);
        assert_true (lex (text));
        assert_int_equal (line.phase, rows[i].phase);
    }
}

static void limits_hold (void **state)
{
    char text[8192];
    size_t n;

    (void)state;
    n = (size_t)snprintf (text, sizeof (text),
                          "{\"name\":\"a\",\"ph\":1,\"args\":{");
    for (int i = 0; i < 3 * PFW_ARGS_MAX; i++)
        n += (size_t)snprintf (text + n, sizeof (text) - n,
                               "\"k\":99999999999999999999,");
    (void)snprintf (text + n, sizeof (text) - n, "}}");
    assert_true (lex (text));
    assert_int_equal (line.nargs, PFW_ARGS_MAX);
    n = (size_t)snprintf (text, sizeof (text),
                          "{\"name\":\"a\",\"ph\":1,\"x\":");
    memset (text + n, '[', 1000);
    text[n + 1000] = '\0';
    assert_false (lex (text));
}

static void unescapes (void **state)
{
    static const char raw[] = "a\\\"b\\\\c\\n\\u0041\\u00e9\\u20ac\\q\\";
    struct pfw_text t = {raw, sizeof (raw) - 1, 1};
    char out[64];
    size_t n = pfw_unescape (&t, out, sizeof (out));

    (void)state;
    assert_int_equal (n, 14);
    assert_memory_equal (out, "a\"b\\c\nA\xc3\xa9\xe2\x82\xacq\\", 14);
    assert_true (pfw_unescape (&t, out, 4) <= 4);
    /* bytes that are no text, as we write them */
    t = (struct pfw_text){"\\\\xff\\\\x5cxff\\\\xg\\\\x", 20, 1};
    n = pfw_unescape (&t, out, sizeof (out));
    assert_int_equal (n, 10);
    assert_memory_equal (out, "\xff\\xff\\xg\\x", 10);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (refuses_what_is_no_event),
        cmocka_unit_test (refuses_every_prefix),
        cmocka_unit_test (takes_phases_of_every_dialect),
        cmocka_unit_test (limits_hold),
        cmocka_unit_test (unescapes),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
