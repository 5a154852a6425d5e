/* SPDX-License-Identifier: MIT
 *
 * gzpack.c - members come back as they were, also from what cannot be packed
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "analyze/trace/gz/gzpack.h"
#include "analyze/trace/gz/inflater.h"

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
    check (z, 0);
    check (z, 1);
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
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
