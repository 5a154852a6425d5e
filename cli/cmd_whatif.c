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

#include "cli/cmd.h"
#include "lib/util/launch.h"
#include "cli/whatif.h"
#include "lib/base/array.h"
#include "lib/format/calls.h"
#include "lib/settings/notrace.h"
#include "lib/settings/site.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/xalloc.h"
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
    REPEATS = 5,
    REPEATS_MAX = 1000,
    WITHIN_TIMES = 4, /* --within: so many times --repeats, at most */
    STOP_LINES = 10
};

#define FAULTS "name in (mmap, madvise, page_fault)"

const struct way_kind whatif_kind[WAYS_MAX] = {
    {"none", "the job as it is", 0, NULL, NULL},
    {"data-in-memory", "data in memory", FAST_DATA,
     "class in (read, copy) or " FAULTS,
     "the files that are read, and that nobody writes, are in the page cache "
     "before the start; in runs as it is they are not (--warm leaves the cache "
     "alone)"},
    {"no-metadata", "data, metadata in memory", FAST_DATA | FAST_META,
     "class in (read, copy, meta) or " FAULTS,
     "each directory of --data is copied to memory, and the copy is mounted "
     "over it, read-only: stat, open, getdents and reads of it ask no storage; "
     "only if it is named in --fast, and then it is part of all, too"},
    {"output-in-memory", "outputs in memory", FAST_OUTPUT,
     "class in (write, copy, sync, meta) or name in (munmap, page_fault)",
     "the directories that are written to are in memory, under the same paths, "
     "and what is written is thrown away (--keep copies it)"},
    {"no-sync", "without syncs", FAST_SYNC, "class in (write, sync, meta)",
     "fsync and its like return at once; what is written goes to the same file "
     "system, aside, and is removed"},
    {"all", "all of it", FAST_DATA | FAST_OUTPUT,
     "class in (read, write, copy, sync, meta) or name = munmap or " FAULTS,
     "data and outputs in memory, the least time of the job that storage can "
     "give"},
};

/* ---- options ---- */

/* "data-in-memory, …": what --fast takes. */
static const char *whatif_names (void)
{
    static char names[128];

    names[0] = '\0';
    for (int i = 1; i < WAYS_MAX; i++)
        snprintf (names + strlen (names), sizeof (names) - strlen (names),
                  "%s%s", i > 1 ? ", " : "", whatif_kind[i].name);
    return names;
}

/* Names of what is made fast, as a set of kinds. */
static unsigned whatif_kinds (const char *option, const char *list)
{
    unsigned chosen = 0;

    for (const char *p = list ? list : ""; *p; p += *p == ',') {
        size_t n = strcspn (p, ","), i = 0;

        while (i < WAYS_MAX && (strlen (whatif_kind[i].name) != n ||
                                strncmp (whatif_kind[i].name, p, n) != 0))
            i++;
        if (i == WAYS_MAX)
            die_with (EXIT_USAGE, "%s %.*s: not a way to run: use %s", option,
                      (int)n, p, whatif_names ());
        chosen |= 1U << i;
        p += n;
    }
    return chosen;
}

/* A path that means the same from anywhere. */
static const char *whatif_absolute (const char *path)
{
    char cwd[PATH_MAX], real[PATH_MAX];

    if (realpath (path, real))
        return arena_text (real);
    return path[0] != '/' && getcwd (cwd, sizeof (cwd))
               ? arena_format ("%s/%s", cwd, path)
               : arena_text (path);
}

static void whatif_paths (struct fastpaths *to, const struct opt_list *from)
{
    for (int i = 0; i < from->count; i++)
        fastpaths_add (to, whatif_absolute (from->item[i]));
}

/* ---- the first run -> what is read and written ---- */

/* The end of the command after a line of log. */
static void need (int rc)
{
    if (rc < 0)
        exit (EXIT_FAILED);
}

static const struct fastrun plain;

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
    const char *output = arena_format ("%s/%s", w->dir, name);
    struct errtext err;
    int rc = fastrun_child (f, (char **)argv, output, end, &err);

    if (rc < 0)
        log_error ("%s", err.text);
    else if (end->status && !end->stopped) {
        log_error ("%s: ended with status %d: its output is in %s", argv[0],
                   WIFSIGNALED (end->status) ? 128 + WTERMSIG (end->status)
                                             : WEXITSTATUS (end->status),
                   output);
        rc = -1;
    }
    return rc;
}

static int whatif_before (const struct whatif *w)
{
    const char *argv[] = {"sh", "-c", w->before, NULL};
    struct fastend end;

    return w->before ? whatif_command (w, &plain, "before.out", argv, &end) : 0;
}

/* A verb of ours: dftrace WORDS TAIL, both of which end with NULL. */
static int whatif_dftrace (const struct whatif *w,
                           const struct fastrun *f,
                           const char *output,
                           const char *const *words,
                           const char *const *tail,
                           struct fastend *end)
{
    const char *const none[] = {w->self, NULL};
    const char *const *const part[] = {none, words, tail};
    const char **argv = NULL;
    size_t n = 0;

    for (size_t i = 0; i < ITEMS (part); i++)
        for (const char *const *word = part[i]; *word; word++) {
            argv = arena_grow (argv, n, sizeof (*argv));
            argv[n++] = *word;
        }
    argv = arena_grow (argv, n, sizeof (*argv));
    argv[n] = NULL;
    return whatif_command (w, f, output, argv, end);
}

/* The command, traced in dir/name; in that way. Data that is known leaves the
 * page cache before it, as before a run as it is, unless it is made fast. */
static int whatif_trace (struct whatif *w,
                         const char *dir,
                         const char *name,
                         unsigned fast)
{
    const char *trace = arena_format ("%s/%s", dir, name);
    const char *words[] = {"run", "-q", "-o", trace, "-l", "posix,app,mmap",
                           "--",  NULL};
    struct fastrun run = w->run;
    struct fastend end;
    int rc;

    run.same = (struct fastpaths){NULL, 0};
    run.fast = fast;
    w->trace = trace;
    if (whatif_before (w) < 0)
        return -1;
    rc = whatif_dftrace (w, &run, arena_format ("%s.out", name), words,
                         (const char *const *)w->argv, &end);
    return rc < 0 ? -1 : whatif_ended_early (w, &end);
}

/* `dftrace analyze` of the last trace; what it prints goes to dir/name. words
 * end with NULL. 0, or -1 and a line of log. */
static int whatif_analyze (const struct whatif *w,
                           const char *name,
                           const char *const *words)
{
    const char *const trace[] = {w->trace, NULL};
    struct fastend end;

    return whatif_dftrace (w, &plain, name, words, trace, &end);
}

static const char *const first_screen[] = {"analyze", NULL};

/* Its answer as a table; NULL: there is none. */
static struct csv *
whatif_ask (const struct whatif *w, const char *name, const char *const *words)
{
    return whatif_analyze (w, name, words) < 0 ? NULL
                                               : csv_load (w->dir, name, NULL);
}

static struct csv *whatif_trace_table (const struct whatif *w, const char *name)
{
    return csv_load (arena_format ("%s/tables", w->trace), name, NULL);
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

/* Take a row of the table of files: data, or the directory of an output. */
static void whatif_take_file (struct whatif *w, const struct csv *c, size_t row)
{
    double wrote = csv_number (c, row, "write_bytes");
    double syncs = csv_number (c, row, "sync_count");
    double read = csv_number (c, row, "read_bytes");
    char *path = arena_text (csv_get (c, row, "file"));

    whatif_unescape (path);
    if (path[0] != '/' || strncmp (path, "/dev/", 5) == 0 ||
        strcmp (csv_get (c, row, "kind"), "program") == 0 ||
        strcmp (csv_get (c, row, "fs_type"), "tmpfs") == 0)
        ;
    else if (wrote > 0 || syncs > 0) {
        w->written += (uint64_t)wrote;
        w->reasons |= FAST_OUTPUT | (syncs > 0 ? FAST_SYNC : 0U);
        strrchr (path, '/')[strrchr (path, '/') == path] = '\0';
        if (!w->under.count && !fastpaths_cover (&w->run.under, path))
            fastpaths_add (&w->run.under, whatif_absolute (path));
    } else if (read > 0 || csv_number (c, row, "map_count") > 0) {
        w->reasons |= FAST_DATA;
        if (!w->data.count)
            fastpaths_add (&w->run.data, whatif_absolute (path));
    }
}

/* Take data and outputs from the trace, unless the user names them, and the
 * bill. */
static void whatif_learn (struct whatif *w, int failed)
{
    struct csv *files = whatif_trace_table (w, "files.csv");
    int known = w->reasons != 0; /* by the first run */

    if (!files)
        die_with (failed, "%s: has no table of files: %m", w->trace);
    csv_destroy (w->bill);
    w->bill = whatif_trace_table (w, "wall_time.csv");
    for (size_t row = 0; !known && row < csv_rows (files); row++)
        whatif_take_file (w, files, row);
    csv_destroy (files);
}

/* Bytes for outputs in memory. */
static uint64_t whatif_room (const struct whatif *w)
{
    return w->written + w->written / 4 + (16 << 20);
}

/* Run it traced as it is, and learn from that, or from the user's trace. */
static void whatif_first (struct whatif *w)
{
    static const char *const epochs[] = {
        "analyze",
        "--format=csv",
        "--by=epoch",
        "--sort=epoch",
        "--show=union,sum(bytes),sum(arg.mm.read)",
        "--where=class = read and epoch >= 0",
        NULL};
    const int ours = !w->trace;
    enum notrace why;

    if (ours)
        need (whatif_trace (w, w->dir, "first", 0));
    why = notrace_look_at (w->trace);
    if (why != NOTRACE_NO)
        die ("%s: no file that could be made fast: %s", w->trace,
             notrace_reason (why, LAYER_POSIX));
    need (whatif_analyze (w, "first.txt", first_screen));
    whatif_learn (w, EXIT_FAILED);
    /* a bound for runs as they are: from a trace with the data not in memory */
    if (ours && w->run.cold && w->run.data.count) {
        need (whatif_trace (w, w->dir, "cold", 0));
        need (whatif_analyze (w, "cold.txt", first_screen));
        whatif_learn (w, EXIT_FAILED);
    }
    w->epochs = whatif_ask (w, "epochs.csv", epochs);
}

/* ---- what fits ---- */

static void
whatif_fits (struct whatif *w, unsigned fast, const char *name, int failed)
{
    struct pagecache_sum sum = {.bytes = 0};
    uint64_t bytes, have = fastrun_memory ();
    char words[2][WORDS_MAX];

    for (size_t i = 0; fast & FAST_DATA && i < w->run.data.count; i++)
        pagecache_tree (w->run.data.path[i], PAGECACHE_SIZES, &sum);
    bytes = (uint64_t)sum.bytes * (fast & FAST_META ? 2 : 1) +
            (fast & FAST_OUTPUT ? whatif_room (w) : 0);
    if (fast & FAST_META)
        w->copied = 2 * (uint64_t)sum.bytes;
    if (bytes > have - have / 10)
        die_with (failed,
                  "%s: needs %s of memory, and %s are free: name fewer files "
                  "(--data, --under), or leave it out (--fast)",
                  name, value_words (words[0], (double)bytes, "B"),
                  value_words (words[1], (double)have, "B"));
}

/* ---- the bound by the trace ---- */

/* Seconds in which calls that become fast were going on in any thread of any
 * process: whatever waited for them, no more can be saved. Waiting for a CPU is
 * added, since a call's own work delays others. */
static double whatif_bound (const struct whatif *w, const struct way_kind *kind)
{
    const char *file = arena_format ("at-most-%s.csv", kind->name);
    const char *words[] = {
        "analyze", "--format=csv", "--show=union",
        arena_format ("--where=(%s) and kind != program", kind->calls), NULL};
    double seconds = NAN;
    struct csv *answer = NULL;

    if (w->bill && (answer = whatif_ask (w, file, words)))
        seconds = csv_rows (answer) ? csv_number (answer, 0, "union_s") : 0;
    for (size_t row = 0; row < csv_rows (w->bill); row++)
        if (strcmp (csv_get (w->bill, row, "cause"), "cpu_wait") == 0)
            seconds += fmax (csv_number (w->bill, row, "time_s"), 0);
    csv_destroy (answer);
    return seconds;
}

/* ---- rounds ---- */

static void whatif_add_way (struct whatif *w, unsigned kind, unsigned more)
{
    const struct way_kind *k = &whatif_kind[kind];
    struct way *to = &w->way[w->ways];

    to->kind = k;
    to->fast = k->fast | more;
    whatif_fits (w, to->fast, k->name, EXIT_FAILED);
    /* of steps there is none: their start is in the trace */
    to->bound = kind && !w->run.stop_after ? whatif_bound (w, k) : NAN;
    to->seconds =
        arena_array (REPEATS_MAX * WITHIN_TIMES, sizeof (*to->seconds));
    w->ways++;
}

/* Add the ways that were asked for, or that the job gives a reason for. */
static void whatif_ways (struct whatif *w)
{
    unsigned meta = 0;

    for (unsigned i = 0; i < WAYS_MAX; i++)
        meta |= w->chosen & 1U << i ? whatif_kind[i].fast & FAST_META : 0;
    for (unsigned i = 0; i < WAYS_MAX; i++) {
        unsigned fast = whatif_kind[i].fast;
        int chosen = w->chosen >> i & 1, has = (fast & w->reasons) != 0;

        if (chosen && !has && i)
            log_warn ("%s: the first run has no such I/O", whatif_kind[i].name);
        if ((w->fast ? chosen && has : (fast & ~w->reasons) == 0) || !i)
            whatif_add_way (w, i, i == WAYS_MAX - 1 ? meta : 0);
    }
    w->run.room = whatif_room (w) + w->copied;
    if (w->ways == 1)
        die ("what-if: the first run reads and writes no file that could be "
             "made fast: %s says what it does (first.txt)",
             w->dir);
}

/* Judge a run that has ended. */
static void whatif_check (struct whatif *w,
                          const struct way *way,
                          int round,
                          const struct fastend *end)
{
    if (way->fast & FAST_DATA && end->data_resident >= 0 &&
        end->data_resident < end->data_bytes)
        log_warn ("%s: %" PRId64 " of %" PRId64
                  " bytes of data did not stay in memory",
                  way->kind->name, end->data_bytes - end->data_resident,
                  end->data_bytes);
    if (!w->digest[0])
        memcpy (w->digest, end->digest, sizeof (w->digest));
    if (strcmp (w->digest, end->digest) != 0)
        die_with (EXIT_CHECK_FAILED,
                  "%s, round %d: outputs (--same) are not those of the other "
                  "runs: the command does something else in each run",
                  way->kind->title, round + 1);
    if (isnan (way->seconds[round]))
        die ("--stop-after %d: the output of %s, round %d, has fewer than two "
             "lines with \"%s\": name a longer time, or what each step writes "
             "(--stop-at)",
             w->run.stop_after, way->kind->title, round + 1, w->run.stop_at);
}

static void whatif_one (struct whatif *w, struct way *way, int round)
{
    const char *output = arena_format ("%d-%s.out", round + 1, way->kind->name);
    struct fastrun f = w->run;
    struct fastend end;

    f.fast = way->fast;
    f.keep = f.fast & FAST_OUTPUT ? w->keep : NULL;
    need (whatif_before (w));
    need (whatif_command (w, &f, output, (const char *const *)w->argv, &end));
    need (whatif_ended_early (w, &end));
    way->seconds[round] = w->run.stop_after ? end.line_seconds : end.seconds;
    whatif_check (w, way, round, &end);
}

/* The means and intervals of the rounds. */
static void whatif_count (struct whatif *w)
{
    const double *as_it_is = w->way[0].seconds;

    for (size_t i = 0; i < w->ways; i++) {
        struct way *way = &w->way[i];

        way->time = way->saved = (struct statistics){.n = 0};
        for (int round = 0; round < w->done; round++) {
            double s = way->seconds[round];

            statistics_add (&way->time, s);
            statistics_add (&way->saved, 100 * (1 - s / as_it_is[round]));
        }
        statistics_end (&way->time);
        statistics_end (&way->saved);
        way->half = statistics_half (&way->saved);
    }
}

static void whatif_round (struct whatif *w, unsigned *state)
{
    size_t order[WAYS_MAX];

    for (size_t i = 0; i < w->ways; i++) {
        size_t at = (size_t)rand_r (state) % (i + 1);

        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; i < w->ways; i++) {
        whatif_one (w, &w->way[order[i]], w->done);
        progress_add (1);
    }
    w->done++;
    whatif_count (w);
}

int whatif_is_narrow (const struct whatif *w)
{
    for (size_t i = 1; w->within && i < w->ways; i++)
        if (!(w->way[i].half <= w->within))
            return 0;
    return 1;
}

/* ---- what remains ---- */

/* Run it traced in the last way, for the bill of what remains. Its trace must
 * not be where outputs are thrown away. */
static void whatif_remains (struct whatif *w)
{
    char temporary[] = "/tmp/dftrace-what-if.XXXXXX";
    const char *rm[] = {"rm", "-rf", "--", temporary, NULL};
    const char *dir = w->dir;
    struct fastend end;

    if (w->run.stop_after)
        return;
    if (fastrun_hides (&w->run, dir)) {
        if (fastrun_hides (&w->run, "/tmp") || !mkdtemp (temporary))
            return;
        dir = temporary;
    }
    if (whatif_trace (w, dir, "remains", w->way[w->ways - 1].fast) == 0 &&
        whatif_analyze (w, "remains.txt", first_screen) == 0) {
        w->remains = whatif_trace_table (w, "wall_time.csv");
        w->findings = whatif_trace_table (w, "insights.csv");
    }
    if (dir == temporary)
        whatif_command (w, &plain, "remains.txt", rm, &end);
}

/* A whole file of results. */
static void whatif_write (const struct whatif *w,
                          const char *name,
                          void (*write) (const struct whatif *w, FILE *out))
{
    struct atomic_file *f =
        xatomic_open (arena_format ("%s/%s", w->dir, name), 0644);

    write (w, atomic_stream (f));
    xatomic_commit (f);
}

/* ---- the verb ---- */

/* Remove the directory for memory file systems. */
static void whatif_end (void);

/* The directory of results, new, and the one in it for memory file systems. */
static void whatif_make_dir (struct whatif *w)
{
    const char *dir =
        w->dir ?: arena_format ("dftrace/what-if-%d", (int)getpid ());

    xmake_dirs (dir);
    w->dir = whatif_absolute (dir);
    w->run.scratch = arena_format ("%s/memory", w->dir);
    if (mkdir (w->run.scratch, 0700) < 0 && errno != EEXIST)
        die ("%s/memory: %m", dir);
    atexit (whatif_end);
    if (readlink ("/proc/self/exe", w->self, PATH_MAX - 1) < 0)
        die ("/proc/self/exe: %m");
}

static void whatif_rounds (struct whatif *w)
{
    const int most = w->repeats * (w->within ? WITHIN_TIMES : 1);
    unsigned state = (unsigned)w->seed;

    progress_start ("what-if", (uint64_t)most * w->ways, "runs");
    while (w->done < most && (w->done < w->repeats || !whatif_is_narrow (w))) {
        whatif_round (w, &state);
        whatif_write (w, "what-if.json", whatif_json);
    }
    progress_end ();
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
    unsigned fast = 0;

    whatif_make_dir (w);
    log_info ("an experiment: the command runs %d times or more; outputs and "
              "times are in %s",
              2 + 2 * w->repeats, w->dir);
    whatif_first (w);
    whatif_ways (w);
    for (size_t i = 0; i < w->ways; i++)
        fast |= w->way[i].fast;
    if (fast & FAST_OUTPUT)
        whatif_say_outputs (w);
    whatif_rounds (w);
    whatif_remains (w);
    whatif_write (w, "what-if.html", whatif_page);
    whatif_print (w);
    return EXIT_OK;
}

/* One run in the way that is named: a run of a sweep, a task of a step. */
static int whatif_apply (struct whatif *w)
{
    char scratch[] = "/tmp/dftrace-what-if.XXXXXX";
    struct fastend end;
    struct errtext err;
    int rc;

    for (unsigned i = 0; i < WAYS_MAX; i++)
        w->run.fast |= w->chosen & 1U << i ? whatif_kind[i].fast : 0;
    if (w->trace)
        whatif_learn (w, EXIT_NOT_STARTED);
    if ((w->run.fast & FAST_DATA && !w->run.data.count) ||
        (w->run.fast & (FAST_OUTPUT | FAST_SYNC) && !w->run.under.count))
        die_with (EXIT_USAGE,
                  "--apply %s: of which files? name them with --data and "
                  "--under, or a trace with --trace",
                  w->apply);
    whatif_fits (w, w->run.fast, w->apply, EXIT_NOT_STARTED);
    w->run.room =
        w->trace ? whatif_room (w) + w->copied : fastrun_memory () / 2;
    w->run.keep = w->keep;
    if (!mkdtemp (scratch))
        die_with (EXIT_NOT_STARTED, "%s: %m", scratch);
    w->run.scratch = scratch;
    if (w->run.fast & FAST_OUTPUT)
        whatif_say_outputs (w);
    rc = fastrun_here (&w->run, w->argv, &end, &err);
    (void)rmdir (scratch);
    if (rc < 0)
        die_with (EXIT_NOT_STARTED, "%s", err.text);
    return launch_exit_status (end.status);
}

static struct whatif given = {
    .repeats = REPEATS, .seed = 1, .run = {.stop_lines = -1}};

static void whatif_end (void)
{
    (void)rmdir (given.run.scratch);
}

/* The help of the first is made of whatif_kind[]. */
static struct opt options[] = {
    {"fast", 0, OPT_TEXT, &given.fast, "WHAT[,WHAT]", ""},
    {"data", 0, OPT_LIST, &given.data, "PATH",
     "file or directory that is read (what the first run reads and nobody "
     "writes); may be repeated"},
    {"under", 0, OPT_LIST, &given.under, "DIR",
     "directory of outputs (those that the first run writes to); may be "
     "repeated"},
    {"repeats", 'r', OPT_INT, &given.repeats, "N", "so many rounds (5)"},
    {"within", 0, OPT_INT, &given.within, "PERCENT",
     "after --repeats more rounds, up to four times as many, until each "
     "saving is known to ± PERCENT of the job"},
    {"warm", 0, OPT_FLAG, &given.warm, NULL,
     "leave the page cache alone in runs of the command as it is"},
    {"before", 0, OPT_TEXT, &given.before, "COMMAND",
     "run this by sh before each run, not measured"},
    {"same", 0, OPT_LIST, &given.same, "PATH",
     "output whose bytes must be the same in each run; may be repeated"},
    {"keep", 0, OPT_TEXT, &given.keep, "DIR",
     "copy outputs that were in memory there"},
    {"stop-at", 0, OPT_TEXT, &given.run.stop_at, "TEXT",
     "end each run (SIGTERM) once its output has --stop-lines lines with "
     "this text: a training that is too long"},
    {"stop-lines", 0, OPT_INT, &given.run.stop_lines, "N",
     "so many lines with the text of --stop-at (10)"},
    {"stop-after", 0, OPT_INT, &given.run.stop_after, "SECONDS",
     "end each run after so long; what is compared is the time from one "
     "line with the text of --stop-at to the next, without the start"},
    {"seed", 0, OPT_INT, &given.seed, "N", "of the order of runs (1)"},
    {"output", 'o', OPT_TEXT, &given.dir, "DIR", "directory of results"},
    {"trace", 0, OPT_TEXT, &given.trace, "DIR",
     "use this job's trace instead of a first run"},
    {"apply", 0, OPT_TEXT, &given.apply, "WHAT[,WHAT]",
     "run the command once in this way, or as it is: none"},
    FORMAT_OPTION (given.format),
    OPT_END,
};

static void whatif_options (struct whatif *w)
{
    static struct site site;
    const char *wrong = NULL;

    whatif_paths (&w->run.data, &w->data);
    whatif_paths (&w->run.under, &w->under);
    whatif_paths (&w->run.same, &w->same);
    if (w->run.stop_lines < 0)
        w->run.stop_lines = w->run.stop_after ? INT_MAX : STOP_LINES;
    if (w->repeats < 1 || w->repeats > REPEATS_MAX)
        wrong = arena_format ("--repeats: use 1 to %d", REPEATS_MAX);
    else if (w->run.stop_after && !w->run.stop_at)
        wrong = "--stop-after: after a time both sides have taken that time: "
                "name the lines of the output that say how much was done "
                "(--stop-at TEXT), and the time of one is compared";
    else if (w->run.stop_at && (!w->run.stop_at[0] || w->run.stop_lines < 1))
        wrong = "--stop-at, --stop-lines: use a text and a number from 1 on";
    else if (w->run.stop_at && w->apply)
        wrong = "--stop-at: not with --apply: its output is not read";
    if (wrong)
        die_with (EXIT_USAGE, "%s", wrong);
    w->chosen = whatif_kinds ("--fast", w->fast);
    w->chosen |= whatif_kinds ("--apply", w->apply);
    if (w->keep)
        w->keep = whatif_absolute (w->keep);
    if (w->keep && fastpaths_cover (&w->run.under, w->keep))
        die_with (EXIT_USAGE,
                  "--keep %s: is below --under: name another directory",
                  w->keep);
    w->run.cold = !w->warm;
    site_load (&site, 0, NULL);
    if (!site.what_if)
        die ("what-if: not allowed at this site (what_if in %s): ask its "
             "administrators",
             SITE_CONF);
}

/* The help, with what can be made fast from its table. */
static const struct verb_help *whatif_help (void)
{
    static char text[4096], fast[256];
    static struct verb_help told;
    size_t n = (size_t)FORMAT (text, "%s\n\n", help.text);

    for (int i = 1; i < WAYS_MAX && n < sizeof (text); i++)
        n += (size_t)snprintf (text + n, sizeof (text) - n, "%s: %s.%s",
                               whatif_kind[i].name, whatif_kind[i].help,
                               i < WAYS_MAX - 1 ? " " : "");
    FORMAT (fast, "%s (each that the first run gives a reason for)",
            whatif_names ());
    told = help;
    told.text = text;
    options[0].help = fast;
    return &told;
}

int cmd_whatif (int argc, char **argv)
{
    struct whatif *w = &given;
    int first = optparse_operands (options, whatif_help (), argc, argv);

    if (first == argc)
        die_with (EXIT_USAGE,
                  "what-if: no command: try `dftrace what-if -- COMMAND`");
    w->argv = argv + first;
    whatif_options (w);
    return w->apply ? whatif_apply (w) : whatif_measure (w);
}
