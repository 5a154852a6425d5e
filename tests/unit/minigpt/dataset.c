/* SPDX-License-Identifier: MIT
 *
 * dataset.c - test of the samples of the example workload
 */
#include "tests/unit/tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "etc/examples/minigpt/corpus.h"
#include "etc/examples/minigpt/dataset.h"
#include "etc/examples/minigpt/npy.h"
#include "etc/examples/minigpt/tokenizer.h"

static char dir[] = "/tmp/dftrace-dataset.XXXXXX";
static struct failure failure;

/* Token i of the corpus is i + 1, so an item says where it came from. */
static void make_counting_corpus (uint64_t documents)
{
    struct corpus *c = corpus_create ("count", &failure);
    uint16_t tokens[64], next = 1;

    for (uint64_t d = 0; d < documents; d++) {
        size_t n = d * 7 % 60 + 1;

        for (size_t i = 0; i < n; i++)
            tokens[i] = next++;
        next++; /* the end mark's place */
        assert_int_equal (corpus_add (c, tokens, n, &failure), 0);
    }
    assert_int_equal (corpus_finish (c, &failure), 0);
    corpus_destroy (c);
}

/* The names in cache, and after that the directory, go. */
static void remove_all (void)
{
    DIR *d = opendir ("cache");
    struct dirent *e;

    while (d && (e = readdir (d)))
        (void)unlinkat (dirfd (d), e->d_name, 0);
    if (d)
        (void)closedir (d);
    (void)rmdir ("cache");
    (void)unlink ("count.bin");
    (void)unlink ("count.idx");
}

/* Put a file in the place of the one whose name ends so. */
static void replace_in_cache (const char *from, const char *ending)
{
    DIR *d = opendir ("cache");
    struct dirent *e;
    int found = 0;

    assert_non_null (d);
    while ((e = readdir (d)))
        if (strstr (e->d_name, ending)) {
            assert_int_equal (renameat (AT_FDCWD, from, dirfd (d), e->d_name),
                              0);
            found++;
        }
    (void)closedir (d);
    assert_int_equal (found, 1);
}

/* Inside a document tokens count up; a document ends with 0 and starts where
 * the index says a document starts. */
static void check_items (enum access_mode access, int64_t *all)
{
    enum { SEQUENCE = 50, SAMPLES = 40 };
    struct dataset_options o = {.prefix = "count",
                                .access = access,
                                .key = {"cache", SEQUENCE, SAMPLES, 3}};
    struct item_cost cost = {0, 0};
    struct dataset d;

    assert_int_equal (dataset_open (&d, &o, &failure), 0);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        int64_t *t = all + i * (SEQUENCE + 1);

        assert_int_equal (dataset_item (&d, i, t, &cost, &failure), 0);
        for (int k = 0; k < SEQUENCE; k++)
            if (t[k] != TOKEN_END && t[k + 1] != TOKEN_END)
                assert_int_equal (t[k + 1], t[k] + 1);
    }
    assert_int_equal (cost.bytes, SAMPLES * (SEQUENCE + 1) * 2);
    assert_true (cost.parts > SAMPLES);
    dataset_close (&d);
}

static void test_items (void **state)
{
    static int64_t mapped[40 * 51], direct[40 * 51];

    make_counting_corpus (100);
    check_items (ACCESS_MMAP, mapped);
    check_items (ACCESS_DIRECT, direct);
    assert_memory_equal (mapped, direct, sizeof (mapped));
    remove_all ();
}

/* A cache that does not fit must not make readers read outside. */
static void test_foreign_cache (void **state)
{
    struct dataset_options o = {.prefix = "count", .key = {"cache", 50, 40, 3}};
    uint32_t big[41 * 2];
    struct dataset d;

    make_counting_corpus (100);
    assert_int_equal (dataset_open (&d, &o, &failure), 0);
    dataset_close (&d);
    memset (big, 0xff, sizeof (big));
    assert_int_equal (npy_save ("big.npy", big, 41, 1, 'u', &failure), 0);
    replace_in_cache ("big.npy", "shuffle_index.npy");
    assert_int_equal (dataset_open (&d, &o, &failure), -1);
    assert_non_null (strstr (failure.text, "does not fit the data"));
    remove_all ();
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_items),
        cmocka_unit_test (test_foreign_cache),
    };
    int rc;

    if (!mkdtemp (dir) || chdir (dir) < 0)
        return 99;
    rc = tap_run (tests);
    (void)rmdir (dir);
    return rc;
}
