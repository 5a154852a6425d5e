/* SPDX-License-Identifier: MIT
 *
 * jobdir.h - settings and ids -> the job directory (contract 3)
 *
 * Runs as the user whose job it is. Nothing here prints, exits or keeps
 * state; memory is the caller's. Safe to call from every task of a job at
 * once: who comes second finds what the first one made.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/text.h"
#include "lib/format/proclines.h"
#include "lib/settings/settings.h"
#include "lib/settings/cpulimits.h"

/* Key of job.json: counts of throttling when it was made: [us, periods]. */
#define JOBDIR_THROTTLED "cpu_throttled_before"

enum { JOBDIR_NAME_MAX = 128 }; /* host, job and user names, with the NUL */

/* Facts about the job. Texts may come from the user; they are cleaned before
 * they become part of a name. */
struct jobinfo {
    uint64_t job_id;       /* 0 none */
    uint64_t array_job_id; /* 0 none */
    int64_t array_task_id; /* -1 none */
    uint32_t step_id;
    uint32_t restart;    /* how often Slurm requeued it */
    uint32_t nnodes;     /* of the job; 0 not known */
    uint32_t ntasks;     /* of the step; 0 not known */
    uint32_t tasks_here; /* of them on this node; 0 not known */
    uid_t uid;
    const char *job_name; /* these may be NULL */
    const char *user;
    const char *home;
    const char *workdir; /* of the job */
    const char *nodelist;
    const char *host;  /* this node; NULL: jobdir_host (NULL) */
    const char *point; /* sweep run id */
    const char *partition;
    const char *account;
    const char *program;     /* that the task starts, as it was named */
    const char *path;        /* its PATH */
    const char *command;     /* what the job is, for people to read */
    uint32_t cpus;           /* that it may use; 0 not known */
    struct cpulimits limits; /* of the job that begins now; may be zeros */
};

/* Id of the job that this process belongs to, as Slurm, Flux, PBS or LSF say;
 * 0: none. Async-signal-safe. */
uint64_t jobdir_job_id (settings_lookup_f lookup, void *cookie);

/* Write text to path with %u user, %h home, %w working directory, %x job name,
 * %j job id, %A id of the array (or the job), %a task of the array (0 without
 * one), %% a percent sign. -1 and err, which names key, when a letter is none
 * of these or nothing is known for it, or the path is too long. */
int jobdir_expand (const char *key,
                   const char *text,
                   const struct jobinfo *job,
                   char path[SETTING_TEXT_MAX],
                   struct errtext *err);

/* Path of the job directory into path: the setting job_dir, else
 * <log_root>/<job name>-<array job or job id>[_<task>][.r<restart>]. Makes
 * nothing. -1 and err when it would be relative, too long, or there is
 * neither a log root nor a working directory. */
int jobdir_path (const struct settings *s,
                 const struct jobinfo *job,
                 char path[SETTING_TEXT_MAX],
                 struct errtext *err);

/* Make the directory, missing parents and shards/ in it, all mode 0700. Returns
 * a descriptor (O_CLOEXEC) of it for the functions below, or -1, errno and
 * err: EPERM when it is there but belongs to somebody else, ELOOP when its
 * last component is a symbolic link. */
int jobdir_create (const char *path, struct errtext *err);

/* Write job.json, whole or not at all, unless it is there already (then 0
 * too). -1, errno and err on failure. */
int jobdir_write_json (int dirfd,
                       const struct settings *s,
                       const struct jobinfo *job,
                       struct errtext *err);

/* 0 when job.json says that the directory is another job's; 1 also where that
 * cannot be known. A job keeps its number when it is started again. */
int jobdir_is_of (int dirfd, const struct jobinfo *job);

/* Path of a directory beside path for this job alone: path-JOB, or
 * path-ARRAY_TASK. -1 and err when it is too long. */
int jobdir_apart (const char *path,
                  const struct jobinfo *job,
                  char apart[SETTING_TEXT_MAX],
                  struct errtext *err);

/* Make shards/started.HOST, empty. Idempotent. */
int jobdir_mark_started (int dirfd, const char *host, struct errtext *err);

/* Make shards/staged.HOST.STEP, empty: shards of that step lie on the node.
 * Who moves them here removes it; what remains was never collected. STEP is
 * what follows the last dot of the stage's path. Idempotent. */
int jobdir_mark_staged (int dirfd,
                        const char *host,
                        const char *stage,
                        struct errtext *err);
void jobdir_mark_collected (const char *dir,
                            const char *host,
                            const char *stage);
/* Is the name in shards/ such a mark, of this host (NULL: of any)? */
int jobdir_is_staged (const char *name, const char *host);
/* How many there are in a job directory; 0 also when it cannot be read. */
uint64_t jobdir_count_staged (const char *dir);

/* Append a line to shards/processes.HOST of the job directory dirfd. 0, also
 * where the file is full; -1 and err (NULL: not wanted). */
int jobdir_append (int dirfd,
                   const char *host,
                   const struct procline *l,
                   struct errtext *err);

/* As above, for a program that cannot be traced; program: its path. */
int jobdir_note_untraced (int dirfd,
                          const char *host,
                          pid_t pid,
                          const char *program,
                          const char *reason,
                          struct errtext *err);

/* Name of this node as a file name component: nodename ($SLURMD_NODENAME; may
 * be NULL), else gethostname (). Cannot fail; returns buf. */
char *jobdir_host (const char *nodename, char buf[JOBDIR_NAME_MAX]);

/* Copy text so that it is one harmless component of a path: no slash, blank,
 * control character or leading dot; cut to size. Empty becomes fallback. */
char *
jobdir_clean (const char *text, const char *fallback, char *buf, size_t size);
