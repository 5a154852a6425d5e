/* SPDX-License-Identifier: MIT
 *
 * runpreload.c - the libraries of `dftrace run` -> LD_PRELOAD of the command
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/places.h"
#include "cli/runpreload.h"
#include "lib/settings/preloads.h"
#include "lib/settings/settings.h"
#include "lib/util/log.h"

static int runpreload_check_one (const char *path)
{
    if (!path) {
        log_error ("%s: out of memory", places_library_name);
        return -1;
    }
    if (path[0] != '/' || strpbrk (path, ": \t")) {
        log_error ("%s: cannot be preloaded: DFTRACE_PRELOAD needs an absolute "
                   "path without colon and blank",
                   path);
        return -1;
    }
    if (access (path, R_OK) < 0) {
        log_error ("%s: %s: run `make install`, or set DFTRACE_PRELOAD to "
                   "%s",
                   path, strerror (errno), places_library_name);
        return -1;
    }
    return 0;
}

int runpreload_check (const char *preload, unsigned layers)
{
    char path[PATH_MAX];

    if (runpreload_check_one (preload) < 0)
        return -1;
    for (int i = 1; i < PRELOADS_COUNT; i++) {
        int needed = preloads_path ((enum preload)i, preload, layers, path,
                                    sizeof (path));

        if (needed > 0 && access (path, R_OK) < 0) {
            log_error ("%s: %s: the layers need it beside %s: run `make "
                       "install`",
                       path, strerror (errno), places_library_name);
            return -1;
        }
    }
    return 0;
}

int runpreload_is_noexec (const char *preload)
{
    int fd = open (preload, O_RDONLY | O_CLOEXEC);
    int is = fd >= 0 && preloads_is_noexec (fd);

    if (fd >= 0)
        (void)close (fd);
    if (is)
        log_warn ("%s: its file system is mounted with noexec, and the command "
                  "is not traced: move the library, or set DFTRACE_PRELOAD to "
                  "another %s",
                  preload, places_library_name);
    return is;
}

enum program_kind
runpreload_look (const char *name, int noexec, char path[PATH_MAX])
{
    const char *asan = settings_environ (NULL, "ASAN_OPTIONS");
    enum program_kind kind;

    if (!strchr (name, '/'))
        programkind_search (settings_environ (NULL, "PATH"), name, path,
                            PATH_MAX);
    else if (!realpath (name, path))
        path[0] = '\0';
    kind = path[0] ? programkind_look (AT_FDCWD, path) : PROGRAM_UNKNOWN;
    if (kind == PROGRAM_SANITIZER && asan &&
        strstr (asan, "verify_asan_link_order=0"))
        kind = PROGRAM_UNKNOWN;
    return kind == PROGRAM_UNKNOWN && noexec ? PROGRAM_NOEXEC : kind;
}

int runpreload_may (enum program_kind kind)
{
    return kind != PROGRAM_NOEXEC && kind != PROGRAM_MACHINE &&
           kind != PROGRAM_SANITIZER;
}

void runpreload_set (const char *preload, unsigned layers)
{
    const char *old = settings_environ (NULL, "LD_PRELOAD");
    size_t size = (old ? strlen (old) : 0) +
                  PRELOADS_COUNT * (strlen (preload) + NAME_MAX);
    char *list = malloc (size);

    if (list && preloads_add (old, preload, layers, list, size) == 0)
        (void)setenv ("LD_PRELOAD", list, 1);
    free (list);
}
