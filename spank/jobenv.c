/* SPDX-License-Identifier: MIT
 *
 * jobenv.c - slurmstepd's items and the step's environment -> struct jobenv
 *
 * In:  spank_get_item, spank_getenv
 * Out: ids (Slurm's word), names (the environment's, so the user's)
 * Caveat: array ids come from the user's environment, too; they only name a
 *         directory that is made as the user. The node's name is that of
 *         slurmstepd itself: in a step's environment it still is the name of
 *         the node that the batch script runs on.
 */
#include "config.h"

#include "lib/base/text.h"
#include "spank/jobenv.h"
#include "spank/message.h"
#include "spank/spank_api.h"

const char *jobenv_get (spank_t sp, const char *name, char *buf, size_t size)
{
    spank_err_t rc = spank_getenv (sp, name, buf, (int)size);

    if (rc == ESPANK_SUCCESS)
        return buf;
    errno = rc == ESPANK_NOSPACE ? ENAMETOOLONG : 0;
    buf[0] = '\0';
    return NULL;
}

/* First of two variables that is set and not empty; buf, or NULL. */
static const char *jobenv_either (
    spank_t sp, const char *one, const char *two, char *buf, size_t size)
{
    if (jobenv_get (sp, one, buf, size) && *buf)
        return buf;
    if (two && jobenv_get (sp, two, buf, size) && *buf)
        return buf;
    buf[0] = '\0';
    return NULL;
}

static uint64_t jobenv_number (spank_t sp, const char *name, uint64_t otherwise)
{
    char text[32];
    uint64_t n;

    return jobenv_get (sp, name, text, sizeof (text)) &&
                   parse_u64 (text, &n) == 0
               ? n
               : otherwise;
}

static uint32_t item (spank_t sp, spank_item_t which, uint32_t otherwise)
{
    uint32_t n;

    return spank_get_item (sp, which, &n) == ESPANK_SUCCESS ? n : otherwise;
}

static enum step_kind step_kind (uint32_t step)
{
    if (step == SLURM_BATCH_SCRIPT || step == SLURM_INTERACTIVE_STEP)
        return STEP_SHELL;
    return step <= SLURM_MAX_NORMAL_STEP_ID ? STEP_TASKS : STEP_OTHER;
}

int jobenv_local_task (spank_t sp)
{
    int local = 0;

    return spank_get_item (sp, S_TASK_ID, &local) == ESPANK_SUCCESS ? local : 0;
}

static void read_ids (spank_t sp, struct jobenv *e)
{
    uint32_t task = item (sp, S_JOB_ARRAY_TASK_ID, NO_VAL);

    e->info.step_id = item (sp, S_JOB_STEPID, SLURM_EXTERN_CONT);
    e->step = step_kind (e->info.step_id);
    e->own_id = item (sp, S_JOB_ID, 0);
    e->info.job_id = jobenv_number (sp, "SLURM_HET_JOB_ID", e->own_id);
    e->info.array_task_id = -1;
    if (task != NO_VAL) {
        e->info.array_task_id = task;
        e->info.array_job_id = item (sp, S_JOB_ARRAY_ID, 0);
    }
    /* Slurm 22.05 gives 0 for the item in batch jobs; the variable is right,
     * but a batch step has it only in task_init */
    e->info.restart = (uint32_t)jobenv_number (
        sp, "SLURM_RESTART_COUNT", item (sp, S_SLURM_RESTART_COUNT, 0));
    e->info.nnodes = (uint32_t)jobenv_number (sp, "SLURM_JOB_NUM_NODES",
                                              item (sp, S_JOB_NNODES, 0));
    e->info.ntasks = item (sp, S_JOB_TOTAL_TASK_COUNT, 0);
    e->info.tasks_here = item (sp, S_JOB_LOCAL_TASK_COUNT, 0);
    e->info.uid = (uid_t)item (sp, S_JOB_UID, (uint32_t)-1);
    e->gid = (gid_t)item (sp, S_JOB_GID, (uint32_t)-1);
}

/* The job's directory: of the batch script, its own, where slurmstepd was
 * before there were tasks (in a mount namespace of its own a task is in "/"
 * when we ask); of a step, where the job was submitted, so that a `cd` between
 * two steps changes nothing. */
static char job_cwd[SETTING_TEXT_MAX]; /* "": not known */

static struct marker_groups job_groups;

/* More of them than there is room for are none: not a part of them. */
static void read_groups (spank_t sp)
{
    int n = -1;

    if (geteuid () == (uid_t)item (sp, S_JOB_UID, (uint32_t)-1) &&
        getegid () == (gid_t)item (sp, S_JOB_GID, (uint32_t)-1))
        n = getgroups (MARKER_GROUPS_MAX, job_groups.gid);
    job_groups.count = n > 0 ? (size_t)n : 0;
}

const struct marker_groups *jobenv_groups (void)
{
    return &job_groups;
}

void jobenv_start (spank_t sp)
{
    read_groups (sp);
    if (!getcwd (job_cwd, sizeof (job_cwd)) || job_cwd[0] != '/')
        job_cwd[0] = '\0';
}

static const char *workdir (spank_t sp, struct jobenv *e)
{
    size_t size = sizeof (e->workdir);

    if (e->step == STEP_TASKS &&
        jobenv_either (sp, "SLURM_SUBMIT_DIR", NULL, e->workdir, size))
        return e->workdir;
    if (job_cwd[0])
        return memcpy (e->workdir, job_cwd, size);
    if (getcwd (e->workdir, size))
        return e->workdir;
    return jobenv_either (sp, "SLURM_SUBMIT_DIR", "PWD", e->workdir, size);
}

/* Return the program that a task starts, as an absolute path or relative to the
 * task's directory. */
static const char *program (spank_t sp, struct jobenv *e)
{
    char **argv = NULL;
    int argc = 0;
    size_t n;

    if (e->step != STEP_TASKS ||
        spank_get_item (sp, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS ||
        argc < 1 || !argv || !argv[0])
        return NULL;
    n = strlen (argv[0]) + 1;
    return n <= sizeof (e->program) ? memcpy (e->program, argv[0], n) : NULL;
}

void jobenv_read (spank_t sp, struct jobenv *e)
{
    *e = (struct jobenv){0};
    read_ids (sp, e);
    e->info.job_name = jobenv_either (sp, "SLURM_JOB_NAME", NULL, e->job_name,
                                      sizeof (e->job_name));
    e->info.user =
        jobenv_either (sp, "SLURM_JOB_USER", "USER", e->user, sizeof (e->user));
    e->info.home = jobenv_either (sp, "HOME", NULL, e->home, sizeof (e->home));
    e->info.nodelist =
        jobenv_either (sp, "SLURM_JOB_NODELIST", "SLURM_NODELIST", e->nodelist,
                       sizeof (e->nodelist));
    e->info.partition = jobenv_either (sp, "SLURM_JOB_PARTITION", NULL,
                                       e->partition, sizeof (e->partition));
    e->info.account = jobenv_either (sp, "SLURM_JOB_ACCOUNT", NULL, e->account,
                                     sizeof (e->account));
    e->info.point =
        jobenv_either (sp, "DFTRACE_POINT", NULL, e->point, sizeof (e->point));
    e->info.host =
        jobdir_host (settings_environ (NULL, "SLURMD_NODENAME"), e->host);
    e->info.workdir = workdir (sp, e);
    e->info.program = program (sp, e);
    e->info.path = jobenv_either (sp, "PATH", NULL, e->path, sizeof (e->path));
    e->info.command =
        jobenv_either (sp, PLAN_SCRIPT, NULL, e->script, sizeof (e->script));
}

/* ---- a directory -> does it go with the job's private /tmp ---- */

enum { MOUNTS_MAX = 1 << 20, ROOT_FIELD = 3 };

/* Whether the mount point is path, or above it. */
static int is_above (const char *point, size_t n, const char *path)
{
    if (n == 1)
        return 1; /* "/" */
    return strncmp (point, path, n) == 0 && (!path[n] || path[n] == '/');
}

/* Root and mount point of a line; 0: it has none. */
static int privatetmp_split (char *line, const char **root, const char **point)
{
    char *save = NULL, *field = strtok_r (line, " ", &save);

    for (int i = 0; field && i < ROOT_FIELD; i++)
        field = strtok_r (NULL, " ", &save);
    *root = field;
    *point = field ? strtok_r (NULL, " ", &save) : NULL;
    return *point != NULL;
}

/* The roots of a job's private mounts have this in their path. */
static size_t privatetmp_root (char own[48], uint32_t job_id)
{
    return (size_t)snprintf (own, 48, "/%" PRIu32 "/.%" PRIu32, job_id, job_id);
}

/* The last mount of the longest mount point counts. */
static int privatetmp_in (char *mounts, const char *path, uint32_t job_id)
{
    char *save = NULL, own[48];
    const char *root, *point;
    size_t longest = 0;
    int private = 0;

    (void)privatetmp_root (own, job_id);
    for (char *line = strtok_r (mounts, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save)) {
        size_t n;

        if (!privatetmp_split (line, &root, &point))
            continue;
        n = strlen (point);
        if (n >= longest && is_above (point, n, path)) {
            const char *at = strstr (root, own);

            longest = n;
            private = at && (!at[strlen (own)] || at[strlen (own)] == '/');
        }
    }
    return private;
}

/* Most jobs have no private mount, and for them the text of all mounts is
 * searched and not taken apart. */
static int privatetmp_is_there (uint32_t job_id)
{
    int fd = open ("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC), found = 0;
    char text[8192], own[48];
    size_t n = privatetmp_root (own, job_id), used = 0;
    ssize_t got;

    while (!found && fd >= 0 &&
           (got = read (fd, text + used, sizeof (text) - used)) > 0) {
        used += (size_t)got;
        found = memmem (text, used, own, n) != NULL;
        if (used >= n) { /* what is looked for may begin at the end */
            memmove (text, text + used - (n - 1), n - 1);
            used = n - 1;
        }
    }
    if (fd >= 0)
        close (fd);
    return found;
}

static int privatetmp_has (const char *path, uint32_t job_id)
{
    FILE *in = privatetmp_is_there (job_id)
                   ? fopen ("/proc/self/mountinfo", "re")
                   : NULL;
    char *text = in ? malloc (MOUNTS_MAX + 1) : NULL;
    size_t n = text ? fread (text, 1, MOUNTS_MAX, in) : 0;
    int private = 0;

    if (text) {
        text[n] = '\0';
        private = privatetmp_in (text, path, job_id);
    }
    free (text);
    if (in)
        fclose (in);
    return private;
}

void privatetmp_tell (const char *dir,
                      const struct jobenv *job,
                      const char *known)
{
    if (job->local_task == 0 && (!known || strcmp (known, dir) != 0) &&
        privatetmp_has (dir, job->own_id))
        say (
            SAY_USER,
            "%s: %s: in the job's private directory, with which the trace goes",
            job->host, dir);
}

/* ---- the site's settings in this process ---- */

static struct site site;

void site_start (int ac, char **av)
{
    site_load (&site, ac, av);
}

void site_complain (void)
{
    for (int i = 0; i < site.errors && i < SITE_ERRORS_MAX; i++)
        say (SAY_ERROR, "%s", site.error[i].text);
    if (site.errors > SITE_ERRORS_MAX)
        say (SAY_ERROR, "%d more of these", site.errors - SITE_ERRORS_MAX);
}

const struct site *site_now (void)
{
    return &site;
}
