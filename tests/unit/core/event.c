/* SPDX-License-Identifier: MIT
 *
 * event.c - events to bytes and back: the property, the cost
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "lib/format/event.h"
#include "lib/format/varint.h"
#include "tests/unit/rng.h"

enum { EVENTS = 20000, NAMES = 50, ROOM = 1 << 22 };

struct chunk {
    struct event_state st;
    struct shard_block head;
    unsigned char *p, *bytes;
};

static void begin (struct chunk *c, uint64_t base)
{
    memset (c, 0, sizeof (*c));
    c->bytes = c->p = malloc (ROOM);
    c->head.base = base;
    event_state_init (&c->st, base);
}

static size_t put (struct chunk *c, const struct event *ev)
{
    size_t n = event_encode (&c->st, ev, c->p);

    assert_in_range (n, 1, EVENT_BYTES_MAX);
    c->p += n;
    return n;
}

static void name (struct chunk *c, const char *text, size_t length)
{
    c->p += event_encode_name (&c->st, SHARD_NAME_FILE, FILE_CLASS_STORAGE,
                               text, length, c->p);
}

/* --- varints ---------------------------------------------------------- */

static void test_varint (void **state)
{
    for (int bit = 0; bit < 64; bit++) {
        for (int minus = 0; minus < 2; minus++) {
            uint64_t v = ((uint64_t)1 << bit) - (uint64_t)minus, out;
            unsigned char buf[VARINT_MAX];
            unsigned char *end = put_varint (buf, v);

            assert_ptr_equal (get_varint (buf, end, &out), end);
            assert_true (out == v);
            assert_null (get_varint (buf, end - 1, &out));
            assert_true (unzigzag (zigzag ((int64_t)v)) == (int64_t)v);
        }
    }
}

static void test_varint_long (void **state)
{
    unsigned char most[] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0};
    uint64_t v = 0;

    assert_ptr_equal (get_varint (most, most + 11, &v), most + 10);
    assert_true (v == UINT64_MAX);
    most[9] = 2; /* bit 64 */
    assert_null (get_varint (most, most + 11, &v));
    most[9] = 0x81; /* goes on */
    assert_null (get_varint (most, most + 11, &v));
    most[9] = 0x80;
    assert_null (get_varint (most, most + 11, &v));
}

/* --- the property ------------------------------------------------------ */

static uint32_t random_id (uint64_t *r)
{
    return (uint32_t)rng_below (r, NAMES + 1);
}

static void random_args (uint64_t *r, struct event *ev)
{
    ev->nargs = (uint8_t)rng_below (r, EVENT_ARGS_MAX + 1);
    for (int i = 0; i < ev->nargs; i++) {
        struct event_arg *a = &ev->args[i];
        uint64_t bits = rng (r);

        memset (a, 0, sizeof (*a));
        a->key = random_id (r);
        a->type = (uint8_t)(1 + rng_below (r, 3));
        if (a->type == EVENT_ARG_INT)
            a->i = (int64_t)(rng_wide (r) ^ -(uint64_t)(bits & 1));
        else if (a->type == EVENT_ARG_TEXT)
            a->text = random_id (r);
        else
            memcpy (&a->d, &bits, sizeof (a->d)); /* NaNs, too */
    }
}

/* What a wrapper may say of a call: any value in every field it carries. */
static void random_event (uint64_t *r, uint64_t *clock, struct event *ev)
{
    const struct call_info *info;

    memset (ev, 0, sizeof (*ev));
    do
        ev->call = (uint16_t)rng_below (r, CALL_MAX);
    while (!call_table[ev->call].name[0]);
    info = &call_table[ev->call];
    *clock += rng_wide (r) >> 20;
    ev->end = *clock;
    ev->start = ev->end - rng_below (r, ev->end + 1);
    ev->fd = -1;
    ev->offset = -1;
    if (info->fields & F_FILE)
        ev->file = random_id (r);
    if (info->fields & F_FILE2)
        ev->file2 = random_id (r);
    if (info->fields & F_FD)
        ev->fd = (int32_t)rng_below (r, 5) - 1;
    if (info->fields & F_SIZE)
        ev->size = rng_below (r, 2) ? 4096 : rng_wide (r);
    if (info->fields & F_OFFSET && rng_below (r, 4))
        ev->offset = (int64_t)rng_wide (r);
    if (info->fields & F_FLAGS)
        ev->flags = rng_below (r, 2) ? 0 : rng_wide (r);
    if (info->category == CALL_CATEGORY_APP) {
        random_args (r, ev);
        return;
    }
    if (rng_below (r, 8) == 0) {
        ev->err = (int32_t)rng_below (r, 134);
        ev->ret = -1;
    } else
        ev->ret = (int64_t)(rng_wide (r) ^ -(rng (r) & 1));
    if (rng_below (r, 50) == 0)
        random_args (r, ev);
}

static void same (const struct event *a, const struct event *b, int which)
{
    if (a->call != b->call || a->start != b->start || a->end != b->end ||
        a->err != b->err || a->fd != b->fd || a->file != b->file ||
        a->file2 != b->file2 || a->size != b->size || a->offset != b->offset ||
        a->ret != b->ret || a->flags != b->flags || a->nargs != b->nargs ||
        memcmp (a->args, b->args, a->nargs * sizeof (a->args[0])) != 0)
        fail_msg ("event %d, %s: not as it was", which,
                  call_table[a->call].name);
}

static void test_round_trip (void **state)
{
    uint64_t r = 20240607, clock = 1000;
    struct event *all = calloc (EVENTS, sizeof (*all)), ev;
    struct decoder d = {.p = NULL};
    unsigned calls_seen[CALL_MAX] = {0};
    struct chunk c;

    begin (&c, clock);
    for (int i = 0; i < NAMES; i++)
        name (&c, "abcdefghijklmnopqrstuvwxyz", (size_t)i % 26);
    for (int i = 0; i < EVENTS; i++) {
        random_event (&r, &clock, &all[i]);
        calls_seen[all[i].call]++;
        put (&c, &all[i]);
    }
    assert_true (c.p - c.bytes < ROOM);
    assert_int_equal (
        decoder_begin (&d, &c.head, c.bytes, (size_t)(c.p - c.bytes)), 0);
    for (int i = 0; i < EVENTS; i++) {
        assert_int_equal (decoder_next (&d, &ev), 1);
        same (&all[i], &ev, i);
    }
    assert_int_equal (decoder_next (&d, &ev), 0);
    assert_int_equal (d.events, EVENTS);
    for (int i = 0; i < CALL_MAX; i++)
        assert_int_equal (call_table[i].name[0] != 0, calls_seen[i] > 0);
    for (uint32_t i = 1; i <= NAMES; i++) {
        const struct name *n = decoder_name (&d, i);

        assert_int_equal (n->length, (i - 1) % 26);
        assert_memory_equal (n->text, "abcdefghijklmnopqrstuvwxyz", n->length);
        assert_int_equal (n->kind, SHARD_NAME_FILE);
        assert_int_equal (n->class, FILE_CLASS_STORAGE);
    }
    assert_null (decoder_name (&d, 0));
    assert_null (decoder_name (&d, NAMES + 1));
    decoder_end (&d);
    free (all);
    free (c.bytes);
}

/* --- particular events -------------------------------------------------- */

static void test_clock_back (void **state)
{
    struct event a = {.call = CALL_close, .start = 50, .end = 60, .fd = 1};
    struct event b = {.call = CALL_close, .start = 200, .end = 80, .fd = 1};
    struct decoder d = {.p = NULL};
    struct event ev;
    struct chunk c;

    begin (&c, 100);
    put (&c, &a);
    put (&c, &b);
    decoder_begin (&d, &c.head, c.bytes, (size_t)(c.p - c.bytes));
    assert_int_equal (decoder_next (&d, &ev), 1);
    assert_int_equal (ev.end, 100); /* moved to the base, not wrapped round */
    assert_int_equal (ev.start, 50);
    assert_int_equal (decoder_next (&d, &ev), 1);
    assert_int_equal (ev.end, 100);
    assert_int_equal (ev.start, 100);
    decoder_end (&d);
    free (c.bytes);
}

static void test_name_cut (void **state)
{
    char *text = calloc (1, EVENT_NAME_MAX + 10);
    struct decoder d = {.p = NULL};
    struct event ev;
    struct chunk c;

    begin (&c, 0);
    name (&c, text, EVENT_NAME_MAX + 10);
    assert_int_equal (c.st.names, 1);
    assert_true (c.p - c.bytes <= EVENT_NAME_MAX + 16);
    decoder_begin (&d, &c.head, c.bytes, (size_t)(c.p - c.bytes));
    assert_int_equal (decoder_next (&d, &ev), 0);
    assert_int_equal (decoder_name (&d, 1)->length, EVENT_NAME_MAX);
    decoder_end (&d);
    free (text);
    free (c.bytes);
}

/* Names by their likeness: to the last, to an older one, to one that was said
 * so itself; nothing of their own, nothing but their own. */
static void test_like (void **state)
{
    static const struct {
        struct event_like like;
        const char *text;
    } put[] = {
        {{1, 5, 4}, "/data/x.bin"},
        {{2, 11, 0}, "/data/a.bin"},
        {{2, 6, 4}, "/data/yy.bin"},
        {{1, 0, 0}, "other"},
        {{2, 12, 0}, "/data/yy.bin2"},
        {{5, 1, 0}, "/"},
        {{1, 0, 1}, "a/"},
        {{1, 0, 0}, ""},
        {{1, 0, 0}, "z"},
    };
    enum { PUT = sizeof (put) / sizeof (put[0]) };
    struct decoder d = {.p = NULL};
    struct event ev;
    struct chunk c;

    begin (&c, 0);
    name (&c, "/data/a.bin", 11);
    for (int i = 0; i < PUT; i++) {
        unsigned char *at = c.p;
        size_t n = strlen (put[i].text);

        c.p += event_encode_like (&c.st, &put[i].like, put[i].text, n, c.p);
        assert_int_equal (c.p - at,
                          5 + n - put[i].like.prefix - put[i].like.suffix);
    }
    for (int round = 0; round < 2; round++) {
        decoder_begin (&d, &c.head, c.bytes, (size_t)(c.p - c.bytes));
        assert_int_equal (decoder_next (&d, &ev), 0);
        for (uint32_t i = 0; i < PUT; i++) {
            const struct name *n = decoder_name (&d, i + 2);

            assert_int_equal (n->length, strlen (put[i].text));
            assert_memory_equal (n->text, put[i].text, n->length);
            assert_int_equal (n->kind, SHARD_NAME_FILE);
            assert_int_equal (n->class, FILE_CLASS_STORAGE);
        }
        assert_int_equal (d.st.alike, c.st.alike);
    }
    decoder_end (&d);
    free (c.bytes);
}

/* The longest record: every field said, every number as long as can be. */
static void test_longest (void **state)
{
    struct event ev = {.call = CALL_mmap,
                       .end = UINT64_MAX,
                       .err = -1,
                       .fd = INT32_MIN,
                       .file = UINT32_MAX,
                       .size = UINT64_MAX,
                       .offset = -2,
                       .ret = INT64_MIN,
                       .flags = UINT64_MAX,
                       .nargs = EVENT_ARGS_MAX};
    unsigned char buf[EVENT_BYTES_MAX];
    struct event_state st;

    for (int i = 0; i < EVENT_ARGS_MAX; i++)
        ev.args[i] = (struct event_arg){
            .key = UINT32_MAX, .type = EVENT_ARG_INT, .i = INT64_MIN};
    event_state_init (&st, 0);
    assert_in_range (event_encode (&st, &ev, buf), 200, EVENT_BYTES_MAX);
}

/* --- the cost ----------------------------------------------------------- */

enum { READS = 10000, READ_BYTES = 4096 };

/* Reads of 4 KiB one after the other, 300 ns each, with 200 ns between. */
static size_t cost (int other_call_every)
{
    uint64_t clock = 1000000000, offset = 0;
    struct chunk c;
    size_t bytes;

    begin (&c, clock);
    name (&c, "/data/tokens.bin", 16);
    for (int i = 0; i < READS; i++) {
        struct event ev = {.call = CALL_read,
                           .start = clock + 200,
                           .end = clock + 500,
                           .fd = 3,
                           .file = 1,
                           .size = READ_BYTES,
                           .offset = (int64_t)offset,
                           .ret = READ_BYTES};

        if (other_call_every && i % other_call_every == 0) {
            struct event region = {.call = CALL_region,
                                   .start = clock,
                                   .end = clock + 100,
                                   .fd = -1,
                                   .file = 1,
                                   .offset = -1};

            put (&c, &region);
        }
        put (&c, &ev);
        clock += 500;
        offset += READ_BYTES;
    }
    bytes = (size_t)(c.p - c.bytes);
    free (c.bytes);
    return bytes;
}

static void test_cost (void **state)
{
    size_t bytes = cost (0);

    assert_true (bytes * 10 <= READS * 61);
    /* a region between two reads does not spoil what is predicted */
    assert_true (cost (10) <= bytes + READS / 10 * 8);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_varint),     cmocka_unit_test (test_varint_long),
        cmocka_unit_test (test_round_trip), cmocka_unit_test (test_clock_back),
        cmocka_unit_test (test_name_cut),   cmocka_unit_test (test_like),
        cmocka_unit_test (test_longest),    cmocka_unit_test (test_cost),
    };

    return tap_run (tests);
}
