/* SPDX-License-Identifier: MIT
 *
 * keptname.c - a question, a program and traces -> what a kept answer is about,
 *              and its name
 *
 * In:  the text of a question; sources of a job
 * Out: struct keptanswer
 *
 * The name follows from the question alone, so that a newer answer takes the
 * place of the older one; the text has all.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/query/keptanswer.h"
#include "analyze/query/keptname.h"
#include "analyze/trace/ended.h"
#include "lib/settings/jobdir.h"
#include "lib/format/shard.h"
#include "lib/util/buildid.h"
#include "lib/util/fsutil.h"

/* Grows when the layout of a file changes, or what a number means. */
enum {
    KEPTNAME_LAYOUT = 3,
    KEPTNAME_TAIL = 4096,
    KEPTNAME_BYTES = 8 << 20 /* more is as slow as counting */
};

int keptname_parent_is_ours (const char *dir)
{
    char *up = text_format ("%s/..", dir), *slash;
    struct stat st;
    int ours;

    if (!up)
        return 0;
    if ((slash = strrchr (dir, '/')))
        (void)snprintf (up, strlen (up) + 1, "%.*s",
                        slash == dir ? 1 : (int)(slash - dir), dir);
    else
        (void)snprintf (up, strlen (up) + 1, ".");
    ours = stat (up, &st) == 0 && st.st_uid == geteuid () &&
           !(st.st_mode & (S_IWGRP | S_IWOTH));
    free (up);
    return ours;
}

/* Checksum of the last bytes; of what cannot be read, 0. */
static uint64_t keptname_tail (const char *path, const struct stat *st)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    unsigned char tail[KEPTNAME_TAIL];
    off_t at =
        st->st_size > KEPTNAME_TAIL ? st->st_size - KEPTNAME_TAIL : (off_t)0;
    ssize_t n = fd < 0 ? -1 : pread (fd, tail, sizeof (tail), at);

    if (fd >= 0)
        (void)close (fd);
    return n > 0 ? shard_checksum (tail, (size_t)n, 0) : 0;
}

static void keptname_put_file (FILE *out, const char *path)
{
    struct stat st;

    if (lstat (path, &st) < 0 || !S_ISREG (st.st_mode))
        (void)fprintf (out, "%s none\n", path);
    else
        (void)fprintf (
            out, "%s %lld bytes, inode %llu, %lld.%09ld, end %" PRIx64 "\n",
            path, (long long)st.st_size, (unsigned long long)st.st_ino,
            (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
            keptname_tail (path, &st));
}

static int keptname_put_files (FILE *out, struct job *job)
{
    struct errtext err;
    char *trace;

    if (job->dir && job_list (job, &err) < 0) {
        job_close (job);
        return 0; /* whoever opens it says why */
    }
    for (size_t i = 0; i < job->sources; i++)
        keptname_put_file (out, job->source[i].path);
    if (!job->dir)
        return 0;
    if (!(trace = path_join (job->dir, "trace.dft")))
        return -1;
    keptname_put_file (out, trace);
    (void)fprintf (out, "stages %llu\n",
                   (unsigned long long)jobdir_count_staged (job->dir));
    (void)fprintf (out, "ends %llu\n",
                   (unsigned long long)ended_bytes (job->dir));
    free (trace);
    job_close (job); /* opening it chooses among them */
    return 0;
}

static char *
keptname_about (struct job *job, const char *question, uint64_t *number)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream (&text, &n);
    int rc;

    if (!out)
        return NULL;
    (void)fprintf (out, "dftrace %s, layout %d\n%s\njob %s\n", buildid_text (),
                   KEPTNAME_LAYOUT, question, job->label);
    *number = shard_checksum (question, strlen (question), 0);
    rc = keptname_put_files (out, job);
    if (fclose (out) == 0 && rc == 0)
        return text;
    free (text);
    return NULL;
}

int keptanswer_make (struct keptanswer *k,
                     struct job *job,
                     const char *question)
{
    uint64_t number;

    memset (k, 0, sizeof (*k));
    k->most = KEPTNAME_BYTES;
    if (!(k->about = keptname_about (job, question, &number)))
        return -1;
    k->dir = job->dir ? path_join (job->dir, "answers")
                      : text_format ("%s.answers", job->source[0].path);
    k->file = k->dir ? text_format ("%s/%016" PRIx64 ".answer", k->dir, number)
                     : NULL;
    return k->file ? 0 : -1;
}

void keptanswer_clear (struct keptanswer *k)
{
    free (k->dir);
    free (k->file);
    free (k->about);
    memset (k, 0, sizeof (*k));
}
