/* SPDX-License-Identifier: MIT
 *
 * probe.c - addresses that lead somewhere, and those that do not
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/probe.h"

enum { PAGE = 4096, PAGES = 3 };

/* Two pages, then one that may not be read, then nothing. */
static char *pages (void)
{
    static char *p;

    if (p)
        return p;
    p = mmap (NULL, PAGE * (PAGES + 1), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true (p != MAP_FAILED);
    memset (p, 'x', 2 * PAGE);
    assert_int_equal (mprotect (p + 2 * PAGE, PAGE, PROT_NONE), 0);
    assert_int_equal (munmap (p + 3 * PAGE, PAGE), 0);
    return p;
}

static void test_nowhere (void **state)
{
    char *p = pages ();
    char *const wild[] = {
        NULL,         (char *)8,    (char *)-1,       (char *)(INTPTR_MAX - 7),
        p + 2 * PAGE, p + 3 * PAGE, p + 3 * PAGE + 77};

    for (size_t i = 0; i < sizeof (wild) / sizeof (wild[0]); i++) {
        struct probe probe = {0};

        errno = 77;
        assert_false (probe_byte (&probe, wild[i]));
        assert_int_equal (probe_text (&probe, wild[i], 10), -1);
        assert_int_equal (errno, 77);
    }
}

static void test_byte (void **state)
{
    char *p = pages ();
    struct probe probe = {0};

    errno = 77;
    assert_true (probe_byte (&probe, p));
    assert_true (probe_byte (&probe, p + PAGE - 1));
    assert_true (probe_byte (&probe, p + 2 * PAGE - 1));
    assert_false (probe_byte (&probe, p + 2 * PAGE));
    assert_true (probe_byte (&probe, "constant"));
    assert_true (probe_byte (&probe, &probe));
    assert_int_equal (errno, 77);
}

static void test_text (void **state)
{
    char *p = pages (), *end = p + 2 * PAGE;
    struct probe probe = {0};

    assert_int_equal (probe_text (&probe, p, 3 * PAGE), -1); /* no end */
    assert_int_equal (probe_text (&probe, end - 5, 5), -1);
    end[-1] = '\0';
    assert_int_equal (probe_text (&probe, end - 1, 1), 0);
    assert_int_equal (probe_text (&probe, end - 1, 0), -1);
    assert_int_equal (probe_text (&probe, end - 5, 5), 4);
    assert_int_equal (probe_text (&probe, end - 5, 4), -1);
    assert_int_equal (probe_text (&probe, p, 2 * PAGE), 2 * PAGE - 1);
    assert_int_equal (probe_text (&probe, p, 2 * PAGE - 1), -1);
    p[PAGE] = '\0';
    assert_int_equal (probe_text (&probe, p + 1, 2 * PAGE), PAGE - 1);
    p[PAGE] = end[-1] = 'x';
}

/* It is about the mask of signals that we ask, and must not touch it. */
static void test_mask (void **state)
{
    sigset_t before, after, set;
    struct probe probe = {0};

    sigfillset (&set);
    assert_int_equal (sigprocmask (SIG_SETMASK, NULL, &before), 0);
    assert_true (probe_byte (&probe, &set));
    assert_int_equal (sigprocmask (SIG_SETMASK, NULL, &after), 0);
    for (int i = 1; i < SIGRTMAX; i++)
        assert_int_equal (sigismember (&before, i), sigismember (&after, i));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nowhere),
        cmocka_unit_test (test_byte),
        cmocka_unit_test (test_text),
        cmocka_unit_test (test_mask),
    };

    return tap_run (tests);
}
