/* SPDX-License-Identifier: MIT
 *
 * dispatch.c - Slurm's callbacks -> the side that they run on
 *
 * In:  slurm_spank_* calls of sbatch, srun, salloc (local, allocator), slurmd
 *      and slurmstepd (remote)
 * Out: calls of options.c, task_side.c, stage_side.c and kernel_side.c,
 *      nothing else
 * Caveat: a failure anywhere but in task_init may drain the node, so every
 *         callback of the remote side but that one returns 0.
 */
#include "config.h"

#include "spank/jobenv.h"
#include "spank/sides.h"
#include "spank/spank_api.h"

#pragma GCC visibility push(default)
SPANK_PLUGIN (dftrace, 1)
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
/* should init ever fail (it does not), the job and not the node pays */
int slurm_spank_init_failure_mode = ESPANK_JOB_FAILURE;
#endif
#pragma GCC visibility pop

static int submits (void)
{
    return spank_context () == S_CTX_LOCAL ||
           spank_context () == S_CTX_ALLOCATOR;
}

int slurm_spank_init (spank_t sp, int ac, char **av)
{
    if (spank_context () == S_CTX_JOB_SCRIPT)
        return 0;
    site_start (ac, av);
    if (spank_context () == S_CTX_SLURMD)
        site_complain ();
    else
        options_register (sp);
    return 0;
}

int slurm_spank_init_post_opt (spank_t sp, int ac, char **av)
{
    if (spank_context () == S_CTX_REMOTE) {
        task_side_join (sp);
        kernel_side_start (sp);
    }
    return submits () ? submit_side_check () : 0;
}

int slurm_spank_user_init (spank_t sp, int ac, char **av)
{
    jobenv_start (sp);
    stage_side_start (sp);
    task_side_begin (sp);
    return 0;
}

int slurm_spank_task_init_privileged (spank_t sp, int ac, char **av)
{
    task_side_prepare (sp);
    return 0;
}

int slurm_spank_task_init (spank_t sp, int ac, char **av)
{
    return task_side_start (sp);
}

int slurm_spank_task_exit (spank_t sp, int ac, char **av)
{
    kernel_side_task_ended (sp);
    stage_side_task_ended (sp);
    return 0;
}

int slurm_spank_exit (spank_t sp, int ac, char **av)
{
    if (spank_context () == S_CTX_REMOTE) {
        kernel_side_end ();
        stage_side_step_ended (sp);
    }
    return 0;
}
