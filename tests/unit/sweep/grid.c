/* SPDX-License-Identifier: MIT
 *
 * grid.c - points: how many, which values, which names
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "sweep/plan/order.h"

static struct errtext err;
static struct spec *spec;

static struct grid *expand (const char *text)
{
    err.text[0] = '\0';
    spec_destroy (spec);
    spec = spec_parse ("s.yaml", text, strlen (text), &err);
    return spec ? grid_expand (spec, &err) : NULL;
}

static const struct point *labelled (const struct grid *g, const char *label)
{
    for (size_t i = 0; i < g->count; i++)
        if (!strcmp (g->point[i].label, label))
            return &g->point[i];
    return NULL;
}

static const char *env (const struct point *p, const char *name)
{
    for (size_t i = 0; i < spec->envs; i++)
        if (!strcmp (p->env[i].name, name))
            return p->env[i].text;
    return "(absent)";
}

static const char study[] =
    "sweep: s\n"
    "axes:\n"
    "  seq:\n"
    "    512: {mbs: 4}\n"
    "    1024: {mbs: 2, time: \"01:00:00\"}\n"
    "  access: {mmap: {flag: null}, direct: {flag: 1}}\n"
    "const: {time: \"00:30:00\"}\n"
    "derive: {half: seq // 2}\n"
    "label: ${access}-${seq:%05d}\n"
    "env: {SEQ: \"${seq}\", FLAG: \"${flag}\", D: \"${access == 'direct'}\", "
    "H: \"${half}\", T: \"${time}\", LIT: 08, OFF: null}\n"
    "slurm: {time: \"${time}\", exclusive: true, requeue-x: false}\n"
    "run: x\n";

static void test_points (void **state)
{
    struct grid *g = expand (study);
    const struct point *p;

    assert_non_null (g);
    assert_int_equal (g->count, 4);
    assert_int_equal (g->groups, 2);
    assert_string_equal (g->point[0].label, "mmap-00512");
    assert_string_equal (g->point[1].label, "direct-00512"); /* last fastest */
    p = labelled (g, "mmap-01024");
    assert_non_null (p);
    assert_string_equal (env (p, "SEQ"), "1024");
    assert_null (env (p, "FLAG"));
    assert_string_equal (env (p, "D"), "0");
    assert_string_equal (env (p, "H"), "512");
    assert_string_equal (env (p, "T"), "01:00:00");
    assert_string_equal (env (p, "LIT"), "08");
    assert_null (env (p, "OFF"));
    assert_int_equal (p->options, 2);
    assert_string_equal (p->option[0].text, "01:00:00");
    assert_string_equal (p->option[1].name, "exclusive");
    assert_null (p->option[1].text);
    p = labelled (g, "direct-00512");
    assert_string_equal (env (p, "FLAG"), "1");
    assert_string_equal (env (p, "T"), "00:30:00");
    assert_string_equal (env (p, "D"), "1");
}

/* By hand: sha256 ("access=text:mmap\nseq=int:512\n"). */
static void test_identity (void **state)
{
    struct grid *g = expand (study);
    struct sha256 d;
    char hex[SHA256_HEX + 1];

    sha256_init (&d);
    sha256_text (&d, "access=text:mmap\nseq=int:512\n");
    sha256_hex (&d, hex);
    assert_string_equal (g->point[0].digest, hex);
    assert_int_equal (strlen (g->point[0].id), 8);
    assert_memory_equal (g->point[0].id, hex, 8);
}

/* More values, another order of axes, other companions, env and labels: the
 * ids of the points that were there stay. */
static void test_ids_are_stable (void **state)
{
    struct grid *g = expand ("sweep: s\naxes: {a: [1, 2], b: [x, y]}\n"
                             "run: r\n");
    char before[4][9];

    for (int i = 0; i < 4; i++)
        (void)snprintf (before[i], sizeof (before[i]), "%s", g->point[i].id);
    g = expand ("sweep: other\naxes:\n  b: [z, y, x]\n"
                "  a: {3: {m: 1}, 1: {m: 2}, 2: {m: 3}}\n"
                "env: {A: \"${m}\"}\nrun: s\nrepeats: 3\n");
    assert_int_equal (g->count, 9);
    for (int i = 0; i < 4; i++) {
        int found = 0;

        for (size_t j = 0; j < g->count; j++)
            found += !strcmp (g->point[j].id, before[i]);
        assert_int_equal (found, 1);
    }
}

/* A number is one value however it is written; of values that differ the text
 * is the identity. */
static void test_typed_identity (void **state)
{
    struct grid *g = expand ("sweep: s\naxes: {a: [9, \"8\"]}\n"
                             "label: \"p${len(str(a))}${a in ['8'] ? 1 : 0}\"\n"
                             "run: r\n");

    assert_null (g); /* 'in' compares: text with number is an error */
    assert_non_null (strstr (err.text, "cannot be compared"));
    assert_null (expand ("sweep: s\naxes: {a: [8, 08]}\nrun: r\n"));
    assert_non_null (strstr (err.text, "has the value 8 twice"));
    g = expand ("sweep: s\naxes: {a: [\"8\", \"08\"]}\nrun: r\n");
    assert_non_null (g);
    assert_string_not_equal (g->point[0].id, g->point[1].id);
}

static void test_exclude (void **state)
{
    struct grid *g = expand ("sweep: s\naxes: {a: [1, 2, 3], b: [1, 2, 3]}\n"
                             "derive: {q: 6 / a * b, odd: 5 / (a - 2)}\n"
                             "exclude: [a == 2, q > 10, b == 7]\nrun: r\n");

    /* a == 2 divides by zero in derive: dropped before */
    assert_non_null (g);
    assert_int_equal (g->product, 9);
    assert_int_equal (g->dropped[0], 3);
    assert_int_equal (g->dropped[1], 2); /* a == 1: 12 and 18 */
    assert_int_equal (g->dropped[2], 0);
    assert_int_equal (g->count, 4);
    assert_null (expand ("sweep: s\naxes: {a: [1]}\nexclude: a == 1\n"
                         "run: r\n"));
    assert_non_null (strstr (err.text, "no point is left"));
}

static void test_require (void **state)
{
    errno = 0;
    assert_null (expand ("sweep: s\naxes: {gbs: [8, 9]}\nconst: {mbs: 4}\n"
                         "require:\n  - gbs > 1\n  - gbs % mbs == 0\n"
                         "run: r\n"));
    assert_int_equal (errno, EINVAL);
    assert_string_equal (err.text,
                         "s.yaml:6:5: require: gbs % mbs == 0 is false with "
                         "gbs=9 mbs=4: exclude the point or change its values "
                         "(at gbs=9)");
}

static void test_condition_type (void **state)
{
    assert_null (expand ("sweep: s\naxes: {a: [1]}\nrequire: [a + 1]\n"
                         "run: r\n"));
    assert_non_null (strstr (err.text, "a + 1 is an integer: a condition is "
                                       "true or false"));
}

static void test_extra_points (void **state)
{
    struct grid *g = expand ("sweep: s\naxes: {a: {1: {m: 10}, 2: {m: 20}}, "
                             "b: [x]}\n"
                             "points:\n  - {a: 2, b: z}\n"
                             "  - {a: 9, b: x, m: 90}\n"
                             "env: {M: \"${m}\"}\nrun: r\n");

    assert_non_null (g);
    assert_int_equal (g->count, 4);
    assert_string_equal (env (&g->point[2], "M"), "20");
    assert_string_equal (env (&g->point[3], "M"), "90");
    assert_null (expand ("sweep: s\naxes: {a: [1]}\npoints: [{a: 1}]\n"
                         "run: r\n"));
    assert_non_null (strstr (err.text, "in the grid already"));
}

static void test_labels (void **state)
{
    struct grid *g = expand ("sweep: s\naxes: {path: [/data/x y, ../up]}\n"
                             "run: r\n");

    assert_non_null (g);
    assert_string_equal (g->point[0].label, "_data_x_y");
    assert_string_equal (g->point[1].label, "_._up"); /* never hidden or .. */
    assert_null (expand ("sweep: s\naxes: {a: [1, 2], b: [1, 2]}\n"
                         "label: x${a}\nrun: r\n"));
    assert_string_equal (err.text,
                         "s.yaml:3:8: label: \"x1\" is also the label of a=1 "
                         "b=1: put more axes into it (at a=1 b=2)");
}

static void test_too_many (void **state)
{
    assert_null (expand ("sweep: s\naxes: {a: \"range(1,9999)\", b: "
                         "\"range(1,9999)\"}\nrun: r\n"));
    assert_non_null (strstr (err.text, "more than 1000000 points"));
}

/* Count = product minus excluded, for many random grids. */
static void test_count (void **state)
{
    srandom (20260714);
    for (int round = 0; round < 200; round++) {
        int n = 1 + (int)(random () % 9), m = 1 + (int)(random () % 9);
        int limit = (int)(random () % 60), want = 0;
        char text[256];
        struct grid *g;

        (void)snprintf (text, sizeof (text),
                        "sweep: s\naxes: {a: \"range(1, %d)\", b: \"range(1, "
                        "%d)\"}\nexclude: [a * b > %d]\nrun: r\n",
                        n, m, limit);
        for (int a = 1; a <= n; a++)
            for (int b = 1; b <= m; b++)
                want += a * b <= limit;
        g = expand (text);
        if (!want) {
            assert_null (g);
            continue;
        }
        assert_non_null (g);
        assert_int_equal (g->count, want);
        assert_int_equal (g->count, g->product - g->excluded);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_points),
        cmocka_unit_test (test_identity),
        cmocka_unit_test (test_ids_are_stable),
        cmocka_unit_test (test_typed_identity),
        cmocka_unit_test (test_exclude),
        cmocka_unit_test (test_require),
        cmocka_unit_test (test_condition_type),
        cmocka_unit_test (test_extra_points),
        cmocka_unit_test (test_labels),
        cmocka_unit_test (test_too_many),
        cmocka_unit_test (test_count),
    };
    int rc = tap_run (tests);

    spec_destroy (spec);
    return rc;
}
