/* SPDX-License-Identifier: MIT
 *
 * node.c - test of spank/epilog/node.c: what shards say, when all nodes are
 * done
 */
#include "tests/unit/scratch.h"

#include <time.h>

#include "spank/epilog/node.h"
#include "lib/format/shard.h"

enum { SECOND = 1000000000 };

static struct node_totals t;

static int make (void **state)
{
    return scratch_make (state) < 0 ? -1 : mkdir ("shards", 0700);
}

/* A process without events that lived so long. */
static void shard (const char *path, uint64_t start_ns, uint64_t end_ns)
{
    struct {
        struct shard_block b;
        struct shard_process p;
        char strings[8];
    } s;
    int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    memset (&s, 0, sizeof (s));
    s.p.version = SHARD_VERSION;
    s.p.strings_bytes = SHARD_STRING_COUNT;
    s.p.start_ns = start_ns;
    s.p.end_ns = end_ns;
    s.b.magic = SHARD_MAGIC;
    s.b.type = SHARD_BLOCK_PROCESS;
    s.b.flags = SHARD_SEALED;
    s.b.capacity = sizeof (s);
    s.b.commit = sizeof (s.p) + SHARD_STRING_COUNT;
    s.b.checksum = shard_process_sum (&s.p, SHARD_STRING_COUNT);
    s.b.check = shard_block_check (&s.b);
    s.p.file_bytes = sizeof (s);
    assert_true (fd >= 0);
    assert_int_equal (write (fd, &s, sizeof (s)), sizeof (s));
    (void)close (fd);
}

static void counted (void)
{
    struct errtext err;

    assert_int_equal (node_count (".", "n1", &t, &err), 0);
}

static void processes_and_their_time (void **state)
{
    shard ("shards/n1-1-1.dft", 10, 2 * (uint64_t)SECOND + 10);
    shard ("shards/n1-2-1.dft", 10, SECOND + 10);
    shard ("shards/n2-3-1.dft", 10, SECOND + 10); /* another node's */
    counted ();
    assert_int_equal (t.shards, 2);
    assert_int_equal (t.processes, 2);
    assert_int_equal (t.unfinished, 0);
    assert_int_equal (t.processes_ns, 3 * (uint64_t)SECOND);
}

static void times_that_cannot_be (void **state)
{
    shard ("shards/n1-1-1.dft", 20, 10);         /* it ended before */
    shard ("shards/n1-2-1.dft", 10, UINT64_MAX); /* in the future */
    shard ("shards/n1-3-1.dft", 10, 0);          /* killed, no chunk */
    shard ("shards/n1-4-1.dft", UINT64_MAX, SECOND);
    counted ();
    assert_int_equal (t.processes, 4);
    assert_int_equal (t.unfinished, 1);
    assert_int_equal (t.processes_ns, 0);
}

static void what_is_no_trace (void **state)
{
    scratch_file ("shards/n1-1-1.dft", "no trace");
    scratch_file ("shards/n1-2-1.dft", "");
    scratch_file ("secret", "secret");
    assert_int_equal (symlink ("../secret", "shards/n1-3-1.dft"), 0);
    assert_int_equal (mkdir ("shards/n1-4-1.dft", 0700), 0);
    (void)mkfifo ("shards/n1-5-1.dft", 0600); /* must not be waited for */
    counted ();
    assert_int_equal (t.shards, scratch_has ("shards/n1-5-1.dft") ? 5 : 4);
    assert_int_equal (t.unreadable, t.shards);
    assert_int_equal (t.processes, 0);
}

static void no_directory (void **state)
{
    struct errtext err = {""};

    assert_int_equal (node_count ("none", "n1", &t, &err), -1);
    assert_non_null (strstr (err.text, "none/shards"));
    assert_int_equal (node_all_done ("none", NULL, &err), -1);
    assert_int_equal (node_write ("none", "n1", &t, NULL, NODE_NEW, &err), -1);
    assert_int_equal (mkdir ("job", 0700), 0);
    assert_int_equal (symlink ("../shards", "job/shards"), 0);
    assert_int_equal (node_count ("job", "n1", &t, &err), -1);
    assert_int_equal (node_all_done ("job", NULL, &err), -1);
}

static void its_cost_does_not_make_it_younger (void **state)
{
    const struct node_cost cost = {1234, 56};
    struct errtext err;
    struct stat st;

    memset (&t, 0, sizeof (t));
    assert_int_equal (node_write (".", "n1", &t, NULL, NODE_NEW, &err), 0);
    assert_null (strstr (scratch_text ("node.n1.json"), "epilog_ms"));
    scratch_time ("node.n1.json", 1000, 7);
    scratch_file ("metrics.json", "{}");
    scratch_time ("metrics.json", 1000, 8);
    assert_int_equal (node_is_analyzed ("."), 1);
    assert_int_equal (node_write (".", "n1", &t, &cost, NODE_AS_BEFORE, &err),
                      0);
    assert_int_equal (stat ("node.n1.json", &st), 0);
    assert_int_equal (st.st_mtim.tv_sec, 1000);
    assert_int_equal (st.st_mtim.tv_nsec, 7);
    assert_int_equal (st.st_mode & 0777, 0600);
    assert_int_equal (node_is_analyzed ("."), 1);
}

static void as_old_as_the_metrics (void **state)
{
    const struct node_cost cost = {1234, 56};
    struct errtext err;
    struct stat st;

    memset (&t, 0, sizeof (t));
    assert_int_equal (node_write (".", "n1", &t, &cost, NODE_AS_METRICS, &err),
                      0);
    assert_int_equal (node_is_analyzed ("."), 0); /* there are none */
    scratch_file ("metrics.json", "{}");
    scratch_time ("metrics.json", 1000, 8);
    assert_int_equal (node_is_analyzed ("."), 0);
    assert_int_equal (node_write (".", "n1", &t, &cost, NODE_AS_METRICS, &err),
                      0);
    assert_int_equal (stat ("node.n1.json", &st), 0);
    assert_int_equal (st.st_mtim.tv_sec, 1000);
    assert_int_equal (st.st_mtim.tv_nsec, 8);
    assert_int_equal (node_is_analyzed ("."), 1);
    assert_int_equal (node_write (".", "n1", &t, &cost, NODE_NEW, &err), 0);
    assert_int_equal (node_is_analyzed ("."), 0);
}

static void analyzed_by_age (void **state)
{
    assert_int_equal (node_is_analyzed ("."), 0);
    scratch_file ("metrics.json", "{}");
    scratch_time ("metrics.json", 1000, 8);
    assert_int_equal (node_is_analyzed ("."), 1);
    scratch_file ("node.n1.json", "{}");
    scratch_time ("node.n1.json", 1000, 8);
    assert_int_equal (node_is_analyzed ("."), 1);
    scratch_time ("node.n1.json", 1000, 9);
    assert_int_equal (node_is_analyzed ("."), 0);
    scratch_time ("node.n1.json", 999, 9);
    assert_int_equal (node_is_analyzed ("."), 1);
    assert_int_equal (node_is_analyzed ("none"), 0);
}

static void all_done (void **state)
{
    struct errtext err;

    assert_int_equal (node_all_done (".", NULL, &err), 0); /* no shard */
    assert_int_equal (node_all_done (".", "n1", &err), 0);
    scratch_file ("shards/n1-1-1.dft", "");
    assert_int_equal (node_all_done (".", NULL, &err), 1);
    scratch_file ("shards/started.n1", "");
    assert_int_equal (node_all_done (".", NULL, &err), 0);
    assert_int_equal (node_all_done (".", "n1", &err), 1);
    scratch_file ("shards/started.n2", "");
    assert_int_equal (node_all_done (".", "n1", &err), 0);
    scratch_file ("node.n1.json", "{}");
    assert_int_equal (node_all_done (".", NULL, &err), 0);
    assert_int_equal (symlink ("node.n1.json", "node.n2.json"), 0);
    assert_int_equal (node_all_done (".", NULL, &err), 0); /* a link is none */
    assert_int_equal (unlink ("node.n2.json"), 0);
    scratch_file ("node.n2.json", "{}");
    assert_int_equal (node_all_done (".", NULL, &err), 1);
}

static void alone (void **state)
{
    assert_int_equal (node_is_alone ("none", "n1"), 0);
    assert_int_equal (node_is_alone (".", "n1"), 0); /* nobody knows */
    scratch_file ("shards/n1-1-1.dft", "");
    scratch_file ("shards/started.n1", "");
    assert_int_equal (node_is_alone (".", "n1"), 1);
    assert_int_equal (node_is_alone (".", "n"), 0);
    scratch_file (".claim", "n2");
    assert_int_equal (node_is_alone (".", "n1"), 0);
    assert_int_equal (unlink (".claim"), 0);
    scratch_file ("shards/started.n2", "");
    assert_int_equal (node_is_alone (".", "n1"), 0);
}

#define node_test(TEST) \
    cmocka_unit_test_setup_teardown (TEST, make, scratch_drop)

int main (void)
{
    const struct CMUnitTest tests[] = {
        node_test (processes_and_their_time),
        node_test (times_that_cannot_be),
        node_test (what_is_no_trace),
        node_test (no_directory),
        node_test (its_cost_does_not_make_it_younger),
        node_test (as_old_as_the_metrics),
        node_test (analyzed_by_age),
        node_test (all_done),
        node_test (alone),
    };

    return tap_run (tests);
}
