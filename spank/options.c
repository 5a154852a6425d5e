/* SPDX-License-Identifier: MIT
 *
 * options.c - --dftrace=LAYER[,LAYER...][,KEY=VALUE...] -> one word
 *
 * In:  the option, from Slurm, in the order: inherited, #SBATCH, command line
 * Out: the last one, for submit_side.c and task_side.c
 * Caveat: a refusal on the remote side could drain a node, so a bad value
 *         is only remembered there.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "spank/options.h"
#include "spank/letter.h"

static struct {
    int given, bad;
    char text[SETTING_TEXT_MAX];
    struct errtext err;
} last;

struct plan_word options_word (void)
{
    struct plan_word word = {"--dftrace", last.given ? last.text : NULL,
                             last.bad ? last.err.text : NULL};

    return word;
}

/* Slurm calls this once for every place that says the option, and before
 * 24.05 twice for each. */
static int option_given (int val, const char *text, int remote)
{
    static struct tracespec scratch;

    (void)val;
    last.given = 1;
    last.bad = tracespec_parse (&scratch, text, &last.err) < 0;
    if (!last.bad) {
        (void)snprintf (last.text, sizeof (last.text), "%s", text);
        return 0;
    }
    last.text[0] = '\0';
    if (remote)
        return 0;
    say (SAY_ERROR, "--dftrace: %s", last.err.text);
    return -1;
}

void options_register (spank_t sp)
{
    static char usage[] =
        "[dftrace] trace the I/O of a job: posix, app, mmap, kernel, nobatch, "
        "strict; off";
    static char name[] = "dftrace";
    static char arginfo[] = "LAYER[,LAYER...][,KEY=VALUE...]";
    static struct spank_option option = {
        .name = name,
        .arginfo = arginfo,
        .usage = usage,
        .has_arg = 1,
        .val = 0,
        .cb = option_given,
    };

    last.given = last.bad = 0;
    if (spank_option_register (sp, &option) != ESPANK_SUCCESS)
        say (SAY_ERROR, "cannot register --dftrace: listed twice in "
                        "plugstack.conf?");
}
