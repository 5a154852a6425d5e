/* SPDX-License-Identifier: MIT
 *
 * submit_side.c - options and environment of the user -> early complaint
 *
 * In:  the option (its callback has already refused a bad one), SLURM_DFTRACE
 * Out: one line to the user's standard error; of a job that is traced, the name
 *      of its batch script in the environment of the job
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/settings/settings.h"
#include "spank/options.h"
#include "spank/letter.h"
#include "spank/submit_side.h"

/* sbatch reads its command line last, up to the script's name: behind the
 * options. Slurm itself does not tell the node that name. */
static void submit_side_name_script (void)
{
    char words[SETTING_TEXT_MAX], *script = words, *end;
    int fd = open ("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read (fd, words, sizeof (words));
    struct stat st;

    if (fd >= 0)
        (void)close (fd);
    if (n <= 0)
        return;
    end = words + n;
    end[-1] = '\0'; /* also where the rest was cut off */
    for (int i = 0; i < optind && script < end; i++)
        script += strlen (script) + 1;
    if (script >= end || stat (script, &st) < 0 || !S_ISREG (st.st_mode))
        return;
    for (char *p = script; p < end - 1; p++)
        if (!*p)
            *p = ' ';
    (void)setenv (PLAN_SCRIPT, script, 1);
}

static int submit_side_is_sbatch (void)
{
    return strcmp (program_invocation_short_name, "sbatch") == 0;
}

int submit_side_check (void)
{
    static struct tracespec spec;
    const char *text = settings_environ (NULL, PLAN_MIRROR);
    struct errtext err;

    (void)unsetenv (PLAN_SCRIPT); /* of a job that this one is submitted from */
    if (submit_side_is_sbatch () &&
        (options_word ().text || !plan_is_unset (text)))
        submit_side_name_script ();
    if (options_word ().text || plan_is_unset (text) ||
        tracespec_parse (&spec, text, &err) == 0)
        return 0;
    say (SAY_ERROR, "" PLAN_MIRROR ": %s", err.text);
    return -1;
}
