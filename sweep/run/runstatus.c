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

/* A line of the file: "word value". */
static const struct line {
    const char *word;
    enum { STATE, TRACE, INT, LONG, REAL2, REAL3, TEXT } type;
    size_t offset, size;
} lines[] = {
#define LINE(FIELD, TYPE)                                \
    {                                                    \
#FIELD, TYPE, offsetof(struct runstatus, FIELD), \
            sizeof(((struct runstatus *)0)->FIELD)       \
    }
    LINE (state, STATE),
    LINE (exit, INT),
    LINE (signal, INT),
    LINE (caught, INT),
    LINE (oom, INT),
    LINE (restart, INT),
    LINE (start, REAL3),
    LINE (end, REAL3),
    LINE (trace, TRACE),
    LINE (why, TEXT),
    LINE (node, TEXT),
    LINE (nodes, TEXT),
    LINE (job, TEXT),
    LINE (task, TEXT),
    LINE (array, TEXT),
    LINE (predecessor, TEXT),
    LINE (loadavg, REAL2),
    LINE (cached_kb, LONG),
    LINE (data_cached_kb, LONG),
};

static const char *line_text (const struct line *l, const void *p)
{
    switch (l->type) {
    case STATE:
        return state_words[*(const int *)p];
    case TRACE:
        return trace_words[*(const int *)p];
    case INT:
        return arena_format ("%d", *(const int *)p);
    case LONG:
        return arena_format ("%jd", (intmax_t) * (const int64_t *)p);
    case REAL2:
    case REAL3:
        return arena_format (l->type == REAL2 ? "%.2f" : "%.3f",
                             *(const double *)p);
    case TEXT:
        break;
    }
    return p;
}

void runstatus_write (const char *path, const struct runstatus *s)
{
    const char *text = "";

    for (size_t i = 0; i < ITEMS (lines); i++)
        text = arena_format (
            "%s%s %s\n", text, lines[i].word,
            line_text (&lines[i], (const char *)s + lines[i].offset));
    xwrite_file (path, 0644, arena_format ("%swhole yes\n", text));
}

static int word_index (const char *word, const char *const words[3])
{
    int i = 2;

    while (i && strcmp (word, words[i]))
        i--;
    return i;
}

static void
runstatus_take (struct runstatus *s, const char *word, const char *value)
{
    const struct line *l = lines;
    void *p;

    while (l < lines + ITEMS (lines) && strcmp (word, l->word))
        l++;
    if (l == lines + ITEMS (lines))
        return;
    p = (char *)s + l->offset;
    if (l->type == STATE)
        *(int *)p = word_index (value, state_words);
    else if (l->type == TRACE)
        *(int *)p = word_index (value, trace_words);
    else if (l->type == INT)
        *(int *)p = atoi (value);
    else if (l->type == LONG)
        *(int64_t *)p = strtoll (value, NULL, 10);
    else if (l->type == TEXT)
        snprintf (p, l->size, "%s", value);
    else
        *(double *)p = strtod (value, NULL);
}

void runstatus_read (const char *path, struct runstatus *s)
{
    char *text = read_file (path, STATUS_BYTES_MAX, NULL, NULL), *rest = text;
    char *value, *word;
    struct stat st;
    int whole = 0;

    ZERO (s);
    if (!text)
        return;
    while ((value = strsep (&rest, "\n"))) {
        word = strsep (&value, " ");
        if (!value)
            continue;
        runstatus_take (s, word, value);
        whole |= !strcmp (word, "whole");
    }
    free (text);
    if (!whole)
        ZERO (s);
    if (stat (path, &st) == 0)
        s->written = st.st_mtime;
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

static int is_one_of (const char *word, const char *const *words)
{
    while (*words && strcmp (word, *words))
        words++;
    return *words != NULL;
}

static const char *const waits[] = {
    "PENDING",       "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT",
    "RESV_DEL_HOLD", NULL};
static const char *const works[] = {"RUNNING",   "CONFIGURING", "COMPLETING",
                                    "SUSPENDED", "STOPPED",     "RESIZING",
                                    "SIGNALING", "STAGE_OUT",   NULL};

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

    if (is_one_of (slurm, waits))
        return OUTCOME_QUEUED; /* also after a requeue */
    if (s->state == RUN_ENDED)
        return ended (s, slurm);
    if (slurm_end (slurm, &o))
        return o;
    if (s->state == RUN_RUNNING &&
        (is_one_of (slurm, works) || (!*slurm && silent_s <= OUTCOME_GRACE)))
        return OUTCOME_RUNNING;
    if (s->state == RUN_RUNNING)
        return strcmp (slurm, "FAILED") ? OUTCOME_LOST : OUTCOME_FAILED;
    if (is_one_of (slurm, works))
        return OUTCOME_RUNNING; /* before its first word */
    if (!strcmp (slurm, "FAILED"))
        return OUTCOME_FAILED; /* launch failure */
    return silent_s > OUTCOME_GRACE ? OUTCOME_MISSING : OUTCOME_QUEUED;
}
