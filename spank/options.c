/* SPDX-License-Identifier: MIT
 *
 * options.c - --dftrace=LAYER[,LAYER...] -> set of layers
 *
 * In:  the option, from Slurm, in the order: inherited, #SBATCH, command line
 * Out: the last one, for submit_side.c and task_side.c
 * Caveat: a refusal on the remote side could drain a node, so a bad value
 *         is only remembered there.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "lib/core/layers.h"
#include "spank/options.h"

static int given = OPTION_UNSET;
static struct errtext given_err;

static int is_unset (const char *text)
{
    return !text || !*text || strcmp (text, "(null)") == 0;
}

int options_parse (const char *name, const char *text, struct errtext *err)
{
    unsigned layers;
    struct errtext why;

    if (is_unset (text))
        return OPTION_UNSET;
    if (layers_parse (text, &layers, &why) < 0) {
        (void)errf (err, "%s: %s", name, why.text);
        return OPTION_BAD;
    }
    return (int)layers;
}

int options_layers (struct errtext *err)
{
    if (given == OPTION_BAD && err)
        *err = given_err;
    return given;
}

/* Slurm calls this once for every place that says the option. */
static int option_given (int val, const char *text, int remote)
{
    unsigned layers;
    struct errtext why;

    (void)val;
    if (layers_parse (text, &layers, &why) == 0) {
        given = (int)layers;
        return 0;
    }
    given = OPTION_BAD;
    (void)errf (&given_err, "--dftrace: %s", why.text);
    if (remote)
        return 0;
    slurm_error ("dftrace: %s", given_err.text);
    return -1;
}

void options_register (spank_t sp)
{
    static char usage[] =
        "[dftrace] trace the I/O of every task: posix, app, mmap, batch, "
        "strict; off";
    static char name[] = "dftrace";
    static char arginfo[] = "LAYER[,LAYER...]";
    static struct spank_option option = {
        .name = name,
        .arginfo = arginfo,
        .usage = usage,
        .has_arg = 1,
        .val = 0,
        .cb = option_given,
    };

    if (spank_option_register (sp, &option) != ESPANK_SUCCESS)
        slurm_error ("dftrace: cannot register --dftrace: listed twice in "
                     "plugstack.conf?");
}
