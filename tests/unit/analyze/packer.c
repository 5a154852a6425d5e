/* SPDX-License-Identifier: MIT
 *
 * packer.c - sections of numbers and texts
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/scan/packer.h"

enum { BYTES = 64 };

static FILE *file_of (void *bytes, size_t n)
{
    FILE *f = fmemopen (bytes, n, "r");

    assert_non_null (f);
    return f;
}

/* One section with a bit of everything. */
static size_t make (char **bytes)
{
    struct packer p = {0};
    size_t n = 0;
    FILE *f = open_memstream (bytes, &n);

    assert_non_null (f);
    pack_uint (&p, UINT64_MAX);
    pack_int (&p, INT64_MIN);
    pack_text (&p, "name");
    pack_text (&p, NULL);
    pack_bytes (&p, "xyz", 3);
    assert_int_equal (pack_section (&p, 7, f), 0);
    assert_int_equal (pack_section (&p, 8, f), 0);
    packer_clear (&p);
    packer_clear (&p);
    (void)fclose (f);
    return n;
}

static void test_bad (void **state)
{
    struct unpacker u = {0};
    uint64_t type;
    char *bytes;
    size_t n = make (&bytes);

    (void)state;
    for (size_t cut = 1; cut < n; cut++) { /* everywhere but between two */
        FILE *f = file_of (bytes, cut);
        int rc = unpack_section (&u, &type, f);

        if (rc > 0)
            rc = unpack_section (&u, &type, f);
        if (rc != 0)
            assert_int_equal (rc, -1);
        (void)fclose (f);
    }
    for (size_t at = 0; at < n; at++) { /* one wrong bit */
        int good = 0;
        FILE *f;

        bytes[at] ^= 1;
        f = file_of (bytes, n);
        for (int i = 0; i < 2; i++)
            good += unpack_section (&u, &type, f) > 0;
        assert_true (good < 2);
        (void)fclose (f);
        bytes[at] ^= 1;
    }
    unpacker_clear (&u);
    free (bytes);
}

static void test_ends_early (void **state)
{
    struct unpacker u = {0};
    uint64_t type;
    char *bytes, to[BYTES];
    size_t n = make (&bytes), length;
    FILE *f = file_of (bytes, n);

    (void)state;
    assert_int_equal (unpack_section (&u, &type, f), 1);
    memset (to, 'x', sizeof (to));
    unpack_bytes (&u, to, BYTES);
    assert_true (u.bad);
    assert_int_equal (to[0], 0);
    assert_int_equal (unpack_uint (&u), 0);
    assert_null (unpack_text (&u, &length));
    assert_int_equal (unpack_section (&u, &type, f), 1);
    assert_false (u.bad);
    assert_int_equal (type, 8);
    assert_null (unpack_text (&u, &length)); /* the section is empty */
    assert_true (u.bad);
    (void)fclose (f);
    unpacker_clear (&u);
    free (bytes);
}

static void test_all (void **state)
{
    struct unpacker u = {0};
    uint64_t type = 0;
    char *bytes, *name, xyz[3];
    size_t n = make (&bytes), length = 9;
    FILE *f = file_of (bytes, n);

    (void)state;
    assert_int_equal (unpack_section (&u, &type, f), 1);
    assert_int_equal (type, 7);
    assert_true (unpack_uint (&u) == UINT64_MAX);
    assert_true (unpack_int (&u) == INT64_MIN);
    name = unpack_string (&u);
    assert_string_equal (name, "name");
    free (name);
    assert_non_null (unpack_text (&u, &length));
    assert_int_equal (length, 0);
    assert_false (unpack_ended (&u));
    unpack_bytes (&u, xyz, sizeof (xyz));
    assert_memory_equal (xyz, "xyz", 3);
    assert_true (unpack_ended (&u));
    assert_false (u.bad);
    assert_int_equal (unpack_section (&u, &type, f), 1);
    assert_int_equal (unpack_section (&u, &type, f), 0);
    (void)fclose (f);
    unpacker_clear (&u);
    free (bytes);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bad),
        cmocka_unit_test (test_ends_early),
        cmocka_unit_test (test_all),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
