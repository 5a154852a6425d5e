/* SPDX-License-Identifier: MIT
 *
 * shard.c - checksums see every change; layout of what is on disk
 */
#include "tests/unit/tap.h"

#include "lib/format/shard.h"

enum { BYTES = 200 };

static void fill (unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 37 + 11);
}

static void test_every_bit (void **state)
{
    unsigned char buf[BYTES];

    fill (buf, sizeof (buf));
    for (size_t n = 0; n <= BYTES; n++) {
        uint64_t sum = shard_checksum (buf, n, 0);

        assert_int_not_equal (sum, shard_checksum (buf, n, 1));
        if (n > 0)
            assert_int_not_equal (sum, shard_checksum (buf, n - 1, 0));
        for (size_t bit = 0; bit < 8 * n; bit++) {
            buf[bit / 8] ^= (unsigned char)(1u << bit % 8);
            if (shard_checksum (buf, n, 0) == sum)
                fail_msg ("%zu bytes: bit %zu not seen", n, bit);
            buf[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
}

/* What padding with zeros might hide. */
static void test_zeros (void **state)
{
    unsigned char zeros[BYTES] = {0};
    uint64_t seen[BYTES + 1];

    for (size_t n = 0; n <= BYTES; n++) {
        seen[n] = shard_checksum (zeros, n, 0);
        for (size_t k = 0; k < n; k++)
            assert_int_not_equal (seen[n], seen[k]);
    }
}

static void test_swapped_words (void **state)
{
    unsigned char buf[BYTES];
    uint64_t sum;

    fill (buf, sizeof (buf));
    sum = shard_checksum (buf, BYTES, 0);
    for (size_t i = 0; i < BYTES / 8; i++) {
        for (size_t k = 0; k < i; k++) {
            unsigned char other[BYTES];

            memcpy (other, buf, BYTES);
            memcpy (other + 8 * i, buf + 8 * k, 8);
            memcpy (other + 8 * k, buf + 8 * i, 8);
            assert_int_not_equal (shard_checksum (other, BYTES, 0), sum);
        }
    }
}

/* The document's values: another implementation must find them, too. */
static void test_vectors (void **state)
{
    unsigned char hundred[100];

    for (int i = 0; i < 100; i++)
        hundred[i] = (unsigned char)i;
    assert_true (shard_checksum ("", 0, 0) == 0xb22b331c016635eu);
    assert_true (shard_checksum ("dftrace", 7, 0) == 0xdd0ef7ff7862d5fau);
    assert_true (shard_checksum (hundred, 100, 1) == 0xd673fde992d59a75u);
}

static void test_unaligned (void **state)
{
    unsigned char buf[BYTES + 8];
    uint64_t sum;

    fill (buf, BYTES);
    sum = shard_checksum (buf, BYTES, 7);
    for (int shift = 1; shift < 8; shift++) {
        unsigned char moved[BYTES + 8];

        memcpy (moved + shift, buf, BYTES);
        assert_true (shard_checksum (moved + shift, BYTES, 7) == sum);
    }
}

/* Bits of a header that the check must see, and those that change later. */
static void test_head (void **state)
{
    struct shard_block b = {.magic = SHARD_MAGIC,
                            .type = SHARD_BLOCK_EVENTS,
                            .capacity = 16384,
                            .tid = 77,
                            .seq = 3,
                            .base = 1000,
                            .base_ns = 2000,
                            .lost = 5};
    uint32_t check = shard_block_check (&b);
    unsigned char *p = (unsigned char *)&b;

    for (size_t bit = 0; bit < 8 * sizeof (b); bit++) {
        size_t at = bit / 8;
        int free_field = at < offsetof (struct shard_block, type) ||
                         (at >= offsetof (struct shard_block, flags) &&
                          at < offsetof (struct shard_block, capacity)) ||
                         at >= offsetof (struct shard_block, check);

        p[at] ^= (unsigned char)(1u << bit % 8);
        if ((shard_block_check (&b) == check) != free_field)
            fail_msg ("bit %zu of byte %zu", bit % 8, at);
        p[at] ^= (unsigned char)(1u << bit % 8);
    }
}

static void test_sums (void **state)
{
    unsigned char payload[sizeof (struct shard_process) + 40];
    struct shard_block b = {.commit = (uint64_t)3 << 32 | 40};
    uint64_t sum;

    fill (payload, sizeof (payload));
    sum = shard_events_sum (&b, payload);
    payload[40] ^= 1; /* behind what is committed */
    assert_true (shard_events_sum (&b, payload) == sum);
    payload[39] ^= 1;
    assert_true (shard_events_sum (&b, payload) != sum);
    payload[39] ^= 1;
    b.commit ^= (uint64_t)1 << 32; /* another number of events */
    assert_true (shard_events_sum (&b, payload) != sum);

    sum = shard_process_sum (payload, 40);
    for (size_t i = 0; i < sizeof (payload); i++) {
        int live = i >= offsetof (struct shard_process, requests) &&
                   i < sizeof (struct shard_process);

        payload[i] ^= 0x10;
        assert_int_equal (shard_process_sum (payload, 40) == sum, live);
        payload[i] ^= 0x10;
    }
}

static void test_layout (void **state)
{
    assert_int_equal (offsetof (struct shard_block, commit), 8);
    assert_int_equal (offsetof (struct shard_block, capacity), 16);
    assert_int_equal (offsetof (struct shard_block, base), 32);
    assert_int_equal (offsetof (struct shard_block, check), 52);
    assert_int_equal (offsetof (struct shard_block, checksum), 56);
    assert_int_equal (offsetof (struct shard_process, job_id), 40);
    assert_int_equal (offsetof (struct shard_process, start_real), 72);
    assert_int_equal (offsetof (struct shard_process, tick_hz), 96);
    assert_int_equal (offsetof (struct shard_process, exec_ns), 128);
    assert_int_equal (offsetof (struct shard_process, rings), 136);
    assert_int_equal (SHARD_PROCESS_LIVE, 144);
    assert_memory_equal (&(uint32_t){SHARD_MAGIC}, "DFTC", 4);
}

static void test_classes (void **state)
{
    assert_string_equal (file_class_name (FILE_CLASS_STORAGE), "storage");
    assert_string_equal (file_class_name (FILE_CLASS_OTHER), "other");
    assert_string_equal (file_class_name ((enum file_class)200), "unknown");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_every_bit),     cmocka_unit_test (test_zeros),
        cmocka_unit_test (test_swapped_words), cmocka_unit_test (test_vectors),
        cmocka_unit_test (test_unaligned),     cmocka_unit_test (test_head),
        cmocka_unit_test (test_sums),          cmocka_unit_test (test_layout),
        cmocka_unit_test (test_classes),
    };

    return tap_run (tests);
}
