/* SPDX-License-Identifier: MIT
 *
 * minigpt.c - test of the random numbers and the indices of minigpt
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "etc/examples/minigpt/minigpt.h"

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
tokens_between (const struct indices *x, const int32_t *length, uint64_t row)
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

static void free_indices (struct indices *x)
{
    free ((void *)x->document);
    free ((void *)x->sample);
    free ((void *)x->shuffle);
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
    struct indices x;

    make_lengths (length, 7);
    for (int i = 0; i < DOCUMENTS; i++)
        total += (uint64_t)length[i];
    epochs = (wanted * sequence + 1 + total - 1) / total;
    indices_build (&x, length, DOCUMENTS, sequence, wanted, 1);
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
    qsort ((void *)x.document, x.documents, sizeof (*x.document), by_value);
    for (uint64_t i = 0; i < x.documents; i++)
        assert_int_equal (x.document[i], i / epochs);
    qsort ((void *)x.shuffle, x.samples, sizeof (*x.shuffle), by_value);
    for (uint64_t i = 0; i < x.samples; i++)
        assert_int_equal (x.shuffle[i], i);
    free_indices (&x);
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
    struct indices x;

    make_lengths (length, 7);
    for (int i = 0; i < DOCUMENTS; i++)
        total += (uint64_t)length[i];
    before = (total - 1) / 64;
    indices_build (&x, length, DOCUMENTS, 64, before + 5, 1);
    assert_int_equal (x.epochs, 2);
    for (uint64_t i = 0; i < before; i++)
        assert_true (x.shuffle[i] < before);
    qsort ((void *)x.document, DOCUMENTS, sizeof (*x.document), by_value);
    for (uint32_t i = 0; i < DOCUMENTS; i++)
        assert_int_equal (x.document[i], i);
    free_indices (&x);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_mt19937),
        cmocka_unit_test (test_shuffle_is_numpys),
        cmocka_unit_test (test_index),
        cmocka_unit_test (test_last_epoch),
    };

    return tap_run (tests);
}
