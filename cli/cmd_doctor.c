/* SPDX-License-Identifier: MIT
 *
 * cmd_doctor.c - `dftrace doctor`: is this site's installation as it should?
 *
 * In:  scontrol, plugstack.conf, dftrace.conf, the files they name; a job
 * Out: a line for each thing looked at, with what to do
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/capture.h"
#include "cli/cmd.h"
#include "cli/finding.h"
#include "cli/plugstack.h"
#include "lib/core/settings/site.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

enum { TEXT_MAX = 64 * 1024, SLURM_SECONDS = 20, JOB_SECONDS = 120 };

struct doctor {
    int no_job, nodes;
    const char *partition;
    char config[TEXT_MAX], text[TEXT_MAX];
    struct plugstack stack;
    struct site site;
};

/* -- Slurm -------------------------------------------------------------- */

/* Value of "Key   = value" in the output of scontrol, into buf; NULL. */
static const char *doctor_config_value (const struct doctor *d,
                                        const char *key,
                                        char *buf,
                                        size_t size)
{
    size_t n = strlen (key);

    for (const char *l = d->config; l; l = strchr (l, '\n')) {
        l += *l == '\n';
        if (strncmp (l, key, n) == 0 && (l[n] == ' ' || l[n] == '=')) {
            l += n + strspn (l + n, " =");
            (void)snprintf (buf, size, "%.*s", (int)strcspn (l, "\n"), l);
            return *buf && strcmp (buf, "(null)") != 0 ? buf : NULL;
        }
    }
    return NULL;
}

static int check_slurm (struct doctor *d)
{
    static const char *const argv[] = {"scontrol", "show", "config", NULL};
    char version[64];
    int rc = capture (argv, SLURM_SECONDS, d->config, sizeof (d->config));

    if (rc == EXIT_NOT_FOUND) {
        finding_bad ("scontrol: not found: is Slurm in PATH?");
        return -1;
    }
    if (rc != 0 ||
        !doctor_config_value (d, "SLURM_VERSION", version, sizeof (version))) {
        finding_bad ("scontrol show config: %.*s: does slurmctld answer?",
                     (int)strcspn (d->config, "\n"), d->config);
        return -1;
    }
    finding_good ("Slurm %s answers, this is %s", version, PACKAGE_STRING);
    return 0;
}

static void check_plugstack (struct doctor *d)
{
    char file[4096];

    if (!doctor_config_value (d, "PlugStackConfig", file, sizeof (file)))
        (void)snprintf (file, sizeof (file), "/etc/slurm/plugstack.conf");
    plugstack_read (&d->stack, file);
    if (!d->stack.readable) {
        finding_bad ("%s: cannot be read: make it, with the line of "
                     "plugstack.conf.d/dftrace.conf.example",
                     file);
        return;
    }
    if (!d->stack.lines) {
        finding_bad ("%s: no line names dftrace.so: link "
                     "plugstack.conf.d/dftrace.conf.example "
                     "into its include directory",
                     file);
        return;
    }
    finding_good ("%s names the plugin: %s", d->stack.file, d->stack.path);
    if (d->stack.lines > 1)
        finding_bad ("%d lines name dftrace.so: keep one", d->stack.lines);
    if (d->stack.required)
        finding_note ("the plugin is `required`: `optional` cannot stop a job");
}

static void check_plugin (struct doctor *d)
{
    static const char *const argv[] = {"sbatch", "--help", NULL};
    char dir[4096], path[8192];

    if (!d->stack.path)
        return;
    (void)snprintf (path, sizeof (path), "%s", d->stack.path);
    if (d->stack.path[0] != '/' &&
        doctor_config_value (d, "PluginDir", dir, sizeof (dir)))
        (void)snprintf (path, sizeof (path), "%.*s/%s", (int)strcspn (dir, ":"),
                        dir, d->stack.path);
    if (access (path, R_OK) < 0) {
        finding_bad (
            "%s: %s: install the plugin or remove the line: every sbatch "
            "complains",
            path, strerror (errno));
        return;
    }
    if (capture (argv, SLURM_SECONDS, d->text, sizeof (d->text)) != 0 ||
        !strstr (d->text, "--dftrace"))
        finding_bad (
            "sbatch --help has no --dftrace: was %s built for this Slurm? "
            "see `sbatch --help 2>&1 | head`",
            path);
    else
        finding_good ("sbatch has the option --dftrace");
}

/* -- the site ----------------------------------------------------------- */

static void check_site (struct doctor *d)
{
    site_load (&d->site, d->stack.words, d->stack.word);
    for (int i = 0; i < d->site.errors && i < SITE_ERRORS_MAX; i++)
        finding_bad ("%s", d->site.error[i].text);
    if (!d->site.errors && d->site.read)
        finding_good ("%s: %d rules",
                      d->site.conf[0] ? d->site.conf : SITE_CONF,
                      d->site.rules);
    else if (!d->site.errors)
        finding_note ("no %s: defaults hold", SITE_CONF);
}

static void doctor_check_library (struct doctor *d)
{
    const char *path = d->site.settings.preload;
    char magic[4] = "";
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0 || read (fd, magic, 4) != 4 ||
        memcmp (magic, "\177ELF", 4) != 0)
        finding_bad ("%s: no preload library: install it at this path on every "
                     "node, or set preload=",
                     path);
    else if (!(st.st_mode & S_IROTH))
        finding_bad ("%s: not readable by users: chmod a+r", path);
    else
        finding_good ("preload library %s", path);
    if (fd >= 0)
        (void)close (fd);
    if (access (d->site.command, X_OK) < 0)
        finding_note (
            "%s: %s: shards staged in a private /tmp would be lost: set "
            "command=",
            d->site.command, strerror (errno));
}

/* The nearest directory above path that is there. */
static void check_log_root (struct doctor *d)
{
    const struct passwd *pw = getpwuid (getuid ());
    const struct jobinfo job = {.job_id = 1,
                                .array_task_id = -1,
                                .job_name = "doctor",
                                .user = pw ? pw->pw_name : "nobody",
                                .home = pw ? pw->pw_dir : "/",
                                .workdir = "/"};
    const char *root = d->site.settings.log_root;
    char path[SETTING_TEXT_MAX];
    struct errtext err;

    if (!*root) {
        finding_good ("traces go to the job's working directory, dftrace/");
        return;
    }
    if (jobdir_expand ("log_root", root, &job, path, &err) < 0) {
        finding_bad ("%s", err.text);
        return;
    }
    for (char *slash; access (path, F_OK) < 0 && (slash = strrchr (path, '/'));)
        *slash = '\0';
    if (access (*path ? path : "/", W_OK) < 0)
        finding_bad (
            "log_root %s: %s: %s for %s: make it, mode 1777, or one for "
            "each user",
            root, *path ? path : "/", strerror (errno), job.user);
    else
        finding_good ("log_root %s: %s can write %s", root, job.user, path);
}

static void check_state_dir (struct doctor *d)
{
    const char *dir = d->site.settings.state_dir;
    struct stat st;

    if (lstat (dir, &st) < 0)
        finding_good ("%s: not there yet: the first traced job makes it", dir);
    else if (!S_ISDIR (st.st_mode) || st.st_uid != 0 || st.st_mode & 022)
        finding_bad (
            "%s: must be root's directory, mode 0755: the epilog ignores "
            "it otherwise",
            dir);
    else
        finding_good ("state_dir %s is root's", dir);
}

static void check_epilog (struct doctor *d)
{
    char pattern[4096];
    glob_t found;
    int ours = 0;

    if (!doctor_config_value (d, "Epilog", pattern, sizeof (pattern)) &&
        !doctor_config_value (d, "Epilog[0]", pattern, sizeof (pattern))) {
        finding_note (
            "no Epilog in slurm.conf: users run `dftrace analyze DIR` "
            "themselves");
        return;
    }
    if (glob (pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            ours += strstr (found.gl_pathv[i], "dftrace") != NULL &&
                    access (found.gl_pathv[i], X_OK) == 0;
        globfree (&found);
    }
    if (ours)
        finding_good ("Epilog %s runs dftrace", pattern);
    else
        finding_note (
            "Epilog %s: no executable *dftrace*: link 50-dftrace there, or "
            "users run `dftrace analyze DIR` themselves",
            pattern);
}

/* -- a job -------------------------------------------------------------- */

static int count_matches (const char *pattern)
{
    glob_t found;
    int n = glob (pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;

    globfree (&found);
    return n;
}

/* In the working directory, which jobs share with us if anything is shared. */
static void check_job (struct doctor *d)
{
    char cwd[2048], nodes[32], option[4096], pattern[4096];
    char partition[256];
    const char *argv[] = {"srun",
                          nodes,
                          "--ntasks-per-node=1",
                          "--time=1",
                          "--job-name=dftrace-doctor",
                          option,
                          "/bin/cat",
                          "/etc/hostname",
                          NULL,
                          NULL};

    if (!getcwd (cwd, sizeof (cwd)))
        return;
    (void)snprintf (nodes, sizeof (nodes), "--nodes=%d", d->nodes);
    (void)snprintf (option, sizeof (option),
                    "--dftrace=posix,exclude=/none,dir=%s/dftrace-doctor.%d",
                    cwd, (int)getpid ());
    if (d->partition) {
        (void)snprintf (partition, sizeof (partition), "--partition=%s",
                        d->partition);
        memmove (argv + 2, argv + 1, 7 * sizeof (*argv));
        argv[1] = partition;
    }
    if (capture (argv, JOB_SECONDS, d->text, sizeof (d->text)) != 0) {
        finding_bad ("test job: %.*s", (int)strcspn (d->text, "\n"), d->text);
        return;
    }
    (void)snprintf (pattern, sizeof (pattern),
                    "%s/dftrace-doctor.%d/shards/*.dft", cwd, (int)getpid ());
    if (count_matches (pattern) < d->nodes)
        finding_bad ("test job: %d of %d nodes wrote a trace: %s",
                     count_matches (pattern), d->nodes,
                     strstr (d->text, "dftrace:")
                         ? strstr (d->text, "dftrace:")
                         : "is this directory shared?");
    else
        finding_good ("test job: %d node%s traced it: %s/dftrace-doctor.%d",
                      d->nodes, d->nodes == 1 ? "" : "s", cwd, (int)getpid ());
}

/* -- the story ---------------------------------------------------------- */

static int run_doctor (struct doctor *d)
{
    if (check_slurm (d) < 0)
        return EXIT_FAILED;
    check_plugstack (d);
    check_plugin (d);
    check_site (d);
    doctor_check_library (d);
    check_log_root (d);
    check_state_dir (d);
    check_epilog (d);
    if (!d->no_job && !findings_bad ())
        check_job (d);
    else if (!d->no_job)
        finding_note ("no test job: mend the above first");
    return findings_bad () ? EXIT_FAILED : EXIT_OK;
}

static const struct verb_help help = {
    .usage = "dftrace doctor [OPTION…]",
    .summary = "Look at this site's installation and say what is wrong.",
    .text = "Asks Slurm for its configuration, reads plugstack.conf and "
            "dftrace.conf, looks for\nplugin, preload library, log root, state "
            "directory and epilog, and traces a job of\ntwo seconds in the "
            "working directory. Run it on a submit host as a user.",
    .example = "  $ dftrace doctor --nodes 4\n  $ dftrace doctor --no-job\n",
    .exits = "0  all is well\n1  something must be mended\n2  wrong words\n",
};

int cmd_doctor (int argc, char **argv)
{
    static struct doctor d = {.nodes = 1};
    static const struct opt options[] = {
        {"no-job", 0, OPT_FLAG, &d.no_job, NULL, "do not run the test job"},
        {"nodes", 'N', OPT_INT, &d.nodes, "N", "nodes of the test job (1)"},
        {"partition", 'p', OPT_TEXT, &d.partition, "NAME",
         "partition of the test job"},
        {.name = NULL},
    };
    struct errtext err;
    int first;

    switch (optparse (options, &help, argc, argv, 0, &first, &err)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        log_error ("%s", err.text);
        return EXIT_USAGE;
    case OPTPARSE_OK:
        break;
    }
    return run_doctor (&d);
}
