/* SPDX-License-Identifier: MIT
 *
 * endfile.c - how a job and those of its processes that failed ended
 *             -> job.json
 *
 * In:  an open job; its job.json, which anybody may have written
 * Out: "ended" in it: exit_status or signal of the job; failed, a list: host,
 *      pid, exe, exit_status or signal, end_s, doing, doing_s
 */
#include "config.h"

#include "analyze/facts/endfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "analyze/facts/ancestry.h"
#include "analyze/facts/failure.h"
#include "analyze/trace/find.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"

enum {
    ENDFILE_BYTES = 1 << 24, /* of job.json */
    ENDFILE_LISTED = 64      /* processes; the rest is counted */
};

static const char endfile_head[] = ",\n  \"ended\": {",
                  endfile_tail[] = "\n  }";

/* --- processes ------------------------------------------------------------
 */

/* Without their events. 0, or -1 (ENOMEM). */
static int
endfile_heads (struct totals *t, struct parts *parts, const struct job *job)
{
    struct ancestry kin = {NULL, NULL, NULL, 0};
    int rc = -1;

    if (parts_make (parts, job) == 0 &&
        (t->process = calloc (parts->count + 1, sizeof (*t->process)))) {
        t->processes = parts->count;
        for (size_t i = 0; i < t->processes; i++) {
            struct process *p = &t->process[i];
            const struct shard_process *said;

            p->who = parts->item[i].who;
            said = &p->who->p;
            p->start = p->end = said->start_real;
            if (said->end_ns > said->start_ns)
                p->end += said->end_ns - said->start_ns;
        }
        rc = ancestry_open (&kin, t);
    }
    for (size_t i = 0; rc == 0 && i < t->processes; i++)
        t->process[i].ending = summary_ending (&kin, &t->process[i]);
    ancestry_close (&kin);
    return rc;
}

/* --- text -----------------------------------------------------------------
 */

static void endfile_put_number (struct json *j, uint32_t ended)
{
    if (ended & SHARD_ENDED_EXIT)
        json_uint (j, "exit_status", ended & SHARD_ENDED_NUMBER);
    else
        json_null (j, "exit_status");
    if (ended & SHARD_ENDED_SIGNAL)
        json_uint (j, "signal", ended & SHARD_ENDED_NUMBER);
    else
        json_null (j, "signal");
}

static void endfile_put_process (struct json *j,
                                 const struct job *job,
                                 const struct process *p)
{
    const char *host = p->who->text[SHARD_STRING_HOST];
    const char *exe = p->who->text[SHARD_STRING_EXE];
    const struct doing *d = doing_of (job, p->who);
    char doing[FAILURE_TEXT_MAX];
    int known = p->end > p->start;

    json_open (j, NULL, '{');
    json_bytes (j, "host", host, strlen (host));
    json_uint (j, "pid", p->who->p.pid);
    json_bytes (j, "exe", exe, strlen (exe));
    endfile_put_number (j, p->who->p.ended);
    if (known)
        json_double (j, "end_s", (double)(p->end / 1000) / 1e6);
    else
        json_null (j, "end_s");
    if (failure_doing (doing, job, p))
        json_bytes (j, "doing", doing, strlen (doing));
    else
        json_null (j, "doing");
    if (d && known && p->end > d->since)
        json_double (j, "doing_s", (double)((p->end - d->since) / 1000) / 1e6);
    else
        json_null (j, "doing_s");
    json_close (j, '}');
}

static void endfile_put (struct json *j,
                         const struct job *job,
                         const struct totals *t,
                         const struct failure *f,
                         size_t failed)
{
    size_t left = ENDFILE_LISTED;

    json_open (j, "ended", '{');
    endfile_put_number (j, job->ended);
    json_uint (j, "failed_processes", failed);
    if (failed)
        json_open (j, "failed", '[');
    for (size_t i = 0; failed && left && i < t->processes; i++)
        if (failure_has (job, f, &t->process[i])) {
            endfile_put_process (j, job, &t->process[i]);
            left--;
        }
    if (failed)
        json_close (j, ']');
    json_close (j, '}');
}

/* --- job.json -------------------------------------------------------------
 */

/* Take an older one out of the text. 1: there was one. */
static int endfile_drop (char *text)
{
    char *at = strstr (text, endfile_head);
    char *end = at ? strstr (at + 1, endfile_tail) : NULL;

    if (!end)
        return 0;
    end += sizeof (endfile_tail) - 1;
    memmove (at, end, strlen (end) + 1);
    return 1;
}

/* Before the lists that untraced.c puts at the end. NULL: it is not as we write
 * it. */
static const char *endfile_place (const char *text)
{
    static const char end[] = "\n}\n";
    const char *at = strstr (text, ",\n  \"untraced");
    size_t n = strlen (text);

    if (at)
        return at;
    return n > sizeof (end) && strcmp (text + n - (sizeof (end) - 1), end) == 0
               ? text + n - (sizeof (end) - 1)
               : NULL;
}

/* malloc'd; NULL: ENOMEM. */
static char *endfile_with (const char *old,
                           const char *place,
                           const struct job *job,
                           const struct totals *t,
                           const struct failure *f,
                           size_t failed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream (&text, &size);
    struct json j = {.out = out, .depth = 1};

    if (!out)
        return NULL;
    (void)fwrite (old, 1, (size_t)(place - old), out);
    endfile_put (&j, job, t, f, failed);
    (void)fputs (place, out);
    if (fclose (out) == 0)
        return text;
    free (text);
    return NULL;
}

static int endfile_replace (const char *path,
                            const struct job *job,
                            const struct totals *t,
                            struct errtext *err)
{
    char *old = read_file (path, ENDFILE_BYTES, NULL, err), *text = NULL;
    char *body = old ? strdup (old) : NULL;
    int had = body && endfile_drop (body), rc = 0;
    const char *place = body ? endfile_place (body) : NULL;
    struct failure f;
    size_t failed = 0;

    failure_find (&f, job, t);
    for (size_t i = 0; i < t->processes; i++)
        failed += failure_has (job, &f, &t->process[i]) != 0;
    if (!old)
        rc = errno == ENOENT ? 0 : -1;
    else if ((!job->ended && (had || !failed)) || !is_own_file (path))
        rc = 0; /* no more is known than was */
    else if (body && !place)
        rc = errf (err, "%s: not as dftrace writes it", path);
    else if (!body || !(text = endfile_with (body, place, job, t, &f, failed)))
        rc = errf (err, "%s: %s", path, strerror (ENOMEM));
    else if (strcmp (text, old) != 0)
        rc = write_file (path, 0600, text, err);
    free (text);
    free (body);
    free (old);
    return rc;
}

int endfile_write (const struct job *job, struct errtext *err)
{
    char *path = job->dir ? path_join (job->dir, "job.json") : NULL;
    struct totals t = {.process = NULL};
    struct parts parts = {.count = 0};
    int rc = 0;

    if (job->dir && (!path || endfile_heads (&t, &parts, job) < 0))
        rc = errf (err, "%s: %s", job->dir, strerror (ENOMEM));
    else if (job->dir)
        rc = endfile_replace (path, job, &t, err);
    free (t.process);
    parts_clear (&parts);
    free (path);
    return rc;
}

static uint32_t endfile_status (int status)
{
    return WIFSIGNALED (status)
               ? SHARD_ENDED_SIGNAL | (uint32_t)WTERMSIG (status)
               : SHARD_ENDED_EXIT | (uint32_t)WEXITSTATUS (status);
}

int endfile_write_run (const char *dir, int status, struct errtext *err)
{
    struct joblist jobs = {0};
    struct errtext no_trace;
    int rc = 1;

    if (status != 0 && joblist_add (&jobs, dir, &no_trace) == 0) {
        filelimit_raise ();
        if (jobs.count == 1 && job_open (&jobs.item[0], &no_trace) == 0)
            rc = endfile_write (&jobs.item[0], err);
    }
    if (jobs.count == 1)
        job_close (&jobs.item[0]);
    joblist_clear (&jobs);
    if (rc == 1) {
        char *own = strdup (dir);
        const struct job job = {.dir = own, .ended = endfile_status (status)};

        rc = own ? endfile_write (&job, err)
                 : errf (err, "%s: %s", dir, strerror (ENOMEM));
        free (own);
    }
    return rc;
}
