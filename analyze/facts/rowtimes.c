/* SPDX-License-Identifier: MIT
 *
 * rowtimes.c - times of processes -> when each row of the bill was, and in whom
 *
 * In:  packed times of all threads, lanes with their waits
 * Out: s->when, for the findings
 */
#include "config.h"

#include "analyze/facts/equals.h"
#include "lib/base/array.h"
#include "lib/model/metric.h"

/* Return the row that the times are of; BILL_COUNT: of none. Of other threads
 * it is what holds up their main thread. */
static enum bill rowtimes_row (const struct spans *x)
{
    if (x->main)
        return x->key.bill < BILL_NONE ? x->key.bill : BILL_COUNT;
    if (x->key.sets & 1u << SET_LOADER)
        return BILL_decode;
    return x->key.storage ? BILL_threads : BILL_COUNT;
}

static void rowtimes_widen (struct row_time *to, uint64_t from, uint64_t until)
{
    to->from = MIN (from, to->from);
    to->until = MAX (until, to->until);
}

/* Return the length of a log; *to is widened to it. A log that cannot be read
 * again counts with its length alone. */
static uint64_t rowtimes_add (struct row_time *to, const struct spanlog *log)
{
    if (spanlog_empty (log))
        return 0;
    spanlog_widen (log, &to->from, &to->until);
    return log->packed_length + intervals_length (&log->tail) +
           intervals_length (&log->late);
}

/* Keep those with most time, the first one with most. */
static void rowtimes_keep (struct row_time *to, size_t process, uint64_t ns)
{
    size_t at = to->processes < ROW_MOST ? to->processes : ROW_MOST - 1;

    if (to->processes++ >= ROW_MOST && to->most[at].ns >= ns)
        return;
    for (; at && to->most[at - 1].ns < ns; at--)
        to->most[at] = to->most[at - 1];
    to->most[at] = (struct row_part){process, ns};
}

/* What a lane has beside the times of its process: its start, and the waits
 * inside of its compute regions. */
static void rowtimes_add_lane (struct row_time when[BILL_COUNT],
                               uint64_t ns[BILL_COUNT],
                               const struct bill_lane *lane)
{
    for (int log = 0; log < RANKWAIT_LOGS; log++)
        ns[BILL_ranks] += rowtimes_add (&when[BILL_ranks], &lane->waits[log]);
    if (lane->step <= lane->start)
        return;
    rowtimes_widen (&when[BILL_start], lane->start, lane->step);
    ns[BILL_start] += lane->step - lane->start;
}

void rowtimes_make (struct summary *s, const struct totals *t)
{
    size_t lane = 0; /* of processes that train; they are in their order */

    for (int row = 0; row < BILL_COUNT; row++)
        s->when[row] = (struct row_time){.from = UINT64_MAX};
    for (size_t i = 0; i < t->processes; i++) {
        const struct process *p = &t->process[i];
        uint64_t ns[BILL_COUNT] = {0};

        for (const struct spans *x = p->spans; x; x = x->next) {
            enum bill row = rowtimes_row (x);

            if (row < BILL_COUNT)
                ns[row] += rowtimes_add (&s->when[row], &x->log);
        }
        if (lane < s->lanes && s->lane[lane].first == p)
            rowtimes_add_lane (s->when, ns, &s->lane[lane++]);
        for (int row = 0; row < BILL_COUNT; row++)
            if (ns[row])
                rowtimes_keep (&s->when[row], i, ns[row]);
    }
}
