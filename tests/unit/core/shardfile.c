/* SPDX-License-Identifier: MIT
 *
 * shardfile.c - no space, no directory, no promises: counted, never felt
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/rec.h"

enum {
    MANY = 60000,       /* events: about 400 KB */
    LIMIT = 100 * 1024, /* not a multiple of anything of ours */
    TMPFS_BYTES = 200 << 10
};

static struct rec_tally t;

/* Everything that was recorded is decoded, in a profile, or counted as lost. */
static void all_accounted (uint64_t recorded)
{
    assert_int_equal (t.events + t.counted + t.lost + t.missing, recorded);
    assert_int_equal (t.bad_chunks + t.refused + t.unfinished, 0);
}

/* --- limits ----------------------------------------------------------------
 */

static void limited (void *cookie)
{
    struct rlimit rl = {LIMIT, LIMIT};

    (void)signal (SIGXFSZ, SIG_DFL);
    if (setrlimit (RLIMIT_FSIZE, &rl) < 0)
        _exit (1);
    rec_reads (0, MANY);
}

static void test_rlimit (void **state)
{
    rec_good (&t, limited, NULL, 1); /* status 0: no SIGXFSZ */
    all_accounted (MANY);
    assert_true (t.bytes <= LIMIT);
    assert_true (t.events > LIMIT / 20);
    assert_true (t.counted > 0 || t.lost > 0); /* a page may be left, or none */
}

static void limited_from_start (void *cookie)
{
    struct rlimit rl = {1000, 1000};

    if (setrlimit (RLIMIT_FSIZE, &rl) < 0)
        _exit (1);
    rec_reads (0, 100);
}

static void test_rlimit_no_file (void **state)
{
    rec_good (&t, limited_from_start, NULL, 1);
    assert_int_equal (t.files, 0); /* no head without its body */
}

static void many (void *cookie)
{
    rec_reads (0, MANY);
}

static void test_max_bytes (void **state)
{
    rec_settings.max_bytes = LIMIT;
    rec_good (&t, many, NULL, 1);
    all_accounted (MANY);
    assert_true (REC_SHARED || t.bytes <= LIMIT + 64 * 1024);
    assert_true (t.counted > 0 && t.events > LIMIT / 20);
    assert_int_equal (t.lost, 0);
}

static void test_chunk_setting (void **state)
{
    static const uint64_t sizes[] = {0, 1, 16384, 20000, 1 << 20, UINT64_MAX};

    for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
        rec_settings.chunk = sizes[i];
        rec_good (&t, many, NULL, 1);
        all_accounted (MANY);
        assert_int_equal (t.lost, 0);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* --- places -----------------------------------------------------------------
 */

static void test_no_directory (void **state)
{
    (void)snprintf (rec_settings.job_dir, sizeof (rec_settings.job_dir),
                    "%.4000s/no/such/place", rec_dir);
    rec_good (&t, many, NULL, 1);
    assert_int_equal (t.files, 0);
    (void)snprintf (rec_settings.job_dir, sizeof (rec_settings.job_dir),
                    "/proc/job");
    rec_good (&t, many, NULL, 1);
}

static void test_long_directory (void **state)
{
    memset (rec_settings.job_dir, 'd', SETTING_TEXT_MAX - 1);
    rec_settings.job_dir[0] = '/';
    rec_good (&t, many, NULL, 1);
    assert_int_equal (t.files, 0);
}

static void as_nobody (void *cookie)
{
    if (geteuid () == 0 && setuid (65534) < 0)
        _exit (1);
    rec_reads (0, 100);
}

static void test_read_only (void **state)
{
    assert_int_equal (mkdir (rec_settings.job_dir, 0555), 0);
    assert_int_equal (chmod (rec_dir, 0755), 0);
    rec_good (&t, as_nobody, NULL, 1);
    assert_int_equal (t.files, 0);
}

static void test_not_a_directory (void **state)
{
    int fd = open (rec_settings.job_dir, O_CREAT | O_WRONLY, 0600);

    assert_true (fd >= 0);
    (void)close (fd);
    rec_good (&t, many, NULL, 1);
    assert_int_equal (t.files, 0);
}

static void removed (void *cookie)
{
    char path[REC_PATH];

    rec_reads (0, 1000);
    (void)unlink (rec_shard (path));
    if (*(int *)cookie) {
        /* another file of that name is not ours to write to */
        int fd = open (path, O_CREAT | O_WRONLY, 0600);

        if (fd < 0 || write (fd, "mine", 4) != 4)
            _exit (1);
        (void)close (fd);
    } else {
        *strrchr (path, '/') = '\0';
        if (rmdir (path) < 0)
            _exit (1);
    }
    rec_reads (0, MANY);
}

static void test_removed (void **state)
{
    char path[REC_PATH];
    struct stat st;
    int again = 0;

    rec_good (&t, removed, &again, 1);
    assert_int_equal (t.files, 0);
    assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    again = 1;
    rec_good (&t, removed, &again, 1);
    assert_int_equal (t.refused, 1);
    assert_int_equal (stat (rec_shard (path), &st), 0);
    assert_int_equal (st.st_size, 4);
}

/* A program that has used up its descriptors, and later closes some. */
static void no_descriptor (void *cookie)
{
    struct rlimit rl, none;

    if (getrlimit (RLIMIT_NOFILE, &rl) < 0)
        _exit (1);
    none = rl;
    none.rlim_cur = 0;
    if (*(int *)cookie)
        rec_reads (0, 10);
    if (setrlimit (RLIMIT_NOFILE, &none) < 0)
        _exit (1);
    rec_reads (1, MANY);
    if (setrlimit (RLIMIT_NOFILE, &rl) < 0)
        _exit (1);
    rec_reads (2, MANY);
}

static void test_no_descriptor (void **state)
{
    for (int before = 0; before < 2; before++) {
        rec_good (&t, no_descriptor, &before, 1);
        all_accounted (2 * MANY + (before ? 10 : 0));
        assert_true (t.per[2] > MANY - 300); /* soon after there is one */
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* Modes: what others may not read. */
static void test_modes (void **state)
{
    char path[REC_PATH];
    struct stat st;

    rec_good (&t, many, NULL, 1);
    assert_int_equal (stat (rec_shard (path), &st), 0);
    assert_int_equal (st.st_mode & 07777, 0600);
    *strrchr (path, '/') = '\0';
    assert_int_equal (stat (path, &st), 0);
    assert_int_equal (st.st_mode & 07777, 0700);
}

/* --- a file system without fallocate ----------------------------------------
 */

static void *short_thread (void *cookie)
{
    rec_reads (1, 100);
    recorder_thread_end ();
    return NULL;
}

static void without_promises (void *cookie)
{
    pthread_t thread;

    rec_refuse (SYS_fallocate, *(int *)cookie);
    rec_reads (0, MANY);
    if (pthread_create (&thread, NULL, short_thread, NULL) != 0)
        _exit (1);
    (void)pthread_join (thread, NULL);
}

static void test_no_fallocate (void **state)
{
    static const int errors[] = {EOPNOTSUPP, ENOSYS, EINVAL};

    for (int i = 0; i < 3; i++) {
        int error = errors[i];

        rec_good (&t, without_promises, &error, 1);
        all_accounted (MANY + 100);
        assert_int_equal (t.per[0], MANY);
        assert_int_equal (t.per[1], 100);
        assert_int_equal (t.lost + t.missing + t.cut + t.gaps, 0);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* Without an orderly end the full chunks are there: two of three. */
static void test_no_fallocate_killed (void **state)
{
    int error = EOPNOTSUPP;

    rec_good (&t, without_promises, &error, 0);
    assert_in_range (t.events, MANY / 4, MANY + 100);
    assert_int_equal (t.missing + t.bad_chunks + t.gaps, 0);
}

static void limited_in_memory (void *cookie)
{
    struct rlimit rl = {20000, 20000};

    rec_refuse (SYS_fallocate, EOPNOTSUPP);
    rec_reads (0, 10); /* the chunk is begun; the limit comes later */
    if (setrlimit (RLIMIT_FSIZE, &rl) < 0)
        _exit (1);
    rec_reads (0, MANY);
}

static void test_no_fallocate_rlimit (void **state)
{
    rec_good (&t, limited_in_memory, NULL, 1);
    all_accounted (MANY + 10);
    assert_true (t.lost > 0);
}

/* --- no space ----------------------------------------------------------------
 */

static void full (void *cookie)
{
    rec_reads (0, MANY);
    recorder_finish ();
    _exit (0);
}

static void test_no_space (void **state)
{
    char options[64];

    (void)snprintf (options, sizeof (options), "size=%d", TMPFS_BYTES);
    if (geteuid () != 0 || mount ("none", rec_dir, "tmpfs", 0, options) < 0) {
        print_message ("# not run: no right to mount a tmpfs\n");
        return; /* cmocka's skip () is "not ok" */
    }
    rec_good (&t, full, NULL, 0);
    (void)umount2 (rec_dir, MNT_DETACH);
    all_accounted (MANY);
    assert_true (t.events > TMPFS_BYTES / 20 && t.counted + t.lost > 0);
}

/* --- signals
 * ------------------------------------------------------------------ */

static void handler (int sig)
{
}

/* A profiler's timer interrupts whatever can be interrupted. */
static void stormy (void *cookie)
{
    struct sigaction action = {.sa_handler = handler}; /* no SA_RESTART */
    struct itimerval every = {{0, 50}, {0, 50}};

    (void)sigaction (SIGALRM, &action, NULL);
    (void)setitimer (ITIMER_REAL, &every, NULL);
    rec_reads (0, 10 * MANY);
    every.it_value.tv_usec = 0;
    (void)setitimer (ITIMER_REAL, &every, NULL);
}

/* Where fallocate gives up when a signal comes (tmpfs). */
static void test_signals (void **state)
{
    assert_int_equal (rec_teardown (state), 0);
    if (access ("/dev/shm", W_OK) == 0)
        (void)setenv ("TMPDIR", "/dev/shm", 1);
    (void)rec_setup (state);
    (void)unsetenv ("TMPDIR");
    rec_good (&t, stormy, NULL, 1);
    all_accounted (10 * MANY);
    assert_int_equal (t.lost + t.gaps, 0);
}

#define CASE(F) cmocka_unit_test_setup_teardown (F, rec_setup, rec_teardown)

int main (void)
{
    const struct CMUnitTest tests[] = {
        CASE (test_rlimit),
        CASE (test_rlimit_no_file),
        CASE (test_max_bytes),
        CASE (test_chunk_setting),
        CASE (test_no_directory),
        CASE (test_long_directory),
        CASE (test_read_only),
        CASE (test_not_a_directory),
        CASE (test_removed),
        CASE (test_no_descriptor),
        CASE (test_modes),
        CASE (test_no_fallocate),
        CASE (test_no_fallocate_killed),
        CASE (test_no_fallocate_rlimit),
        CASE (test_no_space),
        CASE (test_signals),
    };

    return tap_run (tests);
}
