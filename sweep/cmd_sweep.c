/* SPDX-License-Identifier: MIT
 *
 * cmd_sweep.c - `dftrace sweep VERB`: verb -> function; what verbs share
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/fsutil.h"
#include "sweep/cmd.h"
#include "sweep/submit/submit.h"
#include "sweep/results/runreport.h"

int cmd_sweep (int argc, char **argv);

static const struct {
    const char *word;
    int (*function) (int argc, char **argv);
    int shown;
    const char *help;
} verbs[] = {
    {"plan", sweep_cmd_plan, 1, "what SPEC would run; writes nothing"},
    {"run", sweep_cmd_run, 1, "run SPEC here, one run after the other"},
    {"submit", sweep_cmd_submit, 1, "freeze SPEC and submit it to Slurm"},
    {"status", sweep_cmd_status, 1, "what has become of every run"},
    {"results", sweep_cmd_results, 1, "the tables, per configuration"},
    {"logs", sweep_cmd_logs, 1, "what a run wrote"},
    {"show", sweep_cmd_show, 1, "everything about one run"},
    {"resume", sweep_cmd_resume, 1, "run again what is not done"},
    {"throttle", sweep_cmd_throttle, 1, "change how many run at a time"},
    {"extend", sweep_cmd_extend, 1, "add values or repeats; runs stay"},
    {"archive", sweep_cmd_archive, 1, "pack all but the traces"},
    {"cancel", sweep_cmd_cancel, 1, "cancel what has not ended"},
    {"exec", sweep_cmd_exec, 0, "inside an array task: do its run"},
};

enum { VERBS = ITEMS (verbs) };

static void print_verbs (FILE *out)
{
    fprintf (out, "Usage: dftrace sweep VERB [OPTION…] SPEC|DIR\n"
                  "A parameter grid (a YAML file) as Slurm job arrays, every "
                  "run traced, the numbers\njoined back on the grid.\n\n");
    for (size_t i = 0; i < VERBS; i++)
        if (verbs[i].shown)
            fprintf (out, "  %-8s %s\n", verbs[i].word, verbs[i].help);
    fprintf (out, "\nExample:\n"
                  "  $ dftrace sweep plan study.yaml\n"
                  "  $ dftrace sweep submit study.yaml --wait\n"
                  "  $ dftrace sweep results my-study\n"
                  "\n`dftrace sweep VERB --help` tells more.\n");
}

static int sweep_unknown_verb (const char *word)
{
    const char *names[VERBS + 1];
    const char *near;
    size_t n = 0;

    for (size_t i = 0; i < VERBS; i++)
        if (verbs[i].shown)
            names[n++] = verbs[i].word;
    names[n] = NULL;
    near = nearest_word (word, names);
    if (near)
        log_error ("sweep: %s: no such verb: did you mean \"%s\"?", word, near);
    else
        log_error ("sweep: %s: no such verb: `dftrace sweep --help` lists "
                   "them",
                   word);
    return EXIT_USAGE;
}

int cmd_sweep (int argc, char **argv)
{
    if (argc < 2) {
        print_verbs (stderr);
        return EXIT_USAGE;
    }
    if (!strcmp (argv[1], "--help") || !strcmp (argv[1], "-h")) {
        print_verbs (stdout);
        return EXIT_OK;
    }
    for (size_t i = 0; i < VERBS; i++)
        if (!strcmp (argv[1], verbs[i].word))
            return verbs[i].function (argc - 1, argv + 1);
    return sweep_unknown_verb (argv[1]);
}

/* -- shared ------------------------------------------------------------ */

enum { EXCERPT_BYTES_MAX = 16 * 1024 * 1024, EXCERPT_WIDTH = 160 };

/* The line of the file, and a mark under the column. */
static void print_excerpt (const char *path, int line, int column)
{
    char *text = read_file (path, EXCERPT_BYTES_MAX, NULL, NULL), *p = text;
    size_t length;

    for (int i = 1; p && i < line; i++) {
        p = strchr (p, '\n');
        p = p ? p + 1 : NULL;
    }
    if (p && *p) {
        length = strcspn (p, "\r\n");
        if (length > EXCERPT_WIDTH)
            length = EXCERPT_WIDTH;
        fprintf (stderr, "%5d | %.*s\n", line, (int)length, p);
        if (column >= 1 && (size_t)column <= length + 1) {
            fprintf (stderr, "      | ");
            for (int i = 0; i < column - 1; i++)
                fputc (p[i] == '\t' ? '\t' : ' ', stderr);
            fprintf (stderr, "^\n");
        }
    }
    free (text);
}

/* End the command with the message of an error in a sweep file. */
static _Noreturn void cmd_spec_error (const char *text)
{
    int line, column, length = 0;

    log_error ("%s", text);
    for (const char *colon = text; (colon = strchr (colon, ':')); colon++)
        if (sscanf (colon, ":%d:%d:%n", &line, &column, &length) == 2 &&
            length) {
            print_excerpt (arena_copy (text, colon - text), line, column);
            break;
        }
    exit (EXIT_SPEC);
}

void cmd_load (const char *path, struct spec **s, struct grid **g)
{
    struct errtext err;

    *s = spec_load (path, &err);
    *g = *s ? grid_expand (*s, &err) : NULL;
    if (!*g || precheck (*s, *g, &err) < 0)
        cmd_spec_error (err.text);
}

/* -- for programs ------------------------------------------------------ */

FILE *cmd_talk (enum table_format format)
{
    return format == TABLE_TEXT ? stdout : stderr;
}

void cmd_table (struct textable *t, enum table_format format)
{
    textable_print (t, stdout, format);
    textable_destroy (t);
}

void cmd_print_runs (const char *path, enum table_format format)
{
    struct sweep_report r;
    struct sweepdir *d;

    if (format == TABLE_TEXT)
        return;
    d = sweepdir_open (path);
    status_read (d, STATUS_SLURM, &r);
    cmd_table (runtable_make (d, &r), format);
}

void cmd_words (struct filter_options *f, int argc, char **argv, int operand)
{
    f->word = argv + operand + 1;
    f->words = argc - operand - 1;
}

struct sweepdir *cmd_begin (const struct opt *opts,
                            const struct verb_help *help,
                            int argc,
                            char **argv,
                            struct filter_options *filter)
{
    int operand = optparse_operands (opts, help, argc, argv);

    if (filter)
        cmd_words (filter, argc, argv, operand);
    return sweepdir_open (argv[operand]);
}

void cmd_filter (struct sweepdir *d,
                 unsigned sources,
                 const struct filter_options *f,
                 int wrong,
                 struct sweep_report *r)
{
    status_read (d, sources, r);
    filter_report (d, f, wrong, r);
}
