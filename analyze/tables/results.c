/* SPDX-License-Identifier: MIT
 *
 * results.c - a job that has been read -> metrics.json and tables/
 *
 * In:  struct result, from cmd_analyze.c
 * Out: DIR/metrics.json, DIR/tables/NAME.csv (contract 3)
 */
#include "config.h"

#include "analyze/facts/metrics.h"
#include "analyze/tables/subject.h"
#include "analyze/tables/results.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/model/view.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"

enum { RESULT_MODE = 0600, RESULT_DIR_MODE = 0700 };

/* The findings of the job. */
struct findings {
    struct finding item[INSIGHT_COUNT];
    size_t count;
};

static void results_put_verdict (struct json *j,
                                 const struct findings *f,
                                 const struct result *r)
{
    char words[INSIGHT_WORDS];

    if (!insights_worth (f->item, f->count))
        json_text (j, "verdict", insights_nothing (words, r->summary));
}

static void results_put_job (struct json *j,
                             const struct findings *f,
                             const struct result *r)
{
    const struct job_info *info = &r->job->info;
    const struct summary *s = r->summary;
    char layers[128];

    json_put (j, "job:{ label:%s job_id:%ju array_job_id:%ju", r->job->label,
              info->job_id, info->array_job_id);
    if (info->array_task_id >= 0)
        json_int (j, "array_task_id", info->array_task_id);
    json_put (j,
              "job_name:%s user:%s nodelist:%s point:%s layers:%s hosts:%zu "
              "ranks:%zu ranks_started:%zu processes:%zu start_real_ns:%ju "
              "end_real_ns:%ju",
              info->name, info->user, info->nodelist, info->point,
              layers_format (s->layers, layers, sizeof (layers)), s->hosts,
              s->launched.found, s->launched.started, s->processes, s->start,
              s->end);
    results_put_verdict (j, f, r);
    json_close (j, '}');
}

static void results_put_health (struct json *j, const struct result *r)
{
    const struct summary *s = r->summary;
    const struct pointfaults *points = &r->totals->tally.points;

    json_put (
        j,
        "health:{ complete:%db events:%ju lost_events:%ju lost_names:%ju "
        "copied_processes:%ju copied_events:%ju doubtful_events:%ju "
        "unfinished_processes:%zu untraced_processes:%ju untraced_wanted:%ju "
        "untraced_unlisted:%db io_urings:%ju io_uring_requests:%ju "
        "damaged_files:%zu unreadable_files:%zu stages_missing:%ju",
        summary_complete (s), s->n.events, s->lost, s->lost_names,
        s->copied_processes, s->copied, s->doubtful, s->unfinished, s->untraced,
        s->untraced_wanted, s->untraced_more || s->gone.cut, s->rings,
        s->requests, s->damaged, s->unreadable, s->stages);
    for (int f = 0; f < POINTFAULT_FAULTS; f++)
        json_uint (j, pointfault_table[f].key, pointfaults_count (points, f));
    json_put (j, "events_in_trace:%ju calls_in_profile:%ju",
              s->profparts.events, s->profparts.calls);
    if (s->profparts.until)
        json_uint (j, "trace_until_ns", s->profparts.until);
    json_close (j, '}');
}

/* The rows of a view, by its columns. */
static void
results_put_view (struct json *j, const struct result *r, enum view v)
{
    struct textable *t = view_make (r, v, 0);

    textable_json (t, j, view_table[v].file);
    textable_destroy (t);
}

static void results_put_metrics (struct json *j, const struct summary *s)
{
    json_open (j, "metrics", '{');
    for (int m = 0; m < METRIC_COUNT; m++) {
        struct metric_value v = metric_compute (s, m);

        json_open (j, metric_table[m].name, '{');
        if (!v.known)
            json_null (j, "value");
        else if (metric_table[m].digits == 0)
            json_uint (j, "value", v.whole);
        else
            json_double (j, "value", v.value);
        json_text (j, "unit", metric_table[m].unit);
        if (v.note)
            json_text (j, "note", v.note);
        json_close (j, '}');
    }
    json_close (j, '}');
}

/* The rows of the view of findings, in which the names of rows that a finding
 * came from are a list. */
static void results_put_insights (struct json *j,
                                  const struct findings *f,
                                  const struct result *r)
{
    struct insight_rows rows[INSIGHT_COUNT];
    struct textable *t = textable_create ();

    view_columns (t, VIEW_insight);
    view_findings (t, r, f->item, f->count, rows);
    json_open (j, "insights", '[');
    for (size_t i = 0; i < f->count; i++) {
        json_open (j, NULL, '{');
        for (size_t c = 0; c < t->columns; c++)
            if (strcmp (t->column[c].name, "rows") == 0) {
                json_open (j, "rows", '[');
                for (size_t k = 0; k < rows[i].count; k++)
                    json_put (j, "{ row:%zu name:%s }", rows[i].row[k],
                              rows[i].name[k]);
                json_close (j, ']');
            } else
                textable_json_cell (t, j, i, c);
        json_close (j, '}');
        insight_rows_clear (&rows[i]);
    }
    json_close (j, ']');
    textable_destroy (t);
}

void results_json (const struct result *r, int rows, FILE *out)
{
    static const enum view views[] = {VIEW_bill, VIEW_io, VIEW_operation,
                                      VIEW_process};
    struct findings f;
    struct json j;

    f.count = insights_find (f.item, r->summary, r->totals);
    json_init (&j, out, 0);
    json_put (&j, "{ format:'dftrace-metrics' version:%d", RESULTS_VERSION);
    results_put_job (&j, &f, r);
    results_put_health (&j, r);
    if (rows)
        results_put_view (&j, r, VIEW_trace_point);
    results_put_metrics (&j, r->summary);
    results_put_insights (&j, &f, r);
    for (size_t i = 0; rows && i < ITEMS (views); i++)
        results_put_view (&j, r, views[i]);
    json_close (&j, '}');
}

/* A view, or VIEW_COUNT: metrics.json. */
static void results_put_file (const struct result *r, int v, FILE *out)
{
    struct textable *t;

    if (v == VIEW_COUNT) {
        results_json (r, 1, out);
        return;
    }
    t = view_make (r, v, 0);
    textable_print (t, out, TABLE_CSV);
    textable_destroy (t);
}

/* Has the file these bytes? A link has none. */
static int results_has (const char *path, const char *bytes, size_t n)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK),
        same = 0;
    struct stat st;
    char *is;

    if (fd < 0)
        return 0;
    if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        (uint64_t)st.st_size == n) {
        is = xmalloc (n + 1);
        same = read (fd, is, n + 1) == (ssize_t)n && memcmp (is, bytes, n) == 0;
        free (is);
    }
    close (fd);
    return same;
}

/* Is it there already? */
static int results_is_there (const struct result *r, int v, const char *path)
{
    char *bytes = NULL;
    size_t n = 0;
    FILE *out = xmemstream (&bytes, &n);
    int there;

    results_put_file (r, v, out);
    xmemstream_end (out);
    there = results_has (path, bytes, n);
    free (bytes);
    return there;
}

static int results_write_file (const struct result *r,
                               const char *dir,
                               int v,
                               int again,
                               struct errtext *err)
{
    char *path = v == VIEW_COUNT
                     ? path_join (dir, "metrics.json")
                     : xasprintf ("%s/tables/%s.csv", dir, view_table[v].file);
    int there = again && results_is_there (r, v, path);
    struct atomic_file *a = there ? NULL : atomic_open (path, RESULT_MODE, err);

    free (path);
    if (!a)
        return there ? 0 : -1;
    results_put_file (r, v, atomic_stream (a));
    return atomic_commit (a, err);
}

static int results_write_tables (const struct result *r,
                                 const char *dir,
                                 int again,
                                 struct errtext *err)
{
    char *tables = path_join (dir, "tables");
    int rc = make_own_dir (tables, RESULT_DIR_MODE, err);

    free (tables);
    for (int v = 0; rc == 0 && v < VIEW_COUNT; v++)
        rc = results_write_file (r, dir, v, again, err);
    return rc;
}

/* If another user owns the directory, results go to ./NAME.results. Return its
 * name, malloc'd, or NULL with err. */
static char *results_elsewhere (const char *dir, struct errtext *err)
{
    char *real = realpath (dir, NULL), *path = NULL;
    const char *slash = real ? strrchr (real, '/') : NULL;

    if (dir_is_others ("."))
        errf (err,
              "%s: belongs to another user, and so does this directory: "
              "go to one of yours, or give --no-write",
              dir);
    else if (!slash)
        errf (err, "%s: %m", dir);
    else {
        path = xasprintf ("%s.results", slash + 1);
        if (make_own_dir (path, RESULT_DIR_MODE, err) < 0) {
            free (path);
            path = NULL;
        }
    }
    free (real);
    return path;
}

int results_write (const struct result *r,
                   int tables,
                   int again,
                   struct errtext *err)
{
    char *dir = dir_is_others (r->job->dir)
                    ? results_elsewhere (r->job->dir, err)
                    : xstrdup (r->job->dir);
    int rc = dir ? 0 : -1;

    if (rc == 0 && tables)
        rc = results_write_tables (r, dir, again, err);
    if (rc == 0)
        rc = results_write_file (r, dir, VIEW_COUNT, again, err);
    if (rc == 0 && strcmp (dir, r->job->dir) != 0)
        log_warn ("%s: belongs to another user: results are in %s", r->job->dir,
                  dir);
    free (dir);
    return rc;
}

/* --- the JSON schema of metrics.json ----------------------------------------
 */

enum field_type { UINT, NUMBER, TEXT, BOOL, LIST };

static const struct field {
    const char *object, *name;
    enum field_type type;
    int required;
    const char *help;
} fields[] = {
#define FIELD(OBJECT, NAME, TYPE, REQUIRED, HELP) \
    {#OBJECT, #NAME, TYPE, REQUIRED, HELP},
#include "lib/model/schemafields.def"
#undef FIELD
};

enum { FIELDS = ITEMS (fields) };

static void schema_put_type (struct json *j, enum field_type type)
{
    static const char *const words[] = {
        [UINT] = "integer", [NUMBER] = "number", [TEXT] = "string",
        [BOOL] = "boolean", [LIST] = "array",
    };

    json_text (j, "type", words[type]);
    if (type == UINT)
        json_uint (j, "minimum", 0);
}

static void
schema_put_object (struct json *j, const char *key, const char *object);

static void schema_begin (struct json *j, const char *key)
{
    json_open (j, key, '{');
    json_text (j, "type", "object");
}

/* Print the members of an object, by schemafields.def. */
static void schema_put_fields (struct json *j, const char *object)
{
    json_open (j, "properties", '{');
    for (int i = 0; i < FIELDS; i++) {
        if (strcmp (fields[i].object, object) != 0)
            continue;
        json_open (j, fields[i].name, '{');
        schema_put_type (j, fields[i].type);
        if (fields[i].type == LIST)
            schema_put_object (j, "items", fields[i].name);
        json_put (j, "description:%s }", fields[i].help);
    }
    json_put (j, "} required:[");
    for (int i = 0; i < FIELDS; i++)
        if (strcmp (fields[i].object, object) == 0 && fields[i].required)
            json_text (j, NULL, fields[i].name);
    json_close (j, ']');
}

static void
schema_put_object (struct json *j, const char *key, const char *object)
{
    schema_begin (j, key);
    schema_put_fields (j, object);
    json_close (j, '}');
}

/* --- columns of views ------------------------------------------------------
 */

static void
schema_own_schema_types (struct json *j, const char *a, const char *b)
{
    json_put (j, "type:[ %s %s ]", a, b);
}

static void
schema_column (struct json *j, enum view v, const struct view_column *c)
{
    int is_text = c->kind == COLUMN_TEXT || c->kind == COLUMN_PATH;

    json_open (j, c->name, '{');
    if (v == VIEW_insight && strcmp (c->name, "rows") == 0) {
        json_text (j, "type", "array");
        schema_put_object (j, "items", "rows");
    } else if (is_text)
        schema_own_schema_types (j, "string", "null");
    else
        schema_own_schema_types (j, c->digits == 0 ? "integer" : "number",
                                 "null");
    if (c->unit[0])
        json_text (j, "unit", c->unit);
    json_put (j, "description:%s }", c->help);
}

/* A row of a view: also that of its CSV file and of --view --format json. */
static void schema_view (struct json *j, enum view v)
{
    schema_begin (j, view_table[v].file);
    json_put (j, "description:%s properties:{", view_table[v].help);
    for (const struct view_column *c = NULL; (c = view_column_next (v, c));)
        if (!c->joined)
            schema_column (j, v, c);
    json_put (j, "} required:[");
    for (const struct view_column *c = NULL; (c = view_column_next (v, c));)
        if (!c->joined)
            json_text (j, NULL, c->name);
    json_put (j, "] }");
}

static void schema_rows (struct json *j, enum view v)
{
    char ref[64];

    FORMAT (ref, "#/$defs/%s", view_table[v].file);
    json_open (j, view_table[v].file, '{');
    json_put (j, "type:'array' items:{ $ref:%s } }", ref);
}

/* --- metrics ---------------------------------------------------------------
 */

static void schema_put_metric (struct json *j, int m)
{
    json_open (j, metric_table[m].name, '{');
    json_text (j, "$ref", "#/$defs/metric");
    if (metric_table[m].unit[0])
        json_text (j, "unit", metric_table[m].unit);
    json_put (j, "description:%s }", metric_table[m].definition);
}

static void schema_put_metrics (struct json *j)
{
    schema_begin (j, "metrics");
    json_open (j, "properties", '{');
    for (int m = 0; m < METRIC_COUNT; m++)
        schema_put_metric (j, m);
    json_put (j, "} required:[");
    for (int m = 0; m < METRIC_COUNT; m++)
        json_text (j, NULL, metric_table[m].name);
    json_put (j, "] }");
}

static void
schema_put_const (struct json *j, const char *key, const char *value)
{
    json_open (j, key, '{');
    json_put (j, "const:%s }", value);
}

/* { "value": number or null, "unit": "...", "note": why it is null } */
static void schema_put_defs (struct json *j)
{
    json_open (j, "$defs", '{');
    schema_begin (j, "metric");
    json_put (j,
              "properties:{ value:{ type:[ 'number' 'null' ] } unit:{ "
              "type:'string' } note:{ type:'string' description:%s } } "
              "required:[ 'value' 'unit' ] }",
              "why the value is null");
    for (int v = 0; v < VIEW_COUNT; v++)
        schema_view (j, v);
    json_close (j, '}');
}

void schema_print (FILE *out)
{
    static const char *const members[] = {
        "format",       "version",    "job",      "health",
        "trace_points", "metrics",    "insights", "bill",
        "io_costs",     "operations", "processes"};
    struct json j;

    json_init (&j, out, 0);
    json_put (&j, "{ $schema:%s title:%s",
              "https://json-schema.org/draft/2020-12/schema",
              "metrics.json of dftrace analyze");
    json_text (&j, "description",
               "A later version of the same number may add members; what is "
               "removed or means something else gets another number. Under "
               "$defs are the rows of each table of the same name, too: "
               "tables/*.csv, SQLite, and --view with --format json.");
    schema_put_defs (&j);
    json_put (&j, "type:'object' properties:{");
    schema_put_const (&j, "format", "dftrace-metrics");
    json_put (&j, "version:{ const:%d }", RESULTS_VERSION);
    schema_put_object (&j, "job", "job");
    schema_put_object (&j, "health", "health");
    schema_rows (&j, VIEW_trace_point);
    schema_put_metrics (&j);
    schema_rows (&j, VIEW_insight);
    schema_rows (&j, VIEW_bill);
    schema_rows (&j, VIEW_io);
    schema_rows (&j, VIEW_operation);
    schema_rows (&j, VIEW_process);
    json_put (&j, "} required:[");
    for (size_t i = 0; i < ITEMS (members); i++)
        json_text (&j, NULL, members[i]);
    json_put (&j, "] }");
}
