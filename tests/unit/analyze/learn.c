/* SPDX-License-Identifier: MIT
 *
 * learn.c - files that only checkpoint regions write, threads with the steps:
 *           against a search of all pairs of writes and regions
 */
#include "config.h"

#include <string.h>

#include "analyze/scan/learn.h"
#include "tests/unit/rng.h"
#include "tests/unit/tap.h"

enum { FILES = 6, EVENTS_MAX = 400, DEPTH = 4, THREADS = 3, SPLITS_MAX = 64 };

struct made {
    uint64_t start, end;
    uint16_t call;
    uint32_t name, name2;
    int64_t ret;
    uint64_t flags;
};

/* A pass without files: its threads are given here, split by split. */
struct fake {
    struct pass pass;
    struct part part;
    struct trace_process who;
    struct pass_split split[SPLITS_MAX];
    struct made made[THREADS][EVENTS_MAX];
    size_t count[THREADS];
    uint32_t file[FILES], ckpt, item, step;
    uint64_t now;
    struct learn *learn;
    struct strmap *names;
};

static uint32_t
fake_name (struct fake *f, int kind, const char *text, size_t length)
{
    uint32_t n = dict_number (f->pass.dict, (enum shard_name_kind)kind,
                              kind == SHARD_NAME_FILE ? FILE_CLASS_STORAGE
                                                      : FILE_CLASS_UNKNOWN,
                              text, length);

    assert_int_not_equal (n, 0);
    return n;
}

static void fake_begin (struct fake *f)
{
    static const char *const path[FILES] = {"/o/a", "/o/b",     "/o/c.json",
                                            "/o/d", "/o/e.pth", "/o/f.log"};

    memset (f, 0, sizeof (*f));
    f->pass.dict = dict_create (NULL);
    f->names = strmap_create ();
    assert_non_null (f->pass.dict);
    assert_non_null (f->names);
    f->pass.split = f->split;
    f->pass.parts.item = &f->part;
    f->pass.parts.count = 1;
    f->pass.workers = 2;
    f->part.who = &f->who;
    f->who.p.pid = 100;
    for (int i = 0; i < FILES; i++)
        f->file[i] = fake_name (f, SHARD_NAME_FILE, path[i], strlen (path[i]));
    f->ckpt = fake_name (f, SHARD_NAME_EVENT, "checkpoint\0save", 15);
    f->item = fake_name (f, SHARD_NAME_EVENT, "data\0item", 9);
    f->step = fake_name (f, SHARD_NAME_EVENT, "compute\0step", 12);
}

static void fake_end (struct fake *f)
{
    learn_destroy (f->learn);
    strmap_destroy (f->names);
    dict_destroy (f->pass.dict);
}

static struct made *
fake_add (struct fake *f, int thread, uint16_t call, uint32_t name)
{
    struct made *m = &f->made[thread][f->count[thread]++];

    assert_true (f->count[thread] <= EVENTS_MAX);
    *m = (struct made){f->now, f->now + 5, call, name, 0, 0, 0};
    f->now += 10;
    return m;
}

/* A region around what `inside` adds. */
static void fake_region (struct fake *f, int thread, uint32_t name, uint64_t at)
{
    struct made *m = fake_add (f, thread, CALL_region, name);

    m->start = at;
}

/* Give the threads in splits of at most `cut` events, by both workers. */
static void fake_read (struct fake *f, size_t cut)
{
    struct pass_user user;
    size_t at[SPLITS_MAX], n[SPLITS_MAX];
    int thread[SPLITS_MAX];

    f->pass.splits = 0;
    for (int t = 0; t < THREADS; t++)
        for (size_t i = 0; i < f->count[t]; i += cut) {
            size_t p = f->pass.splits++;

            assert_true (p < SPLITS_MAX);
            at[p] = i;
            n[p] = f->count[t] - i < cut ? f->count[t] - i : cut;
            thread[p] = t;
            f->split[p] = (struct pass_split){.tid = 100 + (uint32_t)t,
                                              .continues = i > 0};
        }
    f->learn = learn_create (&f->pass);
    assert_non_null (f->learn);
    user = learn_user (f->learn);
    for (size_t p = 0; p < f->pass.splits; p++) {
        int worker = (int)(p % 2);

        user.begin (user.cookie, p, worker);
        for (size_t i = 0; i < n[p]; i++) {
            struct made *m = &f->made[thread[p]][at[p] + i];
            int32_t fd = 5;
            struct batch b = {.count = 1,
                              .fd = &fd,
                              .tid = 100 + (uint32_t)thread[p],
                              .start = &m->start,
                              .end = &m->end,
                              .call = &m->call,
                              .name = &m->name,
                              .name2 = &m->name2,
                              .ret = &m->ret,
                              .flags = &m->flags};

            assert_int_equal (user.take (user.cookie, worker, &b), 0);
        }
        user.end (user.cookie, p, worker);
    }
}

static int fake_found (const struct fake *f, int file)
{
    const struct dict_entry *e = dict_entry (f->pass.dict, f->file[file]);

    return strmap_find (f->names, e->text, e->length) >= 0;
}

/* --- at random ------------------------------------------------------------ */

static void draw (struct fake *f, int thread, int depth, uint64_t *seed)
{
    uint64_t at = f->now;

    for (uint64_t n = rng_below (seed, 4); depth < DEPTH && n > 0; n--)
        if (rng_below (seed, 2))
            draw (f, thread, depth + 1, seed);
        else
            fake_add (f, thread, rng_below (seed, 3) ? CALL_write : CALL_read,
                      f->file[rng_below (seed, FILES)])
                ->ret = rng_below (seed, 5) ? 8 : -1;
    if (depth)
        fake_region (f, thread, rng_below (seed, 3) ? f->ckpt : f->item, at);
}

/* Is there a checkpoint region of the thread around the write? */
static int inside (const struct fake *f, int thread, const struct made *w)
{
    for (size_t i = 0; i < f->count[thread]; i++) {
        const struct made *m = &f->made[thread][i];

        if (m->call == CALL_region && m->name == f->ckpt &&
            m->start <= w->start && m->end >= w->end)
            return 1;
    }
    return 0;
}

static int expected (const struct fake *f, int file)
{
    int in = 0, out = 0;

    for (int t = 0; t < THREADS; t++)
        for (size_t i = 0; i < f->count[t]; i++) {
            const struct made *m = &f->made[t][i];

            if (m->call != CALL_write || m->ret < 0 || m->name != f->file[file])
                continue;
            in |= inside (f, t, m);
            out |= !inside (f, t, m);
        }
    return file < 4 && in && !out; /* the others have names that say it */
}

static void as_all_pairs (void **state)
{
    static struct fake f;
    int found = 0;

    (void)state;
    for (uint64_t round = 1; round <= 400; round++) {
        uint64_t seed = round;

        fake_begin (&f);
        for (int t = 0; t < THREADS; t++)
            for (int i = 0; i < 3; i++)
                draw (&f, t, rng_below (&seed, 3) ? 1 : 0, &seed);
        fake_read (&f, 1 + rng_below (&seed, 60) + EVENTS_MAX / 20);
        assert_true (learn_checkpoints (f.learn, f.names) >= 0);
        for (int i = 0; i < FILES; i++) {
            assert_int_equal (fake_found (&f, i), expected (&f, i));
            found += fake_found (&f, i);
        }
        fake_end (&f);
    }
    assert_true (found > 100);
}

/* --- renames -------------------------------------------------------------- */

static void follows_renames (void **state)
{
    static struct fake f;

    (void)state;
    fake_begin (&f);
    fake_add (&f, 0, CALL_write, f.file[0]);
    fake_region (&f, 0, f.ckpt, 0);
    fake_add (&f, 0, CALL_rename, f.file[0])->name2 = f.file[1];
    fake_add (&f, 1, CALL_write, f.file[3]);
    fake_add (&f, 1, CALL_renameat, f.file[3])->name2 = f.file[4];
    fake_add (&f, 1, CALL_write, f.file[2]);
    fake_read (&f, 100);
    assert_int_equal (learn_checkpoints (f.learn, f.names), 1);
    assert_true (fake_found (&f, 0));  /* a region wrote it */
    assert_true (fake_found (&f, 1));  /* its new name */
    assert_true (fake_found (&f, 3));  /* e.pth once it is renamed */
    assert_false (fake_found (&f, 2)); /* plain output */
    assert_false (fake_found (&f, 4)); /* its name says so */
    learn_destroy (f.learn);
    fake_read (&f, 100);
    assert_int_equal (learn_checkpoints (f.learn, f.names), 0);
    fake_end (&f);
}

/* --- threads -------------------------------------------------------------- */

static uint32_t main_of (int first, int second, int third, size_t cut)
{
    static struct fake f;
    uint32_t main = 0;
    int any, steps[THREADS] = {first, second, third};

    fake_begin (&f);
    for (int t = 0; t < THREADS; t++) {
        fake_add (&f, t, CALL_read, f.file[0]);
        for (int i = 0; i < steps[t]; i++)
            fake_region (&f, t, f.step, f.now);
    }
    fake_read (&f, cut);
    any = learn_main_threads (f.learn, &main);
    assert_int_equal (any, main != 100);
    fake_end (&f);
    return main;
}

static void finds_the_steps (void **state)
{
    (void)state;
    assert_int_equal (main_of (0, 0, 0, 100), 100);
    assert_int_equal (main_of (1, 50, 9, 100), 100);
    assert_int_equal (main_of (0, 5, 9, 100), 102);
    assert_int_equal (main_of (0, 9, 5, 100), 101);
    assert_int_equal (main_of (0, 9, 5, 2), 101);
    assert_int_equal (main_of (0, 5, 5, 100), 101);
}

static uint32_t busiest_of (int first, int second, int third)
{
    static struct fake f;
    uint32_t main = 0;
    int any, reads[THREADS] = {first, second, third};

    fake_begin (&f);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < reads[t]; i++)
            fake_add (&f, t, CALL_read, f.file[0]);
    fake_read (&f, 100);
    any = learn_main_threads (f.learn, &main);
    assert_int_equal (any, main != 100);
    fake_end (&f);
    return main;
}

static void finds_who_works (void **state)
{
    (void)state;
    assert_int_equal (busiest_of (0, 50, 30), 101);
    assert_int_equal (busiest_of (0, 30, 80), 102);
    assert_int_equal (busiest_of (1, 30, 68), 100); /* no less than 1 % */
    assert_int_equal (busiest_of (1, 130, 68), 101);
    assert_int_equal (busiest_of (0, 1, 130), 102);
    assert_int_equal (busiest_of (0, 40, 40),
                      101); /* a pool: who began first */
    assert_int_equal (busiest_of (1, 95, 95), 100);
}

/* Thread 102 samples how the first one spent its time; thread 101 reads. */
static uint32_t beside_reads (uint16_t first_in, int of_ten)
{
    static struct fake f;
    uint32_t main = 0;

    fake_begin (&f);
    for (int i = 0; i < 50; i++)
        fake_add (&f, 1, CALL_read, f.file[0]);
    for (int i = 0; i < 100; i++)
        fake_add (&f, 2, i % 10 < of_ten ? first_in : CALL_wait_lock, 0)
            ->flags = 100 << WAIT_TID_SHIFT | WAIT_ESTIMATE;
    fake_read (&f, 100);
    (void)learn_main_threads (f.learn, &main);
    fake_end (&f);
    return main;
}

static void stays_with_the_one_that_computes (void **state)
{
    (void)state;
    assert_int_equal (beside_reads (CALL_wait_run, 10), 100);
    assert_int_equal (beside_reads (CALL_wait_runq, 1), 100);
    assert_int_equal (beside_reads (CALL_wait_run, 0), 101); /* it waits */
    assert_int_equal (beside_reads (CALL_wait_pipe, 10), 101);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (as_all_pairs),
        cmocka_unit_test (follows_renames),
        cmocka_unit_test (finds_the_steps),
        cmocka_unit_test (finds_who_works),
        cmocka_unit_test (stays_with_the_one_that_computes),
    };

    return tap_run (tests);
}
