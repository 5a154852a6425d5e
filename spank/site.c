/* SPDX-License-Identifier: MIT
 *
 * site.c - plugstack.conf arguments -> default settings
 *
 * In:  key=value words
 * Out: struct settings that users override
 * Caveat: an unknown key is the admin's error, not the user's: slurmd says
 *         it once at its start, and jobs run with the default.
 */
#include "config.h"

#include <string.h>

#include "spank/site.h"
#include "spank/spank_api.h"

enum { SITE_ERRORS_MAX = 4 };

static struct settings site;
static struct errtext errors[SITE_ERRORS_MAX];
static int nerrors;

static void site_default (const char *name, char *value, const char *fallback)
{
    if (!*value)
        (void)settings_set (&site, name, fallback, NULL);
}

void site_load (int ac, char **av)
{
    settings_init (&site);
    nerrors = 0;
    for (int i = 0; i < ac; i++) {
        if (settings_set_key (&site, av[i], &errors[nerrors]) < 0 &&
            nerrors + 1 < SITE_ERRORS_MAX)
            nerrors++;
    }
    site_default ("preload", site.preload, DFT_LIBDIR "/libdftrace_preload.so");
    site_default ("python", site.python, DFT_LIBDIR "/python");
    site_default ("state_dir", site.state_dir, "/run/dftrace");
}

void site_complain (void)
{
    for (int i = 0; i < nerrors; i++)
        slurm_error ("dftrace: plugstack.conf: %s", errors[i].text);
}

const struct settings *site_settings (void)
{
    return &site;
}
