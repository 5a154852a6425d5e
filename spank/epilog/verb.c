/* SPDX-License-Identifier: MIT
 *
 * verb.c - another verb of dftrace, in a process of its own or in this one
 *
 * In:  words of a command line
 * Out: exit status
 * Caveat: no exec. A process that has given up root is not dumpable, so the
 *         user cannot trace it, and fork keeps that; exec would not, and then
 * he could make it outlive the job.
 */
#include "config.h"

#include <sys/wait.h>

#include "spank/epilog/verb.h"
#include "lib/util/optparse.h"
#include "lib/util/xalloc.h"

static verb_run_f verb_function;

void verb_runner (verb_run_f function)
{
    verb_function = function;
}

int verb_call (const char *const *argv)
{
    int argc = 0;

    while (argv[argc])
        argc++;
    return verb_function ? verb_function (argc - 1, (char **)(argv + 1))
                         : EXIT_NOT_FOUND;
}

int verb_run (const char *const *argv)
{
    int status;
    pid_t pid;

    fflush (NULL);
    pid = fork ();
    if (pid == 0) {
        xalloc_status = EXIT_FAILED;
        _exit (verb_call (argv));
    }
    while (pid > 0 && waitpid (pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return pid > 0 && WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}
