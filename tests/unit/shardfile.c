/* SPDX-License-Identifier: MIT
 *
 * shardfile.c - no space, no directory, no promises: counted, never felt
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
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

static void run (rec_body_f body, void *cookie, int finish)
{
    int status = rec_run (body, cookie, finish);

    if (status != 0)
        fail_msg ("child: status 0x%x", status);
    rec_tally (&t);
}

/* Everything that was recorded is decoded or counted as lost. */
static void all_accounted (uint64_t recorded)
{
    assert_int_equal (t.events + t.lost + t.missing, recorded);
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
    run (limited, NULL, 1); /* status 0: no SIGXFSZ */
    all_accounted (MANY);
    assert_true (t.bytes <= LIMIT);
    assert_true (t.events > LIMIT / 20 && t.lost > 0);
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
    run (limited_from_start, NULL, 1);
    assert_int_equal (t.files, 0); /* no head without its body */
}

static void many (void *cookie)
{
    rec_reads (0, MANY);
}

static void test_max_bytes (void **state)
{
    rec_settings.max_bytes = LIMIT;
    run (many, NULL, 1);
    all_accounted (MANY);
    assert_true (t.bytes <= LIMIT);
    assert_true (t.lost > 0 && t.events > LIMIT / 20);
}

static void test_chunk_setting (void **state)
{
    static const uint64_t sizes[] = {0, 1, 16384, 20000, 1 << 20, UINT64_MAX};

    for (size_t i = 0; i < sizeof (sizes) / sizeof (sizes[0]); i++) {
        rec_settings.chunk = sizes[i];
        run (many, NULL, 1);
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
    run (many, NULL, 1);
    assert_int_equal (t.files, 0);
    (void)snprintf (rec_settings.job_dir, sizeof (rec_settings.job_dir),
                    "/proc/job");
    run (many, NULL, 1);
}

static void test_long_directory (void **state)
{
    memset (rec_settings.job_dir, 'd', SETTING_TEXT_MAX - 1);
    rec_settings.job_dir[0] = '/';
    run (many, NULL, 1);
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
    run (as_nobody, NULL, 1);
    assert_int_equal (t.files, 0);
}

static void test_not_a_directory (void **state)
{
    int fd = open (rec_settings.job_dir, O_CREAT | O_WRONLY, 0600);

    assert_true (fd >= 0);
    (void)close (fd);
    run (many, NULL, 1);
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

    run (removed, &again, 1);
    assert_int_equal (t.files, 0);
    assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    again = 1;
    run (removed, &again, 1);
    assert_int_equal (t.refused, 1);
    assert_int_equal (stat (rec_shard (path), &st), 0);
    assert_int_equal (st.st_size, 4);
}

/* Modes: what others may not read. */
static void test_modes (void **state)
{
    char path[REC_PATH];
    struct stat st;

    run (many, NULL, 1);
    assert_int_equal (stat (rec_shard (path), &st), 0);
    assert_int_equal (st.st_mode & 07777, 0600);
    *strrchr (path, '/') = '\0';
    assert_int_equal (stat (path, &st), 0);
    assert_int_equal (st.st_mode & 07777, 0700);
}

/* --- a file system without fallocate ----------------------------------------
 */

static void refuse (long call, int error)
{
    struct sock_filter rules[] = {
        BPF_STMT (BPF_LD | BPF_W | BPF_ABS, 0),
        BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof (rules) / sizeof (rules[0]), rules};

    if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit (1);
}

static void *short_thread (void *cookie)
{
    rec_reads (1, 100);
    recorder_thread_end ();
    return NULL;
}

static void without_promises (void *cookie)
{
    pthread_t thread;

    refuse (SYS_fallocate, *(int *)cookie);
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

        run (without_promises, &error, 1);
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

    run (without_promises, &error, 0);
    assert_in_range (t.events, MANY / 4, MANY + 100);
    assert_int_equal (t.missing + t.bad_chunks + t.gaps, 0);
}

static void limited_in_memory (void *cookie)
{
    struct rlimit rl = {20000, 20000};

    refuse (SYS_fallocate, EOPNOTSUPP);
    rec_reads (0, 10); /* the chunk is begun; the limit comes later */
    if (setrlimit (RLIMIT_FSIZE, &rl) < 0)
        _exit (1);
    rec_reads (0, MANY);
}

static void test_no_fallocate_rlimit (void **state)
{
    run (limited_in_memory, NULL, 1);
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
    run (full, NULL, 0);
    (void)umount2 (rec_dir, MNT_DETACH);
    all_accounted (MANY);
    assert_true (t.events > TMPFS_BYTES / 20 && t.lost > 0);
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
    run (stormy, NULL, 1);
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
        CASE (test_modes),
        CASE (test_no_fallocate),
        CASE (test_no_fallocate_killed),
        CASE (test_no_fallocate_rlimit),
        CASE (test_no_space),
        CASE (test_signals),
    };

    return tap_run (tests);
}
