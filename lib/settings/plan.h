/* SPDX-License-Identifier: MIT
 *
 * plan.h - option and settings of a job -> the plan of one task
 */
#pragma once

#include "lib/base/text.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/settings.h"
#include "lib/settings/site.h"

/* --- plan.c: settings of a job -> what becomes of one task ---
 *
 * slurmstepd and `dftrace taskprolog` do this alike. Nothing is made here.
 */

/* The job that a DFTRACE_JOB_DIR in the environment was made for. A job that
 * was submitted from a traced one inherits both and must not trust them. */
#define PLAN_OWNER "DFTRACE_JOB"

/* The variable in which a user may say what --dftrace= says; its prefix lets
 * it pass `--export=NONE`. */
#define PLAN_MIRROR "SLURM_DFTRACE"

/* By sbatch for the batch step: the script and its arguments. The script does
 * not see it. */
#define PLAN_SCRIPT "SLURM_DFTRACE_SCRIPT"

/* Set for the jobs of a sweep: its directory. */
#define PLAN_SWEEP "DFTRACE_SWEEP"

enum decision {
    DECIDED_NOTHING = 0, /* nobody asked, or this step has no tasks */
    DECIDED_OFF,         /* the user said no */
    DECIDED_TELL,        /* a shell that is left out: only tell it where */
    DECIDED_TRACE,
    DECIDED_FAILED /* asked for and not possible: see err */
};

enum step_kind {
    STEP_OTHER = 0, /* extern, pending: no tasks of the user */
    STEP_TASKS,     /* srun */
    STEP_SHELL      /* batch script, interactive shell of salloc */
};

struct plan {
    enum decision decision;
    int strict;
    int asked;       /* the user said it, not only the site */
    uint64_t weight; /* jobs that it stands for: more than 1 where a rule of
                        the site chose it by its sample; not asked then */
    int shell;       /* batch script or interactive shell */
    int apart;       /* dir was made beside that of another job */
    int inherited;   /* the DFTRACE_* of another job are in the environment */
    struct settings settings;
    char dir[SETTING_TEXT_MAX];   /* the job directory */
    char stage[SETTING_TEXT_MAX]; /* this job's stages: this.STEP; or "" */
    struct errtext err;
    struct errtext kernel; /* why layer kernel, which was asked for, is left
                              out; "" it was not */
};

/* Words of one source, as of --dftrace=; name is for messages. Text that is
 * NULL, "" or "(null)" says nothing. spec: it is parsed already. problem: it
 * was refused. */
struct plan_word {
    const char *name, *text;
    const struct tracespec *spec;
    const char *problem;
};

/* Sources of the settings of a step. */
struct plan_sources {
    const struct plan_word
        *words;               /* the strongest first; ended by a NULL name */
    settings_lookup_f lookup; /* then the DFTRACE_* variables */
    void *cookie;             /* of lookup */
    const struct site *site;
};

void plan_make (struct plan *p,
                const struct plan_sources *from,
                const struct jobinfo *job,
                enum step_kind step);

/* Take layer kernel out of the plan for the reason given; with strict the plan
 * fails. */
void plan_without_kernel (struct plan *p, const char *why);

/* Write the staging directory of a step into path, "" if there is none. Return
 * -1 if it is too long. */
int plan_step_stage (const struct plan *p,
                     const struct jobinfo *job,
                     char path[SETTING_TEXT_MAX]);

/* Not a word: NULL, "" or "(null)". */
int plan_is_unset (const char *text);

/* --- tracespec.c: "posix,app,max_bytes=2G", as --dftrace= and SLURM_DFTRACE
 * have it, -> layers and settings --- */

struct tracespec {
    int layers;               /* set of enum layer; -1 when no layer is named */
    struct settings settings; /* those that are given */
};

/* Parse text into spec. NULL, "" and "(null)" (what Slurm makes of a missing
 * argument) are errors. -1 and err on failure, and spec says nothing then. */
int tracespec_parse (struct tracespec *spec,
                     const char *text,
                     struct errtext *err);
