/* SPDX-License-Identifier: MIT
 *
 * pass.c - every event once to each user, in order, whoever reads what
 */
#include "tests/unit/madejob.h"

#include <errno.h>
#include <stdatomic.h>

#include "analyze/scan/pass.h"
#include "lib/util/pool.h"

/* What a user has seen of each split; one worker at a time has it. */
struct seen_split {
    int begins, ends;
    uint64_t events, last;
};

struct seen {
    struct pass *pass;
    struct seen_split split[64];
    size_t at[PASS_WORKERS_MAX]; /* split that the worker reads */
    atomic_uint_fast64_t events, sum;
    int fail_at; /* batches until it fails; 0: never */
    atomic_int batches;
};

static void seen_begin (void *cookie, size_t split, int worker)
{
    struct seen *s = cookie;

    s->at[worker] = split;
    s->split[split].begins++;
}

static int seen_take (void *cookie, int worker, const struct batch *b)
{
    struct seen *s = cookie;
    struct seen_split *p = &s->split[s->at[worker]];
    const struct pass_split *of = &s->pass->split[s->at[worker]];

    if (s->fail_at && atomic_fetch_add (&s->batches, 1) + 1 == s->fail_at) {
        errno = EXDEV;
        return -1;
    }
    assert_int_equal (p->begins, 1);
    assert_int_equal (p->ends, 0);
    assert_int_equal (b->process, of->process);
    assert_int_equal (b->tid, of->tid);
    for (size_t i = 0; i < b->count; i++) {
        assert_true (b->end[i] >= p->last);
        p->last = b->end[i];
        p->events++;
        atomic_fetch_add (&s->sum, b->start[i] ^ b->end[i] << 1);
    }
    atomic_fetch_add (&s->events, b->count);
    return 0;
}

static void seen_end (void *cookie, size_t split, int worker)
{
    struct seen *s = cookie;

    assert_int_equal (s->at[worker], split);
    s->split[split].ends++;
}

/* Splits of a thread follow each other and have all of its chunks. */
static void check_splits (const struct pass *p, uint64_t cut)
{
    size_t chunks = 0;

    for (size_t i = 0; i < p->splits; i++) {
        const struct pass_split *x = &p->split[i];
        int same = i > 0 && x->process == p->split[i - 1].process &&
                   x->tid == p->split[i - 1].tid;

        assert_int_equal (x->continues, same);
        assert_int_equal (x->whole, cut > MADEJOB_CHUNKS * MADEJOB_EVENTS);
        chunks += x->chunks;
    }
    assert_int_equal (chunks,
                      MADEJOB_PROCESSES * MADEJOB_THREADS * MADEJOB_CHUNKS);
}

static void look (struct job *job, uint64_t cut, int workers, uint64_t sum)
{
    static struct seen a, b;
    struct pass p;

    memset (&a, 0, sizeof (a));
    memset (&b, 0, sizeof (b));
    a.pass = b.pass = &p;
    pass_cut (cut);
    pass_open (&p, job, NULL, workers);
    check_splits (&p, cut);
    assert_int_equal (
        pass_run (&p,
                  (struct pass_user[]){
                      {&a, seen_begin, seen_take, seen_end, BATCH_ALL},
                      {&b, seen_begin, seen_take, NULL, BATCH_ALL}},
                  2),
        0);
    for (size_t i = 0; i < p.splits; i++) {
        assert_int_equal (a.split[i].begins, 1);
        assert_int_equal (a.split[i].ends, 1);
        assert_int_equal (a.split[i].events, p.split[i].events);
        assert_int_equal (b.split[i].begins, 1);
        assert_int_equal (b.split[i].ends, 0);
    }
    assert_int_equal (a.events, MADEJOB_ALL);
    assert_int_equal (b.events, MADEJOB_ALL);
    assert_true (a.sum == sum && b.sum == sum);
    assert_int_equal (p.health[0].events, MADEJOB_ALL);
    pass_close (&p);
}

static void every_event_once (void **state)
{
    uint64_t sum = 0;
    struct job *job;

    (void)state;
    madejob_make (1);
    for (size_t i = 0; i < MADEJOB_ALL; i++)
        sum += madejob[i].ev.start ^ madejob[i].ev.end << 1;
    job = madejob_open ();
    for (int workers = 1; workers <= 4; workers++) {
        look (job, 1 << 20, workers, sum);
        look (job, MADEJOB_EVENTS + 1, workers, sum);
        look (job, 1, workers, sum);
    }
    madejob_close ();
}

/* Who fails ends the pass, with its errno. */
static void a_user_fails (void **state)
{
    static struct seen s;
    const struct pass_user user = {&s, seen_begin, seen_take, NULL, BATCH_ALL};
    struct pass p;

    (void)state;
    madejob_make (2);
    pass_cut (1);
    for (int at = 1; at < 9; at += 3) {
        memset (&s, 0, sizeof (s));
        s.pass = &p;
        s.fail_at = at;
        pass_open (&p, madejob_open (), NULL, 3);
        errno = 0;
        assert_int_equal (pass_run (&p, &user, 1), -1);
        assert_int_equal (errno, EXDEV);
        pass_close (&p);
        madejob_close ();
    }
}

/* A damaged chunk is counted, what lies before and behind it is read. */
static void damage (void **state)
{
    static struct seen s;
    const struct pass_user user = {&s, seen_begin, seen_take, NULL, BATCH_ALL};
    const struct trace_chunk *c;
    struct job *job;
    struct pass p;
    int fd;

    (void)state;
    madejob_make (3);
    pass_cut (1 << 20);
    job = madejob_open ();
    c = tracefile_chunk (job->source[0].file, 5);
    fd = open ("trace.dft", O_WRONLY);
    assert_int_equal (pwrite (fd, "x", 1, (off_t)c->offset + 300), 1);
    (void)close (fd);
    s.pass = &p;
    pass_open (&p, job, NULL, 2);
    assert_int_equal (pass_run (&p, &user, 1), 0);
    assert_int_equal (s.events, MADEJOB_ALL - MADEJOB_EVENTS);
    assert_int_equal (p.health[0].chunks_bad, 1);
    assert_int_equal (p.health[0].undecoded, MADEJOB_EVENTS);
    pass_close (&p);
    madejob_close ();
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        scratch_test (every_event_once),
        scratch_test (a_user_fails),
        scratch_test (damage),
    };

    pool_use (4);
    return tap_run (tests);
}
