/* SPDX-License-Identifier: MIT
 *
 * pack.c - test of spank/epilog/pack.c and verb.c
 *
 * The verb that packing runs is this same program: `merge` is what main makes
 * of it here, so that it can fail or die at will.
 */
#include "tests/unit/scratch.h"

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>

#include "spank/epilog/pack.h"
#include "spank/epilog/verb.h"

static struct pack pack;

/* How many names of a directory begin so. */
static int count (const char *dir, const char *prefix)
{
    DIR *d = opendir (dir);
    const struct dirent *entry;
    int n = 0;

    while (d && (entry = readdir (d)))
        n += strncmp (entry->d_name, prefix, strlen (prefix)) == 0;
    if (d)
        (void)closedir (d);
    return n;
}

static int slow_shards; /* what a "slow" merge packs before time is over */

static int count_shards (const char *work)
{
    char path[512];

    (void)snprintf (path, sizeof (path), "%s/shards", work);
    return count (path, "n1-");
}

/* merge --quiet --output FILE WORK, by what the file "how" says. */
static int fake_merge (char **argv)
{
    char how[16] = "";
    FILE *f = fopen ("how", "r");

    if (f) {
        (void)!fgets (how, sizeof (how), f);
        (void)fclose (f);
    }
    if (strcmp (how, "slow") == 0 && count_shards (argv[4]) > slow_shards)
        _exit (kill (getppid (), SIGKILL));
    if (strcmp (how, "second") == 0 && scratch_has ("one is done"))
        _exit (kill (getppid (), SIGKILL));
    if (strcmp (how, "second") == 0)
        scratch_file ("one is done", "");
    if (strcmp (how, "die") == 0)
        (void)raise (SIGKILL);
    if (strcmp (how, "fail") != 0)
        scratch_file (argv[3], argv[4]);
    return strcmp (how, "") != 0 && strcmp (how, "second") != 0 &&
           strcmp (how, "slow") != 0;
}

static int make (void **state)
{
    pack = (struct pack){"from", "to", "n1", 1, 1, 0};
    return scratch_make (state) < 0 || mkdir ("from", 0700) < 0 ||
                   mkdir ("from/shards", 0700) < 0 || mkdir ("to", 0700) < 0 ||
                   mkdir ("to/shards", 0700) < 0
               ? -1
               : 0;
}

static void three_shards (void)
{
    scratch_file ("from/shards/n1-11-5.dft", "a");
    scratch_file ("from/shards/n1-12-5.dft", "b");
    scratch_file ("from/shards/n1-13-5.dft", "c");
}

static void names_of_shards (void **state)
{
    long pid = -1;

    assert_true (pack_is_shard ("n1-12-345.dft", "n1", &pid));
    assert_int_equal (pid, 12);
    assert_true (pack_is_shard ("n-1-12-345.dft", "n-1", &pid));
    assert_true (pack_is_shard ("n1-0-1.dft", "n1", &pid));
    assert_int_equal (pid, 0);
    assert_false (pack_is_shard ("n1-2-12-345.dft", "n1", &pid));
    assert_false (pack_is_shard ("n12-12-345.dft", "n1", &pid));
    assert_false (pack_is_shard ("n1-12-345.dft.tmp", "n1", &pid));
    assert_false (pack_is_shard ("n1-x-345.dft", "n1", &pid));
    assert_false (pack_is_shard ("n1--345.dft", "n1", &pid));
    assert_false (pack_is_shard ("n1-12.dft", "n1", &pid));
    assert_false (pack_is_shard ("n1", "n1", &pid));
    assert_false (pack_is_shard ("", "n1", &pid));
}

static void many_become_one (void **state)
{
    struct errtext err;

    three_shards ();
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_int_equal (count ("to/shards", "n1-0-"), 1);
    assert_int_equal (count ("to/shards", "n1-"), 1);
    assert_int_equal (count ("from/shards", "n1-"), 0);
    assert_int_equal (count ("from", ".pack"), 0);
}

static void few_stay (void **state)
{
    struct errtext err;

    three_shards ();
    pack.least = 4;
    assert_int_equal (pack_shards (&pack, &err), 0);
    pack.least = 0;
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_int_equal (count ("from/shards", "n1-"), 3);
}

static void a_merge_that_fails_or_dies (void **state)
{
    static const char *const ways[] = {"fail", "lossy", "die"};
    struct errtext err;

    for (size_t i = 0; i < 3; i++) {
        three_shards ();
        scratch_file ("how", ways[i]);
        assert_int_equal (pack_shards (&pack, &err), 0);
        assert_int_equal (count ("to/shards", "n1-0-"), 0);
        assert_int_equal (count ("to/shards", "n1-1"), 3); /* as they were */
        assert_int_equal (count ("from", ".pack"), 0);
        assert_string_equal (scratch_text ("to/shards/n1-12-5.dft"), "b");
        assert_int_equal (unlink ("how"), 0);
    }
}

static void in_place_they_come_back (void **state)
{
    struct errtext err;

    pack.to = pack.from;
    three_shards ();
    scratch_file ("how", "fail");
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_int_equal (count ("from/shards", "n1-1"), 3);
    assert_int_equal (count ("from", ".pack"), 0);
}

static void the_living_stay (void **state)
{
    struct errtext err;
    char mine[64];

    (void)snprintf (mine, sizeof (mine), "from/shards/n1-%ld-5.dft",
                    (long)getpid ());
    scratch_file (mine, "alive");
    scratch_file ("from/shards/n1-99999999-5.dft", "no such pid");
    pack.all = 0;
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_true (scratch_has (mine));
    assert_false (scratch_has ("from/shards/n1-99999999-5.dft"));
    assert_int_equal (count ("to/shards", "n1-0-"), 1);
}

static void only_files_of_this_host (void **state)
{
    struct errtext err;

    scratch_file ("from/shards/n2-11-5.dft", "another node's");
    scratch_file ("from/shards/started.n1", "");
    scratch_file ("secret", "secret");
    assert_int_equal (symlink ("../../secret", "from/shards/n1-11-5.dft"), 0);
    assert_int_equal (mkdir ("from/shards/n1-12-5.dft", 0700), 0);
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_int_equal (count ("to/shards", "n"), 0);
    assert_int_equal (count ("from/shards", "n"), 3);
    assert_string_equal (scratch_text ("secret"), "secret");
}

static void a_link_for_shards (void **state)
{
    struct errtext err = {""};

    assert_int_equal (mkdir ("elsewhere", 0700), 0);
    scratch_file ("elsewhere/n1-11-5.dft", "a");
    assert_int_equal (rmdir ("from/shards"), 0);
    assert_int_equal (symlink ("../elsewhere", "from/shards"), 0);
    assert_int_equal (pack_shards (&pack, &err), -1);
    assert_non_null (strstr (err.text, "from: cannot pack"));
    assert_true (scratch_has ("elsewhere/n1-11-5.dft"));
}

/* Killed: between the packed one and the end of its parts; before that. */
static void what_was_half_done (void **state)
{
    struct errtext err;

    assert_int_equal (mkdir ("from/.pack.n1.77", 0700), 0);
    assert_int_equal (mkdir ("from/.pack.n1.77/shards", 0700), 0);
    scratch_file ("from/.pack.n1.77/shards/n1-11-5.dft", "a");
    scratch_file ("to/shards/n1-0-77.dft", "packed");
    assert_int_equal (mkdir ("from/.pack.n1.78", 0700), 0);
    assert_int_equal (mkdir ("from/.pack.n1.78/shards", 0700), 0);
    scratch_file ("from/.pack.n1.78/shards/n1-12-5.dft", "b");
    assert_int_equal (mkdir ("from/.pack.n1.x", 0700), 0);
    assert_int_equal (mkdir ("from/.pack.n2.79", 0700), 0);
    pack.least = 0;
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_false (scratch_has ("from/shards/n1-11-5.dft"));
    assert_string_equal (scratch_text ("to/shards/n1-0-77.dft"), "packed");
    assert_string_equal (scratch_text ("from/shards/n1-12-5.dft"), "b");
    assert_false (scratch_has ("from/.pack.n1.77"));
    assert_false (scratch_has ("from/.pack.n1.78"));
    assert_true (scratch_has ("from/.pack.n1.x")); /* not ours */
    assert_true (scratch_has ("from/.pack.n2.79"));
}

static void large_ones_go_in_batches (void **state)
{
    struct errtext err;
    unsigned done = 0;

    three_shards ();
    pack.batch = 1;
    pack_count (&done);
    assert_int_equal (pack_shards (&pack, &err), 0);
    pack_count (NULL);
    assert_int_equal (done, 3);
    assert_int_equal (count ("to/shards", "n1-0-"), 3);
    assert_int_equal (count ("from/shards", "n1-"), 0);
    pack.from = pack.to; /* what is packed stays as it is */
    scratch_file ("how", "fail");
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_int_equal (count ("to/shards", "n1-0-"), 3);
}

/* Killed in its second batch: the first is done, the others are still there. */
static void a_run_goes_on_where_it_was (void **state)
{
    struct errtext err;
    int status;
    pid_t pid;

    three_shards ();
    scratch_file ("how", "second");
    pack.batch = 1;
    pid = fork ();
    if (pid == 0)
        _exit (pack_shards (&pack, &err));
    assert_int_equal (waitpid (pid, &status, 0), pid);
    assert_true (WIFSIGNALED (status));
    assert_int_equal (unlink ("how"), 0);
    assert_int_equal (count ("from/shards", "n1-1"), 1);
    assert_int_equal (pack_shards (&pack, &err), 0);
    assert_int_equal (count ("from/shards", "n1-"), 0);
    assert_int_equal (count ("from", ".pack"), 0);
    assert_int_equal (count ("to/shards", "n1-0-"), 1);
    assert_int_equal (count ("to/shards", "n1-1"),
                      2); /* that size took too long */
}

/* One turn, in which a merge of more than `shards` is killed with its run. */
static int slow_turn (int shards)
{
    struct errtext err;
    int status;
    pid_t pid;

    slow_shards = shards;
    scratch_file ("how", "slow");
    pid = fork ();
    if (pid == 0)
        _exit (pack_shards (&pack, &err));
    assert_int_equal (waitpid (pid, &status, 0), pid);
    return WIFSIGNALED (status);
}

/* A batch for which a turn has no time never ended: it began anew, as large. */
static void a_batch_that_is_too_large (void **state)
{
    char name[64];

    for (int i = 0; i < 24; i++) {
        (void)snprintf (name, sizeof (name), "from/shards/n1-%d-5.dft",
                        100 + i);
        scratch_file (name, "shard");
    }
    pack.batch = 1 << 20; /* all of them: at least 12 KiB, at most 96 KiB */
    assert_true (slow_turn (4));
    assert_int_equal (count ("to/shards", "n1-0-"), 0);
    assert_false (slow_turn (8)); /* 3 KiB to 12 KiB each, or 32 KiB */
    assert_int_equal (count ("from/shards", "n1-"), 0);
    assert_int_equal (count ("from", ".pack"), 0);
    assert_in_range (count ("to/shards", "n1-0-"), 3, 24);
}

/* A shard for which a turn has no time goes as it is. */
static void a_shard_that_is_too_large (void **state)
{
    static char text[65536 + 1];
    unsigned done = 0;
    struct errtext err;

    memset (text, 'x', sizeof (text) - 1);
    scratch_file ("from/shards/n1-11-5.dft", text);
    pack.batch = 32;
    assert_true (slow_turn (0));
    assert_int_equal (count ("to/shards", "n1-"), 0);
    pack_count (&done);
    assert_int_equal (pack_shards (&pack, &err), 0);
    pack_count (NULL);
    assert_int_equal (done, 1);
    assert_int_equal (count ("to/shards", "n1-11-"), 1);
    assert_int_equal (count ("from/shards", "n1-"), 0);
    assert_int_equal (count ("from", ".pack"), 0);
}

static void stages_beside_each_other (void **state)
{
    struct errtext err;
    char stage[512];

    assert_int_equal (mkdir ("s.0", 0700), 0);
    assert_int_equal (mkdir ("s.0/shards", 0700), 0);
    assert_int_equal (mkdir ("sx", 0700), 0);
    assert_int_equal (mkdir ("sx/shards", 0700), 0);
    scratch_file ("s.0/shards/n1-11-5.dft", "a");
    scratch_file ("sx/shards/n1-12-5.dft", "b");
    assert_int_equal (symlink ("sx", "s.1"), 0);
    (void)snprintf (stage, sizeof (stage), "%s/s", scratch);
    assert_int_equal (pack_stages (stage, "to", "n1", &err), 0);
    assert_false (scratch_has ("s.0"));
    assert_true (scratch_has ("sx/shards/n1-12-5.dft"));
    assert_int_equal (count ("to/shards", "n1-0-"), 1);
}

static void the_status_of_a_verb (void **state)
{
    const char *argv[] = {"dftrace", "status", "5", NULL};

    assert_int_equal (verb_run (argv), 5);
    argv[2] = "die";
    assert_int_equal (verb_run (argv), -1);
}

#define pack_test(TEST) \
    cmocka_unit_test_setup_teardown (TEST, make, scratch_drop)

static int fake_verb (int argc, char **argv)
{
    if (argc == 5 && strcmp (argv[0], "merge") == 0)
        return fake_merge (argv);
    return strcmp (argv[1], "die") == 0 ? raise (SIGKILL) : atoi (argv[1]);
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (names_of_shards),
        pack_test (many_become_one),
        pack_test (few_stay),
        pack_test (a_merge_that_fails_or_dies),
        pack_test (in_place_they_come_back),
        pack_test (the_living_stay),
        pack_test (only_files_of_this_host),
        pack_test (a_link_for_shards),
        pack_test (what_was_half_done),
        pack_test (large_ones_go_in_batches),
        pack_test (a_run_goes_on_where_it_was),
        pack_test (a_batch_that_is_too_large),
        pack_test (a_shard_that_is_too_large),
        pack_test (stages_beside_each_other),
        pack_test (the_status_of_a_verb),
    };

    verb_runner (fake_verb);
    return tap_run (tests);
}
