/* SPDX-License-Identifier: MIT
 *
 * cmd_logs.c - `dftrace sweep logs DIR [RUN…]`: what runs wrote
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/util/fsutil.h"
#include "sweep/cmd.h"
#include "sweep/run/runtable.h"

enum {
    LOG_BYTES_MAX = 256 * 1024 * 1024,
    LOG_LINES = 20,
    FOLLOW_MS = 500,
    COPY = 65536,
};

struct logs_options {
    struct filter_options filter;
    struct output output;
    int lines, follow, errors;
};

static const struct verb_help help = {
    .usage = "dftrace sweep logs [OPTION…] DIR [RUN…]",
    .summary = "the last lines a run wrote; without RUN, of all that failed",
    .text = "Both files of a run, its standard output and its standard error; "
            "-f goes on with what\nis added until every run that is meant has "
            "ended.",
    .example = "  $ dftrace sweep logs my-study\n"
               "  $ dftrace sweep logs my-study mmap-s2048-b64 --lines 100\n"
               "  $ dftrace sweep logs my-study mmap-s2048-b64.r0 -f --err",
    .exits = "0  there was something to show\n1  there was not",
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
        shown |= print_tail (arena_format (d->arena, "%s/%s", dir, files[i]),
                             o->lines);
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

/* What was added to a file since; the head when another file spoke last. */
static void
copy_more (const char *path, off_t *at, const char **last, struct arena *a)
{
    int fd = open (path, O_RDONLY | O_CLOEXEC);
    char buffer[COPY];
    ssize_t n;

    if (fd < 0)
        return;
    while ((n = pread (fd, buffer, sizeof (buffer), *at)) > 0) {
        if (!*last || strcmp (*last, path)) {
            printf ("==> %s <==\n", path);
            *last = arena_text (a, path);
        }
        (void)fwrite (buffer, 1, (size_t)n, stdout);
        *at += n;
    }
    (void)close (fd);
    (void)fflush (stdout);
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
    (void)runstatus_read (arena_format (d->arena, "%s/status", dir), &s);
    ended = s.state == RUN_ENDED; /* before the copy: nothing is missed */
    for (int i = o->errors; i < 2; i++)
        copy_more (arena_format (d->arena, "%s/%s", dir, files[i]), &f->at[i],
                   last, d->arena);
    return ended;
}

static int logs_follow (struct sweepdir *d,
                        const struct sweep_report *r,
                        const struct logs_options *o)
{
    const struct timespec pause = {.tv_nsec = FOLLOW_MS * 1000000L};
    struct follower *f = arena_array (d->arena, r->count + 1, sizeof (*f));
    const char *last = NULL;
    size_t open = r->count;

    for (size_t i = 0; i < r->count; i++)
        f[i] = (struct follower){.run = r->run[i].run, .attempt = -1};
    while (open) {
        open = 0;
        for (size_t i = 0; i < r->count; i++)
            open += !follow_once (d, &f[i], o, &last);
        if (open)
            (void)nanosleep (&pause, NULL);
    }
    return 1;
}

/* Without any filter, what has not ended well; with -f what is running. */
static int logs (struct sweepdir *d, struct logs_options *o)
{
    int all = !filter_used (&o->filter), shown = 0;
    struct sweep_report r;
    struct errtext err;

    if (all)
        o->filter.only = o->follow ? "open" : "bad";
    /* Slurm, too, knows of failures: a task that it could not launch */
    if (status_read (d, STATUS_SLURM, &r, &err) < 0 ||
        filter_report (d, &o->filter, &r, &err) < 0) {
        log_error ("%s", err.text);
        return EXIT_FAILED;
    }
    if (cmd_talk (&o->output) != stdout) {
        cmd_table (runtable_make (d, &r), &o->output);
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
        OUTPUT_OPTIONS (o.output),
        {"lines", 'n', OPT_INT, &o.lines, "N", "lines of each file (20)"},
        {"follow", 'f', OPT_FLAG, &o.follow, NULL,
         "go on with what is added until the runs have ended"},
        {"err", 0, OPT_FLAG, &o.errors, NULL, "standard error alone"},
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweepdir *d;
    int operand, status;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    if (argc == operand && cmd_operands (&help, argc, operand, 1) < 0)
        return EXIT_USAGE;
    cmd_words (&o.filter, argc, argv, operand);
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    status = logs (d, &o);
    sweepdir_close (d);
    return status;
}
