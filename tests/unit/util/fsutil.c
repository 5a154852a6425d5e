/* SPDX-License-Identifier: MIT
 *
 * fsutil.c - whole files, atomically
 */
#include "tests/unit/tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/util/fsutil.h"

static char dir[] = "/tmp/dftrace-fsutil.XXXXXX";
static struct errtext err;

/* Entries of the directory besides . and .. */
static int entries (void)
{
    DIR *d = opendir (".");
    struct dirent *e;
    int n = 0;

    while ((e = readdir (d)))
        n += strcmp (e->d_name, ".") != 0 && strcmp (e->d_name, "..") != 0;
    (void)closedir (d);
    return n;
}

static void assert_content (const char *path, const char *want)
{
    char *text = read_file (path, 1000, NULL, &err);

    assert_non_null (text);
    assert_string_equal (text, want);
    free (text);
}

static void test_bad_arguments (void **state)
{
    assert_null (atomic_open ("no/such/dir/f", 0600, &err));
    assert_int_equal (errno, ENOENT);
    assert_string_equal (
        err.text, "no/such/dir/f: cannot write: No such file or directory");
    atomic_abort (NULL);
    assert_null (read_file ("absent", 10, NULL, &err));
    assert_int_equal (errno, ENOENT);
    assert_null (read_file (".", 10, NULL, &err));
    assert_int_equal (errno, EISDIR);
    assert_null (read_file ("/dev/null", 10, NULL, NULL));
    assert_int_equal (errno, EINVAL);
}

static void test_replace (void **state)
{
    struct atomic_file *a;
    struct stat st;

    assert_int_equal (write_file ("f", 0640, "old", &err), 0);
    assert_int_equal (stat ("f", &st), 0);
    assert_int_equal (st.st_mode & 0777, 0640);
    assert_non_null (a = atomic_open ("f", 0640, &err));
    (void)fputs ("new text", atomic_stream (a));
    assert_content ("f", "old");
    assert_int_equal (atomic_commit (a, &err), 0);
    assert_content ("f", "new text");
    assert_non_null (a = atomic_open ("f", 0640, &err));
    (void)fputs ("never", atomic_stream (a));
    atomic_abort (a);
    assert_content ("f", "new text");
    assert_int_equal (entries (), 1);
    (void)unlink ("f");
}

/* Whose directories are synced later are whole under their names all the same.
 */
static void test_directories (void **state)
{
    atomic_directories (0);
    assert_int_equal (write_file ("later", 0600, "whole", &err), 0);
    directory_sync (".");
    directory_sync ("absent");
    atomic_directories (1);
    assert_content ("later", "whole");
    assert_int_equal (unlink ("later"), 0);
}

/* A full disk: the old file stays, the temporary one goes. */
static void test_write_error (void **state)
{
    struct atomic_file *a;

    assert_int_equal (write_file ("f", 0600, "old", &err), 0);
    assert_non_null (a = atomic_open ("f", 0600, &err));
    (void)fputs ("new", atomic_stream (a));
    int full = open ("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true (dup2 (full, fileno (atomic_stream (a))) >= 0);
    (void)close (full);
    assert_int_equal (atomic_commit (a, &err), -1);
    assert_int_equal (errno, ENOSPC);
    assert_string_equal (err.text, "f: cannot write: No space left on device");
    assert_content ("f", "old");
    assert_int_equal (entries (), 1);
    (void)unlink ("f");
}

static void test_read (void **state)
{
    char *text;
    size_t n;

    assert_int_equal (write_file ("f", 0600, "0123456789", &err), 0);
    assert_non_null (text = read_file ("f", 10, &n, &err));
    assert_int_equal (n, 10);
    assert_int_equal (text[10], '\0');
    free (text);
    assert_null (read_file ("f", 9, &n, &err));
    assert_int_equal (errno, EFBIG);
    assert_string_equal (err.text, "f: larger than 9 bytes");
    assert_int_equal (symlink ("f", "link"), 0);
    assert_null (read_file ("link", 10, &n, &err));
    assert_int_equal (errno, ELOOP);
    assert_non_null (text = read_user_file ("link", 10, &n, &err));
    free (text);
    assert_non_null (text = read_file ("/proc/self/maps", 1 << 24, &n, &err));
    assert_int_equal (strlen (text), n);
    assert_true (n > 0);
    free (text);
    (void)unlink ("f");
    (void)unlink ("link");
}

static void test_dirs (void **state)
{
    struct stat st;

    assert_int_equal (make_dirs ("a/b//c", 0700, &err), 0);
    assert_int_equal (make_dirs ("a/b/c", 0700, &err), 0);
    assert_int_equal (stat ("a/b/c", &st), 0);
    assert_int_equal (st.st_mode & 07777, 0700);
    assert_int_equal (write_file ("a/f", 0600, "", &err), 0);
    assert_int_equal (make_dirs ("a/f", 0700, &err), -1);
    assert_int_equal (errno, ENOTDIR);
    assert_int_equal (make_dirs ("a/f/x", 0700, &err), -1);
    (void)unlink ("a/f");
    (void)rmdir ("a/b/c");
    (void)rmdir ("a/b");
    (void)rmdir ("a");
}

static void test_paths (void **state)
{
    char *p = path_join ("a", "b");

    assert_string_equal (p, "a/b");
    free (p);
    p = path_join ("a/", "b");
    assert_string_equal (p, "a/b");
    free (p);
    p = path_join ("", "b");
    assert_string_equal (p, "b");
    free (p);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bad_arguments),
        cmocka_unit_test (test_replace),
        cmocka_unit_test (test_directories),
        cmocka_unit_test (test_write_error),
        cmocka_unit_test (test_read),
        cmocka_unit_test (test_dirs),
        cmocka_unit_test (test_paths),
    };
    int rc;

    (void)umask (022);
    if (!mkdtemp (dir) || chdir (dir) < 0)
        return 99;
    rc = tap_run (tests);
    (void)rmdir (dir);
    return rc;
}
