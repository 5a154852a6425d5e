/* SPDX-License-Identifier: MIT
 *
 * program.c - other programs: run, listened to, timed out
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "sweep/run/program.h"

static struct errtext err;
static struct program_result r;

static int sh (const char *text, int timeout)
{
    const char *argv[] = {"sh", "-c", text, NULL};

    return program_run (argv, environ, timeout, &r, &err);
}

static void test_missing (void **state)
{
    const char *argv[] = {"dftrace-no-such-program", NULL};

    assert_int_equal (program_run (argv, environ, 5, &r, &err), -1);
    assert_non_null (strstr (err.text, "dftrace-no-such-program: No such"));
}

static void test_output (void **state)
{
    assert_int_equal (sh ("echo out; echo bad >&2; exit 3", 10), 0);
    assert_string_equal (r.out, "out\n");
    assert_string_equal (r.errors, "bad\n");
    assert_false (program_succeeded (&r));
    assert_string_equal (program_complaint (&r), "bad");
    assert_int_equal (sh ("exit 3", 10), 0);
    assert_string_equal (program_complaint (&r), "exit status 3");
    assert_int_equal (sh ("kill -9 $$", 10), 0);
    assert_string_equal (program_complaint (&r), "ended by signal 9");
}

/* More than a pipe holds, on both streams at once. */
static void test_much (void **state)
{
    assert_int_equal (sh ("head -c 300000 /dev/zero | tr '\\0' x >&2; "
                          "head -c 300000 /dev/zero | tr '\\0' y",
                          30),
                      0);
    assert_true (program_succeeded (&r));
    assert_int_equal (strlen (r.out), 300000);
    assert_int_equal (strlen (r.errors), 300000);
}

static void test_timeout (void **state)
{
    assert_int_equal (sh ("exec sleep 100", 1), 0);
    assert_true (r.timed_out);
    assert_false (program_succeeded (&r));
    assert_string_equal (program_complaint (&r), "no answer in time");
}

static int has (char **env, const char *entry)
{
    for (; *env; env++)
        if (!strcmp (*env, entry))
            return 1;
    return 0;
}

static void test_environment (void **state)
{
    char **env;

    (void)setenv ("SBATCH_ARRAY_INX", "5", 1);
    (void)setenv ("SLURM_CPU_BIND", "x", 1);
    (void)setenv ("SQUEUE_FORMAT", "x", 1);
    (void)setenv ("DFTRACE_JOB_DIR", "/x", 1);
    (void)setenv ("SLURM_CONF", "/etc/x", 1);
    (void)setenv ("MY_OWN", "kept", 1);
    (void)setenv ("LC_ALL", "de_DE", 1);
    env = program_environment (0);
    assert_false (has (env, "SBATCH_ARRAY_INX=5"));
    assert_false (has (env, "SLURM_CPU_BIND=x"));
    assert_false (has (env, "SQUEUE_FORMAT=x"));
    assert_false (has (env, "DFTRACE_JOB_DIR=/x"));
    assert_true (has (env, "SLURM_CONF=/etc/x"));
    assert_true (has (env, "MY_OWN=kept"));
    assert_true (has (env, "LC_ALL=de_DE")); /* the job's language */
    env = program_environment (1);
    assert_true (has (env, "LC_ALL=C"));
    assert_false (has (env, "LC_ALL=de_DE"));
    (void)unsetenv ("SLURM_CONF");
}

/* What bash makes of it is what went in. */
static void test_quote (void **state)
{
    static const char *const text[] = {"",         "plain", "a b", "it's",
                                       "$HOME`x`", "a\nb",  "\\",  "*"};

    for (size_t i = 0; i < sizeof (text) / sizeof (text[0]); i++) {
        assert_int_equal (
            sh (arena_format ("printf %%s %s", shell_quote (text[i])), 10), 0);
        assert_string_equal (r.out, text[i]);
    }
}

static void test_self (void **state)
{
    assert_int_equal (program_self ()[0], '/');
    assert_int_equal (access (program_self (), X_OK), 0);
}

#define TEST(F) cmocka_unit_test (F)

int main (void)
{
    const struct CMUnitTest tests[] = {
        TEST (test_missing), TEST (test_output),      TEST (test_much),
        TEST (test_timeout), TEST (test_environment), TEST (test_quote),
        TEST (test_self),
    };

    return tap_run (tests);
}
