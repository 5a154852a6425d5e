/* SPDX-License-Identifier: MIT
 *
 * cmd_show.c - `dftrace sweep status`, `show` and `logs`: the state of runs
 */
#include "config.h"

#include "lib/util/fsutil.h"
#include "lib/util/json.h"
#include "sweep/cmd.h"
#include "sweep/results/runreport.h"

static const struct verb_help show_help = {
    .usage = "dftrace sweep show [OPTION…] DIR RUN…",
    .summary = "everything about one run: values, variables, attempts",
    .example = "  $ dftrace sweep show my-study mmap-s2048-b64",
    .exits = "0  shown\n1  there is no such run",
    .least = 1,
};

static void print_attempts (const struct sweepdir *d, struct run run)
{
    int last = sweepdir_last_attempt (d, run);

    for (int i = 0; i <= last; i++) {
        const char *dir = sweepdir_attempt_path (d, run, i);
        struct runstatus s;
        struct ranks n;

        runstatus_read (arena_format ("%s/status", dir), &s);
        if (s.state == RUN_NONE)
            continue;
        printf ("a%d         %s, node %s, job %s%s%s, %s", i,
                s.state == RUN_ENDED ? "ended" : "running", s.node,
                *s.job ? s.job : "none", *s.task ? "_" : "", s.task,
                s.state == RUN_ENDED ? "" : "not ended\n");
        if (s.state == RUN_ENDED)
            printf ("exit %d, %.1f s\n", s.exit, s.end - s.start);
        if (ranks_of (d, run, i, &n) && n.started)
            printf ("           %llu of %llu ranks left a trace\n",
                    (unsigned long long)n.found, (unsigned long long)n.started);
        if (*s.predecessor)
            printf ("           after %s on that node\n", s.predecessor);
        printf ("           %s\n", dir);
    }
}

static void print_digests (const struct sweepdir *d)
{
    char hex[65];

    for (size_t i = 0; spec_parts[i]; i++) {
        if (!ynode_get (ytree_root (d->spec->tree), spec_parts[i]))
            continue;
        spec_digest (d->spec, spec_parts[i], hex);
        printf ("digest     %s %.12s\n", spec_parts[i], hex);
    }
}

static void print_command (const struct spec *s)
{
    const char *text = s->script ? s->script : s->run;
    int first = 1;

    while (*text) {
        size_t n = strcspn (text, "\n");

        printf ("%-10s %.*s\n",
                !first      ? ""
                : s->script ? "script"
                            : "command",
                (int)n, text);
        first = 0;
        text += n + (text[n] == '\n');
    }
}

static void show_run (const struct sweepdir *d, struct run run)
{
    const struct spec *s = d->spec;
    const struct point *p = &d->grid->point[run.point];

    printf ("run        %s\nlabel      %s\nseed       %llu\n",
            run_id (d->grid, run), p->label,
            (unsigned long long)seed_of_run (s, p, run.repeat));
    for (size_t i = 0; i < s->columns; i++)
        if (p->column[i].type != VALUE_NONE)
            printf ("%-10s %s%s\n", s->column[i], value_show (&p->column[i]),
                    i < s->axes             ? "  (axis)"
                    : i >= s->first_derived ? "  (derived)"
                                            : "");
    for (size_t i = 0; i < s->envs; i++)
        printf ("env        %s=%s\n", p->env[i].name,
                p->env[i].text ? p->env[i].text : "(unset)");
    for (size_t i = 0; i < p->options; i++)
        printf ("slurm      --%s%s%s\n", p->option[i].name,
                p->option[i].text ? "=" : "",
                p->option[i].text ? p->option[i].text : "");
    print_command (s);
    print_digests (d);
    print_attempts (d, run);
}

/* -- for programs ------------------------------------------------------ */

static void json_pairs (struct json *j,
                        const char *name,
                        const struct name_text *pair,
                        size_t pairs)
{
    json_open (j, name, '{');
    for (size_t i = 0; i < pairs; i++)
        json_text (j, pair[i].name, pair[i].text);
    json_close (j, '}');
}

static void
json_attempts (struct json *j, const struct sweepdir *d, struct run run)
{
    int last = sweepdir_last_attempt (d, run);

    json_open (j, "attempts", '[');
    for (int i = 0; i <= last; i++) {
        const char *dir = sweepdir_attempt_path (d, run, i);
        struct runstatus s;

        runstatus_read (arena_format ("%s/status", dir), &s);
        json_put (j,
                  "{ attempt:%d directory:%s nodes:%s job:%s task:%s "
                  "predecessor:%s start_s:%f",
                  i, dir, s.nodes, s.job, s.task, s.predecessor, s.start);
        if (s.state == RUN_ENDED) {
            json_put (j, "elapsed_s:%f exit:%d", s.end - s.start, s.exit);
        }
        json_close (j, '}');
    }
    json_close (j, ']');
}

static void json_show (struct json *j, const struct sweepdir *d, struct run run)
{
    const struct spec *s = d->spec;
    const struct point *p = &d->grid->point[run.point];
    char hex[65];

    json_put (j, "{ run:%s label:%s seed:%ju columns:{", run_id (d->grid, run),
              p->label, seed_of_run (s, p, run.repeat));
    for (size_t i = 0; i < s->columns; i++)
        if (p->column[i].type != VALUE_NONE)
            json_text (j, s->column[i],
                       p->column[i].type == VALUE_NULL
                           ? NULL
                           : value_text (&p->column[i]));
    json_close (j, '}');
    json_pairs (j, "env", p->env, s->envs);
    json_pairs (j, "slurm", p->option, p->options);
    json_text (j, s->script ? "script" : "command",
               s->script ? s->script : s->run);
    json_open (j, "digests", '{');
    for (size_t i = 0; spec_parts[i]; i++) {
        spec_digest (s, spec_parts[i], hex);
        json_text (j, spec_parts[i], hex);
    }
    json_close (j, '}');
    json_attempts (j, d, run);
    json_close (j, '}');
}

static void show_json (const struct sweepdir *d, const struct sweep_report *r)
{
    struct json j;

    json_init (&j, stdout, 0);
    json_open (&j, NULL, '[');
    for (size_t i = 0; i < r->count; i++)
        json_show (&j, d, r->run[i].run);
    json_close (&j, ']');
    putchar ('\n');
}

int sweep_cmd_show (int argc, char **argv)
{
    struct filter_options filter = {.where = NULL};
    enum table_format format = TABLE_TEXT;
    const struct opt opts[] = {
        FILTER_OPTIONS (filter),
        FORMAT_OPTION (format),
        OPT_END,
    };
    int operand = optparse_operands (opts, &show_help, argc, argv);
    struct sweep_report r;
    struct sweepdir *d;

    cmd_words (&filter, argc, argv, operand);
    if (!filter_used (&filter))
        die_with (EXIT_USAGE, "missing operand: usage: %s", show_help.usage);
    d = sweepdir_open (argv[operand]);
    cmd_filter (d, filter.only ? STATUS_SLURM : STATUS_FILES, &filter,
                EXIT_FAILED, &r);
    if (r.count && format == TABLE_JSON)
        show_json (d, &r);
    else if (r.count && format != TABLE_TEXT)
        cmd_table (runtable_make (d, &r), format);
    for (size_t i = 0; format == TABLE_TEXT && i < r.count; i++) {
        if (i)
            putchar ('\n');
        show_run (d, r.run[i].run);
    }
    return r.count ? EXIT_OK : EXIT_FAILED;
}

/* ---- `dftrace sweep status DIR`: what became of runs ---- */

enum { WATCH_SECONDS = 30 };

static const struct verb_help status_help = {
    .usage = "dftrace sweep status [OPTION…] DIR [RUN…]",
    .summary = "what has become of every run of a sweep",
    .text = "Read from the status files of the runs and one squeue; needs no "
            "accounting.",
    .example = "  $ dftrace sweep status my-study --watch\n"
               "  $ dftrace sweep status my-study --where 'seq > 2048' "
               "--only bad",
    .exits = "0  all runs are done\n3  some are queued or running\n"
             "4  all have ended, some are not done",
    .least = 1,
};

struct status_options {
    struct filter_options filter;
    enum table_format format;
    int watch;
};

static int status_once (const char *path, const struct status_options *o)
{
    struct sweepdir *d = sweepdir_open (path);
    struct sweep_report r;

    status_read (d, STATUS_SLURM, &r);
    if (*r.silence)
        log_warn ("%s: going by status files alone", r.silence);
    filter_report (d, &o->filter, EXIT_USAGE, &r);
    if (o->format == TABLE_JSON)
        status_print_json (stdout, d, &r);
    else if (o->format == TABLE_TEXT)
        status_print (stdout, d, &r);
    else
        cmd_table (runtable_make (d, &r), o->format);
    sweepdir_close (d);
    return r.open ? EXIT_PENDING : r.bad ? EXIT_SOME_FAILED : EXIT_OK;
}

int sweep_cmd_status (int argc, char **argv)
{
    struct status_options o = {.watch = 0};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        FORMAT_OPTION (o.format),
        {"watch", 0, OPT_FLAG, &o.watch, NULL,
         "again every 30 seconds until all have ended"},
        OPT_END,
    };
    int operand = optparse_operands (opts, &status_help, argc, argv), status;

    cmd_words (&o.filter, argc, argv, operand);
    for (;;) {
        void *mark = arena_alloc (1);

        if (o.watch && isatty (1))
            fputs ("\033[H\033[2J", stdout);
        status = status_once (argv[operand], &o);
        if (!o.watch || status != EXIT_PENDING)
            return status;
        arena_free (mark);
        fflush (stdout);
        sleep (WATCH_SECONDS);
    }
}

/* ---- `dftrace sweep logs DIR [RUN…]`: what runs wrote ---- */

enum {
    LOG_BYTES_MAX = 256 * 1024 * 1024,
    LOG_LINES = 20,
    FOLLOW_MS = 500,
    COPY = 65536,
};

struct logs_options {
    struct filter_options filter;
    enum table_format format;
    int lines, follow, errors;
};

static const struct verb_help logs_help = {
    .usage = "dftrace sweep logs [OPTION…] DIR [RUN…]",
    .summary = "the last lines a run wrote; without RUN, of all that failed",
    .text = "Both files of a run, its standard output and its standard error; "
            "-f goes on with what\nis added until every run that is meant has "
            "ended.",
    .example =
        "  $ dftrace sweep logs my-study\n"
        "  $ dftrace sweep logs my-study mmap-s2048-b64 --lines 100\n"
        "  $ dftrace sweep logs my-study mmap-s2048-b64.r0 --follow --err",
    .exits = "0  there was something to show\n1  there was not",
    .least = 1,
};

static const char *const files[] = {"stdout", "stderr"};

/* -- once -------------------------------------------------------------- */

static int print_tail (const char *path, int lines)
{
    char *text = read_file (path, LOG_BYTES_MAX, NULL, NULL), *p;

    if (!text || !*text) {
        free (text);
        return 0;
    }
    p = text + strlen (text);
    for (int seen = 0; p > text; p--)
        if (p[-1] == '\n' && p[0] && ++seen == lines)
            break;
    printf ("==> %s <==\n%s%s", path, p,
            text[strlen (text) - 1] == '\n' ? "" : "\n");
    free (text);
    return 1;
}

/* Slurm's own file may say why a task wrote nothing. */
static void print_silence (struct sweepdir *d, const struct run_report *r)
{
    const char *why = status_why (d, r);

    printf ("%s r%d%s: %s%s%s: it wrote nothing; Slurm's own words, if any, "
            "are in %s/slurm\n",
            d->grid->point[r->run.point].label, r->run.repeat,
            r->run.control ? "c" : "", outcome_word (r->outcome),
            *why ? ", " : "", why, d->path);
}

static int print_logs (struct sweepdir *d,
                       const struct run_report *r,
                       const struct logs_options *o)
{
    const char *dir;
    int shown = 0;

    dir = r->attempt < 0 ? NULL : sweepdir_attempt_path (d, r->run, r->attempt);
    for (int i = o->errors; dir && i < 2; i++)
        shown |= print_tail (arena_format ("%s/%s", dir, files[i]), o->lines);
    if (!shown)
        print_silence (d, r);
    return shown;
}

/* -- on and on --------------------------------------------------------- */

struct follower {
    struct run run;
    int attempt;
    off_t at[2];
};

/* Print what was added to a file since the last call, below its name when
 * another file was printed last. */
static void copy_more (const char *path, off_t *at, const char **last)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    char buffer[COPY];
    ssize_t n;

    if (fd < 0)
        return;
    while ((n = pread (fd, buffer, sizeof (buffer), *at)) > 0) {
        if (!*last || strcmp (*last, path)) {
            printf ("==> %s <==\n", path);
            *last = arena_text (path);
        }
        fwrite (buffer, 1, n, stdout);
        *at += n;
    }
    close (fd);
    fflush (stdout);
}

/* 1 when the run has ended and all it wrote was shown. */
static int follow_once (const struct sweepdir *d,
                        struct follower *f,
                        const struct logs_options *o,
                        const char **last)
{
    int attempt = sweepdir_last_attempt (d, f->run), ended;
    struct runstatus s;
    const char *dir;

    if (attempt < 0)
        return 0;
    if (attempt != f->attempt)
        *f = (struct follower){.run = f->run, .attempt = attempt};
    dir = sweepdir_attempt_path (d, f->run, attempt);
    runstatus_read (arena_format ("%s/status", dir), &s);
    ended = s.state == RUN_ENDED; /* before the copy: nothing is missed */
    for (int i = o->errors; i < 2; i++)
        copy_more (arena_format ("%s/%s", dir, files[i]), &f->at[i], last);
    return ended;
}

static int logs_follow (struct sweepdir *d,
                        const struct sweep_report *r,
                        const struct logs_options *o)
{
    const struct timespec pause = {.tv_nsec = FOLLOW_MS * 1000000L};
    struct follower *f = arena_array (r->count + 1, sizeof (*f));
    const char *last = NULL;
    size_t open = r->count;

    for (size_t i = 0; i < r->count; i++)
        f[i] = (struct follower){.run = r->run[i].run, .attempt = -1};
    while (open) {
        open = 0;
        for (size_t i = 0; i < r->count; i++)
            open += !follow_once (d, &f[i], o, &last);
        if (open)
            nanosleep (&pause, NULL);
    }
    return 1;
}

/* Without any filter, what has not ended well; with -f what is running. */
static int logs (struct sweepdir *d, struct logs_options *o)
{
    int all = !filter_used (&o->filter), shown = 0;
    struct sweep_report r;

    if (all)
        o->filter.only = o->follow ? "open" : "bad";
    /* Slurm, too, knows of failures: a task that it could not launch */
    cmd_filter (d, STATUS_SLURM, &o->filter, EXIT_FAILED, &r);
    if (cmd_talk (o->format) != stdout) {
        cmd_table (runtable_make (d, &r), o->format);
        return r.count ? EXIT_OK : EXIT_FAILED;
    }
    if (o->follow)
        return r.count && logs_follow (d, &r, o) ? EXIT_OK : EXIT_FAILED;
    for (size_t i = 0; i < r.count; i++)
        shown |= print_logs (d, &r.run[i], o);
    if (!r.count && all)
        puts ("no run has failed so far");
    return shown ? EXIT_OK : EXIT_FAILED;
}

int sweep_cmd_logs (int argc, char **argv)
{
    struct logs_options o = {.lines = LOG_LINES};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        FORMAT_OPTION (o.format),
        {"lines", 0, OPT_INT, &o.lines, "N", "lines of each file (20)"},
        {"follow", 0, OPT_FLAG, &o.follow, NULL,
         "go on with what is added until the runs have ended"},
        {"err", 0, OPT_FLAG, &o.errors, NULL, "standard error alone"},
        OPT_END,
    };

    return logs (cmd_begin (opts, &logs_help, argc, argv, &o.filter), &o);
}
