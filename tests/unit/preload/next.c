/* SPDX-License-Identifier: MIT
 *
 * next.c - what is found by ourselves is what dlsym finds
 */
#include "tests/unit/tap.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "preload/next.h"

static const char *const symbols[] = {
#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) #F,
#define HAND(R, F, PARAMS)                    #F,
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
};

enum { COUNT = sizeof (symbols) / sizeof (symbols[0]) };

static void test_before (void **state)
{
    assert_null (next_find ("read")); /* nobody has looked yet */
    assert_int_equal (next_start (), 0);
    assert_non_null (next_find ("read"));
}

static void test_same (void **state)
{
    int found = 0;

    for (int i = 0; i < COUNT; i++) {
        void *mine = next_find (symbols[i]);

        if (mine && mine != dlsym (RTLD_NEXT, symbols[i]))
            fail_msg ("%s: another function", symbols[i]);
        found += mine != NULL;
    }
    assert_true (found > COUNT / 2);
}

static void test_unknown (void **state)
{
    assert_null (next_find ("dftrace_no_such_function"));
    assert_null (next_find (""));
    assert_null (next_find ("environ")); /* no function */
}

/* Who may bind names otherwise is asked. */
static void test_auditor (void **state)
{
    assert_int_equal (setenv ("LD_AUDIT", "/none.so", 1), 0);
    assert_int_equal (next_start (), -1);
    assert_null (next_find ("read"));
    assert_int_equal (unsetenv ("LD_AUDIT"), 0);
    assert_int_equal (next_start (), 0);
}

/* Of several versions the default one. */
static void test_versions (void **state)
{
    static const char *const names[] = {"memcpy",   "pthread_cond_wait",
                                        "fclose",   "posix_spawn",
                                        "realpath", "glob64"};

    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
        void *mine = next_find (names[i]);

        assert_true (!mine || mine == dlsym (RTLD_NEXT, names[i]));
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_before),   cmocka_unit_test (test_same),
        cmocka_unit_test (test_unknown),  cmocka_unit_test (test_auditor),
        cmocka_unit_test (test_versions),
    };

    return tap_run (tests);
}
