/* SPDX-License-Identifier: MIT
 *
 * slurm.c - sbatch, scontrol, scancel, squeue, sacct: run and read
 */
#include "config.h"

#include <ctype.h>

#include "sweep/submit/slurm.h"
#include "lib/base/array.h"

enum {
    QUERY_TIMEOUT = 60,   /* s */
    SUBMIT_TIMEOUT = 300, /* s; sbatch itself tries for up to 4 minutes */
    ARRAY_DEFAULT = 1001, /* MaxArraySize where it is not shown */
};

/* -- scontrol show config ---------------------------------------------- */

static const char *slurm_config_value (const char *text, const char *key)
{
    size_t length = strlen (key);

    for (const char *line = text; line && *line;) {
        if (!strncmp (line, key, length) &&
            line[length + strspn (line + length, " ")] == '=') {
            line += length + strspn (line + length, " ") + 1;
            line += strspn (line, " ");
            return arena_copy (line, strcspn (line, "\n"));
        }
        line = strchr (line, '\n');
        line = line ? line + 1 : NULL;
    }
    return NULL;
}

void slurm_config_parse (const char *text, struct slurm_config *c)
{
    const char *size = slurm_config_value (text, "MaxArraySize");
    const char *params = slurm_config_value (text, "SchedulerParameters");
    const char *jobs = slurm_config_value (text, "MaxJobCount");
    const char *storage = slurm_config_value (text, "AccountingStorageType");
    const char *most = params ? strstr (params, "max_array_tasks=") : NULL;

    c->max_tasks = size ? atoi (size) : ARRAY_DEFAULT;
    c->source = size ? arena_format ("MaxArraySize %d", c->max_tasks)
                     : "MaxArraySize not shown, 1001 assumed";
    if (most && atoi (most + 16) > 0 && atoi (most + 16) < c->max_tasks) {
        c->max_tasks = atoi (most + 16);
        c->source = arena_format ("max_array_tasks %d", c->max_tasks);
    }
    c->max_jobs = jobs ? atoi (jobs) : 0;
    c->accounting = storage && !strstr (storage, "none");
}

int slurm_config_read (struct slurm_config *c, struct errtext *err)
{
    const char *argv[] = {"scontrol", "show", "config", NULL};
    struct program_result r;

    if (program_run (argv, program_environment (1), QUERY_TIMEOUT, &r, err) < 0)
        return -1;
    if (!program_succeeded (&r))
        return errf (err, "scontrol: %s: is slurmctld running?",
                     program_complaint (&r));
    slurm_config_parse (r.out, c);
    if (c->max_tasks < 1)
        return errf (err, "slurm: job arrays are off (MaxArraySize 0): use "
                          "mode: local");
    return 0;
}

/* -- sbatch ------------------------------------------------------------ */

const char *slurm_job_id (const char *out)
{
    const char *found = NULL;

    for (const char *line = out; *line;) {
        size_t length = strcspn (line, "\n"), n = 0;

        while (isdigit ((unsigned char)line[n]))
            n++;
        if (n && (n == length || line[n] == ';' ||
                  (line[n] == '\r' && n + 1 == length)))
            found = arena_copy (line, n);
        line += length + (line[length] == '\n');
    }
    return found;
}

int slurm_find (const char *name, const char **job, struct errtext *err)
{
    const char *argv[] = {"squeue", "-h", "-t", "all", "-n",
                          name,     "-o", "%F", NULL};
    struct program_result r;

    *job = NULL;
    if (program_run (argv, program_environment (1), QUERY_TIMEOUT, &r, err) < 0)
        return -1;
    if (!program_succeeded (&r))
        return errf (err,
                     "squeue: %s: whether Slurm has %s is not known: run the "
                     "command again when it answers",
                     program_complaint (&r), name);
    *job = slurm_job_id (r.out);
    return 0;
}

int slurm_is_limit (const char *message)
{
    /* the limit's name; the policy's text; MaxJobCount, while sbatch tries and
     * once it is tired of it */
    static const char *const words[] = {
        "MaxSubmit", "job submit limit", "temporarily unable to accept job",
        "Resource temporarily unavailable", NULL};

    for (size_t i = 0; words[i]; i++)
        if (strstr (message, words[i]))
            return 1;
    return 0;
}

static size_t slurm_count_of (const char *const *argv)
{
    size_t n = 0;

    while (argv[n])
        n++;
    return n;
}

enum slurm_answer slurm_submit (const char *name,
                                const char *const *argv,
                                const char **job,
                                struct errtext *err)
{
    const char **all = arena_array (slurm_count_of (argv) + 6, sizeof (*all));
    struct errtext silence = {""};
    struct program_result r;
    size_t n = 0;

    all[n++] = "sbatch";
    all[n++] = "--parsable";
    all[n++] = arena_format ("--job-name=%s", name);
    memcpy (all + n, argv, (slurm_count_of (argv) + 1) * sizeof (*argv));
    if (program_run (all, program_environment_of (name), SUBMIT_TIMEOUT, &r,
                     err) < 0)
        return SLURM_FAILED;
    *job = program_succeeded (&r) ? slurm_job_id (r.out) : NULL;
    if (*job)
        return SLURM_TAKEN;
    if (slurm_find (name, job, &silence) < 0) {
        errf (err, "sbatch: %s; %s", program_complaint (&r), silence.text);
        return SLURM_UNKNOWN;
    }
    if (*job)
        return SLURM_ADOPTED;
    errf (err, "sbatch: %s", program_complaint (&r));
    return slurm_is_limit (r.errors) ? SLURM_LIMIT : SLURM_FAILED;
}

/* -- scontrol release, scancel ----------------------------------------- */

/* Does Slurm still hold a task of these jobs? 1 also when it does not say. */
static int any_held (const char *jobs)
{
    struct slurm_queue q;
    int held = 0;

    if (slurm_queue_read (jobs, 0, &q, NULL) < 0)
        return 1;
    for (size_t i = 0; i < q.count; i++)
        held |= !strcmp (q.task[i].state, "PENDING") &&
                !strncmp (q.task[i].reason, "JobHeld", 7);
    slurm_queue_free (&q);
    return held;
}

/* Run scontrol; the command ends when it cannot be started. */
static int scontrol (const char *const *argv, struct program_result *r)
{
    struct errtext err;

    if (program_run (argv, program_environment (1), QUERY_TIMEOUT, r, &err) < 0)
        die ("%s", err.text);
    return program_succeeded (r);
}

void slurm_release (const char *jobs)
{
    const char *argv[] = {"scontrol", "release", jobs, NULL};
    struct program_result r;

    /* what was released before, and has begun or ended, is no failure */
    if (!scontrol (argv, &r) && any_held (jobs))
        die ("scontrol release: %s", program_complaint (&r));
}

void slurm_throttle (const char *job, int limit)
{
    const char *argv[] = {"scontrol", "update", arena_format ("JobId=%s", job),
                          arena_format ("ArrayTaskThrottle=%d", limit), NULL};
    struct program_result r;

    if (!scontrol (argv, &r) && !strstr (r.errors, "already finished"))
        die ("scontrol update: %s", program_complaint (&r));
}

int slurm_cancel (const char *const *jobs,
                  size_t count,
                  int pending_only,
                  struct errtext *err)
{
    const char **argv = arena_array (count + 3, sizeof (*argv));
    size_t n = 0;

    argv[n++] = "scancel";
    if (pending_only)
        argv[n++] = "--state=PENDING";
    memcpy (argv + n, jobs, count * sizeof (*argv));
    return program_output (argv, QUERY_TIMEOUT, err) ? 0 : -1;
}

/* ---- squeue and sacct: which tasks there are, and how they are ---- */

static int64_t place_of (const struct slurm_queue *q,
                         const char *array,
                         int index,
                         struct strmap *add)
{
    char key[64];
    int n = FORMAT (key, "%s_%d", array, index);

    if (n < 0 || (size_t)n >= sizeof (key))
        return -1;
    return add        ? (int64_t)strmap_intern (add, key, n, NULL)
           : q->index ? strmap_find (q->index, key, n)
                      : -1;
}

static void squeue_add (struct slurm_queue *q, struct slurm_task t)
{
    if (slurm_queue_find (q, t.array, t.index))
        return;
    if (!q->index)
        q->index = strmap_create ();
    if (place_of (q, t.array, t.index, q->index) < 0)
        return;
    q->task = arena_grow (q->task, q->count, sizeof (*q->task));
    q->task[q->count++] = t;
}

void slurm_queue_free (struct slurm_queue *q)
{
    strmap_destroy (q->index);
    q->index = NULL;
}

/* The next field of a line and the place after it. */
static const char *field (const char **at)
{
    size_t length = strcspn (*at, "|\n");
    const char *text = arena_copy (*at, length);

    *at += length + ((*at)[length] == '|');
    return text;
}

static int all_digits (const char *text)
{
    return *text && !text[strspn (text, "0123456789")];
}

/* %F|%K|%T|%N|%r */
void slurm_queue_parse (const char *text, struct slurm_queue *q)
{
    while (*text) {
        struct slurm_task t = {.array = field (&text)};
        const char *index = field (&text);

        t.index = all_digits (index) ? atoi (index) : -1;
        t.state = field (&text);
        t.nodes = field (&text);
        t.reason = field (&text);
        text += strcspn (text, "\n");
        text += *text == '\n';
        if (all_digits (t.array) && *t.state)
            squeue_add (q, t);
    }
}

/* JobID|State|NodeList; "4711_3", "4711_[5-9%2]" (still pending: squeue's
 * affair), "4713". */
void slurm_sacct_parse (const char *text, struct slurm_queue *q)
{
    while (*text) {
        struct slurm_task t = {.reason = "", .index = -1};
        char *id = arena_text (field (&text));
        char *under = strchr (id, '_');

        if (under)
            *under++ = '\0';
        t.array = id;
        t.state = field (&text);
        t.nodes = field (&text);
        text += strcspn (text, "\n");
        text += *text == '\n';
        if (under && all_digits (under))
            t.index = atoi (under);
        if (all_digits (id) && *t.state && (!under || t.index >= 0))
            squeue_add (q, t);
    }
}

/* The output of sacct without headings, or NULL. */
static const char *
sacct (const char *jobs, const char *steps, const char *columns)
{
    const char *argv[] = {"sacct", "-P",    "-n",  "-j", jobs,
                          "-o",    columns, steps, NULL};

    return program_output (argv, QUERY_TIMEOUT, NULL);
}

int slurm_queue_read (const char *jobs,
                      int accounting,
                      struct slurm_queue *q,
                      struct errtext *err)
{
    const char *argv[] = {"squeue",         "-h", "-r", "-t", "all", "-o",
                          "%F|%K|%T|%N|%r", "-j", jobs, NULL};
    struct program_result r;

    ZERO (q);
    if (!*jobs) {
        q->known = 1;
        return 0;
    }
    if (program_run (argv, program_environment (1), QUERY_TIMEOUT, &r, err) < 0)
        return -1;
    /* all ids forgotten: an error to squeue, an answer to us */
    if (!program_succeeded (&r) && !strstr (r.errors, "Invalid job id"))
        return errf (err, "squeue: %s", program_complaint (&r));
    slurm_queue_parse (r.out, q);
    if (accounting)
        slurm_sacct_parse (sacct (jobs, "-X", "JobID,State,NodeList") ?: "", q);
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

const char *slurm_accounting (const char *jobs)
{
    return sacct (jobs, NULL, "JobID,ElapsedRaw,MaxRSS,MaxDiskRead");
}
