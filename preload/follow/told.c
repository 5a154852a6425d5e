/* SPDX-License-Identifier: MIT
 *
 * told.c - struct settings, struct procinfo -> one text -> variables
 */
#include "config.h"

#include "preload/record/procinfo.h"
#include "preload/record/recorder.h"
#include "lib/base/sys.h"
#include "preload/follow/told.h"

enum { SEPARATOR = 0x1e, ESCAPE = 0x1f, TURN = 0x40 };

static const char variable[] = TOLD_VARIABLE;
static SYS_START const struct settings *told_settings;

/* Counts, and writes what fits. */
struct told_sink {
    char *out;
    size_t used, size;
};

void told_start (const struct settings *s)
{
    told_settings = s;
}

static void told_put (struct told_sink *k, char c)
{
    if (k->used < k->size)
        k->out[k->used] = c;
    k->used++;
}

static void told_put_text (struct told_sink *k, const char *text)
{
    for (; *text; text++)
        if (*text == SEPARATOR || *text == ESCAPE) {
            told_put (k, ESCAPE);
            told_put (k, (char)(*text ^ TURN));
        } else
            told_put (k, *text);
}

static void told_emit (void *cookie, const char *name, const char *value)
{
    struct told_sink *k = cookie;

    told_put_text (k, name);
    told_put (k, '=');
    told_put_text (k, value);
    told_put (k, SEPARATOR);
}

static void told_number (struct told_sink *k, const char *name, int64_t n)
{
    char digits[24] = "";
    size_t i = sizeof (digits) - 1;

    if (n < 0)
        return;
    do
        digits[--i] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    told_emit (k, name, digits + i);
}

/* Without its environment the program does not know which process it is. */
static void told_identity (struct told_sink *k)
{
    const struct procinfo *p = recorder_identity ();
    const struct shard_process *ids = &p->ids;

    if (!p->host[0])
        return; /* nothing is recorded here */
    told_emit (k, "SLURMD_NODENAME", p->host);
    if (p->job_name[0])
        told_emit (k, "SLURM_JOB_NAME", p->job_name);
    told_number (k, "SLURM_PROCID", ids->rank);
    told_number (k, "SLURM_LOCALID", ids->local_rank);
    told_number (k, "SLURM_STEP_NUM_TASKS",
                 ids->ranks ? (int64_t)ids->ranks : -1);
    told_number (k, "SLURM_JOB_ID", ids->job_id ? (int64_t)ids->job_id : -1);
    told_number (k, "SLURM_ARRAY_JOB_ID",
                 ids->array_job_id ? (int64_t)ids->array_job_id : -1);
    told_number (k, "SLURM_ARRAY_TASK_ID", ids->array_task_id);
    told_number (k, "SLURM_STEP_ID", ids->step_id);
    told_number (k, "SLURM_RESTART_COUNT",
                 ids->restart ? (int64_t)ids->restart : -1);
}

/* Behind all others, as it is read where the program may change it. */
static void told_start_time (struct told_sink *k)
{
    static const char start[] = "SLURM_JOB_START_TIME";
    const char *text = settings_environ (NULL, start);

    if (text)
        told_emit (k, start, text);
}

static void told_all (struct told_sink *k, unsigned flags)
{
    told_put_text (k, variable);
    if (flags & TOLD_PRELOAD)
        told_put (k, 'p');
    if (flags & TOLD_OURS)
        told_put (k, 'o');
    if (flags & TOLD_LOCKS)
        told_put (k, 'l');
    told_put (k, ';');
    if (told_settings)
        settings_export (told_settings, told_emit, k);
    told_identity (k);
    told_start_time (k);
    told_put (k, '\0');
}

size_t told_length (unsigned flags)
{
    struct told_sink k = {NULL, 0, 0};

    told_all (&k, flags);
    return k.used;
}

void told_write (unsigned flags, char *text, size_t size)
{
    struct told_sink k = {text, 0, size - 1};

    told_all (&k, flags);
    text[size - 1] = '\0';
}

unsigned told_flags (const char *text)
{
    unsigned flags = 0;

    for (text += sizeof (variable) - 1; *text && *text != ';'; text++)
        flags |= *text == 'p'   ? TOLD_PRELOAD
                 : *text == 'o' ? TOLD_OURS
                 : *text == 'l' ? TOLD_LOCKS
                                : 0u;
    return flags;
}

const char *told_texts (const char *text)
{
    const char *from = strchr (text, ';');
    char *texts, *to;

    if (!from || !(to = texts = sys_memory (strlen (from) + 1)))
        return NULL;
    while (*++from)
        if (*from == SEPARATOR)
            *to++ = '\0';
        else if (*from == ESCAPE && from[1])
            *to++ = (char)(*++from ^ TURN);
        else
            *to++ = *from;
    return texts;
}
