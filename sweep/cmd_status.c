/* SPDX-License-Identifier: MIT
 *
 * cmd_status.c - `dftrace sweep status|logs|show DIR`: what became of runs
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "sweep/cmd.h"
#include "sweep/filter.h"

enum {
    WATCH_SECONDS = 30,
    LOG_BYTES_MAX = 256 * 1024 * 1024,
    LOG_LINES = 20,
};

/* -- status ------------------------------------------------------------ */

static const struct verb_help status_help = {
    .usage = "dftrace sweep status [OPTION…] DIR [RUN…]",
    .summary = "what has become of every run of a sweep",
    .text = "Read from the status files of the runs and one squeue; needs no "
            "accounting.",
    .example = "  $ dftrace sweep status my-study -w\n"
               "  $ dftrace sweep status my-study --where 'seq > 2048' "
               "--only bad",
    .exits = "0  all runs are done\n3  some are queued or running\n"
             "4  all have ended, some are not done",
};

struct status_options {
    struct filter_options filter;
    int as_json, watch;
    char *const *word; /* runs, when not all are meant */
    int words;
};

static int status_once (const char *path, const struct status_options *o)
{
    struct sweepdir *d = cmd_open (path);
    struct sweep_report r;
    struct errtext err = {""};
    int status = EXIT_FAILED;

    if (!d)
        return EXIT_FAILED;
    if (status_read (d, STATUS_SLURM, &r, &err) < 0) {
        log_error ("%s", err.text);
    } else {
        if (*err.text)
            log_warn ("%s: going by status files alone", err.text);
        if (filter_report (d, &o->filter, o->word, o->words, &r, &err) < 0) {
            log_error ("%s", err.text);
            sweepdir_close (d);
            return EXIT_USAGE;
        }
        if (o->as_json)
            status_print_json (stdout, d, &r);
        else
            status_print (stdout, d, &r);
        status = r.open ? EXIT_PENDING : r.bad ? EXIT_SOME_FAILED : EXIT_OK;
    }
    sweepdir_close (d);
    return status;
}

int sweep_cmd_status (int argc, char **argv)
{
    struct status_options o = {.as_json = 0};
    int operand, status;
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        {"json", 0, OPT_FLAG, &o.as_json, NULL, "for programs"},
        {"watch", 'w', OPT_FLAG, &o.watch, NULL,
         "again every 30 seconds until all have ended"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };

    if (cmd_options (opts, &status_help, argc, argv, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&status_help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    o.word = argv + operand + 1;
    o.words = argc - operand - 1;
    for (;;) {
        if (o.watch && isatty (1))
            fputs ("\033[H\033[2J", stdout);
        status = status_once (argv[operand], &o);
        if (!o.watch || status != EXIT_PENDING)
            return status;
        (void)fflush (stdout);
        (void)sleep (WATCH_SECONDS);
    }
}

/* -- logs -------------------------------------------------------------- */

static const struct verb_help logs_help = {
    .usage = "dftrace sweep logs [OPTION…] DIR [RUN…]",
    .summary = "the last lines a run wrote; without RUN, of all that failed",
    .example = "  $ dftrace sweep logs my-study\n"
               "  $ dftrace sweep logs my-study mmap-s2048-b64 --lines 100",
    .exits = "0  there was something to show\n1  there was not",
};

static void print_tail (const char *path, int lines)
{
    char *text = read_file (path, LOG_BYTES_MAX, NULL, NULL), *p;

    if (!text || !*text) {
        free (text);
        return;
    }
    p = text + strlen (text);
    for (int seen = 0; p > text; p--)
        if (p[-1] == '\n' && p[0] && ++seen == lines)
            break;
    printf ("==> %s <==\n%s%s", path, p,
            text[strlen (text) - 1] == '\n' ? "" : "\n");
    free (text);
}

static int
print_logs (const struct sweepdir *d, const struct run_report *r, int lines)
{
    const char *dir;

    if (r->attempt < 0) {
        const char *job = r->status.job;

        printf ("%s r%d: %s: it wrote nothing; see %s/slurm/%s\n",
                d->grid->point[r->run.point].label, r->run.repeat,
                outcome_word (r->outcome), d->path, job);
        return -1;
    }
    dir = sweepdir_attempt_path (d, r->run, r->attempt);
    print_tail (arena_format (d->arena, "%s/stdout", dir), lines);
    print_tail (arena_format (d->arena, "%s/stderr", dir), lines);
    return 0;
}

/* Without any filter, what has not ended well. */
static int logs (struct sweepdir *d,
                 struct filter_options filter,
                 char *const *word,
                 int words,
                 int lines)
{
    int all_bad = !filter_used (&filter, words), shown = 0;
    struct sweep_report r;
    struct errtext err;

    if (all_bad)
        filter.only = "bad";
    if (status_read (d, STATUS_FILES, &r, &err) < 0 ||
        filter_report (d, &filter, word, words, &r, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < r.count; i++)
        if (print_logs (d, &r.run[i], lines) == 0)
            shown = 1;
    if (!shown && all_bad)
        puts ("no run has failed so far");
    return shown ? EXIT_OK : EXIT_FAILED;
}

int sweep_cmd_logs (int argc, char **argv)
{
    struct filter_options filter = {NULL, NULL};
    int lines = LOG_LINES, operand, status;
    const struct opt opts[] = {
        FILTER_OPTIONS (filter),
        {"lines", 'n', OPT_INT, &lines, "N", "lines of each file (20)"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d;

    if (cmd_options (opts, &logs_help, argc, argv, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&logs_help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = logs (d, filter, argv + operand + 1, argc - operand - 1, lines);
    sweepdir_close (d);
    return status;
}

/* -- show -------------------------------------------------------------- */

static const struct verb_help show_help = {
    .usage = "dftrace sweep show [OPTION…] DIR RUN…",
    .summary = "everything about one run: values, variables, attempts",
    .example = "  $ dftrace sweep show my-study mmap-s2048-b64",
    .exits = "0  shown\n1  there is no such run",
};

static void print_attempts (const struct sweepdir *d, struct run run)
{
    int last = sweepdir_last_attempt (d, run);

    for (int i = 0; i <= last; i++) {
        const char *dir = sweepdir_attempt_path (d, run, i);
        struct runstatus s;

        (void)runstatus_read (arena_format (d->arena, "%s/status", dir), &s);
        if (s.state == RUN_NONE)
            continue;
        printf ("a%d         %s, node %s, job %s%s%s, %s", i,
                s.state == RUN_ENDED ? "ended" : "running", s.node,
                *s.job ? s.job : "none", *s.task ? "_" : "", s.task,
                s.state == RUN_ENDED ? "" : "not ended\n");
        if (s.state == RUN_ENDED)
            printf ("exit %d, %.1f s\n", s.exit, s.end - s.start);
        printf ("           %s\n", dir);
    }
}

static void show (const struct sweepdir *d, struct run run)
{
    const struct spec *s = d->spec;
    const struct point *p = &d->grid->point[run.point];

    printf ("run        %s\nlabel      %s\nseed       %llu\n",
            run_id (d->arena, d->grid, run), p->label,
            (unsigned long long)seed_of_run (s, p, run.repeat));
    for (size_t i = 0; i < s->columns; i++)
        if (p->column[i].type != VALUE_NONE)
            printf ("%-10s %s%s\n", s->column[i],
                    value_show (d->arena, &p->column[i]),
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
    print_attempts (d, run);
}

int sweep_cmd_show (int argc, char **argv)
{
    struct filter_options filter = {NULL, NULL};
    const struct opt opts[] = {
        FILTER_OPTIONS (filter),
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweep_report r;
    struct errtext err;
    struct sweepdir *d;
    int operand, status;

    if (cmd_options (opts, &show_help, argc, argv, &operand, &status) < 0)
        return status;
    if (argc == operand || !filter_used (&filter, argc - operand - 1)) {
        (void)cmd_operands (&show_help, argc, operand, 2);
        return EXIT_USAGE;
    }
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    if (status_read (d, filter.only ? STATUS_SLURM : STATUS_FILES, &r, &err) <
            0 ||
        filter_report (d, &filter, argv + operand + 1, argc - operand - 1, &r,
                       &err) < 0) {
        log_error ("%s", err.text);
        r.count = 0;
    }
    for (size_t i = 0; i < r.count; i++) {
        if (i)
            putchar ('\n');
        show (d, r.run[i].run);
    }
    status = r.count ? EXIT_OK : EXIT_FAILED;
    sweepdir_close (d);
    return status;
}
