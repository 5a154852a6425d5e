/* SPDX-License-Identifier: MIT
 *
 * taskdir.c - a plan -> the job directory of a task, and what is noted there
 *
 * In:  struct plan, struct jobinfo
 * Out: job directory, job.json, markers; a line for a program that cannot be
 *      traced
 */
#include "config.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/programkind.h"
#include "lib/format/layers.h"
#include "lib/settings/taskdir.h"

/* A program that cannot be traced has nobody to say so but us: a line for each
 * of the tasks. */
static int
note_program (int dirfd, const struct jobinfo *job, struct errtext *err)
{
    char found[PATH_MAX] = "", path[PATH_MAX];
    enum program_kind kind;
    uint32_t tasks = job->tasks_here ? job->tasks_here : 1;
    int rc = 0;

    if (!job->program)
        return 0;
    if (strchr (job->program, '/'))
        (void)snprintf (found, sizeof (found), "%s", job->program);
    else
        programkind_search (job->path, job->program, found, sizeof (found));
    kind = found[0] ? programkind_look (AT_FDCWD, found) : PROGRAM_UNKNOWN;
    if (kind == PROGRAM_UNKNOWN || !realpath (found, path))
        return 0;
    while (rc == 0 && tasks-- > 0)
        rc = jobdir_note_untraced (dirfd, job->host, 0, path,
                                   programkind_reason (kind), err);
    return rc;
}

/* The directory with its job.json; a descriptor, or -1 and err. */
static int taskdir_open (const char *dir,
                         const struct plan *p,
                         const struct jobinfo *job,
                         struct errtext *err)
{
    int fd = jobdir_create (dir, err);

    if (fd >= 0 && jobdir_write_json (fd, &p->settings, job, err) < 0) {
        (void)close (fd);
        return -1;
    }
    return fd;
}

/* Two jobs in one directory would be read as one: who comes second gets one
 * beside it. */
static int taskdir_own (const struct plan *p,
                        const struct jobinfo *job,
                        struct taskenv_made *made)
{
    int fd = taskdir_open (p->dir, p, job, &made->err);

    if (fd < 0 || jobdir_is_of (fd, job))
        return fd;
    (void)close (fd);
    if (jobdir_apart (p->dir, job, made->apart, &made->err) < 0)
        return -1;
    return taskdir_open (made->apart, p, job, &made->err);
}

int taskdir_make (const struct plan *p,
                  const struct jobinfo *job,
                  struct taskenv_made *made)
{
    const char *stage = made->stage;
    struct errtext *err = &made->err;
    int fd = taskdir_own (p, job, made);
    int rc = 0;

    if (fd < 0)
        return -1;
    if (rc == 0)
        rc = jobdir_mark_started (fd, job->host, err);
    if (rc == 0 && *stage)
        rc = jobdir_mark_staged (fd, job->host, stage, err);
    if (rc == 0 && !p->shell && !(p->settings.layers & LAYER_KERNEL))
        rc = note_program (fd, job, err);
    (void)close (fd);
    return rc;
}
