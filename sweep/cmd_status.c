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
#include "sweep/status.h"

enum {
    WATCH_SECONDS = 30,
    LOG_BYTES_MAX = 256 * 1024 * 1024,
    LOG_LINES = 20,
};

/* -- status ------------------------------------------------------------ */

static const struct verb_help status_help = {
    .usage = "dftrace sweep status [OPTION…] DIR",
    .summary = "what has become of every run of a sweep",
    .text = "Read from the status files of the runs and one squeue; needs no "
            "accounting.",
    .example = "  $ dftrace sweep status my-study -w",
    .exits = "0  all runs are done\n3  some are queued or running\n"
             "4  all have ended, some are not done",
};

static int status_once (const char *path, int as_json)
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
        if (as_json)
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
    int as_json = 0, watch = 0, operand, status;
    const struct opt opts[] = {
        {"json", 0, OPT_FLAG, &as_json, NULL, "for programs"},
        {"watch", 'w', OPT_FLAG, &watch, NULL,
         "again every 30 seconds until all have ended"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };

    if (cmd_options (opts, &status_help, argc, argv, &operand, &status) < 0)
        return status;
    if (cmd_operands (&status_help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    for (;;) {
        if (watch && isatty (1))
            fputs ("\033[H\033[2J", stdout);
        status = status_once (argv[operand], as_json);
        if (!watch || status != EXIT_PENDING)
            return status;
        (void)fflush (stdout);
        (void)sleep (WATCH_SECONDS);
    }
}

/* -- logs -------------------------------------------------------------- */

static const struct verb_help logs_help = {
    .usage = "dftrace sweep logs [OPTION…] DIR [RUN]",
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

static int logs (struct sweepdir *d, const char *word, int lines)
{
    struct sweep_report r;
    struct errtext err;
    struct run wanted;
    int shown = 0;

    if (word && cmd_find_run (d, word, &wanted) < 0)
        return EXIT_FAILED;
    if (status_read (d, STATUS_FILES, &r, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < r.count; i++) {
        const struct run_report *x = &r.run[i];
        int match = word ? x->run.point == wanted.point &&
                               x->run.repeat == wanted.repeat
                         : outcome_class (x->outcome) == OUTCOME_BAD;

        if (match && print_logs (d, x, lines) == 0)
            shown = 1;
    }
    if (!shown && !word)
        puts ("no run has failed so far");
    return shown ? EXIT_OK : EXIT_FAILED;
}

int sweep_cmd_logs (int argc, char **argv)
{
    int lines = LOG_LINES, operand, status;
    const struct opt opts[] = {
        {"lines", 'n', OPT_INT, &lines, "N", "lines of each file (20)"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d;

    if (cmd_options (opts, &logs_help, argc, argv, &operand, &status) < 0)
        return status;
    if (argc - operand != 2 && cmd_operands (&logs_help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = logs (d, argc - operand == 2 ? argv[operand + 1] : NULL, lines);
    sweepdir_close (d);
    return status;
}

/* -- show -------------------------------------------------------------- */

static const struct verb_help show_help = {
    .usage = "dftrace sweep show DIR RUN",
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
    const struct opt opts[] = {{NULL, 0, OPT_FLAG, NULL, NULL, NULL}};
    struct sweepdir *d;
    struct run run;
    int operand, status;

    if (cmd_options (opts, &show_help, argc, argv, &operand, &status) < 0)
        return status;
    if (cmd_operands (&show_help, argc, operand, 2) < 0)
        return EXIT_USAGE;
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = EXIT_FAILED;
    if (cmd_find_run (d, argv[operand + 1], &run) == 0) {
        show (d, run);
        status = EXIT_OK;
    }
    sweepdir_close (d);
    return status;
}
