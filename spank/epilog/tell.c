/* SPDX-License-Identifier: MIT
 *
 * tell.c - what the user's side of the epilog tells root of a job
 *
 * In:  metrics.json
 * Out: lines NAME=VALUE
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spank/epilog/tell.h"
#include "lib/base/text.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/ytree.h"

enum { METRICS_MAX = 64 << 20, HEAD_MAX = 1 << 20, PROGRAM_MAX = 4096 };

/* The members before the tables, whose length has no bound, as a text of its
 * own. */
static void tell_cut (char *text)
{
    char *tables = strstr (text, ",\n  \"insights\":");

    if (tables)
        memcpy (tables, "\n}\n", 4);
}

/* Text of the first member of that name, which is a string without escapes of
 * ours; "" where there is none. */
static void
tell_string (const char *text, const char *member, char *out, size_t size)
{
    const char *at = strstr (text, member), *base;
    char path[PROGRAM_MAX];

    out[0] = '\0';
    if (!at)
        return;
    at += strlen (member);
    (void)snprintf (path, sizeof (path), "%.*s", (int)strcspn (at, "\"\n"), at);
    base = strrchr (path, '/');
    (void)escape_text (out, size, base ? base + 1 : path, ESCAPE_LINES);
}

static void tell_count (const struct ynode *n, const char *key, FILE *out)
{
    uint64_t value;

    if (parse_u64 (ynode_text (n, key, ""), &value) == 0)
        (void)fprintf (out, "%s=%llu\n",
                       strcmp (key, "hosts") == 0 ? "nodes" : key,
                       (unsigned long long)value);
}

static void tell_metrics (const struct ynode *metrics, FILE *out)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        const char *name = metric_table[i].name;
        const char *value =
            ynode_text (ynode_get (metrics, name), "value", "null");

        if (*value && strcmp (value, "null") != 0)
            (void)fprintf (out, "%s=%s\n", name, value);
    }
}

static size_t tell_insights (const char *text)
{
    const char *at = strstr (text, "\n  \"insights\":"), *end;
    size_t n = 0;

    end = at ? strstr (at, "\n  ]") : NULL;
    while (at && end && (at = strstr (at + 1, "\n    {")) && at < end)
        n++;
    return n;
}

static void tell_write (char *text, const char *path, int part, FILE *out)
{
    char program[SUMMARY_TEXT_MAX], name[SUMMARY_TEXT_MAX];
    size_t insights = tell_insights (text);
    struct ytree *t;
    const struct ynode *root, *job;

    tell_string (text, "\"exe\": \"", program, sizeof (program));
    tell_cut (text);
    t = strlen (text) < HEAD_MAX ? ytree_parse (path, text, strlen (text), NULL)
                                 : NULL;
    root = t ? ytree_root (t) : NULL;
    if (root) {
        job = ynode_get (root, "job");
        (void)escape_text (name, sizeof (name),
                           ynode_text (job, "job_name", ""), ESCAPE_LINES);
        (void)fprintf (out, "part=%d\nname=%s\nprogram=%s\ninsights=%zu\n",
                       part, name, program, insights);
        tell_count (job, "hosts", out);
        tell_count (job, "ranks", out);
        tell_count (job, "processes", out);
        tell_metrics (ynode_get (root, "metrics"), out);
        (void)putc ('\n', out);
    }
    ytree_destroy (t);
}

void tell_job (int fd, const char *dir, int part)
{
    char *path = path_join (dir, "metrics.json"), *lines = NULL;
    char *text = path ? read_file (path, METRICS_MAX, NULL, NULL) : NULL;
    size_t size;
    FILE *out = text ? open_memstream (&lines, &size) : NULL;

    if (out) {
        tell_write (text, path, part, out);
        if (fclose (out) == 0 && write (fd, lines, size) != (ssize_t)size)
            log_warn ("%s: not in the site's summary: the pipe to the epilog "
                      "is full",
                      dir);
    }
    free (lines);
    free (text);
    free (path);
}

int tell_next (char **text, struct job_summary *s, int *part)
{
    int lines = 0;

    job_summary_begin (s);
    *part = 0;
    while (**text) {
        char *line = *text, *end = strchr (line, '\n');
        uint64_t n;

        if (!end) /* cut */
            return 0;
        *end = '\0';
        *text = end + 1;
        if (end == line)
            return lines > 0;
        if (strncmp (line, "part=", 5) == 0 && parse_u64 (line + 5, &n) == 0 &&
            n < 1000)
            *part = (int)n;
        else if (job_summary_take (s, line, 1) == 0)
            lines++;
    }
    return 0;
}
