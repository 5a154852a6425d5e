/* SPDX-License-Identifier: MIT
 *
 * spec.c - what a sweep file may say, and where its errors are
 */
#include "tests/unit/tap.h"

#include "sweep/spec/spec.h"

static struct errtext err;

static struct spec *parse (const char *text)
{
    err.text[0] = '\0';
    return spec_parse ("s.yaml", text, strlen (text), &err);
}

/* text must be refused with exactly this message */
static void refuse (const char *text, const char *message)
{
    struct spec *s = parse (text);

    errno = 0;
    if (!s && strcmp (err.text, message))
        print_message ("# %s\n", err.text);
    assert_null (s);
    assert_string_equal (err.text, message);
}

#define HEAD "sweep: s\naxes: {n: [1, 2]}\nrun: x\n"

static void test_destroy_null (void **state)
{
    errno = EBADF;
    spec_destroy (NULL);
    assert_int_equal (errno, EBADF);
}

static void test_defaults (void **state)
{
    struct spec *s = parse (HEAD);

    assert_non_null (s);
    assert_string_equal (s->name, "s");
    assert_int_equal (s->axes, 1);
    assert_int_equal (s->axis[0].count, 2);
    assert_string_equal (s->run, "x");
    assert_string_equal (s->layers, "posix,app");
    assert_int_equal (s->trace_check, 1);
    assert_int_equal (s->repeats, 1);
    assert_int_equal (s->order, ORDER_BLOCKED);
    assert_int_equal (s->max_running, 0);
    assert_int_equal (s->mode, MODE_ARRAY);
    assert_null (s->metrics);
    spec_destroy (s);
}

static void test_unknown_keys (void **state)
{
    refuse (HEAD "seperator: 1\n",
            "s.yaml:4:1: unknown key \"seperator\": `dftrace sweep plan "
            "--keys` lists the known ones");
    refuse (HEAD "repeat: 1\n", "s.yaml:4:1: unknown key \"repeat\" (did you "
                                "mean \"repeats\"?)");
    refuse (HEAD "trace: {layer: posix}\n",
            "s.yaml:4:9: unknown key \"layer\" (did you mean \"layers\"?)");
    refuse (HEAD "results:\n  metric: [a]\n",
            "s.yaml:5:3: unknown key \"metric\" (did you mean \"metrics\"?)");
}

static void test_missing_keys (void **state)
{
    refuse ("sweep: s\nrun: x\n", "s.yaml:1:1: the key \"axes\" is missing: "
                                  "name: list, generator, or value: "
                                  "companions");
    refuse ("sweep: s\naxes: {n: [1]}\n",
            "s.yaml:1:1: the key \"run\" (or \"script\") is missing: what "
            "should a point do?");
    refuse (HEAD "script: y\n",
            "s.yaml:4:9: run and script: one of the two, not both");
    refuse ("", "s.yaml: no sweep: a mapping with sweep, axes and run should "
                "be here");
}

/* Figures and baselines: metrics and axes that there are. */
static void test_plots (void **state)
{
    static const struct {
        const char *text, *complaint;
    } bad[] = {
        {"results: {plots: [q]}", "4:19: metrics: unknown metric \"q\""},
        {"results: {plots: [{x: a}]}", "\"metric\" is missing"},
        {"results: {plots: [[read_time]]}", "4:19: plots: a metric, or"},
        {"results: {baseline: {zz: 1}}", "4:22: \"zz\" is no axis"},
    };
    char text[256];

    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
        (void)snprintf (text, sizeof (text), "%s%s\n", HEAD, bad[i].text);
        assert_null (parse (text));
        assert_non_null (strstr (err.text, bad[i].complaint));
    }
}

static void test_shapes (void **state)
{
    refuse (HEAD "repeats: [1]\n", "s.yaml:4:10: repeats: a single value "
                                   "should be here: times every point is run");
    refuse (HEAD "repeats: 0\n",
            "s.yaml:4:10: repeats: \"0\" is no whole number from 1 to 10000");
    refuse (HEAD "repeats: \"3\"\n",
            "s.yaml:4:10: repeats: \"3\" is no whole number from 1 to 10000");
    refuse (HEAD "order: rand\n", "s.yaml:4:8: order: \"rand\" is none of "
                                  "blocked, random, grid");
    refuse ("sweep: A\naxes: {n: [1]}\nrun: x\n",
            "s.yaml:1:8: sweep: \"A\": a name begins with a lower-case "
            "letter or a digit");
    refuse ("sweep: a/b\naxes: {n: [1]}\nrun: x\n",
            "s.yaml:1:9: sweep: \"a/b\": a name is at most 40 of a-z 0-9 . _ "
            "-");
}

static void test_axes (void **state)
{
    refuse ("sweep: s\naxes: {n: [1, 1]}\nrun: x\n",
            "s.yaml:2:15: axes: n has the value 1 twice");
    refuse ("sweep: s\naxes: {n: []}\nrun: x\n",
            "s.yaml:2:11: axes: n has no values");
    refuse ("sweep: s\naxes: {n: 5}\nrun: x\n",
            "s.yaml:2:11: axes: n: an axis is a list, a generator such as "
            "range(1, 8), or a mapping");
    refuse ("sweep: s\naxes: {n-m: [1]}\nrun: x\n",
            "s.yaml:2:8: \"n-m\" cannot be a name: letters, digits and _, "
            "and no word of the expression language");
    refuse ("sweep: s\naxes: {max: [1]}\nrun: x\n",
            "s.yaml:2:8: \"max\" cannot be a name: letters, digits and _, "
            "and no word of the expression language");
    refuse ("sweep: s\naxes:\n  a: {1: {m: 1}}\n  b: {2: {m: 2}}\nrun: x\n",
            "s.yaml:4:3: axes: both a and b have the companion \"m\": only "
            "one axis may");
    refuse ("sweep: s\naxes:\n  a: {1: {b: 1}}\n  b: [2]\nrun: x\n",
            "s.yaml:3:11: \"b\" is an axis: a companion needs a name of its "
            "own");
    refuse (HEAD "const: {n: 1}\n",
            "s.yaml:4:9: \"n\" is an axis and cannot be const");
    refuse (HEAD "points:\n  - {m: 1}\n",
            "s.yaml:5:5: points: the axis n is missing");
}

static void values (const char *generator, const char *want)
{
    char text[256], got[256] = "";
    struct spec *s;

    (void)snprintf (text, sizeof (text), "sweep: s\naxes:\n  n: %s\nrun: x\n",
                    generator);
    s = parse (text);
    for (size_t i = 0; s && i < s->axis[0].count; i++) {
        size_t n = strlen (got);
        (void)snprintf (got + n, sizeof (got) - n, "%s%s", i ? " " : "",
                        value_text (&s->axis[0].value[i]));
    }
    assert_string_equal (s ? got : err.text, want);
    spec_destroy (s);
}

static void test_generators (void **state)
{
    values ("log2(64, 256)", "64 128 256");
    values ("log10(1, 1k)", "1 10 100 1000");
    values ("range(1, 4)", "1 2 3 4");
    values ("range(1, 8, 3)", "1 4 7");
    values ("range(3, 1, -1)", "3 2 1");
    values ("range(0.1, 0.5, 0.1)", "0.1 0.2 0.3 0.4 0.5");
    values ("lin(0, 10, 3)", "0 5 10");
    values ("lin(0, 1, 5)", "0 0.25 0.5 0.75 1");
    values ("log(1, 1000, 4)", "1 10 100 1000");
    values ("log(64, 512, 7)", "64 91 128 181 256 362 512");
    values ("log2(64, 300)", "s.yaml:3:10: axes: n: log2: 300 is not 64 times "
                             "a power of 2");
    values ("range(1, 3, 0)", "s.yaml:3:11: axes: n: range: the step does not "
                              "lead from 1 to 3");
    values ("rnage(1, 3)", "s.yaml:3:6: axes: n: rnage: no such generator "
                           "(did you mean \"range\"?): there are range lin "
                           "log log2 log10");
    values ("lin(1, 3)",
            "s.yaml:3:9: axes: n: lin: it is written lin(from, to, number)");
    values ("log(1, 2, 5)", "s.yaml:3:6: axes: n has the value 1 twice");
    values ("range(0, 9223372036854775807)",
            "s.yaml:3:11: axes: n: range: more than 100000 values");
}

static void test_expressions (void **state)
{
    refuse (HEAD "derive: {m: n +}\n", "s.yaml:4:16: the expression ends "
                                       "where a value should be");
    refuse (HEAD "derive: {m: p, p: n}\n",
            "s.yaml:4:13: unknown name \"p\": it is no axis, companion, const "
            "or derived name; text is written 'p'");
    refuse (HEAD "derive: {n: 1}\n", "s.yaml:4:10: \"n\" is there already: a "
                                     "derived name is a new one");
    refuse (HEAD "require: [n = 1]\n", "s.yaml:4:13: \"=\" is no operator "
                                       "here: use ==, !=, and, or, not");
    refuse (HEAD "label: a${m}\n",
            "s.yaml:4:11: unknown name \"m\": it is no axis, companion, const "
            "or derived name; text is written 'm'");
    refuse (HEAD "env: {A: {n}}\n",
            "s.yaml:4:10: a single value should be here: inside of { } and [ "
            "] a template is quoted, as in \"${name}\"");
}

static void test_env_and_slurm (void **state)
{
    refuse (HEAD "env: {A-B: 1}\n",
            "s.yaml:4:7: env: \"A-B\" is no variable's name");
    refuse (HEAD "env: {SWEEP_RUN: 1}\n",
            "s.yaml:4:7: env: SWEEP_RUN is set by the sweep itself");
    refuse (HEAD "slurm: {array: 1}\n",
            "s.yaml:4:9: slurm: array is set by the sweep itself: use "
            "max_running instead");
    refuse (HEAD "slurm: {--nodes: 1}\n",
            "s.yaml:4:9: slurm: \"--nodes\": a long option of sbatch, without "
            "the dashes, should be here");
}

static void test_trace (void **state)
{
    struct spec *s = parse (HEAD "trace: {layers: [posix, mmap], check: "
                                 "none}\n");

    assert_non_null (s);
    assert_string_equal (s->layers, "posix,mmap");
    assert_int_equal (s->trace_check, 0);
    spec_destroy (s);
    s = parse (HEAD "trace: off\n");
    assert_non_null (s);
    assert_null (s->layers);
    spec_destroy (s);
    assert_null (parse (HEAD "trace: posx\n"));
    assert_non_null (strstr (err.text, "s.yaml:4:8: trace: "));
    assert_non_null (strstr (err.text, "posx"));
}

static void test_metrics (void **state)
{
    struct spec *s =
        parse (HEAD "results: {metrics: [read_bytes, job_time]}\n");

    assert_non_null (s);
    assert_string_equal (s->metrics[1], "job_time");
    assert_null (s->metrics[2]);
    spec_destroy (s);
    refuse (HEAD "results: {metrics: [read_bytes, job_tim]}\n",
            "s.yaml:4:33: metrics: unknown metric \"job_tim\" (did you mean "
            "\"job_time\"?)");
}

static void test_yaml_errors (void **state)
{
    assert_null (parse ("sweep: s\nsweep: t\n"));
    assert_non_null (strstr (err.text, "s.yaml:2:1"));
    assert_null (parse ("a: [\n"));
    assert_non_null (strstr (err.text, "s.yaml:"));
}

/* Only what a part says decides its digest. */
static void test_digest (void **state)
{
    char x[65], y[65];
    struct spec *s = parse (HEAD "env: {A: 1}\n");
    struct spec *t = parse ("# comment\n" HEAD "env:\n  A: 1\nrepeats: 2\n");

    spec_digest (s, "env", x);
    spec_digest (t, "env", y);
    assert_string_equal (x, y);
    spec_destroy (t);
    t = parse (HEAD "env: {A: \"1\"}\n");
    spec_digest (t, "env", y);
    assert_string_not_equal (x, y);
    spec_destroy (t);
    spec_destroy (s);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_destroy_null),
        cmocka_unit_test (test_defaults),
        cmocka_unit_test (test_unknown_keys),
        cmocka_unit_test (test_missing_keys),
        cmocka_unit_test (test_plots),
        cmocka_unit_test (test_shapes),
        cmocka_unit_test (test_axes),
        cmocka_unit_test (test_generators),
        cmocka_unit_test (test_expressions),
        cmocka_unit_test (test_env_and_slurm),
        cmocka_unit_test (test_trace),
        cmocka_unit_test (test_metrics),
        cmocka_unit_test (test_yaml_errors),
        cmocka_unit_test (test_digest),
    };

    return tap_run (tests);
}
