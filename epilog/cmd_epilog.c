/* SPDX-License-Identifier: MIT
 *
 * cmd_epilog.c - the end of a job on one node: gather, merge, analyze
 *
 * In:  SLURM_JOB_ID, SLURMD_NODENAME; root's marker of the job
 * Out: node.HOST.json; on the last node, what merge and analyze make
 * Caveat: a status other than 0 would drain the node, so there is none. All
 *         that touches the user's files is done as the user, in a process
 *         group that is killed when the time is over.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "epilog/become.h"
#include "epilog/claim.h"
#include "epilog/cmd_epilog.h"
#include "epilog/node.h"
#include "lib/core/jobdir.h"
#include "lib/core/marker.h"
#include "lib/core/parse.h"
#include "lib/core/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"

enum {
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
    POLL_MS = 20,         /* how late we may notice that all is done */
    CPU_SECONDS_SPARE = 2 /* the clock on the wall should end it first */
};

struct epilog {
    struct settings settings; /* state_dir */
    uint32_t job_id;
    char host[JOBDIR_NAME_MAX];
    struct marker marker;
};

/* -- as the user ------------------------------------------------------- */

static void log_to (const char *dir, const char *host)
{
    char *path = text_format ("%s/epilog.%s.log", dir, host);
    int fd = path ? open (path,
                          O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW |
                              O_NONBLOCK | O_CLOEXEC,
                          0600)
                  : -1;

    if (fd >= 0) {
        (void)dup2 (fd, STDOUT_FILENO);
        (void)dup2 (fd, STDERR_FILENO);
        (void)close (fd);
    }
    free (path);
}

static void drop_empty_log (const char *dir, const char *host)
{
    char *path = text_format ("%s/epilog.%s.log", dir, host);
    struct stat st;

    if (path && lstat (path, &st) == 0 && st.st_size == 0)
        (void)unlink (path);
    free (path);
}

/* `dftrace VERB --quiet DIR`, as this same program; exit status, or -1. */
static int run_verb (const char *verb, const char *dir)
{
    const char *argv[] = {"dftrace", verb, "--quiet", dir, NULL};
    int status;
    pid_t pid = fork ();

    if (pid == 0) {
        (void)execv ("/proc/self/exe", (char *const *)argv);
        _exit (EXIT_NOT_FOUND);
    }
    while (pid > 0 && waitpid (pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return pid > 0 && WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static void check_status (const char *dir, const char *verb, int status)
{
    if (status != EXIT_OK && status != EXIT_DAMAGED)
        log_error ("%s: %s ended with status %d: run `dftrace %s %s`", dir,
                   verb, status, verb, dir);
}

/* The node that comes last does the work of all. */
static void finish_job (const char *dir, const char *host)
{
    struct errtext err;
    int rc = node_all_done (dir, &err);

    if (rc == 1)
        rc = claim_take (dir, host, &err);
    if (rc < 0)
        log_error ("%s", err.text);
    if (rc != 1)
        return;
    if (!node_is_analyzed (dir)) {
        check_status (dir, "merge", run_verb ("merge", dir));
        check_status (dir, "analyze", run_verb ("analyze", dir));
    }
    claim_release (dir);
}

static void finish_directory (const char *dir, const char *host)
{
    struct errtext err;
    struct stat st;

    if (lstat (dir, &st) < 0 || !S_ISDIR (st.st_mode) ||
        st.st_uid != geteuid ())
        return; /* the plugin refused it, or did not get as far */
    log_to (dir, host);
    if (node_write (dir, host, &err) < 0)
        log_error ("%s", err.text);
    else
        finish_job (dir, host);
    drop_empty_log (dir, host);
}

static int user_main (const struct epilog *e)
{
    unsigned long seconds = (unsigned long)(e->marker.limit_ms / MS_PER_S);
    struct errtext err;

    if (become_user (e->marker.uid, e->marker.gid, e->host,
                     seconds * (unsigned long)sysconf (_SC_NPROCESSORS_ONLN) +
                         CPU_SECONDS_SPARE,
                     &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < e->marker.count; i++)
        finish_directory (e->marker.dir[i], e->host);
    return EXIT_OK;
}

/* -- as root ----------------------------------------------------------- */

static uint64_t now_ms (void)
{
    struct timespec now;

    (void)clock_gettime (CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * MS_PER_S + (uint64_t)now.tv_nsec / NS_PER_MS;
}

/* Wait for the child; when its time is over, end it and all it started. */
static void wait_or_kill (pid_t pid, uint64_t timeout_ms)
{
    const struct timespec pause = {0, POLL_MS * NS_PER_MS};
    uint64_t end = now_ms () + timeout_ms;
    pid_t rc;

    while ((rc = waitpid (pid, NULL, WNOHANG)) == 0 && now_ms () < end)
        (void)nanosleep (&pause, NULL);
    (void)kill (-pid, SIGKILL);
    if (rc == 0) {
        (void)waitpid (pid, NULL, 0);
        log_warn ("epilog: %llu ms are over: run `dftrace analyze` on the job "
                  "directory",
                  (unsigned long long)timeout_ms);
    }
}

static void run_as_user (const struct epilog *e)
{
    pid_t pid;

    (void)fflush (NULL);
    pid = fork ();
    if (pid < 0) {
        log_error ("epilog: fork: %s", strerror (errno));
        return;
    }
    if (pid == 0) {
        (void)setpgid (0, 0);
        _exit (user_main (e));
    }
    (void)setpgid (pid, pid);
    wait_or_kill (pid, e->marker.limit_ms);
}

/* slurmd may start us with closed descriptors; a file of ours must not become
 * standard output. */
static int open_standard_files (void)
{
    int fd;

    do
        fd = open ("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        (void)close (fd);
    return fd < 0 ? -1 : 0;
}

static int read_settings (struct epilog *e, struct errtext *err)
{
    settings_init (&e->settings);
    if (settings_from_env (&e->settings, err) < 0)
        return -1;
    if (!e->settings.state_dir[0])
        (void)settings_set (&e->settings, "state_dir", "/run/dftrace", NULL);
    return 0;
}

static int read_job (struct epilog *e, struct errtext *err)
{
    const char *id = settings_environ (NULL, "SLURM_JOB_ID");
    uint64_t n;

    if (!id || parse_u64 (id, &n) < 0 || n > UINT32_MAX)
        return errf (err, "SLURM_JOB_ID: not set: this is started by slurmd");
    e->job_id = (uint32_t)n;
    (void)jobdir_host (settings_environ (NULL, "SLURMD_NODENAME"), e->host);
    return 0;
}

static void run_epilog (struct epilog *e)
{
    struct errtext err;

    if (read_settings (e, &err) < 0 || read_job (e, &err) < 0) {
        log_error ("epilog: %s", err.text);
        return;
    }
    if (marker_read (e->settings.state_dir, e->job_id, e->host, &e->marker,
                     &err) < 0) {
        if (errno != ENOENT)
            log_error ("epilog: %s", err.text);
        return;
    }
    if (e->marker.count)
        run_as_user (e);
    (void)marker_remove (e->settings.state_dir, e->job_id, e->host);
    marker_free (&e->marker);
}

static const struct verb_help help = {
    .usage = "dftrace epilog",
    .summary = "end of a traced job on one node: gather, merge, analyze",
    .text = "Started by slurmd through etc/epilog.d/90-dftrace, as root. Reads "
            "the marker\nthat the plugin left in DFTRACE_STATE_DIR for "
            "SLURM_JOB_ID, becomes the user,\nwrites node.HOST.json and, on "
            "the last node of the job, merges and analyzes.\nTakes at most "
            "epilog_timeout\nof the plugstack.conf line (20s).",
    .example = "  # SLURM_JOB_ID=4711 SLURMD_NODENAME=n1 dftrace epilog",
    .exits = "0  always: any other status would drain the node",
};

int cmd_epilog (int argc, char **argv)
{
    static const struct opt options[] = {{.name = NULL}};
    static struct epilog epilog;
    struct errtext err;
    int first;

    if (open_standard_files () < 0)
        return EXIT_OK;
    switch (optparse (options, &help, argc, argv, 0, &first, &err)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        log_error ("epilog: %s", err.text);
        return EXIT_OK;
    case OPTPARSE_OK:
        run_epilog (&epilog);
    }
    return EXIT_OK;
}
