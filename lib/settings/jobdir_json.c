/* SPDX-License-Identifier: MIT
 *
 * jobdir_json.c - what is known of a job -> job.json
 *
 * In:  settings, struct jobinfo, the directory's descriptor
 * Out: <dir>/job.json, written once: a temporary name, then link(2)
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/escape.h"
#include "lib/settings/jobdir.h"
#include "lib/format/layers.h"

enum { JSON_BYTES = 128 * 1024 }; /* all settings at their longest, escaped */

struct out {
    char *text;
    size_t used;
    int full;
};

static void out_text (struct out *o, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

static void out_text (struct out *o, const char *fmt, ...)
{
    size_t room = JSON_BYTES - o->used;
    va_list ap;
    int n;

    va_start (ap, fmt);
    n = vsnprintf (o->text + o->used, room, fmt, ap);
    va_end (ap);
    if (n < 0 || (size_t)n >= room)
        o->full = 1;
    else
        o->used += (size_t)n;
}

/* "text" with what JSON wants escaped; bytes that are no UTF-8 as \u00XX. */
static void out_quoted (struct out *o, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text ? text : "");

    out_text (o, "\"");
    while (*s) {
        uint32_t c;
        size_t n = escape_char ((const char *)s, strlen ((const char *)s), &c);

        if (n == 4 && !escape_is_plain (c))
            out_text (o, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                      0xdc00 + ((c - 0x10000) & 0x3ff));
        else if (n == 0 || !escape_is_plain (c))
            out_text (o, "\\u%04x", n ? c : *s);
        else if (*s == '"' || *s == '\\')
            out_text (o, "\\%c", *s);
        else
            out_text (o, "%.*s", (int)n, (const char *)s);
        s += n ? n : 1;
    }
    out_text (o, "\"");
}

static void out_field (struct out *o, const char *key, const char *value)
{
    out_text (o, ",\n  \"%s\": ", key);
    out_quoted (o, value);
}

/* A number, or null where -1 stands for none. */
static void out_number (struct out *o, const char *key, int64_t value)
{
    if (value < 0)
        out_text (o, ",\n  \"%s\": null", key);
    else
        out_text (o, ",\n  \"%s\": %" PRId64, key, value);
}

struct setting_out {
    struct out *o;
    int count;
};

static void out_setting (void *cookie, const char *name, const char *value)
{
    struct setting_out *so = cookie;

    out_text (so->o, "%s\n    ", so->count++ ? "," : "");
    out_quoted (so->o, name);
    out_text (so->o, ": ");
    out_quoted (so->o, value);
}

static void out_now (struct out *o)
{
    struct timespec now;
    struct tm tm;
    char text[32];

    (void)clock_gettime (CLOCK_REALTIME, &now);
    (void)gmtime_r (&now.tv_sec, &tm);
    (void)strftime (text, sizeof (text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    out_field (o, "created", text);
}

static void
out_job (struct out *o, const struct settings *s, const struct jobinfo *job)
{
    struct setting_out so = {o, 0};
    char layers[256];

    out_text (o, "{\n  \"format\": \"dftrace-job\",\n  \"version\": 1");
    out_number (o, "job_id", (int64_t)job->job_id);
    out_number (o, "array_job_id",
                job->array_job_id ? (int64_t)job->array_job_id : -1);
    out_number (o, "array_task_id", job->array_task_id);
    out_number (o, "restart", job->restart);
    out_field (o, "job_name", job->job_name);
    if (job->command)
        out_field (o, "command", job->command);
    out_field (o, "user", job->user);
    out_number (o, "uid", job->uid);
    out_number (o, "nnodes", job->nnodes);
    out_field (o, "nodelist", job->nodelist);
    out_field (o, "layers", layers_format (s->layers, layers, sizeof (layers)));
    if (s->given & SETTING_BIT (detail))
        out_field (o, "detail", s->detail);
    out_text (o, ",\n  \"settings\": {");
    settings_export (s, out_setting, &so);
    out_text (o, "%s}", so.count ? "\n  " : "");
    out_field (o, "point", job->point);
    out_field (o, "dftrace", PACKAGE_VERSION);
    out_now (o);
    out_text (o, "\n}\n");
}

static int write_whole (int fd, const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write (fd, text, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        text += done;
        n -= (size_t)done;
    }
    return fsync (fd) < 0 && errno != EINVAL ? -1 : 0;
}

/* Give the finished temporary file its name; who was first wins. */
static int publish (int dirfd, const char *temporary)
{
    if (linkat (dirfd, temporary, dirfd, "job.json", 0) == 0 || errno == EEXIST)
        return 0;
    if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP)
        return -1;
    /* a file system without links: the texts differ in `created` only */
    return renameat (dirfd, temporary, dirfd, "job.json");
}

static int write_new (int dirfd, const char *host, const struct out *o)
{
    char temporary[JOBDIR_NAME_MAX + 64];
    int fd, rc = -1, saved;

    (void)snprintf (temporary, sizeof (temporary), ".job.json.%s.%d", host,
                    (int)getpid ());
    fd = openat (dirfd, temporary,
                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (write_whole (fd, o->text, o->used) == 0)
        rc = publish (dirfd, temporary);
    saved = errno;
    (void)close (fd);
    (void)unlinkat (dirfd, temporary, 0);
    errno = saved;
    return rc;
}

int jobdir_write_json (int dirfd,
                       const struct settings *s,
                       const struct jobinfo *job,
                       struct errtext *err)
{
    char host[JOBDIR_NAME_MAX];
    struct out o = {NULL, 0, 0};
    struct stat st;
    int rc;

    if (fstatat (dirfd, "job.json", &st, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    o.text = malloc (JSON_BYTES);
    if (!o.text)
        return errf (err, "job.json: %s", strerror (errno));
    out_job (&o, s, job);
    if (o.full) {
        errno = EFBIG;
        rc = -1;
    } else {
        rc = write_new (dirfd, jobdir_host (job->host, host), &o);
    }
    if (rc < 0)
        (void)errf (err, "job.json: %s", strerror (errno));
    free (o.text);
    return rc;
}

/* --- whose it is ------------------------------------------------------- */

/* The number behind "key": at the begin of the file, as out_job writes it; 0:
 * there is none. */
static uint64_t json_number (const char *text, const char *key)
{
    const char *at = strstr (text, key);

    return at ? strtoull (at + strlen (key), NULL, 10) : 0;
}

int jobdir_is_of (int dirfd, const struct jobinfo *job)
{
    enum { HEAD = 512 };
    int fd = openat (dirfd, "job.json",
                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char text[HEAD + 1];
    ssize_t n = fd < 0 ? -1 : read (fd, text, HEAD);
    uint64_t id;

    if (fd >= 0)
        (void)close (fd);
    if (n <= 0 || !job->job_id)
        return 1;
    text[n] = '\0';
    id = json_number (text, "\"job_id\": ");
    return !id || id == job->job_id;
}

int jobdir_apart (const char *path,
                  const struct jobinfo *job,
                  char apart[SETTING_TEXT_MAX],
                  struct errtext *err)
{
    int array = job->array_task_id >= 0 && job->array_job_id;
    size_t n = strlen (path);
    char task[32] = "";

    while (n > 1 && path[n - 1] == '/')
        n--;
    if (array)
        (void)snprintf (task, sizeof (task), "_%" PRId64, job->array_task_id);
    if (snprintf (apart, SETTING_TEXT_MAX, "%.*s-%" PRIu64 "%s", (int)n, path,
                  array ? job->array_job_id : job->job_id,
                  task) < SETTING_TEXT_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return errf (err, "%s: another job's, and too long for one beside it",
                 path);
}
