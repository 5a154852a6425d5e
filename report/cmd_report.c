/* SPDX-License-Identifier: MIT
 *
 * cmd_report.c - `dftrace report`: results of a job or a sweep -> one page
 *
 * In:  a job directory that was analyzed, or a sweep directory with results
 * Out: an HTML file, whole or not at all
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/util/spool.h"
#include "analyze/trace/filelimit.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "report/cmd.h"
#include "report/page.h"
#include "report/study/sweepdata.h"

static const struct verb_help report_help = {
    .usage = "dftrace report [OPTION…] DIR|SWEEP [DIR|SWEEP]",
    .summary = "a job or a sweep as one page to look at",
    .text =
        "One HTML file that needs no network and no script: figures are SVG, "
        "in light and dark and on paper.\n"
        "A sweep directory needs its results (dftrace sweep results). Its page "
        "has the metrics and plots that the sweep file names under results: "
        "(dftrace-sweep(1)), otherwise those that differ most between its "
        "configurations. The traces of a job are analyzed for its page, with "
        "the patterns that "
        "dftrace analyze has, too; where they have gone, the page has what "
        "an earlier analysis wrote.\n"
        "Two jobs, or two sweeps, are compared: settings that differ, figures "
        "of both on one scale, ratios with their 95 % intervals, and for each "
        "call and each region whether the difference is more than chance.\n"
        "Without --output the page is DIR/report.html, of a comparison "
        "compare.html here.",
    .example = "  $ dftrace report megatron-io\n"
               "  $ dftrace report -o /tmp/job.html dftrace/pretrain-4711\n"
               "  $ dftrace report before after",
    .exits = "0  written\n"
             "1  no results to show, or the page could not be written\n"
             "2  wrong words on the command line",
};

struct report_options {
    const char *output;
    struct kind_rules rules;
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
        {NULL, 0, OPT_FLAG, NULL, NULL, NULL},
    };
    struct errtext err;
    enum optparse_result rc =
        optparse (opts, &report_help, argc, argv, 0, operands, &err);

    if (rc == OPTPARSE_ERROR)
        log_error ("%s", err.text);
    else if (rc == OPTPARSE_OK && (argc == *operands || argc - *operands > 2)) {
        log_error ("report: %s: say which job or sweep, for example dftrace "
                   "report dftrace/NAME-JOBID",
                   *operands == argc ? "no directory"
                                     : "two directories at most");
        rc = OPTPARSE_ERROR;
    }
    return rc;
}

static int report_write_page (char **dir,
                              int count,
                              const char *path,
                              const struct kind_rules *rules,
                              struct errtext *err)
{
    struct atomic_file *a;
    int rc;

    for (int i = 0; i < count; i++)
        if (access (dir[i], X_OK) < 0)
            return errf (err, "%s: %s", dir[i], strerror (errno));
    if (!(a = atomic_open (path, 0644, err)))
        return -1;
    rc = count > 1
             ? page_compare (atomic_stream (a), dir[0], dir[1], rules, err)
         : sweepdata_is (dir[0])
             ? page_sweep (atomic_stream (a), dir[0], err)
             : page_job (atomic_stream (a), dir[0], rules, err);
    if (rc < 0) {
        atomic_abort (a);
        return -1;
    }
    return atomic_commit (a, err);
}

int cmd_report (int argc, char **argv)
{
    struct report_options o = {NULL, {{NULL}}};
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
    path = o.output   ? strdup (o.output)
           : argc > 1 ? strdup ("compare.html")
                      : path_join (argv[0], "report.html");
    if (!path || report_write_page (argv, argc, path, &o.rules, &err) < 0) {
        log_error ("%s", path ? err.text : "report: out of memory");
        rc = EXIT_FAILED;
    } else {
        (void)printf ("%s\n", path);
        if (fflush (stdout) != 0)
            rc = EXIT_FAILED;
    }
    free (path);
    return rc;
}
