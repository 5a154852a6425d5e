/* SPDX-License-Identifier: MIT
 *
 * ytree.c - YAML text -> tree, or an error with its place
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "lib/util/ytree.h"

static struct errtext err;

static struct ytree *parse (const char *text)
{
    err.text[0] = '\0';
    return ytree_parse ("f.yaml", text, strlen (text), &err);
}

/* The whole message of a text that must not parse. */
static const char *refused (const char *text)
{
    struct ytree *t = parse (text);

    if (t) {
        ytree_destroy (t);
        fail_msg ("accepted: %s", text);
    }
    return err.text;
}

static void test_missing_file (void **state)
{
    assert_null (ytree_load ("/nonexistent/x.yaml", &err));
    assert_int_equal (errno, ENOENT);
    assert_non_null (strstr (err.text, "/nonexistent/x.yaml: "));
    ytree_destroy (NULL);
}

static void test_empty (void **state)
{
    struct ytree *t = parse ("# nothing\n");

    assert_non_null (t);
    assert_null (ytree_root (t));
    assert_null (ynode_get (ytree_root (t), "a"));
    assert_string_equal (ynode_text (NULL, "a", "none"), "none");
    ytree_destroy (t);
}

static void test_tree (void **state)
{
    struct ytree *t = parse ("a: 1\nb:\n  - x\n  - 'y'\n  - {c: \"d e\"}\n"
                             "t: |\n  one\n  two\n");
    const struct ynode *root = ytree_root (t), *b = ynode_get (root, "b");

    assert_int_equal (root->type, YNODE_MAP);
    assert_int_equal (root->count, 3);
    assert_string_equal (root->key[1]->text, "b");
    assert_string_equal (ynode_text (root, "a", NULL), "1");
    assert_int_equal (b->type, YNODE_LIST);
    assert_int_equal (b->count, 3);
    assert_int_equal (b->item[0]->quoted, 0);
    assert_int_equal (b->item[1]->quoted, 1);
    assert_int_equal (b->item[1]->line, 4);
    assert_int_equal (b->item[1]->column, 5);
    assert_string_equal (ynode_text (b->item[2], "c", NULL), "d e");
    assert_null (ynode_text (root, "b", NULL));
    assert_string_equal (ynode_text (root, "t", NULL), "one\ntwo\n");
    assert_int_equal (ytree_errf (t, b->item[1], &err, "bad %d", 7), -1);
    assert_string_equal (err.text, "f.yaml:4:5: bad 7");
    ytree_destroy (t);
}

static void test_json (void **state)
{
    struct ytree *t =
        parse ("{\n  \"a\": {\"b\": [1, -2.5, null, true]},\n"
               "  \"u\": \"\\u00e9\\\"\\\\\\n\",\n  \"e\": []\n}\n");
    const struct ynode *root = ytree_root (t);

    assert_int_equal (ynode_get (ynode_get (root, "a"), "b")->count, 4);
    assert_string_equal (ynode_text (root, "u", NULL), "\u00e9\"\\\n");
    assert_int_equal (ynode_get (root, "e")->count, 0);
    ytree_destroy (t);
}

static void test_anchor (void **state)
{
    struct ytree *t = parse ("a: &x {k: v}\nb: *x\nc: [*x, *x]\n");

    assert_string_equal (ynode_text (ynode_get (ytree_root (t), "b"), "k", ""),
                         "v");
    ytree_destroy (t);
    assert_string_equal (refused ("a: *x\n"), "f.yaml:1:4: *x: no such anchor");
    assert_string_equal (refused ("a: &x [*x]\n"),
                         "f.yaml:1:8: *x contains itself");
}

static void test_duplicate (void **state)
{
    char text[4096];
    size_t n = 0;

    assert_string_equal (refused ("a: 1\nb: 2\na: 3\n"),
                         "f.yaml:3:1: a: key given twice");
    assert_string_equal (refused ("m: {a: 1, \"a\": 3}\n"),
                         "f.yaml:1:11: a: key given twice");
    for (int i = 0; i < 40; i++)
        n += (size_t)snprintf (text + n, sizeof (text) - n, "k%d: 0\n", i);
    (void)snprintf (text + n, sizeof (text) - n, "k3: 0\n");
    assert_string_equal (refused (text), "f.yaml:41:1: k3: key given twice");
    (void)snprintf (text + n, sizeof (text) - n, "k39: 0\n");
    assert_string_equal (refused (text), "f.yaml:41:1: k39: key given twice");
    (void)snprintf (text + n, sizeof (text) - n, "k40: 0\n");
    ytree_destroy (parse (text));
    assert_string_equal (err.text, "");
}

static void test_not_used (void **state)
{
    assert_non_null (strstr (refused ("a: !!str 1\n"), "f.yaml:1:4: tags"));
    assert_non_null (strstr (refused ("- !x [1]\n"), "f.yaml:1:3: tags"));
    assert_non_null (
        strstr (refused ("a: &x {k: v}\nb:\n  <<: *x\n"), "f.yaml:3:3: <<"));
    assert_non_null (strstr (refused ("[1]: a\n"), "a key must be text"));
    assert_non_null (strstr (refused ("? \n"), "f.yaml:1:2: the key"));
    assert_non_null (strstr (refused ("a\n---\nb\n"), "a second document"));
    assert_non_null (strstr (refused ("a: \"x\\0y\"\n"), "f.yaml:1:4: a NUL"));
}

static void test_syntax (void **state)
{
    assert_non_null (strstr (refused ("a: b\n c: d\n"), "f.yaml:2:3: "));
    assert_non_null (strstr (refused ("a: [1, 2\n"), "f.yaml:2:1: "));
    assert_non_null (strstr (refused ("a: \xff\n"), "f.yaml: byte 3: "));
    assert_non_null (strstr (refused ("\ta: b\n"), "f.yaml:1:1: "));
}

static void test_dollar_brace (void **state)
{
    struct ytree *t = parse ("a: ${n}\nb: {c: \"${n}\"}\n");

    assert_string_equal (ynode_text (ytree_root (t), "a", ""), "${n}");
    ytree_destroy (t);
    assert_non_null (strstr (refused ("x: 1\nenv: {S: ${seq}, B: 1}\n"),
                             "f.yaml:2:10: ${…} inside {…}"));
    assert_non_null (
        strstr (refused ("a: [${x}, ${y}]\n"), "must be quoted: write"));
    assert_non_null (
        strstr (refused ("a: {b: x${x}}\n"), "f.yaml:1:9: ${…} inside"));
}

static char *nest (const char *open, int depth)
{
    size_t n = strlen (open);
    char *text = malloc (n * (size_t)depth + 2);

    for (int i = 0; i < depth; i++)
        memcpy (text + n * (size_t)i, open, n);
    memcpy (text + n * (size_t)depth, "1", 2);
    return text;
}

static void test_depth (void **state)
{
    char *text = nest ("- ", 63);

    ytree_destroy (parse (text));
    assert_string_equal (err.text, "");
    free (text);
    text = nest ("- ", 64);
    assert_non_null (strstr (refused (text), "nested deeper than 64"));
    free (text);
    text = nest ("[", 5000);
    assert_non_null (strstr (refused (text), "nested deeper than 64"));
    free (text);
    assert_non_null (strstr (refused ("a: &a [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]"
                                      "]]]]]]]]]\n"
                                      "b: &b [[[[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]"
                                      "]]]]]]]]]]]]]\n"
                                      "c: [[[[[[[[[[[[[[[[[[[[[[[*b]]]]]]]]]]]"
                                      "]]]]]]]]]]]]\n"),
                             "*b: nested deeper than 64"));
}

/* Nine levels of nine aliases: 9^9 nodes from 400 bytes. */
static void test_laughs (void **state)
{
    char text[4096];
    size_t n = (size_t)snprintf (text, sizeof (text), "a: &a0 [x]\n");

    for (int i = 1; i < 10; i++) {
        n +=
            (size_t)snprintf (text + n, sizeof (text) - n, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            n += (size_t)snprintf (text + n, sizeof (text) - n, "%s*a%d",
                                   k ? "," : "", i - 1);
        n += (size_t)snprintf (text + n, sizeof (text) - n, "]\n");
    }
    assert_non_null (strstr (refused (text), "more than 1000000 nodes"));
}

static void test_size (void **state)
{
    size_t n = 16 * 1024 * 1024 + 1;
    char *text = calloc (1, n);

    memset (text, ' ', n);
    assert_null (ytree_parse ("big", text, n, &err));
    assert_int_equal (errno, EFBIG);
    assert_string_equal (err.text, "big: larger than 16777216 bytes");
    free (text);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_missing_file), cmocka_unit_test (test_empty),
        cmocka_unit_test (test_tree),         cmocka_unit_test (test_json),
        cmocka_unit_test (test_anchor),       cmocka_unit_test (test_duplicate),
        cmocka_unit_test (test_not_used),     cmocka_unit_test (test_syntax),
        cmocka_unit_test (test_dollar_brace), cmocka_unit_test (test_depth),
        cmocka_unit_test (test_laughs),       cmocka_unit_test (test_size),
    };

    return tap_run (tests);
}
