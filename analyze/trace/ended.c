/* SPDX-License-Identifier: MIT
 *
 * ended.c - lines of who waited for processes -> the ends of these
 *
 * In:  JOBDIR/shards/ended.HOST (lib/format/endline.h)
 * Out: ended and end_ns of the processes in the open sources of the job
 * Caveat: anybody may have written the lines.
 */
#include "config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trace/ended.h"
#include "lib/format/endline.h"
#include "lib/base/parse.h"
#include "lib/util/fsutil.h"

enum { FILE_MAX = 1 << 20, WORDS = 5 };

struct ended {
    const char *host;
    uint64_t pid, ns, number;
    int signal, killer, root;
};

static int ended_parse (struct ended *e, char *line)
{
    char *save = NULL, *word[WORDS];

    for (int i = 0; i < WORDS; i++)
        if (!(word[i] = strtok_r (i ? NULL : line, " ", &save)))
            return -1;
    e->signal = strcmp (word[2], "signal") == 0;
    e->killer = strcmp (word[4], ENDLINE_KILLER) == 0;
    e->root = !e->killer && strcmp (word[4], ENDLINE_PARENT) != 0;
    return (e->signal || strcmp (word[2], "exit") == 0) &&
                   parse_u64 (word[0], &e->pid) == 0 &&
                   parse_u64 (word[1], &e->ns) == 0 &&
                   parse_u64 (word[3], &e->number) == 0 &&
                   e->number <= SHARD_ENDED_NUMBER && e->pid > 0
               ? 0
               : -1;
}

/* Process ids come again, and a process has several blocks after an exec: it is
 * the last one that had begun by then. */
static void ended_find (const struct job *job,
                        const struct ended *e,
                        struct tracefile **file,
                        size_t *proc)
{
    uint64_t latest = 0;

    *file = NULL;
    for (size_t i = 0; i < job->sources; i++) {
        struct tracefile *f = job->source[i].file;

        for (size_t k = 0; f && k < tracefile_processes (f); k++) {
            const struct trace_process *who = tracefile_process (f, k);

            if (who->p.pid != e->pid || who->p.start_real > e->ns ||
                who->p.start_real < latest ||
                strcmp (who->text[SHARD_STRING_HOST], e->host) != 0)
                continue;
            latest = who->p.start_real;
            *file = f;
            *proc = k;
        }
    }
}

static void ended_note (struct job *job, const struct ended *e)
{
    struct tracefile *f;
    size_t proc = 0;

    uint32_t ended = (e->signal ? SHARD_ENDED_SIGNAL : SHARD_ENDED_EXIT) |
                     (uint32_t)e->number;

    if (e->root && (!job->ended || job->ended == SHARD_ENDED_EXIT))
        job->ended = ended;
    ended_find (job, e, &f, &proc);
    if (!f || (e->killer && tracefile_process (f, proc)->p.end_ns))
        return; /* it had ended before it was killed */
    tracefile_note_end (f, proc, ended | (e->root ? SHARD_ENDED_ROOT : 0),
                        e->ns);
}

static void ended_take_lines (struct job *job, struct ended *e, char *text)
{
    char *save = NULL;

    for (char *line = strtok_r (text, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save))
        if (ended_parse (e, line) == 0)
            ended_note (job, e);
}

/* Bytes of all such files of a job directory; job: NULL, they are not read. */
static uint64_t ended_look (const char *job_dir, struct job *job)
{
    char *path = job_dir ? path_join (job_dir, "shards") : NULL;
    DIR *dir = path ? opendir (path) : NULL;
    const struct dirent *d;
    uint64_t bytes = 0;

    while (dir && (d = readdir (dir))) {
        struct ended e = {.host = d->d_name + sizeof (ENDLINE_FILE) - 1};
        char *file, *text;
        size_t n = 0;

        if (strncmp (d->d_name, ENDLINE_FILE, sizeof (ENDLINE_FILE) - 1) != 0)
            continue;
        file = path_join (path, d->d_name);
        text = file ? read_file (file, FILE_MAX, &n, NULL) : NULL;
        bytes += n;
        if (text && job)
            ended_take_lines (job, &e, text);
        free (text);
        free (file);
    }
    if (dir)
        (void)closedir (dir);
    free (path);
    return bytes;
}

void ended_apply (struct job *job)
{
    (void)ended_look (job->dir, job);
}

uint64_t ended_bytes (const char *job_dir)
{
    return ended_look (job_dir, NULL);
}
