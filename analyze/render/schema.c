/* SPDX-License-Identifier: MIT
 *
 * schema.c - the JSON schema of metrics.json
 *
 * In:  schemafields.def, metrics.def
 * Out: JSON Schema, draft 2020-12
 */
#include "config.h"

#include "analyze/render/schema.h"

#include <string.h>

#include "analyze/derive/metrics.h"
#include "analyze/render/results.h"
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

static void put_type (struct json *j, enum field_type type)
{
    static const char *const words[] = {
        [UINT] = "integer", [NUMBER] = "number", [TEXT] = "string",
        [BOOL] = "boolean", [LIST] = "array",
    };

    json_text (j, "type", words[type]);
    if (type == UINT)
        json_uint (j, "minimum", 0);
}

static void put_object (struct json *j, const char *key, const char *object);

static void begin_object (struct json *j, const char *key)
{
    json_open (j, key, '{');
    json_text (j, "type", "object");
}

/* What fields.def says of an object. */
static void put_fields (struct json *j, const char *object)
{
    json_open (j, "properties", '{');
    for (int i = 0; i < FIELDS; i++) {
        if (strcmp (fields[i].object, object) != 0)
            continue;
        json_open (j, fields[i].name, '{');
        put_type (j, fields[i].type);
        if (fields[i].type == LIST)
            put_object (j, "items", fields[i].name);
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

static void put_object (struct json *j, const char *key, const char *object)
{
    begin_object (j, key);
    put_fields (j, object);
    json_close (j, '}');
}

static void put_array (struct json *j, const char *key, const char *object)
{
    json_open (j, key, '{');
    json_text (j, "type", "array");
    put_object (j, "items", object);
    json_close (j, '}');
}

static void put_metric (struct json *j, int m)
{
    json_open (j, metric_table[m].name, '{');
    json_text (j, "$ref", "#/$defs/metric");
    json_text (j, "description", metric_table[m].definition);
    json_close (j, '}');
}

static void put_metrics (struct json *j)
{
    begin_object (j, "metrics");
    json_open (j, "properties", '{');
    for (int m = 0; m < METRIC_COUNT; m++)
        put_metric (j, m);
    json_close (j, '}');
    json_open (j, "required", '[');
    for (int m = 0; m < METRIC_COUNT; m++)
        json_text (j, NULL, metric_table[m].name);
    json_close (j, ']');
    json_close (j, '}');
}

static void put_const (struct json *j, const char *key, const char *value)
{
    json_open (j, key, '{');
    json_text (j, "const", value);
    json_close (j, '}');
}

/* { "value": number or null, "unit": "...", "note": why it is null } */
static void put_defs (struct json *j)
{
    json_open (j, "$defs", '{');
    begin_object (j, "metric");
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
    json_close (j, '}');
}

void schema_print (FILE *out)
{
    static const char *const members[] = {
        "format",  "version",  "job",        "health",   "trace_points",
        "metrics", "insights", "operations", "processes"};
    struct json j;

    json_init (&j, out, 0);
    json_open (&j, NULL, '{');
    json_text (&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_text (&j, "title", "metrics.json of dftrace analyze");
    json_text (&j, "description",
               "A later version of the same number may add members; what is "
               "removed or means something else gets another number.");
    put_defs (&j);
    json_text (&j, "type", "object");
    json_open (&j, "properties", '{');
    put_const (&j, "format", "dftrace-metrics");
    json_open (&j, "version", '{');
    json_int (&j, "const", RESULTS_VERSION);
    json_close (&j, '}');
    put_object (&j, "job", "job");
    put_object (&j, "health", "health");
    put_array (&j, "trace_points", "trace_point");
    put_metrics (&j);
    put_array (&j, "insights", "insight");
    put_array (&j, "operations", "operation");
    put_array (&j, "processes", "process");
    json_close (&j, '}');
    json_open (&j, "required", '[');
    for (size_t i = 0; i < sizeof (members) / sizeof (members[0]); i++)
        json_text (&j, NULL, members[i]);
    json_close (&j, ']');
    json_close (&j, '}');
}
