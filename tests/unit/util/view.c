/* SPDX-License-Identifier: MIT
 *
 * view.c - test of lib/model/view.c
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "lib/model/view.h"

static void a_view_is_known_by_word_and_file (void **state)
{
    assert_int_equal (view_parse ("call"), VIEW_call);
    assert_int_equal (view_parse ("calls"), VIEW_call);
    assert_int_equal (view_parse ("fault_workers"), VIEW_worker);
    assert_int_equal (view_parse ("cal"), -1);
    assert_int_equal (view_parse (""), -1);
    for (int v = 0; v < VIEW_COUNT; v++) {
        assert_int_equal (view_parse (view_table[v].word), v);
        assert_int_equal (view_parse (view_table[v].file), v);
    }
}

static void names_of_columns_are_unique (void **state)
{
    for (int v = 0; v < VIEW_COUNT; v++) {
        const struct view_column *a = NULL, *b;
        size_t n = 0;

        for (; (a = view_column_next ((enum view)v, a)); n++)
            for (b = a; (b = view_column_next ((enum view)v, b));)
                assert_string_not_equal (a->name, b->name);
        if (v != VIEW_percentile)
            assert_in_range (n, 1, VIEW_COLUMNS_MAX);
    }
}

static void what_is_joined_is_shown_on_the_page (void **state)
{
    for (int v = 0; v < VIEW_COUNT; v++)
        for (const struct view_column *c = NULL;
             (c = view_column_next ((enum view)v, c));) {
            if (c->joined)
                assert_string_not_equal (c->heading, "");
            if (strcmp (c->heading, "=") == 0)
                assert_string_not_equal (c->title, "");
        }
}

static void columns_have_their_order (void **state)
{
    struct textable *t = textable_create ();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream (&text, &size);

    assert_non_null (t);
    assert_non_null (out);
    view_columns (t, VIEW_operation);
    textable_print (t, out, TABLE_CSV);
    (void)fclose (out);
    assert_string_equal (text, "category,name,count,sum_s,self_s,mean_us,"
                               "p50_us,p95_us,p99_us,max_us\n");
    free (text);
    textable_destroy (t);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (a_view_is_known_by_word_and_file),
        cmocka_unit_test (names_of_columns_are_unique),
        cmocka_unit_test (what_is_joined_is_shown_on_the_page),
        cmocka_unit_test (columns_have_their_order),
    };

    return tap_run (tests);
}
