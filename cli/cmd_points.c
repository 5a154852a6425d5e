/* SPDX-License-Identifier: MIT
 *
 * cmd_points.c - `dftrace points`: are trace-point files right?
 *
 * In:  files; a directory of Python source, or what an interpreter can import
 * Out: what is wrong, said by the package dftrace, in whose language the
 *      names are; its exit status
 */
#include "config.h"

#include "cli/cmd.h"
#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "lib/settings/preloads.h"
#include "lib/settings/settings.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

enum { FIXED_ARGS = 10 }; /* of ours, and the NULL */

static const struct verb_help help = {
    .usage = "dftrace points [OPTION...] [FILE...]",
    .summary = "Check trace-point files before a run.",
    .text =
        "A trace-point file names Python functions that become steps in the "
        "trace; doc/app.md describes its lines. Without FILE this command "
        "checks the files that come with dftrace.\n\n"
        "The form of each line is checked. With --source or --import it is "
        "also checked whether the functions exist and have the parameters "
        "that the line uses. Errors are printed as FILE:LINE, followed by a "
        "count of lines by result.",
    .example = "  $ dftrace points my.points\n"
               "  $ dftrace points --import --python venv/bin/python "
               "my.points\n"
               "  $ dftrace points --source ~/Megatron-LM --all\n",
    .exits = "0  nothing is wrong\n"
             "1  a line makes no sense, or names what is not there\n"
             "2  wrong words on the command line\n"
             "127  no such Python\n",
};

struct points {
    const char *python, *source;
    int import, all;
};

/* Becomes python -m dftrace points …; returns only when it cannot. */
static _Noreturn void
points_become (const struct points *p, char **files, int count)
{
    const char **args =
        arena_array ((size_t)count + FIXED_ARGS, sizeof (*args));
    int n = 0;

    args[n++] = p->python;
    args[n++] = "-m";
    args[n++] = "dftrace";
    args[n++] = "points";
    if (p->all)
        args[n++] = "--all";
    if (p->import)
        args[n++] = "--import";
    if (p->source) {
        args[n++] = "--source";
        args[n++] = p->source;
    }
    args[n++] = "--";
    memcpy (args + n, files, (size_t)count * sizeof (*files));
    execvp (p->python, (char **)args);
    die_with (errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXEC,
              "%s: %m: name a Python with --python", p->python);
}

int cmd_points (int argc, char **argv)
{
    struct points p = {.python = "python3"};
    const struct opt opts[] = {
        {"source", 0, OPT_TEXT, &p.source, "DIR",
         "look for the names in the Python files below DIR; runs none"},
        {"import", 'i', OPT_FLAG, &p.import, NULL,
         "look for them in the modules, importing these"},
        {"python", 0, OPT_TEXT, &p.python, "PROGRAM",
         "the Python to use (python3)"},
        {"all", 'a', OPT_FLAG, &p.all, NULL,
         "print every line, right or wrong"},
        OPT_END,
    };
    int first = optparse_operands (opts, &help, argc, argv);
    struct settings settings;
    struct errtext err;
    const char *dir;

    if (p.import && p.source)
        die_with (EXIT_USAGE, "points: --source and --import: use one of them");
    settings_init (&settings);
    if (settings_from_env (&settings, &err) < 0)
        die_with (EXIT_USAGE, "%s", err.text);
    dir = places_python (&settings);
    if (!dir)
        die ("points: the Python package is not installed: set DFTRACE_PYTHON "
             "to its directory");
    places_first ("PYTHONPATH", dir, PATHLIST_PYTHON);
    points_become (&p, argv + first, argc - first);
}
