/* SPDX-License-Identifier: MIT
 *
 * doctorfiles.c - files of this host: do they work, can strangers change them
 *
 * In:  plugstack.conf, dftrace.conf, the files they name
 * Out: findings
 */
#include "config.h"

#include <glob.h>
#include <pwd.h>
#include <sys/statvfs.h>
#include <zlib.h>

#include "lib/util/launch.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/finding.h"
#include "lib/settings/jobdir.h"
#include "lib/settings/preloads.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"

enum { FULL_PERCENT = 1, FULL_MIB = 64, MIB_SHIFT = 20 };

/* The words of our line; the rest of the file is the site's business. */
static void files_line (const struct doctor *d)
{
    const char *words = "";

    for (int i = 0; i < d->stack.words; i++)
        words = arena_format ("%s %s", words, d->stack.word[i]);
    finding_fact ("line of plugstack.conf", "%s%s", d->stack.path, words);
}

static void files_plugstack (struct doctor *d)
{
    const char *file = doctor_config_value (d, "PlugStackConfig")
                           ?: "/etc/slurm/plugstack.conf";

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
    doctor_trust (d, NULL, file);
    if (strcmp (d->stack.file, file) != 0)
        doctor_trust (d, NULL, d->stack.file);
    files_line (d);
    if (d->stack.lines > 1)
        finding_bad ("%d lines name dftrace.so: keep one", d->stack.lines);
    if (d->stack.required)
        finding_bad ("%s: the plugin is `required`: a node that lacks the file "
                     "fails every job and drains: write `optional`",
                     d->stack.file);
}

static void files_plugin (struct doctor *d)
{
    static const char *const argv[] = {"sbatch", "--help", NULL};
    const char *path = d->stack.path, *dir;

    if (!path)
        return;
    if (path[0] != '/') {
        dir = doctor_config_value (d, "PluginDir");
        if (!dir)
            return; /* slurm.conf does not say where */
        path = arena_format ("%.*s/%s", (int)strcspn (dir, ":"), dir, path);
    }
    if (access (path, R_OK) < 0) {
        finding_bad (
            "%s: %s: install the plugin or remove the line: every sbatch "
            "complains",
            path, strerror (errno));
        return;
    }
    doctor_trust (d, "plugin", path);
    if (d->here) /* the task was started by it */
        return;
    if (capture (argv, DOCTOR_SLURM_SECONDS, d->text, sizeof (d->text)) != 0 ||
        !strstr (d->text, "--dftrace"))
        finding_bad (
            "sbatch --help has no --dftrace: was %s built for this Slurm? "
            "see `sbatch --help 2>&1 | head`",
            path);
    else
        finding_good ("sbatch has the option --dftrace");
}

static void files_site (struct doctor *d)
{
    const char *conf;

    site_load (&d->site, d->stack.words, d->stack.word);
    conf = d->site.conf[0] ? d->site.conf : SITE_CONF;
    for (int i = 0; i < d->site.errors && i < SITE_ERRORS_MAX; i++)
        finding_bad ("%s", d->site.error[i].text);
    if (d->site.read)
        doctor_trust (d, "dftrace.conf", conf);
    else
        finding_fact ("dftrace.conf", "%s: not there", conf);
    if (!d->site.errors && d->site.read)
        finding_good ("%s: %d rules", conf, d->site.rules);
    else if (!d->site.errors)
        finding_note ("no %s: defaults hold", SITE_CONF);
}

static void files_library (struct doctor *d)
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
    else if (preloads_is_noexec (fd))
        finding_bad ("%s: its file system is mounted with noexec, so no "
                     "program can load it: install it elsewhere and set "
                     "preload=",
                     path);
    else
        finding_good ("preload library %s", path);
    if (fd >= 0)
        close (fd);
    doctor_trust (d, "preload library", path);
    finding_fact ("version", "%s", PACKAGE_STRING);
    if (access (d->site.command, X_OK) < 0)
        finding_bad (
            "%s: %s: shards staged in a private /tmp would be lost: set "
            "command=",
            d->site.command, strerror (errno));
    else
        doctor_trust (d, "command", d->site.command);
}

/* Check what jobs get if they ask for layer kernel. */
static void files_kernel (struct doctor *d)
{
    const char *const argv[] = {d->site.recorder, "--check", NULL};

    if (!d->site.kernel)
        return;
    if (access (d->site.recorder, X_OK) < 0) {
        finding_bad ("%s: %s: no job gets layer kernel: install it, or take "
                     "`kernel` out of dftrace.conf",
                     d->site.recorder, strerror (errno));
        return;
    }
    doctor_trust (d, "recorder", d->site.recorder);
    if (geteuid () != 0) {
        if (!d->here)
            finding_note ("layer kernel: only root can try whether it loads");
        return;
    }
    if (capture (argv, DOCTOR_SLURM_SECONDS, d->text, sizeof (d->text)) == 0)
        finding_good ("layer kernel: its programs load here%s%.*s",
                      d->text[0] ? "; " : "", (int)strcspn (d->text, "\n"),
                      d->text);
    else
        finding_bad ("%.*s", (int)strcspn (d->text, "\n"), d->text);
}

/* Write as a trace is written: free blocks say nothing of a quota, of which a
 * name alone may be too much. */
static void files_write (const char *root, const char *path)
{
    static const char block[65536];
    char *name = arena_format ("%s/.dftrace-doctor.XXXXXX", path);
    int fd = mkostemp (name, O_CLOEXEC), error = fd < 0 ? errno : 0;

    if (fd >= 0) {
        unlink (name);
        errno = 0;
        if (write (fd, block, sizeof (block)) != sizeof (block) ||
            fsync (fd) < 0 || close (fd) < 0)
            error = errno ? errno : ENOSPC;
    }
    if (error && error != EACCES && error != EROFS) /* these were said */
        finding_bad ("log_root %s: %s: nothing can be written there: %s: "
                     "no job gets a trace: make space or choose another "
                     "file system",
                     root, path, strerror (error));
}

static void files_room (const char *root, const char *path)
{
    struct statvfs fs;
    unsigned long long left;

    if (statvfs (path, &fs) < 0 || !fs.f_blocks)
        return;
    left = ((unsigned long long)fs.f_bavail * fs.f_frsize) >> MIB_SHIFT;
    if (left < FULL_MIB && fs.f_bavail < fs.f_blocks / 100 * FULL_PERCENT)
        finding_bad ("log_root %s: %s is full, %llu MiB are left: remove old "
                     "traces or choose another file system",
                     root, path, left);
    else if (fs.f_files && !fs.f_favail)
        finding_bad ("log_root %s: %s has no inode left: remove old traces "
                     "or choose another file system",
                     root, path);
    else
        files_write (root, path);
}

/* The nearest directory above path that is there. */
static void files_log_root (struct doctor *d)
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
        files_room ("of this directory", ".");
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
        finding_good ("log_root %s: %s can write %s", root, job.user,
                      *path ? path : "/");
    files_room (root, *path ? path : "/");
}

static void files_state_dir (struct doctor *d)
{
    const char *dir = d->site.settings.state_dir;
    struct stat st;

    if (lstat (dir, &st) < 0 && d->here)
        finding_bad ("%s: %s: slurmstepd must be able to make it: see "
                     "slurmd's log",
                     dir, strerror (errno));
    else if (lstat (dir, &st) < 0)
        finding_good ("%s: not there yet: the first traced job makes it", dir);
    else if (!S_ISDIR (st.st_mode) || st.st_uid != 0 || st.st_mode & 022)
        finding_bad (
            "%s: must be root's directory, mode 0755: the epilog ignores "
            "it otherwise",
            dir);
    else
        finding_good ("state_dir %s is root's", dir);
}

void doctor_files (struct doctor *d)
{
    files_plugstack (d);
    files_plugin (d);
    files_site (d);
    files_library (d);
    files_kernel (d);
    files_log_root (d);
    files_state_dir (d);
}

/* ---- who can change a file that root or every job trusts? ---- */

static int trust_owner (const struct doctor *d, uid_t uid)
{
    return uid == 0 || uid == d->slurm_uid;
}

/* NULL, or why strangers can change it. In a directory with the sticky bit
 * nobody can replace what is another's. */
static const char *trust_hole (const struct doctor *d, const struct stat *st)
{
    if (!trust_owner (d, st->st_uid))
        return "belongs to a user: chown root";
    if (S_ISDIR (st->st_mode) && st->st_mode & S_ISVTX)
        return NULL;
    if (st->st_mode & S_IWOTH)
        return "everybody can write to it: chmod o-w";
    if (st->st_mode & S_IWGRP && st->st_gid != 0)
        return "a group can write to it: chmod g-w";
    return NULL;
}

/* The file, then each directory above it. */
static void trust_look (const struct doctor *d, char *path)
{
    const char *hole;
    struct stat st;

    for (char *slash = path; slash;) {
        if (stat (*path ? path : "/", &st) == 0 &&
            (hole = trust_hole (d, &st)) != NULL) {
            finding_bad ("%s: %s", *path ? path : "/", hole);
            return;
        }
        slash = strrchr (path, '/');
        if (slash)
            *slash = '\0';
    }
}

static void trust_sum (const char *key, const char *path)
{
    unsigned char block[65536];
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uLong sum = crc32 (0, NULL, 0);
    unsigned long long size = 0;
    ssize_t n;

    if (fd < 0) {
        finding_fact (key, "%s: %s", path, strerror (errno));
        return;
    }
    while ((n = read (fd, block, sizeof (block))) > 0) {
        sum = crc32 (sum, block, (uInt)n);
        size += (unsigned long long)n;
    }
    close (fd);
    finding_fact (key, "%s %llu bytes, CRC %08lx", path, size, sum);
}

void doctor_trust (const struct doctor *d, const char *key, const char *path)
{
    char real[PATH_MAX];

    trust_look (d, arena_text (path)); /* who can change a link */
    if (realpath (path, real) && strcmp (real, path) != 0)
        trust_look (d, real);
    if (key)
        trust_sum (key, path);
}

/* ---- will slurmd's Epilog finish a traced job? ---- */

enum { SCRIPT_MAX = 1024 * 1024 };

#define EPILOG_CONF DFT_SYSCONFDIR "/dftrace/epilog.conf"

/* Return the value of the last NAME= in a shell text, without quotes, or NULL.
 */
static const char *epilog_assigned (const char *text, const char *name)
{
    const char *value = NULL;
    size_t n = strlen (name);

    for (const char *at = text; (at = strstr (at, name)); at += n) {
        const char *v = at + n;

        if (*v++ != '=' || (at > text && !strchr (" \t\n;'\"", at[-1])))
            continue;
        v += strspn (v, "'\"");
        if (*v == '$') /* a default, ${NAME:-…} */
            continue;
        value = arena_copy (v, strcspn (v, " \t\n;'\""));
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

/* Return PATH of ${DFTRACE_EPILOG_CONF:-PATH}, or NULL. */
static const char *epilog_default (const char *script)
{
    static const char name[] = "{DFTRACE_EPILOG_CONF:-";
    const char *at = strstr (script, name);

    at = at ? at + sizeof (name) - 1 : NULL;
    return at ? arena_copy (at, strcspn (at, "}\n")) : NULL;
}

/* The words of the line places='…' of the script, which is where it looks for
 * the command, or NULL. */
static char *epilog_places (const char *script)
{
    static const char name[] = "\nplaces='";
    const char *at = script ? strstr (script, name) : NULL;

    at = at ? at + sizeof (name) - 1 : NULL;
    return at ? arena_copy (at, strcspn (at, "'\n")) : NULL;
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

/* A file, or NULL. */
static const char *user_text (const char *path)
{
    char *text = read_user_file (path, SCRIPT_MAX, NULL, NULL);
    const char *copy = text ? arena_text (text) : NULL;

    free (text);
    return copy;
}

/* As the epilog reads it, of DFTRACE_CONF or of the default. */
static const char *epilog_state_dir (const char *conf)
{
    struct site *site = arena_alloc (sizeof (*site));
    char *word = conf && *conf ? arena_format ("conf=%s", conf) : NULL;

    site_load (site, word ? 1 : 0, &word);
    return site->settings.state_dir;
}

static void epilog_conf (struct doctor *d, const char *conf, char *places)
{
    const char *state = d->site.settings.state_dir;
    const char *bin = NULL, *dir = NULL, *site = NULL, *text = NULL;

    if (access (conf, F_OK) == 0) {
        doctor_trust (d, "epilog.conf", conf);
        text = user_text (conf);
    } else {
        finding_fact ("epilog.conf", "%s: not there", conf);
    }
    if (text) {
        bin = epilog_assigned (text, "DFTRACE_BIN");
        dir = epilog_assigned (text, "DFTRACE_STATE_DIR");
        site = epilog_assigned (text, "DFTRACE_CONF");
    }
    if (!dir || !*dir)
        dir = epilog_state_dir (site);
    if (strcmp (dir, state) != 0)
        finding_bad ("%s: the epilog's DFTRACE_STATE_DIR is %s, the plugin's "
                     "state_dir is %s: the epilog finds no job: make them the "
                     "same",
                     conf, dir, state);
    epilog_program (d, bin && *bin ? bin : NULL, places);
}

/* One that says nothing of the command ends no traced job. */
static void epilog_script (struct doctor *d, const char *path)
{
    const char *conf = getenv ("DFTRACE_EPILOG_CONF"), *said = NULL;
    const char *text = user_text (path);

    doctor_trust (d, arena_format ("epilog script %s", path), path);
    if (text && (!strstr (text, "epilog") || !strstr (text, "dftrace"))) {
        finding_bad ("%s: does not run `dftrace epilog`: copy 50-dftrace again",
                     path);
        return;
    }
    if (text)
        said = epilog_assigned (text, "DFTRACE_EPILOG_CONF");
    if (text && !said && !conf)
        said = epilog_default (text);
    if (!text)
        finding_note ("%s: cannot be read: only the test job can tell", path);
    epilog_conf (d,
                 said   ? said
                 : conf ? conf
                        : EPILOG_CONF,
                 epilog_places (text));
}

/* May we look into the directory of the pattern? */
static int epilog_visible (const char *pattern)
{
    const char *slash = strrchr (pattern, '/');
    const char *dir = arena_copy (pattern, slash ? (size_t)(slash - pattern)
                                                 : strlen (pattern));

    return access (*dir ? dir : "/", R_OK | X_OK) == 0 || errno == ENOENT;
}

/* A file that slurmd starts; 1 if it is ours. */
static int epilog_file (struct doctor *d, const char *path, int *bad)
{
    const char *name = strrchr (path, '/') ? strrchr (path, '/') + 1 : path;
    int ours = strstr (name, "dftrace") != NULL;
    struct stat st;

    if (stat (path, &st) == 0 && st.st_mode & 0111) { /* root may run it */
        if (ours)
            epilog_script (d, path);
        if (ours && lstat (path, &st) == 0 && S_ISLNK (st.st_mode))
            finding_note ("%s: is a link: a node drains when its target is "
                          "removed: replace it by a copy of 50-dftrace",
                          path);
        return ours;
    }
    *bad = 1;
    if (lstat (path, &st) == 0 && S_ISLNK (st.st_mode))
        finding_bad ("%s: is a link to nothing: a node drains when its next "
                     "job ends: replace it by a copy of 50-dftrace, then "
                     "scontrol update nodename=NODES state=resume",
                     path);
    else
        finding_bad ("%s: cannot be run: a node drains when its next job ends: "
                     "chmod a+x, then scontrol update nodename=NODES "
                     "state=resume",
                     path);
    return ours;
}

void doctor_epilog (struct doctor *d)
{
    const char *pattern = doctor_config_value (d, "Epilog")
                              ?: doctor_config_value (d, "Epilog[0]");
    glob_t found;
    int ours = 0, bad = 0, rc;

    if (!pattern) {
        finding_bad ("no Epilog in slurm.conf: nobody merges the traces: add "
                     "Epilog=/etc/slurm/epilog.d/*; a site that wants none "
                     "says --no-epilog");
        return;
    }
    rc = glob (pattern, 0, NULL, &found);
    for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++)
        ours += epilog_file (d, found.gl_pathv[i], &bad);
    if (rc == 0)
        globfree (&found);
    if (rc == GLOB_NOMATCH && epilog_visible (pattern)) {
        finding_bad ("Epilog %s finds no file: a node drains when its next "
                     "job ends: put a copy of 50-dftrace there, then scontrol "
                     "update nodename=NODES state=resume",
                     pattern);
        return;
    }
    if (bad)
        return;
    if (ours)
        finding_good ("Epilog %s runs dftrace", pattern);
    else if (!epilog_visible (pattern))
        finding_note ("Epilog %s: its directory cannot be read: only the test "
                      "job can tell",
                      pattern);
    else
        finding_bad ("Epilog %s: no *dftrace*: copy 50-dftrace there; a site "
                     "that wants none says --no-epilog",
                     pattern);
}
