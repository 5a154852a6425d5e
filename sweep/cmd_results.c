/* SPDX-License-Identifier: MIT
 *
 * cmd_results.c - `dftrace sweep results DIR` and `archive DIR`
 */
#include "config.h"

#include <fnmatch.h>
#include <ftw.h>
#include <zlib.h>

#include "sweep/cmd.h"
#include "sweep/results/questions.h"
#include "sweep/results/restable.h"
#include "sweep/results/compare.h"
#include "sweep/spec/value.h"
#include "lib/base/array.h"

struct results_options {
    struct filter_options filter;
    enum table_format format;
    struct opt_list metric;
    const char *compare, *baseline, *group, *pivot, *junit;
    int as_long, effects, write;
};

static const struct verb_help results_help = {
    .usage = "dftrace sweep results [OPTION…] DIR [RUN…]",
    .summary = "the numbers of a sweep, per configuration",
    .text = "What no epilog has analyzed yet is analyzed first. Failed "
            "points stay in the table with\ntheir state. csv and json have "
            "the exact values.",
    .example = "  $ dftrace sweep results my-study\n"
               "  $ dftrace sweep results my-study --metric read_bandwidth\n"
               "  $ dftrace sweep results my-study --format csv > points.csv\n"
               "  $ dftrace sweep results nightly --junit nightly.xml",
    .exits = "0  all runs are done\n3  some are still to come\n"
             "4  some have failed\n"
             "7  all are done, and a check of the sweep file has failed",
    .least = 1,
};

static void check_metrics (const struct resultset *r,
                           const struct opt_list *metric)
{
    for (int i = 0; i < metric->count; i++) {
        const char *name = metric->item[i], *near = column_near (name);

        if (resultset_metric (r, name) >= 0)
            continue;
        if (column_find (name) >= 0)
            die_with (EXIT_USAGE, "%s: no run has this metric", name);
        if (near)
            die_with (EXIT_USAGE, "%s: no such metric: did you mean %s?", name,
                      near);
        die_with (EXIT_USAGE,
                  "%s: no such metric: the columns of --format csv are the "
                  "known ones",
                  name);
    }
}

static void results_print_metrics (const struct resultset *r,
                                   const struct opt_list *metric,
                                   enum table_format format)
{
    for (int i = 0; i < metric->count; i++) {
        if (format == TABLE_TEXT)
            printf ("%s%s\n\n", i ? "\n" : "", metric->item[i]);
        cmd_table (restable_metric (r, resultset_metric (r, metric->item[i])),
                   format);
    }
}

/* -- questions --------------------------------------------------------- */

/* A problem of an option's words. */
static void wrong_words (int rc, const struct errtext *err)
{
    if (rc < 0)
        die_with (EXIT_USAGE, "%s", err->text);
}

/* "seq,access:read_bandwidth" */
static void
pivot (const struct resultset *r, const char *text, enum table_format format)
{
    const char *colon = strrchr (text, ':');
    struct errtext err;
    size_t axes;
    int metric, *axis;

    if (!colon)
        die_with (EXIT_USAGE, "--pivot: %s: AXES:METRIC should be here", text);
    metric = resultset_metric (r, colon + 1);
    if (metric < 0)
        die_with (EXIT_USAGE, "--pivot: %s: no run has this metric", colon + 1);
    wrong_words (group_parse (r->sweep, arena_copy (text, colon - text), &axis,
                              &axes, &err),
                 &err);
    if (axes < 2)
        die_with (EXIT_USAGE, "--pivot: %s: two axes at least: down and across",
                  text);
    cmd_table (pivot_table (r, axis, axes, metric), format);
}

static void ask (const struct resultset *r,
                 const struct results_options *o,
                 const struct question *q,
                 enum table_format format)
{
    const char *names[OPT_LIST_MAX + 1] = {NULL};

    for (int i = 0; i < o->metric.count; i++)
        names[i] = o->metric.item[i];
    question_print (stdout, r, q, o->metric.count ? names : NULL, format);
}

/* A table per other value of the axis. */
static void baseline (const struct resultset *r,
                      const struct results_options *o,
                      enum table_format format)
{
    struct compare base = {.axis = -1}, *c;
    struct errtext err;
    size_t n;

    wrong_words (baseline_parse (r->sweep, o->baseline, &base, &err), &err);
    n = baseline_compares (r, &base, &c);
    for (size_t i = 0; i < n; i++) {
        struct question q = {.kind = QUESTION_BASELINE, .compare = c[i]};

        if (i && format == TABLE_TEXT)
            putchar ('\n');
        ask (r, o, &q, format);
    }
}

/* False when nothing was asked. */
static int questions (const struct resultset *r,
                      const struct results_options *o,
                      enum table_format format)
{
    struct question q = {.kind = QUESTION_EFFECTS};
    struct errtext err;
    int *axis;

    if (o->pivot) {
        pivot (r, o->pivot, format);
        return 1;
    }
    if (o->baseline) {
        baseline (r, o, format);
        return 1;
    }
    if (o->compare) {
        q.kind = QUESTION_COMPARE;
        wrong_words (compare_parse (r->sweep, o->compare, &q.compare, &err),
                     &err);
    } else if (o->group) {
        q.kind = QUESTION_GROUP;
        wrong_words (group_parse (r->sweep, o->group, &axis, &q.axes, &err),
                     &err);
        q.axis = axis;
    } else if (!o->effects) {
        return 0;
    }
    ask (r, o, &q, format);
    return 1;
}

static void results_print_all (const struct resultset *r,
                               enum table_format format)
{
    restable_print (stdout, r, r->sweep->spec->metrics, format);
    questions_of_file (stdout, r, format);
    verdict_print (stdout, r, format);
    if (format != TABLE_TEXT)
        return;
    putchar ('\n');
    check_print (stdout, r);
}

static void results_print (const struct resultset *r,
                           const struct results_options *o,
                           enum table_format format)
{
    if (o->as_long)
        cmd_table (restable_long (r), format);
    else if (o->metric.count)
        results_print_metrics (r, &o->metric, format);
    else if (format == TABLE_TEXT || format == TABLE_MARKDOWN)
        results_print_all (r, format);
    else
        cmd_table (restable_points (r), format);
}

static int results_status (const struct resultset *r)
{
    size_t count[VERDICTS];

    if (r->report.open)
        return EXIT_PENDING;
    if (r->report.bad)
        return EXIT_SOME_FAILED;
    verdict_count (r, count);
    return count[VERDICT_FAIL] ? EXIT_CHECK_FAILED : EXIT_OK;
}

static int results (struct sweepdir *d,
                    const struct results_options *o,
                    enum table_format format)
{
    struct errtext err = {""};
    struct resultset *r = resultset_load (d, &o->filter, &err);

    if (!r || (o->write && resultset_write (r, &err) < 0) ||
        (o->junit && junit_write (o->junit, r, &err) < 0))
        die ("%s", err.text);
    check_metrics (r, &o->metric);
    if (!questions (r, o, format))
        results_print (r, o, format);
    return o->write ? EXIT_OK : results_status (r);
}

int sweep_cmd_results (int argc, char **argv)
{
    struct results_options o = {.format = TABLE_TEXT};
    const struct opt opts[] = {
        FILTER_OPTIONS (o.filter),
        FORMAT_OPTION (o.format),
        TEXTABLE_OPTION_WIDE,
        {"metric", 'm', OPT_LIST, &o.metric, "NAME",
         "this metric with its spread; may be repeated"},
        {"compare", 0, OPT_TEXT, &o.compare, "AXIS=A:B",
         "B against A, paired by repeat, with the ratio's interval"},
        {"baseline", 0, OPT_TEXT, &o.baseline, "AXIS=VALUE",
         "what the other values cost against this one, as in data=mock"},
        {"group", 0, OPT_TEXT, &o.group, "AXES",
         "means over the settings of the other axes that all rows have, as in "
         "seq,gbs"},
        {"pivot", 0, OPT_TEXT, &o.pivot, "AXES:METRIC",
         "as a matrix, the last axis across: seq,access:read_bandwidth"},
        {"effects", 0, OPT_FLAG, &o.effects, NULL,
         "what each axis does, by pairs where points are missing; and the "
         "strongest interaction"},
        {"junit", 0, OPT_TEXT, &o.junit, "FILE",
         "runs and checks as JUnit XML, too: for a CI system"},
        {"long", 0, OPT_FLAG, &o.as_long, NULL,
         "one row per number: for R, pandas and gnuplot"},
        {"write", 0, OPT_FLAG, &o.write, NULL,
         "write DIR/results/ as well (the analysis job does this)"},
        OPT_END,
    };
    struct sweepdir *d;

    textable_wide = 0;
    d = cmd_begin (opts, &results_help, argc, argv, &o.filter);
    if (o.write && filter_used (&o.filter))
        die_with (EXIT_USAGE,
                  "--write: the tables of a sweep hold all runs: leave out the "
                  "filter");
    return results (d, &o, o.format);
}

/* ---- `dftrace sweep archive DIR`: all but the traces, in one file ---- */

enum { TAR_BLOCK = 512, TAR_NAME = 100, TAR_PREFIX = 155, COPY = 65536 };

static const struct verb_help archive_help = {
    .usage = "dftrace sweep archive [OPTION…] DIR",
    .summary = "pack a sweep without its traces: what was asked, done and "
               "found",
    .text = "The sweep file, plan, manifest, journal, maps, every run's "
            "variables, output, status and\nmetrics, and the tables, as "
            "NAME.tar.gz.",
    .example = "  $ dftrace sweep archive my-study --output my-study.tar.gz",
    .exits = "0  written\n1  it could not be",
    .least = 1,
    .most = 1,
};

/* Traces, and what is made from them again. */
static int is_left_out (const char *path)
{
    return !fnmatch ("*/trace/*.dft", path, 0) ||
           !fnmatch ("*/trace/shards/*", path, 0) ||
           !fnmatch ("*/.*", path, FNM_PERIOD);
}

/* nftw has no argument for its function. */
static struct archive {
    gzFile out;
    const char *root, *name;
    size_t files;
    int failed;
} archive;

struct tar_head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8];
    char type, link[100], magic[6], version[2], user[32], group[32];
    char major[8], minor[8], prefix[155], pad[12];
};

_Static_assert(sizeof (struct tar_head) == TAR_BLOCK, "ustar");

/* NAME/… in name, or cut at a slash between prefix and name. */
static int tar_name (struct tar_head *h, const char *path)
{
    size_t n = strlen (path);
    const char *cut = path;

    if (n <= TAR_NAME) {
        memcpy (h->name, path, n);
        return 0;
    }
    while ((cut = strchr (cut + 1, '/')))
        if (strlen (cut + 1) <= TAR_NAME && cut - path <= TAR_PREFIX) {
            memcpy (h->prefix, path, cut - path);
            memcpy (h->name, cut + 1, strlen (cut + 1));
            return 0;
        }
    return -1;
}

static void tar_sum (struct tar_head *h)
{
    const unsigned char *p = (const unsigned char *)h;
    unsigned sum = 0;

    memset (h->sum, ' ', sizeof (h->sum));
    for (size_t i = 0; i < sizeof (*h); i++)
        sum += p[i];
    FORMAT (h->sum, "%06o", sum);
}

static int archive_put (const void *bytes, size_t n)
{
    return gzwrite (archive.out, bytes, (unsigned)n) == (int)n ? 0 : -1;
}

static int archive_put_head (const char *path, const struct stat *st)
{
    struct tar_head h;

    ZERO (&h);
    if (tar_name (&h, path) < 0) {
        errno = ENAMETOOLONG;
        return -1;
    }
    FORMAT (h.mode, "%07o", (unsigned)st->st_mode & 0777);
    FORMAT (h.uid, "%07o", 0);
    FORMAT (h.gid, "%07o", 0);
    FORMAT (h.size, "%011llo", (unsigned long long)st->st_size);
    FORMAT (h.mtime, "%011llo", (unsigned long long)st->st_mtime);
    h.type = '0';
    memcpy (h.magic, "ustar", 6);
    memcpy (h.version, "00", 2);
    tar_sum (&h);
    return archive_put (&h, sizeof (h));
}

/* As many bytes as the head says, whatever happens to the file. */
static int put_file (int fd, off_t size)
{
    static char buffer[COPY];
    off_t left = size;

    while (left > 0) {
        size_t want = left < COPY ? left : COPY;
        ssize_t n = read (fd, buffer, want);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0) {
            memset (buffer, 0, want);
            n = (ssize_t)want;
        }
        if (archive_put (buffer, n) < 0)
            return -1;
        left -= n;
    }
    memset (buffer, 0, TAR_BLOCK);
    return size % TAR_BLOCK ? archive_put (buffer, TAR_BLOCK - size % TAR_BLOCK)
                            : 0;
}

static int archive_visit (const char *path,
                          const struct stat *st,
                          int type,
                          struct FTW *where)
{
    char name[TAR_NAME + TAR_PREFIX + 2];
    int fd, rc;

    if (type != FTW_F || !S_ISREG (st->st_mode) ||
        is_left_out (path + strlen (archive.root)))
        return 0;
    FORMAT (name, "%s%s", archive.name, path + strlen (archive.root));
    fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    rc = fd < 0 ? -1 : archive_put_head (name, st);
    if (rc == 0)
        rc = put_file (fd, st->st_size);
    if (rc < 0) {
        log_error ("%s: %s", path, strerror (errno));
        archive.failed = 1;
    }
    if (fd >= 0)
        close (fd);
    archive.files++;
    return archive.failed;
}

static void write_archive (const struct sweepdir *d,
                           const char *path,
                           enum table_format format)
{
    static const char end[2 * TAR_BLOCK];
    const char *temporary = arena_format ("%s.part", path);
    struct textable *t;

    archive = (struct archive){.out = gzopen (temporary, "wbex"),
                               .root = d->path,
                               .name = d->spec->name};
    if (!archive.out)
        die ("%s: %m", temporary);
    if (nftw (d->path, archive_visit, 16, FTW_PHYS) < 0)
        archive.failed = 1;
    if (archive_put (end, sizeof (end)) < 0)
        archive.failed = 1;
    if (gzclose (archive.out) != Z_OK || archive.failed ||
        rename (temporary, path) < 0) {
        unlink (temporary);
        die ("%s: could not be written", path);
    }
    if (format == TABLE_TEXT) {
        printf ("%s: %zu files, without traces\n", path, archive.files);
        return;
    }
    t = textable_create ();
    textable_columns (t, "archive files#");
    textable_line (t, "%s %zu", path, archive.files);
    cmd_table (t, format);
}

int sweep_cmd_archive (int argc, char **argv)
{
    const char *output = NULL;
    enum table_format format = TABLE_TEXT;
    const struct opt opts[] = {
        FORMAT_OPTION (format),
        {"output", 'o', OPT_TEXT, &output, "FILE",
         "default is NAME.tar.gz, here"},
        OPT_END,
    };
    struct sweepdir *d = cmd_begin (opts, &archive_help, argc, argv, NULL);

    if (!output)
        output = arena_format ("%s.tar.gz", d->spec->name);
    write_archive (d, output, format);
    return EXIT_OK;
}
