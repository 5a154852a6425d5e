/* SPDX-License-Identifier: MIT
 *
 * tbuf.c - records with names: each chunk knows its own, in the room it has
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/format/event.h"
#include "preload/record/tbuf.h"
#include "preload/record/repeat.h"
#include "tests/unit/rec.h"

enum {
    COPIES = 20,
    TRIES = 10000, /* each id has one slot of 512 */
    RENAMES = 3000,
    FILES = 3000,
    ROUNDS = 5,
    HEAD = 14,
    LONG = 8000
};

static struct rec_tally t;

/* "/data/" and eight digits, the rest up to length is padding. */
static uint32_t file_name (unsigned i, size_t length)
{
    static char text[EVENT_NAME_MAX];
    char head[HEAD + 1];

    (void)snprintf (head, sizeof (head), "/data/%08u", i % 100000000);
    memset (text, 'n', sizeof (text));
    memcpy (text, head, HEAD);
    return names_intern (SHARD_NAME_FILE, FILE_CLASS_STORAGE, text, length);
}

static void record (struct record *r)
{
    r->start = r->end = clock_tick ();
    if (!recorder_enter ())
        _exit (2);
    recorder_record (r);
    recorder_leave ();
}

/* Two names that live in one slot of the chunk's dictionary: defining the
 * first pushes the second out, which then needs its bytes, too. */
static void pushed_out (void *cookie)
{
    uint32_t ids[3];
    unsigned n = 0;

    ids[n++] = file_name (0, LONG);
    for (unsigned i = 1; n < 3 && i < TRIES; i++) {
        uint32_t before = file_name (i, HEAD); /* takes two units */

        if (tbuf_slot (before + 2) == tbuf_slot (ids[0]))
            ids[n++] = file_name (i, LONG);
    }
    if (n < 3 || tbuf_slot (ids[1]) != tbuf_slot (ids[0]) ||
        tbuf_slot (ids[2]) != tbuf_slot (ids[0]))
        _exit (3);
    for (unsigned i = 0; i < RENAMES; i++) {
        struct record r = {
            .call = CALL_rename, .file = ids[i % 3], .file2 = ids[(i + 1) % 3]};
        struct record one = {.call = CALL_unlink, .file = ids[(i + 1) % 3]};

        record (&one);
        record (&r);
    }
}

static int decode_all (void (*check) (struct decoder *, struct event *, int))
{
    char path[REC_PATH];
    struct tracefile *f = tracefile_open (rec_shard (path), NULL);
    struct decoder d = {.p = NULL};
    struct event ev;
    int n = 0;

    assert_non_null (f);
    for (size_t i = 0; i < tracefile_chunks (f); i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);
        unsigned char *buf = malloc (c->present + 1u);
        ssize_t got = tracefile_read (f, c, buf);
        int rc;

        assert_true (got >= 0);
        assert_true (c->used <= c->head.capacity - sizeof (c->head));
        assert_int_equal (decoder_begin (&d, &c->head, buf, (size_t)got), 0);
        while ((rc = decoder_next (&d, &ev)) > 0)
            check (&d, &ev, n++);
        assert_int_equal (rc, 0);
        free (buf);
    }
    decoder_end (&d);
    tracefile_close (f);
    return n;
}

static void check_rename (struct decoder *d, struct event *ev, int i)
{
    assert_int_equal (ev->call, i % 2 ? CALL_rename : CALL_unlink);
    assert_int_equal (decoder_name (d, ev->file)->length, LONG);
    if (i % 2) {
        assert_int_equal (decoder_name (d, ev->file2)->length, LONG);
        assert_memory_not_equal (decoder_name (d, ev->file)->text,
                                 decoder_name (d, ev->file2)->text, HEAD);
    }
}

static void test_pushed_out (void **state)
{
    int status = rec_run (pushed_out, NULL, 1);

    assert_int_equal (status, 0);
    rec_tally (&t);
    assert_int_equal (t.events + t.counted + t.lost, 2 * RENAMES);
    assert_int_equal (t.lost + t.missing + t.bad_chunks, 0);
    assert_int_equal (decode_all (check_rename), 2 * RENAMES);
}

/* More files than the dictionary has slots, over many chunks. */
static void many_files (void *cookie)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < FILES; i++) {
            struct record r = {.call = CALL_stat, .file = file_name (i, HEAD)};

            record (&r);
        }
    }
}

static void check_file (struct decoder *d, struct event *ev, int i)
{
    const struct name *name = decoder_name (d, ev->file);
    char want[32];

    (void)snprintf (want, sizeof (want), "/data/%08d", i % FILES);
    assert_int_equal (name->length, HEAD);
    assert_memory_equal (name->text, want, HEAD);
    assert_int_equal (name->kind, SHARD_NAME_FILE);
    assert_int_equal (name->class, FILE_CLASS_STORAGE);
}

static void test_many_files (void **state)
{
    assert_int_equal (rec_run (many_files, NULL, 1), 0);
    assert_int_equal (decode_all (check_file), FILES * ROUNDS);
    rec_tally (&t); /* each name is new and says what the last did not */
    assert_true (t.bytes < (uint64_t)FILES * ROUNDS * 15);
}

/* An application event with all its arguments, each key and text new. */
static void all_args (void *cookie)
{
    for (unsigned i = 0; i < 500; i++) {
        struct record_arg args[EVENT_ARGS_MAX];
        struct record r = {
            .call = CALL_region, .nargs = EVENT_ARGS_MAX, .args = args};

        r.file = names_intern (SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN,
                               "data\0item", 9);
        for (unsigned k = 0; k < EVENT_ARGS_MAX; k++) {
            args[k] = (struct record_arg){
                .key = file_name (2 * (i * EVENT_ARGS_MAX + k), HEAD),
                .type = (uint8_t)(EVENT_ARG_INT + k % 3),
                .i = -(int64_t)i,
                .d = i / 4.0,
                .text = file_name (2 * (i * EVENT_ARGS_MAX + k) + 1, 200)};
        }
        record (&r);
    }
}

static void check_args (struct decoder *d, struct event *ev, int i)
{
    assert_int_equal (ev->nargs, EVENT_ARGS_MAX);
    assert_memory_equal (decoder_name (d, ev->file)->text, "data\0item", 9);
    for (int k = 0; k < ev->nargs; k++) {
        const struct event_arg *a = &ev->args[k];
        const struct name *key = decoder_name (d, a->key);
        char want[32];

        (void)snprintf (want, sizeof (want), "/data/%08d",
                        2 * (i * EVENT_ARGS_MAX + k));
        assert_int_equal (key->length, HEAD);
        assert_memory_equal (key->text, want, HEAD);
        if (a->type == EVENT_ARG_INT)
            assert_int_equal (a->i, -i);
        else if (a->type == EVENT_ARG_DOUBLE)
            assert_true (a->d == i / 4.0);
        else
            assert_int_equal (decoder_name (d, a->text)->length, 200);
    }
}

static void test_args (void **state)
{
    assert_int_equal (rec_run (all_args, NULL, 1), 0);
    assert_int_equal (decode_all (check_args), 500);
}

/* Copies that go on where the last one ended: each still has both files. */
static void copies (void *cookie)
{
    uint32_t from = file_name (1, HEAD), to = file_name (2, HEAD);

    for (unsigned i = 0; i < COPIES; i++) {
        struct record r = {.call = CALL_copy_file_range,
                           .fd = 5,
                           .file = from,
                           .file2 = to,
                           .size = 4096,
                           .offset = (int64_t)i * 4096,
                           .ret = 4096};

        record (&r);
    }
}

static void check_copy (struct decoder *d, struct event *ev, int i)
{
    assert_int_equal (ev->offset, (int64_t)i * 4096);
    assert_memory_equal (decoder_name (d, ev->file)->text, "/data/00000001",
                         HEAD);
    assert_non_null (decoder_name (d, ev->file2));
    assert_memory_equal (decoder_name (d, ev->file2)->text, "/data/00000002",
                         HEAD);
}

static void test_copies (void **state)
{
    assert_int_equal (rec_run (copies, NULL, 1), 0);
    assert_int_equal (decode_all (check_copy), COPIES);
}

/* Transfers as the wrappers record them: in order, elsewhere, nowhere known, of
 * another size, file or descriptor, short and long ones; what cannot be said in
 * short goes the long way. */
enum { TRANSFERS = 20000 };

static struct record transfer (int i, uint32_t file, uint32_t other)
{
    static const int64_t offsets[] = {0, 7, (int64_t)1 << 40, -1};
    int odd = i / 100 % 5;
    struct record r = {.call = i % 3 ? CALL_read : CALL_pwrite,
                       .fd = odd == 3 ? 8 : 5,
                       .file = odd == 4 ? other : file,
                       .size = odd == 2 ? 100 : 4096,
                       .offset = (int64_t)i * 4096};

    if (odd == 1)
        r.offset = offsets[i % 4];
    r.ret = (int64_t)r.size;
    return r;
}

static void transfers (void *cookie)
{
    uint32_t file = file_name (1, HEAD), other = file_name (2, HEAD);

    for (int i = 0; i < TRANSFERS; i++) {
        struct record r = transfer (i, file, other);

        r.start = clock_tick ();
        if (i % 500 == 0)
            usleep (20);
        r.end = clock_tick ();
        if (repeat_record ((enum call)r.call, r.start, r.end, r.fd, r.file,
                           r.size, r.offset))
            *(int *)cookie += 1;
        else if (recorder_enter ()) {
            recorder_record (&r);
            recorder_leave ();
        }
    }
    if (*(int *)cookie < TRANSFERS / 2)
        _exit (4); /* most are short */
}

static void check_transfer (struct decoder *d, struct event *ev, int i)
{
    struct record r = transfer (i, 1, 2);
    const struct name *name = decoder_name (d, ev->file);

    assert_int_equal (ev->call, r.call);
    assert_int_equal (ev->fd, r.fd);
    assert_int_equal (ev->size, r.size);
    assert_int_equal (ev->offset, r.offset);
    assert_int_equal (ev->ret, r.ret);
    assert_int_equal (ev->err, 0);
    assert_memory_equal (
        name->text, r.file == 1 ? "/data/00000001" : "/data/00000002", HEAD);
    assert_true (ev->start <= ev->end);
}

static void test_transfers (void **state)
{
    int quick = 0;

    assert_int_equal (rec_run (transfers, &quick, 1), 0);
    assert_int_equal (decode_all (check_transfer), TRANSFERS);
}

#define CASE(F) cmocka_unit_test_setup_teardown (F, rec_setup, rec_teardown)

int main (void)
{
    const struct CMUnitTest tests[] = {
        CASE (test_pushed_out), CASE (test_many_files), CASE (test_args),
        CASE (test_copies),     CASE (test_transfers),
    };

    return tap_run (tests);
}
