/* SPDX-License-Identifier: MIT
 *
 * resultset.c - metrics.json, output and accounting of runs -> resultset
 */
#include "config.h"

#include <regex.h>

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/ytree.h"
#include "sweep/results/resultset.h"
#include "sweep/run/program.h"
#include "sweep/run/runner.h"
#include "sweep/spec/value.h"
#include "sweep/submit/slurm.h"
#include "sweep/submit/submit.h"

enum { ANALYZE_TIMEOUT = 3600 }; /* s, for one run */

/* -- analysis, when nobody did it -------------------------------------- */

static const char *trace_dir (const struct resultset *r, size_t i)
{
    const struct run_report *x = &r->report.run[i];

    return arena_format ("%s/trace",
                         sweepdir_attempt_path (r->sweep, x->run, x->attempt));
}

/* The epilog may have done it; what it did not finish is done here. */
static int analyze (const struct resultset *r, const char *dir)
{
    const char *argv[] = {arena_text (program_self ()), "analyze", "--quiet",
                          arena_text (dir), NULL};
    struct program_result result;
    struct errtext err;

    if (program_run (argv, program_environment (0), ANALYZE_TIMEOUT, &result,
                     &err) < 0) {
        log_warn ("%s", err.text);
        return -1;
    }
    if (program_succeeded (&result))
        return 0;
    log_warn ("%s: %s", dir, program_complaint (&result));
    return -1;
}

static struct ytree *metrics_tree (const struct resultset *r, size_t i)
{
    const char *dir, *path;
    struct errtext err;
    struct ytree *t;

    if (r->report.run[i].attempt < 0 || r->report.run[i].run.control ||
        r->report.run[i].status.state != RUN_ENDED)
        return NULL;
    dir = trace_dir (r, i);
    path = arena_format ("%s/metrics.json", dir);
    if (access (path, R_OK) < 0) {
        if (!runner_trace_found (dir))
            return NULL;
        analyze (r, dir); /* may be damaged and have written numbers */
    }
    if (access (path, R_OK) < 0)
        return NULL;
    t = ytree_load (path, &err);
    if (!t)
        log_warn ("%s", err.text);
    return t;
}

/* -- reading ----------------------------------------------------------- */

static int
resultset_metric_add (struct resultset *r, const char *name, const char *unit)
{
    int known;

    name = column_name (name); /* also of an older metrics.json */
    known = resultset_metric (r, name);
    if (known >= 0)
        return known;
    r->metric = arena_grow (r->metric, r->metrics, sizeof (*r->metric));
    r->metric[r->metrics].name = arena_text (name);
    r->metric[r->metrics].unit = arena_text (unit);
    return (int)r->metrics++;
}

static void
operation_add (struct resultset *r, struct run_result *x, const struct ynode *n)
{
    struct operation *o;
    size_t i = 0;

    x->operation = arena_grow (x->operation, x->operations, sizeof (*o));
    o = &x->operation[x->operations++];
    o->category = arena_text (ynode_text (n, "category", ""));
    o->name = arena_format ("%s/%s", o->category, ynode_text (n, "name", ""));
    o->count = strtod (ynode_text (n, "count", "0"), NULL);
    o->sum = strtod (ynode_text (n, "sum_s", "0"), NULL);
    o->mean_us = strtod (ynode_text (n, "mean_us", "0"), NULL);
    while (i < r->operations && strcmp (r->operation[i], o->name))
        i++;
    if (i < r->operations)
        return;
    r->operation =
        arena_grow (r->operation, r->operations, sizeof (*r->operation));
    r->operation[r->operations++] = o->name;
}

/* The measure of a run; there may be fewer yet than metrics. */
static struct measure *measure_at (struct run_result *x, size_t metric)
{
    if (metric >= x->measures) {
        size_t room = 2 * metric + 1;
        struct measure *more = arena_array (room, sizeof (*more));

        if (x->measures)
            memcpy (more, x->measure, x->measures * sizeof (*more));
        x->measure = more;
        x->measures = room;
    }
    return &x->measure[metric];
}

static struct measure measure_of (const struct ynode *n)
{
    const struct ynode *v = ynode_get (n, "value");
    struct measure m = {.present = 0};

    if (!v || v->type != YNODE_SCALAR || v->quoted || !strcmp (v->text, "null"))
        return m;
    m.text = arena_text (v->text);
    m.value = strtod (v->text, NULL);
    m.present = isfinite (m.value);
    return m;
}

/* A number of the object job; zero 0: it means not known. */
static void resultset_read_job (struct resultset *r,
                                struct run_result *x,
                                const struct ynode *root,
                                const char *name,
                                int zero)
{
    const struct ynode *job = ynode_get (root, "job");
    const char *text = job ? ynode_text (job, name, "") : "";
    double value = strtod (text, NULL);

    if (*text && (value != 0 || zero))
        *measure_at (x, resultset_metric_add (r, name, "")) = (struct measure){
            .present = 1, .value = value, .text = arena_text (text)};
}

static void
read_run (struct resultset *r, struct run_result *x, const struct ytree *t)
{
    const struct ynode *root = ytree_root (t);
    const struct ynode *metrics = ynode_get (root, "metrics");
    const struct ynode *operations = ynode_get (root, "operations");
    size_t count = metrics && metrics->type == YNODE_MAP ? metrics->count : 0;

    for (size_t i = 0; i < count; i++) {
        const struct ynode *m = metrics->item[i];
        int metric = resultset_metric_add (r, metrics->key[i]->text,
                                           ynode_text (m, "unit", ""));

        *measure_at (x, metric) = measure_of (m);
    }
    for (size_t i = 0;
         operations && operations->type == YNODE_LIST && i < operations->count;
         i++)
        operation_add (r, x, operations->item[i]);
    x->analyzed = count > 0;
    resultset_read_job (r, x, root, "ranks", 1);
    resultset_read_job (r, x, root, "ranks_started", 0);
}

/* As bash saw it: also of a run that was not traced. */
static struct measure wall_time (const struct run_report *x)
{
    if (x->status.state != RUN_ENDED)
        return (struct measure){.present = 0};
    return (struct measure){.present = 1,
                            .value = x->status.end - x->status.start};
}

/* ---- a run's output and `scrape:` -> numbers ---- */

enum { OUTPUT_BYTES_MAX = 256 * 1024 * 1024 };

static void scrape_declare (struct resultset *r)
{
    const struct spec *s = r->sweep->spec;

    for (size_t i = 0; i < s->scrapes; i++)
        resultset_metric_add (r, s->scrape[i].name, "");
}

/* "1,234.5": commas between groups of three digits are left out. */
static void scrape_join (const char *from, char *to)
{
    size_t first = strspn (from + (*from == '-'), "0123456789");
    const char *p = from + (*from == '-') + first;
    int groups = 0;

    while (*p == ',' && strspn (p + 1, "0123456789") == 3) {
        p += 4;
        groups++;
    }
    if (!groups || first < 1 || first > 3 || (*p && *p != '.'))
        groups = 0;
    for (; *from; from++)
        if (!groups || *from != ',')
            *to++ = *from;
    *to = '\0';
}

/* A number for the tables; "nan" and what is no number keep their text. */
static struct measure scrape_measure (const char *text)
{
    char *joined = arena_alloc (strlen (text) + 1), *end;
    struct measure m = {.present = 0, .text = text};

    scrape_join (text, joined);
    m.value = strtod (joined, &end);
    end += strspn (end, " \t");
    m.present = *joined && end != joined && !*end && isfinite (m.value);
    if (m.present)
        m.text = joined;
    return m;
}

/* The last match in the text. */
static struct measure last_match (const regex_t *regex, const char *text)
{
    struct measure m = {.present = 0};
    regmatch_t match[2];

    while (regexec (regex, text, 2, match, 0) == 0) {
        const char *number;

        number = match[1].rm_so < 0
                     ? ""
                     : arena_copy (text + match[1].rm_so,
                                   (match[1].rm_eo - match[1].rm_so));
        m = scrape_measure (number);
        text += match[0].rm_eo;
        if (match[0].rm_eo == match[0].rm_so && !*text++)
            break;
    }
    return m;
}

static void scrape_run (struct resultset *r, size_t i, const regex_t *regex)
{
    const struct spec *s = r->sweep->spec;
    const struct run_report *x = &r->report.run[i];
    char *text;

    if (x->attempt < 0 || x->status.state != RUN_ENDED)
        return;
    text = read_file (
        arena_format ("%s/stdout",
                      sweepdir_attempt_path (r->sweep, x->run, x->attempt)),
        OUTPUT_BYTES_MAX, NULL, NULL);
    for (size_t k = 0; text && k < s->scrapes; k++)
        r->run[i].measure[resultset_metric (r, s->scrape[k].name)] =
            last_match (&regex[k], text);
    free (text);
}

static void scrape_read (struct resultset *r)
{
    const struct spec *s = r->sweep->spec;
    regex_t *regex = arena_array (s->scrapes + 1, sizeof (*regex));

    if (!s->scrapes)
        return;
    for (size_t k = 0; k < s->scrapes;
         k++) /* read once before: they are good */
        regcomp (&regex[k], s->scrape[k].regex, REG_EXTENDED | REG_NEWLINE);
    for (size_t i = 0; i < r->report.count; i++)
        scrape_run (r, i, regex);
    for (size_t k = 0; k < s->scrapes; k++)
        regfree (&regex[k]);
}

/* ---- sacct, where there is one -> numbers per run ---- */

/* In the order of sacct's fields behind the id. */
static const size_t accounting_columns[] = {
    METRIC_COUNT + COLUMN_acct_elapsed,
    METRIC_COUNT + COLUMN_acct_max_rss,
    METRIC_COUNT + COLUMN_acct_disk_read,
};

enum { ACCOUNTING = ITEMS (accounting_columns) };

static void accounting_declare (struct resultset *r)
{
    struct sweepdir *d = r->sweep;
    struct slurm_config c;
    struct journal j;

    r->accounting = NULL;
    if (!r->report.slurm_known)
        return;
    journal_read (d, &j);
    if (!j.submitted || slurm_config_read (&c, NULL) < 0 || !c.accounting)
        return;
    r->accounting = slurm_accounting (submit_job_list (d, &j));
    for (int i = 0; r->accounting && i < ACCOUNTING; i++) {
        struct column column = column_at (accounting_columns[i]);

        resultset_metric_add (r, column.name, column.unit);
    }
}

static int is_of (const struct run_report *x, const char *id)
{
    char own[64];
    size_t n;

    FORMAT (own, "%s_%s", x->status.job, x->status.task);
    n = strlen (own);
    return !strncmp (id, own, n) && (!id[n] || id[n] == '.');
}

/* "1024K" */
static double accounting_bytes_of (const char *text)
{
    static const char units[] = "KMGTP";
    char *end;
    double n = strtod (text, &end);
    const char *unit = *end ? strchr (units, *end) : NULL;

    for (const char *p = units; unit && p <= unit; p++)
        n *= 1024;
    return n;
}

static void
accounting_take (struct resultset *r, size_t i, int column, double value)
{
    const char *name = column_at (accounting_columns[column]).name;
    struct measure *m = &r->run[i].measure[resultset_metric (r, name)];

    if (m->present && m->value >= value)
        return;
    m->present = 1;
    m->value = value;
}

static void accounting_read (struct resultset *r)
{
    char *text, *line, *save = NULL;

    if (!r->accounting)
        return;
    text = arena_text (r->accounting);
    for (line = strtok_r (text, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save)) {
        const char *field[ACCOUNTING + 1] = {"", "", "", ""};

        for (size_t k = 0; k <= ACCOUNTING && line; k++)
            field[k] = strsep (&line, "|");
        for (size_t i = 0; i < r->report.count; i++) {
            if (!*r->report.run[i].status.job ||
                !is_of (&r->report.run[i], field[0]))
                continue;
            for (int k = 0; k < ACCOUNTING; k++)
                if (*field[k + 1])
                    accounting_take (r, i, k,
                                     k ? accounting_bytes_of (field[k + 1])
                                       : strtod (field[k + 1], NULL));
        }
    }
}

/* ---- all of it ---- */

static void resultset_read_all (struct resultset *r)
{
    int wall;

    r->run = arena_array (r->report.count + 1, sizeof (*r->run));
    progress_start ("results", r->report.count, "runs");
    for (size_t i = 0; i < r->report.count; i++) {
        struct ytree *t = metrics_tree (r, i);

        r->run[i].report = &r->report.run[i];
        if (t)
            read_run (r, &r->run[i], t);
        ytree_destroy (t);
        progress_set (i + 1);
    }
    progress_end ();
    wall = resultset_metric_add (r, "wall_time", "s");
    scrape_declare (r);
    accounting_declare (r);
    for (size_t i = 0; i < r->report.count; i++) {
        measure_at (&r->run[i], r->metrics);
        r->run[i].measure[wall] = wall_time (&r->report.run[i]);
    }
    scrape_read (r);
    accounting_read (r);
}

struct resultset *resultset_load (struct sweepdir *d,
                                  const struct filter_options *o,
                                  struct errtext *err)
{
    struct resultset *r = arena_alloc (sizeof (*r));

    r->sweep = d;
    status_read (d, STATUS_SLURM, &r->report);
    filter_report (d, o, EXIT_FAILED, &r->report);
    r->has_point = arena_alloc (d->grid->count);
    for (size_t i = 0; i < r->report.count; i++)
        r->has_point[r->report.run[i].run.point] = 1;
    resultset_read_all (r);
    return r;
}

const char *resultset_not_a_number (const struct resultset *r,
                                    int point,
                                    int metric,
                                    size_t *runs)
{
    const char *text = NULL;

    *runs = 0;
    for (size_t i = 0; metric >= 0 && i < r->report.count; i++) {
        const struct run_report *x = &r->report.run[i];
        const struct measure *m = &r->run[i].measure[metric];

        if ((point >= 0 && x->run.point != point) || x->run.control ||
            x->outcome != OUTCOME_DONE || m->present || !m->text)
            continue;
        (*runs)++;
        if (!text)
            text = m->text;
    }
    return text;
}

int resultset_next (const struct resultset *r, int point)
{
    int points = (int)r->sweep->grid->count;

    do
        point++;
    while (point < points && !r->has_point[point]);
    return point < points ? point : -1;
}

const struct value *
resultset_value_of (const struct resultset *r, int point, int column)
{
    return &r->sweep->grid->point[point].column[column];
}

void resultset_axis (struct textable *t, const struct resultset *r, int axis)
{
    const char *name = r->sweep->spec->column[axis];

    textable_column (t, name, name, NULL,
                     resultset_value_of (r, 0, axis)->type != VALUE_TEXT);
}

int resultset_metric (const struct resultset *r, const char *name)
{
    name = column_name (name);
    for (size_t i = 0; i < r->metrics; i++)
        if (!strcmp (r->metric[i].name, name))
            return (int)i;
    return -1;
}

/* -- per point --------------------------------------------------------- */

/* The traced run of a point in a repeat; NULL when it is not in the results,
 * or (numbers of a run that did not end well describe something else) when it
 * is wanted done and is not. */
static const struct run_result *
run_at (const struct resultset *r, int point, int repeat, int done)
{
    struct run run = {.point = point, .repeat = repeat};
    const struct run_report *x = status_of (&r->report, run);

    if (!x || (done && x->outcome != OUTCOME_DONE))
        return NULL;
    return &r->run[x - r->report.run];
}

int resultset_value (
    const struct resultset *r, int point, int repeat, int metric, double *value)
{
    const struct run_result *x = run_at (r, point, repeat, 1);

    if (!x || metric < 0)
        return 0;
    *value = x->measure[metric].value;
    return x->measure[metric].present;
}

struct statistics
resultset_point (const struct resultset *r, int point, int metric)
{
    struct statistics s = {.n = 0};
    double x;

    for (int k = 0; k < r->sweep->spec->repeats; k++)
        if (resultset_value (r, point, k, metric, &x))
            statistics_add (&s, x);
    statistics_end (&s);
    return s;
}

struct statistics
resultset_operation (const struct resultset *r, int point, const char *name)
{
    struct statistics s = {.n = 0};

    for (int k = 0; k < r->sweep->spec->repeats; k++) {
        const struct run_result *x = run_at (r, point, k, 1);

        for (size_t i = 0; x && i < x->operations; i++)
            if (!strcmp (x->operation[i].name, name))
                statistics_add (&s, x->operation[i].sum);
    }
    statistics_end (&s);
    return s;
}

const char *resultset_point_state (const struct resultset *r, int point)
{
    const char *words = "";
    size_t runs = 0, done = 0;

    for (int k = 0; k < r->sweep->spec->repeats; k++) {
        const struct run_result *x = run_at (r, point, k, 0);
        const char *word;

        if (!x)
            continue;
        word = outcome_word (x->report->outcome);
        runs++;
        done += x->report->outcome == OUTCOME_DONE;
        if (x->report->outcome != OUTCOME_DONE && !strstr (words, word))
            words = arena_format ("%s%s%s", words, *words ? " " : "", word);
    }
    if (done == runs)
        return "done";
    if (runs == 1)
        return words;
    return arena_format ("%zu of %zu done, %s", done, runs, words);
}

int resultset_written (struct sweepdir *d)
{
    struct stat summary;
    struct sweep_report r;

    if (stat (arena_format ("%s/results/summary.txt", d->path), &summary) < 0)
        return 0;
    status_read (d, STATUS_FILES, &r);
    for (size_t i = 0; i < r.count; i++)
        if (r.run[i].status.written > summary.st_mtime)
            return 0;
    return 1;
}
