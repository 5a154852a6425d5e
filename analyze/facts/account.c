/* SPDX-License-Identifier: MIT
 *
 * account.c - processes of a job -> those that were not traced
 *
 * In:  the list of untraced.h; processes of the job, from load.c; what these
 *      counted; what the kernel counted
 * Out: facts of struct summary
 */
#include "config.h"

#include "analyze/facts/summary.h"
#include "analyze/trace/untraced.h"

static void account_see (struct untraced *u, const struct process *p)
{
    const struct untraced_seen seen = {.host = p->who->text[SHARD_STRING_HOST],
                                       .exe = p->who->text[SHARD_STRING_EXE],
                                       .pid = p->who->p.pid,
                                       .start = p->who->p.start_real,
                                       .end = p->end,
                                       .exec = p->ending == ENDING_EXEC};

    untracedlist_seen (u, &seen);
}

/* A process that counted others may have had no room for their lines, and one
 * that left a line may have left no count. */
int summary_account (struct summary *s,
                     const struct totals *t,
                     const struct job *job)
{
    struct untraced *u = &s->gone;

    untracedlist_clear (u);
    if (untraced_load (u, job->dir) < 0)
        return -1;
    for (size_t i = 0; u->count && i < t->processes; i++)
        account_see (u, &t->process[i]);
    untracedlist_see_quiet (u, job->dir);
    untracedlist_settle (u);
    s->untraced_more =
        s->untraced_counted > u->lines ? s->untraced_counted - u->lines : 0;
    s->untraced = untracedlist_sum (u) + s->untraced_more;
    s->untraced_wanted = untracedlist_wishes (u);
    return coverage_make (&s->coverage, job, t, u);
}

uint64_t summary_missing (const struct summary *s)
{
    uint64_t missing = s->untraced - s->untraced_wanted;

    return missing ? missing : (uint64_t)(s->gone.cut != 0);
}

int summary_complete (const struct summary *s)
{
    return s->damaged == 0 && s->stages == 0 && !summary_missing (s);
}

char *
summary_words (const struct summary *s, char text[SUMMARY_WORDS], int places)
{
    return untracedlist_words (&s->gone, s->untraced_more, text, SUMMARY_WORDS,
                               places);
}
