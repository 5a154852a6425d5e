/* SPDX-License-Identifier: MIT
 *
 * doctorepilog.c - will slurmd's Epilog finish a traced job?
 *
 * In:  Epilog of slurm.conf, the scripts it means, epilog.conf
 * Out: findings
 * Caveat: a user may be unable to read root's scripts; the test job's account
 *         of each node (doctornodes.c) is the proof.
 */
#include "config.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/finding.h"
#include "lib/util/fsutil.h"

enum { SCRIPT_MAX = 1024 * 1024 };

#define EPILOG_CONF DFT_SYSCONFDIR "/dftrace/epilog.conf"

/* What follows NAME= in text that sh would read, without quotes; malloc'd, or
 * NULL. The last one wins. */
static char *epilog_assigned (const char *text, const char *name)
{
    char *value = NULL;
    size_t n = strlen (name);

    for (const char *at = text; (at = strstr (at, name)); at += n) {
        const char *v = at + n;

        if (*v++ != '=' || (at > text && !strchr (" \t\n;'\"", at[-1])))
            continue;
        v += strspn (v, "'\"");
        if (*v == '$') /* a default, ${NAME:-…} */
            continue;
        free (value);
        value = strndup (v, strcspn (v, " \t\n;'\""));
    }
    return value;
}

/* Is it the command, of this version? */
static void epilog_command (struct doctor *d, const char *path)
{
    const char *argv[] = {path, "--version", NULL};

    if (access (path, X_OK) < 0)
        finding_bad ("epilog: %s: %s: no trace is merged: set DFTRACE_BIN in "
                     "epilog.conf",
                     path, strerror (errno));
    else if (capture (argv, DOCTOR_SLURM_SECONDS, d->text, sizeof (d->text)) !=
                 0 ||
             strncmp (d->text, PACKAGE_NAME, strlen (PACKAGE_NAME)) != 0)
        finding_bad ("epilog: %s: is not dftrace: set DFTRACE_BIN in "
                     "epilog.conf",
                     path);
    else
        doctor_trust (d, "command of the epilog", path);
}

/* The words of the line places='…' of the script, which is where it looks for
 * the command; malloc'd, or NULL. */
static char *epilog_places (const char *script)
{
    static const char name[] = "\nplaces='";
    const char *at = script ? strstr (script, name) : NULL;

    at = at ? at + sizeof (name) - 1 : NULL;
    return at ? strndup (at, strcspn (at, "'\n")) : NULL;
}

/* The first that can be run, as the script does. places is changed. */
static void epilog_program (struct doctor *d, const char *said, char *places)
{
    const char *last = said;
    char *save = NULL;

    if (said && access (said, X_OK) == 0) {
        epilog_command (d, said);
        return;
    }
    for (char *path = places ? strtok_r (places, " ", &save) : NULL; path;
         path = strtok_r (NULL, " ", &save)) {
        last = said ? said : path;
        if (access (path, X_OK) < 0)
            continue;
        if (said)
            finding_bad ("epilog: %s: cannot be run, %s is taken: mend "
                         "DFTRACE_BIN in epilog.conf",
                         said, path);
        epilog_command (d, path);
        return;
    }
    if (last)
        epilog_command (d, last);
    else
        finding_note ("the epilog script does not say where the command is: "
                      "only the test job can tell");
}

static void epilog_conf (struct doctor *d, const char *conf, char *places)
{
    const char *state = d->site.settings.state_dir;
    char *text = NULL, *bin = NULL, *dir = NULL;

    if (access (conf, F_OK) == 0) {
        doctor_trust (d, "epilog.conf", conf);
        text = read_user_file (conf, SCRIPT_MAX, NULL, NULL);
    } else {
        finding_fact ("epilog.conf", "%s: not there", conf);
    }
    if (text) {
        bin = epilog_assigned (text, "DFTRACE_BIN");
        dir = epilog_assigned (text, "DFTRACE_STATE_DIR");
    }
    if (strcmp (dir ? dir : SITE_STATE_DIR, state) != 0)
        finding_bad ("%s: DFTRACE_STATE_DIR is %s, the plugin's state_dir is "
                     "%s: the epilog finds no job: make them the same",
                     conf, dir ? dir : SITE_STATE_DIR, state);
    epilog_program (d, bin && *bin ? bin : NULL, places);
    free (bin);
    free (dir);
    free (text);
}

/* One that says nothing of the command ends no traced job. */
static void epilog_script (struct doctor *d, const char *path)
{
    const char *conf = getenv ("DFTRACE_EPILOG_CONF");
    char *text = read_user_file (path, SCRIPT_MAX, NULL, NULL), *said = NULL;
    char *places = epilog_places (text);
    char key[1024];

    (void)snprintf (key, sizeof (key), "epilog script %s", path);
    doctor_trust (d, key, path);
    if (text && (!strstr (text, "epilog") || !strstr (text, "dftrace"))) {
        finding_bad ("%s: does not run `dftrace epilog`: link 50-dftrace again",
                     path);
        free (text);
        free (places);
        return;
    }
    if (text)
        said = epilog_assigned (text, "DFTRACE_EPILOG_CONF");
    else
        finding_note ("%s: cannot be read: only the test job can tell", path);
    epilog_conf (d, said ? said : conf ? conf : EPILOG_CONF, places);
    free (said);
    free (places);
    free (text);
}

/* May we look into the directory of the pattern? */
static int epilog_visible (const char *pattern)
{
    char dir[4096], *slash;

    (void)snprintf (dir, sizeof (dir), "%s", pattern);
    slash = strrchr (dir, '/');
    if (slash)
        *slash = '\0';
    return access (*dir ? dir : "/", R_OK | X_OK) == 0 || errno == ENOENT;
}

void doctor_epilog (struct doctor *d)
{
    char pattern[4096];
    glob_t found;
    int ours = 0;

    if (!doctor_config_value (d, "Epilog", pattern, sizeof (pattern)) &&
        !doctor_config_value (d, "Epilog[0]", pattern, sizeof (pattern))) {
        finding_bad ("no Epilog in slurm.conf: nobody merges the traces: add "
                     "Epilog=/etc/slurm/epilog.d/*; a site that wants none "
                     "says --no-epilog");
        return;
    }
    if (glob (pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *path = found.gl_pathv[i];

            if (!strstr (strrchr (path, '/') ? strrchr (path, '/') : path,
                         "dftrace"))
                continue;
            ours++;
            if (access (path, X_OK) == 0)
                epilog_script (d, path);
            else
                finding_bad ("%s: %s: chmod a+x", path, strerror (errno));
        }
        globfree (&found);
    }
    if (ours)
        finding_good ("Epilog %s runs dftrace", pattern);
    else if (!epilog_visible (pattern))
        finding_note ("Epilog %s: its directory cannot be read: only the test "
                      "job can tell",
                      pattern);
    else
        finding_bad ("Epilog %s: no *dftrace*: link 50-dftrace there; a site "
                     "that wants none says --no-epilog",
                     pattern);
}
