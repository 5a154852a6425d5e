/* SPDX-License-Identifier: MIT
 *
 * python.c - a Python without the hook of layer app -> a fact in its trace
 *
 * In:  the program's path, PYTHONPATH at its start, the hook's report
 * Out: metadata `unhooked_python`, which the analysis shows with the trace
 *      points that do not work
 */
#include "config.h"

#include "lib/format/event.h"
#include "preload/record/recorder.h"
#include "lib/format/calls.h"
#include "lib/settings/preloads.h"
#include "lib/base/sys.h"
#include "preload/follow/outfit.h"
#include "preload/program.h"

static SYS_STATE const char
    *why; /* NULL: this is no Python, or nobody wants to know */

static int is_python (void)
{
    static const char *const names[] = {"python", "pypy"};
    char exe[PATH_MAX];
    ssize_t n = sys_readlink ("/proc/self/exe", exe, sizeof (exe) - 1);
    const char *base;

    if (n <= 0)
        return 0;
    exe[n] = '\0';
    base = strrchr (exe, '/');
    base = base ? base + 1 : exe;
    return strncmp (base, names[0], strlen (names[0])) == 0 ||
           strncmp (base, names[1], strlen (names[1])) == 0;
}

/* The reason for which sitecustomize.py does not start the hook. */
static const char *python_unhooked (const struct settings *s)
{
    if (!pathlist_has (settings_environ (NULL, "PYTHONPATH"), s->python,
                       PATHLIST_PYTHON))
        return "PYTHONPATH was set without the directory of dftrace";
    if (!settings_given ("DFTRACE_JOB_DIR"))
        return "DFTRACE_JOB_DIR was taken out of its environment";
    return "Python before 3.7, or started with -I, -E or -S";
}

void python_start (const struct settings *s)
{
    if (!(s->layers & LAYER_APP) || s->python[0] == '\0')
        return;
    outfit_python (s->python);
    if (!is_python ())
        return;
    why = python_unhooked (s);
}

static void write_fact (const char *key, const char *value)
{
    static const char name[] = "dftrace\0metadata";
    uint64_t now = clock_tick ();
    struct record_arg arg = {
        .key = names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, key,
                             strlen (key)),
        .type = EVENT_ARG_TEXT,
        .text = names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, value,
                              strlen (value))};
    struct record r = {.start = now,
                       .end = now,
                       .call = CALL_metadata,
                       .nargs = 1,
                       .fd = -1,
                       .file =
                           names_intern (SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN,
                                         name, sizeof (name) - 1),
                       .offset = -1,
                       .args = &arg};

    if (!recorder_enter ())
        return;
    recorder_record (&r);
    recorder_leave ();
}

void python_finish (void)
{
    const char *reason = why;

    why = NULL;
    if (reason && !recorder_hooked && recorder_has_file ())
        write_fact ("unhooked_python", reason);
}
