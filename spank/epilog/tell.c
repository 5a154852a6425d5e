/* SPDX-License-Identifier: MIT
 *
 * tell.c - what the user's side of the epilog tells root of a job
 *
 * In:  metrics.json
 * Out: lines NAME=VALUE
 */
#include "config.h"

#include "spank/epilog/tell.h"
#include "lib/base/text.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
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
    snprintf (path, sizeof (path), "%.*s", (int)strcspn (at, "\"\n"), at);
    base = strrchr (path, '/');
    escape_text (out, size, base ? base + 1 : path, ESCAPE_LINES);
}

static void tell_count (const struct ynode *n, const char *key, FILE *out)
{
    uint64_t value;

    if (parse_u64 (ynode_text (n, key, ""), &value) == 0)
        fprintf (out, "%s=%llu\n", strcmp (key, "hosts") == 0 ? "nodes" : key,
                 (unsigned long long)value);
}

static void tell_metrics (const struct ynode *metrics, FILE *out)
{
    for (int i = 0; i < METRIC_COUNT; i++) {
        const char *name = metric_table[i].name;
        const char *value =
            ynode_text (ynode_get (metrics, name), "value", "null");

        if (*value && strcmp (value, "null") != 0)
            fprintf (out, "%s=%s\n", name, value);
    }
}

static double tell_number (const struct ynode *metrics, const char *name)
{
    const char *text = ynode_text (ynode_get (metrics, name), "value", "");
    char *end;
    double value = strtod (text, &end);

    return end == text ? NAN : value;
}

/* The first finding that the first screen has with its cost; NULL: there is
 * none. */
static struct ytree *tell_finding (const char *insights)
{
    const char *at = insights, *end;
    const char *stop = at && strncmp (at, "\"insights\": [\n", 14) == 0
                           ? strstr (at, "\n  ]")
                           : NULL;
    struct ytree *t = NULL;

    while (!t && stop && (at = strstr (at, "\n    {\n")) && at < stop &&
           (end = strstr (at, "\n    }"))) {
        const char *severity;

        t = ytree_parse ("insights", at, (size_t)(end - at) + 6, NULL);
        severity = t ? ynode_text (ytree_root (t), "severity", "") : "";
        if (strcmp (severity, "critical") != 0 &&
            strcmp (severity, "warning") != 0) {
            ytree_destroy (t);
            t = NULL;
        }
        at = end;
    }
    return t;
}

static void tell_coverage (const struct ynode *metrics, FILE *out)
{
    double reads = tell_number (metrics, "read_coverage_percent");
    double writes = tell_number (metrics, "write_coverage_percent");

    if (!isnan (reads))
        fprintf (out, "; not known of reads %.1f %%", fabs (100 - reads));
    if (!isnan (writes))
        fprintf (out, "%s writes %.1f %%",
                 isnan (reads) ? "; not known of" : ",", fabs (100 - writes));
}

/* The numbers of the first screen in a line, which names nobody and nothing of
 * the job. */
static void
tell_line (const struct ynode *root, const char *insights, FILE *out)
{
    const struct ynode *metrics = ynode_get (root, "metrics"), *n;
    double job = tell_number (metrics, "job_time");
    double io = tell_number (metrics, "io_time");
    struct ytree *t = tell_finding (insights);
    const char *percent, *verdict;
    char words[WORDS_MAX];

    fprintf (out, "line=I/O %s",
             isnan (io) ? "n/a" : value_words (words, io, "s"));
    if (job > 0 && !isnan (io))
        fprintf (out, ", %.1f %%", 100 * io / job);
    if (job > 0)
        fprintf (out, " of %s", value_words (words, job, "s"));
    n = t ? ytree_root (t) : NULL;
    percent = n ? ynode_text (n, "cost_percent", "null") : "null";
    verdict = ynode_text (ynode_get (root, "job"), "verdict", "");
    if (n)
        fprintf (out, "; %s: %s", ynode_text (n, "severity", ""),
                 ynode_text (n, "finding", ""));
    else if (*verdict)
        fprintf (out, "; %s", verdict);
    if (strcmp (percent, "null") != 0)
        fprintf (out, " %.1f %%", strtod (percent, NULL));
    tell_coverage (metrics, out);
    if (strcmp (ynode_text (ynode_get (root, "health"), "complete", ""),
                "true") != 0)
        fputs ("; not complete", out);
    putc ('\n', out);
    ytree_destroy (t);
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
    const char *findings = strstr (text, "\"insights\":");
    struct ytree *t;
    const struct ynode *root, *job;

    tell_string (text, "\"exe\": \"", program, sizeof (program));
    tell_cut (text);
    t = strlen (text) < HEAD_MAX ? ytree_parse (path, text, strlen (text), NULL)
                                 : NULL;
    root = t ? ytree_root (t) : NULL;
    if (root) {
        job = ynode_get (root, "job");
        escape_text (name, sizeof (name), ynode_text (job, "job_name", ""),
                     ESCAPE_LINES);
        fprintf (out, "part=%d\nname=%s\nprogram=%s\ninsights=%zu\n", part,
                 name, program, insights);
        tell_count (job, "hosts", out);
        tell_count (job, "ranks", out);
        tell_count (job, "processes", out);
        tell_metrics (ynode_get (root, "metrics"), out);
        if (strcmp (ynode_text (job, "array_job_id", "0"),
                    ynode_text (job, "job_id", "")) == 0)
            fprintf (out, "task=%s\n", ynode_text (job, "array_task_id", ""));
        tell_line (root, findings, out);
        putc ('\n', out);
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
