/* SPDX-License-Identifier: MIT
 *
 * squeue.c - squeue and sacct: which tasks there are, and how they are
 *
 * Caveat: text, not --json, whose shape changes with every release. Without
 * accounting Slurm forgets a job MinJobAge (300 s) after its end, and a
 * pending task that is cancelled at once.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/submit/slurm.h"

enum { QUERY_TIMEOUT = 60 }; /* s */

static int64_t place_of (const struct slurm_queue *q,
                         const char *array,
                         int index,
                         struct strmap *add)
{
    char key[64];
    int n = snprintf (key, sizeof (key), "%s_%d", array, index);

    if (n < 0 || (size_t)n >= sizeof (key))
        return -1;
    return add        ? strmap_intern (add, key, (size_t)n, NULL)
           : q->index ? strmap_find (q->index, key, (size_t)n)
                      : -1;
}

static void
squeue_add (struct arena *a, struct slurm_queue *q, struct slurm_task t)
{
    if (slurm_queue_find (q, t.array, t.index))
        return;
    if (!q->index)
        q->index = strmap_create ();
    if (place_of (q, t.array, t.index, q->index) < 0)
        return;
    q->task = arena_grow (a, q->task, q->count, sizeof (*q->task));
    q->task[q->count++] = t;
}

void slurm_queue_free (struct slurm_queue *q)
{
    strmap_destroy (q->index);
    q->index = NULL;
}

/* The next field of a line and the place after it. */
static const char *field (struct arena *a, const char **at)
{
    size_t length = strcspn (*at, "|\n");
    const char *text = arena_copy (a, *at, length);

    *at += length + ((*at)[length] == '|');
    return text;
}

static int all_digits (const char *text)
{
    return *text && !text[strspn (text, "0123456789")];
}

/* %F|%K|%T|%N|%r */
void slurm_queue_parse (struct arena *a,
                        const char *text,
                        struct slurm_queue *q)
{
    while (*text) {
        struct slurm_task t = {.array = field (a, &text)};
        const char *index = field (a, &text);

        t.index = all_digits (index) ? atoi (index) : -1;
        t.state = field (a, &text);
        t.nodes = field (a, &text);
        t.reason = field (a, &text);
        text += strcspn (text, "\n");
        text += *text == '\n';
        if (all_digits (t.array) && *t.state)
            squeue_add (a, q, t);
    }
}

/* JobID|State|NodeList; "4711_3", "4711_[5-9%2]" (still pending: squeue's
 * affair), "4713". */
void slurm_sacct_parse (struct arena *a,
                        const char *text,
                        struct slurm_queue *q)
{
    while (*text) {
        struct slurm_task t = {.reason = "", .index = -1};
        char *id = arena_text (a, field (a, &text));
        char *under = strchr (id, '_');

        if (under)
            *under++ = '\0';
        t.array = id;
        t.state = field (a, &text);
        t.nodes = field (a, &text);
        text += strcspn (text, "\n");
        text += *text == '\n';
        if (under && all_digits (under))
            t.index = atoi (under);
        if (all_digits (id) && *t.state && (!under || t.index >= 0))
            squeue_add (a, q, t);
    }
}

static int ask_sacct (struct arena *a, const char *jobs, struct slurm_queue *q)
{
    const char *argv[] = {"sacct", "-X",
                          "-P",    "-n",
                          "-j",    arena_text (a, jobs),
                          "-o",    "JobID,State,NodeList",
                          NULL};
    struct program_result r;

    if (program_run (a, argv, program_environment (a, 1), QUERY_TIMEOUT, &r,
                     NULL) < 0 ||
        !program_succeeded (&r))
        return -1;
    slurm_sacct_parse (a, r.out, q);
    return 0;
}

int slurm_queue_read (struct arena *a,
                      const char *jobs,
                      int accounting,
                      struct slurm_queue *q,
                      struct errtext *err)
{
    const char *argv[] = {"squeue",
                          "-h",
                          "-r",
                          "-t",
                          "all",
                          "-o",
                          "%F|%K|%T|%N|%r",
                          "-j",
                          arena_text (a, jobs),
                          NULL};
    struct program_result r;

    memset (q, 0, sizeof (*q));
    if (!*jobs) {
        q->known = 1;
        return 0;
    }
    if (program_run (a, argv, program_environment (a, 1), QUERY_TIMEOUT, &r,
                     err) < 0)
        return -1;
    /* all ids forgotten: an error to squeue, an answer to us */
    if (!program_succeeded (&r) && !strstr (r.errors, "Invalid job id"))
        return errf (err, "squeue: %s", program_complaint (a, &r));
    slurm_queue_parse (a, r.out, q);
    if (accounting)
        (void)ask_sacct (a, jobs, q);
    q->known = 1;
    return 0;
}

const struct slurm_task *
slurm_queue_find (const struct slurm_queue *q, const char *array, int index)
{
    int64_t place = place_of (q, array, index, NULL);

    return place < 0 ? NULL : &q->task[place];
}

int slurm_task_is_over (const struct slurm_task *t)
{
    static const char *const going[] = {
        "PENDING",   "RUNNING",  "CONFIGURING", "COMPLETING",
        "SUSPENDED", "REQUEUED", "STAGE_OUT",   NULL};

    for (size_t i = 0; t && going[i]; i++)
        if (!strcmp (t->state, going[i]))
            return 0;
    return 1;
}

const char *slurm_accounting (struct arena *a, const char *jobs)
{
    const char *argv[] = {"sacct",
                          "-P",
                          "-n",
                          "-j",
                          arena_text (a, jobs),
                          "-o",
                          "JobID,ElapsedRaw,MaxRSS,MaxDiskRead",
                          NULL};
    struct program_result r;

    if (program_run (a, argv, program_environment (a, 1), QUERY_TIMEOUT, &r,
                     NULL) < 0 ||
        !program_succeeded (&r))
        return NULL;
    return r.out;
}
