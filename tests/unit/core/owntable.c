/* SPDX-License-Identifier: MIT
 *
 * owntable.c - descriptors that the program's threads cannot close
 */
#include "tests/unit/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/record/owntable.h"
#include "preload/record/shardpath.h"
#include "lib/base/sys.h"
#include "tests/unit/rec.h"

enum {
    CLOSERS = 2,
    STEPS = 2000,
    EVENTS = 200000, /* in some 200 chunks of 4 KiB or more */
    FIRST = 3
};

static int count (const char *dir)
{
    DIR *d = opendir (dir);
    int n = 0;

    assert_non_null (d);
    while (readdir (d))
        n++;
    (void)closedir (d);
    return n;
}

/* --- one step ---------------------------------------------------------- */

struct seen {
    int calls;
    int kept, other; /* descriptors that were there */
    uint64_t blocked;
    int fails;
};

static int look (void *cookie)
{
    struct seen *s = cookie;
    uint64_t blocked = 0;

    s->calls++;
    s->kept = (int)sys_call (SYS_fcntl, s->kept, F_GETFD) >= 0;
    s->other = (int)sys_call (SYS_fcntl, s->other, F_GETFD) >= 0;
    (void)sys_call (SYS_rt_sigprocmask, SIG_BLOCK, NULL, &blocked, 8);
    s->blocked = blocked;
    (void)sys_open ("/dev/null", O_RDONLY, 0); /* left behind */
    errno = s->fails;
    return s->fails ? -1 : 7;
}

static void test_run (void **state)
{
    int kept = open ("/dev/null", O_RDONLY), other = open ("/", O_RDONLY);
    int threads = count ("/proc/self/task"), fds = count ("/proc/self/fd");
    struct seen s = {.kept = kept, .other = other};
    sigset_t before, after;

    (void)pthread_sigmask (SIG_SETMASK, NULL, &before);
    assert_int_equal (owntable_run (look, &s, kept), 7);
    assert_int_equal (s.calls, 1);
    assert_int_equal (s.kept, 1);
    assert_int_equal (s.other, 0);
    assert_true (~s.blocked == (1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1)));
    s = (struct seen){.kept = kept, .other = other, .fails = ENOSPC};
    assert_int_equal (owntable_run (look, &s, 0), -1);
    assert_int_equal (errno, ENOSPC);
    assert_int_equal (s.kept + s.other, 0);
    (void)pthread_sigmask (SIG_SETMASK, NULL, &after);
    assert_memory_equal (&before, &after, 8);
    assert_int_equal (count ("/proc/self/fd"), fds);
    for (int i = 0; i < 1000 && count ("/proc/self/task") > threads; i++)
        (void)usleep (1000);
    assert_int_equal (count ("/proc/self/task"), threads);
    assert_int_equal (waitpid (-1, NULL, __WALL | WNOHANG), -1);
    assert_int_equal (errno, ECHILD); /* nothing to wait for */
    (void)close (kept);
    (void)close (other);
}

/* Whoever closes a file drops the locks of its process: that is not us. */
static void test_locks (void **state)
{
    char path[] = "/tmp/owntable-XXXXXX";
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = mkstemp (path), status;
    struct seen s = {.kept = fd, .other = fd};
    pid_t pid;

    assert_int_equal (fcntl (fd, F_SETLK, &lock), 0);
    assert_int_equal (owntable_run (look, &s, fd), 7);
    assert_int_equal (owntable_run (look, &s, 0), 7);
    pid = fork ();
    if (pid == 0)
        _exit (fcntl (fd, F_SETLK, &lock) == 0);
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_int_equal (status, 0);
    (void)close (fd);
    (void)unlink (path);
}

/* Where a call is refused: what the step is then. */
static int refused (long call, int error)
{
    pid_t pid = fork ();
    int status;

    if (pid == 0) {
        struct seen s = {.other = open ("/", O_RDONLY)};
        int rc;

        rec_refuse (call, error);
        rc = owntable_run (look, &s, 0);
        if (rc < 0 && (errno != ECHILD || s.calls))
            _exit (1);
        _exit (rc == 7 && s.calls == 1 ? 7 : 2);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    return WEXITSTATUS (status);
}

static void test_refused (void **state)
{
    assert_int_equal (refused (SYS_clone, EAGAIN), 2);
#ifdef SYS_close_range
    assert_int_equal (refused (SYS_close_range, ENOSYS), 7);
#endif
    assert_int_equal (refused (SYS_unshare, EPERM), 7); /* not needed */
}

/* --- beside threads that close everything ----------------------------------
 */

static atomic_int stop;

static void *closer (void *cookie)
{
    while (!stop)
        (void)syscall (SYS_close_range, FIRST, ~0U, 0);
    return NULL;
}

static void start (pthread_t *t)
{
    for (int i = 0; i < CLOSERS; i++)
        assert_int_equal (pthread_create (&t[i], NULL, closer, NULL), 0);
}

static void end (pthread_t *t)
{
    stop = 1;
    for (int i = 0; i < CLOSERS; i++)
        (void)pthread_join (t[i], NULL);
    stop = 0;
}

static int null_step (void *cookie)
{
    struct stat st;
    int fd = sys_open ("/dev/null", O_RDONLY, 0), rc;

    if (fd < 0)
        return -1;
    (void)usleep (*(const unsigned *)cookie);
    rc = sys_fstat (fd, &st);
    (void)sys_close (fd);
    return rc;
}

static void test_step (void **state)
{
    pthread_t t[CLOSERS];
    unsigned us = 100;

    start (t);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal (owntable_step (null_step, &us, 0), 0);
    end (t);
}

static int fails_step (void *cookie)
{
    struct seen *s = cookie;

    s->calls++;
    errno = s->fails;
    return -1;
}

/* Another reason is not for another try; that reason always, for a few. */
static void test_fails (void **state)
{
    struct seen s = {.fails = ENOSPC};

    assert_int_equal (owntable_step (fails_step, &s, 0), -1);
    assert_int_equal (errno, ENOSPC);
    assert_in_range (s.calls, 1, 2);
    s = (struct seen){.fails = EBADF};
    assert_int_equal (owntable_step (fails_step, &s, 0), -1);
    assert_int_equal (errno, EBADF);
    assert_in_range (s.calls, 2, 20);
}

#ifdef SYS_fstat
enum { LOOK = SYS_fstat };
#else
enum { LOOK = SYS_newfstatat };
#endif

static int unseen_step (int dir, const struct stat *place, void *cookie)
{
    return 0;
}

/* The place of shards, closed before it is looked at: that is for another try,
 * and no word on who may write there. */
static void test_place (void **state)
{
    pid_t pid = fork ();
    int status;

    if (pid == 0) {
        rec_refuse (LOOK, EBADF);
        _exit (shardplace_step ("/", 0, unseen_step, NULL) == 0 ? 0 : errno);
    }
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (WIFEXITED (status));
    assert_int_equal (WEXITSTATUS (status), EBADF);
}

static void recording (void *cookie)
{
    pthread_t t[CLOSERS];

    start (t);
    rec_reads (0, EVENTS);
    recorder_finish ();
    end (t);
}

/* The file is made, chunks begin and end, and nothing is lost. */
static void test_recorder (void **state)
{
    struct rec_tally tally;

    rec_settings.chunk = SHARD_CHUNK_MIN;
    rec_good (&tally, recording, NULL, 0);
    assert_int_equal (tally.files, 1);
    assert_int_equal (tally.events, EVENTS);
    assert_int_equal (tally.lost + tally.missing + tally.gaps, 0);
}

#define CASE(F) cmocka_unit_test_setup_teardown (F, rec_setup, rec_teardown)

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_run),     cmocka_unit_test (test_locks),
        cmocka_unit_test (test_refused), cmocka_unit_test (test_fails),
        cmocka_unit_test (test_place),   CASE (test_recorder),
        cmocka_unit_test (test_step),
    };

    return tap_run (tests);
}
