/* SPDX-License-Identifier: MIT
 *
 * unite.c - spans of processes -> when each call and set of time was running
 *
 * In:  spans of all threads, from load.c
 * Out: lengths of unions of calls in the job, of sets in each process
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/query/load.h"
#include "analyze/query/spans/spanunion.h"

static size_t count_spans (const struct totals *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->processes; i++)
        for (const struct spans *s = t->process[i].spans; s; s = s->next)
            n++;
    return n;
}

/* When each call was running in some process. */
static int unite_calls (struct totals *t, const struct spanlog **logs)
{
    for (int call = 0; call < CALL_MAX; call++) {
        size_t n = 0;

        for (size_t i = 0; t->tally.call[call] && i < t->processes; i++)
            for (const struct spans *s = t->process[i].spans; s; s = s->next)
                if (s->call == call)
                    logs[n++] = &s->log;
        if (spans_length (logs, n, &t->call_union[call]) < 0)
            return -1;
    }
    return 0;
}

static int unite_sets (struct process *p, const struct spanlog **logs)
{
    for (int set = 0; set < SET_COUNT; set++) {
        size_t n = 0;

        for (const struct spans *s = p->spans; s; s = s->next)
            if (s->sets & 1u << set)
                logs[n++] = &s->log;
        if (spans_length (logs, n, &p->time[set]) < 0)
            return -1;
    }
    return 0;
}

/* What belongs to no set is needed no more. */
static void drop_others (struct process *p)
{
    for (struct spans **at = &p->spans; *at;) {
        struct spans *s = *at;

        if (s->sets) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = NULL;
        spans_clear (s);
    }
}

/* What layer mmap says, now that all processes have their times. */
static int join_mmap (struct totals *t)
{
    uint64_t start = UINT64_MAX, end = 0;

    for (size_t i = 0; i < t->processes; i++) {
        start = t->process[i].start < start ? t->process[i].start : start;
        end = t->process[i].end > end ? t->process[i].end : end;
    }
    if (mmjoin_begin (&t->mm, t->processes, start, end) < 0)
        return -1;
    for (size_t i = 0; i < t->processes; i++) {
        struct mm_log *log = &t->process[i].mm;

        if (!mmlog_empty (log) && mmjoin_process (&t->mm, i, log) < 0)
            return -1;
        mmlog_clear (log);
    }
    return 0;
}

int totals_unite (struct totals *t, const struct job *job, struct errtext *err)
{
    const struct spanlog **logs = calloc (count_spans (t) + 1, sizeof (*logs));
    int rc = logs ? unite_calls (t, logs) : -1;

    for (size_t i = 0; rc == 0 && i < t->processes; i++) {
        rc = unite_sets (&t->process[i], logs);
        drop_others (&t->process[i]);
    }
    free (logs);
    if (rc == 0)
        rc = pointfaults_sort (&t->tally.points);
    if (rc == 0)
        rc = join_mmap (t);
    return rc < 0 ? errf (err, "%s: %s", job->label, strerror (errno)) : 0;
}
