/* SPDX-License-Identifier: MIT
 *
 * submit.c - arrays of a frozen sweep -> Slurm
 *
 * In:  an open sweep directory, its journal
 * Out: jobs/NAME.sbatch, held arrays, one analysis job after all of them, then
 *      the release; each step in the journal before and after
 * Caveat: nothing runs before the journal is complete, so a crash leaves only
 *      held jobs, which the next submit adopts by their unique names.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "sweep/grow.h"
#include "sweep/program.h"
#include "sweep/slurm.h"
#include "sweep/submit.h"

enum { SCRIPT_BYTES_MAX = 4 * 1024 * 1024 };

struct submission {
    struct sweepdir *sweep;
    struct arena *arena;
    struct journal journal;
    int hold;
    void (*say) (void *cookie, const char *line);
    void *cookie;
    struct submit_report *report;
    struct errtext *err;
};

struct arguments {
    struct arena *arena;
    const char **argv;
    size_t count;
};

static void put (struct arguments *a, const char *word)
{
    a->argv = arena_grow (a->arena, a->argv, a->count, sizeof (*a->argv));
    a->argv[a->count++] = word;
}

static const char **finish (struct arguments *a)
{
    put (a, NULL);
    return a->argv;
}

/* -- the batch script -------------------------------------------------- */

/* #SBATCH lines of the user's script, up to its first command. */
static const char *directives (struct sweepdir *d)
{
    const char *out = "";
    char *text, *line, *save = NULL;

    if (!d->spec->script)
        return out;
    text = read_file (arena_format (d->arena, "%s/script", d->path),
                      SCRIPT_BYTES_MAX, NULL, NULL);
    for (line = text ? strtok_r (text, "\n", &save) : NULL; line;
         line = strtok_r (NULL, "\n", &save)) {
        line += strspn (line, " \t");
        if (*line != '#' && *line)
            break;
        if (!strncmp (line, "#SBATCH", 7))
            out = arena_format (d->arena, "%s%s\n", out, line);
    }
    free (text);
    return out;
}

static const char *
script_text (struct sweepdir *d, const struct chunk *c, const char *command)
{
    struct arena *a = d->arena;

    return arena_format (
        a,
        "#!/bin/bash\n%s"
        "# sweep %s, array %s: %d task%s, one run each (see %s.map); "
        "submitted by:\n"
        "#   %s\n"
        "exec %s sweep exec %s %s %s\n",
        directives (d), d->spec->name, c->name, c->count,
        c->count == 1 ? "" : "s", c->name, command,
        shell_quote (a, program_self (a)), shell_quote (a, d->path), c->name,
        d->spec->mode == MODE_PACK ? "all" : "\"$SLURM_ARRAY_TASK_ID\"");
}

static const char *
command_text (struct arena *a, const char *name, const char *const *argv)
{
    const char *text =
        arena_format (a, "sbatch --parsable --job-name=%s", name);

    for (size_t i = 0; argv[i]; i++)
        text = arena_format (a, "%s %s", text, shell_quote (a, argv[i]));
    return text;
}

/* -- one array --------------------------------------------------------- */

/* What a resume with --grow asks for. */
static const char *
grown (struct arena *a, const struct chunk *c, const struct name_text *o)
{
    const char *more = NULL;

    if (!o->text)
        return NULL;
    if (c->grow_time > 0 && !strcmp (o->name, "time"))
        more = grow_time (a, o->text, c->grow_time);
    if (c->grow_mem > 0 && !strncmp (o->name, "mem", 3))
        more = grow_mem (a, o->text, c->grow_mem);
    return more ? more : o->text;
}

static void
put_options (struct arguments *v, const struct chunk *c, const struct point *p)
{
    for (size_t i = 0; i < p->options; i++) {
        const struct name_text *o = &p->option[i];

        const char *text = grown (v->arena, c, o);

        put (v, text ? arena_format (v->arena, "--%s=%s", o->name, text)
                     : arena_format (v->arena, "--%s", o->name));
    }
}

static const char **array_arguments (struct submission *s,
                                     const struct chunk *c,
                                     const char *script)
{
    struct sweepdir *d = s->sweep;
    struct arguments v = {.arena = s->arena};

    put (&v, "--hold");
    if (d->spec->mode != MODE_PACK)
        put (&v, arena_format (
                     s->arena, "--array=0-%d%s", c->count - 1,
                     c->throttle ? arena_format (s->arena, "%%%d", c->throttle)
                                 : ""));
    put (&v, arena_format (s->arena, "--output=%s/slurm/%s.out", d->path,
                           d->spec->mode == MODE_PACK ? "%j" : "%A_%a"));
    put (&v, arena_format (s->arena, "--chdir=%s", d->cwd));
    put (&v, "--open-mode=append");
    put (&v, "--no-requeue");
    if (c->after >= 0)
        put (&v, arena_format (s->arena, "--dependency=afterany:%s",
                               s->journal.job[c->after]));
    put_options (&v, c, &d->grid->point[c->run[0].point]);
    if (d->spec->layers)
        put (&v, arena_format (s->arena, "--dftrace=%s", d->spec->layers));
    put (&v, arena_text (s->arena, script));
    return finish (&v);
}

const char *submit_preview (struct sweepdir *d, const struct chunk *c)
{
    struct submission s = {.sweep = d, .arena = d->arena};
    const char *script =
        arena_format (d->arena, "%s/jobs/%s.sbatch", d->path, c->name);

    return script_text (d, c,
                        command_text (d->arena, sweepdir_job_name (d, c->name),
                                      array_arguments (&s, c, script)));
}

static int explain_sbatch (struct submission *s, const char *name)
{
    const char *text = arena_text (s->arena, s->err->text);
    const char *next = "correct the sweep file, remove the directory, and "
                       "submit again";

    if (strstr (text, "--dftrace"))
        next = "the Slurm plugin is not there: see `dftrace help`, or use "
               "`trace: off`";
    else if (strstr (text, "job submit limit") || strstr (text, "QOS"))
        next = "wait for other jobs to end and run `submit` again";
    return errf (s->err, "%s: %s: nothing was released: %s", name, text, next);
}

static int submit_chunk (struct submission *s, size_t n)
{
    struct sweepdir *d = s->sweep;
    const struct chunk *c = &d->layout->chunk[n];
    const char *name = sweepdir_job_name (d, c->name), *job, *script;
    const char **argv;
    int adopted;

    script = arena_format (s->arena, "%s/jobs/%s.sbatch", d->path, c->name);
    argv = array_arguments (s, c, script);
    if (write_file (script, 0755,
                    script_text (d, c, command_text (s->arena, name, argv)),
                    s->err) < 0 ||
        journal_add (d, s->err, "intent", "array", c->name, "job_name", name,
                     NULL) < 0)
        return -1;
    if (slurm_submit (s->arena, name, argv, &job, &adopted, s->err) < 0) {
        (void)journal_add (d, NULL, "refused", "array", c->name, "why",
                           s->err->text, NULL);
        return explain_sbatch (s, c->name);
    }
    if (journal_add (d, s->err, adopted ? "adopted" : "submitted", "array",
                     c->name, "job", job, NULL) < 0)
        return -1;
    s->journal.job[n] = job;
    s->report->arrays++;
    s->say (s->cookie,
            arena_format (
                s->arena, "%s: job %s, tasks 0-%d%s%s", c->name, job,
                c->count - 1,
                c->throttle ? arena_format (s->arena, "%%%d", c->throttle) : "",
                adopted ? " (sbatch failed, but Slurm has it)" : ""));
    return 0;
}

/* An intent without an answer: did it get in before the crash? */
static int adopt (struct submission *s, size_t n)
{
    struct sweepdir *d = s->sweep;
    const struct chunk *c = &d->layout->chunk[n];
    const char *job = slurm_find (s->arena, sweepdir_job_name (d, c->name));

    if (!job)
        return 0;
    s->journal.job[n] = job;
    s->report->arrays++;
    s->say (s->cookie, arena_format (s->arena, "%s: job %s, found in Slurm",
                                     c->name, job));
    return journal_add (d, s->err, "adopted", "array", c->name, "job", job,
                        NULL);
}

static int submit_arrays (struct submission *s)
{
    size_t chunks = s->sweep->layout->chunks;

    for (size_t i = 0; i < chunks; i++) {
        if (s->journal.job[i]) {
            s->report->before++;
            continue;
        }
        if (adopt (s, i) < 0)
            return -1;
        if (!s->journal.job[i] && submit_chunk (s, i) < 0)
            return -1;
    }
    return 0;
}

/* -- the analysis job -------------------------------------------------- */

/* Where the runs may go, the analysis may go: options of a place that are the
 * same for all points. */
static void put_place (struct submission *s, struct arguments *v)
{
    static const char *const place[] = {"partition",   "account",  "qos",
                                        "reservation", "clusters", "licenses",
                                        "constraint",  NULL};
    const struct grid *g = s->sweep->grid;

    for (size_t i = 0; i < g->point[0].options; i++) {
        const struct name_text *o = &g->point[0].option[i];

        for (size_t k = 0; place[k] && o->text && g->groups == 1; k++)
            if (!strcmp (place[k], o->name) && strcmp (o->name, "licenses"))
                put (v, arena_format (v->arena, "--%s=%s", o->name, o->text));
    }
}

const char *submit_job_list (const struct sweepdir *d, const struct journal *j)
{
    const char *list = "";

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (j->job[i])
            list = arena_format (d->arena, "%s%s%s", list, *list ? "," : "",
                                 j->job[i]);
    return list;
}

/* The arrays of the last round. */
static const char *round_jobs (const struct submission *s)
{
    const struct layout *l = s->sweep->layout;
    const char *list = "";

    for (size_t i = 0; i < l->chunks; i++)
        if (l->chunk[i].round == s->sweep->rounds - 1 && s->journal.job[i])
            list = arena_format (s->arena, "%s%s%s", list, *list ? "," : "",
                                 s->journal.job[i]);
    return list;
}

/* Slurm refuses to wait for a job that it forgot: of the arrays of earlier
 * rounds only those count that it still has. */
static int is_awaited (struct submission *s, const struct chunk *c)
{
    const char *job = s->journal.job[c - s->sweep->layout->chunk];
    struct slurm_queue q;

    if (!job)
        return 0;
    if (c->round == s->sweep->rounds - 1)
        return 1;
    if (slurm_queue_read (s->arena, job, 0, &q, NULL) < 0)
        return 0;
    for (size_t i = 0; i < q.count; i++)
        if (!slurm_task_is_over (&q.task[i]))
            return 1;
    return 0;
}

static const char *analysis_name (const struct submission *s)
{
    int round = s->sweep->rounds - 1;

    return sweepdir_job_name (
        s->sweep,
        round ? arena_format (s->arena, "a%d.analysis", round) : "analysis");
}

static const char **analysis_arguments (struct submission *s,
                                        const char *script)
{
    struct sweepdir *d = s->sweep;
    struct arguments v = {.arena = s->arena};
    const char *after = "--dependency=afterany";

    for (size_t i = 0; i < d->layout->chunks; i++)
        if (is_awaited (s, &d->layout->chunk[i]))
            after = arena_format (s->arena, "%s:%s", after, s->journal.job[i]);
    put (&v, arena_text (s->arena, after));
    put (&v, "--kill-on-invalid-dep=yes");
    put (&v, "--nodes=1");
    put (&v, "--ntasks=1");
    put (&v, arena_format (s->arena, "--output=%s/slurm/analysis.%%j.out",
                           d->path));
    put (&v, arena_format (s->arena, "--chdir=%s", d->path));
    put_place (s, &v);
    put (&v, arena_text (s->arena, script));
    return finish (&v);
}

/* The one that waits for the arrays of before would make tables too early. */
static void drop_analysis (struct submission *s)
{
    const char *jobs[] = {s->journal.analysis, NULL};

    if (slurm_cancel (s->arena, jobs, 1, NULL) == 0)
        s->say (s->cookie, arena_format (s->arena,
                                         "analysis %s: cancelled if "
                                         "it was still waiting",
                                         s->journal.analysis));
}

/* Who runs the waves of `retry:`: the analysis job, as it comes after all
 * arrays anyway. The round it adds has an analysis of its own. */
static const char *retry_text (struct sweepdir *d)
{
    if (!d->spec->retry.on)
        return "";
    return arena_format (d->arena, "%s sweep resume --auto %s\n",
                         shell_quote (d->arena, program_self (d->arena)),
                         shell_quote (d->arena, d->path));
}

static int submit_analysis (struct submission *s)
{
    struct sweepdir *d = s->sweep;
    struct arena *a = s->arena;
    const char *name = analysis_name (s), *job, *script, *text;
    const char **argv;
    int adopted;

    if (s->journal.analysis_round >= d->rounds - 1)
        return 0;
    if (s->journal.analysis)
        drop_analysis (s);
    script = arena_format (a, "%s/jobs/analysis.sbatch", d->path);
    argv = analysis_arguments (s, script);
    text = arena_format (a,
                         "#!/bin/bash\n"
                         "# sweep %s: the tables, after all arrays; "
                         "submitted by:\n#   %s\n"
                         "%s"
                         "exec %s sweep results %s --write\n",
                         d->spec->name, command_text (a, name, argv),
                         retry_text (d), shell_quote (a, program_self (a)),
                         shell_quote (a, d->path));
    if (write_file (script, 0755, text, s->err) < 0)
        return -1;
    if (slurm_submit (a, name, argv, &job, &adopted, s->err) < 0)
        return explain_sbatch (s, "analysis");
    s->journal.analysis = job;
    s->say (s->cookie, arena_format (a, "analysis: job %s, after %s", job,
                                     round_jobs (s)));
    return journal_add (d, s->err, "analysis", "job", job, "round",
                        arena_format (a, "%d", d->rounds - 1), NULL);
}

static int release (struct submission *s)
{
    int round = s->sweep->rounds - 1;

    if (s->hold || s->journal.released_round >= round)
        return 0;
    if (slurm_release (s->arena, round_jobs (s), s->err) < 0)
        return -1;
    s->report->released = 1;
    return journal_add (s->sweep, s->err, "released", "round",
                        arena_format (s->arena, "%d", round), NULL);
}

int submit_sweep (struct sweepdir *d,
                  int hold,
                  void (*say) (void *cookie, const char *line),
                  void *cookie,
                  struct submit_report *report,
                  struct errtext *err)
{
    struct submission s = {.sweep = d,
                           .arena = d->arena,
                           .hold = hold,
                           .say = say,
                           .cookie = cookie,
                           .report = report,
                           .err = err};

    memset (report, 0, sizeof (*report));
    if (journal_read (d, &s.journal, err) < 0)
        return -1;
    for (size_t i = 0; i < d->layout->chunks; i++)
        if (d->layout->chunk[i].round == d->rounds - 1 &&
            s.journal.cancelled[i])
            return errf (err,
                         "%s: was cancelled: `dftrace sweep resume` runs "
                         "what is not done",
                         d->path);
    if (submit_arrays (&s) < 0 || submit_analysis (&s) < 0)
        return -1;
    return release (&s);
}
