/* SPDX-License-Identifier: MIT
 *
 * summary.c - a job in some ninety numbers: what a site keeps of it
 */
#include "config.h"

#include "lib/base/text.h"
#include "lib/model/summary.h"
#include "lib/util/json.h"

enum { TEXT = 1, NUMBER = 0, USER = 1, ROOT = 0 };

static const struct summary_info summary_fields[SUMMARY_FIELDS] = {
#define SUMMARY_FIELD(NAME, TYPE, SOURCE, UNIT, HELP) \
    {#NAME, UNIT, HELP, TYPE, SOURCE},
#include "lib/model/summaryfields.def"
#undef SUMMARY_FIELD
};

struct summary_info summary_info (int at)
{
    const struct metric_info *m;

    if (at < (int)SUMMARY_FIELDS)
        return summary_fields[at];
    m = &metric_table[at - (int)SUMMARY_FIELDS];
    return (struct summary_info){m->name, m->unit, m->definition, NUMBER, USER};
}

int summary_find (const char *name)
{
    int metric;

    for (int i = 0; i < (int)SUMMARY_FIELDS; i++)
        if (strcmp (summary_fields[i].name, name) == 0)
            return i;
    metric = metric_parse (name);
    return metric < 0 ? -1 : metric + (int)SUMMARY_FIELDS;
}

/* Lines are written in the order of the table, without rows that are not known,
 * so the search begins after the last row found. */
static int summary_find_next (struct job_summary *s, const char *name)
{
    int at = s->next;

    while (at < (int)SUMMARY_COUNT &&
           strcmp (summary_info (at).name, name) != 0)
        at++;
    if (at >= (int)SUMMARY_COUNT)
        at = summary_find (name);
    if (at >= 0)
        s->next = at + 1;
    return at;
}

void job_summary_begin (struct job_summary *s)
{
    s->next = 0;
    for (int i = 0; i < (int)SUMMARY_FIELDS; i++)
        s->text[i][0] = '\0';
    for (int i = 0; i < (int)SUMMARY_COUNT; i++)
        s->number[i] = NAN;
}

int job_summary_take (struct job_summary *s, char *text, int only_from_user)
{
    char *value = strchr (text, '='), *end;
    struct summary_info info;
    double number;
    int at;

    if (!value)
        return -1;
    *value++ = '\0';
    at = summary_find_next (s, text);
    if (at < 0)
        return -1;
    info = summary_info (at);
    if (only_from_user && !info.from_user)
        return -1;
    if (info.is_text) {
        escape_text (s->text[at], SUMMARY_TEXT_MAX, value, ESCAPE_LINES);
        return 0;
    }
    number = strtod (value, &end);
    if (end == value || *end || !isfinite (number))
        return -1;
    s->number[at] = number;
    return 0;
}

/* ---- numbers as the text of OpenMetrics 1.0 ---- */

/* Backslash, quote and line feed are escaped; the text has to be UTF-8. */
static void openmetrics_text (FILE *out, const char *text)
{
    size_t length = strlen (text), taken;
    char one[ESCAPE_BYTES_MAX];

    for (; length > 0; text += taken, length -= taken) {
        size_t n = escape_bytes (one, text, length, &taken);

        if (*text == '\n')
            fputs ("\\n", out);
        else if (*one == '"' || *one == '\\')
            fprintf (out, "\\%.*s", (int)n, one);
        else if (*text == '\r') /* some readers end a line there */
            putc (' ', out);
        else
            (void)fwrite (one, 1, n, out);
    }
}

void openmetrics_family (FILE *out,
                         const char *name,
                         const char *help,
                         const char *unit)
{
    fprintf (out, "# TYPE %s gauge\n# HELP %s ", name, name);
    openmetrics_text (out, help);
    fprintf (out, "%s%s\n", *unit ? ", unit " : "", unit);
}

struct openmetrics openmetrics_sample (FILE *out, const char *name)
{
    fputs (name, out);
    return (struct openmetrics){out, 0};
}

void openmetrics_label (struct openmetrics *m,
                        const char *name,
                        const char *value)
{
    fprintf (m->out, "%c%s=\"", m->labels++ ? ',' : '{', name);
    openmetrics_text (m->out, value);
    putc ('"', m->out);
}

void openmetrics_value (struct openmetrics *m, double value)
{
    char number[32];

    fprintf (m->out, "%s %s\n", m->labels ? "}" : "",
             isnan (value) ? "NaN"
                           : json_number (number, sizeof (number), value));
}

void openmetrics_end (FILE *out)
{
    fputs ("# EOF\n", out);
}
