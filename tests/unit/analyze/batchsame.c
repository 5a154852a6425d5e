/* SPDX-License-Identifier: MIT
 *
 * batchsame.c - events in columns are what the decoder of lib/format gives, of
 *               plain chunks and of dense ones
 */
#include "tests/unit/tap.h"

#include "analyze/trace/merge.h"
#include "tests/unit/madechunk.h"
#include "tests/unit/rng.h"

static uint64_t draw (uint64_t limit)
{
    static uint64_t state = 1;

    return rng (&state) % limit;
}

/* Anything that an event may be; ids up to 5. Few calls and kinds of arguments
 * where there must not be too many shapes. */
static void random_event (uint64_t *now, int few)
{
    static const uint16_t calls[] = {CALL_region, CALL_pread,
                                     CALL_copy_file_range, CALL_lseek};
    uint64_t rare = few ? 30 : 3;
    struct event ev = {.call = calls[draw (4)], .fd = (int32_t)draw (4) - 1};

    while (!few && (!draw (9) || !call_table[ev.call].name[0]))
        ev.call = (uint16_t)draw (CALL_MAX);
    *now += draw (300);
    ev.start = *now - draw (900);
    ev.end = *now;
    ev.file = (uint32_t)draw (6);
    ev.file2 = draw (rare) ? 0 : (uint32_t)draw (6);
    ev.size = draw (rare) ? 4096 : draw (UINT64_MAX);
    ev.offset = draw (rare) ? made.st.next : (int64_t)draw (1 << 30) - 1;
    ev.err = draw (rare) ? 0 : (int32_t)draw (100);
    ev.ret = draw (rare) ? (int64_t)ev.size : (int64_t)draw (5000) - 2;
    ev.flags = draw (rare) ? 0 : draw (UINT64_MAX);
    ev.nargs = (uint8_t)(draw (rare) ? 0 : draw (few ? 4 : EVENT_ARGS_MAX + 1));
    for (int i = 0; i < ev.nargs; i++) {
        struct event_arg *a = &ev.args[i];

        a->key = few ? 4 : (uint32_t)draw (6);
        a->type = (uint8_t)(EVENT_ARG_INT + (few ? (uint64_t)i % 3 : draw (3)));
        a->i = (int64_t)draw (UINT64_MAX);
        a->d = (double)draw (1000) / 3;
        a->text = (uint32_t)draw (6);
    }
    add (&ev);
}

static void random_chunk (int few)
{
    uint64_t now = 2000;

    begin ();
    (void)name (SHARD_NAME_FILE, "/a", 2);
    (void)name (SHARD_NAME_FILE, "/b", 2);
    (void)name (SHARD_NAME_EVENT, "cat\0step", 8);
    (void)name (SHARD_NAME_KEY, "step", 4);
    (void)name (SHARD_NAME_TEXT, "hello", 5);
    for (int i = 0; i < MANY; i++) {
        random_event (&now, few);
        if (draw (700) == 0)
            made.used += event_encode_clock (&made.st, now, now / 3, 3000000000,
                                             made.payload + made.used);
        if (draw (700) == 0)
            (void)name (SHARD_NAME_TEXT, "more", draw (5));
    }
}

static void same_name (const struct dict *d,
                       uint32_t number,
                       const struct decoder *from,
                       uint32_t id)
{
    const struct dict_entry *e = dict_entry (d, number);
    const struct name *want = decoder_name (from, id);

    assert_int_equal (e == NULL, want == NULL);
    if (!e)
        return;
    assert_int_equal (e->length, want->length);
    assert_memory_equal (e->text, want->text, want->length);
    assert_int_equal (e->kind, want->kind);
    assert_int_equal (e->class, want->class);
}

static void same_args (const struct dict *d,
                       const struct batch *b,
                       size_t i,
                       const struct decoder *from,
                       const struct event *ev)
{
    assert_int_equal (b->arg[i + 1] - b->arg[i], ev->nargs);
    for (int k = 0; k < ev->nargs; k++) {
        const struct batch_arg *a = &b->args[b->arg[i] + (uint32_t)k];

        same_name (d, a->key, from, ev->args[k].key);
        assert_int_equal (a->type, ev->args[k].type);
        if (a->type == EVENT_ARG_INT)
            assert_true (a->i == ev->args[k].i);
        else if (a->type == EVENT_ARG_DOUBLE)
            assert_true (a->d == ev->args[k].d);
        else
            same_name (d, a->text, from, ev->args[k].text);
    }
}

static void same_event (const struct dict *d,
                        const struct batch *b,
                        size_t i,
                        const struct decoder *from,
                        const struct event *ev)
{
    enum call_class class = (enum call_class)call_table[ev->call].class;
    uint64_t moved = ev->ret > 0 ? (uint64_t)ev->ret : 0;
    int copy = class == CALL_CLASS_COPY;

    assert_int_equal (b->call[i], ev->call);
    assert_int_equal (b->start[i], trace_real_ns (b->who, ev->start));
    assert_int_equal (b->end[i], trace_real_ns (b->who, ev->end));
    same_name (d, b->name[i], from, ev->file);
    same_name (d, b->name2[i], from, ev->file2);
    assert_true (b->ret[i] == ev->ret && b->size[i] == ev->size);
    assert_true (b->offset[i] == ev->offset && b->flags[i] == ev->flags);
    assert_int_equal (b->fd[i], ev->fd);
    assert_int_equal (b->error[i], ev->err);
    assert_true (b->bytes_read[i] ==
                 (class == CALL_CLASS_READ || copy ? moved : 0));
    assert_true (b->bytes_written[i] ==
                 (class == CALL_CLASS_WRITE || copy ? moved : 0));
    same_args (d, b, i, from, ev);
}

static void compare (int dense)
{
    struct dict *d = dict_create (NULL);
    static unsigned char payload[ROOM];
    struct shard_block head = {.base = 1000};
    struct decoder from = {0};
    struct batch_reader *r;
    const struct batch *b;
    struct event ev;
    size_t n = 0;

    random_chunk (dense);
    memcpy (payload, made.payload, made.used);
    assert_int_equal (decoder_begin (&from, &head, payload, made.used), 0);
    made.dense = dense;
    r = open_chunk (d);
    while (batch_reader_next (r, &b) == 1)
        for (size_t i = 0; i < b->count; i++, n++) {
            assert_int_equal (decoder_next (&from, &ev), 1);
            same_event (d, b, i, &from, &ev);
        }
    assert_int_equal (n, MANY);
    decoder_end (&from);
    end (r, d);
}

static void test_records (void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        compare (0);
}

static void test_dense (void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        compare (1);
}

/* Who needs only some columns gets these as whoever needs all. */
static void compare_some (int dense, enum batch_need need)
{
    struct dict *d = dict_create (NULL);
    struct batch_reader *all, *some;
    const struct batch *a, *b;
    size_t n = 0;

    random_chunk (dense);
    made.dense = dense;
    all = open_chunk (d);
    some = batch_reader_create (d);
    assert_non_null (some);
    batch_reader_needs (some, need);
    assert_int_equal (batch_reader_chunk (some, &made.part, 3,
                                          tracefile_chunk (made.file, 0)),
                      0);
    while (batch_reader_next (all, &a) == 1) {
        assert_int_equal (batch_reader_next (some, &b), 1);
        assert_int_equal (a->count, b->count);
        assert_int_equal (a->begins, b->begins);
        for (size_t i = 0; i < a->count; i++, n++) {
            int region = call_table[a->call[i]].category == CALL_CATEGORY_APP;
            const struct dict_entry *e = dict_entry (d, a->name[i]);

            assert_true (a->start[i] == b->start[i] && a->end[i] == b->end[i]);
            assert_int_equal (a->call[i], b->call[i]);
            if (need == BATCH_FILES ||
                (region && e && e->kind == SHARD_NAME_EVENT))
                assert_int_equal (a->name[i], b->name[i]);
        }
    }
    assert_int_equal (n, MANY);
    assert_int_equal (batch_reader_next (some, &b), 0);
    batch_reader_destroy (some);
    end (all, d);
}

static void test_some (void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        compare_some (i % 2, i % 4 < 2 ? BATCH_FILES : BATCH_REGIONS);
}

/* Dense records that are more than their header says: a copy has as many events
 * as the chunk, however it is packed. */
static void test_untold (void **state)
{
    struct dict *d = dict_create (NULL);
    static unsigned char stored[2 * ROOM];
    struct merge_piece p;
    const struct trace_chunk *c;
    struct batch_reader *r;
    const struct batch *b;
    size_t n = 0;

    (void)state;
    random_chunk (1);
    made.dense = 1;
    made.untold = 1;
    r = open_chunk (d);
    c = tracefile_chunk (made.file, 0);
    while (batch_reader_next (r, &b) == 1)
        n += b->count;
    assert_int_equal (n, MANY);
    assert_int_equal (tracefile_read_stored (made.file, c, stored),
                      tracefile_stored (c));
    merge_piece_open (&p);
    for (int pack = MERGE_DENSE; pack <= MERGE_PLAIN; pack++) {
        merge_piece_make (&p, &made.part, c, 0, (enum merge_pack)pack);
        assert_int_equal (p.events, MANY);
        assert_int_equal (p.b.type, SHARD_BLOCK_DENSE);
        assert_true (p.b.commit == c->head.commit);
        assert_int_equal (p.used, tracefile_stored (c));
        assert_memory_equal (p.bytes, stored, p.used);
    }
    merge_piece_close (&p);
    end (r, d);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_records),
        cmocka_unit_test (test_dense),
        cmocka_unit_test (test_some),
        cmocka_unit_test (test_untold),
    };

    return tap_run (tests);
}
