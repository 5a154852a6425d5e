/* SPDX-License-Identifier: MIT
 *
 * scratch.h - a directory of its own for each test, which is where it runs
 */
#ifndef DFT_TESTS_UNIT_SCRATCH_H
#define DFT_TESTS_UNIT_SCRATCH_H

#include "tests/unit/tap.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[256]; /* its absolute path */

static inline int scratch_make (void **state)
{
    const char *tmp = getenv ("TMPDIR");

    (void)snprintf (scratch, sizeof (scratch), "%.200s/dftrace-unit.XXXXXX",
                    tmp && *tmp == '/' ? tmp : "/tmp");
    return mkdtemp (scratch) ? chdir (scratch) : -1;
}

static inline int scratch_remove (const char *path,
                                  const struct stat *st,
                                  int type,
                                  struct FTW *at)
{
    return remove (path);
}

static inline int scratch_drop (void **state)
{
    (void)chdir ("/");
    return nftw (scratch, scratch_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#define scratch_test(TEST) \
    cmocka_unit_test_setup_teardown (TEST, scratch_make, scratch_drop)

static inline void scratch_file (const char *path, const char *text)
{
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true (fd >= 0);
    assert_int_equal (write (fd, text, strlen (text)), strlen (text));
    (void)close (fd);
}

/* Set the age of a file, in seconds and nanoseconds since 1970. */
static inline void scratch_time (const char *path, time_t s, long ns)
{
    const struct timespec times[2] = {{s, ns}, {s, ns}};

    assert_int_equal (utimensat (AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW),
                      0);
}

static inline int scratch_has (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0;
}

/* A file's text, at most 255 bytes of it. */
static inline const char *scratch_text (const char *path)
{
    static char text[256];
    int fd = open (path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read (fd, text, sizeof (text) - 1);

    text[n < 0 ? 0 : n] = '\0';
    if (fd >= 0)
        (void)close (fd);
    return text;
}

#endif
