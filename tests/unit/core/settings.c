/* SPDX-License-Identifier: MIT
 *
 * settings.c - precedence, bad values, export; lists of prefixes
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/settings/settings.h"

_Static_assert(SETTING_COUNT_ALL <= 64, "one bit each in `given`");

/* An environment: pairs of name and value, up to NULL. */
static const char *lookup (void *cookie, const char *name)
{
    for (const char *const *p = cookie; *p; p += 2)
        if (strcmp (p[0], name) == 0)
            return p[1];
    return NULL;
}

#define FROM(S, ERR, ...)                                                    \
    settings_from ((S), lookup, (void *)(const char *[]){__VA_ARGS__, NULL}, \
                   ERR)

static struct settings s, t;

static int start (void **state)
{
    memset (&s, 0xff, sizeof (s));
    settings_init (&s);
    return 0;
}

static void test_defaults (void **state)
{
    assert_int_equal (s.given, 0);
    assert_int_equal (s.chunk, 256 << 10);
    assert_int_equal (s.max_bytes, 4ull << 30);
    assert_int_equal (s.epilog_timeout, 20000000000u);
    assert_int_equal (s.layers, LAYER_NONE);
    assert_string_equal (s.job_dir, "");
    for (int id = 0; id < SETTING_COUNT_ALL; id++) { /* the table is sound */
        const struct setting_info *info = setting_info (id);

        assert_int_equal (settings_set (&t, info->name, info->value, NULL), 0);
        assert_memory_equal (info->env, "DFTRACE_", 8); /* one name */
        assert_int_equal (strcasecmp (info->env + 8, info->name), 0);
        assert_true (strlen (info->help) > 0);
    }
}

static void test_bad_values (void **state)
{
    static const char *const rows[][2] = {
        {"chunk", "many"}, {"chunk", ""},      {"epilog_timeout", "20x"},
        {"debug", "2"},    {"layers", "posx"}, {"chunk", "99999999999999T"},
    };
    struct errtext err;

    for (size_t i = 0; i < sizeof (rows) / sizeof (rows[0]); i++) {
        memcpy (&t, &s, sizeof (t));
        err.text[0] = '\0';
        assert_int_equal (settings_set (&s, rows[i][0], rows[i][1], &err), -1);
        assert_memory_equal (&s, &t, sizeof (s));
        assert_memory_equal (err.text, rows[i][0], strlen (rows[i][0]));
    }
    errno = 0;
    assert_int_equal (settings_set (&s, "chnk", "1K", &err), -1);
    assert_int_equal (errno, ENOENT);
}

static void test_length (void **state)
{
    char longest[SETTING_TEXT_MAX + 1];

    memset (longest, 'p', sizeof (longest));
    longest[SETTING_TEXT_MAX] = '\0';
    assert_int_equal (settings_set (&s, "job_dir", longest, NULL), -1);
    assert_string_equal (s.job_dir, "");
    longest[SETTING_TEXT_MAX - 1] = '\0';
    assert_int_equal (settings_set (&s, "job_dir", longest, NULL), 0);
    assert_string_equal (s.job_dir, longest);
}

static void test_site_keys (void **state)
{
    struct errtext err;

    assert_int_equal (settings_set_key (&s, "layers=posix,app", &err), 0);
    assert_int_equal (s.layers, LAYER_POSIX | LAYER_STDIO | LAYER_APP);
    assert_int_equal (settings_set_key (&s, "log_root=/a=b", &err), 0);
    assert_string_equal (s.log_root, "/a=b");
    assert_int_equal (settings_set_key (&s, "log_root=", &err), 0);
    assert_string_equal (s.log_root, "");
    assert_int_equal (settings_set_key (&s, "chunk", &err), -1);
    assert_int_equal (settings_set_key (&s, "=posix", &err), -1);
    assert_int_equal (settings_set_key (&s, "", &err), -1);
    assert_int_equal (settings_set_key (&s, "job_dir=/x", &err), -1);
    errno = 0;
    assert_int_equal (settings_set_key (&s, "log_rot=/x", &err), -1);
    assert_int_equal (errno, ENOENT);
    assert_string_equal (err.text, "log_rot: unknown key");
    assert_int_equal (settings_set_key (&s, "chunks=1M", &err), -1);
    assert_int_equal (s.chunk, 256 << 10);
}

static void test_fallback (void **state)
{
    assert_int_equal (FROM (&s, NULL, "DFTRACER_DATA_DIR", "/theirs"), 0);
    assert_string_equal (s.include, "/theirs");
    assert_int_equal (FROM (&s, NULL, "DFTRACER_DATA_DIR", "/theirs",
                            "DFTRACE_INCLUDE", "/ours"),
                      0);
    assert_string_equal (s.include, "/ours");
    assert_int_equal (
        FROM (&s, NULL, "DFTRACER_DATA_DIR", "/theirs", "DFTRACE_INCLUDE", ""),
        0);
    assert_string_equal (s.include, ""); /* set, though empty */
    assert_int_equal (FROM (&s, NULL, "DFTRACER_DATA_DIR", "all"), 0);
    assert_string_equal (s.include, "");
}

/* A bad value is skipped and said, the first only; the rest is taken. */
static void test_bad_environment (void **state)
{
    struct errtext err = {""};

    assert_int_equal (FROM (&s, &err, "DFTRACE_CHUNK", "x", "DFTRACE_DEBUG",
                            "maybe", "DFTRACE_JOB_DIR", "/j"),
                      -1);
    assert_memory_equal (err.text, "DFTRACE_CHUNK: ", 15);
    assert_int_equal (s.chunk, 256 << 10);
    assert_int_equal (s.debug, 0);
    assert_string_equal (s.job_dir, "/j");
    assert_int_equal (s.given, SETTING_BIT (job_dir));
}

static void take_pair (void *cookie, const char *name, const char *value)
{
    char (*pairs)[2][256] = cookie;

    while (pairs[0][0][0])
        pairs++;
    (void)snprintf (pairs[0][0], 256, "%s", name);
    (void)snprintf (pairs[0][1], 256, "%s", value);
}

static const char *lookup_pair (void *cookie, const char *name)
{
    for (char (*pairs)[2][256] = cookie; pairs[0][0][0]; pairs++)
        if (strcmp (pairs[0][0], name) == 0)
            return pairs[0][1];
    return NULL;
}

static void test_export (void **state)
{
    static char pairs[SETTING_COUNT_ALL + 1][2][256];

    settings_export (&s, take_pair, pairs);
    assert_string_equal (pairs[0][0], ""); /* nothing given, nothing said */
    assert_int_equal (FROM (&s, NULL, "DFTRACE_LAYERS", "posix,nostdio,app",
                            "DFTRACE_CHUNK", "64K", "DFTRACE_DEBUG", "yes",
                            "DFTRACE_EPILOG_TIMEOUT", "2m", "DFTRACER_DATA_DIR",
                            "/d:/e", "DFTRACE_JOB_DIR", "/j", "DFTRACE_EXCLUDE",
                            ""),
                      0);
    settings_export (&s, take_pair, pairs);
    assert_string_equal (lookup_pair (pairs, "DFTRACE_INCLUDE"), "/d:/e");
    settings_init (&t);
    assert_int_equal (settings_from (&t, lookup_pair, pairs, NULL), 0);
    assert_memory_equal (&s, &t, sizeof (s));
}

static void test_environ (void **state)
{
    assert_int_equal (setenv ("DFTRACE_POINT", "p7", 1), 0);
    assert_int_equal (settings_from_env (&s, NULL), 0);
    assert_string_equal (s.point, "p7");
    assert_string_equal (settings_environ (NULL, "DFTRACE_POINT"), "p7");
    (void)unsetenv ("DFTRACE_POINT");
    assert_null (settings_environ (NULL, "DFTRACE_POINT"));
}

/* Variables of all kinds that are asked for, by one walk through the
 * environment. */
static void test_pass (void **state)
{
    static const char *const others[] = {
        "SLURM_JOB_ID",   "FLUX_JOB_ID",
        "PBS_JOBID",      "LSB_JOBID",
        "PMI_RANK",       "PMI_SIZE",
        "PMIX_RANK",      "MPI_LOCALRANKID",
        "RANK",           "LOCAL_RANK",
        "WORLD_SIZE",     "SLURMD_NODENAME",
        "SLURM_PROCID",   "OMPI_COMM_WORLD_RANK",
        "FLUX_TASK_RANK", "JSM_NAMESPACE_RANK",
        "PALS_RANKID"};
    struct settings_pass pass;

    for (int id = 0; id < SETTING_COUNT_ALL; id++) {
        const char *env = setting_info ((enum setting_id)id)->env;

        if (!env || !*env)
            continue;
        assert_int_equal (setenv (env, "x", 1), 0);
        settings_pass (&pass);
        assert_string_equal (settings_passed (&pass, env), "x");
        (void)unsetenv (env);
        settings_pass (&pass);
        assert_null (settings_passed (&pass, env));
    }
    for (size_t i = 0; i < ITEMS (others); i++) {
        assert_int_equal (setenv (others[i], "7", 1), 0);
        settings_pass (&pass);
        assert_string_equal (settings_passed (&pass, others[i]), "7");
        (void)unsetenv (others[i]);
    }
}

static int has (const char *list, const char *path)
{
    size_t n = strlen (path);
    char *exact = malloc (n ? n : 1); /* no NUL: reading on shows (ASan) */
    int rc;

    memcpy (exact, path, n);
    rc = list_has_prefix (list, exact, n);
    free (exact);
    return rc;
}

static void test_prefix (void **state)
{
    assert_false (has ("", "/usr"));
    assert_false (has (":", "/usr"));
    assert_true (has ("/usr", "/usr"));
    assert_true (has ("/usr", "/usr/x"));
    assert_false (has ("/usr", "/usrx"));
    assert_false (has ("/usr", "/us"));
    assert_true (has ("/usr/", "/usr"));
    assert_true (has ("/usr//", "/usr/x"));
    assert_false (has ("/usr/", "/usrx"));
    assert_true (has ("/a:/b", "/b/c"));
    assert_true (has ("/a::/b", "/b"));
    assert_true (has ("/a:/b:", "/b"));
    assert_false (has ("/a:/b", "/c"));
    assert_false (has ("/a:/b", "/a:/b"));
    assert_true (has ("/", "/anything"));
    assert_true (has ("/", "/"));
    assert_false (has ("/", "relative"));
    assert_true (has ("data", "data/x"));
    assert_false (has ("/a", ""));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup (test_defaults, start),
        cmocka_unit_test_setup (test_bad_values, start),
        cmocka_unit_test_setup (test_length, start),
        cmocka_unit_test_setup (test_site_keys, start),
        cmocka_unit_test_setup (test_fallback, start),
        cmocka_unit_test_setup (test_bad_environment, start),
        cmocka_unit_test_setup (test_export, start),
        cmocka_unit_test_setup (test_environ, start),
        cmocka_unit_test (test_pass),
        cmocka_unit_test (test_prefix),
    };

    return tap_run (tests);
}
