/* SPDX-License-Identifier: MIT
 *
 * verdict.c - check: of the sweep file, against the numbers of the points
 *
 * In:  bounds of each point, numbers of its runs
 * Out: pass or fail, with the reason; pure but for the stream
 */
#include "config.h"

#include "lib/chart/html.h"
#include "lib/util/fsutil.h"
#include "lib/util/optparse.h"
#include "sweep/plan/plan.h"
#include "sweep/results/compare.h"
#include "sweep/spec/value.h"

/* Rounding of sums and of decimal fractions is no difference. */
static const double rounding = 1e-9;

const char *verdict_word (enum verdict v)
{
    static const char *const word[VERDICTS] = {"-", "pass", "fail", "open"};

    return word[v];
}

static int verdict_is_open (const struct resultset *r, int point)
{
    for (size_t i = 0; i < r->report.count; i++)
        if (r->report.run[i].run.point == point &&
            outcome_class (r->report.run[i].outcome) == OUTCOME_OPEN)
            return 1;
    return 0;
}

static struct statistics
verdict_numbers (const struct resultset *r, int point, size_t check)
{
    int metric = resultset_metric (r, r->sweep->spec->check[check].metric);
    struct statistics none = {.n = 0};

    return metric < 0 ? none : resultset_point (r, point, metric);
}

/* The mean of the metric over the repeats that are done, within its bounds.
 * Without a number, and without runs to come: fail. *s (may be NULL) gets the
 * numbers. check: of spec->check. */
static enum verdict verdict_of (const struct resultset *r,
                                int point,
                                size_t check,
                                struct statistics *s)
{
    const struct point_limit *l = &r->sweep->grid->point[point].limit[check];
    struct statistics x = verdict_numbers (r, point, check);
    double slack = fabs (x.mean) * rounding;

    if (s)
        *s = x;
    if (!l->applies)
        return VERDICT_NONE;
    if (verdict_is_open (r, point))
        return VERDICT_OPEN;
    return x.n && x.mean >= l->low - slack && x.mean <= l->high + slack
               ? VERDICT_PASS
               : VERDICT_FAIL;
}

enum verdict verdict_point (const struct resultset *r, int point)
{
    int seen[VERDICTS] = {0};

    for (size_t i = 0; i < r->sweep->spec->checks; i++)
        seen[verdict_of (r, point, i, NULL)] = 1;
    return seen[VERDICT_FAIL]   ? VERDICT_FAIL
           : seen[VERDICT_OPEN] ? VERDICT_OPEN
           : seen[VERDICT_PASS] ? VERDICT_PASS
                                : VERDICT_NONE;
}

void verdict_count (const struct resultset *r, size_t count[VERDICTS])
{
    memset (count, 0, VERDICTS * sizeof (*count));
    for (int p = -1; (p = resultset_next (r, p)) >= 0;)
        for (size_t i = 0; i < r->sweep->spec->checks; i++)
            count[verdict_of (r, p, i, NULL)]++;
}

static const char *verdict_unit (const struct resultset *r, size_t check)
{
    int metric = resultset_metric (r, r->sweep->spec->check[check].metric);
    const char *unit = metric < 0 ? "" : r->metric[metric].unit;

    return *unit ? arena_format (" %s", unit) : "";
}

/* "write_bytes = 4096", "job_time <= 60 s": what is expected at a point. */
static const char *
verdict_rule (const struct resultset *r, int point, size_t check)
{
    const struct point_limit *l = &r->sweep->grid->point[point].limit[check];
    const char *unit = verdict_unit (r, check);
    const char *name = r->sweep->spec->check[check].metric;

    if (l->low == l->high)
        return arena_format ("%s = %.10g%s", name, l->low, unit);
    if (isinf (l->low))
        return arena_format ("%s <= %.10g%s", name, l->high, unit);
    if (isinf (l->high))
        return arena_format ("%s >= %.10g%s", name, l->low, unit);
    return arena_format ("%.10g <= %s <= %.10g%s", l->low, name, l->high, unit);
}

/* Why it fails or is open, or "". */
static const char *
verdict_reason (const struct resultset *r, int point, size_t check)
{
    struct statistics s;
    enum verdict v = verdict_of (r, point, check, &s);

    if (v != VERDICT_FAIL && v != VERDICT_OPEN)
        return "";
    if (v == VERDICT_OPEN || !s.n) {
        const char *state = resultset_point_state (r, point), *text;
        size_t runs;

        if (strcmp (state, "done") != 0)
            return state;
        text = resultset_not_a_number (
            r, point, resultset_metric (r, r->sweep->spec->check[check].metric),
            &runs);
        return text ? arena_format ("n/a: \"%s\" is no number", text)
                    : "n/a: no run has this number";
    }
    return arena_format ("%s is %.10g%s, mean of %zu",
                         r->sweep->spec->check[check].metric, s.mean,
                         verdict_unit (r, check), s.n);
}

/* Enough digits to tell the value and its bounds apart. */
static int verdict_digits (const struct statistics *s,
                           const struct point_limit *l)
{
    double most = fmax (s->n ? fabs (s->mean) : 0,
                        fmax (isinf (l->low) ? 0 : fabs (l->low),
                              isinf (l->high) ? 0 : fabs (l->high)));
    int whole = (!s->n || s->mean == floor (s->mean)) &&
                (isinf (l->low) || l->low == floor (l->low)) &&
                (isinf (l->high) || l->high == floor (l->high));

    return whole ? 0 : statistics_digits (most);
}

static void verdict_row (struct textable *t,
                         const struct resultset *r,
                         int point,
                         size_t check)
{
    const struct point *p = &r->sweep->grid->point[point];
    const struct point_limit *l = &p->limit[check];
    const char *unit = verdict_unit (r, check);
    struct statistics s;
    enum verdict v = verdict_of (r, point, check, &s);
    int digits = verdict_digits (&s, l);

    textable_line (t, "%s %s %s %s", p->id, p->label,
                   r->sweep->spec->check[check].metric, *unit ? unit + 1 : "");
    textable_double (t, s.n ? s.mean : NAN, digits);
    textable_uint (t, s.n);
    textable_double (t, l->low, digits);
    textable_double (t, l->high, digits);
    textable_cells (t, "%s %s", verdict_word (v),
                    verdict_reason (r, point, check));
}

struct textable *verdict_table (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_columns (t, "point label metric unit mean# n#");
    textable_column (t, "least", "at\nleast", NULL, 1);
    textable_column (t, "most", "at\nmost", NULL, 1);
    textable_columns (t, "check reason");
    for (int p = -1; (p = resultset_next (r, p)) >= 0;)
        for (size_t i = 0; i < r->sweep->spec->checks; i++)
            if (r->sweep->grid->point[p].limit[i].applies)
                verdict_row (t, r, p, i);
    return t;
}

/* "…,fail,reason": the cell of the column `check`; nothing before it is in
 * quotes. */
static enum verdict verdict_of_line (const char *line)
{
    enum { CHECK_COLUMN = 8 };
    const char *p = line;

    for (int i = 0; i < CHECK_COLUMN && p; i++)
        p = strchr (p, ',') ? strchr (p, ',') + 1 : NULL;
    for (int v = VERDICT_PASS; p && v < VERDICTS; v++) {
        size_t n = strlen (verdict_word (v));

        if (strncmp (p, verdict_word (v), n) == 0 && p[n] == ',')
            return v;
    }
    return VERDICT_NONE;
}

int verdict_written (struct sweepdir *d, size_t count[VERDICTS])
{
    const char *path = arena_format ("%s/results/checks.csv", d->path);
    FILE *in = d->spec->checks ? fopen (path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;

    memset (count, 0, VERDICTS * sizeof (*count));
    if (!in)
        return 0;
    while (getline (&line, &room, in) > 0)
        count[verdict_of_line (line)]++;
    free (line);
    fclose (in);
    return 1;
}

int verdict_status (struct sweepdir *d)
{
    size_t count[VERDICTS];

    return verdict_written (d, count) && count[VERDICT_FAIL] ? EXIT_CHECK_FAILED
                                                             : EXIT_OK;
}

/* For people: what the reason repeats is left out. */
static struct textable *verdict_text (const struct resultset *r)
{
    struct textable *t = textable_create ();

    textable_columns (t, "label check expected");
    textable_column (t, "reason", "found", NULL, 0);
    for (int p = -1; (p = resultset_next (r, p)) >= 0;)
        for (size_t i = 0; i < r->sweep->spec->checks; i++) {
            enum verdict v = verdict_of (r, p, i, NULL);

            if (v == VERDICT_NONE)
                continue;
            textable_line (t, "%s %s %s %s", r->sweep->grid->point[p].label,
                           verdict_word (v), verdict_rule (r, p, i),
                           verdict_reason (r, p, i));
        }
    return t;
}

void verdict_print (FILE *out,
                    const struct resultset *r,
                    enum table_format format)
{
    size_t count[VERDICTS];
    struct textable *t;

    if (!r->sweep->spec->checks)
        return;
    verdict_count (r, count);
    t = verdict_text (r);
    fprintf (out,
             format == TABLE_MARKDOWN ? "\n### Checks\n\n" : "\nChecks\n\n");
    textable_print (t, out, format);
    textable_destroy (t);
    fprintf (out, "\nchecks: %zu passed, %zu failed", count[VERDICT_PASS],
             count[VERDICT_FAIL]);
    if (count[VERDICT_OPEN])
        fprintf (out, ", %zu wait for runs", count[VERDICT_OPEN]);
    fprintf (out, ".\n");
}

/* ---- runs and checks of a sweep -> JUnit XML, for CI systems ---- */

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
    for (int p = -1; (p = resultset_next (r, p)) >= 0;) {
        enum outcome_class c = junit_runs (r, p, &seconds);

        s.tests++;
        s.errors += c == OUTCOME_BAD;
        s.skipped += c == OUTCOME_OPEN;
        s.seconds += seconds;
    }
    return s;
}

static void junit_head (FILE *out, const char *tag, const struct resultset *r)
{
    struct junit_sums s = junit_sum (r);

    html_put (out,
              "<%s name=\"%s\" tests=\"%zu\" failures=\"%zu\" "
              "errors=\"%zu\" skipped=\"%zu\" time=\"%s\">\n",
              tag, r->sweep->spec->name, s.tests, s.failures, s.errors,
              s.skipped, arena_format ("%.3f", s.seconds));
}

/* A test case that ends with an element of what went wrong, if any. */
/* element: "error", "failure", "skipped"; NULL: the case passes. */
struct junit_case {
    const char *name;
    double seconds;
    const char *element, *message;
};

static void junit_case (FILE *out,
                        const struct resultset *r,
                        int point,
                        struct junit_case c)
{
    html_put (out, "<testcase classname=\"%s.%s\" name=\"%s\" time=\"%s\"",
              r->sweep->spec->name, r->sweep->grid->point[point].label, c.name,
              arena_format ("%.3f", c.seconds));
    if (c.element)
        html_put (out, "><%s message=\"%s\"/></testcase>\n", c.element,
                  c.message);
    else
        fputs ("/>\n", out);
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

    junit_case (out, r, point,
                (struct junit_case){"runs", seconds, of_runs[c],
                                    resultset_point_state (r, point)});
    for (size_t i = 0; i < r->sweep->spec->checks; i++) {
        enum verdict v = verdict_of (r, point, i, NULL);

        if (v != VERDICT_NONE)
            junit_case (out, r, point,
                        (struct junit_case){verdict_rule (r, point, i), 0,
                                            of_checks[v],
                                            verdict_reason (r, point, i)});
    }
}

/* A test suite of the sweep's name; a test case "runs" per point (an error
 * when a run has failed, skipped while runs are to come), and one per check
 * (a failure when it fails). */
static void junit_print (FILE *out, const struct resultset *r)
{
    fputs ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    junit_head (out, "testsuites", r);
    junit_head (out, "testsuite", r);
    html_put (out,
              "<properties><property name=\"directory\" value=\"%s\"/>"
              "</properties>\n",
              r->sweep->path);
    for (int p = -1; (p = resultset_next (r, p)) >= 0;)
        junit_point (out, r, p);
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
