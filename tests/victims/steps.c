/* SPDX-License-Identifier: MIT
 *
 * steps.c - every function of dftrace.h once, for t5000-steps.t
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "dftrace/dftrace.h"

static void *other_thread (void *unused)
{
    dftrace_region_t r = dftrace_begin ("thread", "work");

    (void)unused;
    dftrace_end (&r);
    return NULL;
}

static void arguments (void)
{
    dftrace_region_t r = dftrace_begin ("data", "item");

    dftrace_arg_int (&r, "image_idx", 7);
    dftrace_arg_double (&r, "half", 0.5);
    dftrace_arg_text (&r, "where", "here");
    dftrace_end (&r);
    dftrace_end (&r); /* nothing */
    r = dftrace_begin ("data", "broken");
    dftrace_end_failed (&r);
    dftrace_instant ("mark", "instant");
    dftrace_counter_int ("memory", "resident", 4096);
    dftrace_counter ("loss", "train", 0.25);
    dftrace_metadata ("model", "tiny");
}

static void contexts (void)
{
    dftrace_region_t outer = dftrace_begin ("pipeline", "train"), r, own;
    pthread_t t;

    dftrace_epoch (1);
    for (int step = 1; step <= 3; step++) {
        dftrace_step (step);
        r = dftrace_begin ("compute", "step");
        if (step == 3) {
            own = dftrace_begin ("compute", "own");
            dftrace_arg_int (&own, "step", 33);
            dftrace_end (&own);
            dftrace_step (4); /* r began in step 3 */
        }
        dftrace_end (&r);
    }
    if (pthread_create (&t, NULL, other_thread, NULL) == 0)
        (void)pthread_join (t, NULL);
    dftrace_context_end ("step");
    r = dftrace_begin ("compute", "after");
    dftrace_end (&r);
    dftrace_context ("third", 3);
    dftrace_context ("fourth", 4);
    dftrace_context ("fifth", 5); /* one too many */
    r = dftrace_begin ("compute", "full");
    dftrace_end (&r);
    dftrace_end (&outer); /* began before them all */
}

int main (void)
{
    errno = EDOM;
    arguments ();
    contexts ();
    if (errno != EDOM)
        return 1;
    (void)printf ("%s\n", dftrace_active && dftrace_active () ? "on" : "off");
    return 0;
}
