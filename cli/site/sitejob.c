/* SPDX-License-Identifier: MIT
 *
 * sitejob.c - a job id -> its job directories
 *
 * In:  directories of job directories, with the job.json of each
 * Out: those of the job
 * Caveat: anybody may have written any of it.
 */
#include "config.h"

#include "cli/site/sitejob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/format/layers.h"
#include "lib/base/parse.h"
#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"

enum { SITEJOB_DEPTH = 6, SITEJOB_JSON_MAX = 1 << 24 };

int sitejob_parse (const char *text, struct sitejob_id *id)
{
    const char *under = strchr (text, '_');
    char job[24];
    uint64_t task;

    id->task = -1;
    if (!under)
        return parse_u64 (text, &id->job) < 0 || !id->job ? -1 : 0;
    (void)snprintf (job, sizeof (job), "%.*s", (int)(under - text), text);
    if (parse_u64 (job, &id->job) < 0 || !id->job ||
        parse_u64 (under + 1, &task) < 0 || task > INT32_MAX)
        return -1;
    id->task = (int64_t)task;
    return 0;
}

static uint64_t sitejob_number (const struct ynode *n, const char *key)
{
    uint64_t value = 0;

    (void)parse_u64 (ynode_text (n, key, "0"), &value);
    return value;
}

/* As jobdir_path makes names: "train-4711", "train-4711_3.r1". */
static int sitejob_named (const struct sitejob *s, const char *name)
{
    char want[32];
    const char *at = strrchr (name, '-');
    size_t n;

    n = (size_t)snprintf (want, sizeof (want), "-%" PRIu64, s->id.job);
    return at && strncmp (at, want, n) == 0 &&
           (at[n] == '\0' || at[n] == '_' || at[n] == '.');
}

static int sitejob_is (const struct sitejob *s,
                       struct sitejob_dir *d,
                       const struct ynode *n)
{
    uint64_t array = sitejob_number (n, "array_job_id"), task;

    d->job = sitejob_number (n, "job_id");
    d->restart = sitejob_number (n, "restart");
    d->task = -1;
    if (array && parse_u64 (ynode_text (n, "array_task_id", ""), &task) == 0 &&
        task <= INT32_MAX)
        d->task = (int64_t)task;
    if (s->id.task >= 0)
        return array == s->id.job && d->task == s->id.task;
    return d->job == s->id.job || array == s->id.job;
}

static int
sitejob_add (struct sitejob *s, const struct sitejob_dir *d, const char *path)
{
    struct sitejob_dir *all = reallocarray (s->dir, s->dirs + 1, sizeof (*all));

    if (!all)
        return -1;
    s->dir = all;
    all[s->dirs] = *d;
    if (!(all[s->dirs].path = strdup (path)))
        return -1;
    s->dirs++;
    return 0;
}

static int sitejob_read (struct sitejob *s,
                         const char *dir,
                         const char *json,
                         const struct stat *owner)
{
    struct sitejob_dir d = {.uid = owner->st_uid, .gid = owner->st_gid};
    size_t length;
    char *text = read_file (json, SITEJOB_JSON_MAX, &length, NULL);
    struct ytree *t = text ? ytree_parse (json, text, length, NULL) : NULL;
    const struct ynode *n = t ? ytree_root (t) : NULL;
    unsigned layers = 0;
    struct stat st;
    int rc = 0;

    s->unreadable += !n;
    if (n && sitejob_is (s, &d, n) && lstat (dir, &st) == 0 &&
        st.st_uid == d.uid) {
        (void)layers_parse (ynode_text (n, "layers", ""), &layers, NULL);
        d.profile = (layers & LAYER_PROFILE) != 0;
        rc = sitejob_add (s, &d, dir);
    }
    ytree_destroy (t);
    free (text);
    return rc;
}

static void sitejob_deny (struct sitejob *s, const char *dir)
{
    const char *slash = strrchr (dir, '/');
    struct stat st;

    if (s->denied || !sitejob_named (s, slash ? slash + 1 : dir) ||
        lstat (dir, &st) < 0) {
        s->unreadable++;
        return;
    }
    s->denied = strdup (dir);
    s->denied_uid = st.st_uid;
}

static int sitejob_walk (struct sitejob *s, const char *dir, int depth);

static int sitejob_below (struct sitejob *s, const char *dir, int depth)
{
    DIR *d = opendir (dir);
    const struct dirent *entry;
    struct stat st;
    int rc = 0;

    if (!d)
        sitejob_deny (s, dir);
    while (rc == 0 && d && (entry = readdir (d))) {
        char *path;

        if (entry->d_name[0] == '.' ||
            fstatat (dirfd (d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR (st.st_mode))
            continue;
        path = path_join (dir, entry->d_name);
        rc = path ? sitejob_walk (s, path, depth + 1) : -1;
        free (path);
    }
    if (d)
        (void)closedir (d);
    return rc;
}

static int sitejob_walk (struct sitejob *s, const char *dir, int depth)
{
    char *json = path_join (dir, "job.json");
    struct stat st;
    int rc = json ? 0 : -1;

    if (json && lstat (json, &st) == 0) {
        if (S_ISREG (st.st_mode))
            rc = sitejob_read (s, dir, json, &st);
    } else if (json && errno == EACCES)
        sitejob_deny (s, dir);
    else if (json && depth < SITEJOB_DEPTH)
        rc = sitejob_below (s, dir, depth);
    free (json);
    return rc;
}

int sitejob_find (struct sitejob *s, const char *dir)
{
    return sitejob_walk (s, dir, 0);
}

void sitejob_clear (struct sitejob *s)
{
    for (size_t i = 0; i < s->dirs; i++)
        free (s->dir[i].path);
    free (s->dir);
    free (s->denied);
    memset (s, 0, sizeof (*s));
}
