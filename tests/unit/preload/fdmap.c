/* SPDX-License-Identifier: MIT
 *
 * fdmap.c - descriptors, their files and positions
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/record/recorder.h"
#include "preload/fdmap.h"
#include "lib/settings/paths.h"
#include "preload/files.h"

static struct settings s;
static char path[] = "/tmp/dftrace-fdmap.XXXXXX";
static int fd;

static const struct file wanted = {.name = 7, .state = FILE_WANTED};
static const struct file stored = {
    .name = 7, .state = FILE_WANTED, .class = FILE_CLASS_STORAGE};
static const struct file not_wanted = {.state = FILE_IGNORED};

static int64_t move (int f, int64_t n)
{
    return fdmap_advance (f, fdmap_peek (f), n);
}

/* Before fdmap_start everything is looked up, nothing remembered. */
static void test_not_started (void **state)
{
    assert_int_equal (fdmap_peek (3).state, FILE_UNKNOWN);
    fdmap_set (3, wanted, 0);
    fdmap_forget (3);
    assert_int_equal (fdmap_get (fd).state, FILE_WANTED);
    assert_int_equal (fdmap_peek (fd).state, FILE_UNKNOWN);
    fdmap_start ();
}

static void test_bad_descriptors (void **state)
{
    assert_int_equal (fdmap_get (-1).state, FILE_IGNORED);
    assert_int_equal (fdmap_get (999999).state, FILE_IGNORED);
    assert_int_equal (fdmap_peek (999999).state, FILE_UNKNOWN);
    assert_int_equal (fdmap_get (2147483647).state, FILE_IGNORED);
    fdmap_set (-1, wanted, 0);
    fdmap_set (FDMAP_MAX, wanted, 0);
    assert_int_equal (fdmap_peek (FDMAP_MAX).state, FILE_UNKNOWN);
    fdmap_forget (-1);
    fdmap_forget (FDMAP_MAX);
    assert_int_equal (fdmap_advance (FDMAP_MAX, wanted, 1), -1);
}

static void test_found (void **state)
{
    struct file f = fdmap_get (fd);
    const char *text;
    size_t n;

    assert_int_equal (f.state, FILE_WANTED);
    assert_int_equal (f.class, FILE_CLASS_STORAGE);
    text = names_text (f.name, &n, NULL);
    assert_int_equal (n, strlen (path));
    assert_memory_equal (text, path, n);
    assert_int_equal (f.flags, FILE_SHARED); /* with whoever opened it */
    /* Known as long as nobody else moves it, and again after that. */
    assert_int_equal (lseek (fd, 5, SEEK_SET), 5);
    assert_int_equal (move (fd, 5), 0);
    assert_int_equal (lseek (fd, 12, SEEK_SET), 12);
    assert_int_equal (move (fd, 5), -1);
    assert_int_equal (lseek (fd, 4, SEEK_CUR), 16);
    assert_int_equal (move (fd, 4), 12);
    assert_int_equal (move (fd, 0), 16);
    fdmap_forget (fd);
    assert_int_equal (fdmap_peek (fd).state, FILE_UNKNOWN);
}

static void test_not_files (void **state)
{
    int pipes[2], null = open ("/dev/null", O_RDWR);

    assert_int_equal (pipe (pipes), 0);
    assert_int_equal (fdmap_get (pipes[0]).state, FILE_IGNORED);
    assert_int_equal (fdmap_peek (pipes[0]).state, FILE_IGNORED);
    assert_int_equal (fdmap_get (null).state, FILE_IGNORED);
    fdmap_forget_range (0, FDMAP_MAX);
    (void)close (pipes[0]);
    (void)close (pipes[1]);
    (void)close (null);
}

static void test_set (void **state)
{
    fdmap_set (20, wanted, 0);
    assert_int_equal (fdmap_peek (20).name, 7);
    assert_int_equal (move (20, 4096), 0);
    assert_int_equal (move (20, 100), 4096);
    fdmap_set (20, not_wanted, 0);
    assert_int_equal (fdmap_peek (20).state, FILE_IGNORED);
    fdmap_set (FDMAP_MAX - 1, wanted, 3);
    assert_int_equal (move (FDMAP_MAX - 1, 1), 3);
    fdmap_forget (FDMAP_MAX - 1);
    assert_int_equal (fdmap_peek (FDMAP_MAX - 1).state, FILE_UNKNOWN);
}

static void test_range (void **state)
{
    for (int i = 30; i < 40; i++)
        fdmap_set (i, wanted, 0);
    fdmap_forget_range (39, 30);
    assert_int_equal (fdmap_peek (30).state, FILE_WANTED);
    fdmap_forget_range (32, 35);
    assert_int_equal (fdmap_peek (31).state, FILE_WANTED);
    assert_int_equal (fdmap_peek (32).state, FILE_UNKNOWN);
    assert_int_equal (fdmap_peek (35).state, FILE_UNKNOWN);
    assert_int_equal (fdmap_peek (36).state, FILE_WANTED);
    fdmap_forget_range (0, ~0u);
    assert_int_equal (fdmap_peek (39).state, FILE_UNKNOWN);
}

static void test_dup (void **state)
{
    fdmap_set (50, wanted, 8);
    fdmap_dup (50, 50);
    assert_int_equal (move (50, 1), 8); /* nothing has changed */
    fdmap_dup (50, 51);
    assert_int_equal (fdmap_peek (51).name, 7);
    assert_int_equal (move (50, 1), -1);
    assert_int_equal (move (51, 1), -1);
    fdmap_set_position (51, 4);
    assert_int_equal (move (51, 1), -1); /* the kernel knows no 51 */
    fdmap_set (52, not_wanted, 0);
    fdmap_dup (52, 51);
    assert_int_equal (fdmap_peek (51).state, FILE_IGNORED);
}

static void test_append (void **state)
{
    fdmap_set (60, wanted, 0);
    fdmap_set_append (60, 1);
    assert_int_equal (fdmap_peek (60).flags, FILE_APPEND);
    fdmap_set_append (60, 0);
    assert_int_equal (fdmap_peek (60).flags, 0);
    fdmap_set_append (61, 1);
    assert_int_equal (fdmap_peek (61).state, FILE_UNKNOWN);
}

static void test_fork (void **state)
{
    fdmap_set (70, wanted, 12);
    fdmap_set (71, not_wanted, 0);
    fdmap_share ();
    assert_int_equal (fdmap_peek (70).name, 7);
    assert_int_equal (fdmap_peek (70).flags, FILE_SHARED);
    assert_int_equal (move (70, 1), -1);
    assert_int_equal (fdmap_peek (71).flags, 0);
    fdmap_forget (70);
    fdmap_share ();
    assert_int_equal (fdmap_peek (70).state, FILE_UNKNOWN);
}

/* Both descriptors of one open file: exact, or not known. */
static void test_dup_positions (void **state)
{
    int other;

    assert_int_equal (lseek (fd, 0, SEEK_SET), 0);
    fdmap_set (fd, stored, 0);
    other = dup (fd);
    fdmap_dup (fd, other);
    assert_int_equal (lseek (fd, 3, SEEK_CUR), 3);
    assert_int_equal (move (fd, 3), 0);
    assert_int_equal (lseek (other, 3, SEEK_CUR), 6);
    assert_int_equal (move (other, 3), -1); /* it had been moved by fd */
    assert_int_equal (lseek (other, 3, SEEK_CUR), 9);
    assert_int_equal (move (other, 3), 6);
    (void)close (other);
}

/* Not shared, but moved where we do not look (inside libc). */
static void test_unknown_position (void **state)
{
    fdmap_set (fd, stored, -1);
    assert_int_equal (lseek (fd, 40, SEEK_SET), 40);
    assert_int_equal (move (fd, 8), 32);
    assert_int_equal (lseek (fd, 0, SEEK_SET), 0);
    assert_int_equal (move (fd, 8), 40); /* as far as we know */
    fdmap_forget (fd);
}

static struct file by_path (int dirfd, const char *p, int f)
{
    return files_by_path (dirfd, p, f);
}

static void test_files (void **state)
{
    char big[PATH_MAX];
    size_t n;
    int root = open ("/", O_RDONLY | O_DIRECTORY);

    /* one file, four names for it */
    uint32_t name = by_path (AT_FDCWD, path, fd).name;

    assert_int_not_equal (name, 0);
    assert_int_equal (by_path (root, path + 1, -1).name, name);
    assert_int_equal (by_path (fd, "", -1).name, name);
    assert_int_equal (by_path (99999, path, -1).name, name);
    assert_int_equal (by_path (99999, "relative", -1).state, FILE_IGNORED);
    assert_int_equal (by_path (AT_FDCWD, "/etc/passwd", -1).state,
                      FILE_IGNORED);
    /* longer than the small buffer */
    memset (big, 'x', sizeof (big));
    big[0] = '/';
    big[sizeof (big) - 1] = '\0';
    (void)names_text (by_path (AT_FDCWD, big, -1).name, &n, NULL);
    assert_int_equal (n, sizeof (big) - 1);
    (void)close (root);
}

static void test_class (void **state)
{
    static const struct {
        const char *path;
        enum file_class want;
    } t[] = {
        {"/data", FILE_CLASS_STORAGE},
        {"/dev/shm/x", FILE_CLASS_SHM},
        {"/memfd:x (deleted)", FILE_CLASS_SHM},
        {"/dev/null", FILE_CLASS_DEVICE},
        {"/proc/x", FILE_CLASS_OTHER},
        {"pipe:[1]", FILE_CLASS_PIPE},
        {"socket:[1]", FILE_CLASS_SOCKET},
        {"anon_inode:[x]", FILE_CLASS_OTHER},
        {"", FILE_CLASS_OTHER},
        {"/device", FILE_CLASS_STORAGE},
    };

    for (size_t i = 0; i < sizeof (t) / sizeof (t[0]); i++)
        assert_int_equal (pathfilter_class (t[i].path, strlen (t[i].path)),
                          t[i].want);
}

/* --- names that go round ----------------------------------------------------
 */

enum { HELD = 20000, FIRST = 100, OTHERS = 200000 };

static uint32_t numbered (int i, char *text)
{
    int n = snprintf (text, PATH_MAX, "/held/files/of/one/program/%08d", i);

    return names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, text, (size_t)n);
}

/* Of more open files than names can be carried along, some are looked up again;
 * none gets another's name. */
static void test_carry (void **state)
{
    struct file f = {.state = FILE_WANTED, .class = FILE_CLASS_STORAGE};
    int carried = 0, dropped = 0;
    char text[PATH_MAX];

    names_carry_by (fdmap_carry);
    for (int i = 0; i < HELD; i++) {
        f.name = numbered (i, text);
        fdmap_set (FIRST + i, f, i);
    }
    for (int i = HELD; i < OTHERS; i++)
        (void)numbered (i, text);
    names_carry_by (NULL);
    for (int i = 0; i < HELD; i++) {
        const char *is;
        size_t length;

        f = fdmap_peek (FIRST + i);
        fdmap_forget (FIRST + i);
        if (f.state == FILE_UNKNOWN) {
            dropped++;
            continue;
        }
        assert_int_equal (f.state, FILE_WANTED);
        assert_int_equal (f.class, FILE_CLASS_STORAGE);
        is = names_text (f.name, &length, NULL);
        assert_non_null (is);
        (void)snprintf (text, sizeof (text), "/held/files/of/one/program/%08d",
                        i);
        assert_int_equal (length, strlen (text));
        assert_memory_equal (is, text, length);
        carried++;
    }
    assert_true (carried > HELD / 10 && dropped > 0);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_not_started),
        cmocka_unit_test (test_bad_descriptors),
        cmocka_unit_test (test_found),
        cmocka_unit_test (test_not_files),
        cmocka_unit_test (test_set),
        cmocka_unit_test (test_range),
        cmocka_unit_test (test_dup),
        cmocka_unit_test (test_append),
        cmocka_unit_test (test_fork),
        cmocka_unit_test (test_dup_positions),
        cmocka_unit_test (test_unknown_position),
        cmocka_unit_test (test_files),
        cmocka_unit_test (test_class),
        cmocka_unit_test (test_carry),
    };
    int failed;

    settings_init (&s);
    filter_start (&s);
    fd = mkstemp (path);
    if (fd < 0)
        return 1;
    failed = tap_run (tests);
    (void)unlink (path);
    return failed;
}
