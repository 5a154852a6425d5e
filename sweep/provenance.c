/* SPDX-License-Identifier: MIT
 *
 * provenance.c - git, /proc and uname -> manifest.json and nodes/NODE.json
 */
#include "config.h"

#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "sweep/program.h"
#include "sweep/provenance.h"

enum { GIT_SECONDS = 20, VERSION_SECONDS = 10 };

/* -- git --------------------------------------------------------------- */

/* What git prints, or NULL. Nothing of the project's configuration is run. */
static const char *
git (struct arena *a, const char *project, const char *const *words)
{
    const char *argv[16] = {"git",
                            "--no-optional-locks",
                            "--no-pager",
                            "-c",
                            "core.fsmonitor=false",
                            "-C",
                            arena_text (a, project)};
    struct program_result r;
    size_t n = 7;

    while (*words)
        argv[n++] = *words++;
    argv[n] = NULL;
    if (program_run (a, argv, program_environment (a, 1), GIT_SECONDS, &r,
                     NULL) < 0 ||
        !program_succeeded (&r))
        return NULL;
    return r.out;
}

static const char *first_line (struct arena *a, const char *text)
{
    return text ? arena_copy (a, text, strcspn (text, "\n")) : NULL;
}

void provenance_git (struct json *j,
                     struct arena *a,
                     const char *project,
                     const char *dir)
{
    static const char *const commit[] = {"rev-parse", "HEAD", NULL};
    static const char *const branch[] = {"rev-parse", "--abbrev-ref", "HEAD",
                                         NULL};
    static const char *const diff[] = {
        "diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", NULL};
    const char *head = first_line (a, git (a, project, commit)), *changes;

    if (!head) {
        json_null (j, "git");
        return;
    }
    changes = git (a, project, diff);
    json_open (j, "git", '{');
    json_text (j, "commit", head);
    json_text (j, "branch", first_line (a, git (a, project, branch)));
    if (changes)
        json_bool (j, "changed", *changes != '\0');
    else
        json_null (j, "changed");
    if (changes && *changes &&
        write_file (arena_format (a, "%s/git.diff", dir), 0644, changes,
                    NULL) == 0)
        json_text (j, "diff", "git.diff");
    else
        json_null (j, "diff");
    json_close (j, '}');
}

/* -- versions ---------------------------------------------------------- */

static const char *slurm_version (struct arena *a)
{
    const char *argv[] = {"sbatch", "--version", NULL};
    struct program_result r;

    if (program_run (a, argv, program_environment (a, 1), VERSION_SECONDS, &r,
                     NULL) < 0 ||
        !program_succeeded (&r))
        return NULL;
    return first_line (a, r.out);
}

void provenance_versions (struct json *j, struct arena *a)
{
    struct utsname u;

    json_open (j, "versions", '{');
    json_text (j, "dftrace", PACKAGE_VERSION);
    json_text (j, "slurm", slurm_version (a));
    json_text (j, "kernel", uname (&u) == 0 ? u.release : NULL);
    json_close (j, '}');
    json_text (j, "modules", getenv ("LOADEDMODULES"));
}

/* -- the machine ------------------------------------------------------- */

/* The value after "KEY : " in a file of /proc. */
static int proc_value (const char *path, const char *key, char *out, int size)
{
    FILE *f = fopen (path, "re");
    char line[512];
    int found = 0;

    while (f && !found && fgets (line, sizeof (line), f)) {
        const char *value = strchr (line, ':');

        found = value && !strncmp (line, key, strlen (key));
        if (found) {
            value += 1 + strspn (value + 1, " \t");
            (void)snprintf (out, (size_t)size, "%.*s",
                            (int)strcspn (value, "\n"), value);
        }
    }
    if (f)
        (void)fclose (f);
    return found;
}

void provenance_host (struct json *j)
{
    char name[256] = "", value[256];

    (void)gethostname (name, sizeof (name) - 1);
    json_open (j, "host", '{');
    json_text (j, "name", name);
    json_text (j, "processor",
               proc_value ("/proc/cpuinfo", "model name", value, sizeof (value))
                   ? value
                   : NULL);
    json_int (j, "cores", sysconf (_SC_NPROCESSORS_ONLN));
    if (proc_value ("/proc/meminfo", "MemTotal", value, sizeof (value)))
        json_int (j, "memory_kb", strtoll (value, NULL, 10));
    else
        json_null (j, "memory_kb");
    json_close (j, '}');
}

/* The mount whose directory is the longest beginning of the path. */
static void mount_of (struct json *j, const char *path)
{
    char device[256] = "", dir[1024] = "", type[64] = "", buffer[8192];
    FILE *f = setmntent ("/proc/self/mounts", "r");
    struct mntent m;

    while (f && getmntent_r (f, &m, buffer, sizeof (buffer))) {
        size_t n = strlen (m.mnt_dir);
        int inside =
            !strcmp (m.mnt_dir, "/") ||
            (!strncmp (path, m.mnt_dir, n) && (path[n] == '/' || !path[n]));

        if (!inside || n < strlen (dir))
            continue;
        (void)snprintf (device, sizeof (device), "%s", m.mnt_fsname);
        (void)snprintf (dir, sizeof (dir), "%s", m.mnt_dir);
        (void)snprintf (type, sizeof (type), "%s", m.mnt_type);
    }
    if (f)
        (void)endmntent (f);
    json_open (j, NULL, '{');
    json_text (j, "path", path);
    json_text (j, "device", device);
    json_text (j, "directory", dir);
    json_text (j, "type", type);
    json_close (j, '}');
}

void provenance_mounts (struct json *j,
                        struct arena *a,
                        const char *const *path,
                        size_t paths)
{
    json_open (j, "mounts", '[');
    for (size_t i = 0; i < paths; i++) {
        char *real = realpath (path[i], NULL);

        mount_of (j, real ? real : arena_text (a, path[i]));
        free (real);
    }
    json_close (j, ']');
}
