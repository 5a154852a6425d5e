/* SPDX-License-Identifier: MIT
 *
 * submit_side.c - options and environment of the user -> early complaint
 *
 * In:  the option (its callback has already refused a bad one), SLURM_DFTRACE
 * Out: one line to the user's standard error
 */
#include "config.h"

#include "lib/core/settings.h"
#include "spank/options.h"
#include "spank/submit_side.h"

int submit_side_check (void)
{
    struct errtext err;

    if (options_layers (NULL) != OPTION_UNSET)
        return 0;
    if (options_parse (OPTION_MIRROR, settings_environ (NULL, OPTION_MIRROR),
                       &err) != OPTION_BAD)
        return 0;
    slurm_error ("dftrace: %s", err.text);
    return -1;
}
