/* SPDX-License-Identifier: MIT
 *
 * openmetrics.c - numbers as the text of OpenMetrics 1.0
 *
 * In:  names, labels, numbers
 * Out: text that a collector reads; whatever a label holds stays in it
 */
#include "config.h"

#include "lib/model/openmetrics.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/escape.h"
#include "lib/util/json.h"

/* Backslash, quote and line feed are escaped; the text has to be UTF-8. */
static void openmetrics_text (FILE *out, const char *text)
{
    size_t length = strlen (text), taken;
    char one[ESCAPE_BYTES_MAX];

    for (; length > 0; text += taken, length -= taken) {
        size_t n = escape_bytes (one, text, length, &taken);

        if (*text == '\n')
            (void)fputs ("\\n", out);
        else if (*one == '"' || *one == '\\')
            (void)fprintf (out, "\\%.*s", (int)n, one);
        else if (*text == '\r') /* some readers end a line there */
            (void)putc (' ', out);
        else
            (void)fwrite (one, 1, n, out);
    }
}

void openmetrics_family (FILE *out,
                         const char *name,
                         const char *help,
                         const char *unit)
{
    (void)fprintf (out, "# TYPE %s gauge\n# HELP %s ", name, name);
    openmetrics_text (out, help);
    (void)fprintf (out, "%s%s\n", *unit ? ", unit " : "", unit);
}

struct openmetrics openmetrics_sample (FILE *out, const char *name)
{
    (void)fputs (name, out);
    return (struct openmetrics){out, 0};
}

void openmetrics_label (struct openmetrics *m,
                        const char *name,
                        const char *value)
{
    (void)fprintf (m->out, "%c%s=\"", m->labels++ ? ',' : '{', name);
    openmetrics_text (m->out, value);
    (void)putc ('"', m->out);
}

void openmetrics_value (struct openmetrics *m, double value)
{
    char number[32];

    (void)fprintf (
        m->out, "%s %s\n", m->labels ? "}" : "",
        isnan (value) ? "NaN" : json_number (number, sizeof (number), value));
}

void openmetrics_end (FILE *out)
{
    (void)fputs ("# EOF\n", out);
}
