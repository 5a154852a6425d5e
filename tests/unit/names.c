/* SPDX-License-Identifier: MIT
 *
 * names.c - same text, same number; everything else another; limits counted
 */
#include "tests/unit/tap.h"

#include <pthread.h>
#include <stdlib.h>

#include "lib/core/event.h"
#include "lib/core/recorder.h"
#include "lib/core/shardfile.h"

enum {
    MANY = 100000, /* more than the first two levels hold */
    THREADS = 4,
    SHARED = 5000
};

static uint32_t file (const char *text)
{
    return names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, text,
                         strlen (text));
}

static void test_nobody (void **state)
{
    size_t length;

    assert_null (names_text (0, &length, NULL));
    assert_null (names_text (UINT32_MAX, &length, NULL));
    assert_null (names_text (4000000, NULL, NULL));
    assert_int_equal (names_kind (0), SHARD_NAME_NONE);
}

static void test_same (void **state)
{
    uint32_t id = file ("/data/a");
    enum file_class class;
    size_t length;

    assert_int_not_equal (id, 0);
    assert_int_equal (file ("/data/a"), id);
    assert_int_not_equal (file ("/data/b"), id);
    assert_int_not_equal (file ("/data/"), id);
    assert_memory_equal (names_text (id, &length, &class), "/data/a", 7);
    assert_int_equal (length, 7);
    assert_int_equal (class, FILE_CLASS_STORAGE);
    assert_int_equal (names_kind (id), SHARD_NAME_FILE);
}

static void test_kinds (void **state)
{
    uint32_t ids[] = {
        names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, "x", 1),
        names_intern (SHARD_NAME_FILE, FILE_CLASS_PIPE, "x", 1),
        names_intern (SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN, "x", 1),
        names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, "x", 1),
        names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, "x", 1),
        names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, "", 0),
        names_intern (SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN, "a\0x", 3),
        names_intern (SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN, "a\0y", 3),
    };

    for (size_t i = 0; i < sizeof (ids) / sizeof (ids[0]); i++) {
        assert_int_not_equal (ids[i], 0);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal (ids[i], ids[k]);
    }
}

static void test_long (void **state)
{
    char *text = malloc (EVENT_NAME_MAX + 100);
    uint32_t id;
    size_t length;

    memset (text, 'l', EVENT_NAME_MAX + 100);
    id = names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, text,
                       EVENT_NAME_MAX + 100);
    assert_non_null (names_text (id, &length, NULL));
    assert_int_equal (length, EVENT_NAME_MAX);
    assert_int_equal (
        names_intern (SHARD_NAME_FILE, FILE_CLASS_OTHER, text, EVENT_NAME_MAX),
        id);
    free (text);
}

static void test_levels (void **state)
{
    uint32_t *ids = calloc (MANY, sizeof (*ids));
    char text[32];

    for (int i = 0; i < MANY; i++) {
        (void)snprintf (text, sizeof (text), "/many/%d", i);
        ids[i] = file (text);
        assert_int_not_equal (ids[i], 0);
    }
    for (int i = 0; i < MANY; i++) {
        size_t length;

        (void)snprintf (text, sizeof (text), "/many/%d", i);
        assert_int_equal (file (text), ids[i]);
        assert_memory_equal (names_text (ids[i], &length, NULL), text,
                             strlen (text));
        assert_int_equal (length, strlen (text));
    }
    free (ids);
}

static void *intern_shared (void *cookie)
{
    uint32_t *ids = cookie;
    char text[32];

    for (int i = 0; i < SHARED; i++) {
        (void)snprintf (text, sizeof (text), "/shared/%d", i);
        ids[i] = file (text);
    }
    return NULL;
}

static void test_threads (void **state)
{
    static uint32_t ids[THREADS][SHARED];
    pthread_t threads[THREADS];

    for (int t = 0; t < THREADS; t++)
        assert_int_equal (
            pthread_create (&threads[t], NULL, intern_shared, ids[t]), 0);
    for (int t = 0; t < THREADS; t++)
        (void)pthread_join (threads[t], NULL);
    for (int t = 1; t < THREADS; t++)
        assert_memory_equal (ids[t], ids[0], sizeof (ids[0]));
    for (int i = 0; i < SHARED; i++)
        assert_int_not_equal (ids[0][i], 0);
}

/* Last: it fills the 64 MiB that there are for texts. */
static void test_limit (void **state)
{
    char *text = malloc (EVENT_NAME_MAX);
    uint32_t known = file ("/data/a");
    uint64_t lost = shardfile_live ()->lost_names;
    uint64_t failed = 0;

    memset (text, 'f', EVENT_NAME_MAX);
    for (uint32_t i = 0; i < 10000; i++) {
        memcpy (text, &i, sizeof (i));
        failed += names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, text,
                                EVENT_NAME_MAX) == 0;
    }
    assert_in_range (failed, 1, 9999);
    assert_int_equal (shardfile_live ()->lost_names - lost, failed);
    assert_int_equal (file ("/data/a"), known);
    free (text);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nobody), cmocka_unit_test (test_same),
        cmocka_unit_test (test_kinds),  cmocka_unit_test (test_long),
        cmocka_unit_test (test_levels), cmocka_unit_test (test_threads),
        cmocka_unit_test (test_limit),
    };

    return tap_run (tests);
}
