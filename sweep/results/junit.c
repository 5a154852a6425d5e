/* SPDX-License-Identifier: MIT
 *
 * junit.c - runs and checks of a sweep -> JUnit XML, for CI systems
 *
 * In:  outcomes of runs, verdicts of checks
 * Out: <testsuites> as Jenkins, GitLab and others read it
 */
#include "config.h"

#include <string.h>

#include "lib/chart/html.h"
#include "lib/util/fsutil.h"
#include "sweep/results/junit.h"
#include "sweep/results/verdict.h"

struct junit_sums {
    size_t tests, failures, errors, skipped;
    double seconds;
};

/* Elapsed of all runs of a point, and its worst class. */
static enum outcome_class
junit_runs (const struct resultset *r, int point, double *seconds)
{
    enum outcome_class worst = OUTCOME_GOOD;

    *seconds = 0;
    for (size_t i = 0; i < r->report.count; i++) {
        const struct run_report *x = &r->report.run[i];
        enum outcome_class c = outcome_class (x->outcome);

        if (x->run.point != point || x->run.control)
            continue;
        if (x->status.state == RUN_ENDED)
            *seconds += x->status.end - x->status.start;
        if (c == OUTCOME_BAD || worst == OUTCOME_GOOD)
            worst = c;
    }
    return worst;
}

static struct junit_sums junit_sum (const struct resultset *r)
{
    struct junit_sums s = {.tests = 0};
    size_t count[VERDICTS];
    double seconds;

    verdict_count (r, count);
    s.failures = count[VERDICT_FAIL];
    s.skipped = count[VERDICT_OPEN];
    s.tests = count[VERDICT_PASS] + s.failures + s.skipped;
    for (size_t p = 0; p < r->sweep->grid->count; p++) {
        enum outcome_class c;

        if (!resultset_has_point (r, (int)p))
            continue;
        c = junit_runs (r, (int)p, &seconds);
        s.tests++;
        s.errors += c == OUTCOME_BAD;
        s.skipped += c == OUTCOME_OPEN;
        s.seconds += seconds;
    }
    return s;
}

static void junit_attribute (FILE *out, const char *name, const char *text)
{
    fprintf (out, " %s=\"", name);
    html_text (out, text);
    fputc ('"', out);
}

static void junit_head (FILE *out, const char *tag, const struct resultset *r)
{
    struct junit_sums s = junit_sum (r);

    fprintf (out, "<%s", tag);
    junit_attribute (out, "name", r->sweep->spec->name);
    fprintf (out,
             " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
             "skipped=\"%zu\" time=\"%.3f\">\n",
             s.tests, s.failures, s.errors, s.skipped, s.seconds);
}

/* A test case that ends with an element of what went wrong, if any. */
static void junit_case (FILE *out,
                        const struct resultset *r,
                        int point,
                        const char *name,
                        double seconds,
                        const char *element,
                        const char *message)
{
    fputs ("<testcase", out);
    junit_attribute (out, "classname",
                     arena_format (r->sweep->arena, "%s.%s",
                                   r->sweep->spec->name,
                                   r->sweep->grid->point[point].label));
    junit_attribute (out, "name", name);
    fprintf (out, " time=\"%.3f\"", seconds);
    if (!element) {
        fputs ("/>\n", out);
        return;
    }
    fprintf (out, "><%s", element);
    junit_attribute (out, "message", message);
    fprintf (out, "/></testcase>\n");
}

static void junit_point (FILE *out, const struct resultset *r, int point)
{
    static const char *const of_runs[] = {[OUTCOME_BAD] = "error",
                                          [OUTCOME_OPEN] = "skipped",
                                          [OUTCOME_GOOD] = NULL};
    static const char *const of_checks[VERDICTS] = {
        [VERDICT_FAIL] = "failure", [VERDICT_OPEN] = "skipped"};
    double seconds;
    enum outcome_class c = junit_runs (r, point, &seconds);

    junit_case (out, r, point, "runs", seconds, of_runs[c],
                resultset_point_state (r, point));
    for (size_t i = 0; i < r->sweep->spec->checks; i++) {
        enum verdict v = verdict_of (r, point, i, NULL);

        if (v != VERDICT_NONE)
            junit_case (out, r, point, verdict_rule (r, point, i), 0,
                        of_checks[v], verdict_reason (r, point, i));
    }
}

void junit_print (FILE *out, const struct resultset *r)
{
    fputs ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    junit_head (out, "testsuites", r);
    junit_head (out, "testsuite", r);
    fputs ("<properties><property name=\"directory\"", out);
    junit_attribute (out, "value", r->sweep->path);
    fputs ("/></properties>\n", out);
    for (size_t p = 0; p < r->sweep->grid->count; p++)
        if (resultset_has_point (r, (int)p))
            junit_point (out, r, (int)p);
    fputs ("</testsuite>\n</testsuites>\n", out);
}

int junit_write (const char *path,
                 const struct resultset *r,
                 struct errtext *err)
{
    struct atomic_file *f = atomic_open (path, 0644, err);

    if (!f)
        return -1;
    junit_print (atomic_stream (f), r);
    return atomic_commit (f, err);
}
