/* SPDX-License-Identifier: MIT
 *
 * traceproc.c - many processes in one trace, damaged ones, another version
 */
#include "tests/unit/tap.h"

#include <fcntl.h>
#include <unistd.h>

#include "tests/unit/rec.h"

static char file[REC_PATH + 16];
static struct rec_tally t;

static int setup (void **state)
{
    if (rec_setup (state) < 0)
        return -1;
    (void)snprintf (file, sizeof (file), "%.4000s/merged.dft", rec_dir);
    return 0;
}

static void tally_file (void)
{
    memset (&t, 0, sizeof (t));
    rec_tally_file (file, &t);
}

/* --- many processes in one file
 * ---------------------------------------------------------- */

enum { PROCESSES = 5, BLOCK = 512 };

static void put_block (int fd, struct shard_block *b, const void *payload)
{
    unsigned char bytes[BLOCK] = {0};

    b->magic = SHARD_MAGIC;
    b->flags = SHARD_SEALED;
    b->capacity = BLOCK;
    b->check = shard_block_check (b);
    memcpy (bytes, b, sizeof (*b));
    memcpy (bytes + sizeof (*b), payload, (uint32_t)b->commit);
    assert_int_equal (write (fd, bytes, BLOCK), BLOCK);
}

/* Of each process one block and one chunk with one event of its own fd. */
static void make_merged (void)
{
    int fd = open (file, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    for (uint32_t i = 0; i < PROCESSES; i++) {
        struct shard_process p = {.version = SHARD_VERSION,
                                  .pid = 100 + i,
                                  .events_sealed = 1,
                                  .end_ns = 9,
                                  .tick_hz = 1000000000};
        struct shard_block b = {
            .type = SHARD_BLOCK_PROCESS, .proc = i, .commit = sizeof (p)};
        struct shard_block e = {.type = SHARD_BLOCK_EVENTS, .proc = i};
        unsigned char read[] = {CALL_read,
                                SHARD_HAS_FD | SHARD_HAS_SIZE |
                                    SHARD_HAS_OFFSET,
                                0,
                                0,
                                (unsigned char)(2 * i),
                                0x80,
                                0x20,
                                1};

        b.checksum = shard_process_sum (&p, 0);
        put_block (fd, &b, &p);
        e.commit = (uint64_t)1 << 32 | sizeof (read);
        e.checksum = shard_events_sum (&e, read);
        put_block (fd, &e, read);
    }
    (void)close (fd);
}

static void test_merged (void **state)
{
    make_merged ();
    tally_file ();
    assert_int_equal (t.processes, PROCESSES);
    assert_int_equal (t.events, PROCESSES);
    assert_int_equal (t.missing + t.cut + t.damaged, 0);
}

/* A process whose block is gone keeps its number and its events. */
static void test_merged_damaged (void **state)
{
    for (uint32_t i = 0; i < PROCESSES; i++) {
        struct tracefile *f;

        make_merged ();
        rec_flip (file, i * 2ull * BLOCK + 1, 0xff); /* its magic */
        tally_file ();
        assert_int_equal (t.processes, PROCESSES);
        assert_int_equal (t.damaged, 1);
        assert_int_equal (t.events, PROCESSES);
        for (uint32_t k = 0; k < PROCESSES; k++)
            assert_int_equal (t.per[k], 1);
        f = tracefile_open (file, NULL);
        for (uint32_t k = 0; k < PROCESSES; k++)
            if (k != i)
                assert_int_equal (tracefile_process (f, k)->p.pid, 100 + k);
        for (uint32_t k = 0; k < PROCESSES; k++)
            assert_int_equal (tracefile_chunk (f, k)->head.proc, k);
        tracefile_close (f);
    }
}

/* More processes than there can be: damage, not memory. */
static void test_merged_liar (void **state)
{
    struct shard_block e = {.type = SHARD_BLOCK_EVENTS, .proc = 4000000};
    int fd;

    make_merged ();
    fd = open (file, O_WRONLY | O_APPEND);
    put_block (fd, &e, "");
    (void)close (fd);
    tally_file ();
    assert_int_equal (t.processes, PROCESSES);
    assert_int_equal (t.events, PROCESSES);
}

/* --- another version ---------------------------------------------------- */

/* A block as we would write it, were it not for its version: an earlier one, a
 * later one. */
static void test_version (void **state)
{
    for (uint32_t v = SHARD_VERSION - 1; v <= SHARD_VERSION + 1; v++) {
        struct shard_process p = {.version = v, .tick_hz = 1000000000};
        struct shard_block b = {.type = SHARD_BLOCK_PROCESS,
                                .commit = sizeof (p)};
        int fd = open (file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        struct errtext err = {""};
        char text[64];
        struct tracefile *f;

        b.checksum = shard_process_sum (&p, 0);
        put_block (fd, &b, &p);
        (void)close (fd);
        errno = 0;
        f = tracefile_open (file, &err);
        assert_int_equal (f != NULL, v == SHARD_VERSION);
        tracefile_close (f);
        if (v == SHARD_VERSION)
            continue;
        assert_int_equal (errno, EPROTONOSUPPORT);
        (void)snprintf (text, sizeof (text),
                        "version %u: this program reads version %d", v,
                        SHARD_VERSION);
        assert_non_null (strstr (err.text, text));
    }
}

/* --- time --------------------------------------------------------------- */

static void test_time (void **state)
{
    struct trace_process p = {
        .p = {.start_real = 5000000000u, .start_ns = 2000000000u}};

    assert_int_equal (trace_real_ns (&p, 2000000007u), 5000000007u);
    assert_int_equal (trace_real_ns (&p, 1999999999u), 4999999999u);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_merged),
        cmocka_unit_test (test_merged_damaged),
        cmocka_unit_test (test_merged_liar),
        cmocka_unit_test (test_version),
        cmocka_unit_test (test_time),
    };

    cmocka_set_message_output (CM_OUTPUT_TAP);
    return cmocka_run_group_tests (tests, setup, rec_teardown);
}
