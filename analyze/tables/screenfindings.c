/* SPDX-License-Identifier: MIT
 *
 * screenfindings.c - what could be saved -> the last lines of the first screen
 *
 * In:  findings of insight.c, the rows that they came from
 * Out: three lines each, as many as the terminal has room for; names of the
 *      rest
 */
#include "config.h"

#include "analyze/tables/screenfindings.h"

#include <string.h>

#include "analyze/facts/insight.h"
#include "analyze/tables/insightrows.h"
#include "lib/util/numwords.h"

enum { SCREEN_LINES = 24, FINDING_LINES = 3 };

/* The calls or files that it is mostly about: as many of the first ones as the
 * line has room for. */
static void
screen_add_rows (struct screen *s, enum insight i, const struct result *r)
{
    const char *from = insight_table[i].from;
    struct insight_rows rows;

    if ((strcmp (from, "call") != 0 && strcmp (from, "file") != 0) ||
        insight_rows (&rows, i, r) < 0)
        return;
    for (size_t k = 0; k < rows.count; k++) {
        const char *slash = strrchr (rows.name[k], '/');
        const char *name = slash && slash[1] ? slash + 1 : rows.name[k];

        if (screen_places (s->line) + screen_places (name) + 2 > SCREEN_COLUMNS)
            break;
        screen_add (s, "%s%s", k ? ", " : ": ", name);
    }
    insight_rows_clear (&rows);
}

static void screen_put_finding (struct screen *s,
                                const struct finding *f,
                                const struct result *r)
{
    const struct insight_info *rule = &insight_table[f->rule];
    char words[WORDS_MAX], b[WORDS_MAX];

    screen_add (s, "* %s", rule->finding);
    screen_end_line (s);
    screen_add (s, "  %s", severity_name (f->severity));
    if (f->costs)
        screen_add (s, ": at most %s, %.1f %% of the job",
                    value_words (words, f->cost, "s"), f->percent);
    else
        screen_add (s, ": %s of %s %s", number_words (words, f->a),
                    number_words (b, f->b), rule->what_b);
    screen_add (s, "; %s", rule->name);
    screen_add_rows (s, f->rule, r);
    screen_end_line (s);
    screen_add (s, "  %s", rule->advice);
    screen_end_line (s);
}

void screen_put_findings (struct screen *s, const struct result *r)
{
    struct finding found[INSIGHT_COUNT];
    size_t n = insights_find (found, r->summary, r->totals), shown = 0;
    size_t worth = 0;

    while (worth < n && found[worth].severity > SEVERITY_MINOR)
        worth++;
    screen_end_line (s);
    if (!worth)
        screen_add (s, "%s costs more than 1 %% of the job.",
                    r->summary->untraced ? "Nothing that was traced"
                                         : "Nothing here");
    else
        screen_add (s, "What could be saved, at most");
    screen_end_line (s);
    /* the last two lines say what is not here */
    while (shown < worth && s->lines + FINDING_LINES + 2 <= SCREEN_LINES)
        screen_put_finding (s, &found[shown++], r);
    if (shown == n)
        return;
    if (shown == worth)
        screen_add (s, "%zu more below 1 %% of the job", n - shown);
    else if (n > worth)
        screen_add (s, "%zu more, %zu of them below 1 %%", n - shown,
                    n - worth);
    else
        screen_add (s, "%zu more", n - shown);
    for (size_t i = shown; i < n; i++) {
        const char *name = insight_table[found[i].rule].name;

        if (screen_places (s->line) + screen_places (name) + 7 >
            SCREEN_COLUMNS) {
            screen_add (s, ", ...");
            break;
        }
        screen_add (s, "%s%s", i > shown ? ", " : ": ", name);
    }
    screen_end_line (s);
}
