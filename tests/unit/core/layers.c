/* SPDX-License-Identifier: MIT
 *
 * layers.c - words to sets and back
 */
#include "tests/unit/tap.h"

#include "lib/format/calls.h"

enum { UNTOUCHED = 1 << 30 };

static unsigned parsed (const char *text)
{
    unsigned set = UNTOUCHED;

    if (layers_parse (text, &set, NULL) < 0)
        fail_msg ("\"%s\": not parsed", text);
    return set;
}

static void test_bad (void **state)
{
    static const char *const texts[] = {
        NULL,    "",       "(null)", ",",      "posix,",    ",posix",
        "POSIX", "posix ", "pos",    "posixx", "posix,,app"};

    for (size_t i = 0; i < sizeof (texts) / sizeof (char *); i++) {
        struct errtext err = {""};
        unsigned set = UNTOUCHED;

        errno = 0;
        if (layers_parse (texts[i], &set, &err) != -1)
            fail_msg ("\"%s\": parsed", texts[i] ? texts[i] : "NULL");
        assert_int_equal (errno, EINVAL);
        assert_int_equal (set, UNTOUCHED);
        for (int word = 0; word < LAYER_COUNT; word++)
            assert_non_null (strstr (err.text, layer_word (word)));
    }
}

static void test_message (void **state)
{
    struct errtext err;
    unsigned set;
    char longer[4000];

    layers_parse ("app,posx,mmap", &set, &err);
    assert_memory_equal (err.text, "posx: ", 6);
    memset (longer, 'x', sizeof (longer) - 1);
    longer[sizeof (longer) - 1] = '\0';
    layers_parse (longer, &set, &err);
    assert_non_null (strstr (err.text, "nostdio")); /* not crowded out */
}

static void test_sets (void **state)
{
    assert_int_equal (parsed ("posix"), LAYER_POSIX | LAYER_STDIO);
    assert_int_equal (parsed ("posix,nostdio"), LAYER_POSIX | LAYER_NOSTDIO);
    assert_int_equal (parsed ("nostdio"), LAYER_POSIX | LAYER_NOSTDIO);
    assert_int_equal (parsed ("stdio"), LAYER_STDIO);
    assert_int_equal (parsed ("app,posix"),
                      LAYER_POSIX | LAYER_STDIO | LAYER_APP);
    assert_int_equal (parsed ("posix,off"), LAYER_OFF);
    assert_int_equal (parsed ("app,app"), LAYER_APP);
    assert_int_equal (parsed ("batch,strict,mmap"), LAYER_STRICT | LAYER_MMAP);
    assert_int_equal (parsed ("batch,nobatch,app"), LAYER_NOBATCH | LAYER_APP);
}

/* Every set that parsing can give has one text, which gives it again. */
static void test_round_trip (void **state)
{
    for (unsigned words = 1; words < 1u << LAYER_COUNT; words++) {
        char text[256] = "", canonical[256];
        size_t n = 0;
        unsigned set;

        for (int i = 0; i < LAYER_COUNT; i++) {
            if (!(words & 1u << i))
                continue;
            n += (size_t)snprintf (text + n, sizeof (text) - n, "%s%s",
                                   n ? "," : "", layer_word (i));
            assert_true (n < sizeof (text));
        }
        if (words & LAYER_PROFILE && words & (LAYER_MMAP | LAYER_KERNEL)) {
            assert_int_equal (layers_parse (text, &set, NULL), -1);
            continue;
        }
        set = parsed (text);
        if (set == LAYER_NONE) { /* "batch" says nothing else */
            assert_string_equal (text, "batch");
            continue;
        }
        assert_ptr_equal (layers_format (set, canonical, sizeof (canonical)),
                          canonical);
        if (parsed (canonical) != set)
            fail_msg ("%s -> %s", text, canonical);
    }
}

static void test_format (void **state)
{
    char buf[64];

    assert_string_equal (layers_format (LAYER_NONE, buf, sizeof (buf)), "off");
    assert_string_equal (layers_format (LAYER_OFF, buf, sizeof (buf)), "off");
    assert_string_equal (
        layers_format (LAYER_POSIX | LAYER_STDIO | LAYER_APP, buf, 64),
        "posix,app");
    for (size_t size = 0; size < 16; size++) {
        memset (buf, '!', sizeof (buf));
        layers_format (LAYER_POSIX | LAYER_STDIO | LAYER_APP, buf, size);
        assert_true (size == 0 || memchr (buf, '\0', size));
        assert_int_equal (buf[size], '!');
    }
    for (int i = 0; i < LAYER_COUNT; i++)
        assert_true (strlen (layer_help (i)) > 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bad),    cmocka_unit_test (test_message),
        cmocka_unit_test (test_sets),   cmocka_unit_test (test_round_trip),
        cmocka_unit_test (test_format),
    };

    return tap_run (tests);
}
