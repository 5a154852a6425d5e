/* SPDX-License-Identifier: MIT
 *
 * clock.c - tests of lib/base/clock.c, and of the times that come out
 * again
 */
#include "tests/unit/tap.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/format/event.h"
#include "tests/unit/rec.h"

enum { EVENTS = 400, SLACK_NS = 5000, WAIT_US = 20000 };

/* Of each event: CLOCK_MONOTONIC before its start, between, after its end. */
static struct moments {
    uint64_t before, middle, after;
} * seen;

static void interval_grows (void **state)
{
    struct clock_pair p;
    uint64_t interval;

    do { /* a thread that waits for a processor in between begins again */
        clock_start ();
        p = clock_pair ();
        if (!clock_cycles) {
            assert_true (clock_interval (&p) == UINT64_MAX);
            assert_true (clock_hz (&p) == CLOCK_NS_PER_S);
            assert_true (p.tick == p.ns);
            return;
        }
        p.ns += 1000000; /* as if a millisecond of cycles at 2 GHz had passed */
        p.tick += 2000000;
        interval = clock_interval (&p);
    } while (interval > 20000000);
    assert_true (interval >= 2000000); /* since the start */
    p.ns += 1000000;
    p.tick += 2000000;
    assert_true (clock_interval (&p) == interval + 2000000);
    p.ns += 3600 * (uint64_t)CLOCK_NS_PER_S;
    p.tick += 7200 * (uint64_t)CLOCK_NS_PER_S;
    assert_in_range (clock_hz (&p), 1990000000u, 2010000000u);
    assert_in_range (clock_interval (&p), 99000000, 101000000); /* 50 ms */
}

/* --- beside the wall clock ----------------------------------------------- */

static int interrupted; /* reads of CLOCK_REALTIME to come */

/* The kernel's, and then the thread waits for a processor. */
static int interrupted_clock (clockid_t id, struct timespec *ts)
{
    int rc = (int)syscall (SYS_clock_gettime, id, ts);

    if (id == CLOCK_REALTIME && interrupted > 0) {
        interrupted--;
        (void)usleep (WAIT_US);
    }
    return rc;
}

static int64_t real_ahead (void)
{
    return (int64_t)(clock_real (0) - clock_ns (CLOCK_REALTIME) +
                     clock_ns (CLOCK_MONOTONIC));
}

/* What a process waits between two clocks does not move all its events. */
static void real_is_close (void **state)
{
    int64_t ahead = INT64_MAX;
    clock_function *real = clock_find_reader ();

    clock_reader = interrupted_clock;
    for (int i = 0; i < 20 && llabs (ahead) > WAIT_US * 100; i++) {
        interrupted = 1;
        ahead = real_ahead ();
        assert_int_equal (interrupted, 0);
    }
    clock_reader = real;
    assert_in_range (llabs (ahead), 0, WAIT_US * 100);
}

/* --- times of events ------------------------------------------------------ */

/* Events from 1 us to 30 ms apart and long, so that pairs are old and new. */
static void body (void *cookie)
{
    for (int i = 0; i < EVENTS; i++) {
        struct record r = {.call = CALL_read, .fd = i, .size = 1, .ret = 1};

        if (i % 40 == 39)
            usleep ((useconds_t)(i * 75));
        seen[i].before = clock_ns (CLOCK_MONOTONIC);
        r.start = clock_tick ();
        seen[i].middle = clock_ns (CLOCK_MONOTONIC);
        if (i % 50 == 49)
            usleep (1000);
        r.end = clock_tick ();
        seen[i].after = clock_ns (CLOCK_MONOTONIC);
        if (recorder_enter ()) {
            recorder_record (&r);
            recorder_leave ();
        }
    }
}

static void check (const struct event *ev)
{
    const struct moments *m = &seen[ev->fd];

    assert_true (ev->start + SLACK_NS >= m->before);
    assert_true (ev->start <= m->middle + SLACK_NS);
    assert_true (ev->end + SLACK_NS >= m->middle);
    assert_true (ev->end <= m->after + SLACK_NS);
}

static int check_chunk (const struct tracefile *f, const struct trace_chunk *c)
{
    unsigned char *buf = malloc (SHARD_CHUNK_MAX);
    struct decoder d = {.p = NULL};
    struct event ev;
    ssize_t n;
    int events = 0;

    assert_non_null (buf);
    n = tracefile_read (f, c, buf);
    assert_true (n > 0);
    assert_int_equal (decoder_begin (&d, &c->head, buf, (size_t)n), 0);
    for (; decoder_next (&d, &ev) > 0; events++)
        check (&ev);
    decoder_end (&d);
    free (buf);
    return events;
}

static int check_file (const char *path)
{
    struct tracefile *f = tracefile_open (path, NULL);
    int events = 0;

    assert_non_null (f);
    for (size_t i = 0; i < tracefile_chunks (f); i++)
        events += check_chunk (f, tracefile_chunk (f, i));
    tracefile_close (f);
    return events;
}

static void times_come_out (void **state)
{
    char path[REC_PATH];

    assert_int_equal (rec_run (body, NULL, 1), 0);
    assert_int_equal (check_file (rec_shard (path)), EVENTS);
}

static int setup (void **state)
{
    seen = mmap (NULL, EVENTS * sizeof (*seen), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return seen == MAP_FAILED ? -1 : rec_setup (state);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (interval_grows),
        cmocka_unit_test (real_is_close),
        cmocka_unit_test_setup_teardown (times_come_out, setup, rec_teardown),
    };

    return tap_run (tests);
}
