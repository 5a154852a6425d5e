/* SPDX-License-Identifier: MIT
 *
 * pfwshape.c - lines read by their likeness are what the lexer makes of them
 */
#include "tests/unit/tap.h"

#include <stdlib.h>

#include "analyze/import/pfw/pfwshape.h"
#include "tests/unit/rng.h"

enum { ROOM = 1024, LINES = 200000 };

static struct pfw_shapes shapes;
static char line[ROOM + PFW_BLOCK_SLACK];

static uint64_t draw (uint64_t limit)
{
    static uint64_t state = 7;

    return rng (&state) % limit;
}

static int same_text (const struct pfw_text *a, const struct pfw_text *b)
{
    return a->p == b->p && a->n == b->n && a->escaped == b->escaped;
}

static void same_arg (const struct pfw_arg *a, const struct pfw_arg *b)
{
    assert_true (same_text (&a->key, &b->key));
    assert_true (same_text (&a->text, &b->text));
    assert_int_equal (a->type, b->type);
    assert_true (a->i == b->i);
    assert_memory_equal (&a->d, &b->d, sizeof (a->d));
}

/* Of the n bytes in line; any bytes stand behind them. */
static void check (size_t n)
{
    static struct pfw_line a, b;
    const char *want, *got;

    memset (&a, 1, sizeof (a));
    memset (&b, 2, sizeof (b));
    memset (line + n, (int)draw (256), PFW_BLOCK_SLACK);
    want = pfw_lex (&a, line, line + n);
    got = pfw_shapes_lex (&shapes, &b, line, line + n);
    assert_ptr_equal (got, want);
    if (!want)
        return;
    assert_int_equal (a.phase, b.phase);
    assert_int_equal (a.has, b.has);
    assert_int_equal (a.nargs, b.nargs);
    assert_true (same_text (&a.name, &b.name) && same_text (&a.cat, &b.cat));
    assert_true (same_text (&a.hhash, &b.hhash));
    assert_true (same_text (&a.fhash, &b.fhash));
    assert_true (same_text (&a.fname, &b.fname));
    assert_true (same_text (&a.hostname, &b.hostname));
    assert_true (same_text (&a.meta_name, &b.meta_name));
    assert_true (same_text (&a.meta_value, &b.meta_value));
    assert_true (a.pid == b.pid && a.tid == b.tid && a.ts == b.ts);
    assert_true (a.dur == b.dur && a.ret == b.ret && a.size == b.size);
    assert_true (a.count == b.count && a.offset == b.offset);
    assert_true (a.flags == b.flags && a.fd == b.fd && a.err == b.err);
    assert_true (a.size_sum == b.size_sum && a.merged == b.merged);
    assert_true (a.dur_sum == b.dur_sum && a.ret_min == b.ret_min);
    for (int i = 0; i < a.nargs; i++)
        same_arg (&a.arg[i], &b.arg[i]);
}

/* A line of one of the dialects. */
static size_t make_line (void)
{
    static const char *const names[] = {"read", "open64", "a\\\"b", ""};
    static const char *const rets[] = {
        "4096", "-1", "1.5", "\"7\"", "null", "123456789012345678901", "[1,2]"};
    const char *name = names[draw (4)], *ret = rets[draw (7)];
    unsigned long a = (unsigned long)draw (1u << draw (31)), b = draw (100);

    switch (draw (7)) {
    case 0:
        return (size_t)sprintf (
            line,
            "{\"id\":%lu,\"name\":\"%s\",\"cat\":\"POSIX\",\"pid\":%lu,"
            "\"tid\":1,\"ts\":1790000000%06lu,\"dur\":%lu,\"ph\":\"X\","
            "\"args\":{\"hhash\":\"0123456789abcdef\",\"fhash\":\"%lx\","
            "\"fd\":%lu,\"count\":%lu,\"offset\":%lu,\"ret\":%s}}",
            a, name, b, a % 1000000, b, a, b, a, a, ret);
    case 1:
        return (size_t)sprintf (
            line,
            "{\"id\":\"%lu\",\"name\":\"%s\",\"cat\":\"c\",\"pid\":\"%lu\","
            "\"ph\":1,\"ts\":\"%lu\",\"dur\":1,\"args\":{\"ret\":%s,"
            "\"a key that is longer than all that fits\":%lu}}",
            a, name, b, a, ret, b);
    case 2:
        return (size_t)sprintf (line,
                                "{ \"ph\" : \"M\" , \"name\":\"FH\" ,"
                                "\"args\":{\"name\":\"%s\",\"value\":%s} }",
                                name, ret);
    case 3:
        return (size_t)sprintf (line,
                                "{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%lu,"
                                "\"args\":{}}%s",
                                name, a, draw (2) ? "" : ",{\"name\":1}");
    case 4:
        return (size_t)sprintf (line,
                                "{\"name\":\"%s\",\"ph\":3,\"dft_cnt\":%lu,"
                                "\"args\":{\"dft_cnt\":%lu,\"dur_sum\":%s,"
                                "\"step\":%s,\"size\":%lu}}",
                                name, a, b, ret, ret, a);
    case 5:
        return (size_t)sprintf (
            line, "{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%lu}", name, a);
    default:
        return (size_t)sprintf (line,
                                "{\"k%lu\":%s,\"name\":\"n\",\"ph\":\"X\"}",
                                (unsigned long)draw (900), ret);
    }
}

static void all_dialects (void **state)
{
    (void)state;
    pfw_shapes_init (&shapes);
    for (int i = 0; i < LINES; i++)
        check (make_line ());
}

/* Bytes that are changed, left out, cut off. */
static void damaged_lines (void **state)
{
    (void)state;
    pfw_shapes_init (&shapes);
    for (int i = 0; i < LINES; i++) {
        size_t n = make_line (), at = draw (n);

        check (n);
        if (draw (2))
            line[at] = "\"\\{}[],: 0aX\x01\xff"[draw (14)];
        else if (draw (2))
            memmove (line + at, line + at + 1, n-- - at - 1);
        else
            n = at;
        check (n);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (all_dialects),
        cmocka_unit_test (damaged_lines),
    };

    return tap_run (tests);
}
