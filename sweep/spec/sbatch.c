/* SPDX-License-Identifier: MIT
 *
 * sbatch.c - the long options of sbatch; time limits and sizes, multiplied
 */
#include "config.h"

#include <ctype.h>

#include "sweep/spec/sbatch.h"

enum { DAY = 86400, FACTOR_MAX = 1000 };

int grow_parse (const char *text,
                double *time,
                double *mem,
                struct errtext *err)
{
    *time = *mem = 0;
    while (*text) {
        double *out = !strncmp (text, "time=", 5)  ? time
                      : !strncmp (text, "mem=", 4) ? mem
                                                   : NULL;
        char *end = NULL;

        if (out)
            *out = strtod (strchr (text, '=') + 1, &end);
        if (!out || (*end && *end != ',') || !(*out > 0) || *out > FACTOR_MAX) {
            errno = EINVAL;
            return errf (err,
                         "%s: factors, as in time=2,mem=1.5, should be "
                         "here",
                         text);
        }
        text = end + (*end == ',');
    }
    return 0;
}

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours[:min[:sec]] */
long grow_seconds (const char *limit)
{
    long days = 0, part[3] = {0};
    const char *dash = strchr (limit, '-'), *p = limit;
    int n = 0;
    char *end;

    if (!isdigit ((unsigned char)*limit))
        return -1;
    if (dash) {
        days = strtol (limit, &end, 10);
        if (end != dash)
            return -1;
        p = dash + 1;
    }
    while (n < 3) {
        if (!isdigit ((unsigned char)*p))
            return -1;
        part[n++] = strtol (p, &end, 10);
        if (!*end)
            break;
        if (*end != ':')
            return -1;
        p = end + 1;
    }
    if (*end)
        return -1;
    if (dash)
        return days * DAY + part[0] * 3600 + part[1] * 60 + part[2];
    return n == 1   ? part[0] * 60
           : n == 2 ? part[0] * 60 + part[1]
                    : part[0] * 3600 + part[1] * 60 + part[2];
}

const char *grow_time (const char *limit, double factor)
{
    long s = grow_seconds (limit);

    if (s < 0)
        return NULL;
    s = (long)ceil ((double)s * factor);
    if (s >= DAY)
        return arena_format ("%ld-%02ld:%02ld:%02ld", s / DAY, s % DAY / 3600,
                             s / 60 % 60, s % 60);
    return arena_format ("%02ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

const char *grow_mem (const char *size, double factor)
{
    static const char units[] = "KMGT";
    char *end;
    double n = strtod (size, &end);
    const char *unit = *end ? strchr (units, toupper ((unsigned char)*end))
                            : units + 1; /* sbatch's own is M */

    if (end == size || n < 0 || !unit || (*end && end[1]))
        return NULL;
    /* a smaller unit, so that 1.5 of 1G is not 2G */
    if (unit > units) {
        n *= 1024;
        unit--;
    }
    return arena_format ("%.0f%c", ceil (n * factor), *unit);
}

const char *const sbatch_options[] = {"account",
                                      "acctg-freq",
                                      "array",
                                      "batch",
                                      "bb",
                                      "bbf",
                                      "begin",
                                      "chdir",
                                      "cluster-constraint",
                                      "clusters",
                                      "comment",
                                      "consolidate-segments",
                                      "constraint",
                                      "container",
                                      "container-id",
                                      "contiguous",
                                      "core-spec",
                                      "cores-per-socket",
                                      "cpu-freq",
                                      "cpus-per-gpu",
                                      "cpus-per-task",
                                      "deadline",
                                      "delay-boot",
                                      "dependency",
                                      "distribution",
                                      "error",
                                      "exclude",
                                      "exclusive",
                                      "export",
                                      "export-file",
                                      "extra",
                                      "extra-node-info",
                                      "get-user-env",
                                      "gid",
                                      "gpu-bind",
                                      "gpu-freq",
                                      "gpus",
                                      "gpus-per-node",
                                      "gpus-per-socket",
                                      "gpus-per-task",
                                      "gres",
                                      "gres-flags",
                                      "hint",
                                      "hold",
                                      "ignore-pbs",
                                      "input",
                                      "job-name",
                                      "kill-on-invalid-dep",
                                      "licenses",
                                      "mail-type",
                                      "mail-user",
                                      "mcs-label",
                                      "mem",
                                      "mem-bind",
                                      "mem-per-cpu",
                                      "mem-per-gpu",
                                      "mincpus",
                                      "network",
                                      "nice",
                                      "no-kill",
                                      "no-requeue",
                                      "nodefile",
                                      "nodelist",
                                      "nodes",
                                      "ntasks",
                                      "ntasks-per-core",
                                      "ntasks-per-gpu",
                                      "ntasks-per-node",
                                      "ntasks-per-socket",
                                      "oom-kill-step",
                                      "open-mode",
                                      "output",
                                      "overcommit",
                                      "oversubscribe",
                                      "parsable",
                                      "partition",
                                      "power",
                                      "prefer",
                                      "priority",
                                      "profile",
                                      "propagate",
                                      "qos",
                                      "quiet",
                                      "reboot",
                                      "requeue",
                                      "reservation",
                                      "resv-ports",
                                      "segment",
                                      "share",
                                      "signal",
                                      "sockets-per-node",
                                      "spread-job",
                                      "spread-segments",
                                      "stepmgr",
                                      "switches",
                                      "tasks-per-node",
                                      "test-only",
                                      "thread-spec",
                                      "threads-per-core",
                                      "time",
                                      "time-min",
                                      "tmp",
                                      "tres-bind",
                                      "tres-per-job",
                                      "tres-per-task",
                                      "uid",
                                      "umask",
                                      "use-min-nodes",
                                      "verbose",
                                      "wait",
                                      "wait-all-nodes",
                                      "wckey",
                                      "wrap",
                                      "x11",
                                      NULL};

int sbatch_option_is_known (const char *name)
{
    for (size_t i = 0; sbatch_options[i]; i++)
        if (!strcmp (sbatch_options[i], name))
            return 1;
    return 0;
}
