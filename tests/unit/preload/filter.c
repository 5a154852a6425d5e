/* SPDX-License-Identifier: MIT
 *
 * filter.c - which files are recorded
 */
#include "tests/unit/tap.h"

#include "preload/files.h"

static struct settings s;

/* NULL leaves a default. */
static void start (const char *include, const char *exclude)
{
    settings_init (&s);
    assert_int_equal (settings_set (&s, "job_dir", "/j/job/", NULL), 0);
    if (include)
        assert_int_equal (settings_set (&s, "include", include, NULL), 0);
    if (exclude)
        assert_int_equal (settings_set (&s, "exclude", exclude, NULL), 0);
    filter_start (&s);
}

static int wants (const char *path)
{
    return filter_wants (FILE_CLASS_STORAGE, path, strlen (path));
}

static void test_pattern (void **state)
{
    static const struct {
        const char *list, *path;
        int want;
    } t[] = {
        {"", "/a/b", 0},
        {"/a", "/a", 0}, /* no pattern */
        {"*.so", "/a/b.so", 1},
        {"*.so", "/a.so/b", 0}, /* the last component only */
        {"*.so", "/a/b.so.1", 0},
        {"*.so.*", "/a/b.so.1", 1},
        {"*.so.*", "/a/b.so.", 1},
        {"*.so.*", "/a/b.so", 0},
        {"/x:*.pyc:/y", "/a/b.pyc", 1},
        {"/x:*.pyc:/y", "/a/b.py", 0},
        {"*a*b*c", "xaxxbxxbxc", 1},
        {"*a*b*c", "xaxxbxxbx", 0},
        {"*", "/any", 1},
        {"*.so:", "b.so", 1},
        {":*.so", "b.so", 1},
    };

    for (size_t i = 0; i < sizeof (t) / sizeof (t[0]); i++)
        assert_int_equal (
            pathfilter_has_pattern (t[i].list, t[i].path, strlen (t[i].path)),
            t[i].want);
    assert_int_equal (pathfilter_has_pattern ("*.so", "/a/b.sox", 7), 1);
}

static void test_defaults (void **state)
{
    start (NULL, NULL);
    assert_true (wants ("/data/x"));
    assert_true (wants ("/procurement/x"));
    assert_true (wants ("/"));
    assert_false (wants ("/usr/lib/x"));
    assert_false (wants ("/proc/self/io"));
    assert_false (wants ("/home/u/libx.so.1.2"));
    assert_false (wants ("/home/u/x.pyc"));
}

static void test_own (void **state)
{
    start ("all", "");
    assert_false (wants ("/j/job/shards"));
    assert_false (wants ("/j/job/shards/h-1-2.dft"));
    assert_true (wants ("/j/job/shardsx"));
    assert_true (wants ("/j/job/job.json"));
    assert_true (wants ("/usr/x.so"));
}

static void test_include (void **state)
{
    start ("/usr/data:/x", NULL);
    assert_true (wants ("/usr/data"));
    assert_true (wants ("/usr/data/y"));
    assert_false (wants ("/usr/data/y.so")); /* patterns stay */
    assert_false (wants ("/usr/datax"));
    assert_false (wants ("/data"));
    start ("/usr/data", "/usr/data/tmp");
    assert_true (wants ("/usr/data/y"));
    assert_false (wants ("/usr/data/tmp/y"));
    start ("all", NULL);
    assert_true (wants ("/data"));
    assert_true (wants ("/usr/data"));
    assert_true (wants ("/usr/data/y.so"));
    start ("all", "/usr:*.so");
    assert_false (wants ("/usr/data"));
    assert_false (wants ("/data/y.so"));
}

static void test_classes (void **state)
{
    static const enum file_class not_files[] = {
        FILE_CLASS_PIPE, FILE_CLASS_SOCKET, FILE_CLASS_DEVICE,
        FILE_CLASS_OTHER};

    start (NULL, "");
    for (size_t i = 0; i < 4; i++)
        assert_false (filter_wants (not_files[i], "pipe:[1]", 8));
    start ("all:pipe:socket:device:other", "");
    for (size_t i = 0; i < 4; i++)
        assert_true (filter_wants (not_files[i], "pipe:[1]", 8));
    assert_true (wants ("/data"));
    start ("pipe", NULL);
    assert_true (filter_wants (FILE_CLASS_PIPE, "/named", 6));
    assert_false (filter_wants (FILE_CLASS_SOCKET, "socket:[1]", 10));
    assert_false (wants ("/data"));
    start (NULL, "");
    assert_true (filter_wants (FILE_CLASS_SHM, "/dev/shm/x", 10));
}

static int starts (const char *exe, const char *const *argv)
{
    start (NULL, "");
    return filter_start_program (exe, strlen (exe), argv);
}

/* What a shell reads as its script, and how it looks for programs. */
static void test_shells (void **state)
{
    static const struct {
        const char *argv[6];
        const char *script;
    } t[] = {
        {{"sh", "/s/job", "/s/word"}, "/s/job"},
        {{"sh", "-eu", "-o", "pipefail", "/s/job"}, "/s/job"},
        {{"sh", "--", "/s/job"}, "/s/job"},
        {{"sh", "--rcfile", "/s/rc", "/s/job"}, "/s/job"},
        {{"sh", "-c", "/s/job"}, "/none"},
        {{"sh", "-ec", "cat", "/s/job"}, "/none"},
        {{"sh"}, "/none"},
        {{"sh", "-o"}, "/none"},
        {{NULL}, "/none"},
    };

    for (size_t i = 0; i < sizeof (t) / sizeof (t[0]); i++) {
        assert_true (starts ("/usr/bin/bash", t[i].argv));
        assert_false (wants (t[i].script) && t[i].script[1] == 's');
        assert_true (wants ("/s/word"));
        assert_true (t[i].script[1] == 's' || wants ("/s/job"));
        assert_int_equal ((int)filter_how (CALL_stat), FILTER_DROPPED);
        assert_int_equal ((int)filter_how (CALL_read), FILTER_RECORDED);
        assert_int_equal ((int)filter_how (CALL_open), FILTER_RECORDED);
    }
    assert_true (starts ("/usr/bin/cat", t[0].argv));
    assert_true (wants ("/s/job"));
    assert_int_equal ((int)filter_how (CALL_stat), FILTER_RECORDED);
}

static void test_programs (void **state)
{
    static const char *const argv[] = {"x", NULL};

    assert_false (starts ("/usr/bin/srun", argv)); /* Slurm's own */
    assert_false (starts ("/opt/slurm/bin/sbatch", argv));
    assert_false (starts ("/usr/bin/dftrace", argv));
    assert_true (starts ("/usr/bin/sruns", argv));
}

static void test_output (void **state)
{
    start (NULL, "");
    assert_int_equal (settings_set (&s, "output", "/w/o.out:/w/o.err", NULL),
                      0);
    assert_false (wants ("/w/o.out"));
    assert_false (wants ("/w/o.err"));
    assert_true (wants ("/w/o.out2"));
    assert_true (wants ("/w"));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_pattern),  cmocka_unit_test (test_defaults),
        cmocka_unit_test (test_own),      cmocka_unit_test (test_include),
        cmocka_unit_test (test_classes),  cmocka_unit_test (test_shells),
        cmocka_unit_test (test_programs), cmocka_unit_test (test_output),
    };

    return tap_run (tests);
}
