/* SPDX-License-Identifier: MIT
 *
 * cpulimits.c - affinity and cgroups -> processors allowed, throttling
 *
 * In:  sched_getaffinity; /proc/self/cgroup; cpu.max and cpu.stat (v2),
 *      cpu.cfs_quota_us, cpu.cfs_period_us and cpu.stat (v1)
 * Out: struct cpulimits
 * Caveat: mounts are looked for at their usual places; in a container a path
 *      may not be there, then its parents count.
 */
#include "config.h"

#include <sched.h>

#include "lib/base/array.h"
#include "lib/settings/cpulimits.h"

enum { CGROUP_BYTES = 1 << 13, CGROUP_V1 = 1, CGROUP_V2 = 2 };

/* text; NULL: it cannot be read, or has more bytes. */
static char *
cgroup_text (char text[CGROUP_BYTES], const char *dir, const char *name)
{
    char path[PATH_MAX];
    int length = FORMAT (path, "%s%s", dir, name);
    int fd = (size_t)length < sizeof (path)
                 ? open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
                 : -1;
    ssize_t n = fd < 0 ? -1 : read (fd, text, CGROUP_BYTES);

    if (fd >= 0)
        close (fd);
    if (n < 0 || n == CGROUP_BYTES)
        return NULL;
    text[n] = '\0';
    return text;
}

/* The number that text begins with. 0, or -1: it begins with none. */
static int cgroup_number (const char *text, uint64_t *number)
{
    char *end;

    if (!text || *text < '0' || *text > '9')
        return -1;
    *number = strtoull (text, &end, 10);
    return *end == ' ' || *end == '\n' || !*end ? 0 : -1;
}

/* Thousandths of a processor; 0: no limit, or none that can be read. */
static uint64_t cgroup_limit (const char *dir, int version)
{
    char text[CGROUP_BYTES];
    char *max = cgroup_text (
        text, dir, version == CGROUP_V2 ? "/cpu.max" : "/cpu.cfs_quota_us");
    const char *blank = max ? strchr (max, ' ') : NULL, *of = NULL;
    uint64_t quota, us, limit = 0;

    if (cgroup_number (max, &quota) < 0 || !quota || quota >= UINT64_MAX / 1000)
        return 0;
    if (version == CGROUP_V1)
        of = cgroup_text (text, dir, "/cpu.cfs_period_us");
    else if (blank)
        of = blank + 1;
    if (cgroup_number (of, &us) == 0 && us)
        limit = quota * 1000 / us ? quota * 1000 / us : 1;
    return limit;
}

/* The number of a line of cpu.stat. 0, or -1: there is none. */
static int cgroup_count (const char *stat, const char *key, uint64_t *number)
{
    size_t n = strlen (key);

    for (const char *line = stat; line && *line;) {
        if (strncmp (line, key, n) == 0 && line[n] == ' ')
            return cgroup_number (line + n + 1, number);
        line = strchr (line, '\n');
        line += line != NULL;
    }
    return -1;
}

static void cgroup_counts (struct cpulimits *l, const char *dir, int version)
{
    char text[CGROUP_BYTES], *stat = cgroup_text (text, dir, "/cpu.stat");
    uint64_t periods, time;
    struct stat st;

    l->counts = lstat (dir, &st) == 0 &&
                cgroup_count (stat, "nr_throttled", &periods) == 0 &&
                cgroup_count (stat,
                              version == CGROUP_V2 ? "throttled_usec"
                                                   : "throttled_time",
                              &time) == 0;
    if (l->counts) {
        l->group = st.st_ino;
        l->periods = periods;
        l->throttled = version == CGROUP_V2 ? time : time / 1000;
    }
}

/* From the cgroup up to its mount. */
static void
cgroup_walk (struct cpulimits *l, const char *root, const char *of, int version)
{
    char dir[PATH_MAX];
    size_t top = strlen (root);
    int n = FORMAT (dir, "%s%s", root, strstr (of, "/..") ? "" : of);

    if (n < 0 || (size_t)n >= sizeof (dir))
        return;
    for (;;) {
        uint64_t limit = cgroup_limit (dir, version);
        int least = limit && (!l->limit || limit < l->limit);
        char *slash = strrchr (dir, '/');

        if (least || (!l->limit && !l->counts))
            cgroup_counts (l, dir, version);
        if (least)
            l->limit = limit;
        if (!slash || (size_t)(slash - dir) < top)
            return;
        *slash = '\0';
    }
}

/* Has a comma list the word cpu? */
static int cgroup_is_cpu (const char *list, size_t n)
{
    for (size_t at = 0; at < n;) {
        size_t word = strcspn (list + at, ",:");

        if (word == 3 && strncmp (list + at, "cpu", 3) == 0)
            return 1;
        at += word + 1;
    }
    return 0;
}

/* A line: NUMBER:CONTROLLERS:PATH. The controller is in one hierarchy: that of
 * version 1 where it has a line. */
void cpulimits_cgroups (struct cpulimits *l, const char *list, const char *root)
{
    char room[CGROUP_BYTES], mount[PATH_MAX], *save = NULL;
    char *text = cgroup_text (room, "", list);
    const char *v1 = NULL, *v2 = NULL;
    int n = FORMAT (mount, "%s/cpu", root);

    for (char *line = text ? strtok_r (text, "\n", &save) : NULL; line;
         line = strtok_r (NULL, "\n", &save)) {
        const char *controllers = strchr (line, ':');
        const char *path = controllers ? strchr (++controllers, ':') : NULL;

        if (!path)
            continue;
        if (path == controllers)
            v2 = path + 1;
        else if (cgroup_is_cpu (controllers, path - controllers))
            v1 = path + 1;
    }
    if (v1 && (size_t)n < sizeof (mount))
        cgroup_walk (l, mount, v1, CGROUP_V1);
    else if (v2)
        cgroup_walk (l, root, v2, CGROUP_V2);
}

void cpulimits_read (struct cpulimits *l)
{
    cpu_set_t set[8]; /* 8192 processors */

    ZERO (l);
    if (sched_getaffinity (0, sizeof (set), set) == 0)
        l->allowed = (unsigned)CPU_COUNT_S (sizeof (set), set);
    cpulimits_cgroups (l, "/proc/self/cgroup", "/sys/fs/cgroup");
}

int cpulimits_growth (struct cpulimits *end, const struct cpulimits *start)
{
    end->counts = end->counts && start->counts && end->group == start->group &&
                  end->periods >= start->periods &&
                  end->throttled >= start->throttled;
    if (!end->counts)
        return 0;
    end->periods -= start->periods;
    end->throttled -= start->throttled;
    return 1;
}
