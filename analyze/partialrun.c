/* SPDX-License-Identifier: MIT
 *
 * partialrun.c - one partition of a job -> a file; all of them -> its totals,
 *                its groups
 *
 * In:  a job directory that all tasks can reach
 * Out: DIR/partials/N-of-M.part; in the second round of a view by key, which
 *      DIR/partials/context begins, N-of-M.rows; from these struct totals and
 *      struct query_answer
 */
#include "config.h"

#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "analyze/tables/analyzeopts.h"
#include "analyze/facts/question.h"
#include "analyze/partialrun.h"
#include "analyze/query/partial.h"
#include "analyze/query/query.h"
#include "analyze/trace/parts.h"
#include "lib/base/array.h"
#include "lib/format/shard.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/spool.h"

struct division {
    enum partial_what what;
    uint64_t rules;      /* that the files must say */
    unsigned partitions; /* 0: not known */
};

/* --- into which files the partitions of a job go ----------------------------
 */

static uint64_t division_mix (uint64_t sum, const void *data, size_t n)
{
    return shard_checksum (data, n, sum) >> 1;
}

static uint64_t mix_where (uint64_t sum, const struct analyze_options *o)
{
    for (int i = 0; i < o->conditions.count; i++)
        sum = division_mix (sum, o->conditions.item[i],
                            strlen (o->conditions.item[i]) + 1);
    return sum;
}

/* The totals of a view by key are of all events. */
static struct division division_of_totals (const struct analyze_options *o)
{
    uint64_t rules = partial_rules (&o->rules);

    return (struct division){PARTIAL_TOTALS,
                             analyze_asks (o) ? rules : mix_where (rules, o),
                             o->partitions};
}

static struct division division_of_groups (const struct analyze_options *o,
                                           const struct query_context *context)
{
    uint64_t rules = mix_where (partial_rules (&o->rules), o);

    rules = division_mix (rules, &context->sum, sizeof (context->sum));
    for (int k = 0; k < o->by.keys; k++) {
        const char *word = query_key_word (&o->by.key[k]);

        rules = division_mix (rules, word, strlen (word) + 1);
    }
    if (o->show_word)
        rules = division_mix (rules, o->show_word, strlen (o->show_word) + 1);

    return (struct division){PARTIAL_GROUPS, rules, o->partitions};
}

/* Is the partition there, by the same rules? */
static int division_has (const struct division *d,
                         const struct job *job,
                         unsigned partition)
{
    char *path = partial_path (job->dir, d->what, partition, d->partitions);
    struct partial_head head;
    struct errtext err;
    int has = partial_head (path, &head, &err) == 0 &&
              head.partition == partition && head.partitions == d->partitions &&
              head.rules == d->rules;

    free (path);
    return has;
}

static unsigned division_missing (const struct division *d,
                                  const struct job *job)
{
    unsigned missing = 0;

    for (unsigned i = 0; i < d->partitions; i++)
        missing += !division_has (d, job, i);
    return missing;
}

/* "3-of-8.part" -> 8; 0: something else. */
static unsigned partitions_of (const char *name, enum partial_what what)
{
    unsigned partition, partitions;
    int end = 0;

    if (sscanf (name, "%u-of-%u.%n", &partition, &partitions, &end) != 2 ||
        end == 0 || strcmp (name + end, partial_suffix (what)) != 0 ||
        !partition || partition > partitions || partitions > PARTITIONS_MAX)
        return 0;
    return partitions;
}

static DIR *open_partials (const struct job *job)
{
    char *path = path_join (job->dir, "partials");
    DIR *dir = opendir (path);

    free (path);
    return dir;
}

/* Find out into how many partitions the job was divided: the division that is
 * complete, or the one of which least is missing. d->partitions stays 0: there
 * is none. */
static void division_find (struct division *d, const struct job *job)
{
    DIR *dir = open_partials (job);
    struct division one = *d;
    unsigned missing = 0;

    for (const struct dirent *e; dir && (e = readdir (dir));) {
        unsigned gaps;

        one.partitions = partitions_of (e->d_name, d->what);
        if (!one.partitions || one.partitions == d->partitions)
            continue;
        gaps = division_missing (&one, job);
        if (!d->partitions || gaps < missing ||
            (gaps == missing && one.partitions < d->partitions)) {
            d->partitions = one.partitions;
            missing = gaps;
        }
    }
    if (dir)
        closedir (dir);
}

/* End the job's analysis: say which one is missing, and how to make it. */
static _Noreturn void division_say_missing (const struct division *d,
                                            const struct job *job)
{
    unsigned missing = division_missing (d, job), first = 0;

    while (first < d->partitions && division_has (d, job, first))
        first++;
    die ("%s: %u of %u partitions are missing, the first is %u: run "
         "dftrace analyze --partial --partition %u/%u",
         job->label, missing, d->partitions, first + 1, first + 1,
         d->partitions);
}

static int younger (const struct stat *a, const char *than)
{
    struct stat b;

    if (stat (than, &b) < 0)
        return 0;
    return a->st_mtim.tv_sec > b.st_mtim.tv_sec ||
           (a->st_mtim.tv_sec == b.st_mtim.tv_sec &&
            a->st_mtim.tv_nsec > b.st_mtim.tv_nsec);
}

/* Is the file there, and younger than the sources of the job? */
static int division_is_young (const struct job *job, const char *path)
{
    struct stat st;

    if (stat (path, &st) < 0)
        return 0;
    for (size_t i = 0; i < job->sources; i++)
        if (!younger (&st, job->source[i].path))
            return 0;
    return 1;
}

/* "DIR/partials/context"; malloc'd. */
static char *division_context_path (const struct job *job)
{
    return path_join (job->dir, "partials/context");
}

static int division_is_ours (const char *name)
{
    for (int what = 0; what < PARTIAL_WHATS; what++)
        if (partitions_of (name, what))
            return 1;
    return strcmp (name, "context") == 0;
}

void partial_forget (const struct job *job)
{
    char *path = path_join (job->dir, "partials");
    DIR *dir = open_partials (job);

    for (const struct dirent *e; dir && (e = readdir (dir));)
        if (division_is_ours (e->d_name))
            unlinkat (dirfd (dir), e->d_name, 0);
    if (dir)
        closedir (dir);
    rmdir (path);
    free (path);
}

/* --- have tasks of Slurm analyze the partitions of a job --------------------
 */

enum { TRIES = 3, COMMAND_WORDS = 3 * OPT_LIST_MAX + 32, SELF_MAX = 4096 };

struct words {
    const char *word[COMMAND_WORDS];
    int count;
    char tasks[16], threads[16]; /* numbers as text */
};

static void partialsrun_add (struct words *w, const char *word)
{
    if (w->count < COMMAND_WORDS - 1)
        w->word[w->count++] = word;
}

static void add_option (struct words *w, const char *name, const char *value)
{
    if (!value)
        return;
    partialsrun_add (w, name);
    partialsrun_add (w, value);
}

/* Run it with our standard output and error; its status, or -1. */
static int partialsrun_run (const struct words *w)
{
    extern char **environ;
    pid_t pid;
    int status;

    errno = posix_spawnp (&pid, w->word[0], NULL, NULL, (char *const *)w->word,
                          environ);
    if (errno)
        return -1;
    while (waitpid (pid, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static void make_words (struct words *w,
                        const char *self,
                        const struct job *job,
                        const struct analyze_options *o,
                        const struct division *d)
{
    ZERO (w);
    FORMAT (w->tasks, "%u", o->partitions);
    FORMAT (w->threads, "%d", o->threads);
    partialsrun_add (w, "srun");
    add_option (w, "-n", w->tasks);
    for (int i = 0; i < o->srun.count; i++)
        partialsrun_add (w, o->srun.item[i]);
    partialsrun_add (w, self);
    partialsrun_add (w, "analyze");
    partialsrun_add (w, "--partial");
    partialsrun_add (w, "--quiet");
    if (o->trace_part)
        partialsrun_add (w, "--trace-part");
    add_option (w, "--threads", o->threads ? w->threads : NULL);
    add_option (w, "--data-pattern", o->data);
    add_option (w, "--checkpoint-pattern", o->checkpoint);
    add_option (w, "--index-pattern", o->index);
    if (d->what == PARTIAL_GROUPS) { /* the context has the interval */
        add_option (w, o->by_word ? "--by" : "--view",
                    o->by_word ? o->by_word : o->view_word);
        add_option (w, "--show", o->show_word);
    }
    if (d->what == PARTIAL_GROUPS || !analyze_asks (o))
        for (int i = 0; i < o->conditions.count; i++)
            add_option (w, "--where", o->conditions.item[i]);
    partialsrun_add (w, "--");
    partialsrun_add (w, job->dir);
}

/* End the analysis of a job that has no directory. */
static void need_dir (const struct job *job)
{
    if (!job->dir)
        die ("%s: no job directory: partitions are of directories", job->label);
}

/* Have tasks of Slurm make the partitions of a division, and again those that
 * are missing. */
static void partial_srun (const struct job *job,
                          const struct analyze_options *o,
                          const struct division *d)
{
    char self[SELF_MAX];
    ssize_t n = readlink ("/proc/self/exe", self, sizeof (self) - 1);
    unsigned missing = o->partitions;
    struct words words;

    need_dir (job);
    if (n <= 0)
        die ("/proc/self/exe: %m");
    self[n] = '\0';
    make_words (&words, self, job, o, d);
    for (int try = 0; missing && try < TRIES; try++) {
        if (try)
            log_warn ("%s: %u of %u partitions are missing: trying again",
                      job->label, missing, o->partitions);
        if (partialsrun_run (&words) < 0)
            die ("srun: %m: is this a node of a Slurm cluster?");
        missing = division_missing (d, job);
    }
    if (missing)
        die ("%s: %u of %u partitions could not be analyzed in %d tries: see "
             "what srun said",
             job->label, missing, o->partitions, TRIES);
}

/* --- one partition of a job -> a file ---------------------------------------
 */

enum { PARTIAL_DIR_MODE = 0700 };

struct work {
    struct job *job;
    const struct analyze_options *o;
    struct division d;
    struct query_context context; /* of groups */
};

/* Choose the work of this task: groups if the context is there, else totals. */
static void choose (struct work *w)
{
    char *path = analyze_asks (w->o) ? division_context_path (w->job) : NULL;
    struct errtext err;

    w->d = division_of_totals (w->o);
    if (path && division_is_young (w->job, path) &&
        query_context_read (&w->context, path, w->d.rules, &err) == 0) {
        w->context.label = w->job->label;
        w->d = division_of_groups (w->o, &w->context);
    }
    free (path);
}

static char *make_path (const struct work *w)
{
    char *dir = path_join (w->job->dir, "partials");
    struct errtext err;

    if (make_own_dir (dir, PARTIAL_DIR_MODE, &err) < 0)
        die ("%s", err.text);
    free (dir);
    return partial_path (w->job->dir, w->d.what, w->o->partition,
                         w->o->partitions);
}

static void do_totals (const struct work *w,
                       const char *path,
                       const struct partial_head *head,
                       int *damaged)
{
    const struct analyze_options *o = w->o;
    struct totals t = {0};
    struct errtext err;

    if (totals_load (&t, w->job, &o->rules, analyze_asks (o) ? NULL : &o->where,
                     o->threads, &err) < 0)
        die ("%s", err.text);
    for (size_t i = 0; i < t.sources; i++)
        *damaged |= source_damaged (&w->job->source[i], &t.health[i]);
    partial_write (path, head, w->job, &t);
    totals_clear (&t);
}

static void do_work (const struct work *w, const char *path, int *damaged)
{
    const struct analyze_options *o = w->o;
    const struct partial_head head = {o->partition, o->partitions, w->d.rules,
                                      w->job->sources};
    const struct querypartial q = {w->job, &o->by, &w->context, &o->rules,
                                   o->threads};
    struct errtext err;

    if (job_open (w->job, &err) < 0)
        die ("%s", err.text);
    if (w->d.what == PARTIAL_TOTALS)
        do_totals (w, path, &head, damaged);
    else
        querypartial_write (path, &head, &q);
}

void partial_task (struct job *job,
                   const struct analyze_options *o,
                   int *damaged)
{
    struct work w = {.job = job, .o = o};
    int timed = !analyze_asks (o) && where_has (&o->where, WHERE_time);
    struct errtext err;
    char *path;

    need_dir (job);
    if (job_take_partition (job, o->partition, o->partitions, timed, &err) < 0)
        die ("%s", err.text);
    choose (&w);
    path = make_path (&w);
    if (!division_is_young (job, path) ||
        !division_has (&w.d, job, o->partition))
        do_work (&w, path, damaged);
    free (path);
    query_context_clear (&w.context);
}

/* --- all of it --------------------------------------------------------------
 */
/* --- totals --------------------------------------------------------------- */

static int partialrun_by_process (const void *a, const void *b)
{
    const struct process *x = a, *y = b;

    return process_order (x->who, y->who);
}

static int partialrun_has_process (const void *cookie,
                                   const struct trace_process *who)
{
    const struct totals *t = cookie;
    struct process key = {.who = who};

    return t->processes &&
           bsearch (&key, t->process, t->processes, sizeof (*t->process),
                    partialrun_by_process);
}

/* Nothing twice, nothing left out. */
static void partialrun_check (const struct totals *t, const struct job *job)
{
    partial_check_sources (job);
    for (size_t i = 1; i < t->processes; i++)
        if (process_order (t->process[i - 1].who, t->process[i].who) == 0)
            die ("%s: process %u is in two files: analyze it without --partial",
                 job->label, t->process[i].who->p.pid);
    partial_check_merged (job, partialrun_has_process, t);
}

/* The second round began with other totals. */
static void drop_context (const struct job *job)
{
    char *path = division_context_path (job);

    unlink (path);
    free (path);
}

static struct division find_totals (struct job *job,
                                    const struct analyze_options *o)
{
    struct division d = division_of_totals (o);
    struct errtext err;

    need_dir (job);
    if (job_list (job, &err) < 0)
        die ("%s", err.text);
    if (!d.partitions)
        division_find (&d, job);
    if (!d.partitions)
        die ("%s: no partitions in partials/: run dftrace analyze --partial",
             job->label);
    if (division_missing (&d, job)) {
        drop_context (job);
        division_say_missing (&d, job);
    }
    return d;
}

void partial_reduce (struct totals *t,
                     struct job *job,
                     const struct analyze_options *o)
{
    struct division d = division_of_totals (o);
    struct errtext err;

    if (o->tasks)
        partial_srun (job, o, &d);
    d = find_totals (job, o);
    if (partial_add_all (t, job, d.partitions, o->threads, &err) < 0)
        die ("%s", err.text);
    if (t->processes)
        SORT (t->process, t->processes, partialrun_by_process);
    partialrun_check (t, job);
}

/* --- groups --------------------------------------------------------------- */

/* Begin the second round, unless it began with the same context. */
static void partialrun_begin_round (struct query_context *context,
                                    const struct job *job,
                                    uint64_t rules)
{
    char *path = division_context_path (job);
    struct query_context old = {0};
    struct errtext err;

    query_context_sum (context, rules);
    if ((query_context_read (&old, path, rules, &err) < 0 ||
         old.sum != context->sum) &&
        query_context_write (context, path, rules, &err) < 0)
        die ("%s", err.text);
    query_context_clear (&old);
    free (path);
}

static void find_groups (struct division *d,
                         const struct analyze_options *o,
                         const struct job *job)
{
    if (o->tasks) {
        partial_srun (job, o, d);
        return;
    }
    division_find (d, job);
    if (!d->partitions || division_missing (d, job))
        die ("%s: the first of two rounds is done: now run dftrace analyze "
             "--partial %s %s again for all partitions, then --reduce",
             job->label,
             o->by_word     ? "--by"
             : o->view_word ? "--view"
                            : "--show",
             o->by_word     ? o->by_word
             : o->view_word ? o->view_word
                            : o->show_word);
}

void partial_groups (struct query_answer *a,
                     const struct analyze_options *o,
                     const struct result *r)
{
    struct query_context context;
    const struct querypartial w = {r->job, &o->by, &context, &o->rules,
                                   o->threads};
    struct division d;
    struct errtext err;

    if (jobcontext_make (&context, &o->by, r->job, r->totals, r->summary,
                         &err) < 0)
        die ("%s", err.text);
    partialrun_begin_round (&context, r->job, division_of_totals (o).rules);
    d = division_of_groups (o, &context);
    find_groups (&d, o, r->job);
    if (querypartial_read_all (a, &w, d.partitions, &err) < 0)
        die ("%s", err.text);
    query_context_clear (&context);
}
