/* SPDX-License-Identifier: MIT
 *
 * journal.c - DIR/journal.jsonl: append with fsync, read back
 */
#include "config.h"

#include <stdarg.h>

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "sweep/submit/journal.h"

enum { JOURNAL_BYTES_MAX = 64 * 1024 * 1024 };

static const char *journal_path (const struct sweepdir *d)
{
    return arena_format ("%s/journal.jsonl", d->path);
}

static char *journal_line_of (const char *event, va_list ap, size_t *length)
{
    char *text = NULL, when[32];
    FILE *out = xmemstream (&text, length);
    time_t now = time (NULL);
    const char *key;
    struct json j;
    struct tm tm;

    strftime (when, sizeof (when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r (&now, &tm));
    json_init (&j, out, 1);
    json_put (&j, "{ time:%s event:%s", when, event);
    while ((key = va_arg (ap, const char *)))
        json_text (&j, key, va_arg (ap, const char *));
    json_close (&j, '}');
    xmemstream_end (out);
    return text;
}

/* A driver that died while it wrote left half a line: the next event must not
 * become its other half. */
static int end_torn_line (int fd)
{
    off_t size = lseek (fd, 0, SEEK_END);
    char last;

    if (size < 0)
        return -1;
    if (!size || pread (fd, &last, 1, size - 1) != 1 || last == '\n')
        return 0;
    return write (fd, "\n", 1) == 1 ? 0 : -1;
}

void journal_add (const struct sweepdir *d, const char *event, ...)
{
    const char *path = journal_path (d);
    size_t length = 0;
    va_list ap;
    char *line;
    int fd;

    va_start (ap, event);
    line = journal_line_of (event, ap, &length);
    va_end (ap);
    fd = open (path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0 || end_torn_line (fd) < 0 ||
        write (fd, line, length) != (ssize_t)length || fsync (fd) < 0 ||
        close (fd) < 0)
        die ("%s: cannot be written: %m", path);
    free (line);
}

/* Runs of an array that was submitted later are not cancelled any more. */
static const char *
forget (const struct sweepdir *d, const char *gone, const struct chunk *c)
{
    const char *left = "";

    if (!*gone || !c->round)
        return gone;
    while (*gone) {
        const char *id = arena_copy (gone, strcspn (gone, " "));
        struct run r;
        int again = 0;

        gone += strlen (id);
        gone += strspn (gone, " ");
        if (sweepdir_run_of_id (d, id, &r) < 0)
            continue;
        for (int i = 0; i < c->count && !again; i++)
            again = c->run[i].point == r.point && c->run[i].repeat == r.repeat;
        if (!again)
            left = arena_format ("%s%s ", left, id);
    }
    return left;
}

/* Index of the chunk of that name; -1: an analysis, or what was divided. */
static int chunk_of (const struct sweepdir *d, const char *name)
{
    for (size_t i = 0; i < d->layout->chunks; i++)
        if (!strcmp (name, d->layout->chunk[i].name))
            return (int)i;
    return -1;
}

/* Mark what existed when the sweep was cancelled: all rounds, or those that had
 * been submitted. */
static void
take_cancelled (const struct sweepdir *d, struct journal *j, int rounds)
{
    for (size_t i = 0; i < d->layout->chunks; i++)
        j->cancelled[i] |=
            j->job[i] != NULL || d->layout->chunk[i].round < rounds;
}

static void take_intent (struct journal *j, int chunk, const char *array)
{
    if (chunk >= 0)
        j->intended[chunk] = 1;
    else if (!strncmp (array, "analysis.", 9))
        j->analysis_intended = atoi (array + 9);
}

static void take_job (const struct sweepdir *d,
                      struct journal *j,
                      int chunk,
                      const char *job)
{
    if (chunk < 0)
        return;
    j->submitted += !j->job[chunk];
    j->job[chunk] = job;
    j->analysis_behind = 1;
    j->gone = forget (d, j->gone, &d->layout->chunk[chunk]);
}

/* Convert "2026-11-22T10:00:00Z" to seconds since 1970; 0: no time. */
static int64_t journal_seconds (const char *text)
{
    struct tm tm = {0};

    return strptime (text, "%Y-%m-%dT%H:%M:%SZ", &tm) ? timegm (&tm) : 0;
}

static void journal_take (const struct sweepdir *d,
                          struct journal *j,
                          const struct ynode *line)
{
    const char *event = ynode_text (line, "event", "");
    const char *array = ynode_text (line, "array", "");
    const char *job = arena_text (ynode_text (line, "job", ""));
    int chunk = chunk_of (d, array);

    if (!strcmp (event, "intent")) {
        take_intent (j, chunk, array);
    } else if (!strcmp (event, "submitted") || !strcmp (event, "adopted")) {
        take_job (d, j, chunk, job);
    } else if (!strcmp (event, "withdrawn") && chunk >= 0) {
        j->submitted -= j->job[chunk] != NULL;
        j->job[chunk] = NULL;
        j->intended[chunk] = 0;
    } else if (!strcmp (event, "released")) {
        for (size_t i = 0; i < d->layout->chunks; i++)
            j->released[i] |= j->job[i] != NULL;
    } else if (!strcmp (event, "cancelled") ||
               !strcmp (event, "cancelled pending")) {
        take_cancelled (d, j, atoi (ynode_text (line, "rounds", "0")));
        if (!strchr (event, ' '))
            j->killed_time = journal_seconds (ynode_text (line, "time", ""));
    } else if (!strcmp (event, "cancelled runs")) {
        j->gone =
            arena_format ("%s%s ", j->gone, ynode_text (line, "runs", ""));
        j->killed_time = journal_seconds (ynode_text (line, "time", ""));
    } else if (!strcmp (event, "analysis")) {
        j->analysis = job;
        j->analysis_time = journal_seconds (ynode_text (line, "time", ""));
        j->analysis_goes_on = atoi (ynode_text (line, "goes_on", "1"));
        j->analyses++;
        j->analysis_behind = 0;
    } else if (!strcmp (event, "analysis lost")) {
        j->analysis = NULL;
        j->analysis_behind = 1;
    }
}

void journal_read (const struct sweepdir *d, struct journal *j)
{
    const char *path = journal_path (d);
    char *rest, *line;

    ZERO (j);
    j->analysis_intended = -1;
    j->gone = "";
    j->cancelled = arena_alloc (d->layout->chunks + 1);
    j->intended = arena_alloc (d->layout->chunks + 1);
    j->released = arena_alloc (d->layout->chunks + 1);
    j->job = arena_array (d->layout->chunks + 1, sizeof (*j->job));
    if (access (path, F_OK) < 0)
        return;
    rest = xread_file (path, JOURNAL_BYTES_MAX);
    while ((line = strsep (&rest, "\n"))) {
        struct ytree *t = ytree_parse (path, line, strlen (line), NULL);

        if (t)
            journal_take (d, j, ytree_root (t));
        ytree_destroy (t);
    }
}
