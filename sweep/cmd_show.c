/* SPDX-License-Identifier: MIT
 *
 * cmd_show.c - `dftrace sweep show DIR RUN…`: everything about one run`
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/json.h"
#include "sweep/cmd.h"
#include "sweep/results/ranks.h"
#include "sweep/run/runtable.h"

static const struct verb_help help = {
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
        struct ranks n;

        (void)runstatus_read (arena_format (d->arena, "%s/status", dir), &s);
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

        (void)runstatus_read (arena_format (d->arena, "%s/status", dir), &s);
        json_open (j, NULL, '{');
        json_int (j, "attempt", i);
        json_text (j, "directory", dir);
        json_text (j, "nodes", s.nodes);
        json_text (j, "job", s.job);
        json_text (j, "task", s.task);
        json_text (j, "predecessor", s.predecessor);
        json_double (j, "start_s", s.start);
        if (s.state == RUN_ENDED) {
            json_double (j, "elapsed_s", s.end - s.start);
            json_int (j, "exit", s.exit);
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

    json_open (j, NULL, '{');
    json_text (j, "run", run_id (d->arena, d->grid, run));
    json_text (j, "label", p->label);
    json_uint (j, "seed", seed_of_run (s, p, run.repeat));
    json_open (j, "columns", '{');
    for (size_t i = 0; i < s->columns; i++)
        if (p->column[i].type != VALUE_NONE)
            json_text (j, s->column[i],
                       p->column[i].type == VALUE_NULL
                           ? NULL
                           : value_text (d->arena, &p->column[i]));
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
    struct output output = {.json = 0};
    const struct opt opts[] = {
        FILTER_OPTIONS (filter),
        OUTPUT_OPTIONS (output),
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct sweep_report r;
    struct errtext err;
    struct sweepdir *d;
    int operand, status;

    if (optparse_command (opts, &help, argc, argv, 0, &operand, &status) < 0)
        return status;
    cmd_words (&filter, argc, argv, operand);
    if (argc == operand || !filter_used (&filter)) {
        (void)cmd_operands (&help, argc, operand, 2);
        return EXIT_USAGE;
    }
    d = cmd_open (argv[operand]);
    if (!d)
        return EXIT_FAILED;
    if (status_read (d, filter.only ? STATUS_SLURM : STATUS_FILES, &r, &err) <
            0 ||
        filter_report (d, &filter, &r, &err) < 0) {
        log_error ("%s", err.text);
        r.count = 0;
    }
    if (r.count && output.json)
        show_json (d, &r);
    else if (r.count && output.csv)
        cmd_table (runtable_make (d, &r), &output);
    for (size_t i = 0; cmd_talk (&output) == stdout && i < r.count; i++) {
        if (i)
            putchar ('\n');
        show_run (d, r.run[i].run);
    }
    status = r.count ? EXIT_OK : EXIT_FAILED;
    sweepdir_close (d);
    return status;
}
