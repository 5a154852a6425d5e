/* SPDX-License-Identifier: MIT
 *
 * index.c - test of the indices of the example workload
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "etc/examples/minigpt/index.h"
#include "etc/examples/minigpt/mt19937.h"

static struct failure failure;

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

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_index_errors),
        cmocka_unit_test (test_index),
        cmocka_unit_test (test_last_epoch),
    };

    return tap_run (tests);
}
