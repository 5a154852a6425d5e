/* SPDX-License-Identifier: MIT
 *
 * slurm.h - Slurm's commands, run and read
 */
#pragma once

#include "lib/util/strmap.h"
#include "sweep/run/program.h"

struct slurm_config {
    int max_tasks;      /* of one array: MaxArraySize and max_array_tasks */
    int max_jobs;       /* in the controller's memory; 0: not shown */
    int accounting;     /* sacct has something to say */
    const char *source; /* "MaxArraySize 1001", for people */
};

/* Ask `scontrol show config`. -1 and err when there is no Slurm to ask. */
int slurm_config_read (struct slurm_config *c, struct errtext *err);

/* The text of `scontrol show config` -> the same. */
void slurm_config_parse (const char *text, struct slurm_config *c);

enum slurm_answer {
    SLURM_TAKEN = 0,
    SLURM_ADOPTED = 1,  /* sbatch failed, but Slurm has the job */
    SLURM_FAILED = -1,  /* refused; err says why */
    SLURM_LIMIT = -2,   /* refused: too many submitted jobs */
    SLURM_UNKNOWN = -3, /* sbatch failed, and nobody says whether it got in */
};

/* Run sbatch --parsable with these further arguments; *job gets the id. When
 * sbatch fails or is silent, Slurm is asked for a job of that unique name
 * first. */
enum slurm_answer slurm_submit (const char *name,
                                const char *const *argv,
                                const char **job,
                                struct errtext *err);

/* Does a message of sbatch speak of a limit on submitted jobs? It may also be
 * one on time or size: Slurm has one text for them. */
int slurm_is_limit (const char *message);

/* Id in sbatch's output: the last line that is a number, perhaps with
 * ";cluster"; banners are passed over. NULL when there is none. */
const char *slurm_job_id (const char *out);

/* A job's id from its unique name; *job is NULL when Slurm does not know it.
 * -1 and err when Slurm does not answer. */
int slurm_find (const char *name, const char **job, struct errtext *err);

/* The command ends where Slurm refuses. */
void slurm_release (const char *jobs);
/* A new %N of a job array, live; 0 lifts it. Tasks that have ended are no
 * failure. */
void slurm_throttle (const char *job, int limit);
/* Jobs, arrays or tasks; -1 and err where Slurm refuses. */
int slurm_cancel (const char *const *jobs,
                  size_t count,
                  int pending_only,
                  struct errtext *err);

/* A task as squeue or sacct tell of it. */
struct slurm_task {
    const char *array; /* job id of the array (or of the job) */
    int index;         /* -1: no array */
    const char *state, *reason, *nodes;
};

struct slurm_queue {
    struct slurm_task *task;
    size_t count;
    struct strmap *index; /* "4711_3" -> place in task */
    int known;            /* Slurm answered */
};

/* Free what the queue has besides the arena's memory. */
void slurm_queue_free (struct slurm_queue *q);

/* One squeue for all jobs (comma list), sacct for the rest when there is
 * accounting. An id that Slurm forgot is no error. -1 and err when Slurm does
 * not answer. */
int slurm_queue_read (const char *jobs,
                      int accounting,
                      struct slurm_queue *q,
                      struct errtext *err);

/* squeue's and sacct's lines -> tasks, added to q. */
void slurm_queue_parse (const char *text, struct slurm_queue *q);
void slurm_sacct_parse (const char *text, struct slurm_queue *q);

/* Also for NULL: what Slurm does not know has ended. */
int slurm_task_is_over (const struct slurm_task *t);

/* "JobID|ElapsedRaw|MaxRSS|MaxDiskRead" lines of jobs and their steps; NULL
 * when sacct does not answer. */
const char *slurm_accounting (const char *jobs);

/* NULL when there is none. */
const struct slurm_task *
slurm_queue_find (const struct slurm_queue *q, const char *array, int index);
