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

/* The last match in the text; the group must be a number. */
static struct measure
last_match (struct arena *a, const regex_t *regex, const char *text)
{
    struct measure m = {.present = 0};
    regmatch_t match[2];

    while (regexec (regex, text, 2, match, 0) == 0) {
        const char *number;
        char *end;
        double value;

        number = match[1].rm_so < 0
                     ? ""
                     : arena_copy (a, text + match[1].rm_so,
                                   (size_t)(match[1].rm_eo - match[1].rm_so));
        value = strtod (number, &end);
        if (*number && !*end && isfinite (value))
            m = (struct measure){.present = 1, .value = value, .text = number};
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
