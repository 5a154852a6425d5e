/* SPDX-License-Identifier: MIT
 *
 * keep.c - a line of each job that ended on this node, for the site
 *
 * In:  lines of the user's side (tell.h), what root knows of the job
 * Out: a line of JSON appended by one write: a reader sees it whole or, where
 *      the disk is full, without its end
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "spank/epilog/keep.h"
#include "spank/epilog/tell.h"
#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/json.h"

static void keep_text (struct job_summary *s, int at, const char *text)
{
    (void)snprintf (s->text[at], SUMMARY_TEXT_MAX, "%s", text ? text : "");
}

/* Facts that root knows take precedence. */
static void
keep_facts (struct job_summary *s, const struct keep_job *job, int part)
{
    const struct passwd *pw = getpwuid (job->uid);

    keep_text (s, SUMMARY_host, job->host);
    keep_text (s, SUMMARY_user, pw ? pw->pw_name : "");
    keep_text (s, SUMMARY_account,
               settings_environ (NULL, "SLURM_JOB_ACCOUNT"));
    keep_text (s, SUMMARY_partition,
               settings_environ (NULL, "SLURM_JOB_PARTITION"));
    s->number[SUMMARY_job] = job->job_id;
    s->number[SUMMARY_part] = part;
    s->number[SUMMARY_ended] = (double)job->now;
    s->number[SUMMARY_weight] =
        (size_t)part < job->weights ? (double)job->weight[part] : 1;
    s->number[SUMMARY_uid] = job->uid;
    if (job->hide)
        hide_texts (job->hide, s);
}

static void keep_line (FILE *out, const struct job_summary *s)
{
    struct json j;

    json_init (&j, out, 1);
    json_open (&j, NULL, '{');
    for (int i = 0; i < (int)SUMMARY_COUNT; i++) {
        struct summary_info info = summary_info (i);

        if (info.is_text && s->text[i][0])
            json_text (&j, info.name, s->text[i]);
        else if (!info.is_text && !isnan (s->number[i]))
            json_double (&j, info.name, s->number[i]);
    }
    json_close (&j, '}');
}

static int
keep_open (const char *dir, const struct keep_job *job, struct errtext *err)
{
    const time_t now = (time_t)job->now;
    char day[16] = "";
    struct tm tm;
    struct stat st;
    char *path;
    int fd;

    if (make_own_dir (dir, 0700, err) < 0)
        return -1;
    if (lstat (dir, &st) < 0 || st.st_mode & 022) {
        errno = EPERM;
        return errf (err, "%s: others can write to it: chmod go-w", dir);
    }
    if (gmtime_r (&now, &tm))
        (void)strftime (day, sizeof (day), "%Y%m%d", &tm);
    path = text_format ("%s/%s-%s.jsonl", dir, job->host, day);
    fd = path ? open (path,
                      O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                      0600)
              : -1;
    if (fd < 0)
        (void)errf (err, "%s: %s", path ? path : dir, strerror (errno));
    free (path);
    return fd;
}

int keep_jobs (const char *dir,
               const struct keep_job *job,
               char *text,
               struct errtext *err)
{
    struct job_summary s;
    char *lines = NULL;
    size_t size = 0;
    FILE *out = open_memstream (&lines, &size);
    int part, fd, rc = 0;

    if (!out)
        return errf (err, "%s: %s", dir, strerror (ENOMEM));
    while (tell_next (&text, &s, &part)) {
        keep_facts (&s, job, part);
        keep_line (out, &s);
    }
    if (fclose (out) != 0)
        size = 0;
    if (size) {
        fd = keep_open (dir, job, err);
        rc = fd < 0 ? -1 : 0;
        if (fd >= 0 && write (fd, lines, size) != (ssize_t)size)
            rc = errf (err, "%s: %s: the summary of job %u is not kept", dir,
                       strerror (errno ? errno : ENOSPC), job->job_id);
        if (fd >= 0)
            (void)close (fd);
    }
    free (lines);
    return rc;
}
