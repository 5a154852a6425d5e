/* SPDX-License-Identifier: MIT
 *
 * procinfo.c - who we are: precedence of ranks, cut strings
 */
#include "tests/unit/tap.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "preload/record/procinfo.h"
#include "lib/settings/nodename.h"

static const char *lookup (void *cookie, const char *name)
{
    for (const char *const *p = cookie; *p; p += 2)
        if (strcmp (p[0], name) == 0)
            return p[1];
    return NULL;
}

#define INIT(INFO, ...) \
    procinfo_init (INFO, lookup, (void *)(const char *[]){__VA_ARGS__, NULL})

static struct procinfo info;

static void test_nothing_known (void **state)
{
    struct utsname uts;

    memset (&info, 0xff, sizeof (info));
    INIT (&info, NULL);
    assert_int_equal (uname (&uts), 0);
    assert_string_equal (info.host, uts.nodename);
    assert_string_equal (info.job_name, "");
    assert_int_equal (info.ids.rank, -1);
    assert_int_equal (info.ids.local_rank, -1);
    assert_int_equal (info.ids.ranks, 0);
    assert_int_equal (info.ids.job_id, 0);
    assert_int_equal (info.ids.array_job_id, 0);
    assert_int_equal (info.ids.array_task_id, -1);
    assert_int_equal (info.ids.step_id, -1);
    assert_int_equal (info.ids.restart, 0);
}

static void test_ranks (void **state)
{
    INIT (&info, "SLURM_PROCID", "4", "RANK", "3", "PMI_RANK", "2", "PMIX_RANK",
          "1", "OMPI_COMM_WORLD_RANK", "0", "SLURM_NTASKS", "8", "WORLD_SIZE",
          "16", "SLURM_LOCALID", "5", "LOCAL_RANK", "6");
    assert_int_equal (info.ids.rank, 0);
    assert_int_equal (info.ids.ranks, 16);
    assert_int_equal (info.ids.local_rank, 6);
    INIT (&info, "SLURM_PROCID", "4", "RANK", "3", "SLURM_NTASKS", "8",
          "SLURM_STEP_NUM_TASKS", "2");
    assert_int_equal (info.ids.rank, 3);
    assert_int_equal (info.ids.ranks, 2);
    INIT (&info, "SLURM_PROCID", "0", "SLURM_NTASKS", "8"); /* a batch script */
    assert_int_equal (info.ids.ranks, 0);
    INIT (&info, "SLURM_PROCID", "4", "RANK", "none", "PMI_RANK", "",
          "SLURM_LOCALID", "1");
    assert_int_equal (info.ids.rank, 4); /* what is no number says nothing */
    assert_int_equal (info.ids.local_rank, 1);
    INIT (&info, "SLURM_PROCID", "2147483648", "RANK", "-1");
    assert_int_equal (info.ids.rank, -1);
}

/* Each launcher alone; inside of it torchrun, whose ranks are those of the
 * program; inside of Slurm's step it. */
static void test_launchers (void **state)
{
    static const struct {
        const char *rank, *local, *ranks;
    } names[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
         "OMPI_COMM_WORLD_SIZE"},
        {"PMIX_RANK", NULL, NULL},
        {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
        {"FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", "FLUX_JOB_SIZE"},
        {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_LOCAL_RANK",
         "JSM_NAMESPACE_SIZE"},
        {"PALS_RANKID", "PALS_LOCAL_RANKID", NULL},
    };

    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
        const char *local = names[i].local ? names[i].local : "A";
        const char *ranks = names[i].ranks ? names[i].ranks : "B";

        INIT (&info, names[i].rank, "5", local, "1", ranks, "8", "SLURM_PROCID",
              "0");
        assert_int_equal (info.ids.rank, 5);
        assert_int_equal (info.ids.local_rank, names[i].local ? 1 : -1);
        assert_int_equal (info.ids.ranks, names[i].ranks ? 8 : 0);
        INIT (&info, names[i].rank, "5", "RANK", "3");
        assert_int_equal (info.ids.rank, i < 3 ? 5 : 3);
    }
}

static void test_job (void **state)
{
    static const struct {
        const char *name, *text;
        uint64_t id;
    } ids[] = {
        {"FLUX_JOB_ID", "f1", 0}, /* examples of Flux's RFC 19 */
        {"FLUX_JOB_ID", "fA", 9},
        {"FLUX_JOB_ID",
         "\xc6\x92"
         "uZZybuNNy",
         6731191091817518},
        {"FLUX_JOB_ID", "fuZZybuNNy", 6731191091817518},
        {"FLUX_JOB_ID", "fuzzy0unny", 0},
        {"FLUX_JOB_ID", "uzzybunny", 0},
        {"FLUX_JOB_ID", "fzzzzzzzzzzzzz", 0},
        {"PBS_JOBID", "4711.server", 4711},
        {"PBS_JOBID", "4711[3].server", 4711},
        {"LSB_JOBID", "4712", 4712},
        {"LSB_JOBID", "99999999999999999999", 0},
        {"SLURM_JOB_ID", "12x", 0},
    };

    for (size_t i = 0; i < sizeof (ids) / sizeof (ids[0]); i++) {
        INIT (&info, ids[i].name, ids[i].text);
        assert_int_equal (info.ids.job_id, ids[i].id);
    }
    INIT (&info, "FLUX_JOB_ID", "fA", "SLURM_JOB_ID", "100");
    assert_int_equal (info.ids.job_id, 100); /* the job that both are in */
    INIT (&info, "SLURM_JOB_ID", "100", "SLURM_ARRAY_JOB_ID", "98",
          "SLURM_ARRAY_TASK_ID", "0", "SLURM_STEP_ID", "4294967290",
          "SLURM_RESTART_COUNT", "2", "SLURM_JOB_NAME", "train/one",
          "SLURMD_NODENAME", "n/1");
    assert_int_equal (info.ids.job_id, 100);
    assert_int_equal (info.ids.array_job_id, 98);
    assert_int_equal (info.ids.array_task_id, 0);
    assert_int_equal (info.ids.step_id, 4294967290);
    assert_int_equal (info.ids.restart, 2);
    assert_string_equal (info.job_name, "train/one");
    assert_string_equal (info.host, "n_1"); /* it is part of a file's name */
}

/* A name of another kernel is not ours; the kernel's own is, cut as Slurm
 * does. */
static void test_nodes (void **state)
{
    char said[SETTING_TEXT_MAX], name[NODENAME_MAX];
    struct utsname uts;

    assert_int_equal (uname (&uts), 0);
    INIT (&info, "DFTRACE_NODE", nodename_describe ("n1", said),
          "SLURMD_NODENAME", "n2");
    assert_string_equal (info.host, "n1");
    INIT (&info, "DFTRACE_NODE", "n1 other.cluster 00000000", "SLURMD_NODENAME",
          "n1");
    (void)snprintf (name, sizeof (name), "%.*s",
                    (int)strcspn (uts.nodename, "."), uts.nodename);
    assert_string_equal (info.host, name);
    INIT (&info, "DFTRACE_NODE", "n1", "SLURMD_NODENAME", "n2");
    assert_string_equal (info.host, "n2"); /* malformed */
    assert_string_equal (nodename_describe ("n 1", said), "");
}

/* The clock of this node need not be looked for again; of another node it says
 * nothing. */
static void test_clock (void **state)
{
    char said[SETTING_TEXT_MAX], other[SETTING_TEXT_MAX];

    (void)snprintf (other, sizeof (other), "n1 other.cluster 00000000 tsc");
    (void)nodename_describe ("n1", said);
    clock_start ();
    INIT (&info, "DFTRACE_NODE", other);
    assert_int_equal (clock_known (), -1);
    INIT (&info, "DFTRACE_NODE", said);
    assert_int_equal (clock_known (), clock_cycles_good () ? 1 : -1);
    assert_string_equal (info.host, "n1");
}

static void test_long_names (void **state)
{
    char longer[1000];

    memset (longer, 'n', sizeof (longer) - 1);
    longer[sizeof (longer) - 1] = '\0';
    INIT (&info, "SLURMD_NODENAME", longer, "SLURM_JOB_NAME", longer);
    assert_int_equal (strlen (info.host), sizeof (info.host) - 1);
    assert_int_equal (strlen (info.job_name), sizeof (info.job_name) - 1);
}

static const char *string (const char *p, int which)
{
    while (which-- > 0)
        p += strlen (p) + 1;
    return p;
}

static void test_strings (void **state)
{
    char buf[16384], path[PATH_MAX] = "", *argv;
    size_t n;

    INIT (&info, "SLURMD_NODENAME", "n1", "SLURM_JOB_NAME", "train");
    n = procinfo_strings (&info, buf, sizeof (buf));
    assert_string_equal (string (buf, SHARD_STRING_HOST), "n1");
    assert_string_equal (string (buf, SHARD_STRING_JOB_NAME), "train");
    assert_true (readlink ("/proc/self/exe", path, sizeof (path) - 1) > 0);
    assert_string_equal (string (buf, SHARD_STRING_EXE), path);
    assert_non_null (getcwd (path, sizeof (path)));
    assert_string_equal (string (buf, SHARD_STRING_CWD), path);
    argv = (char *)string (buf, SHARD_STRING_ARGV);
    assert_true (strlen (argv) > 0);
    assert_ptr_equal (argv + strlen (argv) + 1, buf + n);
}

/* However little room: nothing behind it, and every string has its end. */
static void test_cut (void **state)
{
    char full[16384];
    size_t all;

    INIT (&info, "SLURMD_NODENAME", "some-node", "SLURM_JOB_NAME", "train");
    all = procinfo_strings (&info, full, sizeof (full));
    for (size_t size = SHARD_STRING_COUNT; size <= all + 1; size++) {
        char *buf = malloc (size + 1);
        size_t n, ends = 0;

        memset (buf, '!', size + 1);
        n = procinfo_strings (&info, buf, size);
        assert_true (n <= size);
        assert_int_equal (buf[size], '!');
        for (size_t i = 0; i < n; i++)
            ends += buf[i] == '\0';
        assert_int_equal (ends, SHARD_STRING_COUNT);
        assert_int_equal (buf[n - 1], '\0');
        if (size >= all)
            assert_memory_equal (buf, full, all);
        free (buf);
    }
}

int main (void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test (test_nothing_known), cmocka_unit_test (test_ranks),
        cmocka_unit_test (test_launchers),     cmocka_unit_test (test_job),
        cmocka_unit_test (test_nodes),         cmocka_unit_test (test_clock),
        cmocka_unit_test (test_long_names),    cmocka_unit_test (test_strings),
        cmocka_unit_test (test_cut),
    };

    return tap_run (tests);
}
