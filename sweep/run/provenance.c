/* SPDX-License-Identifier: MIT
 *
 * provenance.c - git, versions and environment -> manifest.json, environment
 */
#include "config.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "sweep/run/program.h"
#include "sweep/run/provenance.h"

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
    json_text (j, "libc", gnu_get_libc_version ());
    json_close (j, '}');
    json_text (j, "modules", getenv ("LOADEDMODULES"));
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

int provenance_environment (const char *path, struct errtext *err)
{
    struct atomic_file *f = atomic_open (path, 0600, err);
    struct arena *a = arena_create ();
    const char **entry;
    size_t n = 0;

    if (f) {
        while (environ[n])
            n++;
        entry = arena_array (a, n + 1, sizeof (*entry));
        memcpy (entry, environ, n * sizeof (*entry));
        qsort (entry, n, sizeof (*entry), provenance_by_text);
        for (size_t i = 0; i < n; i++)
            print_entry (atomic_stream (f), entry[i]);
    }
    arena_destroy (a);
    return f ? atomic_commit (f, err) : -1;
}
