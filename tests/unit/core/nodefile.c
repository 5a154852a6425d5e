/* SPDX-License-Identifier: MIT
 *
 * nodefile.c - a file of many processes: whole, however each of them ends and
 * whatever the first page says
 */
#include "tests/unit/tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/rec.h"

enum { CHILDREN = 40, EVENTS = 3000, FEW = 5 };

static struct rec_tally t;

static void wait_for_all (void)
{
    int status;

    while (wait (&status) > 0)
        if (status != 0 && WTERMSIG (status) != SIGKILL)
            _exit (1);
}

/* --- how they end --------------------------------------------------------- */

static void child (int i, int events)
{
    recorder_atfork_child ();
    rec_reads (i, (uint64_t)events);
    if (i % 4 == 0)
        (void)raise (SIGKILL);
    if (i % 4 == 1)
        recorder_exec (1);
    else if (i % 4 == 2)
        recorder_finish ();
    _exit (0);
}

static void crowd (void *cookie)
{
    for (int i = 1; i <= CHILDREN; i++)
        if (fork () == 0)
            child (i, *(int *)cookie);
    rec_reads (0, FEW);
    wait_for_all ();
}

static void test_ends (void **state)
{
    for (int events = FEW; events <= EVENTS; events += EVENTS - FEW) {
        rec_good (&t, crowd, &events, 1);
        assert_int_equal (t.files, 1);
        assert_int_equal (t.processes, CHILDREN + 1);
        assert_int_equal (t.unfinished, CHILDREN / 2);
        assert_int_equal (t.events, FEW + CHILDREN * events);
        assert_int_equal (t.gaps + t.lost + t.missing + t.cut, 0);
        assert_int_equal (t.damaged + t.bad_chunks, 0);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* Nothing is left of the name under which the file is made. */
static void test_one_name (void **state)
{
    char path[REC_PATH + 16], command[2 * REC_PATH];
    int events = FEW;

    rec_good (&t, crowd, &events, 1);
    (void)rec_shard (path);
    *strrchr (path, '/') = '\0';
    (void)snprintf (command, sizeof (command), "test $(ls -A %s | wc -l) = 1",
                    path);
    assert_int_equal (system (command), 0);
    assert_true (t.bytes <= (CHILDREN + 3) * 8192 * 5 / 4 + (64 << 10));
}

/* Processes that were not forked by one another. */
static void test_strangers (void **state)
{
    int status;

    for (int i = 0; i < 8; i++)
        assert_true (rec_spawn (crowd, &(int){FEW}, 1) > 0);
    while (wait (&status) > 0)
        assert_int_equal (status, 0);
    rec_tally (&t);
    assert_int_equal (t.files, 1);
    assert_int_equal (t.processes, 8 * (CHILDREN + 1));
    assert_int_equal (t.events, 8 * (CHILDREN + 1) * FEW);
    assert_int_equal (t.lost + t.missing + t.damaged, 0);
}

static void *busy_thread (void *cookie)
{
    rec_reads ((int)(intptr_t)cookie, EVENTS);
    recorder_thread_end ();
    return NULL;
}

static void threads (void *cookie)
{
    pthread_t thread[8];

    for (intptr_t i = 0; i < 8; i++)
        if (pthread_create (&thread[i], NULL, busy_thread, (void *)i) != 0)
            _exit (1);
    for (int i = 0; i < 8; i++)
        (void)pthread_join (thread[i], NULL);
}

static void test_threads (void **state)
{
    rec_good (&t, threads, NULL, 1);
    assert_int_equal (t.files, 1);
    assert_int_equal (t.events, 8 * EVENTS);
    assert_int_equal (t.gaps + t.lost + t.missing + t.cut, 0);
}

/* --- limits -----------------------------------------------------------------
 */

static void test_roll (void **state)
{
    rec_settings.share = 100000;
    rec_good (&t, crowd, &(int){EVENTS}, 1);
    assert_in_range (t.files, 3, CHILDREN);
    assert_int_equal (t.processes, CHILDREN + 1);
    assert_int_equal (t.events, FEW + CHILDREN * EVENTS);
    assert_int_equal (t.gaps + t.lost + t.missing + t.cut, 0);
}

static void test_max_bytes (void **state)
{
    rec_settings.max_bytes = 16384; /* of each, not of all */
    rec_good (&t, crowd, &(int){EVENTS}, 1);
    assert_int_equal (t.processes, CHILDREN + 1);
    assert_int_equal (t.events + t.counted, FEW + CHILDREN * EVENTS);
    assert_int_equal (t.lost, 0);
    for (int i = 1; i <= CHILDREN; i++)
        assert_in_range (t.per[i], 100, EVENTS - 1);
}

/* --- what a neighbour may do ---------------------------------------------- */

struct harm {
    uint64_t next, promised; /* as they are said from then on */
    int64_t size;            /* of the file; -1 as it is */
};

static struct shard_node *map_node (const char *path, struct harm *h)
{
    int fd = open (path, O_RDWR);
    char *p =
        mmap (NULL, SHARD_ALIGN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (fd < 0 || p == MAP_FAILED ||
        (h->size >= 0 && ftruncate (fd, h->size) < 0))
        _exit (2);
    (void)close (fd);
    return (struct shard_node *)(void *)(p + sizeof (struct shard_block));
}

static void harmed (void *cookie)
{
    struct harm *h = cookie;
    char path[REC_PATH];
    struct shard_node *n;

    rec_reads (0, FEW);
    n = map_node (rec_shard (path), h);
    n->next = h->next;
    n->promised = h->promised;
    for (int i = 1; i <= CHILDREN / 8; i++)
        if (fork () == 0)
            child (4 * i + 2, EVENTS);
    rec_reads (0, EVENTS);
    wait_for_all ();
}

/* Whatever is in there now: it can be read, and what is said is bounded. */
static void read_all (const char *path)
{
    struct tracefile *f = tracefile_open (path, NULL);
    unsigned char *buf = malloc (SHARD_CHUNK_MAX);

    assert_non_null (buf);
    for (size_t i = 0; f && i < tracefile_chunks (f); i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);

        assert_true (c->head.proc < tracefile_processes (f));
        (void)tracefile_read (f, c, buf);
    }
    free (buf);
    tracefile_close (f);
}

static unsigned read_shards (void)
{
    char dir[REC_PATH], path[2 * REC_PATH];
    unsigned files = 0;
    struct dirent *e;
    DIR *d;

    (void)snprintf (dir, sizeof (dir), "%.4000s/job/shards", rec_dir);
    assert_non_null (d = opendir (dir));
    while ((e = readdir (d)))
        if (e->d_name[0] != '.') {
            (void)snprintf (path, sizeof (path), "%s/%s", dir, e->d_name);
            read_all (path);
            files++;
        }
    (void)closedir (d);
    return files;
}

/* No process dies or waits of it. */
static void test_harm (void **state)
{
    static const uint64_t far = (uint64_t)1 << 39, top = UINT64_MAX;
    struct harm cases[] = {
        {0, 65536, -1},
        {1, 65536, -1},
        {4097, 65536, -1},
        {12288, 0, -1},
        {12288, far, -1},
        {65536, far, -1},
        {top, top, -1},
        {far, top, -1},
        {top - 4095, top, -1},
        {12288, far, 12288},
        {4096, 65536, 12288},
        {1 << 20, 1 << 21, -1},
        {(uint64_t)1 << 30, far, -1},
        {far, 65536, -1},
        {12289, 65536, 12288},
    };

    for (size_t i = 0; i < sizeof (cases) / sizeof (cases[0]); i++) {
        assert_int_equal (rec_run (harmed, &cases[i], 1), 0);
        assert_in_range (read_shards (), 1, CHILDREN);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* Closed, as the epilog does: others get another file. */
static void closed (void *cookie)
{
    struct harm as_is = {.size = -1};
    struct shard_node *n;
    char path[REC_PATH];

    rec_reads (0, FEW);
    n = map_node (rec_shard (path), &as_is);
    (void)__atomic_fetch_or (&n->next, SHARD_CLOSED, __ATOMIC_RELAXED);
    crowd (cookie);
}

static void test_closed (void **state)
{
    rec_good (&t, closed, &(int){FEW}, 1);
    assert_int_equal (t.files, 2);
    assert_int_equal (t.processes, CHILDREN + 1);
    assert_int_equal (t.events, (CHILDREN + 2) * FEW);
}

/* A name that leads elsewhere. */
static void put_instead (const char *path, int how)
{
    int fd;

    if (how == 0)
        assert_int_equal (symlink ("/dev/zero", path), 0);
    if (how == 1)
        assert_int_equal (mkdir (path, 0700), 0);
    if (how >= 2) {
        fd = open (path, O_CREAT | O_WRONLY, 0600);
        assert_true (fd >= 0);
        assert_int_equal (ftruncate (fd, how == 2 ? 0 : 1 << 20), 0);
        (void)close (fd);
    }
}

static void test_other_things (void **state)
{
    char path[REC_PATH];

    for (int how = 0; how < 4; how++) {
        rec_good (&t, crowd, &(int){FEW}, 1);
        (void)rec_shard (path);
        assert_int_equal (unlink (path), 0);
        put_instead (path, how);
        rec_good (&t, crowd, &(int){FEW}, 1);
        assert_int_equal (t.processes, CHILDREN + 1); /* each has its own */
        assert_int_equal (t.files, CHILDREN + 2);
        assert_int_equal (t.events, (CHILDREN + 1) * FEW);
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* Of another user, or one that others may write to: not shared. */
static void test_not_ours (void **state)
{
    char path[REC_PATH];

    for (int how = 0; how < 2; how++) {
        rec_good (&t, crowd, &(int){FEW}, 1);
        if (how == 1 && geteuid () != 0)
            break;
        if (how == 0)
            assert_int_equal (chmod (rec_shard (path), 0666), 0);
        else
            assert_int_equal (chown (rec_shard (path), 65534, 0), 0);
        rec_good (&t, crowd, &(int){FEW}, 1);
        assert_int_equal (t.files, 1 + CHILDREN + 1);
        assert_int_equal (t.processes, 2 * (CHILDREN + 1));
        assert_int_equal (rec_teardown (state) + rec_setup (state), 0);
    }
}

/* --- damage ----------------------------------------------------------------
 */

/* Without its first page all of it is read; of a damaged process block the
 * events. */
static void test_damaged (void **state)
{
    char path[REC_PATH];

    rec_good (&t, crowd, &(int){FEW}, 1);
    (void)rec_shard (path);
    for (uint64_t i = 0; i < sizeof (struct shard_block); i++)
        rec_flip (path, i, 0x5a);
    memset (&t, 0, sizeof (t));
    rec_tally_file (path, &t);
    assert_int_equal (t.processes, CHILDREN + 1);
    assert_int_equal (t.events, (CHILDREN + 1) * FEW);
    rec_flip (path, 3 * SHARD_ALIGN, 0xff);
    memset (&t, 0, sizeof (t));
    rec_tally_file (path, &t);
    assert_int_equal (t.processes, CHILDREN + 1);
    assert_int_equal (t.damaged, 1);
    assert_int_equal (t.events, (CHILDREN + 1) * FEW);
}

#define CASE(F) cmocka_unit_test_setup_teardown (F, rec_setup, rec_teardown)

int main (void)
{
    const struct CMUnitTest tests[] = {
        CASE (test_ends),     CASE (test_one_name), CASE (test_strangers),
        CASE (test_threads),  CASE (test_roll),     CASE (test_max_bytes),
        CASE (test_harm),     CASE (test_closed),   CASE (test_other_things),
        CASE (test_not_ours), CASE (test_damaged),
    };

    return tap_run (tests);
}
