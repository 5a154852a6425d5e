/* SPDX-License-Identifier: MIT
 *
 * readpage.c - the page of a job, and its figures
 *
 * In:  a job directory or a trace, which is read anew
 * Out: HTML and SVG, as report/ makes them
 */
#include "config.h"

#include "analyze/python/readpage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/util/fsutil.h"
#include "analyze/report/job/fig_job.h"
#include "analyze/report/page.h"

enum { READPAGE_MODE = 0644 };

/* The options with which the job was opened. */
static const char *readpage_path (struct readjob *j)
{
    const struct job *job = readjob_job (j);

    return job->dir ? job->dir : job->source[0].path;
}

int readpage_write (struct readjob *j, const char *path, struct errtext *err)
{
    struct atomic_file *a = atomic_open (path, READPAGE_MODE, err);
    int rc;

    if (!a)
        return -1;
    readjob_enter ();
    rc = page_job (atomic_stream (a), readpage_path (j), &j->rules, err);
    readjob_leave ();
    if (rc < 0) {
        atomic_abort (a);
        return -1;
    }
    return atomic_commit (a, err);
}

static int readpage_draw (struct readjob *j, FILE *out, struct errtext *err)
{
    struct jobdata *d = calloc (1, sizeof (*d));
    int rc = d ? jobdata_load (d, readpage_path (j), &j->rules, err)
               : errf (err, "%s", strerror (ENOMEM));

    if (rc == 0 && fig_job (out, d) < 0)
        rc = errf (err, "%s: %s", readpage_path (j), strerror (ENOMEM));
    if (d)
        jobdata_clear (d);
    free (d);
    return rc;
}

/* The text that was drawn, or NULL where rc or the stream says that it is not
 * whole. */
static char *readpage_close (
    FILE *out, char **text, int rc, const char *what, struct errtext *err)
{
    if (fclose (out) == 0 && rc == 0)
        return *text;
    if (rc == 0)
        (void)errf (err, "%s: %s", what, strerror (ENOMEM));
    free (*text);
    return NULL;
}

char *readpage_figures (struct readjob *j, size_t *length, struct errtext *err)
{
    char *text = NULL;
    FILE *out = open_memstream (&text, length);
    int rc;

    if (!out) {
        (void)errf (err, "%s", strerror (errno));
        return NULL;
    }
    readjob_enter ();
    rc = readpage_draw (j, out, err);
    readjob_leave ();
    return readpage_close (out, &text, rc, readpage_path (j), err);
}

char *readpage_study (const char *dir, size_t *length, struct errtext *err)
{
    char *text = NULL;
    FILE *out = open_memstream (&text, length);
    int rc;

    if (!out) {
        (void)errf (err, "%s", strerror (errno));
        return NULL;
    }
    readjob_enter ();
    rc = page_sweep (out, dir, err);
    readjob_leave ();
    return readpage_close (out, &text, rc, dir, err);
}
