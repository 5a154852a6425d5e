/* SPDX-License-Identifier: MIT
 *
 * find.c - paths of the command line -> jobs and their trace files
 *
 * In:  files, job directories (job.json), sweep directories
 * Out: struct job, to sources.c, which opens their traces
 */
#include "config.h"

#include "analyze/trace/find.h"
#include "lib/base/array.h"
#include "lib/base/text.h"
#include "lib/settings/detail.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "lib/util/ytree.h"

#include <dirent.h>
#include <sys/resource.h>

static uint64_t jobinfo_number (const struct ynode *root, const char *key)
{
    uint64_t n = 0;

    parse_u64 (ynode_text (root, key, "0"), &n);
    return n;
}

/* A number from 0 on. */
static double
jobinfo_real (const struct ynode *root, const char *key, double fallback)
{
    const char *text = ynode_text (root, key, "");
    char *end;
    double n = strtod (text, &end);

    return end > text && !*end && n >= 0 && isfinite (n) ? n : fallback;
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

/* As in paths.c, a list of what is recorded is more particular than the
 * default of exclude. */
static void jobinfo_fill_filter (struct job_info *info,
                                 const struct ynode *root)
{
    const char *include = jobinfo_setting (root, SETTING_ID_include, "");
    const char *exclude = jobinfo_setting (
        root, SETTING_ID_exclude,
        include[0] ? "" : setting_info (SETTING_ID_exclude)->value);

    info->include = xstrdup (include);
    info->exclude = xstrdup (exclude);
}

/* Texts of job.json. */
static const struct {
    size_t at; /* offset in struct job_info */
    const char *key;
} jobinfo_texts[] = {
    {offsetof (struct job_info, name), "job_name"},
    {offsetof (struct job_info, user), "user"},
    {offsetof (struct job_info, nodelist), "nodelist"},
    {offsetof (struct job_info, layers), "layers"},
    {offsetof (struct job_info, detail), "detail"},
    {offsetof (struct job_info, point), "point"},
    {offsetof (struct job_info, created), "created"},
    {offsetof (struct job_info, command), "command"},
};

static char **jobinfo_text (struct job_info *info, size_t i)
{
    return (void *)((char *)info + jobinfo_texts[i].at);
}

static void jobinfo_fill (struct job_info *info, const struct ynode *root)
{
    uint64_t task;

    info->job_id = jobinfo_number (root, "job_id");
    info->array_job_id = jobinfo_number (root, "array_job_id");
    info->nodes = jobinfo_number (root, "nnodes");
    info->cpus = jobinfo_number (root, "cpus_allowed");
    info->cpu_limit = jobinfo_real (root, "cpu_limit", 0);
    info->throttled_s = jobinfo_real (root, "cpu_throttled_s", -1);
    info->array_task_id = -1;
    if (parse_u64 (ynode_text (root, "array_task_id", ""), &task) == 0 &&
        info->array_job_id && task < INT32_MAX)
        info->array_task_id = (int64_t)task;
    for (size_t i = 0; i < ITEMS (jobinfo_texts); i++)
        *jobinfo_text (info, i) =
            xstrdup (ynode_text (root, jobinfo_texts[i].key, ""));
    jobinfo_fill_filter (info, root);
}

int jobinfo_load (struct job_info *info, const char *dir, struct errtext *err)
{
    char *path = dir ? path_join (dir, "job.json") : NULL;
    struct ytree *tree;

    memset (info, 0, sizeof (*info));
    info->present = path && access (path, F_OK) == 0;
    tree = info->present ? ytree_load (path, err) : NULL;
    jobinfo_fill (info, tree ? ytree_root (tree) : NULL);
    ytree_destroy (tree);
    free (path);
    return info->present && !tree ? -1 : 0;
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
    for (size_t i = 0; i < ITEMS (jobinfo_texts); i++)
        free (*jobinfo_text (info, i));
    free (info->include);
    free (info->exclude);
    memset (info, 0, sizeof (*info));
}

void filelimit_raise (void)
{
    struct rlimit limit;

    if (getrlimit (RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit (RLIMIT_NOFILE, &limit);
    }
}

enum { RUN_DEPTH_MAX = 5 }; /* runs/LABEL.ID/rN/aN/trace */

static int is_dir (const char *path)
{
    struct stat st;

    return stat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

static int find_is_file (const char *path)
{
    struct stat st;

    return lstat (path, &st) == 0 && S_ISREG (st.st_mode);
}

static int
find_has (const char *dir, const char *name, int (*test) (const char *path))
{
    char *path = path_join (dir, name);
    int yes = test (path);

    free (path);
    return yes;
}

/* --- jobs ---------------------------------------------------------------- */

static struct job *new_job (struct joblist *list)
{
    struct job *job = APPEND (list->item, list->count, list->room);

    job->checkpoints = strmap_create ();
    return job;
}

static void find_add_file (struct joblist *list, const char *path)
{
    struct job *job = new_job (list);
    const char *base = strrchr (path, '/');

    job_add_source (job, xstrdup (path));
    jobinfo_load (&job->info, NULL, NULL);
    job->label = xstrdup (base ? base + 1 : path);
}

/* The last component that says something, of "a/b/", ".", "x/..". */
static char *find_name_of (const char *path)
{
    char *real = realpath (path, NULL);
    const char *base = real ? strrchr (real, '/') : NULL;
    char *name = xstrdup (base && base[1] ? base + 1 : path);

    free (real);
    return name;
}

/* "LABEL.ID/r0/a0/trace" -> "LABEL", "LABEL.ID/r2/a0/trace" -> "LABEL/r2":
 * what a reader needs to tell runs of a sweep apart. In place. */
static void find_shorten (char *label)
{
    char *id = label + strcspn (label, "/"), *to, *from = id;

    while (id > label && *id != '.')
        id--;
    to = id > label ? id : from;
    while (*from) {
        size_t n = 1 + strcspn (from + 1, "/");

        if (!(n == 3 &&
              (memcmp (from, "/r0", n) == 0 || memcmp (from, "/a0", n) == 0)) &&
            !(n == 6 && memcmp (from, "/trace", n) == 0)) {
            memmove (to, from, n);
            to += n;
        }
        from += n;
    }
    *to = '\0';
}

static void add_dir (struct joblist *list, const char *path, const char *label)
{
    struct job *job = new_job (list);

    job->dir = xstrdup (path);
    jobinfo_load (&job->info, path, &job->problem);
    job->label = label ? xstrdup (label)
                 : job->info.point && *job->info.point
                     ? xstrdup (job->info.point)
                     : find_name_of (path);
    if (label)
        find_shorten (job->label);
}

static int looks_like_job (const char *path)
{
    return find_has (path, "shards", is_dir) ||
           find_has (path, "job.json", find_is_file) ||
           find_has (path, "trace.dft", find_is_file);
}

static int is_subdir_name (const struct dirent *d)
{
    return d->d_name[0] != '.';
}

/* Jobs below path, in order of their names. */
static void
walk_runs (struct joblist *list, const char *path, const char *label, int depth)
{
    struct dirent **names = NULL;
    int n = -1;

    if (looks_like_job (path))
        add_dir (list, path, label);
    else if (depth < RUN_DEPTH_MAX)
        n = scandir (path, &names, is_subdir_name, versionsort);
    for (int i = 0; i < n; i++) {
        char *sub = path_join (path, names[i]->d_name);
        char *sublabel = label ? path_join (label, names[i]->d_name)
                               : xstrdup (names[i]->d_name);

        if (is_dir (sub))
            walk_runs (list, sub, sublabel, depth + 1);
        free (sub);
        free (sublabel);
        free (names[i]);
    }
    free (names);
}

static int
add_sweep (struct joblist *list, const char *path, struct errtext *err)
{
    size_t before = list->count;
    char *runs = path_join (path, "runs");

    walk_runs (list, runs, NULL, 0);
    free (runs);
    return list->count > before
               ? 0
               : errf (err,
                       "%s: no run of this sweep has traces yet: see "
                       "dftrace sweep status",
                       path);
}

int joblist_add (struct joblist *list, const char *path, struct errtext *err)
{
    errno = 0;
    if (find_is_file (path)) {
        find_add_file (list, path);
        return 0;
    }
    if (!is_dir (path))
        return errf (err, "%s: %s", path,
                     errno ? strerror (errno) : "not a file or directory");
    if (!looks_like_job (path) &&
        find_has (path, "manifest.json", find_is_file) &&
        find_has (path, "runs", is_dir))
        return add_sweep (list, path, err);
    add_dir (list, path, NULL);
    return 0;
}

/* The newest job so far: when it was made, as its job.json says ("…Z", so that
 * texts compare like times), and for jobs of one second when that file changed.
 */
struct find_newest {
    char created[32];
    struct timespec changed;
};

static int find_is_newer (const struct find_newest *a,
                          const struct find_newest *b)
{
    return (strcmp (a->created, b->created)
                ?: ORDER (a->changed.tv_sec, b->changed.tv_sec)
                ?: ORDER (a->changed.tv_nsec, b->changed.tv_nsec)) > 0;
}

/* 0, or -1 where the directory has no job.json that is a file. */
static int find_when (struct find_newest *when, const char *job)
{
    char json[PATH_MAX + 16];
    struct job_info info;
    struct errtext err;
    struct stat st;
    struct tm tm;

    snprintf (json, sizeof (json), "%s/job.json", job);
    if (lstat (json, &st) < 0 || !S_ISREG (st.st_mode))
        return -1;
    when->changed = st.st_ctim;
    jobinfo_load (&info, job, &err);
    if (info.created &&
        strlen (info.created) == strlen ("2026-01-01T00:00:00Z"))
        snprintf (when->created, sizeof (when->created), "%s", info.created);
    else
        strftime (when->created, sizeof (when->created), "%Y-%m-%dT%H:%M:%SZ",
                  gmtime_r (&st.st_ctime, &tm));
    jobinfo_clear (&info);
    return 0;
}

/* Look at dir and the directories in it for one that is newer than *newest. */
static void
find_newer (const char *dir, char path[PATH_MAX], struct find_newest *newest)
{
    struct dirent **names = NULL;
    int n = scandir (dir, &names, NULL, NULL);

    for (int i = 0; i < n; i++) {
        char job[PATH_MAX];
        struct find_newest when;

        snprintf (job, sizeof (job), "%s/%s", dir, names[i]->d_name);
        if (strcmp (names[i]->d_name, "..") != 0 &&
            find_when (&when, job) == 0 && find_is_newer (&when, newest)) {
            *newest = when;
            snprintf (path, PATH_MAX, "%s", job);
        }
        free (names[i]);
    }
    free (names);
}

int job_newest (char path[PATH_MAX])
{
    struct find_newest newest = {"", {0, 0}};

    path[0] = '\0';
    find_newer (".", path, &newest);
    find_newer ("./dftrace", path, &newest);
    if (path[0] == '.' && path[1] == '/')
        memmove (path, path + 2, strlen (path) - 1);
    return *path ? 0 : -1;
}

void joblist_clear (struct joblist *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct job *job = &list->item[i];

        job_drop_sources (job);
        jobinfo_clear (&job->info);
        doing_forget (job);
        strmap_destroy (job->checkpoints);
        free (job->dir);
        free (job->label);
    }
    free (list->item);
    memset (list, 0, sizeof (*list));
}
