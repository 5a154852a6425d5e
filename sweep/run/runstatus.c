/* SPDX-License-Identifier: MIT
 *
 * runstatus.c - status file <-> struct; status and Slurm's word -> outcome
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "sweep/run/runstatus.h"

enum { STATUS_BYTES_MAX = 64 * 1024 };

static const char *const state_words[] = {"none", "running", "ended"};
static const char *const trace_words[] = {"off", "ok", "missing"};

int runstatus_write (const char *path,
                     const struct runstatus *s,
                     struct errtext *err)
{
    struct atomic_file *f = atomic_open (path, 0644, err);

    if (!f)
        return -1;
    fprintf (atomic_stream (f),
             "state %s\nexit %d\nsignal %d\ncaught %d\noom %d\nrestart %d\n"
             "start %.3f\nend %.3f\ntrace %s\nwhy %s\nnode %s\nnodes %s\n"
             "job %s\ntask %s\narray %s\npredecessor %s\n"
             "loadavg %.2f\ncached_kb %lld\ndata_cached_kb %lld\nwhole yes\n",
             state_words[s->state], s->exit, s->signal, s->caught, s->oom,
             s->restart, s->start, s->end, trace_words[s->trace], s->why,
             s->node, s->nodes, s->job, s->task, s->array, s->predecessor,
             s->load, (long long)s->cached_kb, (long long)s->data_cached_kb);
    return atomic_commit (f, err);
}

static int word_index (const char *word, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp (word, words[i]))
            return i;
    return 0;
}

static void text_set (char *out, size_t size, const char *value)
{
    snprintf (out, size, "%s", value);
}

static void
runstatus_take (struct runstatus *s, const char *key, const char *value)
{
    if (!strcmp (key, "state"))
        s->state = word_index (value, state_words, 3);
    else if (!strcmp (key, "trace"))
        s->trace = word_index (value, trace_words, 3);
    else if (!strcmp (key, "exit"))
        s->exit = atoi (value);
    else if (!strcmp (key, "signal"))
        s->signal = atoi (value);
    else if (!strcmp (key, "caught"))
        s->caught = atoi (value);
    else if (!strcmp (key, "oom"))
        s->oom = atoi (value);
    else if (!strcmp (key, "restart"))
        s->restart = atoi (value);
    else if (!strcmp (key, "start"))
        s->start = strtod (value, NULL);
    else if (!strcmp (key, "end"))
        s->end = strtod (value, NULL);
    else if (!strcmp (key, "why"))
        text_set (s->why, sizeof (s->why), value);
    else if (!strcmp (key, "node"))
        text_set (s->node, sizeof (s->node), value);
    else if (!strcmp (key, "nodes"))
        text_set (s->nodes, sizeof (s->nodes), value);
    else if (!strcmp (key, "job"))
        text_set (s->job, sizeof (s->job), value);
    else if (!strcmp (key, "task"))
        text_set (s->task, sizeof (s->task), value);
    else if (!strcmp (key, "predecessor"))
        text_set (s->predecessor, sizeof (s->predecessor), value);
    else if (!strcmp (key, "loadavg"))
        s->load = strtod (value, NULL);
    else if (!strcmp (key, "cached_kb"))
        s->cached_kb = strtoll (value, NULL, 10);
    else if (!strcmp (key, "data_cached_kb"))
        s->data_cached_kb = strtoll (value, NULL, 10);
    else if (!strcmp (key, "array"))
        text_set (s->array, sizeof (s->array), value);
}

int runstatus_read (const char *path, struct runstatus *s)
{
    char *text = read_file (path, STATUS_BYTES_MAX, NULL, NULL), *line;
    char *save = NULL, *space;
    struct stat st;
    int whole = 0;

    ZERO (s);
    if (!text)
        return 0;
    for (line = strtok_r (text, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save)) {
        space = strchr (line, ' ');
        if (!space)
            continue;
        *space = '\0';
        runstatus_take (s, line, space + 1);
        whole |= !strcmp (line, "whole");
    }
    free (text);
    if (!whole)
        ZERO (s);
    if (stat (path, &st) == 0)
        s->written = st.st_mtime;
    return 0;
}

/* Slurm's words for a bad end that a status file cannot know of. */
static int slurm_end (const char *slurm, enum outcome *o)
{
    static const struct {
        const char *word;
        enum outcome outcome;
    } ends[] = {
        {"TIMEOUT", OUTCOME_TIMEOUT},
        {"DEADLINE", OUTCOME_TIMEOUT},
        {"CANCELLED", OUTCOME_CANCELLED},
        {"REVOKED", OUTCOME_CANCELLED},
        {"PREEMPTED", OUTCOME_PREEMPTED},
        {"OUT_OF_MEMORY", OUTCOME_OUT_OF_MEMORY},
        {"NODE_FAIL", OUTCOME_NODE_FAIL},
        {"BOOT_FAIL", OUTCOME_NODE_FAIL},
    };

    for (size_t i = 0; i < ITEMS (ends); i++)
        if (!strncmp (slurm, ends[i].word, strlen (ends[i].word))) {
            *o = ends[i].outcome; /* also "CANCELLED by 1000" */
            return 1;
        }
    return 0;
}

static int slurm_waits (const char *slurm)
{
    return !strcmp (slurm, "PENDING") || !strcmp (slurm, "REQUEUED") ||
           !strcmp (slurm, "REQUEUE_HOLD") || !strcmp (slurm, "REQUEUE_FED") ||
           !strcmp (slurm, "SPECIAL_EXIT") || !strcmp (slurm, "RESV_DEL_HOLD");
}

static int slurm_works (const char *slurm)
{
    return !strcmp (slurm, "RUNNING") || !strcmp (slurm, "CONFIGURING") ||
           !strcmp (slurm, "COMPLETING") || !strcmp (slurm, "SUSPENDED") ||
           !strcmp (slurm, "STOPPED") || !strcmp (slurm, "RESIZING") ||
           !strcmp (slurm, "SIGNALING") || !strcmp (slurm, "STAGE_OUT");
}

static enum outcome ended (const struct runstatus *s, const char *slurm)
{
    enum outcome o;

    if (slurm_end (slurm, &o) &&
        (s->exit || o == OUTCOME_OUT_OF_MEMORY || o == OUTCOME_NODE_FAIL ||
         o == OUTCOME_TIMEOUT))
        return o;
    if (s->exit)
        return s->caught ? OUTCOME_STOPPED
               : s->oom  ? OUTCOME_OUT_OF_MEMORY
                         : OUTCOME_FAILED;
    return s->trace == TRACE_MISSING ? OUTCOME_BAD_TRACE : OUTCOME_DONE;
}

enum outcome
outcome_of (const struct runstatus *s, const char *slurm, int64_t silent_s)
{
    enum outcome o;

    if (slurm_waits (slurm))
        return OUTCOME_QUEUED; /* also after a requeue */
    if (s->state == RUN_ENDED)
        return ended (s, slurm);
    if (slurm_end (slurm, &o))
        return o;
    if (s->state == RUN_RUNNING &&
        (slurm_works (slurm) || (!*slurm && silent_s <= OUTCOME_GRACE)))
        return OUTCOME_RUNNING;
    if (s->state == RUN_RUNNING)
        return strcmp (slurm, "FAILED") ? OUTCOME_LOST : OUTCOME_FAILED;
    if (slurm_works (slurm))
        return OUTCOME_RUNNING; /* before its first word */
    if (!strcmp (slurm, "FAILED"))
        return OUTCOME_FAILED; /* launch failure */
    return silent_s > OUTCOME_GRACE ? OUTCOME_MISSING : OUTCOME_QUEUED;
}
