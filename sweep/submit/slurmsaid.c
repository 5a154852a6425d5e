/* SPDX-License-Identifier: MIT
 *
 * slurmsaid.c - what Slurm says of a step where its own output goes
 *
 * In:  standard error of a run
 * Out: whether memory ended a step of it, to runner.c
 *
 * A job whose step was killed for its memory has FAILED for Slurm, as the
 * script did: OUT_OF_MEMORY is said only where the script itself was killed.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/submit/slurmsaid.h"

enum { TAIL_BYTES = 64 * 1024 /* it says so last */ };

/* Words of srun and slurmstepd, 20.11 to 26.05: the kernel's handler, and
 * JobAcctGatherParams=OverMemoryKill. */
static int is_oom (const char *line)
{
    static const char *const words[] = {
        "Out Of Memory",
        "oom-kill event",
        "oom_kill event",
        "exceeded memory limit",
        "Exceeded job memory limit",
    };
    const char *error = strstr (line, "error: ");

    if (!error || (strncmp (line, "srun: ", 6) != 0 &&
                   strncmp (line, "slurmstepd", 10) != 0))
        return 0;
    for (size_t i = 0; i < sizeof (words) / sizeof (words[0]); i++)
        if (strstr (error, words[i]))
            return 1;
    return 0;
}

/* A text of at most TAIL_BYTES; malloc'd, NULL: there is none. */
static char *read_tail (const char *path)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd < 0 ? NULL : malloc (TAIL_BYTES + 1);
    struct stat st;
    ssize_t n = -1;

    if (text && fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
        n = pread (fd, text, TAIL_BYTES,
                   st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0);
    if (fd >= 0)
        (void)close (fd);
    if (text)
        text[n < 0 ? 0 : n] = '\0';
    return text;
}

int slurmsaid_oom (const char *path)
{
    char *text = read_tail (path), *save = NULL;
    int said = 0;

    for (char *line = text ? strtok_r (text, "\n", &save) : NULL; line && !said;
         line = strtok_r (NULL, "\n", &save))
        said = is_oom (line);
    free (text);
    return said;
}
