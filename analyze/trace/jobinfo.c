/* SPDX-License-Identifier: MIT
 *
 * jobinfo.c - job.json of a job directory -> what it says
 *
 * In:  job.json (contract 3), written by the plugin or `dftrace run`
 * Out: struct job_info, to find.c and report.c
 */
#include "config.h"

#include "analyze/trace/jobinfo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/settings/detail.h"
#include "lib/base/parse.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/ytree.h"

static uint64_t jobinfo_number (const struct ynode *root, const char *key)
{
    uint64_t n = 0;

    (void)parse_u64 (ynode_text (root, key, "0"), &n);
    return n;
}

/* A setting as the job had it, else its default. */
static const char *jobinfo_setting (const struct ynode *root,
                                    enum setting_id id,
                                    const char *fallback)
{
    const struct ynode *given = ynode_get (root, "settings");
    const char *env = setting_info (id)->env;

    return given && given->type == YNODE_MAP ? ynode_text (given, env, fallback)
                                             : fallback;
}

/* As in pathfilter.c, a list of what is recorded is more particular than the
 * default of exclude. */
static int jobinfo_fill_filter (struct job_info *info, const struct ynode *root)
{
    const char *include = jobinfo_setting (root, SETTING_ID_include, "");
    const char *exclude = jobinfo_setting (
        root, SETTING_ID_exclude,
        include[0] ? "" : setting_info (SETTING_ID_exclude)->value);

    info->include = strdup (include);
    info->exclude = strdup (exclude);
    return info->include && info->exclude ? 0 : -1;
}

static int jobinfo_fill (struct job_info *info, const struct ynode *root)
{
    uint64_t task;
    const struct {
        char **to;
        const char *key;
    } texts[] = {
        {&info->name, "job_name"},     {&info->user, "user"},
        {&info->nodelist, "nodelist"}, {&info->layers, "layers"},
        {&info->detail, "detail"},     {&info->point, "point"},
        {&info->created, "created"},
    };

    info->job_id = jobinfo_number (root, "job_id");
    info->array_job_id = jobinfo_number (root, "array_job_id");
    info->nodes = jobinfo_number (root, "nnodes");
    info->array_task_id = -1;
    if (parse_u64 (ynode_text (root, "array_task_id", ""), &task) == 0 &&
        info->array_job_id && task < INT32_MAX)
        info->array_task_id = (int64_t)task;
    for (size_t i = 0; i < sizeof (texts) / sizeof (texts[0]); i++)
        if (!(*texts[i].to = strdup (ynode_text (root, texts[i].key, ""))))
            return -1;
    return jobinfo_fill_filter (info, root);
}

int jobinfo_load (struct job_info *info, const char *dir, struct errtext *err)
{
    char *path = dir ? path_join (dir, "job.json") : NULL;
    struct ytree *tree = NULL;
    int rc = 0;

    memset (info, 0, sizeof (*info));
    if (path && access (path, F_OK) == 0) {
        info->present = 1;
        if (!(tree = ytree_load (path, err)))
            rc = -1;
    }
    if (jobinfo_fill (info, tree ? ytree_root (tree) : NULL) < 0)
        rc = errf (err, "%s: %s", dir ? dir : "job", strerror (ENOMEM));
    ytree_destroy (tree);
    free (path);
    return rc;
}

double jobinfo_weight (const struct job_info *info, uint64_t ranks)
{
    struct detail d = {.terms = 0};
    double weight = 1;

    if (!info->detail || detail_parse (info->detail, &d, NULL) < 0)
        return 1;
    if (d.terms & DETAIL_RANK)
        weight *= detail_weight (&d.rank, ranks);
    if (d.terms & DETAIL_STEP)
        weight *= detail_weight (&d.step, 0);
    return weight;
}

void jobinfo_clear (struct job_info *info)
{
    free (info->name);
    free (info->user);
    free (info->nodelist);
    free (info->layers);
    free (info->detail);
    free (info->include);
    free (info->exclude);
    free (info->point);
    free (info->created);
    memset (info, 0, sizeof (*info));
}
