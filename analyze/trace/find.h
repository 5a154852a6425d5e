/* SPDX-License-Identifier: MIT
 *
 * find.h - paths of the command line -> jobs and their trace files
 */
#pragma once

#include <limits.h>
#include "analyze/import/darshan/darshan.h"
#include "analyze/import/pfw/pfwread.h"
#include "analyze/import/pfw/pfwstore.h"
#include "analyze/trace/doing.h"
#include "analyze/trace/profrows.h"
#include "lib/base/text.h"
#include "lib/format/tracefile.h"

/* Texts are owned, never NULL after a load, "" when not said. */
struct job_info {
    int present;                          /* there is a job.json */
    uint64_t job_id, array_job_id, nodes; /* 0 not said */
    int64_t array_task_id;                /* -1 none */
    char *command; /* of `dftrace run`, or the batch script */
    char *name, *user, *nodelist, *layers, *point, *created;
    /* colon lists: only these paths were recorded ("": all), not these */
    char *include, *exclude;
    char *detail;       /* what was traced in full, as the setting says it */
    uint64_t cpus;      /* that it may use; 0 not said */
    double cpu_limit;   /* of its cgroup, in processors; 0 not said */
    double throttled_s; /* added up over processors; -1 not said */
};

/* Read DIR/job.json. No such file (or dir NULL) gives an empty info; one that
 * cannot be read is an error: -1 with err, info is then empty but valid. */
int jobinfo_load (struct job_info *info, const char *dir, struct errtext *err);
/* Weight of each rank or step if they are drawn (rank:1/100, step:1/100) from
 * so many ranks (0: not known); 1: all are there, or those that the user chose.
 */
double jobinfo_weight (const struct job_info *info, uint64_t ranks);
void jobinfo_clear (struct job_info *info); /* zeroed is fine */

/* A job may have thousands of shards, all open at once. Raises the soft limit
 * of this process to the hard one; failure is no error here. */
void filelimit_raise (void);

/* A file that ought to be a trace. */
struct source {
    char *path;             /* owned */
    struct tracefile *file; /* NULL: not open */
    int readable;           /* it could be opened; else see problem */
    int taken;              /* a partial result has it */
    int merged;             /* the job's own trace.dft, beside its shards */
    struct errtext problem;
    int is_darshan; /* log and facts are valid once it was read */
    struct darshan_account log;
    struct darshan_facts facts; /* owned */
    int is_pfw; /* DFTracer's; lines is valid once it was read */
    struct pfw_account lines;
    struct pfw_sums sums;       /* of these; owned */
    struct pfw_store *store;    /* of these, what file is the index of; owned */
    const char *copy;           /* a job's copy: file is that; NULL: none */
    struct profrows rows;       /* of profiles in it; owned */
    uint64_t rows_bad;          /* blocks of these that make no sense */
    struct profparts profparts; /* what is in events, what in rows */
};

/* A file of DFTracer that was copied into a merged trace. */
struct source_copy {
    char *path, *copy;        /* owned; of the file, of the merged trace */
    struct pfw_account lines; /* of the file */
    struct pfw_sums sums;     /* of the file; owned */
};

struct job {
    char *dir;   /* where results go; NULL: a single file */
    char *label; /* sweep point, job name and id, or name of the directory */
    struct job_info info;
    struct errtext problem; /* of job.json; "" none */
    struct source *source;
    size_t sources;
    char **other; /* DFTracer's files of other partitions; owned */
    size_t others;
    int merged;               /* opened: trace.dft is all there is to read */
    int listed;               /* its sources are known */
    struct source_copy *copy; /* sources that job_open reads from copies; the
                                 array is of who made it */
    size_t copies;
    int trace_part;                 /* to be read without rows of profiles */
    unsigned partition, partitions; /* of its processes; partitions 0: all */
    struct strmap *checkpoints; /* paths of files that are checkpoints, whatever
                                   their names say; totals_load adds them;
                                   owned */
    struct doing *doing; /* of processes that did not end in order; owned */
    size_t doings;
    uint32_t ended; /* enum shard_ended of its command or tasks, one that failed
                       before the others; 0 not known, while it is not open */
    uint64_t start; /* of all of it, ns of CLOCK_REALTIME, where only a
                       partition is read; 0: of what is read */
};

struct joblist {
    struct job *item;
    size_t count, room;
};

/* Append what path is: a trace file, a job directory, or a sweep directory
 * (one job for each run that has traces). Traces are not opened yet. 0, or
 * -1 with err when there is nothing to analyze. */
int joblist_add (struct joblist *list, const char *path, struct errtext *err);
void joblist_clear (struct joblist *list);

/* The job directory that was made last, as its job.json says, of the working
 * directory itself, its directories and those of ./dftrace. 0, or -1: there is
 * none. */
int job_newest (char path[PATH_MAX]);

/* Find and open the traces of a job: *.dft, *.pfw and *.pfw.gz in shards/ and
 * in the directory itself (combined.pfw.gz only when there is nothing else), or
 * trace.dft when there are no shards, or when it is newer than all of them,
 * holds their processes, and none of them is damaged. 0, or -1 with err when
 * there is no trace at all. */
int job_open (struct job *job, struct errtext *err);
void job_close (struct job *job); /* keeps label and dir */

/* Only find them: shards if there are any, else what was merged. Once: then
 * they are known. */
int job_list (struct job *job, struct errtext *err);

/* For find.c. Add a source, whose path is malloc'd and taken. Forget them all.
 */
void job_add_source (struct job *job, char *path);
void job_drop_sources (struct job *job);

/* Note the ends of the job's processes in its open sources: exit status or
 * signal, and when. Lines that make no sense, or are of no process of the job,
 * are passed over. */
void ended_apply (struct job *job);
