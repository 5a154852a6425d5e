/* SPDX-License-Identifier: MIT
 *
 * mountinfo.c - test of: text of /proc/self/mountinfo -> the mount of a file
 */
#include "tests/unit/tap.h"

#include "lib/base/fsinfo.h"

static const char text[] =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=x\n"
    "30 22 0:25 / /dev/shm rw - tmpfs tmpfs rw,size=1k\n"
    "32 22 8:17 / /scratch rw master:1 -x y- - lustre 10.0.0.1@o2ib:/fs rw\n"
    "33 22 8:1 /home /bound rw - ext4 /dev/sda1 rw\n";

/* In pieces of so many bytes. */
static const struct mountinfo_mount *find (
    struct mountinfo *m, uint64_t id, unsigned major, unsigned minor, size_t n)
{
    memset (m, 0, sizeof (*m));
    m->id = id;
    m->major = major;
    m->minor = minor;
    for (size_t at = 0; at < sizeof (text) - 1; at += n)
        if (mountinfo_take (
                m, text + at,
                n < sizeof (text) - 1 - at ? n : sizeof (text) - 1 - at))
            break;
    return mountinfo_found (m);
}

static void found (void **state)
{
    struct mountinfo m;

    for (size_t n = 1; n < sizeof (text) + 10; n++) {
        assert_string_equal (find (&m, 22, 0, 0, n)->point, "/");
        assert_string_equal (m.mount.type, "ext4");
        assert_string_equal (find (&m, 30, 0, 0, n)->point, "/dev/shm");
        assert_string_equal (m.mount.type, "tmpfs");
        assert_string_equal (find (&m, 32, 0, 0, n)->point, "/scratch");
        assert_string_equal (m.mount.type, "lustre");
        assert_string_equal (find (&m, 33, 0, 0, n)->point, "/bound");
        assert_null (find (&m, 34, 0, 0, n));
        assert_string_equal (find (&m, 0, 8, 17, n)->point, "/scratch");
        assert_string_equal (find (&m, 0, 8, 1, n)->point, "/");
        assert_null (find (&m, 0, 8, 2, n));
        assert_null (find (&m, 0, 9, 1, n));
    }
}

/* "/a b\c": blanks and backslashes are octal. Field 3 may hold a "-". */
static void escapes (void **state)
{
    static const char line[] = "7 1 0:9 / /a\\040b\\134c rw - nfs4 srv:/x rw\n";
    struct mountinfo m = {.id = 7};

    assert_true (mountinfo_take (&m, line, sizeof (line) - 1));
    assert_string_equal (mountinfo_found (&m)->point, "/a b\\c");
    assert_string_equal (mountinfo_found (&m)->type, "nfs4");
}

/* What is too long is not known; the type is. */
static void lengths (void **state)
{
    char line[3000];
    struct mountinfo m = {.id = 7};
    int n = snprintf (line, sizeof (line), "7 1 0:9 / /");

    memset (line + n, 'x', 2000);
    n += 2000;
    n += snprintf (line + n, sizeof (line) - (size_t)n, " rw - xfs a b\n");
    assert_true (mountinfo_take (&m, line, (size_t)n));
    assert_string_equal (mountinfo_found (&m)->point, "");
    assert_string_equal (mountinfo_found (&m)->type, "xfs");
}

static void damaged (void **state)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "7",
                                        "7 ",
                                        "7 1 0:9 / /a rw - ",
                                        " - ",
                                        "7 1 0:9 / \\9 rw -"};
    struct mountinfo m;

    for (size_t i = 0; i < sizeof (texts) / sizeof (texts[0]); i++) {
        memset (&m, 0, sizeof (m));
        m.id = 7;
        assert_false (mountinfo_take (&m, texts[i], strlen (texts[i])));
        assert_null (mountinfo_found (&m));
    }
}

static void types (void **state)
{
    assert_string_equal (mountinfo_type_of (0x0bd00bd0), "lustre");
    assert_string_equal (mountinfo_type_of (0x01021994), "tmpfs");
    assert_string_equal (mountinfo_type_of (0x47504653), "gpfs");
    assert_string_equal (mountinfo_type_of (0x19830326), "beegfs");
    assert_null (mountinfo_type_of (1));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (found),   cmocka_unit_test (escapes),
        cmocka_unit_test (lengths), cmocka_unit_test (damaged),
        cmocka_unit_test (types),
    };

    return tap_run (tests);
}
