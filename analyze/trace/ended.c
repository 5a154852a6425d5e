/* SPDX-License-Identifier: MIT
 *
 * ended.c - lines of who waited for processes -> the ends of these
 *
 * In:  lines `ended` of JOBDIR/shards/processes.HOST
 * Out: ended and end_ns of the processes in the open sources of the job
 * Caveat: anybody may have written the lines.
 */
#include "config.h"

#include <string.h>

#include "analyze/trace/ended.h"
#include "lib/format/proclines.h"

/* Process ids come again, and a process has several blocks after an exec: it is
 * the last one that had begun by then. */
static void ended_find (const struct job *job,
                        const struct procrecord *e,
                        struct tracefile **file,
                        size_t *proc)
{
    uint64_t latest = 0;

    *file = NULL;
    for (size_t i = 0; i < job->sources; i++) {
        struct tracefile *f = job->source[i].file;

        for (size_t k = 0; f && k < tracefile_processes (f); k++) {
            const struct trace_process *who = tracefile_process (f, k);

            if (who->p.pid != e->pid || who->p.start_real > e->end ||
                who->p.start_real < latest ||
                strcmp (who->text[SHARD_STRING_HOST], e->host) != 0)
                continue;
            latest = who->p.start_real;
            *file = f;
            *proc = k;
        }
    }
}

static int ended_note (const struct procrecord *e, void *cookie)
{
    const int killer = strcmp (e->who, PROCLINE_KILLER) == 0;
    struct job *job = cookie;
    struct tracefile *f;
    size_t proc = 0;

    if ((e->ended & SHARD_ENDED_ROOT) &&
        (!job->ended || job->ended == SHARD_ENDED_EXIT))
        job->ended = e->ended & ~(uint32_t)SHARD_ENDED_ROOT;
    ended_find (job, e, &f, &proc);
    /* who had ended before it was killed has told its end */
    if (f && !(killer && tracefile_process (f, proc)->p.end_ns))
        tracefile_note_end (f, proc, e->ended, e->end);
    return 0;
}

void ended_apply (struct job *job)
{
    struct proclines p = {
        .kinds = PROCRECORD_ENDED, .f = ended_note, .cookie = job};

    (void)proclines_read (&p, job->dir);
}
