/* SPDX-License-Identifier: MIT
 *
 * cmd_resume.c - `dftrace sweep resume DIR`, `extend DIR SPEC`: another round
 */
#include "config.h"

#include "sweep/submit/submit.h"
#include "sweep/cmd.h"
#include "sweep/plan/sweepdir.h"
#include "sweep/results/runreport.h"
#include "sweep/spec/sbatch.h"

struct resume_options {
    struct filter_options filter;
    enum table_format format;
    const char *grow;
    struct submit_flags flags;
    int same_nodes;
    int retry; /* as the sweep file says */
};

static const struct verb_help resume_help = {
    .usage = "dftrace sweep resume [OPTION…] DIR [RUN…]",
    .summary = "submit again what has ended and is not done",
    .text = "A new, shorter map, new attempts (a1, a2, …) beside the old "
            "ones; what is done, queued\nor running is left alone. The "
            "analysis job that still waits is replaced. --grow\n"
            "multiplies what the sweep file says.",
    .example = "  $ dftrace sweep resume my-study --only timeout,lost "
               "--grow time=2\n"
               "  $ dftrace sweep resume my-study 'mmap-*' --dry-run",
    .exits = "0  submitted, or nothing is left to do; with --wait: all done\n"
             "1  Slurm refused\n4  --wait: some runs are not done",
    .least = 1,
};

/* A crash between the round and the release, or a wave that is still to come:
 * first that. */
static int is_unfinished (const struct sweepdir *d, const struct journal *j)
{
    for (size_t i = 0; i < d->layout->chunks; i++)
        if (!j->job[i] && !j->cancelled[i])
            return 1;
    return j->analysis_behind;
}

/* "2 timeout, 1 lost" */
static const char *counts (struct sweepdir *d, const struct sweep_report *r)
{
    const char *text = "";

    for (int o = 0; o < OUTCOME_COUNT; o++)
        if (r->by_outcome[o] && outcome_class (o) == OUTCOME_BAD)
            text = arena_format ("%s%s%zu %s", text, *text ? ", " : "",
                                 r->by_outcome[o], outcome_word (o));
    return text;
}

static int again (struct sweepdir *d, const struct resume_options *o)
{
    struct resume_plan p = {.runs = 0};
    FILE *talk = cmd_talk (o->format);
    struct sweep_report r;
    struct errtext err;
    int lost;

    if (o->grow && grow_parse (o->grow, &p.grow_time, &p.grow_mem, &err) < 0)
        die_with (EXIT_USAGE, "--grow: %s", err.text);
    cmd_filter (d, STATUS_SLURM | (o->retry ? STATUS_SETTLED : 0), &o->filter,
                EXIT_FAILED, &r);
    if (!r.slurm_known)
        die ("slurm: does not answer: what still runs is not known: %s",
             r.silence);
    if (o->retry)
        resume_choose_retries (d, &r, &p);
    else
        resume_choose (d, &r, &p);
    lost = r.analysis_lost && !o->retry;
    if (lost)
        fprintf (talk, "analysis: job %s is gone and has made no tables\n",
                 r.analysis_lost);
    if (lost && !o->flags.dry)
        journal_add (d, "analysis lost", "job", r.analysis_lost, NULL);
    if (!p.runs && lost)
        return o->flags.dry ? EXIT_OK
                            : cmd_submit (d, &o->flags, o->format, "");
    if (!p.runs) {
        fprintf (talk,
                 "nothing to do: no such run has ended without being done\n");
        return EXIT_OK;
    }
    if (o->same_nodes)
        resume_same_nodes (d, &r, &p);
    resume_check_grow (d, &p);
    fprintf (talk, "%zu run%s (%s), round %d\n", p.runs, p.runs == 1 ? "" : "s",
             counts (d, &r), d->rounds);
    if (o->flags.dry) {
        cmd_table (runtable_planned (d, p.run, p.runs), o->format);
        return EXIT_OK;
    }
    resume_write (d, &p);
    return cmd_submit (sweepdir_open (d->path), &o->flags, o->format, "");
}

int sweep_cmd_resume (int argc, char **argv)
{
    struct resume_options o = {.grow = NULL};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        FORMAT_OPTION (o.format),
        {"same-nodes", 0, OPT_FLAG, &o.same_nodes, NULL,
         "every run on the nodes of its last attempt"},
        {"grow", 0, OPT_TEXT, &o.grow, "FACTORS",
         "more time or memory, as in time=2,mem=1.5"},
        {"dry-run", 0, OPT_FLAG, &o.flags.dry, NULL,
         "say which runs, submit nothing"},
        {"auto", 0, OPT_FLAG, &o.retry, NULL,
         "what `retry:` of the sweep file says; the analysis job does this"},
        {"hold", 0, OPT_FLAG, &o.flags.hold, NULL, "leave the arrays held"},
        {"wait", 0, OPT_FLAG, &o.flags.wait, NULL,
         "wait for the end of the analysis job"},
        OPT_END,
    };
    struct sweepdir *d = cmd_begin (opts, &resume_help, argc, argv, &o.filter);
    struct journal j;

    sweepdir_lock (d);
    journal_read (d, &j);
    if (!j.submitted)
        die ("%s: was never submitted: use `dftrace sweep submit`, or `run "
             "--local` again",
             d->path);
    if (!is_unfinished (d, &j) || o.flags.dry)
        return again (d, &o);
    fprintf (cmd_talk (o.format),
             "the last submission is not complete: going on with it\n");
    return cmd_submit (d, &o.flags, o.format, "");
}

/* ---- `dftrace sweep extend DIR SPEC`: more values, more repeats ---- */

struct extend_options {
    struct filter_options filter; /* of the new runs */
    enum table_format format;
    struct opt_list accept;
    struct submit_flags flags;
};

static const struct verb_help extend_help = {
    .usage = "dftrace sweep extend [OPTION…] DIR SPEC [RUN…]",
    .summary = "add values, axes or repeats to a frozen sweep; its runs stay",
    .text = "Points keep their ids when axes get more values; a new axis says "
            "under `was:` which value\nthe old points had. What else shapes a "
            "run must not have changed, unless it is accepted\nby name; the "
            "journal keeps that. The new runs are a round of their own.",
    .example = "  $ dftrace sweep extend my-study study.yaml --dry-run\n"
               "  $ dftrace sweep extend my-study study.yaml "
               "--accept-change setup",
    .exits = "0  extended, or nothing is new\n"
             "1  refused; nothing was changed\n6  the sweep file has an error",
    .least = 2,
};

/* Parts that shape a run. */
static const char *const parts[] = {
    "const", "derive", "env",  "setup", "run",     "teardown", "script",
    "slurm", "trace",  "data", "cold",  "task_id", NULL};
/* Parts that place runs of before: never to change. */
static const char *const fixed[] = {"sweep", "seed", "control", NULL};

static int is_accepted (const struct extend_options *o, const char *part)
{
    for (int i = 0; i < o->accept.count; i++)
        if (!strcmp (o->accept.item[i], part))
            return 1;
    return 0;
}

static int
differs (const struct spec *x, const struct spec *y, const char *part)
{
    char before[65], now[65];

    spec_digest (x, part, before);
    spec_digest (y, part, now);
    return strcmp (before, now) != 0;
}

/* Parts that have changed and were accepted, "env run"; others are refused. */
static const char *check_parts (struct sweepdir *d,
                                const struct spec *s,
                                const struct extend_options *o)
{
    const char *changed = "", *taken = "";

    for (size_t i = 0; fixed[i]; i++)
        if (differs (d->spec, s, fixed[i]))
            die ("%s: %s has changed: that would be another sweep", d->path,
                 fixed[i]);
    for (size_t i = 0; parts[i]; i++) {
        const char **list = is_accepted (o, parts[i]) ? &taken : &changed;

        if (differs (d->spec, s, parts[i]))
            *list = arena_format ("%s%s%s", *list, **list ? " " : "", parts[i]);
    }
    if (*changed)
        die ("%s: has changed: %s: the runs of before would not be of this "
             "sweep: --accept-change NAME, or a sweep of its own",
             d->path, changed);
    return taken;
}

static void check_accepted_names (const struct extend_options *o)
{
    for (int i = 0; i < o->accept.count; i++) {
        size_t k = 0;

        while (parts[k] && strcmp (parts[k], o->accept.item[i]))
            k++;
        if (!parts[k])
            die_with (EXIT_USAGE,
                      "--accept-change: %s: is none of const derive env setup "
                      "run teardown script slurm trace data cold",
                      o->accept.item[i]);
    }
}

static const struct point *point_of_id (const struct grid *g, const char *id)
{
    for (size_t i = 0; i < g->count; i++)
        if (!strcmp (g->point[i].id, id))
            return &g->point[i];
    return NULL;
}

/* Every point of before is there, under its name. */
static void check_points (const struct sweepdir *d,
                          const struct spec *s,
                          const struct grid *g)
{
    if (s->repeats < d->spec->repeats)
        die ("%s: has %d repeats: they can only become more", d->path,
             d->spec->repeats);
    for (size_t i = 0; i < d->grid->count; i++) {
        const struct point *old = &d->grid->point[i];
        const struct point *p = point_of_id (g, old->id);

        if (!p)
            die ("%s: %s (%s) is no point of the new file: keep its values; "
                 "for a new axis say `was:`",
                 d->path, old->label, old->id);
        if (strcmp (p->label, old->label))
            die ("%s: %s (%s) is now called %s: keep the label of what is "
                 "there",
                 d->path, old->label, old->id, p->label);
    }
}

/* Submit the new round, when the sweep was submitted at all. */
static int go_on (const char *path,
                  const char *spec_path,
                  const char *taken,
                  const struct extend_options *o)
{
    struct sweepdir *d = sweepdir_open (path);
    struct journal j;

    journal_read (d, &j);
    journal_add (d, "extended", "accepted", taken, NULL);
    if (j.submitted)
        return cmd_submit (d, &o->flags, o->format, "held. ");
    fprintf (cmd_talk (o->format),
             "never submitted so far: `dftrace sweep submit %s`, or `run "
             "%s --local`, does the rest\n",
             spec_path, spec_path);
    return EXIT_OK;
}

/* Keep the new runs that the filter selects; `extend` without the filter does
 * the rest later. */
static void filter_some (struct sweepdir *next,
                         const struct extend_options *o,
                         struct run **run,
                         size_t *runs)
{
    struct layout l = {.run = *run, .runs = *runs};

    next->layout = &l;
    if (filter_used (&o->filter))
        *run = filter_runs (next, &o->filter, EXIT_USAGE, 0, runs);
}

static int extend (struct sweepdir *d,
                   const char *path,
                   struct spec *s,
                   struct grid *g,
                   const struct extend_options *o)
{
    struct sweepdir next = {.path = d->path, .spec = s, .grid = g};
    const char *taken;
    struct run *run;
    size_t runs;

    sweepdir_lock (d);
    taken = check_parts (d, s, o);
    check_points (d, s, g);
    run = rounds_missing (d, s, g, &runs);
    fprintf (cmd_talk (o->format), "%zu new point%s, %zu new run%s%s%s\n",
             g->count - d->grid->count,
             g->count - d->grid->count == 1 ? "" : "s", runs,
             runs == 1 ? "" : "s", *taken ? "; accepted changes: " : "", taken);
    filter_some (&next, o, &run, &runs);
    if (o->flags.dry && runs)
        cmd_table (runtable_planned (&next, run, runs), o->format);
    if (o->flags.dry || !runs)
        return EXIT_OK;
    sweepdir_extend (d, path, s, g,
                     &(struct freeze_options){.run = run, .runs = runs});
    return go_on (d->path, path, taken, o);
}

int sweep_cmd_extend (int argc, char **argv)
{
    struct extend_options o = {.flags = {0}};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        FORMAT_OPTION (o.format),
        {"accept-change", 0, OPT_LIST, &o.accept, "PART",
         "this part of the file may differ: env, setup, run, …"},
        {"dry-run", 0, OPT_FLAG, &o.flags.dry, NULL,
         "say what is new, change nothing"},
        {"hold", 0, OPT_FLAG, &o.flags.hold, NULL, "leave the arrays held"},
        {"wait", 0, OPT_FLAG, &o.flags.wait, NULL,
         "wait for the end of the analysis job"},
        OPT_END,
    };
    int operand = optparse_operands (opts, &extend_help, argc, argv);
    struct spec *s;
    struct grid *g;

    check_accepted_names (&o);
    cmd_words (&o.filter, argc, argv, operand + 1);
    cmd_load (argv[operand + 1], &s, &g);
    return extend (sweepdir_open (argv[operand]), argv[operand + 1], s, g, &o);
}
