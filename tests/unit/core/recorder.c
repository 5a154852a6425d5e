/* SPDX-License-Identifier: MIT
 *
 * recorder.c - what processes, threads and their children leave behind
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/format/calls.h"
#include "tests/unit/rec.h"
#include "tests/unit/rng.h"

enum {
    THREADS = 16,
    EVENTS = 30000,
    KILLS = 60,
    FINISHES = REC_TSAN ? 6 : 30,
    START_MS = 30000,
    SLOW_DISK = 20 /* times in a row that a file takes too long to make */
};

static struct rec_tally t;

/* --- start and end ------------------------------------------------------ */

static void test_bad_start (void **state)
{
    static struct settings s;

    settings_init (&s);
    assert_int_equal (recorder_start (&s, NULL), -1); /* no layer */
    (void)settings_set (&s, "layers", "posix", NULL);
    assert_int_equal (recorder_start (&s, NULL), -1); /* no directory */
    (void)settings_set (&s, "job_dir", "relative", NULL);
    assert_int_equal (recorder_start (&s, NULL), -1);
    (void)settings_set (&s, "job_dir", "/x", NULL);
    (void)settings_set (&s, "layers", "posix,off", NULL);
    assert_int_equal (recorder_start (&s, NULL), -1);
    assert_int_equal (recorder_layers, 0);
    recorder_finish (); /* none of these may do anything */
    recorder_thread_end ();
    recorder_atfork_child ();
}

static void nothing (void *cookie)
{
    if (recorder_layers != (LAYER_POSIX | LAYER_STDIO | LAYER_APP))
        _exit (1);
}

static void test_no_event (void **state)
{
    rec_good (&t, nothing, NULL, 1);
    assert_int_equal (t.files, 0); /* no event, no file, no directory */
    assert_int_equal (access (rec_settings.job_dir, F_OK), -1);
}

static void some (void *cookie)
{
    int before = open ("/dev/null", O_RDONLY), after;

    errno = 0;
    rec_reads (5, *(int *)cookie);
    (void)close (before);
    after = open ("/dev/null", O_RDONLY);
    if (after != before) /* a descriptor of ours stayed open */
        _exit (1);
}

static void test_one_thread (void **state)
{
    static const int counts[] = {1, 2, 5000, 200000};

    for (size_t i = 0; i < sizeof (counts) / sizeof (counts[0]); i++) {
        int n = counts[i];

        rec_good (&t, some, &n, 1);
        assert_int_equal (t.per[5], n);
        assert_int_equal (t.gaps, 0);
        assert_int_equal (t.unfinished + t.lost + t.missing + t.cut, 0);
        assert_true (t.bytes <= 16384 + (unsigned)n * 12 + 16384);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

static void test_no_finish (void **state)
{
    int n = 5000;

    rec_good (&t, some, &n, 0);
    assert_int_equal (t.per[5], n);
    assert_int_equal (t.unfinished, 1);
    assert_int_equal (t.lost + t.missing + t.cut, 0);
}

static void exec_begins (void *cookie)
{
    rec_reads (0, 10);
    recorder_exec (1);
}

static void exec_fails (void *cookie)
{
    exec_begins (cookie);
    recorder_exec (0);
}

static void test_exec (void **state)
{
    rec_good (&t, exec_begins, NULL, 0);
    assert_int_equal (t.unfinished, 0);
    assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    rec_good (&t, exec_fails, NULL, 0);
    assert_int_equal (t.unfinished, 1);
}

static void finish_and_go_on (void *cookie)
{
    rec_reads (0, 10);
    recorder_finish ();
    recorder_finish ();
    if (recorder_layers != 0)
        _exit (1);
}

static void test_finish_twice (void **state)
{
    rec_good (&t, finish_and_go_on, NULL, 1);
    assert_int_equal (t.events, 10);
    assert_int_equal (t.unfinished, 0);
}

static void nested (void *cookie)
{
    rec_read (0, 0);
    if (!recorder_enter ())
        _exit (1);
    rec_read (0, 99); /* a signal handler, say, inside our own code */
    recorder_leave ();
    rec_read (0, 1);
    recorder_count_untraced ();
    recorder_count_ring ();
    recorder_exec (1);
    recorder_exec (0); /* it failed */
}

static void test_nested (void **state)
{
    rec_good (&t, nested, NULL, 1);
    assert_int_equal (t.events, 2);
    assert_int_equal (t.gaps, 0);
    assert_int_equal (t.lost, 1);
    assert_int_equal (t.untraced, 1);
}

/* --- threads ------------------------------------------------------------- */

static pthread_barrier_t barrier;

static void *thread (void *cookie)
{
    (void)pthread_barrier_wait (&barrier);
    rec_reads ((int)(intptr_t)cookie, EVENTS);
    recorder_thread_end ();
    return NULL;
}

static void start_threads (pthread_t *threads)
{
    (void)pthread_barrier_init (&barrier, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create (&threads[i], NULL, thread, (void *)i) != 0)
            _exit (1);
}

static void all_threads (void *cookie)
{
    pthread_t threads[THREADS];

    start_threads (threads);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join (threads[i], NULL);
}

/* All begin at once: one makes the file, none of the others loses an event,
 * unless that takes longer than they wait. */
static void test_threads (void **state)
{
    rec_good (&t, all_threads, NULL, 1);
    for (int i = 1; i < SLOW_DISK && t.lost > 0; i++) {
        assert_int_equal (t.events + t.counted + t.lost, THREADS * EVENTS);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
        rec_good (&t, all_threads, NULL, 1);
    }
    assert_int_equal (t.files, 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal (t.per[i], EVENTS);
    assert_int_equal (t.gaps, 0);
    assert_int_equal (t.unfinished + t.lost + t.missing + t.cut, 0);
}

static void finish_under_way (void *cookie)
{
    pthread_t threads[THREADS];

    rec_read (THREADS, 0); /* makes the file, for which nobody waits then */
    start_threads (threads);
    for (int i = 0; i < THREADS; i++)
        (void)pthread_detach (threads[i]);
    for (uint64_t i = 1; i < 500; i++)
        rec_read (THREADS, i);
    recorder_finish (); /* and _exit while they run */
}

/* The end of the process cuts the file; never under a running thread. */
static void test_finish_while_running (void **state)
{
    for (int i = 0; i < FINISHES; i++) {
        rec_good (&t, finish_under_way, NULL, 0);
        assert_int_equal (t.per[THREADS], 500);
        assert_int_equal (t.gaps, 0);
        assert_int_equal (t.unfinished + t.cut + t.bad_chunks, 0);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* --- death ---------------------------------------------------------------- */

struct counters {
    _Atomic uint64_t before, after;
};

static void endless (void *cookie)
{
    struct counters *n = cookie;

    for (uint64_t i = 0;; i++) {
        atomic_store (&n->before, i + 1);
        rec_read (2, i);
        atomic_store (&n->after, i + 1);
    }
}

/* At whatever instruction: all that was recorded is there, in order. */
static void test_kill (void **state)
{
    struct counters *n = mmap (NULL, 4096, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t r = 99, total = 0;

    assert_true (n != MAP_FAILED);
    for (int i = 0; i < KILLS; i++) {
        int status, pid;

        n->before = n->after = 0;
        pid = rec_spawn (endless, n, 0);
        for (int ms = 0; i % 8 == 0 && !n->after && ms < START_MS; ms++)
            (void)usleep (1000); /* slow starters, too, get to their events */
        (void)usleep ((useconds_t)rng_below (&r, 12000));
        (void)kill (pid, SIGKILL);
        assert_int_equal (waitpid (pid, &status, 0), pid);
        assert_int_equal (WTERMSIG (status), SIGKILL);
        rec_tally (&t);
        if (t.events < n->after || t.events > n->before)
            fail_msg (
                "%llu decoded, of %llu to %llu", (unsigned long long)t.events,
                (unsigned long long)n->after, (unsigned long long)n->before);
        assert_int_equal (t.gaps + t.lost + t.missing + t.bad_chunks, 0);
        total += t.events;
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
    assert_true (total > 0);
    (void)munmap (n, 4096);
}

static void dies_with_space_to_come (void *cookie)
{
    rec_kill_unless_0 (SYS_fallocate, 2);
    rec_read (0, 0);
}

/* Another thread ends the process between the place and the space of a chunk:
 * the file is as long as it ever was. */
static void test_kill_before_space (void **state)
{
    int status = rec_run (dies_with_space_to_come, NULL, 1);

    if (WIFEXITED (status))
        return; /* no fallocate here: chunks are memory */
    assert_int_equal (WTERMSIG (status), SIGSYS);
    rec_tally (&t);
    assert_int_equal (t.files, 1);
    assert_int_equal (t.refused + t.missing + t.bad_chunks, 0);
    assert_int_equal (t.cut, 0);
}

#define CASE(F) cmocka_unit_test_setup_teardown (F, rec_setup, rec_teardown)

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_bad_start),
        CASE (test_no_event),
        CASE (test_one_thread),
        CASE (test_no_finish),
        CASE (test_exec),
        CASE (test_finish_twice),
        CASE (test_nested),
        CASE (test_threads),
        CASE (test_finish_while_running),
        CASE (test_kill),
        CASE (test_kill_before_space),
    };

    return tap_run (tests);
}
