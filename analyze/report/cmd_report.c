/* SPDX-License-Identifier: MIT
 *
 * cmd_report.c - `dftrace report`: results of a job or a sweep -> one page
 *
 * In:  a job directory that was analyzed, or a sweep directory with results
 * Out: an HTML file, whole or not at all
 */
#include "config.h"

#include "analyze/cmd.h"
#include "analyze/report/page.h"
#include "analyze/tables/jobcompare.h"
#include "analyze/trace/find.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/spool.h"
#include "lib/util/xalloc.h"

static const struct verb_help report_help = {
    .usage = "dftrace report [OPTION…] DIR|SWEEP [DIR|SWEEP]\n"
             "       dftrace report [OPTION…] DIR… -- DIR…",
    .summary = "Show a job or a sweep as one HTML page with figures.",
    .text =
        "The page needs no network and no server. Its figures are SVG, for "
        "light and dark screens and for paper. In figures over time the wheel, "
        "a drag, + - and arrow keys zoom and select; a selection, or a click "
        "on a cell, filters the longest calls and the processes, and the page "
        "says which command lists all events of it.\n\n"
        "For a job directory, the traces are analyzed, with the same "
        "patterns as in dftrace-analyze(1). If the traces no longer exist, "
        "the page shows what an earlier analysis wrote.\n\n"
        "A sweep directory must have results (dftrace sweep results --write). "
        "The "
        "page shows the metrics and plots that the sweep file names under "
        "results: (see dftrace-sweep(1)), otherwise the metrics that differ "
        "most between the configurations.\n\n"
        "Two jobs, several runs of two programs, or two sweeps are compared: "
        "three sentences say what changed, how much and how sure that is "
        "(dftrace-compare(1)); then follow the settings that differ, figures "
        "of both on one scale, and ratios with 95 % intervals.\n\n"
        "Without --output the page is DIR/report.html; a comparison is "
        "compare.html in the working directory.",
    .example = "  $ dftrace report megatron-io\n"
               "  $ dftrace report -o /tmp/job.html dftrace/pretrain-4711\n"
               "  $ dftrace report before after\n"
               "  $ dftrace report a1 a2 a3 -- b1 b2 b3",
    .exits = "0  written\n"
             "1  no results to show, or the page could not be written\n"
             "2  wrong words on the command line",
};

struct report_options {
    const char *output;
    struct kind_rules rules;
    int second; /* directories behind "--" */
};

static enum optparse_result
report_parse (struct report_options *o, int argc, char **argv, int *operands)
{
    const char **pattern = o->rules.patterns;
    const struct opt opts[] = {
        {"output", 'o', OPT_TEXT, &o->output, "FILE", "where the page goes"},
        {"data-pattern", 0, OPT_TEXT, &pattern[KIND_DATA], "PATTERNS",
         "files that are data, and no others"},
        {"checkpoint-pattern", 0, OPT_TEXT, &pattern[KIND_CHECKPOINT],
         "PATTERNS", "files that are checkpoints"},
        {"index-pattern", 0, OPT_TEXT, &pattern[KIND_INDEX], "PATTERNS",
         "files that are indices"},
        OPT_END,
    };
    struct errtext err;
    enum optparse_result rc =
        optparse (opts, &report_help, argc, argv, operands, &err);

    if (rc == OPTPARSE_ERROR)
        log_error ("%s", err.text);
    else if (rc == OPTPARSE_OK &&
             (argc == *operands || (!o->second && argc - *operands > 2))) {
        log_error ("report: %s: say which job or sweep, for example dftrace "
                   "report dftrace/NAME-JOBID",
                   *operands == argc
                       ? "no directory"
                       : "two directories, or A1 A2 A3 -- B1 B2 B3");
        rc = OPTPARSE_ERROR;
    }
    return rc;
}

static int report_write_page (char **dir,
                              int count,
                              const char *path,
                              const struct report_options *o,
                              struct errtext *err)
{
    struct atomic_file *a;
    int rc;

    for (int i = 0; i < count; i++) {
        struct stat st;

        if (stat (dir[i], &st) == 0 && !S_ISDIR (st.st_mode))
            return errf (err,
                         "%s: not a directory: name the job directory "
                         "that it is in",
                         dir[i]);
        if (access (dir[i], X_OK) < 0)
            return err_system (err, dir[i], errno);
    }
    if (!(a = atomic_open (path, 0644, err)))
        return -1;
    rc = count > 1 ? page_compare (atomic_stream (a), dir, count, o->second,
                                   &o->rules, err)
         : page_is_sweep (dir[0])
             ? page_sweep (atomic_stream (a), dir[0], err)
             : page_job (atomic_stream (a), dir[0], &o->rules, err);
    if (rc < 0) {
        atomic_abort (a);
        return -1;
    }
    return atomic_commit (a, err);
}

int cmd_report (int argc, char **argv)
{
    struct report_options o = {NULL, {{NULL}}, jobcompare_second (argc, argv)};
    char *path;
    int operands = 0, rc = EXIT_OK;
    struct errtext err = {""};

    switch (report_parse (&o, argc, argv, &operands)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        return EXIT_USAGE;
    default:
        break;
    }
    argv += operands;
    argc -= operands;
    filelimit_raise ();
    spool_limit (SPOOL_LIMIT);
    path = o.output   ? xstrdup (o.output)
           : argc > 1 ? xstrdup ("compare.html")
                      : path_join (argv[0], "report.html");
    if (report_write_page (argv, argc, path, &o, &err) < 0) {
        log_error ("%s", err.text);
        rc = EXIT_FAILED;
    } else {
        printf ("%s\n", path);
        if (fflush (stdout) != 0)
            rc = EXIT_FAILED;
    }
    free (path);
    return rc;
}
