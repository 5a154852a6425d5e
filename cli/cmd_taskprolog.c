/* SPDX-License-Identifier: MIT
 *
 * cmd_taskprolog.c - `dftrace taskprolog`: the plugin's work without a plugin
 *
 * In:  the environment of a task; SLURM_DFTRACE says what --dftrace= would
 * Out: "export NAME=VALUE" lines for slurmstepd, which reads them from the
 *      standard output of a TaskProlog; the job directory
 */
#include "config.h"

#include "cli/cmd.h"
#include "lib/settings/nodename.h"
#include "lib/settings/taskenv.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

struct prolog {
    struct site site;
    struct plan plan;
    struct jobvars vars;
};

static const char *taskprolog_get_variable (void *cookie, const char *name)
{
    errno = 0;
    return settings_environ (cookie, name);
}

/* A line break would begin a directive of its own. */
static int print_variable (void *cookie, const char *name, const char *value)
{
    if (value && strpbrk (value, "\r\n"))
        return -1;
    if (value)
        printf ("export %s=%s\n", name, value);
    else
        printf ("unset %s\n", name);
    return 0;
}

static void make_plan (struct prolog *p)
{
    const struct plan_word words[] = {
        {.name = PLAN_MIRROR, .text = settings_environ (NULL, PLAN_MIRROR)},
        {.name = NULL},
    };
    const struct plan_sources from = {words, taskprolog_get_variable, NULL,
                                      &p->site};
    const char *conf = jobvars_text ("DFTRACE_CONF");
    char *word = conf ? arena_format ("conf=%s", conf) : NULL;

    site_load (&p->site, word ? 1 : 0, &word);
    jobvars_read (&p->vars);
    plan_make (&p->plan, &from, &p->vars.job,
               jobvars_text ("SLURM_STEP_ID") ? STEP_TASKS : STEP_SHELL);
    plan_without_kernel (&p->plan, "layer kernel: only with Slurm's plugin");
    p->plan.stage[0] = '\0'; /* nobody would collect it */
}

static int failed (const struct prolog *p)
{
    if (jobvars_number ("SLURM_LOCALID", 0) == 0)
        log_error ("%s: %s: %s", p->vars.host, p->plan.err.text,
                   p->plan.strict ? "the task does not start (strict)"
                                  : "running untraced");
    return p->plan.strict ? EXIT_FAILED : EXIT_OK;
}

static int run_prolog (struct prolog *p)
{
    const struct taskenv env = {taskprolog_get_variable, print_variable, NULL};

    make_plan (p);
    switch (p->plan.decision) {
    case DECIDED_TRACE:
        if (p->plan.kernel.text[0] && jobvars_number ("SLURM_LOCALID", 0) == 0)
            log_warn ("%s: %s: going on without it", p->vars.host,
                      p->plan.kernel.text);
        if (taskenv_trace (&env, &p->plan, &p->vars.job, &p->plan.err) == 0)
            return EXIT_OK;
        taskenv_silence (&env, &p->plan);
        return failed (p);
    case DECIDED_FAILED:
        taskenv_silence (&env, &p->plan);
        return failed (p);
    case DECIDED_TELL:
        (void)taskenv_tell (&env, &p->plan, &p->vars.job);
        return EXIT_OK;
    case DECIDED_OFF:
        taskenv_silence (&env, &p->plan);
        return EXIT_OK;
    case DECIDED_NOTHING:
        if (p->plan.inherited)
            taskenv_silence (&env, &p->plan);
        return EXIT_OK;
    }
    return EXIT_OK;
}

static int print_where (struct prolog *p)
{
    make_plan (p);
    if (p->plan.decision != DECIDED_TRACE && p->plan.decision != DECIDED_TELL)
        return EXIT_FAILED;
    puts (p->plan.dir);
    return EXIT_OK;
}

static const struct verb_help help = {
    .usage = "dftrace taskprolog [--where]",
    .summary = "the plugin's work without a plugin, as Slurm's TaskProlog",
    .text =
        "Set TaskProlog in slurm.conf, or `srun --task-prolog`, to a script "
        "that runs it.\nWhat --dftrace= would say comes from "
        "SLURM_DFTRACE.",
    .example = "  $ export SLURM_DFTRACE=posix,app\n"
               "  $ srun --task-prolog=taskprolog-dftrace ./a.out\n",
    .exits = "0  the task may start\n1  it may not (strict); --where: not "
             "traced\n",
};

int cmd_taskprolog (int argc, char **argv)
{
    static struct prolog p;
    static int where;
    static const struct opt options[] = {
        {"where", 0, OPT_FLAG, &where, NULL,
         "only print the directory of a traced job"},
        {.name = NULL},
    };
    struct errtext err;
    int first;

    xalloc_status = EXIT_OK; /* any other status would cancel the task */
    switch (optparse (options, &help, argc, argv, &first, &err)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        log_error ("%s", err.text);
        return EXIT_OK;
    case OPTPARSE_OK:
        break;
    }
    if (!where)
        return run_prolog (&p);
    xalloc_status = EXIT_FAILED;
    return print_where (&p);
}
