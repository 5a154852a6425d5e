/* SPDX-License-Identifier: MIT
 *
 * site.h - the site's settings: key=value on the plugstack.conf line
 */
#ifndef DFT_SPANK_SITE_H
#define DFT_SPANK_SITE_H

#include "lib/core/settings.h"

/* Defaults, then the arguments of the plugin. A bad one is remembered and
 * left at its default. */
void site_load (int ac, char **av);

/* Log what was bad, for the admin. */
void site_complain (void);

/* Valid after site_load; preload and state_dir are never empty. */
const struct settings *site_settings (void);

#endif
