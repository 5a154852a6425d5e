/* SPDX-License-Identifier: MIT
 *
 * pfwcolumns.c - columns of a DFTracer trace are read as they were written
 */
#include "tests/unit/tap.h"

#include "analyze/import/pfw/pfwcolumns.h"
#include "analyze/import/pfw/pfwstore.h"
#include "lib/util/strmap.h"
#include "tests/unit/rng.h"

enum { EVENTS = 700, ARGS = 900, NAMES = 3, ROOM = 1 << 17 };

static struct {
    unsigned char bytes[ROOM];
    size_t used;
    uint64_t value[PFW_ALL_COLUMNS][ARGS];
} made;

/* Numbers of up to `bits` bits; 0: always the same. */
static void made_column (enum pfw_column column, unsigned bits, uint64_t first)
{
    static uint64_t state = 7;

    for (int i = 0; i < ARGS; i++)
        made.value[column][i] =
            first + (bits ? rng (&state) >> (64 - bits) : 0);
}

/* A group of events, whose columns have all widths. */
static void made_group (void)
{
    struct pfw_group g = {.end = 5000, .events = EVENTS, .args = ARGS};
    size_t at = made.used;
    unsigned char *p = made.bytes + at + sizeof (g);

    made_column (PFW_COLUMN_END, 40, 0);
    made_column (PFW_COLUMN_LENGTH, 12, 0);
    made_column (PFW_COLUMN_CALL, 0, CALL_pread);
    made_column (PFW_COLUMN_NAME, 1, 1);
    made_column (PFW_COLUMN_RET, 64, 0);
    made_column (PFW_COLUMN_SIZE, 32, 0);
    made_column (PFW_COLUMN_OFFSET, 0, 0);
    made_column (PFW_COLUMN_ERROR, 16, 0);
    made_column (PFW_COLUMN_FD, 8, 0);
    made_column (PFW_COLUMN_FLAGS, 63, 0);
    made_column (PFW_COLUMN_ARGS, 0, 0);
    for (int i = 0; i < ARGS; i += 2)
        made.value[PFW_COLUMN_ARGS][i % EVENTS] += 2;
    made_column (PFW_COLUMN_KEY, 2, 0);
    made_column (PFW_COLUMN_TYPE, 0, EVENT_ARG_INT);
    made_column (PFW_COLUMN_VALUE, 50, 0);
    for (int k = 0; k < PFW_ALL_COLUMNS; k++)
        p = pfw_column_write (made.value[k], k < PFW_COLUMNS ? EVENTS : ARGS,
                              &g.width[k], p);
    memcpy (made.bytes + at, &g, sizeof (g));
    made.used = (size_t)(p - made.bytes);
    assert_int_equal (g.width[PFW_COLUMN_END], 8);
    assert_int_equal (g.width[PFW_COLUMN_LENGTH], 2);
    assert_int_equal (g.width[PFW_COLUMN_CALL], 0);
    assert_int_equal (g.width[PFW_COLUMN_NAME], 1);
    assert_int_equal (g.width[PFW_COLUMN_SIZE], 4);
}

static void made_names (void)
{
    static const uint32_t name[NAMES + 1] = {11, 12, 13, NAMES};

    memcpy (made.bytes + made.used, name, sizeof (name));
    made.used += sizeof (name);
}

static void same_row (const struct batch_columns *c, size_t i, size_t row)
{
    uint64_t (*v)[ARGS] = made.value;

    assert_true (c->end[i] == 5000 + v[PFW_COLUMN_END][row]);
    assert_true (c->end[i] - c->start[i] == v[PFW_COLUMN_LENGTH][row]);
    assert_int_equal (c->call[i], CALL_pread);
    assert_int_equal (c->name[i], v[PFW_COLUMN_NAME][row]);
    assert_true (c->ret[i] == (int64_t)(v[PFW_COLUMN_RET][row] - 1));
    assert_true (c->size[i] == v[PFW_COLUMN_SIZE][row]);
    assert_true (c->offset[i] == -1);
    assert_int_equal (c->error[i], v[PFW_COLUMN_ERROR][row]);
    assert_int_equal (c->fd[i], (int)v[PFW_COLUMN_FD][row] - 1);
    assert_true (c->flags[i] == v[PFW_COLUMN_FLAGS][row]);
    assert_int_equal (c->arg[i], v[PFW_COLUMN_ARGS][row]);
}

/* In pieces, so that they end inside of groups. */
static void test_rows (void **state)
{
    static struct batch_columns c;
    struct batch_arg arg[2 * EVENTS];
    struct pfw_rows r;
    size_t row = 0, args = 0, n;
    uint32_t names;

    (void)state;
    made.used = 0;
    made_group ();
    made_names ();
    assert_ptr_equal (pfw_rows_begin (&r, made.bytes, made.used, &names),
                      made.bytes + made.used - 4 * (NAMES + 1));
    assert_int_equal (names, NAMES);
    while ((n = pfw_rows_read (&r, &c, 64)) > 0)
        for (size_t i = 0; i < n; i++, row++) {
            same_row (&c, i, row);
            pfw_rows_args (&r, arg, c.arg[i]);
            for (uint32_t k = 0; k < c.arg[i]; k++, args++) {
                assert_int_equal (arg[k].key, made.value[PFW_COLUMN_KEY][args]);
                assert_true ((uint64_t)arg[k].i ==
                             made.value[PFW_COLUMN_VALUE][args]);
            }
        }
    assert_int_equal (row, EVENTS);
    assert_int_equal (args, ARGS);
}

static void test_short (void **state)
{
    struct pfw_rows r;
    uint32_t names = UINT32_MAX;

    (void)state;
    memset (made.bytes, 0xff, 64);
    for (size_t n = 0; n < 64; n++) {
        errno = 0;
        assert_null (pfw_rows_begin (&r, made.bytes, n, &names));
        assert_int_equal (errno, EBADMSG);
    }
}

/* A hash that is explained after its use is what other files say first. */
static void test_explain (void **state)
{
    struct pfw_names *n = pfw_names_create ();
    const struct pfw_text hash = {"77", 2, 0}, other = {"88", 2, 0};
    const struct pfw_text path = {"/a", 2, 0};
    struct strmap *map = strmap_create ();
    uint32_t number = pfw_names_hash (n, &hash);
    int isnew;

    (void)state;
    assert_string_equal (pfw_names_get (n, number)->text, "#77");
    assert_int_equal (pfw_names_undefined (n), 1);
    assert_int_equal (pfw_names_define (n, &hash, &path), 0);
    assert_string_equal (pfw_names_get (n, number)->text, "/a");
    (void)pfw_names_hash (n, &other);
    assert_int_equal (pfw_names_missing (n, NULL), 2);
    assert_int_equal (pfw_names_missing (n, map), 0);
    strmap_set (map, (size_t)strmap_intern (map, "77", 2, &isnew),
                (void *)(uintptr_t) "/dev/b");
    assert_int_equal (pfw_names_missing (n, map), 1);
    assert_int_equal (pfw_names_explain (n, map), 0);
    assert_string_equal (pfw_names_get (n, number)->text, "/dev/b");
    assert_int_equal (pfw_names_get (n, number)->class, FILE_CLASS_DEVICE);
    assert_int_equal (pfw_names_undefined (n), 1);
    pfw_names_seal (n);
    strmap_destroy (map);
    pfw_names_destroy (n);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_rows),
        cmocka_unit_test (test_short),
        cmocka_unit_test (test_explain),
    };

    return tap_run (tests);
}
