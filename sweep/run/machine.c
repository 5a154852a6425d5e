/* SPDX-License-Identifier: MIT
 *
 * machine.c - /proc, /sys, git, versions -> manifest.json, nodes/NODE.json
 */
#include "config.h"

#include <glob.h>
#include <gnu/libc-version.h>
#include <mntent.h>
#include <sys/utsname.h>

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/util/strmap.h"
#include "sweep/run/machine.h"
#include "sweep/run/program.h"

enum {
    PATHS_MAX = 32,  /* of a sweep with a path per point, enough to see */
    LFS_SECONDS = 3, /* a file system that hangs must not hang the run */
};

/* -- the node ---------------------------------------------------------- */

const char *machine_value (const char *path, const char *key, char sign)
{
    FILE *f = fopen (path, "re");
    char line[512];
    const char *found = NULL;

    while (f && !found && fgets (line, sizeof (line), f)) {
        const char *value = strchr (line, sign);

        if (value && !strncmp (line, key, strlen (key))) {
            value += 1 + strspn (value + 1, " \t\"");
            found = arena_copy (value, strcspn (value, "\"\n"));
        }
    }
    if (f)
        fclose (f);
    return found;
}

static size_t machine_count_of (const char *pattern)
{
    glob_t g;
    size_t n = 0;

    if (glob (pattern, 0, NULL, &g) == 0) {
        n = g.gl_pathc;
        globfree (&g);
    }
    return n;
}

/* Add the texts after the key in these files, or their names, each once. */
static void
list_of (struct json *j, const char *name, const char *pattern, const char *key)
{
    const char *value;
    glob_t g;

    json_open (j, name, '[');
    if (glob (pattern, 0, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            if (!key)
                json_text (j, NULL, strrchr (g.gl_pathv[i], '/') + 1);
            else if ((value = machine_value (g.gl_pathv[i], key, ':')))
                json_text (j, NULL, value);
        }
        globfree (&g);
    }
    json_close (j, ']');
}

void machine_host (struct json *j)
{
    const char *memory = machine_value ("/proc/meminfo", "MemTotal", ':');
    char name[256] = "";
    struct utsname u;
    int known = uname (&u) == 0;

    gethostname (name, sizeof (name) - 1);
    json_put (
        j,
        "host:{ name:%s system:%s kernel:%s machine:%s processor:%s cores:%jd "
        "numa_nodes:%zu",
        name, machine_value ("/etc/os-release", "PRETTY_NAME", '='),
        known ? u.release : NULL, known ? u.machine : NULL,
        machine_value ("/proc/cpuinfo", "model name", ':'),
        (intmax_t)sysconf (_SC_NPROCESSORS_ONLN),
        machine_count_of ("/sys/devices/system/node/node[0-9]*"));
    if (memory)
        json_int (j, "memory_kb", strtoll (memory, NULL, 10));
    else
        json_null (j, "memory_kb");
    list_of (j, "gpus", "/proc/driver/nvidia/gpus/*/information", "Model");
    list_of (j, "infiniband", "/sys/class/infiniband/*", NULL);
    json_close (j, '}');
}

/* -- its file systems -------------------------------------------------- */

static const char *first_line (const char *text)
{
    return text ? arena_copy (text, strcspn (text, "\n")) : NULL;
}

/* Return the output of `lfs getstripe` with this option, on one line; NULL
 * where there is no lfs, or the path is not on its file system. */
static const char *stripe (const char *option, const char *path)
{
    const char *argv[] = {"lfs", "getstripe", option, path, NULL};

    return first_line (program_output (argv, LFS_SECONDS, NULL));
}

static void stripe_of (struct json *j, const char *path)
{
    const char *count = stripe ("-c", path);

    if (!count) {
        json_null (j, "stripe");
        return;
    }
    json_put (j, "stripe:{ count:%s size:%s first:%s }", count,
              stripe ("-S", path), stripe ("-i", path));
}

/* The mount whose directory is the longest beginning of the path. */
static void mount_of (struct json *j, const char *path)
{
    const char *device = "", *dir = "", *type = "", *options = "";
    char buffer[8192];
    FILE *f = setmntent ("/proc/self/mounts", "r");
    struct mntent m;

    while (f && getmntent_r (f, &m, buffer, sizeof (buffer))) {
        size_t n = strlen (m.mnt_dir);
        int inside =
            !strcmp (m.mnt_dir, "/") ||
            (!strncmp (path, m.mnt_dir, n) && (path[n] == '/' || !path[n]));

        if (!inside || n < strlen (dir))
            continue;
        device = arena_text (m.mnt_fsname);
        dir = arena_text (m.mnt_dir);
        type = arena_text (m.mnt_type);
        options = arena_text (m.mnt_opts);
    }
    if (f)
        endmntent (f);
    json_put (j, "{ path:%s device:%s directory:%s type:%s options:%s", path,
              device, dir, type, options);
    stripe_of (j, path);
    json_close (j, '}');
}

void machine_mounts (struct json *j, const char *const *path, size_t paths)
{
    struct strmap *seen = strmap_create ();

    json_open (j, "mounts", '[');
    for (size_t i = 0; i < paths && strmap_count (seen) < PATHS_MAX; i++) {
        char *real = realpath (path[i], NULL);
        const char *known = real ? arena_text (real) : path[i];
        int isnew = 0;

        strmap_intern (seen, known, strlen (known), &isnew);
        if (isnew)
            mount_of (j, known);
        free (real);
    }
    json_close (j, ']');
    strmap_destroy (seen);
}

/* ---- git, versions and environment -> manifest.json, environment ---- */

enum { GIT_SECONDS = 20, VERSION_SECONDS = 10 };

/* -- git --------------------------------------------------------------- */

/* Return the output of git, or NULL. Nothing of the project's configuration is
 * run. */
static const char *git (const char *project, const char *const *words)
{
    const char *argv[16] = {"git",  "--no-optional-locks",  "--no-pager",
                            "-c",   "core.fsmonitor=false", "-C",
                            project};
    size_t n = 7;

    while (*words)
        argv[n++] = *words++;
    argv[n] = NULL;
    return program_output (argv, GIT_SECONDS, NULL);
}

void provenance_git (struct json *j, const char *project, const char *dir)
{
    static const char *const commit[] = {"rev-parse", "HEAD", NULL};
    static const char *const branch[] = {"rev-parse", "--abbrev-ref", "HEAD",
                                         NULL};
    static const char *const diff[] = {
        "diff", "--no-ext-diff", "--no-textconv", "--no-color", "HEAD", NULL};
    const char *head = first_line (git (project, commit)), *changes;

    if (!head) {
        json_null (j, "git");
        return;
    }
    changes = git (project, diff);
    json_put (j, "git:{ commit:%s branch:%s", head,
              first_line (git (project, branch)));
    if (changes)
        json_bool (j, "changed", *changes != '\0');
    else
        json_null (j, "changed");
    if (changes && *changes &&
        write_file (arena_format ("%s/git.diff", dir), 0644, changes, NULL) ==
            0)
        json_text (j, "diff", "git.diff");
    else
        json_null (j, "diff");
    json_close (j, '}');
}

/* -- versions ---------------------------------------------------------- */

static const char *slurm_version (void)
{
    const char *argv[] = {"sbatch", "--version", NULL};

    return first_line (program_output (argv, VERSION_SECONDS, NULL));
}

void provenance_versions (struct json *j)
{
    struct utsname u;

    json_put (
        j, "versions:{ dftrace:%s slurm:%s kernel:%s libc:%s } modules:%s",
        PACKAGE_VERSION, slurm_version (), uname (&u) == 0 ? u.release : NULL,
        gnu_get_libc_version (), getenv ("LOADEDMODULES"));
}

/* -- the environment --------------------------------------------------- */

/* Passwords and tokens have no place in a directory that is shown around. */
static int is_secret (const char *entry)
{
    static const char *const words[] = {"SECRET",     "TOKEN",   "PASSW",
                                        "CREDENTIAL", "PRIVATE", "APIKEY",
                                        "_KEY",       "COOKIE",  NULL};
    size_t n = strcspn (entry, "=");

    for (size_t i = 0; words[i]; i++)
        if (memmem (entry, n, words[i], strlen (words[i])))
            return 1;
    return 0;
}

static int provenance_by_text (const void *x, const void *y)
{
    return strcmp (*(const char *const *)x, *(const char *const *)y);
}

/* A value with newlines stays one line. */
static void print_entry (FILE *out, const char *entry)
{
    if (is_secret (entry)) {
        fprintf (out, "%.*s=(not kept)\n", (int)strcspn (entry, "="), entry);
        return;
    }
    for (; *entry; entry++) {
        if (*entry == '\n')
            fputs ("\\n", out);
        else
            fputc (*entry, out);
    }
    fputc ('\n', out);
}

const char *provenance_environment (void)
{
    size_t n = 0, size;
    char *text, *copy;
    FILE *out = xmemstream (&text, &size);
    const char **entry;

    while (environ[n])
        n++;
    entry = arena_array (n + 1, sizeof (*entry));
    memcpy (entry, environ, n * sizeof (*entry));
    SORT (entry, n, provenance_by_text);
    for (size_t i = 0; i < n; i++)
        print_entry (out, entry[i]);
    xmemstream_end (out);
    copy = arena_text (text);
    free (text);
    return copy;
}
