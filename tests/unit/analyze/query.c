/* SPDX-License-Identifier: MIT
 *
 * query.c - cells of a random job are what counting one by one gives
 */
#include "tests/unit/madejob.h"

#include "analyze/query/query.h"
#include "analyze/query/querystate.h"
#include "lib/util/pool.h"

enum { INTERVAL = 20000, CELLS_MAX = 4000, TEXT_MAX = 160 };

/* A cell as it ought to be. */
struct want {
    char text[TEXT_MAX]; /* of all keys, a newline behind each */
    uint64_t count, errors, bytes, ns, min, max, running;
    int seen;
};

/* An event of a cell was running. */
struct run {
    size_t cell;
    uint64_t start, end;
};

static int by_cell (const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    if (x->cell != y->cell)
        return x->cell < y->cell ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static struct want want[CELLS_MAX];
static size_t wants;

/* What of the event is in the interval `bin`; all of it when that is -1. */
struct split {
    int64_t bin;
    uint64_t start, end;
};

static void part_text (const struct madejob_event *e,
                       const struct split *p,
                       const char *const *key,
                       char *text)
{
    char buf[64];

    for (*text = '\0'; *key; key++) {
        if (strcmp (*key, "interval") == 0)
            (void)snprintf (buf, sizeof (buf), "%.9g",
                            (double)p->bin * INTERVAL / 1e9);
        (void)snprintf (
            text + strlen (text), TEXT_MAX - strlen (text), "%s\n",
            strcmp (*key, "interval") == 0 ? buf : madejob_text (e, *key, buf));
    }
}

static struct want *want_of (const struct madejob_event *e,
                             const struct split *p,
                             const char *const *key)
{
    char text[TEXT_MAX];
    size_t i = 0;

    part_text (e, p, key, text);
    while (i < wants && strcmp (want[i].text, text) != 0)
        i++;
    if (i == wants) {
        assert_true (wants < CELLS_MAX);
        memset (&want[i], 0, sizeof (want[i]));
        memcpy (want[i].text, text, sizeof (text));
        wants++;
    }
    return &want[i];
}

static struct run run[3 * MADEJOB_ALL];
static size_t runs;

static void add_part (const struct madejob_event *e,
                      const struct split *p,
                      const char *const *key)
{
    struct want *w = want_of (e, p, key);
    uint64_t ns = e->ev.end - e->ev.start;

    assert_true (runs < sizeof (run) / sizeof (run[0]));
    run[runs++] = (struct run){(size_t)(w - want), p->start, p->end};
    w->ns += p->end - p->start;
    if (p->start != e->ev.start)
        return;
    if (!w->count || ns < w->min)
        w->min = ns;
    if (ns > w->max)
        w->max = ns;
    w->count++;
    w->errors += (uint64_t)madejob_failed (e);
    w->bytes += madejob_moved (e);
}

static int has_interval (const char *const *key)
{
    while (*key && strcmp (*key, "interval") != 0)
        key++;
    return *key != NULL;
}

/* The part of e that begins at `at`; what is left begins at its end. */
static struct split
next_part (const struct madejob_event *e, const char *const *key, uint64_t at)
{
    struct split p = {-1, at, e->ev.end};

    if (has_interval (key)) {
        uint64_t limit;

        p.bin = (int64_t)((at - MADEJOB_REAL) / INTERVAL);
        limit = MADEJOB_REAL + ((uint64_t)p.bin + 1) * INTERVAL;
        p.end = limit < e->ev.end ? limit : e->ev.end;
    }
    return p;
}

static int is_wanted (const struct madejob_event *e, int filtered)
{
    char buf[64];
    const char *file = madejob_text (e, "file", buf);

    return !filtered || strncmp (file, "/d/", 3) == 0;
}

static void unite (void)
{
    uint64_t end = 0;

    qsort (run, runs, sizeof (*run), by_cell);
    for (size_t i = 0; i < runs; i++) {
        const struct run *r = &run[i];

        if (i == 0 || r[-1].cell != r->cell)
            end = 0;
        if (r->end > end)
            want[r->cell].running += r->end - (r->start > end ? r->start : end);
        end = r->end > end ? r->end : end;
    }
}

static void count_all (const char *const *key, int filtered)
{
    wants = runs = 0;
    for (size_t i = 0; i < MADEJOB_ALL; i++) {
        const struct madejob_event *e = &madejob[i];
        uint64_t at = e->ev.start;

        if (!is_wanted (e, filtered))
            continue;
        do {
            struct split p = next_part (e, key, at);

            add_part (e, &p, key);
            at = p.end;
        } while (at < e->ev.end);
    }
    unite ();
}

static void same_cell (const struct query_cell *c, int keys)
{
    char text[TEXT_MAX] = "";
    struct want *w = want;

    for (int k = 0; k < keys; k++)
        (void)snprintf (text + strlen (text), TEXT_MAX - strlen (text), "%s\n",
                        c->value[k]);
    while (w < want + wants && strcmp (w->text, text) != 0)
        w++;
    assert_true (w < want + wants);
    assert_false (w->seen);
    w->seen = 1;
    assert_int_equal (c->count, w->count);
    assert_int_equal (c->errors, w->errors);
    assert_int_equal (c->bytes, w->bytes);
    assert_int_equal (c->ns, w->ns);
    assert_int_equal (c->min, w->min);
    assert_int_equal (c->max, w->max);
    assert_int_equal (c->running, w->running);
}

static void same_answer (const struct query_answer *a, const struct query *q)
{
    assert_int_equal (a->count, wants);
    for (size_t i = 0; i < wants; i++)
        want[i].seen = 0;
    for (size_t i = 0; i < a->count; i++) {
        same_cell (&a->cell[i], q->keys);
        if (i && query_key_is_number (&q->key[0]))
            assert_true (query_number_order (a->cell[i - 1].value[0],
                                             a->cell[i].value[0]) <= 0);
        else if (i && q->keys)
            assert_true (
                strcmp (a->cell[i - 1].value[0], a->cell[i].value[0]) <= 0);
    }
}

static const struct {
    const char *words;
    const char *key[4];
    int filtered;
} asked[] = {
    {"", {NULL}, 0},
    {"function", {"function", NULL}, 0},
    {"file,class", {"file", "class", NULL}, 1},
    {"rank,size", {"rank", "size", NULL}, 0},
    {"thread,directory,kind", {"thread", "directory", "kind", NULL}, 0},
    {"interval", {"interval", NULL}, 0},
    {"process,interval,layer", {"process", "interval", "layer", NULL}, 1},
    {"arg.step,pattern", {"arg.step", "pattern", NULL}, 0},
};

enum { ASKED = sizeof (asked) / sizeof (asked[0]) };

/* Through a file and back: the same cells, nothing is lost on the way. */
static void same_packed (const struct query_answer *a)
{
    struct query_state *s = query_state_create (a->state->query, NULL, NULL);
    FILE *file = tmpfile ();
    struct packer p = {0};
    struct unpacker u = {0};
    struct query_answer again;
    uint64_t type;

    assert_non_null (s);
    assert_non_null (file);
    assert_int_equal (query_state_pack (a->state, 1, &p, file), 0);
    rewind (file);
    while (unpack_section (&u, &type, file) > 0)
        assert_int_equal (query_state_unpack (s, &u, type), 0);
    query_state_answer (s, &again, 1);
    same_answer (&again, a->state->query);
    query_answer_clear (&again);
    unpacker_clear (&u);
    packer_clear (&p);
    (void)fclose (file);
}

/* Each of them, by one worker and by several. */
static void ask (struct job *job, int threads, uint64_t cut)
{
    struct where where = {.terms = 0};
    struct query_input input = {.job = job, .threads = threads};
    struct errtext err;

    pass_cut (cut);
    assert_int_equal (where_add (&where, "file=/d/*", &err), 0);
    for (size_t i = 0; i < ASKED; i++) {
        struct query q = {.running = 1, .interval = INTERVAL};
        struct query_answer a;

        if (*asked[i].words)
            assert_int_equal (query_parse_keys (&q, asked[i].words, &err), 0);
        q.where = asked[i].filtered ? &where : NULL;
        assert_int_equal (query_job (&a, &q, &input, &err), 0);
        count_all (asked[i].key, asked[i].filtered);
        same_answer (&a, &q);
        if (threads == 1)
            same_packed (&a);
        query_answer_clear (&a);
    }
    where_clear (&where);
}

static void as_counted (void **state)
{
    (void)state;
    madejob_make (1);
    ask (madejob_open (), 1, 1 << 20);
    madejob_close ();
    madejob_make (2);
    ask (madejob_open (), 3, 1);
    madejob_close ();
}

static void words (void **state)
{
    struct query q = {.keys = 0};
    struct errtext err;

    (void)state;
    assert_int_equal (query_parse_keys (&q, "rank,file", &err), 0);
    assert_true (query_has_key (&q, GROUP_file));
    assert_false (query_has_key (&q, GROUP_step));
    q.keys = 0;
    assert_int_equal (query_parse_keys (&q, "rank,rank", &err), -1);
    q.keys = 0;
    assert_int_equal (query_parse_keys (&q, "rank,", &err), -1);
    q.keys = 0;
    assert_int_equal (query_parse_keys (&q, "nothing", &err), -1);
    assert_non_null (strstr (err.text, "dftrace help views"));
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (words),
        scratch_test (as_counted),
    };

    pool_use (4);
    return tap_run (tests);
}
