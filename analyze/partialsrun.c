/* SPDX-License-Identifier: MIT
 *
 * partialsrun.c - have tasks of Slurm analyze the partitions of a job
 *
 * In:  a job directory that the nodes can reach
 * Out: its partitions, made by `srun dftrace analyze --partial`; a partition
 * whose task failed or was killed is tried again
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/partialrun.h"
#include "lib/util/log.h"

enum { TRIES = 3, WORDS_MAX = 3 * OPT_LIST_MAX + 32, SELF_MAX = 4096 };

struct words {
    const char *word[WORDS_MAX];
    int count;
};

static void partialsrun_add (struct words *w, const char *word)
{
    if (w->count < WORDS_MAX - 1)
        w->word[w->count++] = word;
}

static void add_option (struct words *w, const char *name, const char *value)
{
    if (!value)
        return;
    partialsrun_add (w, name);
    partialsrun_add (w, value);
}

/* Run it with our standard output and error; its status, or -1. */
static int partialsrun_run (const struct words *w)
{
    extern char **environ;
    pid_t pid;
    int status;

    errno = posix_spawnp (&pid, w->word[0], NULL, NULL, (char *const *)w->word,
                          environ);
    if (errno)
        return -1;
    while (waitpid (pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static void make_words (struct words *w,
                        const char *self,
                        const char *tasks,
                        const char *threads,
                        const struct job *job,
                        const struct analyze_options *o,
                        const struct division *d)
{
    memset (w, 0, sizeof (*w));
    partialsrun_add (w, "srun");
    add_option (w, "-n", tasks);
    for (int i = 0; i < o->srun.count; i++)
        partialsrun_add (w, o->srun.item[i]);
    partialsrun_add (w, self);
    partialsrun_add (w, "analyze");
    partialsrun_add (w, "--partial");
    partialsrun_add (w, "--quiet");
    if (o->trace_part)
        partialsrun_add (w, "--trace-part");
    add_option (w, "--threads", o->threads ? threads : NULL);
    add_option (w, "--data-pattern", o->data);
    add_option (w, "--checkpoint-pattern", o->checkpoint);
    add_option (w, "--index-pattern", o->index);
    if (d->what == PARTIAL_GROUPS) { /* the context has the interval */
        add_option (w, o->by_word ? "--by" : "--view",
                    o->by_word ? o->by_word : o->view_word);
        add_option (w, "--show", o->show_word);
    }
    if (d->what == PARTIAL_GROUPS || !analyze_asks (o))
        for (int i = 0; i < o->conditions.count; i++)
            add_option (w, "--where", o->conditions.item[i]);
    partialsrun_add (w, "--");
    partialsrun_add (w, job->dir);
}

int partial_srun (const struct job *job,
                  const struct analyze_options *o,
                  const struct division *d,
                  struct errtext *err)
{
    char self[SELF_MAX], tasks[16], threads[16];
    ssize_t n = readlink ("/proc/self/exe", self, sizeof (self) - 1);
    unsigned missing = o->partitions;
    struct words words;

    if (!job->dir || n <= 0)
        return errf (err, "%s: no job directory: partitions are of directories",
                     job->label);
    self[n] = '\0';
    (void)snprintf (tasks, sizeof (tasks), "%u", o->partitions);
    (void)snprintf (threads, sizeof (threads), "%d", o->threads);
    make_words (&words, self, tasks, threads, job, o, d);
    for (int try = 0; missing && try < TRIES; try++) {
        if (try)
            log_warn ("%s: %u of %u partitions are missing: trying again",
                      job->label, missing, o->partitions);
        if (partialsrun_run (&words) < 0)
            return errf (err, "srun: %s: is this a node of a Slurm cluster?",
                         strerror (errno));
        missing = division_missing (d, job);
    }
    return missing
               ? errf (err,
                       "%s: %u of %u partitions could not be analyzed in %d "
                       "tries: see what srun said",
                       job->label, missing, o->partitions, TRIES)
               : 0;
}
