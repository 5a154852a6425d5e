/* SPDX-License-Identifier: MIT
 *
 * splits.c - the numbers of a job whose threads are read in splits
 *
 *     splits DIR EVENTS
 *
 * In:  a job directory; how many events a split has at least
 * Out: metrics.json, sizes and strides of accesses on standard output
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyze/tables/results.h"
#include "analyze/tables/views.h"

static void pieces_view (const struct result *r, enum view view)
{
    struct textable *t = view_make (r, view, 0);

    if (t)
        (void)textable_print (t, stdout, TABLE_CSV);
    textable_destroy (t);
}

int main (int argc, char **argv)
{
    static const struct kind_rules rules;
    static struct summary s;
    struct joblist jobs = {0};
    struct totals t;
    struct errtext err = {""};
    struct result r = {NULL, &t, &s};

    if (argc != 3) {
        (void)fputs ("usage: splits DIR EVENTS\n", stderr);
        return 2;
    }
    pass_cut (strtoull (argv[2], NULL, 10));
    if (joblist_add (&jobs, argv[1], &err) < 0 ||
        job_open (&jobs.item[0], &err) < 0 ||
        totals_load (&t, &jobs.item[0], &rules, NULL, 0, &err) < 0 ||
        summary_make (&s, &t, &jobs.item[0], &err) < 0) {
        (void)fprintf (stderr, "splits: %s\n", err.text);
        return 1;
    }
    r.job = &jobs.item[0];
    results_json (&r, 1, stdout);
    pieces_view (&r, VIEW_accesssize);
    pieces_view (&r, VIEW_accessstride);
    summary_clear (&s);
    totals_clear (&t);
    joblist_clear (&jobs);
    return 0;
}
