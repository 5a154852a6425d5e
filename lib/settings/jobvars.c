/* SPDX-License-Identifier: MIT
 *
 * jobvars.c - Slurm's variables in the environment -> struct jobinfo
 *
 * In:  the environment of a batch script or of a task
 * Out: ids and names, as the user may have changed them
 */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "lib/settings/jobvars.h"
#include "lib/base/parse.h"

const char *jobvars_text (const char *name)
{
    const char *text = settings_environ (NULL, name);

    return text && *text ? text : NULL;
}

uint64_t jobvars_number (const char *name, uint64_t otherwise)
{
    const char *text = jobvars_text (name);
    uint64_t n;

    return text && parse_u64 (text, &n) == 0 ? n : otherwise;
}

static const char *jobvars_either (const char *one, const char *two)
{
    const char *text = jobvars_text (one);

    return text ? text : jobvars_text (two);
}

void jobvars_read (struct jobvars *v)
{
    struct jobinfo *job = &v->job;

    memset (v, 0, sizeof (*v));
    job->job_id =
        jobvars_number ("SLURM_HET_JOB_ID", jobvars_number ("SLURM_JOB_ID", 0));
    job->array_job_id = jobvars_number ("SLURM_ARRAY_JOB_ID", 0);
    job->array_task_id =
        jobvars_text ("SLURM_ARRAY_TASK_ID")
            ? (int64_t)jobvars_number ("SLURM_ARRAY_TASK_ID", 0)
            : -1;
    job->restart = (uint32_t)jobvars_number ("SLURM_RESTART_COUNT", 0);
    job->nnodes = (uint32_t)jobvars_number ("SLURM_JOB_NUM_NODES", 0);
    job->ntasks = (uint32_t)jobvars_number ("SLURM_NTASKS", 0);
    job->uid = getuid ();
    job->job_name = jobvars_text ("SLURM_JOB_NAME");
    job->user = jobvars_either ("SLURM_JOB_USER", "USER");
    job->home = jobvars_text ("HOME");
    job->workdir = jobvars_either ("SLURM_SUBMIT_DIR", "SLURM_JOB_WORK_DIR");
    if (!job->workdir)
        job->workdir = getcwd (v->cwd, sizeof (v->cwd));
    job->nodelist = jobvars_text ("SLURM_JOB_NODELIST");
    job->partition = jobvars_text ("SLURM_JOB_PARTITION");
    job->account = jobvars_text ("SLURM_JOB_ACCOUNT");
    job->point = jobvars_text ("DFTRACE_POINT");
    job->host = jobdir_host (jobvars_text ("SLURMD_NODENAME"), v->host);
}
