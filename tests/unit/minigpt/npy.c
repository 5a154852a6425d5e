/* SPDX-License-Identifier: MIT
 *
 * npy.c - test of the arrays of the example workload
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "etc/examples/minigpt/npy.h"

static char dir[] = "/tmp/dftrace-npy.XXXXXX";
static struct failure failure;

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

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_npy),
    };
    int rc;

    if (!mkdtemp (dir) || chdir (dir) < 0)
        return 99;
    rc = tap_run (tests);
    (void)rmdir (dir);
    return rc;
}
