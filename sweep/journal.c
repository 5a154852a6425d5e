/* SPDX-License-Identifier: MIT
 *
 * journal.c - DIR/journal.jsonl: append with fsync, read back
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "sweep/journal.h"

enum { JOURNAL_BYTES_MAX = 64 * 1024 * 1024 };

static const char *journal_path (const struct sweepdir *d)
{
    return arena_format (d->arena, "%s/journal.jsonl", d->path);
}

static char *line_of (const char *event, va_list ap, size_t *length)
{
    char *text = NULL, when[32];
    FILE *out = open_memstream (&text, length);
    time_t now = time (NULL);
    const char *key;
    struct json j;
    struct tm tm;

    if (!out)
        return NULL;
    (void)strftime (when, sizeof (when), "%Y-%m-%dT%H:%M:%SZ",
                    gmtime_r (&now, &tm));
    json_init (&j, out, 1);
    json_open (&j, NULL, '{');
    json_text (&j, "time", when);
    json_text (&j, "event", event);
    while ((key = va_arg (ap, const char *)))
        json_text (&j, key, va_arg (ap, const char *));
    json_close (&j, '}');
    if (fclose (out) != 0) {
        free (text);
        return NULL;
    }
    return text;
}

int journal_add (const struct sweepdir *d,
                 struct errtext *err,
                 const char *event,
                 ...)
{
    const char *path = journal_path (d);
    size_t length = 0;
    va_list ap;
    char *line;
    int fd, rc = 0;

    va_start (ap, event);
    line = line_of (event, ap, &length);
    va_end (ap);
    fd = open (path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (!line || fd < 0 || write (fd, line, length) != (ssize_t)length ||
        fsync (fd) < 0)
        rc = errf (err, "%s: cannot be written: %s", path, strerror (errno));
    if (fd >= 0 && close (fd) < 0 && rc == 0)
        rc = errf (err, "%s: %s", path, strerror (errno));
    free (line);
    return rc;
}

/* Runs of an array that was submitted later are not cancelled any more. */
static const char *
forget (const struct sweepdir *d, const char *gone, const struct chunk *c)
{
    const char *left = "";

    if (!*gone || !c->round)
        return gone;
    while (*gone) {
        const char *id = arena_copy (d->arena, gone, strcspn (gone, " "));
        struct run r;
        int again = 0;

        gone += strlen (id);
        gone += strspn (gone, " ");
        if (sweepdir_run_of_id (d, id, &r) < 0)
            continue;
        for (int i = 0; i < c->count && !again; i++)
            again = c->run[i].point == r.point && c->run[i].repeat == r.repeat;
        if (!again)
            left = arena_format (d->arena, "%s%s ", left, id);
    }
    return left;
}

static void
take (const struct sweepdir *d, struct journal *j, const struct ynode *line)
{
    const char *event = ynode_text (line, "event", "");
    const char *array = ynode_text (line, "array", "");
    const char *job = arena_text (d->arena, ynode_text (line, "job", ""));

    if (!strcmp (event, "released"))
        j->released_round = atoi (ynode_text (line, "round", "0"));
    else if (!strcmp (event, "cancelled") ||
             !strcmp (event, "cancelled pending"))
        for (size_t i = 0; i < d->layout->chunks; i++)
            j->cancelled[i] |= j->job[i] != NULL;
    else if (!strcmp (event, "cancelled runs"))
        j->gone = arena_format (d->arena, "%s%s ", j->gone,
                                ynode_text (line, "runs", ""));
    else if (!strcmp (event, "analysis")) {
        j->analysis = job;
        j->analysis_round = atoi (ynode_text (line, "round", "0"));
    }
    if (strcmp (event, "submitted") && strcmp (event, "adopted"))
        return;
    for (size_t i = 0; i < d->layout->chunks; i++)
        if (!strcmp (array, d->layout->chunk[i].name)) {
            j->submitted += !j->job[i];
            j->job[i] = job;
            j->gone = forget (d, j->gone, &d->layout->chunk[i]);
        }
}

int journal_read (const struct sweepdir *d,
                  struct journal *j,
                  struct errtext *err)
{
    const char *path = journal_path (d);
    char *text, *line, *save = NULL;

    memset (j, 0, sizeof (*j));
    j->analysis_round = j->released_round = -1;
    j->gone = "";
    j->cancelled = arena_alloc (d->arena, d->layout->chunks + 1);
    j->job = arena_array (d->arena, d->layout->chunks + 1, sizeof (*j->job));
    if (access (path, F_OK) < 0)
        return 0;
    text = read_file (path, JOURNAL_BYTES_MAX, NULL, err);
    if (!text)
        return -1;
    for (line = strtok_r (text, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save)) {
        struct ytree *t = ytree_parse (path, line, strlen (line), NULL);

        if (t)
            take (d, j, ytree_root (t));
        ytree_destroy (t);
    }
    free (text);
    return 0;
}
