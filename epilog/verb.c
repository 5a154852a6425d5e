/* SPDX-License-Identifier: MIT
 *
 * verb.c - another verb of dftrace, in a process of its own
 *
 * In:  words of a command line
 * Out: exit status
 */
#include "config.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "epilog/verb.h"
#include "lib/util/optparse.h"

int verb_run (const char *const *argv)
{
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
