/* SPDX-License-Identifier: MIT
 *
 * screenhalves.c - what of a job is in a profile -> lines of the first screen
 */
#include "config.h"

#include "analyze/tables/screenhalves.h"

#include "lib/util/numwords.h"

/* How much is in events, how much in a profile, and where one ends. */
static void screen_put_halves (struct screen *s, const struct summary *sum)
{
    char words[PROFPARTS_WORDS];

    screen_add (s, "%s", profparts_words (words, &sum->halves, sum->start));
    screen_end_line (s);
    screen_add (s,
                "calls, bytes and sums are of both; where tables say n/a, see "
                "--trace-part");
}

/* Of the events alone, up to when. */
static void screen_put_trace_part (struct screen *s, const struct result *r)
{
    const struct profparts *p = &r->summary->halves;
    double weight = jobinfo_weight (&r->job->info, r->summary->launched.found);
    char words[WORDS_MAX], until[PROFPARTS_WORDS];

    screen_add (s, "the trace alone%s; %s calls more are in the profile",
                profparts_until (until, p, r->summary->start),
                number_words (words, (double)p->calls));
    screen_end_line (s);
    if (weight > 1) {
        screen_add (s, "drawn by %.30s: sums times %g estimate the job's",
                    r->job->info.detail, weight);
        screen_end_line (s);
    }
}

/* That there are sums only, and what of them is not apart. */
void screenhalves_put (struct screen *s, const struct result *r)
{
    char words[WORDS_MAX];

    if (r->job->trace_part && r->summary->halves.calls)
        screen_put_trace_part (s, r);
    if (!summary_is_profile (r->summary))
        return;
    if (r->summary->halves.events)
        screen_put_halves (s, r->summary);
    else
        screen_add (s, "a profile: sums, no events; where tables say n/a, "
                       "only a trace knows");
    screen_end_line (s);
    if (!r->totals->profile.folded)
        return;
    screen_add (s, "%s calls are of many files, in %zu series of them",
                number_words (words, (double)r->totals->profile.folded),
                r->totals->profile.series);
    screen_end_line (s);
}
