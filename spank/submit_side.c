/* SPDX-License-Identifier: MIT
 *
 * submit_side.c - options and environment of the user -> early complaint
 *
 * In:  the option (its callback has already refused a bad one), SLURM_DFTRACE
 * Out: one line to the user's standard error
 */
#include "config.h"

#include "lib/settings/settings.h"
#include "spank/options.h"
#include "spank/say.h"
#include "spank/submit_side.h"

int submit_side_check (void)
{
    static struct tracespec spec;
    const char *text = settings_environ (NULL, PLAN_MIRROR);
    struct errtext err;

    if (options_word ().text || plan_is_unset (text) ||
        tracespec_parse (&spec, text, &err) == 0)
        return 0;
    say (SAY_ERROR, "" PLAN_MIRROR ": %s", err.text);
    return -1;
}
