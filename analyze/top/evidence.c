/* SPDX-License-Identifier: MIT
 *
 * evidence.c - job directory, /proc -> whether a job or a process has ended
 *
 * In:  job.json, shards/started.HOST, shards/ended.HOST, node.HOST.json;
 *      /proc/PID/stat where the process was on this host
 * Out: enum evidence, to live.c
 */
#include "config.h"

#include "analyze/top/evidence.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/format/endline.h"
#include "lib/settings/nodename.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"

enum {
    EVIDENCE_BYTES = 1 << 20, /* of a file */
    EVIDENCE_FIELD = 20,      /* of /proc/PID/stat, behind the name */
    EVIDENCE_NS = 1000000000
};

/* --- a job ------------------------------------------------------------- */

static int evidence_has_node (const char *dir, const char *host)
{
    char *path = text_format ("%s/node.%s.json", dir, host);
    int has = path && access (path, F_OK) == 0;

    free (path);
    return has;
}

static int evidence_has_command (const char *shards, const char *name)
{
    char *path = path_join (shards, name);
    char *text = path ? read_file (path, EVIDENCE_BYTES, NULL, NULL) : NULL;
    int has = text && strstr (text, " " ENDLINE_RUN "\n");

    free (text);
    free (path);
    return has;
}

static int evidence_has_job (const char *dir)
{
    char *path = path_join (dir, "job.json");
    int has = path && access (path, F_OK) == 0;

    free (path);
    return has;
}

enum evidence evidence_of_job (const char *job)
{
    static const char started[] = "started.";
    char *path = path_join (job, "shards");
    DIR *dir = path ? opendir (path) : NULL;
    size_t nodes = 0, done = 0;
    const struct dirent *e;
    int command = 0;

    while (dir && (e = readdir (dir)))
        if (strncmp (e->d_name, started, sizeof (started) - 1) == 0) {
            nodes++;
            done += (size_t)evidence_has_node (job, e->d_name +
                                                        sizeof (started) - 1);
        } else if (strncmp (e->d_name, ENDLINE_FILE,
                            sizeof (ENDLINE_FILE) - 1) == 0)
            command |= evidence_has_command (path, e->d_name);
    if (dir)
        (void)closedir (dir);
    free (path);
    if (nodes && nodes == done)
        return EVIDENCE_ALL;
    if (command && !nodes)
        return EVIDENCE_COMMAND;
    return evidence_has_job (job) ? EVIDENCE_NONE : EVIDENCE_NOBODY;
}

/* --- a process --------------------------------------------------------- */

/* CLOCK_REALTIME at which the process of that number began, 0: there is none.
 */
static uint64_t evidence_began (uint32_t pid)
{
    char *path = text_format ("/proc/%u/stat", pid);
    char *text = path ? read_file (path, EVIDENCE_BYTES, NULL, NULL) : NULL;
    const char *at = text ? strrchr (text, ')') : NULL;
    struct timespec real, boot;
    uint64_t ticks = 0;

    for (int i = 0; at && i < EVIDENCE_FIELD; i++)
        at = strchr (at + 1, ' ');
    if (at)
        ticks = strtoull (at + 1, NULL, 10);
    free (text);
    free (path);
    if (!at)
        return 0;
    (void)clock_gettime (CLOCK_REALTIME, &real);
    (void)clock_gettime (CLOCK_BOOTTIME, &boot);
    return (uint64_t)(real.tv_sec - boot.tv_sec) * EVIDENCE_NS +
           ticks * (EVIDENCE_NS / (uint64_t)sysconf (_SC_CLK_TCK));
}

int evidence_of_process (const struct trace_process *who)
{
    char node[NODENAME_MAX];
    uint64_t began;

    if (who->p.end_ns || who->p.exec_ns)
        return 1;
    if (strcmp (nodename_find (settings_environ, NULL, node),
                who->text[SHARD_STRING_HOST]) != 0 ||
        access ("/proc/self/stat", R_OK) < 0)
        return 0;
    began = evidence_began (who->p.pid);
    /* a later one has the same number; clocks may have been set a little */
    return !began || began > who->p.start_real + 2 * (uint64_t)EVIDENCE_NS;
}
