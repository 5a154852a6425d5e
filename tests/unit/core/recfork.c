/* SPDX-License-Identifier: MIT
 *
 * recfork.c - what the recorder does around fork, vfork, and threads that fork
 */
#include "tests/unit/tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/rec.h"

enum { THREADS = 16, EVENTS = 30000 };

static struct rec_tally t;

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

enum fork_kind { FORK_HOOK, FORK_RAW, FORK_OLD, FORK_VFORK };

struct fork_case {
    enum fork_kind kind;
    int before; /* events of the parent before */
};

static void child_part (void)
{
    rec_reads (1, 300);
    recorder_finish ();
    _exit (0);
}

static void vforked (const struct fork_case *c)
{
    pid_t pid = vfork ();
    int status;

    if (pid == 0) {
        rec_read (1, 0); /* as close () or open () in a vfork child do */
        _exit (0);
    }
    if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
        _exit (1);
}

static void forked (const struct fork_case *c)
{
    pid_t pid = c->kind == FORK_RAW
                    ? (pid_t)syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0)
                    : fork ();
    int status;

    if (pid == 0) {
        if (c->kind != FORK_RAW)
            recorder_atfork_child ();
        child_part ();
    }
    for (int i = 0; i < 400; i++)
        rec_read (0, (uint64_t)(c->before + i));
    if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
        _exit (1);
}

static void fork_body (void *cookie)
{
    const struct fork_case *c = cookie;

    if (c->kind == FORK_OLD) /* a kernel that wipes nothing on fork */
        rec_refuse (SYS_madvise, EINVAL);

    rec_reads (0, (uint64_t)c->before);
    if (c->kind == FORK_VFORK) {
        vforked (c);
        for (int i = 0; i < 400; i++)
            rec_read (0, (uint64_t)(c->before + i));
    } else
        forked (c);
}

static void test_fork (void **state)
{
    for (int kind = FORK_HOOK; kind <= FORK_OLD; kind++) {
        for (int before = 0; before <= 5000; before += 2500) {
            struct fork_case c = {(enum fork_kind)kind, before};

            rec_good (&t, fork_body, &c, 1);
            assert_int_equal (t.files, REC_FILES (2)); /* each has its own */
            assert_int_equal (t.per[0], before + 400);
            assert_int_equal (t.per[1], 300);
            assert_int_equal (t.gaps, 0);
            assert_int_equal (t.unfinished + t.lost + t.missing + t.cut, 0);
            assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
        }
    }
}

static void test_vfork (void **state)
{
    if (REC_TSAN) {
        print_message ("# not run: ThreadSanitizer makes a fork of vfork\n");
        return; /* cmocka's skip () is "not ok" */
    }
    for (int before = 0; before <= 5000; before += 2500) {
        struct fork_case c = {FORK_VFORK, before};

        rec_good (&t, fork_body, &c, 1);
        assert_int_equal (t.files, 1); /* it is the parent's memory */
        assert_int_equal (t.per[0], before + 400);
        assert_int_equal (t.per[1], 1);
        assert_int_equal (t.gaps, 0);
        assert_int_equal (t.unfinished + t.lost + t.missing, 0);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

static void fork_under_threads (void *cookie)
{
    pthread_t threads[THREADS];
    int status;

    rec_read (THREADS, 0); /* makes the file, for which nobody waits then */
    start_threads (threads);
    for (int i = 0; i < 10; i++) {
        pid_t pid = fork ();

        if (pid == 0) {
            recorder_atfork_child ();
            child_part ();
        }
        if (pid < 0 || waitpid (pid, &status, 0) != pid || status != 0)
            _exit (1);
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join (threads[i], NULL);
}

static void test_fork_under_threads (void **state)
{
    if (REC_TSAN) {
        print_message (
            "# not run: ThreadSanitizer takes the parent's threads for "
            "the child's\n");
        return; /* cmocka's skip () is "not ok" */
    }
    rec_good (&t, fork_under_threads, NULL, 1);
    assert_int_equal (t.files, REC_FILES (11));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal (t.per[i], EVENTS + (i == 1 ? 10 * 300 : 0));
    assert_int_equal (t.gaps + t.lost + t.missing + t.cut + t.unfinished, 0);
}

#define CASE(F) cmocka_unit_test_setup_teardown (F, rec_setup, rec_teardown)

int main (void)
{
    const struct CMUnitTest tests[] = {
        CASE (test_fork),
        CASE (test_vfork),
        CASE (test_fork_under_threads),
    };

    return tap_run (tests);
}
