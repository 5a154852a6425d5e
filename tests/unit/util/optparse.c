/* SPDX-License-Identifier: MIT
 *
 * optparse.c - option table and argv -> values, help
 */
#include "tests/unit/tap.h"

#include "lib/util/optparse.h"

static struct {
    int force, count;
    const char *output;
    uint64_t size, limit;
    struct opt_list where;
} v;

static const struct opt opts[] = {
    {"output", 'o', OPT_TEXT, &v.output, "DIR", "where results go"},
    {"force", 'f', OPT_FLAG, &v.force, NULL,
     "do it even when this sentence is so long that the help text must be "
     "wrapped into a second line of the same column"},
    {"format", 0, OPT_TEXT, &v.output, "WORD", "text or csv"},
    {"count", 'n', OPT_INT, &v.count, "N", "how many"},
    {"size", 0, OPT_SIZE, &v.size, "BYTES", "how large"},
    {"limit", 0, OPT_DURATION, &v.limit, "TIME", "how long"},
    {"where", 'w', OPT_LIST, &v.where, "EXPR", "rows to keep"},
    OPT_END,
};
static const struct verb_help help = {
    .usage = "dftrace try [OPTION\u2026] FILE\u2026",
    .summary = "try something",
    .text = "First paragraph.\n\nSecond one.",
    .example = "  $ dftrace try -f x",
    .exits = "0  fine\n2  usage",
};

static char *args[16];
static int nargs, first;
static struct errtext err;

/* Parse words separated by one space. */
static enum optparse_result parse (const char *line, int stop)
{
    struct verb_help stopping = help;
    static char copy[512];

    memset (&v, 0, sizeof (v));
    err.text[0] = '\0';
    (void)snprintf (copy, sizeof (copy), "%s", line);
    nargs = 0;
    args[nargs++] = (char *)"try";
    for (char *w = strtok (copy, " "); w; w = strtok (NULL, " "))
        args[nargs++] = w;
    args[nargs] = NULL;
    stopping.stop_at_operand = stop;
    return optparse (opts, &stopping, nargs, args, &first, &err);
}

static void assert_error (const char *line, const char *text)
{
    assert_int_equal (parse (line, 0), OPTPARSE_ERROR);
    assert_string_equal (err.text, text);
}

static void test_errors (void **state)
{
    assert_error ("--outptu=x",
                  "--outptu: no such option: did you mean --output; see "
                  "--help");
    assert_error ("--zebra", "--zebra: no such option; see --help");
    assert_error ("-x", "-x: no such option; see --help");
    assert_error ("--force=1", "--force: takes no value");
    assert_error ("--output", "--output: needs a value: DIR");
    assert_error ("-fo", "-o: needs a value: DIR");
    assert_error ("--count=-1", "--count: -1: not a whole number");
    assert_error ("-n 99999999999", "--count: 99999999999: not a whole number");
    assert_error ("--size=4X", "--size: 4X: not a size such as 64K or 1G");
    assert_error ("--limit=4x",
                  "--limit: 4x: not a duration such as 500ms, 30s or 2h");
    assert_error ("--fo", "--fo: could be --force or --format");
    assert_error ("--=x", "--: no such option; see --help");
    assert_int_equal (errno, EINVAL);
}

static void test_forms (void **state)
{
    assert_int_equal (parse ("--output=a --size 64K --limit=2h -fn3", 0), 0);
    assert_string_equal (v.output, "a");
    assert_int_equal (v.size, 65536);
    assert_int_equal (v.limit, 7200 * UINT64_C (1000000000));
    assert_int_equal (v.force, 1);
    assert_int_equal (v.count, 3);
    assert_int_equal (parse ("-o= --out=b=c", 0), 0);
    assert_string_equal (v.output, "b=c");
    assert_int_equal (parse ("--output=", 0), 0);
    assert_string_equal (v.output, "");
    assert_int_equal (parse ("-w a -wb --where=c", 0), 0);
    assert_int_equal (v.where.count, 3);
    assert_string_equal (v.where.item[2], "c");
}

static void test_permutation (void **state)
{
    assert_int_equal (parse ("x -f - -n 2 y -- -o z", 0), 0);
    assert_int_equal (first, 5);
    assert_int_equal (v.force, 1);
    assert_int_equal (v.count, 2);
    assert_string_equal (args[5], "x");
    assert_string_equal (args[6], "-");
    assert_string_equal (args[7], "y");
    assert_string_equal (args[8], "-o");
    assert_string_equal (args[9], "z");
    assert_null (args[10]);
}

static void test_stop (void **state)
{
    assert_int_equal (parse ("-f cmd -n --help", 1), 0);
    assert_int_equal (first, 2);
    assert_string_equal (args[2], "cmd");
    assert_string_equal (args[3], "-n");
    assert_int_equal (parse ("-f -- --help", 1), 0);
    assert_string_equal (args[first], "--help");
    assert_int_equal (parse ("", 0), 0);
    assert_int_equal (first, 1);
}

static void test_full_list (void **state)
{
    struct opt_list *list = &v.where;
    char *words[OPT_LIST_MAX + 2] = {(char *)"try"};

    memset (&v, 0, sizeof (v));
    for (int i = 1; i <= OPT_LIST_MAX + 1; i++)
        words[i] = (char *)"-wx";
    assert_int_equal (
        optparse (opts, &help, OPT_LIST_MAX + 2, words, &first, &err),
        OPTPARSE_ERROR);
    assert_int_equal (list->count, OPT_LIST_MAX);
}

static void test_help (void **state)
{
    static char out[4096];

    tap_capture (out, f, optparse_print_help (f, opts, &help));
    assert_non_null (strstr (
        out, "Usage: dftrace try [OPTION\u2026] FILE\u2026\n"
             "try something\n\nFirst paragraph.\n\nSecond one.\n\n"
             "Options:\n"
             "  -o, --output=DIR   where results go\n"
             "  -f, --force        do it even when this sentence is so long "
             "that the help\n"
             "                     text must be wrapped into a second line "
             "of the same column\n"
             "      --format=WORD  text or csv\n"));
    assert_non_null (strstr (out, "  -h, --help         show this help\n\n"
                                  "Example:\n  $ dftrace try -f x\n\n"
                                  "Exit status:\n0  fine\n2  usage\n"));
    for (char *line = strtok (out, "\n"); line; line = strtok (NULL, "\n"))
        assert_true (strlen (line) <= 79);
}

static void test_completion_and_man (void **state)
{
    static char out[8192];

    tap_capture (out, f, optparse_completion (f, opts));
    assert_non_null (strstr (out, "--output=\n--force\n"));
    tap_capture (out, f, optparse_man (f, opts, &help, "dftrace-try"));
    assert_non_null (strstr (out, ".TH DFTRACE-TRY 1 "));
    assert_non_null (strstr (out, ".SH DESCRIPTION\nFirst paragraph.\n.PP\n"));
    assert_non_null (
        strstr (out, ".TP\n.B \\-o, \\-\\-output=DIR\nwhere results go.\n"));
}

static void test_nearest (void **state)
{
    static const char *const words[] = {"posix", "app", "mmap", NULL};

    assert_string_equal (nearest_word ("posx", words), "posix");
    assert_string_equal (nearest_word ("PSOIX", words), "posix");
    assert_string_equal (nearest_word ("app", words), "app");
    assert_null (nearest_word ("zebra", words));
    assert_null (nearest_word ("", words));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_errors),
        cmocka_unit_test (test_forms),
        cmocka_unit_test (test_permutation),
        cmocka_unit_test (test_stop),
        cmocka_unit_test (test_full_list),
        cmocka_unit_test (test_help),
        cmocka_unit_test (test_completion_and_man),
        cmocka_unit_test (test_nearest),
    };

    return tap_run (tests);
}
