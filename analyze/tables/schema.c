/* SPDX-License-Identifier: MIT
 *
 * schema.c - the JSON schema of metrics.json
 *
 * In:  schemafields.def, metrics.def, views.def, viewcolumns.def
 * Out: JSON Schema, draft 2020-12
 */
#include "config.h"

#include "analyze/tables/schema.h"

#include <string.h>

#include "analyze/facts/metrics.h"
#include "analyze/tables/results.h"
#include "lib/model/view.h"
#include "lib/util/json.h"

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

enum { FIELDS = sizeof (fields) / sizeof (fields[0]) };

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

/* What fields.def says of an object. */
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
        json_text (j, "description", fields[i].help);
        json_close (j, '}');
    }
    json_close (j, '}');
    json_open (j, "required", '[');
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
    json_open (j, "type", '[');
    json_text (j, NULL, a);
    json_text (j, NULL, b);
    json_close (j, ']');
}

static void schema_column (struct json *j, const struct view_column *c)
{
    int is_text = c->kind == COLUMN_TEXT || c->kind == COLUMN_PATH;

    json_open (j, c->name, '{');
    if (c->view == VIEW_insight && strcmp (c->name, "rows") == 0) {
        json_text (j, "type", "array");
        schema_put_object (j, "items", "rows");
    } else if (is_text)
        schema_own_schema_types (j, "string", "null");
    else
        schema_own_schema_types (j, c->digits == 0 ? "integer" : "number",
                                 "null");
    if (c->unit[0])
        json_text (j, "unit", c->unit);
    json_text (j, "description", c->help);
    json_close (j, '}');
}

/* A row of a view: also that of its CSV file and of --view --format json. */
static void schema_view (struct json *j, enum view v)
{
    schema_begin (j, view_table[v].file);
    json_text (j, "description", view_table[v].help);
    json_open (j, "properties", '{');
    for (const struct view_column *c = NULL; (c = view_column_next (v, c));)
        if (!c->joined)
            schema_column (j, c);
    json_close (j, '}');
    json_open (j, "required", '[');
    for (const struct view_column *c = NULL; (c = view_column_next (v, c));)
        if (!c->joined)
            json_text (j, NULL, c->name);
    json_close (j, ']');
    json_close (j, '}');
}

static void schema_rows (struct json *j, enum view v)
{
    char ref[64];

    (void)snprintf (ref, sizeof (ref), "#/$defs/%s", view_table[v].file);
    json_open (j, view_table[v].file, '{');
    json_text (j, "type", "array");
    json_open (j, "items", '{');
    json_text (j, "$ref", ref);
    json_close (j, '}');
    json_close (j, '}');
}

/* --- metrics ---------------------------------------------------------------
 */

static void schema_put_metric (struct json *j, int m)
{
    json_open (j, metric_table[m].name, '{');
    json_text (j, "$ref", "#/$defs/metric");
    if (metric_table[m].unit[0])
        json_text (j, "unit", metric_table[m].unit);
    json_text (j, "description", metric_table[m].definition);
    json_close (j, '}');
}

static void schema_put_metrics (struct json *j)
{
    schema_begin (j, "metrics");
    json_open (j, "properties", '{');
    for (int m = 0; m < METRIC_COUNT; m++)
        schema_put_metric (j, m);
    json_close (j, '}');
    json_open (j, "required", '[');
    for (int m = 0; m < METRIC_COUNT; m++)
        json_text (j, NULL, metric_table[m].name);
    json_close (j, ']');
    json_close (j, '}');
}

static void
schema_put_const (struct json *j, const char *key, const char *value)
{
    json_open (j, key, '{');
    json_text (j, "const", value);
    json_close (j, '}');
}

/* { "value": number or null, "unit": "...", "note": why it is null } */
static void schema_put_defs (struct json *j)
{
    json_open (j, "$defs", '{');
    schema_begin (j, "metric");
    json_open (j, "properties", '{');
    json_open (j, "value", '{');
    json_open (j, "type", '[');
    json_text (j, NULL, "number");
    json_text (j, NULL, "null");
    json_close (j, ']');
    json_close (j, '}');
    json_open (j, "unit", '{');
    json_text (j, "type", "string");
    json_close (j, '}');
    json_open (j, "note", '{');
    json_text (j, "type", "string");
    json_text (j, "description", "why the value is null");
    json_close (j, '}');
    json_close (j, '}');
    json_open (j, "required", '[');
    json_text (j, NULL, "value");
    json_text (j, NULL, "unit");
    json_close (j, ']');
    json_close (j, '}');
    for (int v = 0; v < VIEW_COUNT; v++)
        schema_view (j, (enum view)v);
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
    json_open (&j, NULL, '{');
    json_text (&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_text (&j, "title", "metrics.json of dftrace analyze");
    json_text (&j, "description",
               "A later version of the same number may add members; what is "
               "removed or means something else gets another number. Under "
               "$defs are the rows of each table of the same name, too: "
               "tables/*.csv, SQLite, and --view with --format json.");
    schema_put_defs (&j);
    json_text (&j, "type", "object");
    json_open (&j, "properties", '{');
    schema_put_const (&j, "format", "dftrace-metrics");
    json_open (&j, "version", '{');
    json_int (&j, "const", RESULTS_VERSION);
    json_close (&j, '}');
    schema_put_object (&j, "job", "job");
    schema_put_object (&j, "health", "health");
    schema_rows (&j, VIEW_trace_point);
    schema_put_metrics (&j);
    schema_rows (&j, VIEW_insight);
    schema_rows (&j, VIEW_bill);
    schema_rows (&j, VIEW_io);
    schema_rows (&j, VIEW_operation);
    schema_rows (&j, VIEW_process);
    json_close (&j, '}');
    json_open (&j, "required", '[');
    for (size_t i = 0; i < sizeof (members) / sizeof (members[0]); i++)
        json_text (&j, NULL, members[i]);
    json_close (&j, ']');
    json_close (&j, '}');
}
