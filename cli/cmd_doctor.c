/* SPDX-License-Identifier: MIT
 *
 * cmd_doctor.c - `dftrace doctor`: is this site's installation as it should?
 *
 * In:  scontrol, plugstack.conf, dftrace.conf, the files they name; a job
 * Out: a line for each thing looked at, with what to do
 */
#include "config.h"

#include <pwd.h>

#include "lib/util/launch.h"
#include "cli/cmd.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/finding.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

const char *doctor_config_value (const struct doctor *d, const char *key)
{
    size_t n = strlen (key);

    for (const char *l = d->config; l; l = strchr (l, '\n')) {
        l += *l == '\n';
        if (strncmp (l, key, n) == 0 && (l[n] == ' ' || l[n] == '=')) {
            const char *value = l + n + strspn (l + n, " =");

            value = arena_copy (value, strcspn (value, "\n"));
            return *value && strcmp (value, "(null)") != 0 ? value : NULL;
        }
    }
    return NULL;
}

/* "SlurmUser = slurm(64030)", or "slurm" in slurm.conf; root where nothing is
 * said. */
static uid_t doctor_slurm_user (const struct doctor *d)
{
    const char *user = doctor_config_value (d, "SlurmUser");
    const char *open = user ? strchr (user, '(') : NULL;
    const struct passwd *who = user && !open ? getpwnam (user) : NULL;

    if (open)
        return (uid_t)strtoul (open + 1, NULL, 10);
    return who ? who->pw_uid : 0;
}

/* slurmctld does not answer: what slurm.conf says. */
static void doctor_read_config (struct doctor *d)
{
    const char *path = getenv ("SLURM_CONF");
    struct errtext err;
    size_t n;
    char *text;

    path = path && *path ? path : "/etc/slurm/slurm.conf";
    text = read_user_file (path, sizeof (d->config) - 1, &n, &err);
    d->config[0] = '\0';
    if (text)
        memcpy (d->config, text, n + 1);
    finding_note ("only this host is looked at, by %s", text ? path : err.text);
    free (text);
    d->slurm_uid = doctor_slurm_user (d);
}

/* 0; 1 where there is no scontrol; -1 where there is, and no answer. */
static int doctor_slurm (struct doctor *d)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    const char *version;
    int rc =
        capture (argv, DOCTOR_SLURM_SECONDS, d->config, sizeof (d->config));

    if (rc == EXIT_NOT_FOUND && d->here)
        finding_bad ("scontrol: not found: is Slurm in PATH?");
    if (rc == EXIT_NOT_FOUND)
        return 1;
    version = doctor_config_value (d, "SLURM_VERSION");
    if (rc != 0 || !version) {
        finding_bad ("scontrol show config: %.*s: does slurmctld answer?",
                     (int)strcspn (d->config, "\n"), d->config);
        return -1;
    }
    d->slurm_uid = doctor_slurm_user (d);
    finding_good ("Slurm %s answers, this is %s", version, PACKAGE_STRING);
    return 0;
}

/* Mappings of a traced process of this task, on standard input: one of them is
 * the trace. */
static void doctor_own_trace (void)
{
    char *line = NULL;
    size_t room = 0;

    while (getline (&line, &room, stdin) >= 0) {
        char *path = strchr (line, '/');
        size_t n = path ? strcspn (path, "\n") : 0;

        if (n > 4 && strncmp (path + n - 4, ".dft", 4) == 0) {
            path[n] = '\0';
            finding_fact ("trace", "%s", path);
            break;
        }
    }
    free (line);
}

static void doctor_here (struct doctor *d)
{
    static char host[256];
    const char *name = getenv ("SLURMD_NODENAME");

    if (name)
        FORMAT (host, "%s", name);
    else if (gethostname (host, sizeof (host) - 1) < 0)
        FORMAT (host, "?");
    host[strcspn (host, "\t\n")] = '\0';
    findings_of_host (host);
    doctor_own_trace ();
    if (doctor_slurm (d) != 0)
        return;
    doctor_files (d);
    if (!d->no_epilog)
        doctor_epilog (d);
}

/* Trace a program here, and read its trace. */
static void doctor_try (struct doctor *d)
{
    static const char script[] = "d=$(mktemp -d) && \"$0\" run -q -o \"$d/t\" "
                                 "-- /bin/sh -c 'echo x >\"$1\"' "
                                 "sh \"$d/x\" && \"$0\" analyze -q \"$d/t\"; "
                                 "rc=$?; rm -rf \"$d\"; exit $rc";
    char self[4096] = "";
    const char *const argv[] = {"/bin/sh", "-c", script, self, NULL};

    if (readlink ("/proc/self/exe", self, sizeof (self) - 1) < 0)
        finding_note ("/proc/self/exe: cannot be read: nothing is tried");
    else if (capture (argv, DOCTOR_SLURM_SECONDS, d->text, sizeof (d->text)) ==
             0)
        finding_good ("a program of this host is traced, its trace is read");
    else
        finding_bad ("dftrace run: %.*s", (int)strcspn (d->text, "\n"),
                     d->text);
}

static int run_doctor (struct doctor *d)
{
    int rc = doctor_slurm (d);

    if (rc > 0)
        finding_note ("no scontrol in PATH: this host is looked at without "
                      "Slurm, %s",
                      PACKAGE_STRING);
    if (rc < 0)
        doctor_read_config (d);
    if (rc <= 0)
        doctor_files (d);
    if (rc <= 0 && (rc < 0 || d->no_job) && !d->no_epilog)
        doctor_epilog (d);
    if (rc != 0)
        doctor_try (d);
    else if (!d->no_job && d->stack.path)
        doctor_nodes (d);
    else if (!d->no_job)
        finding_note ("no test job: mend the above first");
    return findings_bad () ? EXIT_FAILED : EXIT_OK;
}

static const struct verb_help help = {
    .usage = "dftrace doctor [OPTION…]",
    .summary = "Check the installation of a site, and say what is wrong.",
    .text =
        "Run this command as a user on a submit host. It asks Slurm for its "
        "configuration, and it checks plugstack.conf, dftrace.conf, plugin, "
        "preload library, command, the directory for traces and the state "
        "directory: do they exist, do they fit together, can a stranger "
        "change them?\n\n"
        "Then a traced job of two seconds checks the same on every free "
        "node (on a sample of 64 if there are more), compares versions and "
        "files between the nodes, and waits for the account of each node's "
        "epilog. The job writes where the jobs of this site write.\n\n"
        "Without Slurm (no scontrol in PATH, or no answer of slurmctld) it "
        "traces a program of this host and reads its trace; slurm.conf then "
        "says what else is looked at here.",
    .example =
        "  $ dftrace doctor\n  $ dftrace doctor --nodes 4 --partition gpu\n"
        "  $ dftrace doctor --no-job\n",
    .exits = "0  all is well\n1  something must be mended\n2  wrong words\n",
};

int cmd_doctor (int argc, char **argv)
{
    static struct doctor d = {.wait = 30};
    const struct opt options[] = {
        {"no-job", 0, OPT_FLAG, &d.no_job, NULL,
         "do not run the test job: look at this host only"},
        {"no-epilog", 0, OPT_FLAG, &d.no_epilog, NULL,
         "this site runs none, by choice"},
        {"nodes", 'N', OPT_INT, &d.nodes, "N",
         "nodes of the test job at most (all that are free, up to 64)"},
        {"wait", 0, OPT_INT, &d.wait, "SECONDS",
         "for the epilogs of the test job (30)"},
        {"partition", 0, OPT_TEXT, &d.partition, "NAME",
         "partition of the test job"},
        {"here", 0, OPT_FLAG, &d.here, NULL, NULL},
        {.name = NULL},
    };

    optparse_operands (options, &help, argc, argv);
    if (d.here) {
        doctor_here (&d);
        return EXIT_OK;
    }
    return run_doctor (&d);
}
