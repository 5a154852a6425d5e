/* SPDX-License-Identifier: MIT
 *
 * privatetmp.c - a directory -> does it go with the job's private /tmp
 *
 * In:  /proc/self/mountinfo of the task
 * Out: yes, where the directory's mount has BasePath/JOB/.JOB as its root
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spank/privatetmp.h"
#include "spank/say.h"

enum { MOUNTS_MAX = 1 << 20, ROOT_FIELD = 3 };

/* Whether the mount point is path, or above it. */
static int is_above (const char *point, size_t n, const char *path)
{
    if (n == 1)
        return 1; /* "/" */
    return strncmp (point, path, n) == 0 && (!path[n] || path[n] == '/');
}

/* Root and mount point of a line; 0: it has none. */
static int privatetmp_split (char *line, const char **root, const char **point)
{
    char *save = NULL, *field = strtok_r (line, " ", &save);

    for (int i = 0; field && i < ROOT_FIELD; i++)
        field = strtok_r (NULL, " ", &save);
    *root = field;
    *point = field ? strtok_r (NULL, " ", &save) : NULL;
    return *point != NULL;
}

/* The last mount of the longest mount point counts. */
static int privatetmp_in (char *mounts, const char *path, uint32_t job_id)
{
    char *save = NULL, own[48];
    const char *root, *point;
    size_t longest = 0;
    int private = 0;

    (void)snprintf (own, sizeof (own), "/%" PRIu32 "/.%" PRIu32, job_id,
                    job_id);
    for (char *line = strtok_r (mounts, "\n", &save); line;
         line = strtok_r (NULL, "\n", &save)) {
        size_t n;

        if (!privatetmp_split (line, &root, &point))
            continue;
        n = strlen (point);
        if (n >= longest && is_above (point, n, path)) {
            const char *at = strstr (root, own);

            longest = n;
            private = at && (!at[strlen (own)] || at[strlen (own)] == '/');
        }
    }
    return private;
}

static int privatetmp_has (const char *path, uint32_t job_id)
{
    FILE *in = fopen ("/proc/self/mountinfo", "re");
    char *text = in ? malloc (MOUNTS_MAX + 1) : NULL;
    size_t n = text ? fread (text, 1, MOUNTS_MAX, in) : 0;
    int private = 0;

    if (text) {
        text[n] = '\0';
        private = privatetmp_in (text, path, job_id);
    }
    free (text);
    if (in)
        (void)fclose (in);
    return private;
}

void privatetmp_tell (const char *dir,
                      const struct jobenv *job,
                      const char *known)
{
    if (job->local_task == 0 && (!known || strcmp (known, dir) != 0) &&
        privatetmp_has (dir, job->own_id))
        say (
            SAY_USER,
            "%s: %s: in the job's private directory, with which the trace goes",
            job->host, dir);
}
