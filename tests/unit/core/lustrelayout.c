/* SPDX-License-Identifier: MIT
 *
 * lustrelayout.c - test of: bytes of lustre.lov, made by hand -> striping
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/fsinfo.h"

static unsigned char bytes[4096];
static size_t used;

static void put (uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        bytes[used++] = (unsigned char)(value >> (8 * i));
}

/* Magic, pattern, object id and sequence, stripe size and count, generation;
 * of v3 the name of a pool; the objects. */
static void
plain (uint32_t magic, uint32_t pattern, uint32_t size, uint16_t count)
{
    put (magic, 4);
    put (pattern, 4);
    put (0x1234567890, 8);
    put (0x200000400, 8);
    put (size, 4);
    put (count, 2);
    put (0, 2);
    if (magic != 0x0BD10BD0)
        for (int i = 0; i < 16; i++)
            put (i < 5 ? 'p' : 0, 1);
    for (int i = 0; i < (count == 0xffff ? 0 : count); i++)
        for (int k = 0; k < 3; k++)
            put ((uint64_t)i, 8);
}

static struct lustrelayout parsed (void)
{
    struct lustrelayout l;
    unsigned char *copy = malloc (used);

    assert_non_null (copy);
    memcpy (copy, bytes, used);
    assert_int_equal (lustrelayout_parse (&l, copy, used), 0);
    free (copy);
    return l;
}

static void refused (int error)
{
    struct lustrelayout l;
    unsigned char *copy = malloc (used + 1);

    assert_non_null (copy);
    memcpy (copy, bytes, used);
    errno = 0;
    assert_int_equal (lustrelayout_parse (&l, copy, used), -1);
    assert_int_equal (errno, error);
    free (copy);
}

static void plains (void **state)
{
    static const uint32_t magics[] = {0x0BD10BD0, 0x0BD30BD0, 0x0BD50BD0};

    for (int i = 0; i < 3; i++) {
        struct lustrelayout l;

        used = 0;
        plain (magics[i], 1, 1 << 20, 4);
        l = parsed ();
        assert_int_equal (l.stripes, 4);
        assert_int_equal (l.stripe_size, 1 << 20);
        assert_int_equal (l.components, 1);
        assert_int_equal (l.released, 0);
    }
    used = 0;
    plain (0x0BD10BD0, 0x80000001u, 1 << 16, 1);
    assert_int_equal (parsed ().released, 1);
    used = 0;
    plain (0x0BD30BD0, 1, 1 << 16, 0xffff);
    assert_int_equal (parsed ().stripes, 0);
}

struct component {
    uint32_t flags;
    uint32_t size;
    uint16_t stripes;
};

static void composite (const struct component *c, unsigned n, unsigned mirrors)
{
    size_t at;

    used = 0;
    put (0x0BD60BD0, 4);
    put (0, 4); /* size, below */
    put (7, 4);
    put (0, 2);
    put (n, 2);
    put (mirrors - 1, 2);
    put (0, 2);
    put (0, 4);
    put (0, 8);
    at = used + n * 48;
    for (unsigned i = 0; i < n; i++) {
        unsigned size = 32 + c[i].stripes * 24;

        put (i + 1, 4);
        put (c[i].flags, 4);
        put ((uint64_t)i << 30, 8);
        put (i + 1 == n ? UINT64_MAX : (uint64_t)(i + 1) << 30, 8);
        put (at, 4);
        put (size, 4);
        put (0, 8);
        put (0, 8);
        at += size;
    }
    for (unsigned i = 0; i < n; i++)
        plain (0x0BD10BD0, 1, c[i].size, c[i].stripes);
    bytes[4] = (unsigned char)used;
    bytes[5] = (unsigned char)(used >> 8);
}

static void composites (void **state)
{
    static const struct component all[] = {
        {0x10, 1 << 20, 1}, {0x10, 4 << 20, 4}, {0, 4 << 20, 16}};
    struct lustrelayout l;

    composite (all, 3, 1);
    l = parsed (); /* the third has no objects yet */
    assert_int_equal (l.stripes, 4);
    assert_int_equal (l.stripe_size, 4 << 20);
    assert_int_equal (l.components, 3);
    assert_int_equal (l.mirrors, 1);
    composite (all + 2, 1, 2);
    l = parsed ();
    assert_int_equal (l.stripes, 16);
    assert_int_equal (l.mirrors, 2);
}

static void damage (void **state)
{
    static const struct component all[] = {{0x10, 1 << 20, 1}};
    struct lustrelayout l;

    used = 0;
    refused (EOVERFLOW);
    put (0x12345678, 4);
    put (0, 8);
    refused (EOVERFLOW);
    for (int i = 0; i < 8; i++)
        put (0, 8);
    refused (EINVAL);
    composite (all, 1, 1);
    for (size_t n = 0; n < 32 + 48 + 32; n++)
        assert_int_equal (lustrelayout_parse (&l, bytes, n), -1);
    bytes[32 + 24 + 3] = 0xff; /* offset of the component: 4 GiB away */
    refused (EOVERFLOW);
    composite (all, 1, 1);
    bytes[14] = 0; /* no components */
    refused (EINVAL);
    composite (all, 1, 1);
    bytes[15] = 0xff; /* more than there are */
    refused (EOVERFLOW);
    composite (all, 1, 1);
    bytes[32 + 24] = 0; /* the component is the head itself */
    refused (EINVAL);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (plains),
        cmocka_unit_test (composites),
        cmocka_unit_test (damage),
    };

    return tap_run (tests);
}
