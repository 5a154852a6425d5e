/* SPDX-License-Identifier: MIT
 *
 * compatload.c - the sources of a job -> DFAnalyzer's numbers
 *
 * In:  a job whose sources are not open yet
 * Out: struct compat, to compatview.c
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "analyze/compat/compat.h"
#include "analyze/compat/compatread.h"

static int compat_load_job (struct compat *c,
                            const struct job *job,
                            const struct compat_lines *lines,
                            struct compat_layers *layers)
{
    struct compat_tally t;
    uint64_t start;
    int rc = -1;

    if (compat_find_start (job, &start) < 0 ||
        compat_tally_init (&t, layers, start) < 0)
        return -1;
    if (compat_read (&t, job, lines) == 0)
        rc = compat_make (c, &t, layers);
    compat_tally_clear (&t);
    return rc;
}

/* The files of DFTracer are heard as they are opened. */
static int compat_load_heard (struct compat *c,
                              struct job *job,
                              struct compat_layers *layers,
                              struct errtext *err)
{
    struct compat_lines lines;
    int rc = compat_lines_listen (&lines, job, layers);

    if (rc == 0 && job_open (job, err) < 0)
        rc = -1;
    else if (rc < 0 || (rc = compat_load_job (c, job, &lines, layers)) < 0)
        (void)errf (err, "%s: %s", job->label, strerror (errno));
    compat_lines_clear (&lines, job);
    return rc;
}

int compat_load (struct compat *c,
                 struct job *job,
                 const struct compat_version *version,
                 const char *layers,
                 struct errtext *err)
{
    struct compat_layers asked;
    int rc;

    memset (c, 0, sizeof (*c));
    if (compat_layers_load (&asked, version, layers, err) < 0)
        return -1;
    rc = compat_load_heard (c, job, &asked, err);
    compat_layers_clear (&asked);
    return rc;
}

int compat_source_lost (const struct source *s)
{
    return !s->readable || pfw_lost (&s->lines) || s->lines.cut ||
           s->lines.in.cut || s->lines.in.members_bad;
}
