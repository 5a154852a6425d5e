/* SPDX-License-Identifier: MIT
 *
 * calls.c - the table of calls is what the format may rely on
 */
#include "tests/unit/tap.h"

#include "lib/format/calls.h"

static const struct {
    int number;
    const char *name;
} rows[] = {
#define CALL(NUMBER, NAME, CATEGORY, CLASS, FIELDS, RET) {NUMBER, #NAME},
#include "lib/format/calls.def"
#undef CALL
};

enum { ROWS = sizeof (rows) / sizeof (rows[0]) };

static void test_numbers (void **state)
{
    for (int i = 0; i < ROWS; i++) {
        assert_in_range (rows[i].number, 1, CALL_MAX - 1);
        assert_string_equal (call_table[rows[i].number].name, rows[i].name);
        for (int k = 0; k < i; k++) {
            assert_int_not_equal (rows[i].number, rows[k].number);
            assert_string_not_equal (rows[i].name, rows[k].name);
        }
    }
}

/* These are on disk: a row may be added, none may change. */
static void test_fixed (void **state)
{
    assert_int_equal (CALL_region, 1);
    assert_int_equal (CALL_open, 16);
    assert_int_equal (CALL_close, 19);
    assert_int_equal (CALL_read, 20);
    assert_int_equal (CALL_pwritev, 27);
    assert_int_equal (CALL_lseek, 28);
    assert_int_equal (CALL_mmap, 47);
    assert_int_equal (CALL_fopen, 80);
    assert_int_equal (CALL_fprintf, 90);
    assert_int_equal (CALL_copy_file_range, 54);
    assert_int_equal (CALL_closedir, 79);
    assert_int_equal (CALL_dprintf, 96);
    assert_int_equal (CALL_rewinddir, 110);
    assert_int_equal (CALL_removexattr, 135);
    assert_string_equal (call_table[CALL_NONE].name, "");
}

static void test_names (void **state)
{
    for (int i = 0; i < ROWS; i++) {
        const char *name = rows[i].name;

        assert_null (strstr (name, "64"));
        assert_null (strstr (name, "_chk"));
        assert_int_not_equal (name[0], '_');
    }
}

/* A result that is not written down must be made of what the call carries. */
static void test_results (void **state)
{
    for (int i = 0; i < ROWS; i++) {
        const struct call_info *info = &call_table[rows[i].number];

        if (info->ret == CALL_RET_SIZE)
            assert_true (info->fields & F_SIZE);
        if (info->ret == CALL_RET_FD)
            assert_true (info->fields & F_FD);
        if (info->ret == CALL_RET_OFFSET)
            assert_true (info->fields & F_OFFSET);
        assert_int_equal (info->category == CALL_CATEGORY_APP ||
                              info->category == CALL_CATEGORY_WAIT,
                          rows[i].number < 16);
        assert_int_equal (info->category == CALL_CATEGORY_WAIT,
                          info->class == CALL_CLASS_WAIT);
        assert_int_equal (info->category == CALL_CATEGORY_WAIT,
                          call_is_wait ((unsigned)rows[i].number));
        assert_int_equal (info->category == CALL_CATEGORY_APP,
                          info->class == CALL_CLASS_APP);
    }
}

static void test_words (void **state)
{
    assert_string_equal (call_category_name (CALL_CATEGORY_POSIX), "POSIX");
    assert_string_equal (call_category_name (CALL_CATEGORY_STDIO), "STDIO");
    assert_string_equal (call_category_name (CALL_CATEGORY_APP), "APP");
    assert_non_null (call_category_name ((enum call_category)99));
    assert_string_equal (call_class_name (CALL_CLASS_READ), "read");
    assert_string_equal (call_class_name (CALL_CLASS_APP), "app");
    assert_string_equal (call_class_name (CALL_CLASS_COPY), "copy");
    assert_non_null (call_class_name ((enum call_class)99));
}

static void test_lists (void **state)
{
    struct errtext err;

    assert_int_equal (calls_check ("", &err), 0);
    assert_int_equal (calls_check ("read:meta::pread", &err), 0);
    errno = 0;
    assert_int_equal (calls_check ("read:raed", &err), -1);
    assert_int_equal (errno, EINVAL);
    assert_non_null (strstr (err.text, "raed"));
    assert_int_equal (calls_check ("app", &err), -1);
    assert_int_equal (calls_check ("region", &err), -1);
    assert_true (calls_has ("stat:read", CALL_pread)); /* of the class */
    assert_true (calls_has ("stat", CALL_stat));
    assert_false (calls_has ("stat", CALL_fstat));
    assert_false (calls_has ("rea", CALL_read));
    assert_false (calls_has ("", CALL_read));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_numbers), cmocka_unit_test (test_fixed),
        cmocka_unit_test (test_names),   cmocka_unit_test (test_results),
        cmocka_unit_test (test_words),   cmocka_unit_test (test_lists),
    };

    return tap_run (tests);
}
