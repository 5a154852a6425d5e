/* SPDX-License-Identifier: MIT
 *
 * siteverbs.c - the words of `dftrace site` that have a database
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/site/site.h"
#include "cli/site/sitecollect.h"
#include "cli/site/sitepage.h"
#include "lib/util/fsutil.h"
#include "lib/util/log.h"

typedef struct textable *
ask_f (struct sitedb *, const struct siteask *, struct errtext *);

static int verbs_failed (const struct errtext *err, int wrong_words)
{
    log_error ("site: %s", err->text);
    return wrong_words ? EXIT_USAGE : EXIT_FAILED;
}

enum { TOP_ROWS = 20 };

static int
verbs_ask (const struct site_options *o, const char *path, ask_f *ask)
{
    struct siteask q = o->ask;
    struct errtext err = {""};
    struct sitedb *db = sitedb_open (path, 0, &err);
    struct textable *t;
    int rc, wrong;

    if (!db)
        return verbs_failed (&err, 0);
    errno = 0;
    if (q.top < 0)
        q.top = TOP_ROWS;
    t = ask (db, &q, &err);
    wrong = errno == EINVAL;
    (void)sitedb_close (db, 0, NULL);
    if (!t)
        return verbs_failed (&err, wrong);
    rc = textable_print (t, stdout, o->format) < 0 ? EXIT_FAILED : EXIT_OK;
    if (!textable_rows (t) && o->format == TABLE_TEXT && o->ask.days)
        log_warn ("site: %s: no such job in the last %d days: --days 0 asks "
                  "for all",
                  path, o->ask.days);
    if (textable_find (t, "jobs_half") >= 0)
        log_info ("site: some jobs were chosen by a rule with sample=N and "
                  "stand for N: numbers are estimates, with half of their "
                  "95 %% interval");
    if (ask != siteask_history && q.top > 0 &&
        textable_rows (t) == (size_t)q.top)
        log_info ("site: the first %d rows: --top 0 shows all", q.top);
    textable_destroy (t);
    return rc;
}

int site_top (const struct site_options *o, int count, char **operands)
{
    (void)count;
    return verbs_ask (o, operands[0], siteask_top);
}

int site_worst (const struct site_options *o, int count, char **operands)
{
    (void)count;
    return verbs_ask (o, operands[0], siteask_worst);
}

int site_history (const struct site_options *o, int count, char **operands)
{
    struct site_options of = *o;

    (void)count;
    of.ask.program = operands[1];
    return verbs_ask (&of, operands[0], siteask_history);
}

int site_collect (const struct site_options *o, int count, char **operands)
{
    struct errtext err = {""};
    struct sitecollect sum;

    (void)count;
    if (sitecollect_run (operands[0], operands[1], o->keep_days, &sum, &err) <
        0)
        return verbs_failed (&err, 0);
    (void)printf ("%s: %" PRIu64 " jobs of %" PRIu64 " files added, %" PRIu64
                  " removed\n",
                  operands[1], sum.jobs, sum.files, sum.expired);
    if (sum.bad)
        log_warn ("site: %s: %" PRIu64 " lines or files could not be read",
                  operands[0], sum.bad);
    return sum.bad ? EXIT_DAMAGED : EXIT_OK;
}

int site_report (const struct site_options *o, int count, char **operands)
{
    const char *path = o->output ? o->output : "site.html";
    struct errtext err = {""};
    struct sitedb *db = sitedb_open (operands[0], 0, &err);
    struct atomic_file *a = db ? atomic_open (path, 0600, &err) : NULL;
    int rc = -1;

    (void)count;
    if (a && sitepage_write (atomic_stream (a), db, &o->ask, &err) < 0)
        atomic_abort (a);
    else if (a)
        rc = atomic_commit (a, &err);
    (void)sitedb_close (db, 0, NULL);
    if (rc < 0)
        return verbs_failed (&err, 0);
    (void)printf ("%s\n", path);
    return EXIT_OK;
}

int site_openmetrics (const struct site_options *o, int count, char **operands)
{
    struct errtext err = {""};
    struct sitedb *db = sitedb_open (operands[0], 0, &err);
    struct siteask q = o->ask;
    int rc, wrong;

    (void)count;
    if (!db)
        return verbs_failed (&err, 0);
    errno = 0;
    if (q.top < 0)
        q.top = 0;
    rc = sitepage_openmetrics (stdout, db, &q, &err);
    wrong = errno == EINVAL;
    (void)sitedb_close (db, 0, NULL);
    return rc < 0 ? verbs_failed (&err, wrong) : EXIT_OK;
}
