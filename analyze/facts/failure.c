/* SPDX-License-Identifier: MIT
 *
 * failure.c - ends of processes -> the one that failed
 *
 * In:  struct totals, whose processes have their endings
 * Out: struct failure, to screen.c and the page of the job
 */
#include "config.h"

#include "analyze/facts/failure.h"
#include "lib/format/calls.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Numbers of steps are below it (SLURM_MAX_NORMAL_STEP_ID). */
#define FAILURE_STEPS 0xfffffff0

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

static int failure_is_root (const struct process *p)
{
    return (p->who->p.ended & SHARD_ENDED_ROOT) != 0;
}

/* Return 1 for a process of a step of srun. A batch script has no step number,
 * or one that Slurm keeps for itself. */
static int failure_in_step (const struct process *p)
{
    return p->who->p.step_id >= 0 && p->who->p.step_id < FAILURE_STEPS;
}

/* A batch script is ended with its steps, or ends as they did. */
static int failure_is_earlier (const struct process *p,
                               const struct process *than)
{
    int batch = failure_is_root (p) && !failure_in_step (p);

    if (than && batch != (failure_is_root (than) && !failure_in_step (than)))
        return !batch;
    return !than || p->end < than->end;
}

/* Helpers that a program starts are short processes. */
static int failure_is_nearer (const struct process *p,
                              const struct process *than)
{
    if (!than || failure_in_step (p) != failure_in_step (than))
        return !than || failure_in_step (p);
    if (failure_is_root (p))
        return failure_is_earlier (p, than);
    return p->end - p->start > than->end - than->start;
}

/* The command of a job is often a shell, which ends as what it ran, and soon
 * after it. */
static const struct process *failure_inner (const struct process *root,
                                            const struct process *inner)
{
    if (!root || !inner)
        return root ? root : inner;
    if (failure_in_step (root) != failure_in_step (inner))
        return failure_in_step (root) ? root : inner;
    return inner->end > root->start + (root->end - root->start) / 2 ? inner
                                                                    : root;
}

/* Killed, and nobody waited for it: its job is over. */
static int failure_is_lost (const struct job *job, const struct process *p)
{
    return job->ended && p->ending == ENDING_UNKNOWN &&
           doing_of (job, p->who) != NULL;
}

int failure_has (const struct job *job,
                 const struct failure *f,
                 const struct process *p)
{
    return p == f->process ||
           failure_by_signal (p, job->ended & ~(unsigned)SHARD_ENDED_EXIT) ||
           failure_is_lost (job, p);
}

void failure_find (struct failure *f,
                   const struct job *job,
                   const struct totals *t)
{
    const struct process *killed = NULL, *lost = NULL;
    const struct process *failed[2] = {NULL, NULL}; /* the second: root */
    int status = failure_status (job);

    *f = (struct failure){NULL, 0};
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];

        if (failure_by_signal (p, job->ended & ~(unsigned)SHARD_ENDED_EXIT)) {
            f->more += killed != NULL;
            if (failure_is_earlier (p, killed))
                killed = p;
        } else if (failure_by_status (p, status) &&
                   failure_is_nearer (p, failed[failure_is_root (p)]))
            failed[failure_is_root (p)] = p;
        if (!lost && failure_is_lost (job, p))
            lost = p;
    }
    f->process = killed ? killed
                 : lost ? lost
                        : failure_inner (failed[1], failed[0]);
}

/* --- words -----------------------------------------------------------------
 */

int failure_doing (char buf[FAILURE_TEXT_MAX],
                   const struct job *job,
                   const struct process *p)
{
    const struct doing *d = doing_of (job, p->who);

    if (d)
        (void)snprintf (buf, FAILURE_TEXT_MAX, "%s%s%s",
                        call_table[d->call].name, *d->file ? " " : "", d->file);
    return d != NULL;
}

uint64_t failure_doing_ns (const struct job *job,
                           const struct summary *s,
                           const struct process *p)
{
    const struct doing *d = doing_of (job, p->who);
    uint64_t end = p->ending == ENDING_SIGNAL ? p->end : s->end;

    return d && end > d->since ? end - d->since : 0;
}

static void failure_put_doing (
    char *buf, size_t size, const struct doing *d, uint64_t ns, int killed)
{
    const char *slash = strrchr (d->file, '/');
    const char *file = slash ? slash + 1 : d->file;

    (void)snprintf (buf, size, "%s %.1f s in %s%s%.40s%s",
                    killed ? " after" : ", for", (double)ns / 1e9,
                    call_table[d->call].name, *file ? " (" : "", file,
                    *file ? ")" : "");
}

/* "python3 (4711): killed by signal 9 after 4.0 s in flock (lock)", "sh (4711):
 * exit status 3", "dd (4711): no end known, in read for 7.1 s". */
static void failure_text (char buf[FAILURE_TEXT_MAX],
                          const struct job *job,
                          const struct summary *s,
                          const struct process *p)
{
    const char *exe = p->who->text[SHARD_STRING_EXE];
    const char *slash = strrchr (exe, '/');
    const struct doing *d = doing_of (job, p->who);
    int killed = p->ending == ENDING_SIGNAL, n;
    char end[32] = "no end known";

    if (p->who->p.ended)
        (void)snprintf (end, sizeof (end), "%s %u",
                        killed ? "killed by signal" : "exit status",
                        failure_number (p));
    n = snprintf (buf, FAILURE_TEXT_MAX, "%.40s (%u): %s",
                  slash ? slash + 1 : exe, p->who->p.pid, end);
    if (d && n > 0 && n < FAILURE_TEXT_MAX)
        failure_put_doing (buf + n, FAILURE_TEXT_MAX - (size_t)n, d,
                           failure_doing_ns (job, s, p), killed);
}

int failure_sentence (char buf[FAILURE_SENTENCE_MAX],
                      const struct job *job,
                      const struct totals *t,
                      const struct summary *s)
{
    char text[FAILURE_TEXT_MAX];
    struct failure f;

    failure_find (&f, job, t);
    buf[0] = '\0';
    if (!f.process)
        return 0;
    failure_text (text, job, s, f.process);
    if (f.more)
        (void)snprintf (buf, FAILURE_SENTENCE_MAX, "%s; %zu more by signals",
                        text, f.more);
    else
        (void)snprintf (buf, FAILURE_SENTENCE_MAX, "%s", text);
    return 1;
}
