/* SPDX-License-Identifier: MIT
 *
 * procinfo.c - environment and /proc/self -> process block
 */
#include "config.h"

#include "lib/base/highfd.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/nodename.h"
#include "lib/base/text.h"
#include "preload/record/procinfo.h"
#include "lib/base/sys.h"

enum {
    EXE_MAX = 4096,
    ALTERNATIVES = 8,
    ARGS_MAX = 6 << 20 /* bytes; the kernel allows no more */
};

static struct {
    const char *exe, *args;
    size_t exe_bytes, args_bytes; /* with the last NUL; 0: /proc knows */
} given SYS_START;

/* First that is set wins: the launcher nearest to the process knows best. */
static const char *const rank_names[ALTERNATIVES] = {"OMPI_COMM_WORLD_RANK",
                                                     "PMIX_RANK",
                                                     "PMI_RANK",
                                                     "RANK",
                                                     "FLUX_TASK_RANK",
                                                     "JSM_NAMESPACE_RANK",
                                                     "PALS_RANKID",
                                                     "SLURM_PROCID"};
static const char *const local_rank_names[ALTERNATIVES] = {
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "MPI_LOCALRANKID",
    "LOCAL_RANK",
    "FLUX_TASK_LOCAL_ID",
    "JSM_NAMESPACE_LOCAL_RANK",
    "PALS_LOCAL_RANKID",
    "SLURM_LOCALID",
    NULL};
static const char *const ranks_names[ALTERNATIVES] = {
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "WORLD_SIZE",
    "FLUX_JOB_SIZE",
    "JSM_NAMESPACE_SIZE",
    "SLURM_STEP_NUM_TASKS",
    NULL}; /* SLURM_NTASKS may be what is allowed, with nothing started */

static int64_t procinfo_number (settings_lookup_f lookup,
                                void *cookie,
                                const char *name,
                                int64_t unknown)
{
    const char *text = lookup (cookie, name);
    uint64_t value;

    if (!text || parse_u64 (text, &value) < 0 || value > INT64_MAX)
        return unknown;
    return (int64_t)value;
}

static int64_t first_number (settings_lookup_f lookup,
                             void *cookie,
                             const char *const *names,
                             int64_t unknown)
{
    for (int i = 0; i < ALTERNATIVES && names[i]; i++) {
        int64_t v = procinfo_number (lookup, cookie, names[i], -1);

        if (v >= 0 && v <= INT32_MAX)
            return v;
    }
    return unknown;
}

static void procinfo_copy_text (char *out, size_t size, const char *text)
{
    size_t n = text ? strlen (text) : 0;

    if (n >= size)
        n = size - 1;
    if (n > 0)
        memcpy (out, text, n);
    out[n] = '\0';
}

void procinfo_init (struct procinfo *info,
                    settings_lookup_f lookup,
                    void *cookie)
{
    struct shard_process *ids = &info->ids;

    memset (info, 0, sizeof (*info));
    (void)nodename_find (lookup, cookie, info->host);
    procinfo_copy_text (info->job_name, sizeof (info->job_name),
                        lookup (cookie, "SLURM_JOB_NAME"));
    ids->rank = (int32_t)first_number (lookup, cookie, rank_names, -1);
    ids->local_rank =
        (int32_t)first_number (lookup, cookie, local_rank_names, -1);
    ids->ranks = (uint32_t)first_number (lookup, cookie, ranks_names, 0);
    ids->job_id = jobdir_job_id (lookup, cookie);
    ids->array_job_id =
        (uint64_t)procinfo_number (lookup, cookie, "SLURM_ARRAY_JOB_ID", 0);
    ids->array_task_id =
        procinfo_number (lookup, cookie, "SLURM_ARRAY_TASK_ID", -1);
    ids->step_id = procinfo_number (lookup, cookie, "SLURM_STEP_ID", -1);
    ids->restart =
        (uint32_t)procinfo_number (lookup, cookie, "SLURM_RESTART_COUNT", 0);
}

void procinfo_args (int argc, char **argv)
{
    char *end;

    if (argc < 1 || !argv || !argv[0] || !argv[argc - 1])
        return;
    end = argv[argc - 1] + strlen (argv[argc - 1]) + 1;
    if (end <= argv[0] || end - argv[0] > ARGS_MAX)
        return;
    given.args = argv[0];
    given.args_bytes = (size_t)(end - argv[0]);
}

void procinfo_exe (const char *exe, size_t length)
{
    given.exe = exe;
    given.exe_bytes = length;
}

const char *procinfo_path (size_t *n)
{
    *n = given.exe_bytes;
    return given.exe;
}

/* Append n bytes and a NUL at *used; cut at size. The callers keep back the
 * NULs of the strings to come. */
static void
procinfo_put (char *p, size_t size, size_t *used, const char *text, size_t n)
{
    size_t room = size - *used - 1;

    if (n > room)
        n = room;
    memcpy (p + *used, text, n);
    p[*used + n] = '\0';
    *used += n + 1;
}

static void put_link (char *p, size_t size, size_t *used, const char *link)
{
    size_t room = size - *used - 1; /* no copy: this may be a signal stack */
    ssize_t n = sys_readlink (link, p + *used, room < EXE_MAX ? room : EXE_MAX);

    *used += n > 0 ? (size_t)n : 0;
    p[(*used)++] = '\0';
}

/* Cheaper than the link in /proc, but for a directory that was removed. */
static void put_cwd (char *p, size_t size, size_t *used)
{
    size_t room = size - *used - 1;
    long n = sys_call (SYS_getcwd, p + *used, room < EXE_MAX ? room : EXE_MAX);

    if (n > 1 && p[*used] == '/')
        *used += (size_t)n; /* its NUL included */
    else
        put_link (p, size, used, "/proc/self/cwd");
}

static size_t read_cmdline (char *p, size_t room)
{
    int fd = highfd_brief (AT_FDCWD, "/proc/self/cmdline", O_RDONLY, 0);
    size_t n = 0;

    while (fd >= 0 && n < room) {
        ssize_t rc = sys_read (fd, p + n, room - n);

        if (rc <= 0)
            break;
        n += (size_t)rc;
    }
    if (fd >= 0)
        (void)sys_close (fd);
    return n;
}

static void put_argv (char *p, size_t size, size_t *used)
{
    char *begin = p + *used;
    size_t room = size - *used - 1, n = given.args_bytes;

    if (n > room)
        n = room;
    if (n > 0 && given.args[given.args_bytes - 1] == '\0')
        memcpy (begin, given.args, n);
    else /* a title longer than the arguments were */
        n = read_cmdline (begin, room);
    while (n > 0 && begin[n - 1] == '\0')
        n--;
    for (size_t i = 0; i < n; i++)
        if (begin[i] == '\0')
            begin[i] = 0x1f;
    begin[n] = '\0';
    *used += n + 1;
}

/* Return the space for string number `which` and those before it. */
static size_t keep_back (size_t size, enum shard_string which)
{
    return size - (SHARD_STRING_COUNT - 1 - (size_t)which);
}

size_t procinfo_length (const struct procinfo *info)
{
    return strlen (info->host) + strlen (info->job_name) + given.exe_bytes +
           given.args_bytes + SHARD_STRING_COUNT;
}

size_t procinfo_strings (const struct procinfo *info, char *p, size_t size)
{
    size_t used = 0;

    procinfo_put (p, keep_back (size, SHARD_STRING_HOST), &used, info->host,
                  strlen (info->host));
    if (given.exe_bytes > 0)
        procinfo_put (p, keep_back (size, SHARD_STRING_EXE), &used, given.exe,
                      given.exe_bytes);
    else
        put_link (p, keep_back (size, SHARD_STRING_EXE), &used,
                  "/proc/self/exe");
    put_cwd (p, keep_back (size, SHARD_STRING_CWD), &used);
    procinfo_put (p, keep_back (size, SHARD_STRING_JOB_NAME), &used,
                  info->job_name, strlen (info->job_name));
    put_argv (p, size, &used);
    return used;
}
