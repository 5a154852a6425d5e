/* SPDX-License-Identifier: MIT
 *
 * gzpack.c - members come back as they were, also from what cannot be packed
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/util/gz.h"

enum { LARGE = 3 << 20 };

static unsigned char plain[LARGE], back[LARGE + 1];

/* zlib is the judge. */
static void check (struct gzpack *z, size_t n)
{
    z_stream in = {0};
    size_t packed;
    const void *member = gzpack_member (z, plain, n, &packed);

    assert_non_null (member);
    assert_int_equal (inflateInit2 (&in, 15 + 16), Z_OK);
    in.next_in = (unsigned char *)(uintptr_t)member;
    in.avail_in = (uInt)packed;
    in.next_out = back;
    in.avail_out = sizeof (back);
    assert_int_equal (inflate (&in, Z_FINISH), Z_STREAM_END);
    assert_int_equal (in.avail_in, 0);
    assert_int_equal (in.total_out, n);
    assert_memory_equal (back, plain, n);
    (void)inflateEnd (&in);
}

static void comes_back (void **state)
{
    struct gzpack *z = gzpack_create ();
    uint64_t seed = 1;

    (void)state;
    assert_non_null (z);
    for (size_t n = 0; n < 64; n++)
        check (z, n);
    check (z, LARGE); /* zeros */
    for (size_t i = 0; i < LARGE; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        plain[i] = (unsigned char)(seed >> 56);
    }
    check (z, LARGE);
    check (z, 65536);
    for (size_t i = 0; i < LARGE; i++)
        plain[i] = (unsigned char)(i % 251);
    check (z, LARGE);
    gzpack_destroy (z);
    gzpack_destroy (NULL);
}

/* Zeros; in the middle of each 32 KiB a word, which at the next 32 KiB ends two
 * bytes behind it: what begins there is found again only by a packer that has
 * nothing else in the place where it looks. */
static void plant_words (uint64_t *seed, size_t n)
{
    const size_t window = 32768, word = 10;

    memset (plain, 0, n);
    memcpy (plain + 5000, "QRSTUVWXYZ", word);
    for (size_t w = window; w + window <= n; w += window) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        memcpy (plain + w - word + 2, "QRSTUVWXYZ", word);
        plain[w + 2] = (unsigned char)(*seed >> 56 | 1);
        plain[w + 3] = (unsigned char)(*seed >> 48 | 1);
        memcpy (plain + w + 1000, plain + w, 4);
    }
}

/* The same bytes give the same member, wherever the packer lies. */
static void same_at_all_addresses (void **state)
{
    enum { PACKERS = 64, INPUTS = 16, BYTES = 2 << 20 };
    struct gzpack *z[PACKERS];
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < PACKERS; i++)
        assert_non_null (z[i] = gzpack_create ());
    for (size_t input = 0; input < INPUTS; input++) {
        size_t first_bytes, packed;
        const void *first;

        plant_words (&seed, BYTES);
        assert_non_null (first =
                             gzpack_member (z[0], plain, BYTES, &first_bytes));
        for (size_t i = 1; i < PACKERS; i++) {
            const void *member = gzpack_member (z[i], plain, BYTES, &packed);

            assert_non_null (member);
            assert_int_equal (packed, first_bytes);
            assert_memory_equal (member, first, packed);
        }
    }
    for (size_t i = 0; i < PACKERS; i++)
        gzpack_destroy (z[i]);
}

/* In small pieces; then a damaged one, of which the begin is good. */
static void inflates (void **state)
{
    struct gzpack *z = gzpack_create ();
    struct inflater *i = inflater_create ();
    struct inflater_io io = {0};
    enum inflater_result rc = INFLATER_MORE;
    size_t packed, at = 0;
    const unsigned char *member = gzpack_member (z, plain, LARGE, &packed);
    unsigned char *bad = malloc (packed);

    (void)state;
    assert_non_null (member);
    assert_non_null (bad);
    inflater_reset (i);
    io.out = back;
    io.out_left = sizeof (back);
    for (; rc == INFLATER_MORE && at < packed; at++) {
        io.in = member + at;
        io.in_left = 1;
        rc = inflater_run (i, &io);
        assert_int_equal (io.in_left, 0);
    }
    assert_int_equal (rc, INFLATER_END);
    assert_int_equal (at, packed);
    assert_int_equal (sizeof (back) - io.out_left, LARGE);
    assert_memory_equal (back, plain, LARGE);

    memcpy (bad, member, packed);
    bad[packed - 6] ^= 1; /* of the checksum */
    inflater_reset (i);
    io = (struct inflater_io){bad, back, packed, sizeof (back)};
    assert_int_equal (inflater_run (i, &io), INFLATER_BAD);
    inflater_reset (i);
    io = (struct inflater_io){bad, back, packed / 2, sizeof (back)};
    assert_int_equal (inflater_run (i, &io), INFLATER_MORE);
    assert_memory_equal (back, plain, sizeof (back) - io.out_left);
    free (bad);
    inflater_destroy (i);
    inflater_destroy (NULL);
    gzpack_destroy (z);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (comes_back),
        cmocka_unit_test (inflates),
        cmocka_unit_test (same_at_all_addresses),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
