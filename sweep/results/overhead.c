/* SPDX-License-Identifier: MIT
 *
 * overhead.c - the tracing overhead, with an interval
 *
 * Caveat: of the whole run as bash saw it, from its first command to the end
 *      of its last: what a run spends before its program starts is in both.
 */
#include "config.h"

#include <math.h>

#include "sweep/results/overhead.h"

static const struct run_report *
overhead_control_of (const struct sweep_report *r, const struct run_report *x)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->run[i].run.control && r->run[i].run.point == x->run.point &&
            r->run[i].run.repeat == x->run.repeat)
            return &r->run[i];
    return NULL;
}

static double overhead_elapsed (const struct run_report *x)
{
    return x->status.end - x->status.start;
}

static int has_controls (const struct sweep_report *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->run[i].run.control)
            return 1;
    return 0;
}

struct statistics overhead_of (const struct sweep_report *r)
{
    struct statistics s = {.n = 0};
    int controls = has_controls (r);

    for (size_t i = 0; controls && i < r->count; i++) {
        const struct run_report *x = &r->run[i], *control;

        if (x->run.control || x->outcome != OUTCOME_DONE)
            continue;
        control = overhead_control_of (r, x);
        if (control && control->outcome == OUTCOME_DONE &&
            overhead_elapsed (control) > 0 && overhead_elapsed (x) > 0)
            statistics_add (
                &s, log (overhead_elapsed (x) / overhead_elapsed (control)));
    }
    statistics_end (&s);
    return s;
}

void overhead_print (FILE *out,
                     const struct sweepdir *d,
                     const struct sweep_report *r)
{
    struct statistics s;

    if (!d->spec->control.wanted)
        return;
    s = overhead_of (r);
    if (!s.n)
        fprintf (out, "tracing costs: not known yet (no pair is done)\n");
    else if (s.n == 1)
        fprintf (out, "tracing costs %+.1f %% of the time (1 pair)\n",
                 expm1 (s.mean) * 100);
    else
        fprintf (out,
                 "tracing costs %+.1f %% of the time, 95 %% interval "
                 "[%+.1f, %+.1f] (%zu pairs)\n",
                 expm1 (s.mean) * 100,
                 expm1 (s.mean - statistics_half (&s)) * 100,
                 expm1 (s.mean + statistics_half (&s)) * 100, s.n);
}

void overhead_json (struct json *j, const struct sweep_report *r)
{
    struct statistics s = overhead_of (r);

    if (!s.n) {
        json_null (j, "tracing_overhead");
        return;
    }
    json_open (j, "tracing_overhead", '{');
    json_uint (j, "pairs", s.n);
    json_double (j, "mean", expm1 (s.mean));
    json_double (j, "low", expm1 (s.mean - statistics_half (&s)));
    json_double (j, "high", expm1 (s.mean + statistics_half (&s)));
    json_close (j, '}');
}
