/* SPDX-License-Identifier: MIT
 *
 * query.c - cells of a random job are what counting one by one gives
 */
#include "tests/unit/madejob.h"
#include "tests/unit/runs.h"

#include "analyze/query/query.h"
#include "analyze/query/querystate.h"
#include "lib/util/pool.h"

enum { INTERVAL = 20000, CELLS_MAX = 4000, TEXT_MAX = 160 };

/* A cell as it ought to be. */
struct want {
    char text[TEXT_MAX]; /* of all keys, a newline behind each */
    uint64_t count, errors, bytes, read, written, spread_read, spread_written;
    uint64_t ns, min, max, sizes, sizes_sum, running, overlap;
    int seen;
};

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

/* Bytes that come evenly from start to end, until t. */
static uint64_t come (uint64_t bytes, const struct event *ev, uint64_t t)
{
    return t == ev->end ? bytes
                        : bytes * (t - ev->start) / (ev->end - ev->start);
}

static struct run run[3 * MADEJOB_ALL];
static size_t runs;

static void add_part (const struct madejob_event *e,
                      const struct split *p,
                      const char *const *key)
{
    struct want *w = want_of (e, p, key);
    uint64_t moved = madejob_moved (e), ns = e->ev.end - e->ev.start;
    uint64_t read = madejob_reads (e) ? moved : 0, written = moved - read;

    assert_true (runs < sizeof (run) / sizeof (run[0]));
    run[runs++] = (struct run){(size_t)(w - want), p->start, p->end};
    w->ns += p->end - p->start;
    if (p->bin >= 0) {
        w->spread_read += come (read, &e->ev, p->end);
        w->spread_written += come (written, &e->ev, p->end);
        if (p->start > e->ev.start) {
            w->spread_read -= come (read, &e->ev, p->start);
            w->spread_written -= come (written, &e->ev, p->start);
        }
    }
    if (p->start != e->ev.start)
        return;
    if (!w->count || ns < w->min)
        w->min = ns;
    if (ns > w->max)
        w->max = ns;
    w->count++;
    w->errors += (uint64_t)madejob_failed (e);
    w->bytes += moved;
    w->read += read;
    w->written += written;
    if (madejob_moves (e) && !madejob_failed (e)) {
        w->sizes++;
        w->sizes_sum += moved;
    }
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

/* The time in which a cell is running and a region with the same values of its
 * first `keys` keys as well. */
static void overlap (const char *const *key, int keys)
{
    static struct run mine[3 * MADEJOB_ALL], with[MADEJOB_ALL];

    for (size_t c = 0; c < wants; c++) {
        const char *rest = want[c].text;
        size_t n = 0, others = 0;

        for (int k = 0; k < keys; k++)
            rest = strchr (rest, '\n') + 1;
        for (size_t i = 0; i < runs; i++)
            if (run[i].cell == c)
                mine[n++] = run[i];
        for (size_t i = 0; i < MADEJOB_ALL; i++) {
            const struct madejob_event *e = &madejob[i];
            struct split p = {-1, e->ev.start, e->ev.end};
            char text[TEXT_MAX];

            part_text (e, &p, key, text);
            if (e->ev.call == CALL_region &&
                strncmp (text, want[c].text, (size_t)(rest - want[c].text)) ==
                    0)
                with[others++] = (struct run){0, e->ev.start, e->ev.end};
        }
        qsort (mine, n, sizeof (*mine), by_cell);
        qsort (with, others, sizeof (*with), by_cell);
        n = stretches (mine, n);
        others = stretches (with, others);
        want[c].overlap = common (mine, n, with, others);
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

static void same_cell (const struct query_cell *c, int keys, int spread)
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
    assert_int_equal (c->bytes_read, w->read);
    assert_int_equal (c->bytes_written, w->written);
    assert_int_equal (c->ns, w->ns);
    assert_int_equal (c->min, w->min);
    assert_int_equal (c->max, w->max);
    assert_int_equal (c->running, w->running);
    assert_int_equal (c->overlap, w->overlap);
    assert_int_equal (c->times ? c->times->count : 0, w->count);
    assert_int_equal (c->sizes ? c->sizes->count : 0, w->sizes);
    assert_int_equal (c->sizes ? c->sizes->sum : 0, w->sizes_sum);
    if (spread) {
        assert_int_equal (c->spread_read, w->spread_read);
        assert_int_equal (c->spread_written, w->spread_written);
    }
}

static void
same_answer (const struct query_answer *a, const struct query *q, int spread)
{
    assert_int_equal (a->count, wants);
    for (size_t i = 0; i < wants; i++)
        want[i].seen = 0;
    for (size_t i = 0; i < a->count; i++) {
        same_cell (&a->cell[i], q->keys, spread);
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
    int with; /* keys that regions share; -1: no overlap is asked for */
} asked[] = {
    {"", {NULL}, 0, 0},
    {"function", {"function", NULL}, 0, 0},
    {"file,class", {"file", "class", NULL}, 1, 0},
    {"rank,size", {"rank", "size", NULL}, 0, 1},
    {"thread,directory,kind", {"thread", "directory", "kind", NULL}, 0, 1},
    {"interval", {"interval", NULL}, 0, -1},
    {"process,interval,layer", {"process", "interval", "layer", NULL}, 1, -1},
    {"arg.step,pattern", {"arg.step", "pattern", NULL}, 0, -1},
};

enum { ASKED = sizeof (asked) / sizeof (asked[0]) };

/* Through a file and back: the same cells, nothing is lost on the way. */
static void same_packed (const struct query_answer *a, size_t i)
{
    struct query_state *s = query_state_create (a->state->query, NULL, NULL);
    FILE *file = tmpfile ();
    struct packer p = {0};
    struct unpacker u = {0};
    struct query_answer again;
    uint64_t type;

    assert_non_null (s);
    assert_non_null (file);
    assert_int_equal (query_state_pack (a->state, &p, file), 0);
    rewind (file);
    while (unpack_section (&u, &type, file) > 0)
        assert_int_equal (query_state_unpack (s, &u, type), 0);
    assert_int_equal (query_state_answer (s, &again, 1), 0);
    same_answer (&again, a->state->query, has_interval (asked[i].key));
    query_answers_clear (&again, 1);
    unpacker_clear (&u);
    packer_clear (&p);
    (void)fclose (file);
}

/* All of them in one reading, by one worker and by several. */
static void ask (struct job *job, int threads, uint64_t cut)
{
    struct where where = {.terms = 0}, regions = {.terms = 0};
    struct query q[ASKED] = {{.keys = 0}};
    struct query_answer a[ASKED];
    struct errtext err;

    pass_cut (cut);
    assert_int_equal (where_add (&where, "file=/d/*", &err), 0);
    assert_int_equal (where_add (&regions, "class=app", &err), 0);
    for (size_t i = 0; i < ASKED; i++) {
        if (*asked[i].words)
            assert_int_equal (query_parse_keys (&q[i], asked[i].words, &err),
                              0);
        q[i].measures = QUERY_UNION | QUERY_TIMES | QUERY_SIZES;
        q[i].interval = INTERVAL;
        q[i].where = asked[i].filtered ? &where : NULL;
        q[i].measures |= asked[i].with >= 0 ? QUERY_OVERLAP : 0;
        q[i].with = &regions;
        q[i].with_keys = asked[i].with;
    }
    assert_int_equal (
        query_job (a, q, ASKED,
                   &(struct query_input){.job = job, .threads = threads}, &err),
        0);
    for (size_t i = 0; i < ASKED; i++) {
        count_all (asked[i].key, asked[i].filtered);
        if (asked[i].with >= 0)
            overlap (asked[i].key, asked[i].with);
        same_answer (&a[i], &q[i], has_interval (asked[i].key));
        if (threads == 1)
            same_packed (&a[i], i);
    }
    query_answers_clear (a, ASKED);
    where_clear (&where);
    where_clear (&regions);
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
