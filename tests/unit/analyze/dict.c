/* SPDX-License-Identifier: MIT
 *
 * dict.c - names <-> numbers, from many threads, and what follows from a name
 */
#include "tests/unit/tap.h"

#include <pthread.h>
#include <stdlib.h>

#include "analyze/trace/dict.h"
#include "preload/record/usage.h"

enum { THREADS = 4, WORDS = 5000 };

static uint32_t
number (struct dict *d, enum shard_name_kind kind, const char *text)
{
    return dict_number (d, kind, FILE_CLASS_UNKNOWN, text, strlen (text));
}

static void test_numbers (void **state)
{
    struct dict *d = dict_create (NULL);
    uint32_t a, b, key;

    (void)state;
    assert_int_equal (dict_limit (d), 1);
    assert_null (dict_entry (d, 0));
    a = number (d, SHARD_NAME_TEXT, "a");
    b = number (d, SHARD_NAME_TEXT, "b");
    key = number (d, SHARD_NAME_KEY, "a");
    assert_true (a && b && key && a != b && a != key);
    assert_int_equal (number (d, SHARD_NAME_TEXT, "a"), a);
    assert_int_equal (dict_limit (d), 4);
    assert_string_equal (dict_entry (d, b)->text, "b");
    assert_null (dict_entry_of (d, a, SHARD_NAME_KEY));
    assert_non_null (dict_entry_of (d, key, SHARD_NAME_KEY));
    a = dict_number (d, SHARD_NAME_FILE, FILE_CLASS_STORAGE, "", 0);
    b = dict_number (d, SHARD_NAME_FILE, FILE_CLASS_SHM, "", 0);
    assert_true (a && b && a != b); /* another class is another file */
    assert_int_equal (dict_entry (d, a)->length, 0);
    dict_destroy (d);
    dict_destroy (NULL);
}

static void test_files (void **state)
{
    struct kind_rules rules = {.patterns = {[KIND_CHECKPOINT] = "*.special"}};
    struct dict *d = dict_create (&rules);
    const struct dict_entry *e;

    (void)state;
    e = dict_entry (d, dict_number (d, SHARD_NAME_FILE, FILE_CLASS_STORAGE,
                                    "/a/b.special", 12));
    assert_int_equal (e->file_kind, KIND_CHECKPOINT);
    assert_int_equal (e->class, FILE_CLASS_STORAGE);
    e = dict_entry (d, dict_number (d, SHARD_NAME_FILE, FILE_CLASS_SHM,
                                    "/a/b.special", 12));
    assert_int_equal (e->file_kind, KIND_NONE); /* not on storage */
    dict_destroy (d);
}

static void test_regions (void **state)
{
    struct dict *d = dict_create (NULL);
    const struct dict_entry *e;

    (void)state;
    e = dict_entry (d, dict_number (d, SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN,
                                    "dataloader\0fetch", 16));
    assert_string_equal (e->text, "dataloader");
    assert_string_equal (dict_region_name (e), "fetch");
    assert_int_equal (e->role, role_of ("dataloader", "fetch"));
    assert_int_not_equal (e->role, ROLE_NONE);
    assert_int_equal (e->layer, CALL_CATEGORY_APP);
    e = dict_entry (d, dict_number (d, SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN,
                                    "posix\0futex", 11));
    assert_int_equal (e->layer, CALL_CATEGORY_POSIX);
    e = dict_entry (d, number (d, SHARD_NAME_EVENT, "alone"));
    assert_string_equal (dict_region_name (e), "");
    dict_destroy (d);
}

static void test_keys (void **state)
{
    struct dict *d = dict_create (NULL);

    (void)state;
    assert_int_equal (dict_entry (d, number (d, SHARD_NAME_KEY, "step"))->key,
                      DICT_KEY_STEP);
    assert_int_equal (dict_entry (d, number (d, SHARD_NAME_KEY, "steps"))->key,
                      DICT_KEY_NONE);
    assert_int_equal (dict_entry (d, number (d, SHARD_NAME_TEXT, "step"))->key,
                      DICT_KEY_NONE);
    assert_int_equal (
        dict_entry (d, number (d, SHARD_NAME_KEY, usage_keys[USAGE_READ]))->key,
        DICT_KEY_USAGE + USAGE_READ);
    dict_destroy (d);
}

static void *define_words (void *cookie)
{
    struct dict *d = cookie;
    char word[32];

    for (int i = 0; i < WORDS; i++) {
        uint32_t n;

        (void)snprintf (word, sizeof (word), "word %d of some length", i);
        n = number (d, SHARD_NAME_TEXT, word);
        if (!n || strcmp (dict_entry (d, n)->text, word) != 0)
            return d;
    }
    return NULL;
}

static void test_threads (void **state)
{
    struct dict *d = dict_create (NULL);
    pthread_t thread[THREADS];
    void *wrong;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal (pthread_create (&thread[i], NULL, define_words, d),
                          0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal (pthread_join (thread[i], &wrong), 0);
        assert_null (wrong);
    }
    assert_int_equal (dict_limit (d), WORDS + 1);
    dict_destroy (d);
}

/* What is found out of files counts where their names leave it open, unless
 * somebody said what data is. */
static void found_checkpoints (void **state)
{
    static const char *const path[] = {"/o/m1", "/o/m2", "/o/x.log",
                                       "/o/y.json"};
    static const enum file_kind plain[] = {KIND_CHECKPOINT, KIND_DATA,
                                           KIND_PROGRAM, KIND_CHECKPOINT},
                                said[] = {KIND_DATA, KIND_PROGRAM, KIND_PROGRAM,
                                          KIND_CHECKPOINT};
    struct kind_rules rules = {.patterns = {[KIND_DATA] = "m1"}};
    struct strmap *found = strmap_create ();

    (void)state;
    for (int i = 0; i < 4; i++)
        if (i != 1)
            strmap_intern (found, path[i], strlen (path[i]), NULL);
    for (int rule = 0; rule < 2; rule++) {
        struct dict *d = dict_create (rule ? &rules : NULL);

        dict_know_checkpoints (d, found);
        for (int i = 0; i < 4; i++) {
            uint32_t n = dict_number (d, SHARD_NAME_FILE, FILE_CLASS_STORAGE,
                                      path[i], strlen (path[i]));

            assert_int_equal (dict_entry (d, n)->file_kind,
                              rule ? said[i] : plain[i]);
        }
        dict_destroy (d);
    }
    strmap_destroy (found);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (found_checkpoints), cmocka_unit_test (test_numbers),
        cmocka_unit_test (test_files),        cmocka_unit_test (test_regions),
        cmocka_unit_test (test_keys),         cmocka_unit_test (test_threads),
    };

    return tap_run (tests);
}
