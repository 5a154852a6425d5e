/* SPDX-License-Identifier: MIT
 *
 * scrape.c - a run's output and `scrape:` -> numbers
 */
#include "config.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "sweep/results/resultset.h"

enum { OUTPUT_BYTES_MAX = 256 * 1024 * 1024 };

void scrape_declare (struct resultset *r)
{
    const struct spec *s = r->sweep->spec;

    for (size_t i = 0; i < s->scrapes; i++)
        (void)resultset_metric_add (r, s->scrape[i].name, "");
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
static struct measure scrape_measure (struct arena *a, const char *text)
{
    char *joined = arena_alloc (a, strlen (text) + 1), *end;
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
static struct measure
last_match (struct arena *a, const regex_t *regex, const char *text)
{
    struct measure m = {.present = 0};
    regmatch_t match[2];

    while (regexec (regex, text, 2, match, 0) == 0) {
        const char *number;

        number = match[1].rm_so < 0
                     ? ""
                     : arena_copy (a, text + match[1].rm_so,
                                   (size_t)(match[1].rm_eo - match[1].rm_so));
        m = scrape_measure (a, number);
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
    struct arena *a = r->sweep->arena;
    char *text;

    if (x->attempt < 0 || x->status.state != RUN_ENDED)
        return;
    text = read_file (
        arena_format (a, "%s/stdout",
                      sweepdir_attempt_path (r->sweep, x->run, x->attempt)),
        OUTPUT_BYTES_MAX, NULL, NULL);
    for (size_t k = 0; text && k < s->scrapes; k++)
        r->run[i].measure[resultset_metric (r, s->scrape[k].name)] =
            last_match (a, &regex[k], text);
    free (text);
}

void scrape_read (struct resultset *r)
{
    const struct spec *s = r->sweep->spec;
    regex_t *regex =
        arena_array (r->sweep->arena, s->scrapes + 1, sizeof (*regex));

    if (!s->scrapes)
        return;
    for (size_t k = 0; k < s->scrapes;
         k++) /* read once before: they are good */
        (void)regcomp (&regex[k], s->scrape[k].regex,
                       REG_EXTENDED | REG_NEWLINE);
    for (size_t i = 0; i < r->report.count; i++)
        scrape_run (r, i, regex);
    for (size_t k = 0; k < s->scrapes; k++)
        regfree (&regex[k]);
}
