/* SPDX-License-Identifier: MIT
 *
 * dense.c - records to columns and back: the same bytes, or a refusal
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/format/dense.h"
#include "lib/format/event.h"
#include "tests/unit/rng.h"

enum { ROOM = 1 << 20, EVENTS = 5000, HURT = 3000 };

static unsigned char payload[ROOM], back[ROOM];

static uint64_t draw (void)
{
    static uint64_t state = 1;

    return rng (&state);
}

/* --- columns ------------------------------------------------------------ */

static void column (const uint64_t *v, size_t n)
{
    size_t room = DENSE_COLUMN_MAX + (n / DENSE_GROUP + 1) * DENSE_GROUP_MAX,
           used;
    unsigned char *p = malloc (room), *exact;
    struct dense_column c = {0};
    uint64_t got;

    assert_non_null (p);
    used = (size_t)(dense_put (p, v, n) - p);
    assert_true (used <= room);
    exact = malloc (used ? used : 1);
    memcpy (exact, p, used);
    c.p = exact;
    c.limit = exact + used;
    c.left = n;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal (dense_next (&c, &got), 0);
        assert_true (got == v[i]);
    }
    assert_int_equal (dense_next (&c, &got), -1);
    assert_ptr_equal (c.p, c.begun ? c.limit : exact);
    free (exact);
    free (p);
}

static void columns (void **state)
{
    static const uint64_t odd[] = {0, UINT64_MAX, 1, UINT64_MAX - 1};
    uint64_t v[300];

    column (odd, 0);
    for (size_t n = 1; n <= 4; n++)
        column (odd, n);
    for (unsigned width = 0; width <= 64; width++) {
        for (size_t i = 0; i < 300; i++)
            v[i] = width ? draw () >> (64 - width) : 7;
        column (v, 300);
        v[17] = UINT64_MAX; /* exceptions */
        v[200] = 0;
        v[201] = (uint64_t)1 << 63;
        column (v, 300);
        column (v, 64);
        column (v, 65);
        for (size_t i = 0; i < 300; i++)
            v[i] = (draw () >> 40) << 12; /* a shift */
        column (v, 299);
    }
}

/* --- records ------------------------------------------------------------ */

static size_t names (struct event_state *st, unsigned char *p)
{
    size_t n = event_encode_clock (st, 5, 7, 1000000000, p);

    n += event_encode_name (st, SHARD_NAME_FILE, FILE_CLASS_STORAGE, "/a", 2,
                            p + n);
    n += event_encode_name (st, SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN, "c\0n", 3,
                            p + n);
    return n + event_encode_name (st, SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, "k",
                                  1, p + n);
}

static void arguments (struct event *ev)
{
    ev->nargs = (uint8_t)(draw () % 300 ? draw () % 4 : EVENT_ARGS_MAX);
    for (int i = 0; i < ev->nargs; i++) {
        struct event_arg *a = &ev->args[i];

        memset (a, 0, sizeof (*a));
        a->key = 3;
        a->type = (uint8_t)(EVENT_ARG_INT + i % 3);
        a->i = (int64_t)(draw () % 1000) - 500;
        a->d = (double)draw () / 3;
        a->text = 3;
    }
}

/* As a job makes them, with all that there is. */
static size_t records (size_t events)
{
    struct event_state st;
    uint64_t now = 1000000;
    size_t n;

    event_state_init (&st, now);
    n = names (&st, payload);
    for (size_t i = 0; i < events; i++) {
        int app = draw () % 8 == 0;
        struct event ev = {.call = app           ? CALL_region
                                   : draw () % 9 ? CALL_read
                                   : draw () % 2 ? CALL_open
                                                 : CALL_lseek,
                           .fd = 5,
                           .file = app ? 2 : 1,
                           .size = 4096,
                           .offset = (int64_t)(draw () % 1000 * 4096)};

        now += 100 + draw () % 900;
        ev.start = now;
        now += 300 + draw () % (draw () % 50 ? 700 : 9000000);
        ev.end = now;
        ev.ret = draw () % 20 ? 4096 : -1;
        ev.err = ev.ret < 0 ? 5 : 0;
        if (app) {
            ev.start -= draw () % 5000;
            arguments (&ev);
        }
        n += event_encode (&st, &ev, payload + n);
        assert_true (n + EVENT_BYTES_MAX < ROOM);
        if (draw () % 500 == 0)
            n += event_encode_clock (&st, now, now, 1000000000, payload + n);
    }
    return n;
}

static void come_back (void **state)
{
    struct dense_writer *w = dense_writer_create ();
    const unsigned char *dense;
    size_t n;

    assert_non_null (w);
    for (size_t events = 1000; events <= EVENTS; events *= 5) {
        size_t bytes = records (events);

        dense = dense_write (w, payload, bytes, &n);
        assert_non_null (dense);
        assert_true (n < bytes);
        assert_int_equal (dense_read (dense, n, back, bytes), 0);
        assert_memory_equal (back, payload, bytes);
        /* one byte more or less of records than were said */
        errno = 0;
        assert_int_equal (dense_read (dense, n, back, bytes - 1), -1);
        assert_int_equal (errno, EBADMSG);
        errno = 0; /* a reader of columns would give them all */
        assert_int_equal (dense_read_some (dense, n, back, bytes - 1), -1);
        assert_int_equal (errno, EOVERFLOW);
        assert_int_equal (dense_read_some (dense, n, back, bytes), bytes);
        assert_int_equal (dense_read (dense, n, back, bytes + 1), -1);
    }
    dense_writer_destroy (w);
    dense_writer_destroy (NULL);
}

static void no_records (void **state)
{
    struct dense_writer *w = dense_writer_create ();
    static const unsigned char bad[][8] = {{0},
                                           {255, 1},
                                           {CALL_read},
                                           {CALL_read, 0, 1},
                                           {SHARD_RECORD_NAME, 1},
                                           {SHARD_RECORD_NAME, 1, 1, 200},
                                           {CALL_region, 128, 4, 1, 1}};
    size_t n, bytes = records (300);

    for (size_t i = 0; i < sizeof (bad) / sizeof (bad[0]); i++) {
        errno = 0;
        assert_null (dense_write (w, bad[i], sizeof (bad[i]), &n));
        assert_int_equal (errno, EINVAL);
    }
    errno = 0;
    assert_null (dense_write (w, payload, 0, &n)); /* nothing is gained */
    assert_int_equal (errno, EINVAL);
    assert_null (dense_write (w, payload, DENSE_BYTES_MAX + 1, &n));
    for (size_t cut = bytes - 1; cut > bytes - 4; cut--)
        (void)dense_write (w, payload, cut, &n); /* ASan */
    dense_writer_destroy (w);
}

/* Any damage: refused or not, nothing is read or written where it must not
 * (ASan). */
static void hurt (void **state)
{
    struct dense_writer *w = dense_writer_create ();
    size_t n, bytes = records (400);
    const unsigned char *dense = dense_write (w, payload, bytes, &n);
    unsigned char *copy = malloc (n), *out = malloc (bytes);

    assert_non_null (dense);
    for (size_t cut = 0; cut < n; cut += 1 + cut / 50) {
        unsigned char *exact = malloc (cut ? cut : 1);

        memcpy (exact, dense, cut);
        assert_int_equal (dense_read (exact, cut, out, bytes), -1);
        free (exact);
    }
    for (int i = 0; i < HURT; i++) {
        memcpy (copy, dense, n);
        for (uint64_t k = 1 + draw () % 4; k > 0; k--)
            copy[draw () % (i % 2 ? n : 64)] = (unsigned char)draw ();
        (void)dense_read (copy, n, out, bytes);
    }
    free (copy);
    free (out);
    dense_writer_destroy (w);
}

/* A record that is no event has a length in the column of these, and its own:
 * where they differ, readers of records and of columns would see other events.
 */
static void two_lengths (void **state)
{
    static const char text[] = {2, '/', 'a'}; /* of the first name */
    struct dense_writer *w = dense_writer_create ();
    size_t n, bytes = records (400);
    const unsigned char *dense = dense_write (w, payload, bytes, &n);
    unsigned char *copy = malloc (n), *name;

    assert_non_null (dense);
    memcpy (copy, dense, n);
    name = memmem (copy, n, text, sizeof (text));
    assert_non_null (name);
    name[0]--;
    errno = 0;
    assert_int_equal (dense_read (copy, n, back, bytes), -1);
    assert_int_equal (errno, EBADMSG);
    free (copy);
    dense_writer_destroy (w);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (columns),     cmocka_unit_test (no_records),
        cmocka_unit_test (come_back),   cmocka_unit_test (hurt),
        cmocka_unit_test (two_lengths),
    };

    return tap_run (tests);
}
