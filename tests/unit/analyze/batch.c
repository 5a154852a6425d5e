/* SPDX-License-Identifier: MIT
 *
 * batch.c - chunks -> events in columns: every column, ends, damage
 */
#include "tests/unit/tap.h"

#include "tests/unit/madechunk.h"

static void test_columns (void **state)
{
    struct dict *d = dict_create (NULL);
    struct event ev = {.call = CALL_copy_file_range, .offset = 8, .fd = 5};
    const struct dict_entry *e;
    struct batch_reader *r;
    const struct batch *b;

    (void)state;
    begin ();
    (void)name (SHARD_NAME_FILE, "/a", 2);
    (void)name (SHARD_NAME_FILE, "/b", 2);
    (void)name (SHARD_NAME_EVENT, "cat\0step", 8);
    (void)name (SHARD_NAME_KEY, "step", 4);
    (void)name (SHARD_NAME_TEXT, "hello", 5);
    ev.start = 1100;
    ev.end = 1200;
    ev.file = 1;
    ev.file2 = 2;
    ev.size = 100;
    ev.ret = 64;
    add (&ev);
    ev = (struct event){.start = 1300, .end = 1400, .call = CALL_region};
    ev.file = 3;
    ev.nargs = 3;
    ev.args[0] = (struct event_arg){.key = 4, .type = EVENT_ARG_INT, .i = -3};
    ev.args[1] = (struct event_arg){.key = 4, .type = EVENT_ARG_DOUBLE};
    ev.args[1].d = 0.5;
    ev.args[2] = (struct event_arg){.key = 4, .type = EVENT_ARG_TEXT};
    ev.args[2].text = 5;
    add (&ev);
    ev = (struct event){.start = 1500, .end = 1500, .call = CALL_open};
    ev.err = 2;
    ev.ret = -1;
    ev.fd = -1;
    ev.flags = 0x241;
    add (&ev);
    r = open_chunk (d);
    assert_int_equal (batch_reader_next (r, &b), 1);
    assert_int_equal (b->count, 3);
    assert_int_equal (b->process, 3);
    assert_int_equal (b->tid, 9);
    assert_int_equal (b->who->p.pid, 7);
    assert_true (b->begins);
    assert_int_equal (b->start[0], REAL + 1100 - 500 - 100);
    assert_int_equal (b->end[0], REAL + 1200 - 500 - 100);
    assert_int_equal (b->call[0], CALL_copy_file_range);
    assert_string_equal (dict_entry (d, b->name[0])->text, "/a");
    assert_string_equal (dict_entry (d, b->name2[0])->text, "/b");
    assert_int_equal (dict_entry (d, b->name[0])->class, FILE_CLASS_STORAGE);
    assert_int_equal (b->size[0], 100);
    assert_int_equal (b->ret[0], 64);
    assert_int_equal (b->bytes_read[0], 64);
    assert_int_equal (b->bytes_written[0], 64);
    assert_int_equal (b->offset[0], 8);
    assert_int_equal (b->fd[0], 5);
    assert_int_equal (b->arg[0], 0);
    assert_int_equal (b->arg[1], 0);
    assert_int_equal (b->arg[2], 3);
    e = dict_entry (d, b->name[1]);
    assert_string_equal (dict_region_name (e), "step");
    assert_int_equal (dict_entry (d, b->args[0].key)->key, DICT_KEY_STEP);
    assert_int_equal (b->args[0].i, -3);
    assert_true (b->args[1].d == 0.5);
    assert_string_equal (dict_entry (d, b->args[2].text)->text, "hello");
    assert_int_equal (b->offset[1], -1);
    assert_int_equal (b->fd[1], -1);
    assert_int_equal (b->error[2], 2);
    assert_int_equal (b->ret[2], -1);
    assert_int_equal (b->flags[2], 0x241);
    assert_int_equal (b->name2[2], 0);
    assert_int_equal (b->bytes_read[2], 0);
    assert_int_equal (batch_reader_next (r, &b), 0);
    assert_int_equal (batch_reader_events (r), 3);
    end (r, d);
}

static void test_many (void **state)
{
    struct dict *d = dict_create (NULL);
    struct batch_reader *r;
    const struct batch *b;
    uint64_t sum = 0, n = 0;
    int first = 1;

    (void)state;
    begin ();
    for (uint64_t i = 0; i < MANY; i++) {
        struct event ev = {.start = 1000 + 10 * i, .call = CALL_pwrite};

        ev.end = ev.start + i % 10;
        ev.size = 100;
        ev.ret = (int64_t)(i % 100);
        ev.offset = -1;
        add (&ev);
        sum += i % 100;
    }
    r = open_chunk (d);
    while (batch_reader_next (r, &b) == 1) {
        assert_int_equal (b->begins, first);
        first = 0;
        assert_in_range (b->count, 1, BATCH_EVENTS);
        for (size_t i = 0; i < b->count; i++, n++) {
            assert_int_equal (b->start[i], REAL + 400 + 10 * n);
            assert_int_equal (b->end[i] - b->start[i], n % 10);
            sum -= b->bytes_written[i];
            assert_int_equal (b->bytes_read[i], 0);
        }
    }
    assert_int_equal (n, MANY);
    assert_int_equal (sum, 0);
    end (r, d);
}

/* What stands before the damage is given, then the error. */
static void test_damage (void **state)
{
    struct dict *d = dict_create (NULL);
    struct event ev = {.start = 1000, .end = 1000, .call = CALL_stat};
    struct batch_reader *r;
    const struct batch *b;

    (void)state;
    begin ();
    add (&ev);
    ev.file = 1; /* which nobody has defined */
    add (&ev);
    r = open_chunk (d);
    assert_int_equal (batch_reader_next (r, &b), 1);
    assert_int_equal (b->count, 1);
    assert_int_equal (batch_reader_next (r, &b), -1);
    assert_int_equal (errno, EBADMSG);
    assert_int_equal (batch_reader_events (r), 1);
    end (r, d);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_columns),
        cmocka_unit_test (test_many),
        cmocka_unit_test (test_damage),
    };

    return tap_run (tests);
}
