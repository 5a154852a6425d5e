/* SPDX-License-Identifier: MIT
 *
 * value.c - scalar text <-> typed value
 */
#include "config.h"

#include <stdarg.h>

#include "lib/base/array.h"
#include "sweep/spec/value.h"
#include "lib/util/optparse.h"

struct value value_null (void)
{
    return (struct value){.type = VALUE_NULL};
}

struct value value_bool (int truth)
{
    return (struct value){.type = VALUE_BOOL, .integer = truth != 0};
}

struct value value_int (int64_t integer)
{
    return (struct value){.type = VALUE_INT, .integer = integer};
}

struct value value_decimal (double decimal)
{
    return (struct value){.type = VALUE_DECIMAL, .decimal = decimal};
}

struct value value_str (const char *text)
{
    return (struct value){.type = VALUE_TEXT, .text = text};
}

static size_t value_digits (const char *p)
{
    return strspn (p, "0123456789");
}

static int reads_as_integer (const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');

    return value_digits (p) > 0 && !p[value_digits (p)];
}

/* 1.5, .5, 1., 1e3, -2.5e-7 */
static int reads_as_decimal (const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');
    size_t whole = value_digits (p), fraction = 0;

    p += whole;
    if (*p == '.') {
        fraction = value_digits (p + 1);
        p += 1 + fraction;
    }
    if (whole + fraction == 0)
        return 0;
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        if (!value_digits (p))
            return 0;
        p += value_digits (p);
    }
    return *p == '\0';
}

struct value value_of_scalar (const char *text, int quoted)
{
    struct value v = value_str (arena_text (text));

    if (quoted)
        return v;
    if (!*text || !strcmp (text, "null") || !strcmp (text, "~"))
        return value_null ();
    if (!strcmp (text, "true") || !strcmp (text, "false"))
        return value_bool (*text == 't');
    errno = 0;
    if (reads_as_integer (text)) {
        v.integer = strtoll (text, NULL, 10);
        if (!errno)
            v.type = VALUE_INT;
    } else if (reads_as_decimal (text)) {
        v.decimal = strtod (text, NULL);
        if (isfinite (v.decimal))
            v.type = VALUE_DECIMAL;
    }
    return v;
}

static const char *decimal_text (double decimal)
{
    char text[40];

    for (int precision = 15; precision <= 17; precision++) {
        FORMAT (text, "%.*g", precision, decimal);
        if (strtod (text, NULL) == decimal)
            break;
    }
    return arena_text (text);
}

static const char *list_text (const struct value *v)
{
    const char *text = "[";

    for (size_t i = 0; i < v->count; i++)
        text = arena_format ("%s%s%s", text, i ? ", " : "",
                             value_show (&v->item[i]));
    return arena_format ("%s]", text);
}

const char *value_text (const struct value *v)
{
    switch (v->type) {
    case VALUE_BOOL:
        return v->integer ? "true" : "false";
    case VALUE_INT:
        return v->text ? v->text : arena_format ("%lld", (long long)v->integer);
    case VALUE_DECIMAL:
        return v->text ? v->text : decimal_text (v->decimal);
    case VALUE_TEXT:
        return v->text;
    case VALUE_LIST:
        return list_text (v);
    case VALUE_NONE:
    case VALUE_NULL:
        break;
    }
    return "";
}

const char *value_show (const struct value *v)
{
    if (v->type == VALUE_TEXT)
        return arena_format ("'%s'", v->text);
    if (v->type == VALUE_NULL)
        return "null";
    if (v->type == VALUE_NONE)
        return "(no value)";
    return value_text (v);
}

static const struct {
    const char *word, *words;
} type_names[] = {
    [VALUE_NONE] = {"none", "no value"},
    [VALUE_NULL] = {"null", "null"},
    [VALUE_BOOL] = {"bool", "true or false"},
    [VALUE_INT] = {"int", "an integer"},
    [VALUE_DECIMAL] = {"decimal", "a decimal number"},
    [VALUE_TEXT] = {"text", "text"},
    [VALUE_LIST] = {"list", "a list"},
};

const char *value_type_words (enum value_type type)
{
    return type_names[type].words;
}

const char *value_type_word (enum value_type type)
{
    return type_names[type].word;
}

int value_is_number (const struct value *v)
{
    return v->type == VALUE_INT || v->type == VALUE_DECIMAL;
}

double value_as_double (const struct value *v)
{
    return v->type == VALUE_INT ? v->integer : v->decimal;
}

void mistake (const struct mistakes *m, size_t offset, const char *fmt, ...)
{
    char *text, *problem;
    va_list args;

    va_start (args, fmt);
    text = xvasprintf (fmt, args);
    va_end (args);
    problem = arena_text (text);
    free (text);
    m->fail (m->cookie, m->base + offset, problem);
    abort ();
}

int value_compare (const struct value *x,
                   const struct value *y,
                   const struct mistakes *m)
{
    if (x->type == VALUE_NULL || y->type == VALUE_NULL)
        return x->type == y->type ? 0 : x->type == VALUE_NULL ? -1 : 1;
    if (x->type == VALUE_INT && y->type == VALUE_INT)
        return ORDER (x->integer, y->integer);
    if (value_is_number (x) && value_is_number (y))
        return ORDER (value_as_double (x), value_as_double (y));
    if (x->type == VALUE_TEXT && y->type == VALUE_TEXT)
        return strcmp (x->text, y->text);
    if (x->type == VALUE_BOOL && y->type == VALUE_BOOL)
        return (int)(x->integer - y->integer);
    mistake (m, 0, "%s is %s and %s is %s: they cannot be compared",
             value_show (x), value_type_words (x->type), value_show (y),
             value_type_words (y->type));
}

/* A decimal that is whole and fits is written as an integer. */
static const char *decimal_key (double decimal)
{
    static const double limit = 9223372036854775808.0; /* 2^63 */

    if (decimal >= -limit && decimal < limit && decimal == floor (decimal))
        return arena_format ("number %lld", (long long)decimal);
    return arena_format ("number %.17g", decimal);
}

const char *value_key (const struct value *v)
{
    if (v->type == VALUE_INT)
        return arena_format ("number %lld", (long long)v->integer);
    if (v->type == VALUE_DECIMAL)
        return decimal_key (v->decimal);
    return arena_format ("%s %s", value_type_word (v->type), value_text (v));
}

int value_is_called (const struct value *v, const char *text, int as_number)
{
    struct value meant;

    if (!as_number)
        return !strcmp (value_text (v), text);
    meant = value_of_scalar (text, 0);
    return value_is_number (v) && value_is_number (&meant) &&
           !strcmp (value_key (v), value_key (&meant));
}

int value_same (const struct value *x, const struct value *y)
{
    if (x->type != y->type)
        return 0;
    if (x->type == VALUE_INT && !x->text && !y->text)
        return x->integer == y->integer;
    return !strcmp (value_text (x), value_text (y));
}

/* --- every number that a run can have: those of metrics.def and others --- */

/* clang-format off */
static const struct column columns_own[COLUMNS_OWN] = {
    [COLUMN_wall_time] = {"wall_time", "wall\ntime", "s", 3, METRIC_SECTION_NONE},
    [COLUMN_ranks] = {"ranks", "ranks", "", 0, METRIC_SECTION_NONE},
    [COLUMN_ranks_started] = {"ranks_started", "ranks\nstarted", "", 0, METRIC_SECTION_NONE},
    [COLUMN_acct_elapsed] = {"acct_elapsed", "elapsed\n(sacct)", "s", 0, METRIC_SECTION_NONE},
    [COLUMN_acct_max_rss] = {"acct_max_rss", "MaxRSS\n(sacct)", "B", 0, METRIC_SECTION_NONE},
    [COLUMN_acct_disk_read] = {"acct_disk_read", "disk read\n(sacct)", "B", 0, METRIC_SECTION_NONE},
};
/* clang-format on */

struct column column_at (size_t at)
{
    const struct metric_info *m;

    if (at >= METRIC_COUNT)
        return columns_own[at - METRIC_COUNT];
    m = &metric_table[at];
    return (struct column){.name = m->name,
                           .title = m->title,
                           .unit = m->unit,
                           .digits = m->digits,
                           .section = m->section};
}

int column_find (const char *name)
{
    for (int i = 0; i < COLUMNS_OWN; i++)
        if (strcmp (columns_own[i].name, name) == 0)
            return METRIC_COUNT + i;
    return metric_parse (name);
}

const char *column_name (const char *name)
{
    int at = column_find (name);

    return at < 0 ? name : column_at (at).name;
}

const char *column_near (const char *name)
{
    const char *names[COLUMNS + 1] = {NULL};

    for (size_t i = 0; i < COLUMNS; i++)
        names[i] = column_at (i).name;
    return nearest_word (name, names);
}
