/* SPDX-License-Identifier: MIT
 *
 * site.h - the site's settings in this process
 */
#ifndef DFT_SPANK_SITE_H
#define DFT_SPANK_SITE_H

#include "lib/settings/site.h"

/* From the arguments of the plugin and the file. */
void site_start (int ac, char **av);

/* Log what was bad, for the admin. */
void site_complain (void);

/* Valid after site_start. */
const struct site *site_now (void);

#endif
