/* SPDX-License-Identifier: MIT
 *
 * minigpt.c - random numbers, indices, files of the example workload
 */
#include "tests/unit/tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "examples/minigpt/corpus.h"
#include "examples/minigpt/dataset.h"
#include "examples/minigpt/idxfile.h"
#include "examples/minigpt/index.h"
#include "examples/minigpt/mt19937.h"
#include "examples/minigpt/npy.h"
#include "examples/minigpt/synth.h"
#include "examples/minigpt/tokenizer.h"

static char dir[] = "/tmp/dftrace-minigpt.XXXXXX";
static struct failure failure;

/* --- random numbers --------------------------------------------------- */

/* The published first and ten-thousandth number of MT19937. */
static void test_mt19937 (void **state)
{
    struct mt19937 r;

    mt19937_seed (&r, 5489);
    assert_int_equal (mt19937_u32 (&r), 3499211612u);
    for (int i = 2; i < 10000; i++)
        (void)mt19937_u32 (&r);
    assert_int_equal (mt19937_u32 (&r), 4123659995u);
}

/* numpy.random.RandomState (0).permutation (10), and of seed 42 */
static void test_shuffle_is_numpys (void **state)
{
    static const uint32_t of_0[] = {2, 8, 4, 9, 1, 6, 7, 3, 0, 5};
    static const uint32_t of_42[] = {8, 1, 5, 0, 7, 2, 9, 4, 3, 6};
    uint32_t a[10], b[10];
    struct mt19937 r;

    for (uint32_t i = 0; i < 10; i++)
        a[i] = b[i] = i;
    mt19937_seed (&r, 0);
    mt19937_shuffle (&r, a, 10);
    assert_memory_equal (a, of_0, sizeof (a));
    mt19937_seed (&r, 42);
    mt19937_shuffle (&r, b, 10);
    assert_memory_equal (b, of_42, sizeof (b));
    mt19937_shuffle (&r, b, 0);
    mt19937_shuffle (&r, b, 1);
}

/* --- indices ---------------------------------------------------------- */

enum { DOCUMENTS = 200 };

static void make_lengths (int32_t *length, uint32_t seed)
{
    struct mt19937 r;

    mt19937_seed (&r, seed);
    for (int i = 0; i < DOCUMENTS; i++)
        length[i] = (int32_t)mt19937_interval (&r, 100); /* 0 occurs */
}

/* Tokens from one sample row to the next, both ends included. */
static uint64_t
tokens_between (const struct index *x, const int32_t *length, uint64_t row)
{
    const uint32_t *a = x->sample + 2 * row, *b = a + 2;
    uint64_t n = 0;

    for (uint32_t at = a[0]; at <= b[0]; at++) {
        uint64_t from = at == a[0] ? a[1] : 0;
        uint64_t to =
            at == b[0] ? b[1] + 1u : (uint64_t)length[x->document[at]];

        n += to - from;
    }
    return n;
}

static int by_value (const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void check_index (uint64_t sequence, uint64_t wanted)
{
    int32_t length[DOCUMENTS];
    uint64_t total = 0, epochs;
    struct index x;

    make_lengths (length, 7);
    for (int i = 0; i < DOCUMENTS; i++)
        total += (uint64_t)length[i];
    epochs = (wanted * sequence + 1 + total - 1) / total;
    assert_int_equal (
        index_build (&x, length, DOCUMENTS, sequence, wanted, 1, &failure), 0);
    assert_int_equal (x.epochs, epochs);
    assert_true (x.samples >= wanted);
    assert_int_equal (x.samples, (epochs * total - 1) / sequence);
    assert_int_equal (x.documents, epochs * DOCUMENTS);

    for (uint64_t i = 0; i < x.samples; i++) {
        const uint32_t *row = x.sample + 2 * i;

        assert_int_equal (tokens_between (&x, length, i), sequence + 1);
        assert_true (row[1] < (uint32_t)length[x.document[row[0]]] || i == 0);
    }
    assert_true (x.sample[2 * x.samples] < x.documents);

    /* every document once an epoch, every sample once */
    qsort (x.document, x.documents, sizeof (*x.document), by_value);
    for (uint64_t i = 0; i < x.documents; i++)
        assert_int_equal (x.document[i], i / epochs);
    qsort (x.shuffle, x.samples, sizeof (*x.shuffle), by_value);
    for (uint64_t i = 0; i < x.samples; i++)
        assert_int_equal (x.shuffle[i], i);
    index_free (&x);
}

static void test_index_errors (void **state)
{
    int32_t length[2] = {5, 5};
    struct index x;

    assert_int_equal (index_build (&x, length, 2, 0, 1, 1, &failure), -1);
    assert_int_equal (errno, EINVAL);
    assert_int_equal (index_build (&x, length, 2, 4, 0, 1, &failure), -1);
    assert_int_equal (index_build (&x, length, 2, 10, 1, 1, &failure), -1);
    assert_string_equal (failure.text,
                         "10 tokens are too few for samples of 10");
    index_free (&x);
}

static void test_index (void **state)
{
    int32_t length[DOCUMENTS];
    uint64_t total = 0;

    make_lengths (length, 7);
    for (int i = 0; i < DOCUMENTS; i++)
        total += (uint64_t)length[i];
    check_index (1, total - 1);
    check_index (17, 10);
    check_index (1000, 3);
    check_index (64, total / 64 + 1);
    check_index (64, 3 * total / 64);
    check_index (1000, 5 * total / 1000);
}

/* A last epoch that is used only in part is shuffled apart: the samples that
 * lie in the first epochs come first. */
static void test_last_epoch (void **state)
{
    int32_t length[DOCUMENTS];
    uint64_t total = 0, before;
    struct index x;

    make_lengths (length, 7);
    for (int i = 0; i < DOCUMENTS; i++)
        total += (uint64_t)length[i];
    before = (total - 1) / 64;
    assert_int_equal (
        index_build (&x, length, DOCUMENTS, 64, before + 5, 1, &failure), 0);
    assert_int_equal (x.epochs, 2);
    for (uint64_t i = 0; i < before; i++)
        assert_true (x.shuffle[i] < before);
    qsort (x.document, DOCUMENTS, sizeof (*x.document), by_value);
    for (uint32_t i = 0; i < DOCUMENTS; i++)
        assert_int_equal (x.document[i], i);
    index_free (&x);
}

/* --- files ------------------------------------------------------------ */

static struct corpus *small_corpus (void)
{
    static const uint16_t tokens[] = {300, 301, 302, 303, 65000};
    struct corpus *c = corpus_create ("small", &failure);

    assert_non_null (c);
    assert_int_equal (corpus_add (c, tokens, 5, &failure), 0);
    assert_int_equal (corpus_add (c, tokens + 4, 1, &failure), 0);
    assert_int_equal (corpus_add (c, tokens, 2, &failure), 0);
    return c;
}

static void test_corpus (void **state)
{
    struct corpus *c = small_corpus ();
    uint64_t documents, tokens;
    struct idxfile x;
    struct stat st;

    assert_int_equal (corpus_exists ("small", 1, &documents, &tokens), 0);
    assert_int_equal (corpus_finish (c, &failure), 0);
    corpus_destroy (c);
    assert_int_equal (stat ("small.idx", &st), 0);
    assert_int_equal (st.st_size, 34 + 3 * 12 + 4 * 8);
    assert_int_equal (idxfile_open (&x, "small.idx", 22, &failure), 0);
    assert_int_equal (x.type, IDX_UINT16);
    assert_int_equal (x.sequences, 3);
    assert_int_equal (x.documents, 4);
    assert_int_equal (x.tokens, 11);
    assert_int_equal (idxfile_length (&x, 0), 6);
    assert_int_equal (idxfile_length (&x, 2), 3);
    assert_int_equal (idxfile_pointer (&x, 0), 0);
    assert_int_equal (idxfile_pointer (&x, 2), 16);
    idxfile_close (&x);
    assert_int_equal (corpus_exists ("small", 22, &documents, &tokens), 1);
    assert_int_equal (documents, 3);
    assert_int_equal (tokens, 11);
    assert_int_equal (corpus_exists ("small", 23, &documents, &tokens), 0);
    assert_int_equal (truncate ("small.bin", 21), 0);
    assert_int_equal (corpus_exists ("small", 2, &documents, &tokens), 0);
    (void)unlink ("small.bin");
    (void)unlink ("small.idx");
}

static void test_unfinished_corpus (void **state)
{
    struct stat st;

    corpus_destroy (small_corpus ());
    assert_int_equal (stat ("small.bin", &st), -1);
    assert_int_equal (stat ("small.bin.tmp", &st), -1);
    corpus_destroy (NULL);
    assert_null (corpus_create ("no/such/dir", &failure));
}

/* Every byte of a head that can be wrong, and every length of file. */
static void test_bad_idx (void **state)
{
    static const int32_t length[] = {3, 4};
    unsigned char byte;
    struct idxfile x;
    int fd = open ("bad.idx", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_int_equal (idxfile_open (&x, "absent.idx", 14, &failure), -1);
    assert_int_equal (errno, ENOENT);
    assert_int_equal (idxfile_write (fd, length, 2, &failure), 0);
    assert_int_equal (idxfile_open (&x, "bad.idx", 14, &failure), 0);
    idxfile_close (&x);
    assert_int_equal (idxfile_open (&x, "bad.idx", 13, &failure), -1);
    assert_int_equal (errno, EBADMSG);
    for (off_t at = 0; at < 34; at++) {
        assert_int_equal (pread (fd, &byte, 1, at), 1);
        byte ^= 0x11;
        assert_int_equal (pwrite (fd, &byte, 1, at), 1);
        assert_int_equal (idxfile_open (&x, "bad.idx", 14, &failure), -1);
        byte ^= 0x11;
        assert_int_equal (pwrite (fd, &byte, 1, at), 1);
    }
    for (off_t size = 34 + 24 + 23; size >= 0; size--) {
        assert_int_equal (ftruncate (fd, size), 0);
        assert_int_equal (idxfile_open (&x, "bad.idx", 14, &failure), -1);
    }
    (void)close (fd);
    (void)unlink ("bad.idx");
}

static void test_npy (void **state)
{
    static const uint32_t item[] = {1, 2, 3, 4, 5, UINT32_MAX};
    char head[128];
    struct npy a;
    int fd;

    assert_int_equal (npy_load (&a, "absent.npy", &failure), -1);
    assert_int_equal (errno, ENOENT);
    assert_int_equal (npy_save ("a.npy", item, 3, 2, 'i', &failure), 0);
    assert_int_equal (npy_load (&a, "a.npy", &failure), 0);
    assert_int_equal (a.rows, 3);
    assert_int_equal (a.columns, 2);
    assert_memory_equal (a.item, item, sizeof (item));
    npy_close (&a);
    fd = open ("a.npy", O_RDWR | O_CLOEXEC);
    assert_int_equal (read (fd, head, 128), 128);
    assert_memory_equal (head,
                         "\x93NUMPY\x01\0\x76\0{'descr': '<i4', "
                         "'fortran_order': False, 'shape': (3, 2), }   ",
                         10 + 62);
    assert_int_equal (head[127], '\n');
    assert_int_equal (ftruncate (fd, 128 + 23), 0);
    assert_int_equal (npy_load (&a, "a.npy", &failure), -1);
    assert_int_equal (errno, EBADMSG);
    (void)close (fd);
    assert_int_equal (npy_save ("a.npy", item, 6, 1, 'u', &failure), 0);
    assert_int_equal (npy_load (&a, "a.npy", &failure), 0);
    assert_int_equal (a.rows, 6);
    assert_int_equal (a.columns, 1);
    npy_close (&a);
    (void)unlink ("a.npy");
}

/* --- items ------------------------------------------------------------ */

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

/* --- tokens ----------------------------------------------------------- */

static void test_tokenizer (void **state)
{
    uint16_t a[64], b[64];
    size_t n = tokenize ("the cat, the cat", 16, a);

    assert_int_equal (n, 5);
    assert_int_equal (a[0], a[3]);
    assert_int_equal (a[1], a[4]);
    assert_true (a[0] != a[1]);
    assert_int_equal (tokenize ("internationalization", 20, b), 3);
    assert_int_equal (tokenize ("a\n\nb", 4, b), 3);
    assert_int_equal (tokenize ("", 0, b), 0);
    for (size_t i = 0; i < n; i++)
        assert_true (a[i] >= TOKEN_FIRST && a[i] < TOKEN_LIMIT);
}

static void test_synth (void **state)
{
    static uint16_t a[SYNTH_TOKENS_MAX], b[SYNTH_TOKENS_MAX];
    struct synth s, t;
    uint64_t total = 0;

    synth_init (&s, 1);
    synth_init (&t, 1);
    for (int i = 0; i < 300; i++) {
        size_t n = synth_document (&s, a);

        assert_int_equal (synth_document (&t, b), n);
        assert_memory_equal (a, b, n * sizeof (*a));
        assert_true (n >= 16 && n <= SYNTH_TOKENS_MAX);
        total += n;
    }
    assert_in_range (total / 300, 600, 1300);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_mt19937),
        cmocka_unit_test (test_shuffle_is_numpys),
        cmocka_unit_test (test_index_errors),
        cmocka_unit_test (test_index),
        cmocka_unit_test (test_last_epoch),
        cmocka_unit_test (test_corpus),
        cmocka_unit_test (test_unfinished_corpus),
        cmocka_unit_test (test_bad_idx),
        cmocka_unit_test (test_npy),
        cmocka_unit_test (test_items),
        cmocka_unit_test (test_foreign_cache),
        cmocka_unit_test (test_tokenizer),
        cmocka_unit_test (test_synth),
    };
    int rc;

    if (!mkdtemp (dir) || chdir (dir) < 0)
        return 99;
    rc = tap_run (tests);
    (void)rmdir (dir);
    return rc;
}
