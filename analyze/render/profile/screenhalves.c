/* SPDX-License-Identifier: MIT
 *
 * screenhalves.c - what of a job is in a profile -> lines of the first screen
 */
#include "config.h"

#include "analyze/render/profile/screenhalves.h"

#include "lib/util/numwords.h"

/* How much is in events, how much in a profile, and where one ends. */
static void screen_put_halves (struct screen *s, const struct summary *sum)
{
    const struct profparts *p = &sum->halves;
    char words[WORDS_MAX];

    screen_add (s, "%s events in the trace",
                number_words (words, (double)p->events));
    if (p->both && !p->after && p->until > sum->start)
        screen_add (s, ", all to %.3f s",
                    (double)(p->until - sum->start) / 1e9);
    screen_add (s, "; %s in the profile%s",
                number_words (words, (double)p->calls),
                p->counted ? ", of other processes, too"
                : p->after ? ", of other times"
                           : " after that");
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
    char words[WORDS_MAX];

    screen_add (s, "the trace alone");
    if (p->both && !p->after && p->until > r->summary->start)
        screen_add (s, ", all to %.3f s",
                    (double)(p->until - r->summary->start) / 1e9);
    screen_add (s, "; %s calls more are in the profile",
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
