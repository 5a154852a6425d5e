/* SPDX-License-Identifier: MIT
 *
 * options.h - what --dftrace said in this process
 */
#ifndef DFT_SPANK_OPTIONS_H
#define DFT_SPANK_OPTIONS_H

#include "lib/core/errtext.h"
#include "spank/spank_api.h"

/* The name under which Slurm exports a given option to job and steps. */
#define OPTION_ENVIRONMENT "SLURM_SPANK__SLURM_SPANK_OPTION_dftrace_dftrace"

/* The variable in which a user may say the same; its prefix lets it pass
 * `--export=NONE`. */
#define OPTION_MIRROR "SLURM_DFTRACE"

enum option_state {
    OPTION_UNSET = -1, /* nobody said anything */
    OPTION_BAD = -2    /* said, and not understood: err has the words */
};

/* Register --dftrace. Failures are logged; the option is then unknown. */
void options_register (spank_t sp);

/* Set of enum layer, or enum option_state. The last one said wins. */
int options_layers (struct errtext *err);

/* The same for the text of a variable: NULL, "" and "(null)" are unset. */
int options_parse (const char *name, const char *text, struct errtext *err);

#endif
