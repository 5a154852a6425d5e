/* SPDX-License-Identifier: MIT
 *
 * site.c - the site's settings in this process
 *
 * In:  the plugin's words in plugstack.conf, dftrace.conf
 * Out: struct site, one for the life of the process
 * Caveat: an unknown key is the admin's error, not the user's: slurmd says
 *         it once at its start, and jobs run with the default.
 */
#include "config.h"

#include "spank/say.h"
#include "spank/site.h"
#include "spank/spank_api.h"

static struct site site;

void site_start (int ac, char **av)
{
    site_load (&site, ac, av);
}

void site_complain (void)
{
    for (int i = 0; i < site.errors && i < SITE_ERRORS_MAX; i++)
        say (SAY_ERROR, "%s", site.error[i].text);
    if (site.errors > SITE_ERRORS_MAX)
        say (SAY_ERROR, "%d more of these", site.errors - SITE_ERRORS_MAX);
}

const struct site *site_now (void)
{
    return &site;
}
