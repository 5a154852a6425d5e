/* SPDX-License-Identifier: MIT
 *
 * decoder.c - hostile bytes: every end is orderly, every id exists
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "lib/format/event.h"
#include "lib/format/varint.h"
#include "tests/unit/rng.h"

enum { ROOM = 65536, RANDOM_CHUNKS = 20000, RANDOM_BYTES = 64 };

static struct decoder d;
static volatile unsigned char name_sum;

static void check_event (const struct event *ev)
{
    assert_in_range (ev->call, 1, CALL_MAX - 1);
    assert_int_not_equal (call_table[ev->call].name[0], 0);
    assert_true (ev->start <= ev->end);
    assert_true (ev->file <= d.st.names && ev->file2 <= d.st.names);
    assert_true (ev->nargs <= EVENT_ARGS_MAX);
    for (int i = 0; i < ev->nargs; i++) {
        assert_true (ev->args[i].key <= d.st.names);
        assert_true (ev->args[i].text <= d.st.names);
        assert_in_range (ev->args[i].type, EVENT_ARG_INT, EVENT_ARG_TEXT);
    }
}

/* Each byte of them is there to be read (ASan). */
static void check_names (void)
{
    unsigned char sum = 0;

    for (uint32_t id = 1; id <= d.st.names; id++) {
        const struct name *name = decoder_name (&d, id);

        assert_true (name->length <= EVENT_NAME_MAX);
        for (uint32_t i = 0; i < name->length; i++)
            sum = (unsigned char)(sum ^ (unsigned char)name->text[i]);
    }
    name_sum = sum;
}

/* Decode n bytes from memory that ends where they end (ASan). Returns the
 * number of events; *rc is what ended it. */
static uint64_t decode (const unsigned char *bytes, size_t n, int *rc)
{
    unsigned char *exact = malloc (n ? n : 1);
    struct shard_block head = {.base = 1000};
    struct event ev;

    if (n > 0)
        memcpy (exact, bytes, n);
    assert_int_equal (decoder_begin (&d, &head, exact, n), 0);
    errno = 0;
    while ((*rc = decoder_next (&d, &ev)) > 0)
        check_event (&ev);
    if (*rc < 0)
        assert_int_equal (errno, EBADMSG);
    check_names ();
    free (exact);
    return d.events;
}

static void test_nothing (void **state)
{
    int rc;

    assert_int_equal (decode (NULL, 0, &rc), 0);
    assert_int_equal (rc, 0);
    assert_null (decoder_name (&d, 0));
    assert_null (decoder_name (&d, 1));
}

static size_t put_name (struct event_state *st, unsigned char *p, int i)
{
    const struct event_like like = {.back = 1 + (uint32_t)i % 2, .suffix = 1};

    if (st->names > 1 && i % 5 == 0)
        return event_encode_like (st, &like, "/data/file", 4, p);
    return event_encode_name (st, SHARD_NAME_FILE, FILE_CLASS_STORAGE,
                              "/data/file", (size_t)(1 + i % 10), p);
}

/* A chunk as a program would leave it; *ends[i]: where event i ends. */
static size_t make_chunk (unsigned char *bytes, size_t *ends, int events)
{
    uint64_t r = 77, clock = 1000;
    struct event_state st;
    unsigned char *p = bytes;

    event_state_init (&st, clock);
    for (int i = 0; i < events; i++) {
        struct event ev = {
            .start = clock, .end = clock + 300, .fd = -1, .offset = -1};

        if (i % 3 == 0)
            p += put_name (&st, p, i);
        do
            ev.call = (uint16_t)rng_below (&r, CALL_MAX);
        while (!call_table[ev.call].name[0]);
        ev.file = (uint32_t)rng_below (&r, st.names + 1);
        ev.size = rng_wide (&r);
        ev.flags = rng_wide (&r);
        if (call_table[ev.call].category == CALL_CATEGORY_APP) {
            ev.nargs = 2;
            ev.args[0] =
                (struct event_arg){.key = 1, .type = EVENT_ARG_INT, .i = -5};
            ev.args[1] =
                (struct event_arg){.key = 1, .type = EVENT_ARG_TEXT, .text = 1};
        }
        p += event_encode (&st, &ev, p);
        ends[i] = (size_t)(p - bytes);
        clock += 400;
    }
    return (size_t)(p - bytes);
}

enum { EVENTS = 60 };

/* Cut anywhere: all events before the cut, none behind, never a surprise. */
static void test_prefixes (void **state)
{
    unsigned char bytes[ROOM];
    size_t ends[EVENTS], n = make_chunk (bytes, ends, EVENTS);

    for (size_t cut = 0; cut <= n; cut++) {
        uint64_t whole = 0;
        int rc;

        while (whole < EVENTS && ends[whole] <= cut)
            whole++;
        assert_int_equal (decode (bytes, cut, &rc), whole);
        if (cut == (whole ? ends[whole - 1] : 0))
            assert_int_equal (rc, 0);
    }
}

static void test_flips (void **state)
{
    unsigned char bytes[ROOM];
    size_t ends[EVENTS], n = make_chunk (bytes, ends, EVENTS);

    for (size_t i = 0; i < n; i++) {
        uint64_t before = 0;

        while (before < EVENTS && ends[before] <= i)
            before++;
        for (unsigned value = 0; value < 256; value++) {
            unsigned char saved = bytes[i];
            int rc;

            bytes[i] = (unsigned char)value;
            assert_true (decode (bytes, n, &rc) >= before);
            bytes[i] = saved;
        }
    }
}

static void test_random (void **state)
{
    uint64_t r = 4711, events = 0, bad = 0;
    unsigned char bytes[RANDOM_BYTES];

    for (int i = 0; i < RANDOM_CHUNKS; i++) {
        size_t n = rng_below (&r, sizeof (bytes));
        int rc;

        for (size_t k = 0; k < n; k++) /* mostly what means something */
            bytes[k] = (unsigned char)(rng_below (&r, 3) ? rng_below (&r, 64)
                                                         : rng (&r));
        if (n > 5 && rng_below (&r, 2))
            memcpy (bytes, "\xf1\x01\x01\x01x", 5);
        if (n > 11 && rng_below (&r, 4) == 0)
            bytes[5] = SHARD_RECORD_LIKE;
        events += decode (bytes, n, &rc);
        bad += rc < 0;
    }
    assert_true (events > 1000 && bad > 1000); /* both were tried */
}

static void refused (const char *bytes, size_t n)
{
    int rc;

    decode ((const unsigned char *)bytes, n, &rc);
    if (rc != -1)
        fail_msg ("not refused: %zu bytes from %02x", n,
                  (unsigned char)bytes[0]);
}

static void test_refused (void **state)
{
    refused ("\x13", 1);                     /* no mask */
    refused ("\x13\x00", 2);                 /* no times */
    refused ("\x13\x01\x00\x00\x01", 5);     /* id that does not exist */
    refused ("\x9e\x00\x00\x00", 4);         /* no such call */
    refused ("\xf0\x00\x00\x00", 4);         /* behind the calls */
    refused ("\xf2\x00\x00\x00", 4);         /* no such record */
    refused ("\x13\x80\x04\x00\x00", 5);     /* mask bit of the future */
    refused ("\x01\x80\x02\x00\x00\x11", 6); /* 17 arguments */
    refused ("\x01\x80\x02\x00\x00\x01\x00\x04", 8); /* type of an argument */
    refused ("\x01\x80\x02\x00\x00\x01\x00\x02....", 12); /* half a double */
    refused ("\x13\x00\x00\xff\xff\xff\x7f", 7); /* began before time */
    refused ("\xf1\x01\x01\x81\x40xx", 7);       /* name longer than the rest */
    refused ("\xf3\x01\x00\x00\x01x", 6);        /* like nothing */
    refused ("\xf1\x01\x01\x01x\xf3\x00\x00\x00\x00", 10); /* like itself */
    refused ("\xf1\x01\x01\x01x\xf3\x02\x00\x00\x00", 10); /* before all */
    refused ("\xf1\x01\x01\x01x\xf3\x01\x02\x00\x00", 10); /* too much */
    refused ("\xf1\x01\x01\x01x\xf3\x01\x01\x01\x00", 10); /* twice */
    refused ("\xf1\x01\x01\x01x\xf3\x01\x01\x00\x01", 10); /* no byte */
    refused ("\xf1\x01\x01\x01x\xf3\x01\x01\x00", 9);      /* no length */
    refused ("\xf1\x01\x01\x01x\xf3\xff\xff\xff\xff\xff\xff\xff\xff\xff"
             "\x01\x01\x00\x00",
             18);
    refused ("\x13\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00", 13);
    refused ("\x13\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 13);
}

static void test_end_record (void **state)
{
    int rc;

    assert_int_equal (
        decode ((const unsigned char *)"\x13\0\1\0\0\xff", 6, &rc), 1);
    assert_int_equal (rc, 0);
}

static void test_many_names (void **state)
{
    static unsigned char bytes[1 << 20];
    unsigned char *p = bytes;
    struct event_state st;
    int rc;

    event_state_init (&st, 1000);
    for (int i = 0; i < 10000; i++)
        p += put_name (&st, p, i);
    decode (bytes, (size_t)(p - bytes), &rc);
    assert_int_equal (rc, 0);
    assert_int_equal (d.st.names, 10000);
    decode (bytes, 0, &rc); /* a new chunk knows none of them */
    assert_null (decoder_name (&d, 1));
}

/* A few bytes that say a name of 8192, again and again: refused before they
 * are gigabytes. */
static void test_bomb (void **state)
{
    static unsigned char bytes[1 << 20];
    static char text[EVENT_NAME_MAX];
    const struct event_like whole = {.back = 1, .prefix = EVENT_NAME_MAX};
    unsigned char *p = bytes;
    struct event_state st;
    int rc;

    event_state_init (&st, 1000);
    p += event_encode_name (&st, SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text,
                            sizeof (text), p);
    while (event_may_like (&st, sizeof (text)))
        p += event_encode_like (&st, &whole, text, sizeof (text), p);
    decode (bytes, (size_t)(p - bytes), &rc);
    assert_int_equal (rc, 0);
    assert_int_equal (d.st.names, 1 + EVENT_LIKE_MAX / EVENT_NAME_MAX);
    p += event_encode_like (&st, &whole, text, sizeof (text), p);
    decode (bytes, (size_t)(p - bytes), &rc);
    assert_int_equal (rc, -1);
}

/* Two halves may not make a name that is too long. */
static void test_long_likeness (void **state)
{
    static unsigned char bytes[1 << 16];
    static char text[EVENT_NAME_MAX + 1];
    const struct event_like all = {.back = 1, .prefix = EVENT_NAME_MAX - 10};
    unsigned char *p = bytes;
    struct event_state st;
    int rc;

    event_state_init (&st, 1000);
    p += event_encode_name (&st, SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text,
                            EVENT_NAME_MAX, p);
    event_encode_like (&st, &all, text, EVENT_NAME_MAX, p);
    decode (bytes, (size_t)(p - bytes) + 17, &rc);
    assert_int_equal (rc, 0);
    event_encode_like (&st, &all, text, EVENT_NAME_MAX + 1, p);
    decode (bytes, (size_t)(p - bytes) + 18, &rc);
    assert_int_equal (rc, -1);
}

static int end (void **state)
{
    decoder_end (&d);
    assert_null (d.names);
    decoder_end (&d);
    return 0;
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing),
        cmocka_unit_test (test_prefixes),
        cmocka_unit_test (test_flips),
        cmocka_unit_test (test_random),
        cmocka_unit_test (test_refused),
        cmocka_unit_test (test_end_record),
        cmocka_unit_test (test_many_names),
        cmocka_unit_test (test_bomb),
        cmocka_unit_test_teardown (test_long_likeness, end),
    };

    return tap_run (tests);
}
