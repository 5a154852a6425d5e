/* SPDX-License-Identifier: MIT
 *
 * evstream.c - the events of a job -> a stream of Arrow's record batches
 *
 * In:  a job that is open; conditions and columns
 * Out: struct ArrowArrayStream, whose functions need no Python
 */
#include "config.h"

#include "analyze/python/evstream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/facts/question.h"
#include "analyze/python/evread.h"

/* --- questions ------------------------------------------------------------ */

static int evstream_parse (struct evcolumns *columns,
                           struct where *where,
                           const struct evstream_asked *asked,
                           struct errtext *err)
{
    const char *const *word =
        asked->columns ? asked->columns : evcolumns_default;
    struct errtext why;

    for (; *word; word++)
        if (evcolumns_add (columns, *word, err) < 0)
            return -1;
    errno = EINVAL;
    if (columns->count == 0)
        return errf (err, "columns: none: name at least one");
    if (asked->rows > EVSTREAM_ROWS_MAX)
        return errf (err, "rows: %zu: more than %d rows of a batch",
                     asked->rows, EVSTREAM_ROWS_MAX);
    for (const char *const *w = asked->where; w && *w; w++)
        if (where_add (where, *w, &why) < 0) {
            errno = EINVAL;
            return errf (err, "where: %s", why.text);
        }
    return 0;
}

int evstream_check (const struct evstream_asked *asked, struct errtext *err)
{
    struct evcolumns *columns = calloc (1, sizeof (*columns));
    struct where where = {.terms = 0};
    int rc = columns ? evstream_parse (columns, &where, asked, err)
                     : errf (err, "%s", strerror (ENOMEM));

    where_clear (&where);
    free (columns);
    return rc;
}

/* --- opening -------------------------------------------------------------- */

/* Steps, epochs and checkpoints are known when the job has been read. */
static int evstream_context (struct evread *r)
{
    const struct query q = {
        .key = {{.what = GROUP_step}, {.what = GROUP_epoch}}, .keys = 2};
    int rc;

    if (!evcolumns_need_context (&r->columns) &&
        !where_needs_context (&r->where) &&
        !where_has (&r->where, WHERE_BY_kind))
        return 0;
    readjob_enter ();
    rc = readjob_load (r->job, &r->err);
    readjob_leave ();
    if (rc < 0)
        return -1;
    if (jobcontext_make (&r->context, &q, readjob_job (r->job), &r->job->totals,
                         &r->job->summary, &r->err) < 0)
        return -1;
    r->has_context = 1;
    return 0;
}

static int evstream_pass (struct evread *r)
{
    struct readjob *j = r->job;
    int rc, loaded = readjob_loaded (j);

    (void)pthread_mutex_lock (&j->lock);
    rc = pass_open (&r->pass, readjob_job (j), &j->rules, j->threads);
    (void)pthread_mutex_unlock (&j->lock);
    if (rc < 0)
        return -1;
    /* the list of checkpoints grows while the job is read */
    if (!loaded)
        dict_know_checkpoints (r->pass.dict, NULL);
    r->start =
        r->has_context ? r->context.first_start : parts_start (&r->pass.parts);
    return 0;
}

static int evstream_make (struct evread *r, const struct evstream_asked *asked)
{
    if (evstream_parse (&r->columns, &r->where, asked, &r->err) < 0 ||
        evstream_context (r) < 0)
        return -1;
    r->rows = asked->rows ? asked->rows : EVSTREAM_ROWS;
    if (r->rows < BATCH_EVENTS)
        r->rows = BATCH_EVENTS;
    r->strict = asked->strict;
    if (evstream_pass (r) < 0 || evread_plan (r) < 0)
        return errf (&r->err, "%s: %s", readjob_job (r->job)->label,
                     strerror (errno));
    return evlearn_arguments (r);
}

/* --- the stream ----------------------------------------------------------- */

static int evstream_fail (struct evread *r, int error)
{
    if (!r->err.text[0])
        (void)errf (&r->err, "%s: %s", readjob_job (r->job)->label,
                    strerror (error));
    return error;
}

static int evstream_schema (struct ArrowArrayStream *s, struct ArrowSchema *out)
{
    struct evread *r = s->private_data;
    struct arrowcol_field field[EVCOLUMNS_MAX];

    evcolumns_fields (&r->columns, field);
    return arrowcol_schema (out, field, r->columns.count) < 0
               ? evstream_fail (r, ENOMEM)
               : 0;
}

/* At the end: was a word of the condition nowhere, is something missing? */
static int evstream_end (struct evread *r)
{
    unsigned long long lost = atomic_load (&r->lost);

    if (where_check (&r->where, r->pass.dict, &r->err) < 0)
        return EINVAL;
    if (!r->strict)
        return 0;
    for (size_t i = 0; i < readjob_job (r->job)->sources; i++)
        if (readjob_problem (r->job, i, &r->err))
            return EIO;
    if (!lost)
        return 0;
    (void)errf (&r->err,
                "%s: %llu events cannot be read, and strict was asked for: "
                "see view (\"health\")",
                readjob_job (r->job)->label, lost);
    return EIO;
}

static int evstream_next (struct ArrowArrayStream *s, struct ArrowArray *out)
{
    struct evread *r = s->private_data;
    int rc;

    memset (out, 0, sizeof (*out));
    if (r->pid != getpid ()) {
        (void)errf (&r->err, "a stream of events is of the process that "
                             "opened it: read the job anew after fork");
        return EINVAL;
    }
    if (!r->started && evread_start (r) < 0)
        return evstream_fail (r, errno);
    rc = evread_next (r, out);
    if (rc < 0)
        return evstream_fail (r, errno);
    return rc ? 0 : evstream_end (r);
}

static const char *evstream_error (struct ArrowArrayStream *s)
{
    struct evread *r = s->private_data;

    return r->err.text[0] ? readjob_say (r->err.text) : NULL;
}

static void evstream_release (struct ArrowArrayStream *s)
{
    evread_destroy (s->private_data);
    s->private_data = NULL;
    s->release = NULL;
}

int evstream_open (struct ArrowArrayStream *out,
                   struct readjob *j,
                   const struct evstream_asked *asked,
                   struct errtext *err)
{
    struct evread *r = calloc (1, sizeof (*r));

    if (!r)
        return errf (err, "%s", strerror (ENOMEM));
    r->job = readjob_hold (j);
    r->pid = getpid ();
    (void)pthread_mutex_init (&r->lock, NULL);
    (void)pthread_cond_init (&r->change, NULL);
    if (evstream_make (r, asked) < 0) {
        int saved = errno;

        *err = r->err;
        evread_destroy (r);
        errno = saved;
        return -1;
    }
    *out = (struct ArrowArrayStream){.get_schema = evstream_schema,
                                     .get_next = evstream_next,
                                     .get_last_error = evstream_error,
                                     .release = evstream_release,
                                     .private_data = r};
    return 0;
}
