/* SPDX-License-Identifier: MIT
 *
 * format.c - the example of doc/trace-format.md means what it says
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <stdlib.h>

#include "lib/format/event.h"

enum { PAYLOAD_MAX = 4096, LINE_MAX_BYTES = 512, RECORDS = 13 };

static unsigned char bytes[PAYLOAD_MAX];
static size_t ends[64]; /* where each line's bytes end */
static size_t lines, used;

/* The hexadecimal bytes of a line up to its '|'. */
static void take_line (const char *p)
{
    while (*p && *p != '|') {
        char *end;
        unsigned long v;

        while (*p == ' ')
            p++;
        if (*p == '|')
            break;
        v = strtoul (p, &end, 16);
        if (end != p + 2 || used == sizeof (bytes))
            fail_msg ("not a byte: %s", p);
        bytes[used++] = (unsigned char)v;
        p = end;
    }
    assert_int_equal (*p, '|');
    ends[lines++] = used;
}

static int read_example (void **state)
{
    const char *top = getenv ("top_srcdir");
    char path[4096], line[LINE_MAX_BYTES];
    int inside = 0, examples = 0;
    FILE *f;

    (void)snprintf (path, sizeof (path), "%s/doc/trace-format.md",
                    top ? top : "..");
    f = fopen (path, "r");
    if (!f)
        return -1;
    while (fgets (line, sizeof (line), f)) {
        if (strncmp (line, "```", 3) == 0) {
            inside = strcmp (line, "```bytes\n") == 0;
            examples += inside;
        } else if (inside)
            take_line (line);
    }
    (void)fclose (f);
    return examples == 2 ? 0 : -1;
}

static const struct shard_block *head (void)
{
    static struct shard_block b;

    memcpy (&b, bytes, sizeof (b));
    return &b;
}

static void test_header (void **state)
{
    const struct shard_block *b = head ();

    assert_int_equal (b->magic, SHARD_MAGIC);
    assert_int_equal (b->type, SHARD_BLOCK_EVENTS);
    assert_int_equal (b->flags, SHARD_SEALED);
    assert_int_equal ((uint32_t)b->commit, used - sizeof (*b));
    assert_int_equal (b->commit >> 32, 8);
    assert_int_equal (b->capacity, 16384);
    assert_int_equal (b->tid, 4242);
    assert_int_equal (b->base, 1000000);
    assert_true (b->check == shard_block_check (b));
    assert_true (b->checksum == shard_events_sum (b, bytes + sizeof (*b)));
    assert_int_equal (lines, 8 + RECORDS);
}

static const struct event want[] = {
    {.call = CALL_open,
     .start = 1000000,
     .end = 1005000,
     .fd = 3,
     .file = 1,
     .offset = -1,
     .ret = 3,
     .flags = O_CLOEXEC},
    {.call = CALL_read,
     .start = 1005200,
     .end = 1005700,
     .fd = 3,
     .file = 1,
     .size = 4096,
     .offset = 0,
     .ret = 4096},
    {.call = CALL_read,
     .start = 1005900,
     .end = 1006300,
     .fd = 3,
     .file = 1,
     .size = 4096,
     .offset = 4096,
     .ret = 4096},
    {.call = CALL_read,
     .start = 1006500,
     .end = 1006900,
     .fd = 3,
     .file = 1,
     .size = 4096,
     .offset = 8192,
     .ret = 100},
    {.call = CALL_region,
     .start = 1000000,
     .end = 1007200,
     .fd = -1,
     .file = 2,
     .offset = -1,
     .nargs = 1,
     .args = {{.key = 3, .type = EVENT_ARG_INT, .i = 7}}},
    {.call = CALL_close,
     .start = 1007400,
     .end = 1007600,
     .fd = 3,
     .file = 1,
     .offset = -1},
    {.call = CALL_unlink,
     .start = 1007700,
     .end = 1008600,
     .fd = -1,
     .file = 4,
     .offset = -1,
     .ret = -1,
     .err = ENOENT},
    {.call = CALL_stat,
     .start = 1008700,
     .end = 1009600,
     .fd = -1,
     .file = 5,
     .offset = -1},
};

enum { EVENTS = sizeof (want) / sizeof (want[0]) };

static void same (const struct event *a, const struct event *b)
{
    assert_int_equal (a->call, b->call);
    assert_int_equal (a->start, b->start);
    assert_int_equal (a->end, b->end);
    assert_int_equal (a->fd, b->fd);
    assert_int_equal (a->file, b->file);
    assert_int_equal (a->size, b->size);
    assert_int_equal (a->offset, b->offset);
    assert_int_equal (a->ret, b->ret);
    assert_int_equal (a->err, b->err);
    assert_int_equal (a->flags, b->flags);
    assert_int_equal (a->nargs, b->nargs);
    for (int i = 0; i < a->nargs; i++) {
        assert_int_equal (a->args[i].key, b->args[i].key);
        assert_int_equal (a->args[i].type, b->args[i].type);
        assert_int_equal (a->args[i].i, b->args[i].i);
    }
}

static void check_name (const struct decoder *d,
                        uint32_t id,
                        int kind,
                        const char *text,
                        size_t length)
{
    const struct name *n = decoder_name (d, id);

    assert_non_null (n);
    assert_int_equal (n->kind, kind);
    assert_int_equal (n->length, length);
    assert_memory_equal (n->text, text, length);
}

static void test_decode (void **state)
{
    const unsigned char *payload = bytes + sizeof (struct shard_block);
    struct decoder d = {.p = NULL};
    struct event ev;

    assert_int_equal (decoder_begin (&d, head (), payload,
                                     used - sizeof (struct shard_block)),
                      0);
    for (int i = 0; i < EVENTS; i++) {
        assert_int_equal (decoder_next (&d, &ev), 1);
        same (&ev, &want[i]);
    }
    assert_int_equal (decoder_next (&d, &ev), 0);
    check_name (&d, 1, SHARD_NAME_FILE, "/d/t", 4);
    check_name (&d, 2, SHARD_NAME_EVENT, "data\0item", 9);
    check_name (&d, 3, SHARD_NAME_KEY, "image_idx", 9);
    check_name (&d, 4, SHARD_NAME_FILE, "/d/x", 4);
    check_name (&d, 5, SHARD_NAME_FILE, "/d/t.idx", 8);
    assert_int_equal (decoder_name (&d, 5)->class, FILE_CLASS_STORAGE);
    assert_int_equal (decoder_name (&d, 1)->class, FILE_CLASS_STORAGE);
    decoder_end (&d);
}

/* The other way round: what we would write is what is printed, line by line. */
static void test_encode (void **state)
{
    static const struct {
        int kind, class, length;
        const char *text;
    } names[RECORDS] = {
        [0] = {SHARD_NAME_FILE, FILE_CLASS_STORAGE, 4, "/d/t"},
        [5] = {SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN, 9, "data\0item"},
        [6] = {SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, 9, "image_idx"},
        [9] = {SHARD_NAME_FILE, FILE_CLASS_UNKNOWN, 4, "/d/x"},
        [11] = {SHARD_NAME_FILE, FILE_CLASS_STORAGE, 8, "/d/t.idx"},
    };
    static const struct event_like like[RECORDS] = {
        [11] = {.back = 4, .prefix = 4},
    };
    struct event_state st;
    int ev = 0;

    event_state_init (&st, 1000000);
    for (int i = 0; i < RECORDS; i++) {
        unsigned char buf[EVENT_BYTES_MAX];
        size_t at = ends[8 + i - 1];
        size_t length = (size_t)names[i].length, n;

        if (!names[i].text)
            n = event_encode (&st, &want[ev++], buf);
        else if (like[i].back)
            n = event_encode_like (&st, &like[i], names[i].text, length, buf);
        else
            n = event_encode_name (&st, names[i].kind, names[i].class,
                                   names[i].text, length, buf);
        assert_int_equal (n, ends[8 + i] - at);
        assert_memory_equal (buf, bytes + at, n);
    }
    assert_int_equal (ev, EVENTS);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_header),
        cmocka_unit_test (test_decode),
        cmocka_unit_test (test_encode),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, read_example, NULL);
}
