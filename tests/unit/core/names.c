/* SPDX-License-Identifier: MIT
 *
 * names.c - same text, same number; everything else another; no end of them
 */
#include "tests/unit/tap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "lib/format/event.h"
#include "preload/record/recorder.h"
#include "preload/record/shardfile.h"
#include "preload/record/shardlive.h"
#include "tests/unit/rec.h"

enum {
    MANY = 100000,       /* more than the ring holds */
    RECENT = 8000,       /* fewer than half of it */
    LONGEST = 60 * MANY, /* until a thread that starts late has had its turn */
    FEW = 100,
    TEXT = 64,
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

/* --- going round ---------------------------------------------------------- */

static uint32_t numbered (int i, char *text)
{
    (void)snprintf (text, TEXT, "/many/files/of/a/data/set/%07d.jpg", i);
    return file (text);
}

static void has (uint32_t id, const char *text)
{
    const char *is;
    size_t length;

    is = names_text (id, &length, NULL);
    assert_non_null (is);
    assert_int_equal (length, strlen (text));
    assert_memory_equal (is, text, length);
    assert_int_equal (names_valid (id), 1);
}

/* More than the ring holds: the last are there, the first are gone, and none
 * is taken for another. */
static void test_round (void **state)
{
    uint32_t *ids = calloc (MANY, sizeof (*ids));
    char text[TEXT];
    int found = 0, gone = 0;

    for (int i = 0; i < MANY; i++) {
        ids[i] = numbered (i, text);
        assert_int_not_equal (ids[i], 0);
        has (ids[i], text);
    }
    for (int i = MANY - RECENT; i < MANY; i++)
        found += numbered (i, text) == ids[i];
    assert_true (found > RECENT * 99 / 100); /* slots may collide */
    for (int i = 0; i < MANY; i++) {
        (void)snprintf (text, TEXT, "/many/files/of/a/data/set/%07d.jpg", i);
        if (names_text (ids[i], NULL, NULL))
            has (ids[i], text);
        else
            gone++;
    }
    assert_in_range (gone, MANY / 2, MANY - RECENT);
    assert_null (names_text (ids[0], NULL, NULL));
    assert_int_equal (names_kind (ids[0]), SHARD_NAME_NONE);
    assert_int_equal (names_valid (ids[0]), 0);
    free (ids);
}

/* What the application says stays. */
static void test_kept (void **state)
{
    uint32_t key = names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, "k", 1);
    char text[TEXT];

    for (int i = 0; i < MANY; i++)
        (void)numbered (i, text);
    has (key, "k");
    assert_int_equal (names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, "k", 1),
                      key);
    assert_int_equal (names_carried (key), key);
}

static uint32_t held[MANY];
static int holds, calls;

static void carry_held (void)
{
    calls++;
    for (int i = 0; i < holds; i++)
        held[i] = names_carried (held[i]);
}

static void hold (int n, int first)
{
    char text[TEXT];

    calls = 0;
    holds = 0;
    for (int i = 0; i < n; i++) {
        held[i] = numbered (first + i, text);
        holds = i + 1;
    }
    names_carry_by (carry_held);
    for (int i = 0; i < 2 * MANY; i++)
        (void)numbered (first + n + i, text);
    names_carry_by (NULL);
}

static void test_carried (void **state)
{
    char text[TEXT];

    hold (FEW, 1000000);
    assert_in_range (calls, 8, 4 * MANY);
    for (int i = 0; i < FEW; i++) {
        (void)snprintf (text, TEXT, "/many/files/of/a/data/set/%07d.jpg",
                        1000000 + i);
        has (held[i], text);
    }
    assert_int_equal (names_carried (0), 0);
}

/* As many as the ring holds: some are dropped, none is wrong. */
static void test_too_many (void **state)
{
    int dropped = 0;
    char text[TEXT];

    hold (RECENT * 2, 2000000);
    for (int i = 0; i < RECENT * 2; i++) {
        (void)snprintf (text, TEXT, "/many/files/of/a/data/set/%07d.jpg",
                        2000000 + i);
        if (held[i])
            has (held[i], text);
        else
            dropped++;
    }
    assert_true (dropped > 0);
}

/* --- threads ---------------------------------------------------------------
 */

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

static _Atomic uint64_t latest; /* number << 32 | id */
static _Atomic int stop;
static _Atomic uint64_t good;

/* What a reader copied and then found valid is what it should be. */
static void *read_latest (void *cookie)
{
    while (!atomic_load (&stop)) {
        uint64_t seen = atomic_load (&latest);
        char copy[TEXT], want[TEXT];
        size_t length = 0;
        const char *text = names_text ((uint32_t)seen, &length, NULL);

        if (!text || length >= TEXT)
            continue;
        memcpy (copy, text, length);
        (void)snprintf (want, TEXT, "/many/files/of/a/data/set/%07d.jpg",
                        (int)(seen >> 32));
        if (!names_valid ((uint32_t)seen))
            continue;
        if (length != strlen (want) || memcmp (copy, want, length) != 0)
            return NULL;
        good++;
    }
    return cookie;
}

static void test_overtaken (void **state)
{
    pthread_t reader;
    char text[TEXT];
    void *end;

    assert_int_equal (pthread_create (&reader, NULL, read_latest, text), 0);
    for (int i = 0; i < 3 * MANY || (!good && i < LONGEST); i++) {
        uint32_t id = numbered (3000000 + i, text);

        if (i % (2 * RECENT) == 0)
            atomic_store (&latest, (uint64_t)(3000000 + i) << 32 | id);
    }
    atomic_store (&stop, 1);
    (void)pthread_join (reader, &end);
    assert_ptr_equal (end, text);
    assert_true (good > 0);
}

/* Last: it fills what there is for good; then they go round, too. */
static void test_full (void **state)
{
    uint64_t lost = shardlive ()->lost_names;
    uint32_t known =
        names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, "known", 5);
    char *text = malloc (EVENT_NAME_MAX);

    memset (text, 'f', EVENT_NAME_MAX);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t id;

        memcpy (text, &i, sizeof (i));
        id = names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text,
                           EVENT_NAME_MAX);
        assert_int_not_equal (id, 0);
        assert_memory_equal (names_text (id, NULL, NULL), text, EVENT_NAME_MAX);
    }
    has (known, "known");
    assert_int_equal (shardlive ()->lost_names, lost);
    free (text);
}

int main (void)
{
    const struct CMUnitTest threads[] = {
        cmocka_unit_test (test_nobody), cmocka_unit_test (test_same),
        cmocka_unit_test (test_kinds), cmocka_unit_test (test_long),
        cmocka_unit_test (test_threads)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nobody),   cmocka_unit_test (test_same),
        cmocka_unit_test (test_kinds),    cmocka_unit_test (test_long),
        cmocka_unit_test (test_threads),  cmocka_unit_test (test_round),
        cmocka_unit_test (test_kept),     cmocka_unit_test (test_carried),
        cmocka_unit_test (test_too_many), cmocka_unit_test (test_overtaken),
        cmocka_unit_test (test_full),
    };

    if (REC_TSAN) /* the others are of one thread, or a race by purpose */
        return tap_run (threads);
    return tap_run (tests);
}
