/* SPDX-License-Identifier: MIT
 *
 * log.c - lines on standard error; progress is silent in a pipe
 */
#include "tests/unit/tap.h"
#include "tests/unit/scratch.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/util/log.h"

static char out[1024];

/* What fn writes to standard error. */
static const char *stderr_of (void (*fn) (void))
{
    int saved = dup (STDERR_FILENO);
    FILE *f = tmpfile ();
    size_t n;

    assert_true (f && dup2 (fileno (f), STDERR_FILENO) >= 0);
    fn ();
    (void)fflush (stderr);
    assert_true (dup2 (saved, STDERR_FILENO) >= 0);
    (void)close (saved);
    rewind (f);
    n = fread (out, 1, sizeof (out) - 1, f);
    out[n] = '\0';
    (void)fclose (f);
    return out;
}

static void all_levels (void)
{
    errno = EBADF;
    log_error ("%s: bad", "x");
    log_warn ("w");
    log_info ("i");
    log_debug ("d");
    assert_int_equal (errno, EBADF);
}

static void test_levels (void **state)
{
    assert_string_equal (stderr_of (all_levels),
                         "dftrace: x: bad\ndftrace: warning: w\ndftrace: i\n");
    log_set_level (LEVEL_DEBUG);
    assert_string_equal (stderr_of (all_levels),
                         "dftrace: x: bad\ndftrace: warning: w\ndftrace: i\n"
                         "dftrace: debug: d\n");
    log_set_level (LEVEL_ERROR);
    assert_string_equal (stderr_of (all_levels), "dftrace: x: bad\n");
}

static void to_files (void)
{
    log_to_file ("log.silent");
    log_to_file ("log.said");
    log_error ("one");
    log_error ("two");
    log_to_file ("nowhere/log"); /* then where it was */
    log_error ("three");
    log_to_file ("log.silent");
    log_to_file (NULL);
}

/* A file only for what is said; standard output goes there, too. */
static void test_file (void **state)
{
    int saved = dup (STDOUT_FILENO);

    (void)unlink ("log.said");
    log_set_level (LEVEL_INFO);
    (void)fflush (stdout);
    assert_string_equal (stderr_of (to_files), "");
    (void)dup2 (saved, STDOUT_FILENO);
    (void)close (saved);
    assert_int_equal (access ("log.silent", F_OK), -1);
    assert_string_equal (scratch_text ("log.said"),
                         "dftrace: one\ndftrace: two\ndftrace: three\n");
}

static void some_progress (void)
{
    progress_start ("reading", 10, "B");
    progress_add (5);
    progress_set (10);
    progress_end ();
}

static void test_progress_in_a_pipe (void **state)
{
    assert_string_equal (stderr_of (some_progress), "");
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_levels),
        cmocka_unit_test_setup_teardown (test_file, scratch_make, scratch_drop),
        cmocka_unit_test (test_progress_in_a_pipe),
    };

    return tap_run (tests);
}
