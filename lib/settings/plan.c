/* SPDX-License-Identifier: MIT
 *
 * plan.c - who said what of a job -> what becomes of one task
 *
 * In:  --dftrace, SLURM_DFTRACE, DFTRACE_*, the site's settings and rules
 * Out: struct plan
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/settings/plan.h"

/* Layers that record something. */
enum {
    LAYERS_DATA = LAYER_POSIX | LAYER_STDIO | LAYER_APP | LAYER_MMAP |
                  LAYER_NET | LAYERS_ABOVE
};

int plan_is_unset (const char *text)
{
    return !text || !*text || strcmp (text, "(null)") == 0;
}

static int is_inherited (const struct jobinfo *job,
                         const struct plan_sources *from)
{
    char own[32];
    const char *text = from->lookup (from->cookie, PLAN_OWNER);

    FORMAT (own, "%" PRIu64, job->job_id);
    return text && strcmp (text, own) != 0;
}

struct filtered {
    const struct plan_sources *from;
    int inherited;
};

/* Return a variable of the user's environment if users may give that setting,
 * and, in an environment of another job, it is not about that job. */
static const char *user_lookup (void *cookie, const char *name)
{
    const struct filtered *f = cookie;
    unsigned who = BY_USER;

    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        if (strcmp (name, setting_info (id)->env) == 0)
            who = setting_info (id)->who;
    return who & BY_USER && !(f->inherited && who & OF_JOB)
               ? f->from->lookup (f->from->cookie, name)
               : NULL;
}

/* Node matters are not for the task's environment. */
static void hide_site_settings (struct settings *s)
{
    for (int id = 0; id < SETTING_COUNT_ALL; id++)
        if (setting_info (id)->who & OF_NODE)
            s->given &= ~((uint64_t)1 << id);
}

static void set_layers (struct settings *s, unsigned layers)
{
    char text[256];

    settings_set (s, "layers", layers_format (layers, text, sizeof (text)),
                  NULL);
}

/* -- layers ------------------------------------------------------------ */

/* The strongest word that says anything, into spec; 1, 0 for none, -1. Its
 * layers, when it names none, are those of the next. */
static int plan_take_words (struct plan *p,
                            const struct plan_word *words,
                            struct tracespec *spec,
                            int *layers)
{
    struct tracespec *next = NULL;
    struct errtext why;
    int given = 0, rc = 0;

    for (; words->name && *layers < 0; words++) {
        struct tracespec *to = given ? next : spec;

        if (!words->problem && !words->spec && plan_is_unset (words->text))
            continue;
        if (given && !next)
            next = to = malloc (sizeof (*next));
        if (to && words->spec) {
            *to = *words->spec;
        } else if (!to || words->problem ||
                   tracespec_parse (to, words->text, &why) < 0) {
            errf (&p->err, "%s: %s", words->name,
                  words->problem ? words->problem
                  : to           ? why.text
                                 : strerror (ENOMEM));
            rc = -1;
            break;
        }
        given = 1;
        *layers = to->layers;
    }
    free (next);
    return rc < 0 ? -1 : given;
}

/* Layers of the words, else of the site; 0 for none. "strict" or "max_bytes=1G"
 * alone mean what the site does, else posix and app. */
static unsigned settle_layers (int layers,
                               int given,
                               const struct site *site,
                               const struct jobinfo *job)
{
    unsigned set = layers < 0 ? 0 : (unsigned)layers;

    if (set & (LAYER_OFF | LAYERS_DATA))
        return set;
    if (!given)
        return site_layers (site, job);
    if (site->settings.layers & LAYERS_DATA)
        return set | site->settings.layers;
    return set | LAYER_POSIX | LAYER_STDIO | LAYER_APP;
}

/* -- places ------------------------------------------------------------ */

/* A second life must not write into the first one's directory. */
static int expand_dir (struct plan *p,
                       const struct tracespec *spec,
                       const struct jobinfo *job)
{
    char text[SETTING_TEXT_MAX], again[32] = "";
    size_t n;

    if (!(spec->settings.given & SETTING_BIT (job_dir)))
        return 0;
    if (jobdir_expand ("job_dir", spec->settings.job_dir, job, text, &p->err) <
        0)
        return -1;
    if (job->restart)
        FORMAT (again, ".r%" PRIu32, job->restart);
    n = strlen (text);
    if (n + strlen (again) >= sizeof (text)) {
        errno = ENAMETOOLONG;
        return errf (&p->err, "job_dir: too long");
    }
    memcpy (text + n, again, strlen (again) + 1);
    return settings_set (&p->settings, "job_dir", text, &p->err);
}

/* A traced shell's own stage, ROOT/NAME.JOB.NODE.STEP, back to ROOT: its steps
 * find it in their environment, those on other nodes, too. */
static void cut_step (char *root, uint64_t job_id)
{
    char id[32];
    char *slash = strrchr (root, '/'), *step = strrchr (root, '.');

    FORMAT (id, ".%" PRIu64 ".", job_id);
    if (slash && step && step > slash && step[1] &&
        strspn (step + 1, "0123456789") == strlen (step + 1) &&
        strstr (slash, id))
        *slash = '\0';
}

/* <stage>/<last part of the job directory>.<job id>.<node>: a place that
 * several nodes share must not make one of them collect what another one still
 * writes. */
static int choose_stage (struct plan *p, const struct jobinfo *job)
{
    char root[SETTING_TEXT_MAX];
    int n;

    if (!p->settings.stage[0])
        return 0;
    if (jobdir_expand ("stage", p->settings.stage, job, root, &p->err) < 0)
        return -1;
    cut_step (root, job->job_id);
    n = FORMAT (p->stage, "%s%s.%" PRIu64 "%s%s", root, strrchr (p->dir, '/'),
                job->job_id, job->host ? "." : "", job->host ? job->host : "");
    if (n >= (int)sizeof (p->stage) || strpbrk (p->stage, "\t\n") ||
        strpbrk (p->dir, "\t\n")) {
        errno = EINVAL;
        return errf (&p->err, "stage: path too long, or with a tab in it");
    }
    return 0;
}

int plan_step_stage (const struct plan *p,
                     const struct jobinfo *job,
                     char path[SETTING_TEXT_MAX])
{
    int n = 0;

    path[0] = '\0';
    if (p->stage[0])
        n = snprintf (path, SETTING_TEXT_MAX, "%s.%" PRIu32, p->stage,
                      job->step_id);
    return n < SETTING_TEXT_MAX ? 0 : -1;
}

static int choose_places (struct plan *p,
                          const struct tracespec *spec,
                          const struct jobinfo *job)
{
    if (expand_dir (p, spec, job) < 0 ||
        jobdir_path (&p->settings, job, p->dir, &p->err) < 0)
        return -1;
    return choose_stage (p, job);
}

/* -- the story --------------------------------------------------------- */

void plan_without_kernel (struct plan *p, const char *why)
{
    if (p->decision != DECIDED_TRACE || !(p->settings.layers & LAYER_KERNEL))
        return;
    p->settings.layers &= ~(unsigned)LAYER_KERNEL;
    errf (&p->kernel, "%s", why);
    if (!p->strict)
        return;
    p->err = p->kernel;
    p->decision = DECIDED_FAILED;
}

static enum decision plan_decide (struct plan *p,
                                  const struct jobinfo *job,
                                  enum step_kind step,
                                  struct filtered *f,
                                  struct tracespec *spec)
{
    const struct site *site = f->from->site;
    int layers = -1;
    int given = plan_take_words (p, f->from->words, spec, &layers);
    unsigned set;

    if (given < 0)
        return DECIDED_FAILED;
    p->asked = given;
    p->weight = given ? 1 : site_weight (site, job);
    set = settle_layers (layers, given, site, job);
    if (set == LAYER_NONE || (!given && set & LAYER_OFF))
        return DECIDED_NOTHING;
    if (set & LAYER_OFF)
        return DECIDED_OFF;
    p->strict = (set & LAYER_STRICT) != 0;
    p->settings = site->settings;
    if (settings_from (&p->settings, user_lookup, f, &p->err) < 0)
        return DECIDED_FAILED;
    settings_overlay (&p->settings, &spec->settings);
    set_layers (&p->settings, set);
    if (choose_places (p, spec, job) < 0)
        return DECIDED_FAILED;
    hide_site_settings (&p->settings);
    return step == STEP_TASKS || !(set & LAYER_NOBATCH) ? DECIDED_TRACE
                                                        : DECIDED_TELL;
}

void plan_make (struct plan *p,
                const struct plan_sources *from,
                const struct jobinfo *job,
                enum step_kind step)
{
    struct filtered f = {from, 0};
    struct tracespec *spec = NULL;

    ZERO (p);
    if (step == STEP_OTHER)
        return;
    p->shell = step == STEP_SHELL;
    p->inherited = f.inherited = is_inherited (job, from);
    spec = malloc (sizeof (*spec));
    if (spec) {
        spec->layers = -1;
        spec->settings.given = 0;
        p->decision = plan_decide (p, job, step, &f, spec);
    } else {
        err_system (&p->err, NULL, errno);
        p->decision = DECIDED_FAILED;
    }
    free (spec);
    if (!from->site->kernel)
        plan_without_kernel (p, "layer kernel: this site does not allow it");
}
