/* SPDX-License-Identifier: MIT
 *
 * cmd_whatif.c - `dftrace what-if`: what a job gains when its I/O is fast
 *
 * In:  a command; a first, traced run says what it reads and writes
 * Out: rounds of runs in random order, one as it is and one for each kind of
 *      I/O that is made fast; what each saves, with its interval
 *
 * Savings are measured, not computed: of a round, 1 - fast / as it is; over the
 * rounds their mean and the 95 % interval of it (Student's t).
 */
#include "config.h"

#include <sys/wait.h>

#include "analyze/report/csv.h"
#include "analyze/report/page.h"
#include "cli/cmd.h"
#include "cli/fastrun.h"
#include "cli/launch.h"
#include "lib/base/array.h"
#include "lib/chart/chart.h"
#include "lib/chart/html.h"
#include "lib/format/calls.h"
#include "lib/settings/notrace.h"
#include "lib/settings/site.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/stats.h"
#include "lib/util/textable.h"
#include "sweep/run/machine.h"

static const struct verb_help help = {
    .stop_at_operand = 1,
    .usage = "dftrace what-if [OPTION...] [--] COMMAND [ARGUMENT...]",
    .summary = "Measure what a command would gain from fast storage.",
    .text =
        "The command runs once traced, which says what it reads and writes. "
        "Then it runs in rounds: in each round once as it is and once for "
        "each kind of I/O that is made fast, in random order. The answer is "
        "the time that each saves, with its 95 % interval, beside the part "
        "that "
        "this I/O had in the bill of wall time of a traced run. It is an "
        "experiment: the command runs many times, so it must not take up where "
        "an earlier run ended; --before can remove what a run left.\n\n"
        "Files of the user are never changed by a run with outputs in memory "
        "or without syncs.\n\n"
        "--apply runs the command once in such a way and does no more, for a "
        "run of a sweep whose axis names it, or for a step of srun. It needs "
        "--data and --under, or --trace.",
    .example = "  $ dftrace what-if -- python3 train.py\n"
               "  $ dftrace what-if --before 'rm -rf ckpt' --repeats 10 -- "
               "./sim input\n"
               "  $ dftrace what-if --apply=data-in-memory --data=/data/set -- "
               "python3 train.py\n",
    .exits = "0    measured\n"
             "1    not measured: the command failed, memory is short, or "
             "overlays are not allowed\n"
             "2    wrong options\n"
             "7    outputs named by --same are not those of the job as it is\n"
             "N    --apply: exit status N of the command\n",
};

enum {
    SIDES_MAX = 6,
    REPEATS = 5,
    REPEATS_MAX = 1000,
    BOUND_CAUSES = 5,
    STOP_LINES = 10
};

/* The job as it is, then what can be made fast. The bound of a side has these
 * rows of the trace's bill of wall time. */
static const struct side_kind {
    const char *name, *title;
    unsigned fast;
    const char *causes[BOUND_CAUSES];
    const char *help;
} kinds[SIDES_MAX] = {
    {"none", "the job as it is", 0, {NULL}, NULL},
    {"data-in-memory",
     "data in memory",
     FAST_DATA,
     {"read", "fault", "loader"},
     "the files that are read, and that nobody writes, are in the page cache "
     "before the start; in runs as it is they are not (--warm leaves the cache "
     "alone)"},
    {"no-metadata",
     "data, metadata in memory",
     FAST_DATA | FAST_META,
     {"read", "fault", "loader"},
     "each directory of --data is copied to memory, and the copy is mounted "
     "over it, read-only: stat, open, getdents and reads of it ask no storage; "
     "only if it is named in --fast, and then it is part of all, too"},
    {"output-in-memory",
     "outputs in memory",
     FAST_OUTPUT,
     {"write", "sync", "checkpoint"},
     "the directories that are written to are in memory, under the same paths, "
     "and what is written is thrown away (--keep copies it)"},
    {"no-sync",
     "without syncs",
     FAST_SYNC,
     {"sync"},
     "fsync and its like return at once; what is written goes to the same file "
     "system, aside, and is removed"},
    {"all",
     "all of it",
     FAST_DATA | FAST_OUTPUT,
     {"read", "fault", "write", "sync", "checkpoint"},
     "data and outputs in memory, the least time of the job that storage can "
     "give"},
};

struct side {
    const struct side_kind *kind;
    unsigned fast;   /* kind's, or more */
    double *seconds; /* of each round */
    struct statistics time, saved;
    double bound; /* percent of the job; NaN: not known */
};

struct whatif {
    /* options */
    const char *fast, *apply, *before, *keep, *dir, *trace;
    struct opt_list data, under, same;
    int repeats, warm, seed;
    enum table_format format;
    /* the job */
    char **argv;
    struct fastrun run;
    uint64_t written;   /* bytes, in the first run */
    unsigned chosen;    /* set of kinds, by --fast or --apply */
    unsigned reasons;   /* what the first run has at all */
    struct csv *bill;   /* of the last traced run; NULL: there is none */
    struct csv *epochs; /* of it: time and bytes of reads; may be NULL */
    struct side side[SIDES_MAX];
    size_t sides;
    int done; /* rounds */
    char digest[SHA256_HEX + 1];
};

/* ---- options ---- */

/* "data-in-memory, …": what --fast takes. */
static const char *whatif_names (void)
{
    static char names[128];

    names[0] = '\0';
    for (int i = 1; i < SIDES_MAX; i++)
        snprintf (names + strlen (names), sizeof (names) - strlen (names),
                  "%s%s", i > 1 ? ", " : "", kinds[i].name);
    return names;
}

/* Names of what is made fast, into a set of kinds. 0, or -1 and a line of log.
 */
static int whatif_kinds (const char *option, const char *list, unsigned *chosen)
{
    for (const char *p = list ? list : ""; *p; p += *p == ',') {
        size_t n = strcspn (p, ","), i;

        for (i = 0; i < SIDES_MAX; i++)
            if (strlen (kinds[i].name) == n &&
                strncmp (kinds[i].name, p, n) == 0)
                break;
        if (i == SIDES_MAX) {
            log_error ("%s %.*s: not a way to run: use %s", option, (int)n, p,
                       whatif_names ());
            return -1;
        }
        *chosen |= 1U << i;
        p += n;
    }
    return 0;
}

/* A path that means the same from anywhere. */
static int whatif_path (struct fastpaths *l, const char *path)
{
    char cwd[PATH_MAX], *real = realpath (path, NULL), *joined = NULL;
    int rc = -1;

    if (!real && path[0] != '/' && getcwd (cwd, sizeof (cwd)))
        joined = path_join (cwd, path);
    rc = fastpaths_add (l, real ? real : joined ? joined : path);
    if (rc < 0)
        log_error ("what-if: out of memory");
    free (real);
    free (joined);
    return rc;
}

static int whatif_paths (struct fastpaths *to, const struct opt_list *from)
{
    for (int i = 0; i < from->count; i++)
        if (whatif_path (to, from->item[i]) < 0)
            return -1;
    return 0;
}

static int whatif_is_allowed (void)
{
    static struct site site;

    site_load (&site, 0, NULL);
    if (site.what_if)
        return 1;
    log_error ("what-if: not allowed at this site (what_if in %s): ask its "
               "administrators",
               SITE_CONF);
    return 0;
}

/* ---- the first run -> what is read and written ---- */

static const struct fastrun plain;

static int whatif_self (char self[PATH_MAX])
{
    ssize_t n = readlink ("/proc/self/exe", self, PATH_MAX - 1);

    self[n < 0 ? 0 : n] = '\0';
    if (n < 0)
        log_error ("/proc/self/exe: %s", strerror (errno));
    return n < 0 ? -1 : 0;
}

static int whatif_ended_early (const struct whatif *w, const struct fastend *e)
{
    if (!w->run.stop_at || e->stopped)
        return 0;
    if (w->run.stop_after)
        log_error ("--stop-after %d: the command ended before: leave it out",
                   w->run.stop_after);
    else
        log_error ("--stop-at %s: the command ended before %d such lines: name "
                   "fewer, or see that it writes each line at once",
                   w->run.stop_at, w->run.stop_lines);
    return -1;
}

/* A command of ours or the user's, to its end or where f stops it; its output
 * in dir/name. */
static int whatif_command (const struct whatif *w,
                           const struct fastrun *f,
                           const char *name,
                           const char *const *argv,
                           struct fastend *end)
{
    char *output = path_join (w->dir, name);
    struct errtext err;
    int rc = output ? fastrun_child (f, (char **)argv, output, end, &err)
                    : errf (&err, "what-if: out of memory");

    if (rc < 0)
        log_error ("%s", err.text);
    else if (end->status && !end->stopped) {
        log_error ("%s: ended with status %d: its output is in %s", argv[0],
                   WIFSIGNALED (end->status) ? 128 + WTERMSIG (end->status)
                                             : WEXITSTATUS (end->status),
                   output);
        rc = -1;
    }
    free (output);
    return rc;
}

static int whatif_before (const struct whatif *w)
{
    const char *argv[] = {"sh", "-c", w->before, NULL};
    struct fastend end;

    return w->before ? whatif_command (w, &plain, "before.out", argv, &end) : 0;
}

/* The command, traced in dir/name. Data that is known leaves the page cache
 * before it, as before a run as it is. */
static int whatif_trace (struct whatif *w, const char *name)
{
    char self[PATH_MAX], *trace = path_join (w->dir, name);
    char *output = text_format ("%s.out", name);
    const char **argv;
    size_t n = 0, words = 0;
    struct fastrun run = w->run;
    struct fastend end;
    int rc = -1;

    while (w->argv[n])
        n++;
    argv = calloc (n + 9, sizeof (*argv));
    run.same = (struct fastpaths){NULL, 0};
    if (trace && output && argv && whatif_self (self) == 0 &&
        whatif_before (w) == 0) {
        const char *traced[] = {
            self, "run", "-q", "-o", trace, "-l", "posix,app,mmap", "--"};

        for (; words < ITEMS (traced); words++)
            argv[words] = traced[words];
        memcpy (argv + words, w->argv, n * sizeof (*argv));
        rc = whatif_command (w, &run, output, argv, &end);
        if (rc == 0)
            rc = whatif_ended_early (w, &end);
    }
    w->trace = trace;
    free (output);
    free (argv);
    return rc;
}

static int whatif_analyze (const struct whatif *w)
{
    enum notrace why = notrace_look_at (w->trace);
    const char *argv[] = {NULL, "analyze", w->trace, NULL};
    char self[PATH_MAX];
    struct fastend end;

    if (why != NOTRACE_NO) {
        log_error ("%s: no file that could be made fast: %s", w->trace,
                   notrace_reason (why, LAYER_POSIX));
        return -1;
    }
    argv[0] = self;
    return whatif_self (self) < 0
               ? -1
               : whatif_command (w, &plain, "first.txt", argv, &end);
}

/* Time of the reads of each epoch, and what came from storage. */
static int whatif_epochs (struct whatif *w)
{
    const char *argv[] = {NULL,
                          "analyze",
                          "--format=csv",
                          "--by=epoch",
                          "--sort=epoch",
                          "--show=union,sum(bytes),sum(arg.mm.read)",
                          "--where=class = read and epoch >= 0",
                          w->trace,
                          NULL};
    char self[PATH_MAX];
    struct fastend end;

    argv[0] = self;
    if (whatif_self (self) < 0 ||
        whatif_command (w, &plain, "epochs.csv", argv, &end) < 0)
        return -1;
    w->epochs = csv_load (w->dir, "epochs.csv", NULL);
    return 0;
}

/* A path as files.csv has it, in place. */
static void whatif_unescape (char *path)
{
    size_t n = strlen (path), to = 0;

    for (size_t at = 0; at < n; to++) {
        int byte = escape_byte_of (path + at, n - at);

        path[to] = byte < 0 ? path[at] : (char)byte;
        at += byte < 0 ? 1 : 4;
    }
    path[to] = '\0';
}

static int whatif_has (const struct fastpaths *l, const char *path)
{
    for (size_t i = l->count; i-- > 0;)
        if (strcmp (l->path[i], path) == 0)
            return 1;
    return 0;
}

static int whatif_take_file (struct whatif *w, const struct csv *c, size_t row)
{
    double wrote = csv_number (c, row, "write_bytes");
    double syncs = csv_number (c, row, "sync_count");
    double read = csv_number (c, row, "read_bytes");
    const char *fs = csv_get (c, row, "fs_type");
    char *path = strdup (csv_get (c, row, "file")), *slash;
    int rc = 0;

    if (path)
        whatif_unescape (path);
    slash = path ? strrchr (path, '/') : NULL;
    if (!path || path[0] != '/' ||
        strcmp (csv_get (c, row, "kind"), "program") == 0 ||
        strcmp (fs, "tmpfs") == 0 || strncmp (path, "/dev/", 5) == 0)
        ;
    else if (wrote > 0 || syncs > 0) {
        w->written += (uint64_t)wrote;
        w->reasons |= FAST_OUTPUT | (syncs > 0 ? FAST_SYNC : 0U);
        *(slash == path ? slash + 1 : slash) = '\0';
        if (!w->under.count && !whatif_has (&w->run.under, path))
            rc = whatif_path (&w->run.under, path);
    } else if (read > 0 || csv_number (c, row, "map_count") > 0) {
        w->reasons |= FAST_DATA;
        if (!w->data.count)
            rc = whatif_path (&w->run.data, path);
    }
    free (path);
    return rc;
}

/* Take data and outputs from the trace, unless the user names them. */
static int whatif_learn (struct whatif *w)
{
    char *tables = path_join (w->trace, "tables");
    struct csv *files = NULL;
    struct errtext err;
    int rc = -1, known = w->reasons != 0; /* by the first run */

    if (tables && !(files = csv_load (tables, "files.csv", &err)))
        log_error ("%s", err.text);
    if (files) {
        csv_destroy (w->bill);
        w->bill = csv_load (tables, "wall_time.csv", NULL);
        rc = 0;
    }
    for (size_t row = 0; rc == 0 && !known && row < csv_rows (files); row++)
        rc = whatif_take_file (w, files, row);
    csv_destroy (files);
    free (tables);
    return rc;
}

/* ---- what fits ---- */

static uint64_t whatif_room (const struct whatif *w)
{
    return w->written + w->written / 4 + (16 << 20);
}

static int whatif_has_directory (const struct whatif *w)
{
    struct stat st;
    int has = 0;

    for (size_t i = 0; i < w->run.data.count; i++)
        has |= stat (w->run.data.path[i], &st) == 0 && S_ISDIR (st.st_mode);
    return has;
}

static int whatif_fits (const struct whatif *w, unsigned fast, const char *name)
{
    struct pagecache_sum sum = {.bytes = 0};
    uint64_t need = 0, have = fastrun_memory ();
    char words[2][WORDS_MAX];

    if (fast & FAST_DATA)
        for (size_t i = 0; i < w->run.data.count; i++)
            pagecache_tree (w->run.data.path[i], PAGECACHE_SIZES, &sum);
    need = (uint64_t)sum.bytes * (fast & FAST_META ? 2 : 1) +
           (fast & FAST_OUTPUT ? whatif_room (w) : 0);
    if (fast & FAST_META && !whatif_has_directory (w)) {
        log_error ("%s: of which directories? name them with --data: the "
                   "command must not write there",
                   name);
        return 0;
    }
    if (need <= have - have / 10)
        return 1;
    log_error ("%s: needs %s of memory, and %s are free: name fewer files "
               "(--data, --under), or leave it out (--fast)",
               name, value_words (words[0], (double)need, "B"),
               value_words (words[1], (double)have, "B"));
    return 0;
}

/* ---- rounds ---- */

/* Percent of the job that a row of the bill has; 0: none, not known. */
static double whatif_cause (const struct whatif *w, const char *cause)
{
    for (size_t row = 0; row < csv_rows (w->bill); row++) {
        double percent = csv_number (w->bill, row, "percent");

        if (strcmp (csv_get (w->bill, row, "cause"), cause) == 0)
            return isnan (percent) ? 0 : percent;
    }
    return 0;
}

static double whatif_bound (const struct whatif *w, const struct side *s)
{
    double sum = 0;

    if (!w->bill || !s->fast || w->run.stop_after) /* its start is in it */
        return NAN;
    for (int i = 0; i < BOUND_CAUSES && s->kind->causes[i]; i++)
        sum += whatif_cause (w, s->kind->causes[i]);
    /* a call that waited waits for a CPU, too, and may delay other threads */
    return sum + (s->fast & FAST_META ? whatif_cause (w, "open") : 0) +
           whatif_cause (w, "threads") + whatif_cause (w, "cpu_wait");
}

/* The sides that were asked for, or that the job gives a reason for. */
static int whatif_sides (struct whatif *w)
{
    unsigned meta = 0;

    for (unsigned i = 0; i < SIDES_MAX; i++)
        if (w->chosen & 1U << i)
            meta |= kinds[i].fast & FAST_META;
    for (unsigned i = 0; i < SIDES_MAX; i++) {
        const struct side_kind *k = &kinds[i];
        int has = (k->fast & ~w->reasons) == 0;
        struct side *s = &w->side[w->sides];

        if (w->fast && i && (w->chosen & 1U << i) && !(k->fast & w->reasons))
            log_warn ("%s: the first run has no such I/O", k->name);
        if (i &&
            !(w->fast ? (w->chosen & 1U << i) && (k->fast & w->reasons) : has))
            continue;
        s->kind = k;
        s->fast = k->fast | (i == SIDES_MAX - 1 ? meta : 0);
        if (!whatif_fits (w, s->fast, k->name))
            return EXIT_FAILED;
        s->bound = whatif_bound (w, s);
        s->seconds = calloc ((size_t)w->repeats, sizeof (*s->seconds));
        if (!s->seconds)
            return EXIT_FAILED;
        w->sides++;
    }
    if (w->sides > 1)
        return EXIT_OK;
    log_error ("what-if: the first run reads and writes no file that could be "
               "made fast: %s says what it does (first.txt)",
               w->dir);
    return EXIT_FAILED;
}

static int whatif_one (struct whatif *w, struct side *s, int round)
{
    char name[64], *output;
    struct fastrun f = w->run;
    struct fastend end = {.status = 0};
    struct errtext err;
    int rc;

    f.fast = s->fast;
    f.keep = f.fast & FAST_OUTPUT ? w->keep : NULL;
    (void)snprintf (name, sizeof (name), "%d-%s.out", round + 1, s->kind->name);
    output = path_join (w->dir, name);
    rc = output ? whatif_before (w) : errf (&err, "what-if: out of memory");
    if (rc == 0)
        rc = fastrun_child (&f, w->argv, output, &end, &err);
    else if (output)
        err.text[0] = '\0'; /* it has said why */
    if (rc < 0 && err.text[0])
        log_error ("%s", err.text);
    if (rc == 0 && end.status && !end.stopped) {
        log_error ("%s: %s, round %d: ended with status %d: its output is in "
                   "%s",
                   w->argv[0], s->kind->title, round + 1,
                   WIFSIGNALED (end.status) ? 128 + WTERMSIG (end.status)
                                            : WEXITSTATUS (end.status),
                   output);
        rc = -1;
    }
    if (rc == 0)
        rc = whatif_ended_early (w, &end);
    if (rc == 0 && f.fast & FAST_DATA && end.data_resident >= 0 &&
        end.data_resident < end.data_bytes)
        log_warn ("%s: %" PRId64 " of %" PRId64
                  " bytes of data did not stay in memory",
                  s->kind->name, end.data_bytes - end.data_resident,
                  end.data_bytes);
    if (rc == 0 && !w->digest[0])
        memcpy (w->digest, end.digest, sizeof (w->digest));
    if (rc == 0 && strcmp (w->digest, end.digest) != 0) {
        log_error ("%s, round %d: outputs (--same) are not those of the other "
                   "runs: the command does something else in each run",
                   s->kind->title, round + 1);
        rc = EXIT_CHECK_FAILED;
    }
    s->seconds[round] = w->run.stop_after ? end.line_seconds : end.seconds;
    if (rc == 0 && isnan (s->seconds[round])) {
        log_error ("--stop-after %d: the output of %s has fewer than two lines "
                   "with \"%s\": name a longer time, or what each step writes "
                   "(--stop-at)",
                   w->run.stop_after, output, w->run.stop_at);
        rc = -1;
    }
    free (output);
    return rc;
}

/* Xorshift: 1 to 2^32 - 1. */
static uint32_t whatif_random (uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static int whatif_round (struct whatif *w, int round, uint32_t *state)
{
    size_t order[SIDES_MAX];
    int rc = 0;

    for (size_t i = 0; i < w->sides; i++) {
        size_t at = whatif_random (state) % (i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; rc == 0 && i < w->sides; i++) {
        rc = whatif_one (w, &w->side[order[i]], round);
        progress_add (1);
    }
    for (size_t i = 0; rc == 0 && i < w->sides; i++)
        statistics_add (&w->side[i].time, w->side[i].seconds[round]);
    for (size_t i = 1; rc == 0 && i < w->sides; i++)
        statistics_add (
            &w->side[i].saved,
            100 * (1 - w->side[i].seconds[round] / w->side[0].seconds[round]));
    w->done += rc == 0;
    return rc;
}

/* ---- the answer ---- */

static struct statistics whatif_ended (struct statistics s)
{
    statistics_end (&s);
    return s;
}

static struct textable *whatif_table (const struct whatif *w)
{
    struct textable *t = textable_create ();

    if (!t)
        return NULL;
    textable_column (t, "fast", "", "", 0);
    textable_column (t, "time_s", "job", "s", 1);
    textable_column (t, "saved_s", "saved", "s", 1);
    textable_column (t, "saved_percent", "saved", "%", 1);
    textable_column (t, "half_percent", "±", "%", 1);
    textable_column (t, "trace_percent", "at most, by the trace", "%", 1);
    for (size_t i = 0; i < w->sides; i++) {
        const struct side *s = &w->side[i];
        struct statistics time = whatif_ended (s->time);
        struct statistics saved = whatif_ended (s->saved);
        double half = statistics_half (&saved);

        textable_row (t);
        textable_text (t, s->kind->title);
        textable_double (t, time.mean, 3);
        if (!i) {
            for (int j = 0; j < 4; j++)
                textable_na (t);
            continue;
        }
        textable_double (t, whatif_ended (w->side[0].time).mean - time.mean, 3);
        textable_double (t, saved.mean, 1);
        if (isnan (half))
            textable_na (t);
        else
            textable_double (t, half, 1);
        if (isnan (s->bound))
            textable_na (t);
        else
            textable_double (t, s->bound, 1);
    }
    return t;
}

/* Rows of the bill that no storage makes faster, from 5 % of the job on. */
static void whatif_print_rest (const struct whatif *w, FILE *out)
{
    const struct side_kind *all = &kinds[SIDES_MAX - 1];
    const char *word = "; the rest, by the trace: ";

    for (size_t row = 0; row < csv_rows (w->bill); row++) {
        double percent = csv_number (w->bill, row, "percent");
        int is_io = w->side[w->sides - 1].fast & FAST_META &&
                    strcmp (csv_get (w->bill, row, "cause"), "open") == 0;

        for (int i = 0; i < BOUND_CAUSES; i++)
            is_io |=
                strcmp (csv_get (w->bill, row, "cause"), all->causes[i]) == 0;
        if (is_io || isnan (percent) || percent < 5)
            continue;
        fprintf (out, "%s%s (%.0f %%)", word, csv_get (w->bill, row, "title"),
                 percent);
        word = ", ";
    }
}

/* Epochs inside one traced run. */
static void whatif_print_epochs (const struct whatif *w, FILE *out)
{
    size_t n = csv_rows (w->epochs);
    double time[2] = {0, 0}, bytes[2] = {0, 0};
    char words[4][WORDS_MAX];

    for (size_t row = 0; row < n; row++) {
        double storage = csv_number (w->epochs, row, "sum_arg.mm.read");

        time[row > 0] += csv_number (w->epochs, row, "union_s");
        bytes[row > 0] += isnan (storage) ? 0 : storage;
    }
    if (n < 2 || isnan (time[0]) || isnan (time[1]))
        return;
    fprintf (out,
             "Epochs of the traced run: the first one read for %s, %s of it "
             "from storage; the %zu later ones for %s each, %s from storage%s"
             ".\n",
             value_words (words[0], time[0], "s"),
             value_words (words[1], bytes[0], "B"), n - 1,
             value_words (words[2], time[1] / (double)(n - 1), "s"),
             value_words (words[3], bytes[1] / (double)(n - 1), "B"),
             bytes[0] > 2 * bytes[1] / (double)(n - 1)
                 ? ": they found it in the page cache"
                 : "");
}

static void whatif_print_words (const struct whatif *w, FILE *out)
{
    for (size_t i = 1; i < w->sides; i++) {
        struct statistics saved = whatif_ended (w->side[i].saved);
        double half = statistics_half (&saved);

        fprintf (out, "%s%s ",
                 i > 1 ? ", " : "Would save: ", w->side[i].kind->title);
        if (isnan (half))
            fprintf (out, "%.0f %% (one round: no interval)", saved.mean);
        else if (fabs (saved.mean) <= half)
            fprintf (out, "nothing that can be seen (%.1f ± %.1f %%)",
                     saved.mean, half);
        else
            fprintf (out, "%.1f ± %.1f %%", saved.mean, half);
    }
    whatif_print_rest (w, out);
    fprintf (out, ".\n");
    whatif_print_epochs (w, out);
}

static int whatif_write (const struct whatif *w)
{
    char *path = path_join (w->dir, "what-if.json");
    struct errtext err;
    struct atomic_file *f = path ? atomic_open (path, 0644, &err) : NULL;
    struct textable *t = whatif_table (w);
    struct json j;
    int rc = -1;

    if (f && t) {
        json_init (&j, atomic_stream (f), 0);
        json_open (&j, NULL, '{');
        json_text (&j, "format", "dftrace-what-if");
        json_open (&j, "command", '[');
        for (char **word = w->argv; *word; word++)
            json_bytes (&j, NULL, *word, strlen (*word));
        json_close (&j, ']');
        json_int (&j, "rounds", w->done);
        json_int (&j, "seed", w->seed);
        json_bool (&j, "cold", w->run.cold);
        if (w->run.stop_after)
            json_text (&j, "times_of", "a line");
        textable_json (t, &j, "sides");
        json_open (&j, "seconds", '{');
        for (size_t i = 0; i < w->sides; i++) {
            json_open (&j, w->side[i].kind->name, '[');
            for (int round = 0; round < w->done; round++)
                json_double (&j, NULL, w->side[i].seconds[round]);
            json_close (&j, ']');
        }
        json_close (&j, '}');
        json_close (&j, '}');
        rc = atomic_commit (f, &err);
    } else
        atomic_abort (f);
    if (rc < 0)
        log_error ("%s", f && t ? err.text : "what-if: out of memory");
    textable_destroy (t);
    free (path);
    return rc;
}

static const char *whatif_times (const struct whatif *w)
{
    static char words[256];

    snprintf (words, sizeof (words), "%s%s%s%s",
              w->run.cold ? "as it is: data not in the page cache"
                          : "as it is: the page cache as earlier runs leave it",
              w->run.stop_after ? "; times are those of one line with \"" : "",
              w->run.stop_after ? w->run.stop_at : "",
              w->run.stop_after ? "\"" : "");
    return words;
}

static int whatif_print (const struct whatif *w)
{
    struct textable *t = whatif_table (w);
    int rc;

    if (t && w->format == TABLE_TEXT)
        printf ("%s: %d rounds of %zu runs in random order; %s\n\n", w->argv[0],
                w->done, w->sides, whatif_times (w));
    rc = t ? textable_print (t, stdout, w->format) : -1;
    if (rc == 0 && w->format == TABLE_TEXT) {
        printf ("\n");
        whatif_print_words (w, stdout);
    }
    textable_destroy (t);
    return rc < 0 ? EXIT_FAILED : EXIT_OK;
}

/* Savings with their intervals, and the bounds beside them. */
static void whatif_figure (const struct whatif *w, FILE *out)
{
    const struct chart c = {.title = "What each way saves",
                            .text = "Measured, with its interval, beside the "
                                    "bound by the trace",
                            .metric = "saved_percent",
                            .measure = "time of the job",
                            .unit = "%"};
    const char *label[SIDES_MAX];
    struct cell cell[2][SIDES_MAX] = {0};
    const struct series series[] = {{"saved, measured", cell[0]},
                                    {"at most, by the trace", cell[1]}};
    const struct categories cats = {.n = w->sides - 1, .label = label};
    char text[2][SIDES_MAX][32];

    for (size_t i = 0; i + 1 < w->sides; i++) {
        const struct side *s = &w->side[i + 1];
        struct statistics saved = whatif_ended (s->saved);
        double half = statistics_half (&saved);

        label[i] = s->kind->title;
        snprintf (text[0][i], sizeof (text[0][i]), "%.3f", saved.mean);
        snprintf (text[1][i], sizeof (text[1][i]), "%.3f", s->bound);
        cell[0][i] = (struct cell){
            .v = fmax (saved.mean, 0),
            .lo = isnan (half) ? NAN : fmax (saved.mean - half, 0),
            .hi = saved.mean + half,
            .text = text[0][i],
            .name = s->kind->title};
        cell[1][i] =
            (struct cell){.v = s->bound,
                          .lo = NAN,
                          .hi = NAN,
                          .text = text[1][i],
                          .name = s->kind->title,
                          .why = "no bill, or one with the start of the job"};
    }
    html_figure (out, "fig-saved", "What each way saves");
    chart_bars (out, &c, &cats, series, ITEMS (series));
    html_figure_end (out,
                     "Mean over the rounds (%d), with its 95 %% interval. At "
                     "most, by the trace: what I/O of this kind had in the "
                     "bill of the traced run, with waiting for a CPU and what "
                     "was beside I/O of other threads.",
                     w->done);
}

static void whatif_page_body (const struct whatif *w, FILE *out)
{
    char *words = NULL;
    size_t n = 0;
    FILE *f = open_memstream (&words, &n);

    if (f) {
        whatif_print_words (w, f);
        fclose (f);
    }
    html_open (out, "p", "sub");
    for (char **word = w->argv; *word; word++)
        html_format (out, "%s ", *word);
    html_close (out, "p");
    html_paragraph (out, NULL, "%s", words);
    free (words);
    html_section (out, "saved", "Saved");
    whatif_figure (w, out);
    page_table (out, 0);
    page_th (out, NULL, "", "");
    page_th (out, "n", "job", "s");
    page_th (out, "n", "saved", "%");
    page_th (out, "n", "±", "%");
    page_th (out, "n", "at most, by the trace", "%");
    page_table_body (out);
    for (size_t i = 0; i < w->sides; i++) {
        const struct side *s = &w->side[i];
        struct statistics saved = whatif_ended (s->saved);

        page_row (out, NULL, 0);
        page_td (out, "t", s->kind->title);
        page_value (out, whatif_ended (s->time).mean, "s", NULL);
        page_value (out, i ? saved.mean : NAN, "%",
                    "the others are compared with it");
        page_value (out, i ? statistics_half (&saved) : NAN, "%",
                    "one round has no interval");
        page_value (out, i ? s->bound : NAN, "%",
                    "no bill, or one with the start of the job");
        page_row_end (out);
    }
    page_table_end (out);
    html_paragraph (out, "note",
                    "Rounds: %d, in random order; %s. An experiment: "
                    "outputs of the runs are not results of the job.",
                    w->done, whatif_times (w));
    html_section_end (out);
}

static int whatif_page (const struct whatif *w)
{
    char *path = path_join (w->dir, "what-if.html");
    struct errtext err;
    struct atomic_file *f = path ? atomic_open (path, 0644, &err) : NULL;
    int rc = -1;

    if (f) {
        FILE *out = atomic_stream (f);

        html_begin (out, "What would fast storage save?");
        whatif_page_body (w, out);
        html_end (out, "dftrace what-if");
        rc = atomic_commit (f, &err);
    }
    if (rc < 0)
        log_error ("%s", path ? err.text : "what-if: out of memory");
    free (path);
    return rc;
}

/* ---- the verb ---- */

/* The directory of results, new, and the one in it for memory file systems. */
static int whatif_make_dir (struct whatif *w)
{
    struct errtext err;
    char *made = NULL, *real, *scratch;
    int rc;

    if (!w->dir)
        w->dir = made = text_format ("dftrace/what-if-%d", (int)getpid ());
    if (!w->dir || (rc = make_dirs (w->dir, 0755, &err)) < 0 ||
        !(real = realpath (w->dir, NULL))) {
        log_error ("%s", w->dir && rc < 0 ? err.text : "what-if: no directory");
        return -1;
    }
    w->dir = real;
    free (made);
    scratch = path_join (w->dir, "memory");
    if (!scratch || (mkdir (scratch, 0700) < 0 && errno != EEXIST)) {
        log_error ("%s/memory: %s", w->dir, strerror (errno));
        return -1;
    }
    w->run.scratch = scratch;
    return 0;
}

static int whatif_rounds (struct whatif *w)
{
    uint32_t state = (uint32_t)w->seed * 2654435761U | 1;
    int rc = 0;

    progress_start ("what-if", (uint64_t)w->repeats * w->sides, "runs");
    for (int round = 0; rc == 0 && round < w->repeats; round++) {
        rc = whatif_round (w, round, &state);
        if (rc == 0)
            rc = whatif_write (w);
    }
    progress_end ();
    return rc < 0 ? EXIT_FAILED : rc;
}

enum { SAID_MAX = 3 };

static void whatif_say_outputs (const struct whatif *w)
{
    size_t n = w->run.under.count;

    for (size_t i = 0; i < n && i < SAID_MAX; i++)
        log_info ("an experiment: what is written below %s is in memory, and "
                  "%s%s at the end",
                  w->run.under.path[i], w->keep ? "copied to " : "thrown away",
                  w->keep ? w->keep : "");
    if (n > SAID_MAX)
        log_info ("and so is what is written below %zu more", n - SAID_MAX);
}

static int whatif_measure (struct whatif *w)
{
    int status, ours;

    if (whatif_make_dir (w) < 0)
        return EXIT_FAILED;
    log_info ("an experiment: the command runs %d times or more; outputs and "
              "times are in %s",
              1 + 2 * w->repeats, w->dir);
    ours = !w->trace;
    if (ours && whatif_trace (w, "first") < 0)
        return EXIT_FAILED;
    if (whatif_analyze (w) < 0 || whatif_learn (w) < 0)
        return EXIT_FAILED;
    /* a bound for runs as they are: from a trace with the data not in memory */
    if (ours && w->run.cold && w->run.data.count &&
        (whatif_trace (w, "cold") < 0 || whatif_analyze (w) < 0 ||
         whatif_learn (w) < 0))
        return EXIT_FAILED;
    if (whatif_epochs (w) < 0)
        return EXIT_FAILED;
    w->run.room = whatif_room (w);
    status = whatif_sides (w);
    for (size_t i = 0; status == EXIT_OK && i < w->sides; i++)
        if (w->side[i].fast & FAST_OUTPUT) {
            whatif_say_outputs (w);
            break;
        }
    if (status == EXIT_OK)
        status = whatif_rounds (w);
    (void)rmdir (w->run.scratch);
    if (status == EXIT_OK && whatif_page (w) < 0)
        status = EXIT_FAILED;
    return status == EXIT_OK ? whatif_print (w) : status;
}

/* One run in the way that is named: a run of a sweep, a task of a step. */
static int whatif_apply (struct whatif *w)
{
    char scratch[] = "/tmp/dftrace-what-if.XXXXXX";
    struct fastend end;
    struct errtext err;
    int rc;

    for (unsigned i = 0; i < SIDES_MAX; i++)
        w->run.fast |= w->chosen & 1U << i ? kinds[i].fast : 0;
    if (w->trace && whatif_learn (w) < 0)
        return EXIT_NOT_STARTED;
    if ((w->run.fast & FAST_DATA && !w->run.data.count) ||
        (w->run.fast & (FAST_OUTPUT | FAST_SYNC) && !w->run.under.count)) {
        log_error ("--apply %s: of which files? name them with --data and "
                   "--under, or a trace with --trace",
                   w->apply);
        return EXIT_USAGE;
    }
    if (!whatif_fits (w, w->run.fast, w->apply))
        return EXIT_NOT_STARTED;
    w->run.room = w->trace ? whatif_room (w) : fastrun_memory () / 2;
    w->run.keep = w->keep;
    if (!mkdtemp (scratch)) {
        log_error ("%s: %s", scratch, strerror (errno));
        return EXIT_NOT_STARTED;
    }
    w->run.scratch = scratch;
    if (w->run.fast & FAST_OUTPUT)
        whatif_say_outputs (w);
    rc = fastrun_here (&w->run, w->argv, &end, &err);
    (void)rmdir (scratch);
    if (rc == 0)
        return launch_exit_status (end.status);
    log_error ("%s", err.text);
    return EXIT_NOT_STARTED;
}

/* Outputs that are kept go to a directory of their own. */
static int whatif_keep (struct whatif *w)
{
    struct fastpaths keep = {NULL, 0};

    if (!w->keep)
        return 0;
    if (whatif_path (&keep, w->keep) < 0)
        return -1;
    w->keep = keep.path[0];
    free (keep.path);
    for (size_t i = 0; i < w->run.under.count; i++)
        if (strncmp (w->keep, w->run.under.path[i],
                     strlen (w->run.under.path[i])) == 0) {
            log_error ("--keep %s: is below --under %s: name another "
                       "directory",
                       w->keep, w->run.under.path[i]);
            return -1;
        }
    return 0;
}

static int whatif_options (struct whatif *w)
{
    if (w->run.stop_lines < 0)
        w->run.stop_lines = w->run.stop_after ? INT_MAX : STOP_LINES;
    if (w->repeats < 1 || w->repeats > REPEATS_MAX)
        log_error ("--repeats: use 1 to %d", REPEATS_MAX);
    else if (w->run.stop_after && !w->run.stop_at)
        log_error ("--stop-after: after a time both sides have taken that "
                   "time: name the lines of the output that say how much was "
                   "done (--stop-at TEXT), and the time of one is compared");
    else if (w->run.stop_at && (!w->run.stop_at[0] || w->run.stop_lines < 1))
        log_error ("--stop-at, --stop-lines: use a text and a number from 1 "
                   "on");
    else if (w->run.stop_at && w->apply)
        log_error ("--stop-at: not with --apply: its output is not read");
    else if (whatif_paths (&w->run.data, &w->data) == 0 &&
             whatif_paths (&w->run.under, &w->under) == 0 &&
             whatif_paths (&w->run.same, &w->same) == 0 &&
             whatif_kinds ("--fast", w->fast, &w->chosen) == 0 &&
             whatif_kinds ("--apply", w->apply, &w->chosen) == 0 &&
             whatif_keep (w) == 0) {
        w->run.cold = !w->warm;
        return 0;
    }
    return -1;
}

/* The help, with what can be made fast from its table. */
static void whatif_words (
    struct verb_help *to, char *text, size_t room, char *fast, size_t fast_room)
{
    const char *cut = strstr (help.text, "\n\n");
    size_t n = 0;

    *to = help;
    to->text = text;
    n = (size_t)snprintf (text, room, "%.*s", (int)(cut + 2 - help.text),
                          help.text);
    for (int i = 1; i < SIDES_MAX && n < room; i++)
        n += (size_t)snprintf (text + n, room - n, "%s: %s. ", kinds[i].name,
                               kinds[i].help);
    if (n < room)
        snprintf (text + n, room - n, "%s", cut + 2);
    snprintf (fast, fast_room,
              "%s (each that the first run gives a reason for)",
              whatif_names ());
}

int cmd_whatif (int argc, char **argv)
{
    static struct whatif w;
    static char text[4096], fast_help[256];
    struct verb_help told;
    const struct opt opts[] = {
        {"fast", 0, OPT_TEXT, &w.fast, "WHAT[,WHAT]", fast_help},
        {"data", 0, OPT_LIST, &w.data, "PATH",
         "file or directory that is read (what the first run reads and nobody "
         "writes); may be repeated"},
        {"under", 0, OPT_LIST, &w.under, "DIR",
         "directory of outputs (those that the first run writes to); may be "
         "repeated"},
        {"repeats", 'r', OPT_INT, &w.repeats, "N", "so many rounds (5)"},
        {"warm", 0, OPT_FLAG, &w.warm, NULL,
         "leave the page cache alone in runs of the command as it is"},
        {"before", 0, OPT_TEXT, &w.before, "COMMAND",
         "run this by sh before each run, not measured"},
        {"same", 0, OPT_LIST, &w.same, "PATH",
         "output whose bytes must be the same in each run; may be repeated"},
        {"keep", 0, OPT_TEXT, &w.keep, "DIR",
         "copy outputs that were in memory there"},
        {"stop-at", 0, OPT_TEXT, &w.run.stop_at, "TEXT",
         "end each run (SIGTERM) once its output has --stop-lines lines with "
         "this text: a training that is too long"},
        {"stop-lines", 0, OPT_INT, &w.run.stop_lines, "N",
         "so many lines with the text of --stop-at (10)"},
        {"stop-after", 0, OPT_INT, &w.run.stop_after, "SECONDS",
         "end each run after so long; what is compared is the time from one "
         "line with the text of --stop-at to the next, without the start"},
        {"seed", 0, OPT_INT, &w.seed, "N", "of the order of runs (1)"},
        {"output", 'o', OPT_TEXT, &w.dir, "DIR", "directory of results"},
        {"trace", 0, OPT_TEXT, &w.trace, "DIR",
         "use this job's trace instead of a first run"},
        {"apply", 0, OPT_TEXT, &w.apply, "WHAT[,WHAT]",
         "run the command once in this way, or as it is: none"},
        FORMAT_OPTION (w.format),
        OPT_END,
    };
    int first, status;

    whatif_words (&told, text, sizeof (text), fast_help, sizeof (fast_help));
    w.repeats = REPEATS;
    w.seed = 1;
    w.run.stop_lines = -1;
    if (optparse_command (opts, &told, argc, argv, &first, &status) < 0)
        return status;
    if (first == argc) {
        log_error ("what-if: no command: try `dftrace what-if -- COMMAND`");
        return EXIT_USAGE;
    }
    w.argv = argv + first;
    if (whatif_options (&w) < 0)
        return EXIT_USAGE;
    if (!whatif_is_allowed ())
        return EXIT_FAILED;
    status = w.apply ? whatif_apply (&w) : whatif_measure (&w);
    csv_destroy (w.bill);
    csv_destroy (w.epochs);
    fastpaths_clear (&w.run.data);
    fastpaths_clear (&w.run.under);
    fastpaths_clear (&w.run.same);
    for (size_t i = 0; i < w.sides; i++)
        free (w.side[i].seconds);
    return status;
}
