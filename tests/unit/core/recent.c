/* SPDX-License-Identifier: MIT
 *
 * recent.c - the most alike of the last names, and no other
 */
#include "tests/unit/tap.h"

#include "preload/record/tbuf.h"
#include "preload/record/recorder.h"
#include "tests/unit/rng.h"

enum { ROUNDS = 20000, LETTERS = 40 };

static uint32_t path (const char *text)
{
    return names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, text,
                         strlen (text));
}

static void test_none (void **state)
{
    struct recent r = {{0}};
    struct event_like like;

    assert_false (recent_find (&r, 1, 0, &like));
    assert_false (recent_find (&r, 1, path ("/a/b/c/d/e"), &like));
    recent_add (&r, 1, path ("/elsewhere/alone"));
    assert_false (recent_find (&r, 2, path ("/a/b/c/d/e"), &like));
}

/* Same text of another kind or class does not count. */
static void test_kinds (void **state)
{
    static const char text[] = "/data/shards/one.bin";
    struct recent r = {{0}};
    struct event_like like;

    recent_add (&r, 1,
                names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text,
                              sizeof (text) - 1));
    recent_add (&r, 2,
                names_intern (SHARD_NAME_FILE, FILE_CLASS_SHM, text,
                              sizeof (text) - 1));
    assert_false (recent_find (&r, 3, path ("/data/shards/two.bin"), &like));
    recent_add (&r, 3, path (text));
    assert_true (recent_find (&r, 4, path ("/data/shards/two.bin"), &like));
    assert_int_equal (like.back, 1);
    assert_int_equal (like.prefix, 13);
    assert_int_equal (like.suffix, 4);
}

static void test_best (void **state)
{
    struct recent r = {{0}};
    struct event_like like;

    recent_add (&r, 1, path ("/usr/lib/python/torch/nn/modules/conv.pyc"));
    recent_add (&r, 2, path ("/usr/lib/python/numpy/core/multiarray.py"));
    recent_add (&r, 3, path ("/home/u"));
    assert_true (recent_find (
        &r, 4, path ("/usr/lib/python/torch/nn/modules/rnn.pyc"), &like));
    assert_int_equal (like.back, 3);
    assert_int_equal (like.prefix, 33);
    assert_int_equal (like.suffix, 4);
    /* what left the window is no base any more */
    for (uint32_t i = 4; i <= 1 + RECENT_NAMES; i++)
        recent_add (&r, i, path ("/home/u"));
    assert_true (recent_find (&r, 2 + RECENT_NAMES,
                              path ("/usr/lib/python/torch/nn/modules/rnn.pyc"),
                              &like));
    assert_int_equal (like.back, RECENT_NAMES);
    assert_int_equal (like.prefix, 16);
}

/* Few letters, so that begin and end of one text often overlap. */
static size_t random_text (uint64_t *rng_state, char *text)
{
    size_t n = rng_below (rng_state, LETTERS);

    for (size_t i = 0; i < n; i++)
        text[i] = rng_below (rng_state, 12) ? 'a' : 'b';
    return n;
}

/* Whatever it says holds: the bytes are the same, and none is used twice. */
static void test_property (void **state)
{
    uint64_t seed = 5;
    unsigned found = 0;

    for (int i = 0; i < ROUNDS; i++) {
        char a[LETTERS], b[LETTERS];
        size_t na = random_text (&seed, a), nb = random_text (&seed, b);
        struct recent r = {{0}};
        struct event_like like;

        recent_add (&r, 1,
                    names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, a, na));
        if (!recent_find (
                &r, 2, names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, b, nb),
                &like))
            continue;
        found++;
        assert_true (like.prefix + like.suffix <= na);
        assert_true (like.prefix + like.suffix <= nb);
        assert_memory_equal (a, b, like.prefix);
        assert_memory_equal (a + na - like.suffix, b + nb - like.suffix,
                             like.suffix);
        if (like.prefix < na && like.prefix < nb)
            assert_true (a[like.prefix] != b[like.prefix]);
    }
    assert_true (found > ROUNDS / 4);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_none),
        cmocka_unit_test (test_kinds),
        cmocka_unit_test (test_best),
        cmocka_unit_test (test_property),
    };

    return tap_run (tests);
}
