/* SPDX-License-Identifier: MIT
 *
 * column.c - the value of every key, of every event of a random job
 */
#include "tests/unit/madejob.h"

#include "analyze/query/query.h"
#include "analyze/scan/column.h"
#include "analyze/scan/pass.h"
#include "lib/util/pool.h"

static const char *const words[] = {
    "function", "layer",   "class",  "file", "directory", "pattern",  "kind",
    "host",     "process", "thread", "rank", "step",      "arg.step", "size"};

enum { KEYS = sizeof (words) / sizeof (words[0]) };

struct look {
    struct column_source source;
    struct column column[KEYS];
    struct query_key key[KEYS];
    size_t at; /* of madejob */
};

static int look_take (void *cookie, int worker, const struct batch *b)
{
    struct look *l = cookie;
    char buf[64];

    (void)worker;
    if (b->begins)
        assert_int_equal (column_source_begin (&l->source, b->who), 0);
    column_source_batch (&l->source, b);
    for (size_t k = 0; k < KEYS; k++) {
        struct column *c = &l->column[k];

        column_fill (c, &l->source);
        for (size_t i = 0; i < b->count; i++) {
            const struct madejob_event *e = &madejob[l->at + i];

            assert_string_equal (strmap_key (c->texts, c->ordinal[i], NULL),
                                 madejob_text (e, words[k], buf));
        }
    }
    for (size_t i = 0; i < b->count; i++) {
        const struct madejob_event *e = &madejob[l->at + i];

        assert_int_equal (l->source.bytes[i], madejob_moved (e));
        assert_int_equal ((l->source.how[i] & COLUMN_MOVES) != 0,
                          madejob_moves (e));
        assert_int_equal ((l->source.how[i] & COLUMN_FAILED) != 0,
                          madejob_failed (e));
        assert_int_equal ((l->source.how[i] & COLUMN_APP) != 0,
                          madejob_is_app (e));
    }
    l->at += b->count;
    return 0;
}

/* One worker gets the threads one after the other. */
static void every_key (void **state)
{
    static struct look l;
    const struct pass_user user = {&l, NULL, look_take, NULL, BATCH_ALL};
    struct errtext err;
    struct pass p;

    (void)state;
    madejob_make (1);
    pass_open (&p, madejob_open (), NULL, 1);
    l.source.dict = p.dict;
    l.source.interval = 1000;
    for (size_t k = 0; k < KEYS; k++) {
        struct query q = {.keys = 0};

        assert_int_equal (query_parse_keys (&q, words[k], &err), 0);
        l.key[k] = q.key[0];
        column_init (&l.column[k], &l.key[k], &l.source);
    }
    assert_int_equal (pass_run (&p, &user, 1), 0);
    assert_int_equal (l.at, MADEJOB_ALL);
    for (size_t k = 0; k < KEYS; k++)
        column_clear (&l.column[k]);
    column_source_clear (&l.source);
    pass_close (&p);
    madejob_close ();
}

/* Texts and numbers have one ordinal each, and keep it. */
static void ordinals (void **state)
{
    struct column_source s = {.interval = 1000000000};
    struct query_key key = {.what = GROUP_rank};
    struct column c = {0};
    uint64_t seed = 1;

    (void)state;
    column_init (&c, &key, &s);
    assert_int_equal (column_number (&c, &s, QUERY_NO_NUMBER), 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal (column_number (&c, &s, 7 * i), i + 1);
    for (int i = 0; i < 5000; i++) {
        int64_t n = (int64_t)rng_below (&seed, 1000), at;
        char text[32];

        at = column_number (&c, &s, 7 * n);
        assert_int_equal (at, n + 1);
        assert_int_equal (c.number[at], 7 * n);
        (void)snprintf (text, sizeof (text), "%d", (int)(7 * n));
        assert_string_equal (strmap_key (c.texts, (size_t)at, NULL), text);
        assert_int_equal (column_text (&c, text, 7 * n), at);
    }
    assert_string_equal (strmap_key (c.texts, 0, NULL), "-");
    column_clear (&c);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (every_key),
        cmocka_unit_test (ordinals),
    };

    return tap_run (tests);
}
