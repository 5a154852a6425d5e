/* SPDX-License-Identifier: MIT
 *
 * cmd_merge.c - `dftrace merge`: shards of a job directory -> one trace
 *
 * In:  job directories
 * Out: DIR/trace.dft, and DIR/combined.pfw.gz with its index when asked
 */
#include "config.h"

#include "analyze/cmd.h"
#include "analyze/export/pfw.h"
#include "analyze/facts/clocks.h"
#include "analyze/facts/failure.h"
#include "analyze/query/chunkindex.h"
#include "analyze/trace/doing.h"
#include "analyze/trace/find.h"
#include "analyze/trace/merge.h"
#include "analyze/trace/untraced.h"
#include "lib/format/proclines.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "lib/util/pool.h"
#include "lib/util/xalloc.h"

struct merge_options {
    const char *output;
    int force, quiet, strict, pfw, plain, align, threads;
    const char *index_word;
    int index; /* enum merge_index */
};

enum merge_index { INDEX_AUTO = 0, INDEX_ALWAYS, INDEX_NEVER };

/* A trace of fewer bytes gets no index: it would not be read faster, and each
 * task of an array would have one file more. */
enum { INDEX_LEAST = 1 << 20 };

static const struct verb_help merge_help = {
    .usage = "dftrace merge [OPTION...] DIR...",
    .summary = "Combine the shards of a job directory into one trace.",
    .text =
        "This command writes DIR/trace.dft, which contains all processes "
        "without unused space, and beside a large one DIR/trace.dft.index, by "
        "which questions with a condition read only a part of it. The shards "
        "are "
        "kept. Damaged chunks are left "
        "out and counted. The same shards always give the same bytes. If "
        "trace.dft already contains what the shards contain, nothing is "
        "done.\n\n"
        "--align-clocks corrects the clocks of the nodes by the barriers of "
        "the ranks (regions comm/*barrier*), where nodes have barriers in "
        "common. The trace then contains the correction. dftrace analyze "
        "--view clock shows how far the clocks are apart, and how this is "
        "known.",
    .example = "  $ dftrace merge dftrace/pretrain-4711\n"
               "  $ dftrace merge -o all.dft dftrace/pretrain-4711\n"
               "  $ dftrace merge --pfw dftrace/pretrain-4711 && "
               "zgrep checkpoint dftrace/pretrain-4711/combined.pfw.gz\n",
    .exits = "0  merged, nothing missing\n"
             "1  no traces, not writable, or --strict and something missing\n"
             "2  wrong words on the command line\n"
             "5  merged, but something is lost or damaged\n",
};

static int cmd_merge_take_index (struct merge_options *o)
{
    static const char *const words[] = {"auto", "always", "never"};

    for (int i = 0; o->index_word && i < 3; i++)
        if (strcmp (o->index_word, words[i]) == 0) {
            o->index = i;
            return 0;
        }
    if (o->index_word)
        log_error ("--index %s: say auto, always or never", o->index_word);
    return o->index_word ? -1 : 0;
}

static enum optparse_result
cmd_merge_parse (struct merge_options *o, int argc, char **argv, int *operands)
{
    const struct opt opts[] = {
        {"output", 'o', OPT_TEXT, &o->output, "FILE",
         "where to write (DIR/trace.dft)"},
        {"pfw", 0, OPT_FLAG, &o->pfw, NULL,
         "also DIR/combined.pfw.gz, for DFTracer's tools, zgrep and jq"},
        {"align-clocks", 0, OPT_FLAG, &o->align, NULL,
         "set the clocks of the nodes right, by the barriers of the ranks"},
        {"plain", 0, OPT_FLAG, &o->plain, NULL,
         "copy chunks as they are: faster, and up to twice as large"},
        {"index", 0, OPT_TEXT, &o->index_word, "WHEN",
         "write FILE.index, by which conditions read only a part: always, "
         "never, or auto, from 1 MiB of trace on (auto)"},
        {"force", 0, OPT_FLAG, &o->force, NULL,
         "merge again even if trace.dft is up to date"},
        {"threads", 'j', OPT_INT, &o->threads, "N",
         "threads to use (one per core)"},
        {"quiet", 'q', OPT_FLAG, &o->quiet, NULL, "say nothing of success"},
        {"strict", 0, OPT_FLAG, &o->strict, NULL,
         "write nothing when something is lost or damaged"},
        OPT_END,
    };
    struct errtext err;
    enum optparse_result rc =
        optparse (opts, &merge_help, argc, argv, operands, &err);

    if (rc == OPTPARSE_ERROR)
        log_error ("%s", err.text);
    else if (rc == OPTPARSE_OK && cmd_merge_take_index (o) < 0)
        rc = OPTPARSE_ERROR;
    else if (rc == OPTPARSE_OK && *operands == argc) {
        log_error ("merge: no directory: say which job, for example "
                   "dftrace merge dftrace/NAME-JOBID");
        rc = OPTPARSE_ERROR;
    } else if (rc == OPTPARSE_OK && o->output && argc - *operands > 1) {
        log_error ("merge: --output with several directories: merge them one "
                   "by one");
        rc = OPTPARSE_ERROR;
    }
    return rc;
}

/* Sources that are no traces at all are said and left out. */
static size_t tell_unreadable (const struct job *job)
{
    size_t n = 0;

    for (size_t i = 0; i < job->sources; i++)
        if (!job->source[i].readable) {
            log_warn ("%s", job->source[i].problem.text);
            n++;
        }
    return n;
}

static int report (const struct merge_options *o,
                   const char *path,
                   const struct merge_report *r,
                   size_t unreadable)
{
    if (!o->quiet)
        printf ("%s: %llu processes, %llu events, %llu bytes\n", path,
                (unsigned long long)r->processes, (unsigned long long)r->events,
                (unsigned long long)r->bytes);
    if (r->lost || r->chunks_bad)
        log_warn ("%s: %llu events or more are missing, %llu chunks are "
                  "damaged: see dftrace analyze --view health",
                  path, (unsigned long long)r->lost,
                  (unsigned long long)r->chunks_bad);
    return r->lost || r->chunks_bad || unreadable ? EXIT_DAMAGED : EXIT_OK;
}

static int cmd_merge_write_pfw (const struct merge_options *o,
                                const struct job *job,
                                const struct parts *parts)
{
    char *path = path_join (job->dir, "combined.pfw.gz");
    struct pfw_report r;
    struct errtext err;
    int status = EXIT_OK;

    if (pfw_write (parts, path, &r, &err) < 0) {
        log_error ("%s", err.text);
        status = EXIT_FAILED;
    } else if (!o->quiet)
        printf ("%s: %llu events; with the start and end of each "
                "process %llu lines with a time\n",
                path, (unsigned long long)r.events,
                (unsigned long long)(r.events + r.moments));
    if (status == EXIT_OK && r.bad) {
        log_warn ("%s: %llu events are in damaged chunks and not in it", path,
                  (unsigned long long)r.bad);
        status = EXIT_DAMAGED;
    }
    free (path);
    return status;
}

/* Without barriers in common the clocks stay as they are. */
static int align (const struct merge_options *o, struct job *job)
{
    struct errtext err;
    size_t nodes;

    if (!o->align)
        return 0;
    if (clocks_align (job, &nodes, &err) < 0) {
        log_error ("%s", err.text);
        return -1;
    }
    if (!o->quiet)
        printf ("%s: clocks of %zu nodes set right\n", job->label, nodes);
    return 0;
}

/* From the shards or, where these have gone, from traces that have kept them.
 */
static void keep_lines (struct parts *parts, const struct job *job)
{
    parts->lines = proclines_keep (job->dir, &parts->lines_bytes);
    for (size_t i = 0; !parts->lines && i < job->sources; i++)
        parts->lines =
            tracefile_lines (job->source[i].path, &parts->lines_bytes);
    doing_put_lines (job, &parts->lines, &parts->lines_bytes);
}

static int
write_trace (const struct merge_options *o, struct job *job, const char *path)
{
    size_t unreadable = tell_unreadable (job);
    struct merge_report r;
    struct parts parts;
    struct errtext err;
    int status = EXIT_FAILED;

    parts_make (&parts, job);
    if (parts.count == 0)
        log_error ("%s: no readable trace in it", job->dir);
    else if (keep_lines (&parts, job), o->strict && unreadable)
        log_error ("%s: not written: --strict and the traces are not whole",
                   path);
    else if (merge_write (&parts, path, o->strict,
                          o->plain ? MERGE_PLAIN : MERGE_DENSE, &r, &err) < 0)
        log_error ("%s", err.text);
    else
        status = report (o, path, &r, unreadable);
    parts_clear (&parts);
    if (status == EXIT_FAILED)
        return status;
    if (o->index == INDEX_ALWAYS ||
        (o->index == INDEX_AUTO && r.bytes >= INDEX_LEAST)) {
        if (chunkindex_write (path, &err) < 0) /* questions take longer */
            log_warn ("%s", err.text);
    } else
        chunkindex_remove (path); /* of what was there before */
    return status;
}

static int cmd_merge_export_job (const struct merge_options *o,
                                 const struct job *job)
{
    struct parts parts;
    int status;

    parts_make (&parts, job);
    status = cmd_merge_write_pfw (o, job, &parts);
    parts_clear (&parts);
    return status;
}

static int worse (int a, int b)
{
    return a == EXIT_FAILED || b == EXIT_OK ? a : b;
}

static int merge_has_darshan (const struct job *job)
{
    for (size_t i = 0; i < job->sources; i++)
        if (job->source[i].is_darshan)
            return 1;
    return 0;
}

static int merge_job (const struct merge_options *o, struct job *job)
{
    char *path = o->output ? xstrdup (o->output)
                           : path_join (job->dir ? job->dir : ".", "trace.dft");
    struct errtext err;
    int status = EXIT_FAILED;

    if (!job->dir)
        log_error ("%s: not a job directory: merge takes directories",
                   job->label);
    else if (job_open (job, &err) < 0)
        log_error ("%s", err.text);
    else if (merge_has_darshan (job))
        log_error (
            "%s: logs of Darshan cannot be merged, as their counters are "
            "no events: dftrace analyze reads them as they are",
            job->dir);
    else if (job->merged && !o->output && !o->force) {
        if (!o->quiet)
            printf ("%s: up to date\n", path);
        status = EXIT_OK;
    } else if (align (o, job) == 0)
        status = write_trace (o, job, path);
    if (job->dir && untraced_list (job->dir, &err) < 0)
        log_debug ("%s", err.text);
    if (job->sources && endfile_write (job, &err) < 0)
        log_debug ("%s", err.text);
    if (o->pfw && (status == EXIT_OK || status == EXIT_DAMAGED))
        status = worse (cmd_merge_export_job (o, job), status);
    free (path);
    return status;
}

int cmd_merge (int argc, char **argv)
{
    struct merge_options o = {0};
    struct joblist jobs = {0};
    struct errtext err;
    int operands = 0, status = EXIT_OK;

    switch (cmd_merge_parse (&o, argc, argv, &operands)) {
    case OPTPARSE_HELP:
        return EXIT_OK;
    case OPTPARSE_ERROR:
        return EXIT_USAGE;
    default:
        break;
    }
    filelimit_raise ();
    pool_use (o.threads);
    for (int i = operands; i < argc; i++)
        if (joblist_add (&jobs, argv[i], &err) < 0) {
            /* why there is no trace */
            untraced_list (argv[i], NULL);
            log_error ("%s", err.text);
            status = EXIT_FAILED;
        }
    for (size_t i = 0; i < jobs.count; i++) {
        status = worse (merge_job (&o, &jobs.item[i]), status);
        job_close (&jobs.item[i]);
    }
    joblist_clear (&jobs);
    return status;
}
