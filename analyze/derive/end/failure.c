/* SPDX-License-Identifier: MIT
 *
 * failure.c - ends of processes -> the one that failed
 *
 * In:  struct totals, whose processes have their endings
 * Out: struct failure, to screen.c and the page of the job
 */
#include "config.h"

#include "analyze/derive/end/failure.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static unsigned failure_number (const struct process *p)
{
    return p->who->p.ended & SHARD_ENDED_NUMBER;
}

/* Status of the command of the job, -1: not known, or a signal ended it. */
static int failure_status (const struct job *job)
{
    return job->ended & SHARD_ENDED_EXIT
               ? (int)(job->ended & SHARD_ENDED_NUMBER)
               : -1;
}

/* A signal by which programs end others that they need no more, or that says
 * that nobody reads what they write. */
static int failure_is_usual (unsigned signal)
{
    return signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
           signal == SIGPIPE;
}

static int failure_by_signal (const struct process *p, int failed)
{
    return p->ending == ENDING_SIGNAL && failure_number (p) != SIGPIPE &&
           (failed || !failure_is_usual (failure_number (p)));
}

static int failure_by_status (const struct process *p, int status)
{
    return status > 0 && (p->who->p.ended & SHARD_ENDED_EXIT) &&
           (int)failure_number (p) == status;
}

/* The command of a job is often a shell, which ends as what it ran. */
static int failure_is_nearer (const struct process *p,
                              const struct process *than)
{
    int root = (p->who->p.ended & SHARD_ENDED_ROOT) != 0;
    int other = !than || (than->who->p.ended & SHARD_ENDED_ROOT);

    if (!than || root != other)
        return !than || !root;
    return p->end - p->start > than->end - than->start;
}

void failure_find (struct failure *f,
                   const struct job *job,
                   const struct totals *t)
{
    const struct process *killed = NULL, *failed = NULL;
    int status = failure_status (job);

    *f = (struct failure){NULL, 0};
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (failure_by_signal (p, job->ended & ~(unsigned)SHARD_ENDED_EXIT)) {
            f->more += killed != NULL;
            if (!killed || p->end < killed->end)
                killed = p;
        } else if (failure_by_status (p, status) &&
                   failure_is_nearer (p, failed))
            failed = p;
    }
    f->process = killed ? killed : failed;
}

void failure_text (char buf[FAILURE_TEXT_MAX], const struct process *p)
{
    const char *exe = p->who->text[SHARD_STRING_EXE];
    const char *slash = strrchr (exe, '/');

    (void)snprintf (buf, FAILURE_TEXT_MAX, "%.40s (%u): %s %u",
                    slash ? slash + 1 : exe, p->who->p.pid,
                    p->ending == ENDING_SIGNAL ? "killed by signal"
                                               : "exit status",
                    failure_number (p));
}
