/* SPDX-License-Identifier: MIT
 *
 * tracefile.c - cut, flipped, foreign: what is good is read, the rest counted
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/rec.h"

enum { EVENTS = 12000, SECOND = 3000, CUT_STEP = 512 };

static char shard[REC_PATH], damaged[REC_PATH + 16];
static struct rec_tally whole, t;

/* --- a shard to spoil --------------------------------------------------------
 */

static void *second (void *cookie)
{
    rec_reads (1, SECOND);
    recorder_thread_end ();
    return NULL;
}

static void two_threads (void *cookie)
{
    pthread_t thread;

    rec_reads (0, EVENTS);
    if (pthread_create (&thread, NULL, second, NULL) != 0)
        _exit (1);
    (void)pthread_join (thread, NULL);
    for (uint64_t i = EVENTS; i < 2 * EVENTS; i++)
        rec_read (0, i);
}

static int make_shard (void **state)
{
    if (rec_setup (state) < 0 || rec_run (two_threads, NULL, 1) != 0)
        return -1;
    rec_tally (&whole);
    (void)rec_shard (shard);
    (void)snprintf (damaged, sizeof (damaged), "%.4000s/damaged.dft", rec_dir);
    return 0;
}

static void test_whole (void **state)
{
    assert_int_equal (whole.events, 2 * EVENTS + SECOND);
    assert_int_equal (whole.gaps + whole.missing + whole.lost + whole.cut, 0);
    assert_int_equal (whole.damaged + whole.unfinished, 0);
    assert_true (whole.chunks >= 4);
}

static void tally_damaged (void)
{
    memset (&t, 0, sizeof (t));
    rec_tally_file (damaged, &t);
}

/* --- not a trace
 * -------------------------------------------------------------- */

static void refused (const char *path, int error, const char *words)
{
    struct errtext err = {""};

    errno = 0;
    assert_null (tracefile_open (path, &err));
    assert_int_equal (errno, error);
    if (!strstr (err.text, words) || strchr (err.text, '\n'))
        fail_msg ("\"%s\" does not say \"%s\"", err.text, words);
    assert_memory_equal (err.text, path, strlen (path));
}

static void write_file (const char *text, size_t n)
{
    int fd = open (damaged, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true (fd >= 0);
    assert_int_equal (write (fd, text, n), n);
    (void)close (fd);
}

static void test_not_there (void **state)
{
    refused ("/no/such/trace.dft", ENOENT, "cannot open");
    tracefile_close (NULL);
}

static void test_foreign (void **state)
{
    static char junk[100000];

    write_file ("", 0);
    refused (damaged, EBADMSG, "empty");
    write_file ("[\n{\"id\":0}\n", 11);
    refused (damaged, EBADMSG, "not a dftrace trace");
    write_file ("DFTC", 4);
    refused (damaged, EBADMSG, "not a dftrace trace");
    write_file (junk, sizeof (junk)); /* zeros */
    refused (damaged, EBADMSG, "not a dftrace trace");
    memset (junk, 'D', sizeof (junk));
    write_file (junk, sizeof (junk));
    refused (damaged, EBADMSG, "not a dftrace trace");
}

static void test_kinds_of_file (void **state)
{
    refused (rec_dir, EINVAL, "not a regular file");
    refused ("/dev/null", EINVAL, "not a regular file");
    (void)unlink (damaged);
    assert_int_equal (mkfifo (damaged, 0600), 0);
    (void)alarm (300); /* a reader that waits for a writer dies of it */
    refused (damaged, EINVAL, "not a regular file");
    (void)alarm (0);
    assert_int_equal (unlink (damaged), 0);
    assert_int_equal (symlink (shard, damaged), 0);
    refused (damaged, ELOOP, "cannot open");
    assert_int_equal (unlink (damaged), 0);
}

static void test_openat (void **state)
{
    int dir = open (rec_dir, O_RDONLY | O_DIRECTORY);
    struct tracefile *f;

    rec_copy (shard, damaged, UINT64_MAX);
    f = tracefile_openat (dir, "damaged.dft", NULL);
    assert_non_null (f);
    assert_int_equal (tracefile_processes (f), 1);
    assert_null (tracefile_process (f, 1));
    assert_null (tracefile_chunk (f, tracefile_chunks (f)));
    assert_string_equal (tracefile_process (f, 0)->text[SHARD_STRING_JOB_NAME],
                         "");
    tracefile_close (f);
    (void)close (dir);
}

/* --- cut
 * ------------------------------------------------------------------------ */

/* At every 512th byte: whole chunks are whole, the start of a cut one is
 * decoded too, and with what is missing it makes what was recorded. */
static void test_cut (void **state)
{
    uint64_t events = 0;

    for (uint64_t n = 0; n <= whole.bytes; n += CUT_STEP) {
        rec_copy (shard, damaged, n);
        tally_damaged ();
        if (n <= sizeof (struct shard_block) + sizeof (struct shard_process)) {
            assert_int_equal (t.refused, 1);
            continue;
        }
        assert_int_equal (t.refused + t.bad_chunks, 0);
        assert_int_equal (t.gaps, 0);
        assert_true (t.events >= events); /* more file, more events */
        events = t.events;
        if (t.events - t.partly + t.missing != whole.events)
            fail_msg ("cut at %llu: %llu decoded (%llu of cut chunks), "
                      "%llu missing",
                      (unsigned long long)n, (unsigned long long)t.events,
                      (unsigned long long)t.partly,
                      (unsigned long long)t.missing);
        assert_int_equal (t.cut, n < whole.bytes);
    }
}

/* --- flipped bytes
 * ---------------------------------------------------------------- */

struct place {
    uint64_t offset;
    uint32_t used, events;
};

static size_t places (struct place *place, size_t room)
{
    struct tracefile *f = tracefile_open (shard, NULL);
    size_t n = tracefile_chunks (f);

    assert_true (n <= room);
    for (size_t i = 0; i < n; i++) {
        const struct trace_chunk *c = tracefile_chunk (f, i);

        place[i] = (struct place){c->offset, c->used, c->events};
    }
    tracefile_close (f);
    return n;
}

static void test_flipped_payload (void **state)
{
    struct place place[64];
    size_t n = places (place, 64);

    for (size_t i = 0; i < n; i++) {
        for (uint32_t at = 0; at < place[i].used; at += place[i].used / 7 + 1) {
            rec_copy (shard, damaged, UINT64_MAX);
            rec_flip (damaged, place[i].offset + 64 + at, 0x40);
            tally_damaged ();
            assert_int_equal (t.bad_chunks, 1);
            assert_int_equal (t.chunks, n);
            assert_int_equal (t.events, whole.events - place[i].events);
            assert_int_equal (t.missing + t.cut, 0); /* the file is whole */
        }
    }
}

/* Every byte of a chunk's header: no other chunk suffers, and this one is
 * read as it was or not at all. */
static void test_flipped_header (void **state)
{
    struct place place[64];
    size_t n = places (place, 64);

    for (size_t i = 0; i < n; i++) {
        for (uint64_t at = 0; at < sizeof (struct shard_block); at++) {
            uint64_t decoded;

            rec_copy (shard, damaged, UINT64_MAX);
            rec_flip (damaged, place[i].offset + at, 0x01);
            tally_damaged ();
            assert_int_equal (t.refused + t.damaged, 0);
            decoded = t.events;
            if (t.cut) /* said to be longer than the file: as far as it goes */
                assert_int_equal (decoded, whole.events);
            else if (decoded == whole.events) /* "sealed" may go unseen */
                assert_in_range (at, offsetof (struct shard_block, flags),
                                 offsetof (struct shard_block, commit) - 1);
            else
                assert_int_equal (decoded, whole.events - place[i].events);
            if (t.bad_chunks == 0 && decoded < whole.events)
                assert_int_equal (t.missing, place[i].events);
        }
    }
}

/* Any byte of the process block: all events are still read. */
static void test_flipped_process (void **state)
{
    uint64_t said =
        sizeof (struct shard_block) + offsetof (struct shard_process, requests);

    for (uint64_t at = 0; at < said; at++) {
        rec_copy (shard, damaged, UINT64_MAX);
        rec_flip (damaged, at, 0x10);
        tally_damaged ();
        assert_int_equal (t.refused, 0);
        assert_int_equal (t.events, whole.events);
        assert_int_equal (t.gaps + t.missing + t.lost, 0);
        if (at < offsetof (struct shard_block, flags) ||
            at >= offsetof (struct shard_block, capacity))
            assert_int_equal (t.damaged, 1);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_whole),
        cmocka_unit_test (test_not_there),
        cmocka_unit_test (test_foreign),
        cmocka_unit_test (test_openat),
        cmocka_unit_test (test_cut),
        cmocka_unit_test (test_flipped_payload),
        cmocka_unit_test (test_flipped_header),
        cmocka_unit_test (test_flipped_process),
        cmocka_unit_test (test_kinds_of_file),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, make_shard, rec_teardown);
}
