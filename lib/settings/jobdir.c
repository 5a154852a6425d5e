/* SPDX-License-Identifier: MIT
 *
 * jobdir.c - settings and ids -> the job directory
 *
 * In:  settings, what Slurm says of the job
 * Out: <dir>/, <dir>/shards/, <dir>/shards/started.HOST
 * Caveat: parents may be symbolic links of root or the caller (users have
 *         them); the directory itself may not, and must belong to the caller.
 */
#include "config.h"

#include <dirent.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "lib/base/array.h"
#include "lib/base/sys.h"
#include "lib/base/text.h"
#include "lib/format/calls.h"
#include "lib/format/proclines.h"
#include "lib/settings/jobdir.h"

/* Flux writes ids in base 58, with a letter f before them. */
static uint64_t jobdir_flux_id (const char *text)
{
    static const char digits[] =
        "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    uint64_t id = 0;

    if (strncmp (text, "\xc6\x92", 2) == 0)
        text += 2;
    else if (*text++ != 'f')
        return 0;
    for (; *text; text++) {
        const char *digit = strchr (digits, *text);

        if (!digit || __builtin_mul_overflow (id, sizeof (digits) - 1, &id) ||
            __builtin_add_overflow (id, (uint64_t)(digit - digits), &id))
            return 0;
    }
    return id;
}

uint64_t jobdir_job_id (settings_lookup_f lookup, void *cookie)
{
    static const char *const names[] = {"SLURM_JOB_ID", "FLUX_JOB_ID",
                                        "PBS_JOBID", "LSB_JOBID"};

    for (size_t i = 0; i < ITEMS (names); i++) {
        const char *text = lookup (cookie, names[i]);
        uint64_t id = 0;

        if (!text)
            continue;
        if (i == 1)
            return jobdir_flux_id (text);
        /* PBS puts the server behind the number */
        for (; *text >= '0' && *text <= '9'; text++)
            if (__builtin_mul_overflow (id, 10, &id) ||
                __builtin_add_overflow (id, (uint64_t)(*text - '0'), &id))
                return 0;
        return id <= INT64_MAX && (*text == '\0' || i == 2) ? id : 0;
    }
    return 0;
}

char *
jobdir_clean (const char *text, const char *fallback, char *buf, size_t size)
{
    size_t n = 0;

    for (; text && text[n] && n + 1 < size; n++) {
        unsigned char c = (unsigned char)text[n];
        buf[n] = c <= ' ' || c == '/' || c == 0x7f ? '_' : (char)c;
    }
    buf[n] = '\0';
    if (buf[0] == '.')
        buf[0] = '_';
    if (n == 0)
        snprintf (buf, size, "%s", fallback);
    return buf;
}

char *jobdir_host (const char *nodename, char buf[JOBDIR_NAME_MAX])
{
    char name[HOST_NAME_MAX + 1];

    if (!nodename || !*nodename) {
        if (gethostname (name, sizeof (name)) < 0)
            name[0] = '\0';
        name[HOST_NAME_MAX] = '\0';
        nodename = name;
    }
    return jobdir_clean (nodename, "localhost", buf, JOBDIR_NAME_MAX);
}

/* -- path -------------------------------------------------------------- */

struct path {
    char *text; /* SETTING_TEXT_MAX bytes */
    size_t used;
    int full;
};

static void path_add (struct path *p, const char *text)
{
    size_t n = strlen (text);

    if (p->used + n >= SETTING_TEXT_MAX) {
        p->full = 1;
        return;
    }
    memcpy (p->text + p->used, text, n + 1);
    p->used += n;
}

enum { LETTER_TEXT_MAX = JOBDIR_NAME_MAX };

static const char *jobdir_number (char *buf, uint64_t n)
{
    snprintf (buf, LETTER_TEXT_MAX, "%" PRIu64, n);
    return buf;
}

/* Return the text of a placeholder, which may lie in buf; NULL or "" if it is
 * not known. */
static const char *
placeholder (char letter, const struct jobinfo *job, char buf[LETTER_TEXT_MAX])
{
    int array = job->array_task_id >= 0 && job->array_job_id;

    switch (letter) {
    case 'u':
        return job->user;
    case 'h':
        return job->home;
    case 'w':
        return job->workdir;
    case 'x':
        return jobdir_clean (job->job_name, "job", buf, LETTER_TEXT_MAX);
    case 'j':
        return jobdir_number (buf, job->job_id);
    case 'A':
        return jobdir_number (buf, array ? job->array_job_id : job->job_id);
    case 'a':
        return jobdir_number (buf, array ? job->array_task_id : 0);
    case '%':
        return "%";
    default:
        return NULL;
    }
}

static int expand (struct path *p,
                   const char *key,
                   const char *root,
                   const struct jobinfo *job,
                   struct errtext *err)
{
    char buf[LETTER_TEXT_MAX];

    for (; *root; root++) {
        char one[2] = {*root, '\0'};
        const char *text = one;

        if (*root == '%') {
            char letter = *++root;
            text = placeholder (letter, job, buf);
            if (!text || !*text) {
                errno = EINVAL;
                return errf (err,
                             "%s: nothing known for \"%%%.1s\": use %%u, %%h, "
                             "%%w, %%x, %%j, %%A or %%a",
                             key, letter ? root : "");
            }
        }
        path_add (p, text);
    }
    return 0;
}

static void path_add_ids (struct path *p, const struct jobinfo *job)
{
    int array = job->array_task_id >= 0 && job->array_job_id;
    char text[96];

    FORMAT (text, "-%" PRIu64, array ? job->array_job_id : job->job_id);
    path_add (p, text);
    if (array) {
        FORMAT (text, "_%" PRId64, job->array_task_id);
        path_add (p, text);
    }
    if (job->restart) {
        FORMAT (text, ".r%" PRIu32, job->restart);
        path_add (p, text);
    }
}

static int path_check (const struct path *p, struct errtext *err)
{
    errno = EINVAL;
    if (p->full) {
        errno = ENAMETOOLONG;
        return errf (err,
                     "job directory: path longer than %d bytes: set a "
                     "shorter log_root",
                     SETTING_TEXT_MAX - 1);
    }
    if (p->text[0] != '/')
        return errf (err,
                     "%s: not an absolute path: set DFTRACE_LOG_ROOT to "
                     "one",
                     p->text);
    if (strpbrk (p->text, "\n\r"))
        return errf (err, "job directory: line break in its path: set another "
                          "DFTRACE_LOG_ROOT");
    return 0;
}

int jobdir_expand (const char *key,
                   const char *text,
                   const struct jobinfo *job,
                   char path[SETTING_TEXT_MAX],
                   struct errtext *err)
{
    struct path p = {path, 0, 0};

    path[0] = '\0';
    return expand (&p, key, text, job, err) < 0 ? -1 : path_check (&p, err);
}

int jobdir_path (const struct settings *s,
                 const struct jobinfo *job,
                 char path[SETTING_TEXT_MAX],
                 struct errtext *err)
{
    struct path p = {path, 0, 0};
    char name[JOBDIR_NAME_MAX];

    path[0] = '\0';
    if (s->job_dir[0]) {
        path_add (&p, s->job_dir);
        return path_check (&p, err);
    }
    if (expand (&p, "log_root", s->log_root[0] ? s->log_root : "%w/dftrace",
                job, err) < 0)
        return -1;
    path_add (&p, "/");
    path_add (&p, jobdir_clean (job->job_name, "job", name, sizeof (name)));
    path_add_ids (&p, job);
    return path_check (&p, err);
}

/* -- directories ------------------------------------------------------- */

/* Make or open name under dirfd; it must be a directory of ours. */
static int own_dir (int dirfd, const char *name)
{
    struct stat st;
    int fd;

    if (mkdirat (dirfd, name, 0700) < 0 && errno != EEXIST)
        return -1;
    fd = openat (dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        if (errno == ENOTDIR &&
            fstatat (dirfd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK (st.st_mode))
            errno = ELOOP;
        return -1;
    }
    if (fstat (fd, &st) < 0 || st.st_uid != geteuid ()) {
        close (fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

static const char *jobdir_reason (int error)
{
    return error == EPERM   ? "belongs to another user"
           : error == ELOOP ? "goes through a symbolic link"
                            : strerror (error);
}

int jobdir_create (const char *path, struct errtext *err)
{
    char copy[SETTING_TEXT_MAX];
    size_t n = strlen (path);
    const char *base;
    int parent, fd = -1, shards = -1, saved;

    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n < 2 || n >= sizeof (copy) || path[0] != '/') {
        errno = EINVAL;
        return errf (err, "%s: not an absolute path of a directory", path);
    }
    memcpy (copy, path, n);
    copy[n] = '\0';
    parent = dirwalk_parent (copy, &base);
    if (parent >= 0)
        fd = own_dir (parent, base);
    if (fd >= 0)
        shards = own_dir (fd, "shards");
    saved = errno;
    if (parent >= 0)
        close (parent);
    if (shards >= 0) {
        close (shards);
        return fd;
    }
    if (fd >= 0)
        close (fd);
    errno = saved;
    return errf (err,
                 "%s: %s: set DFTRACE_LOG_ROOT to a directory you can "
                 "write",
                 path, jobdir_reason (saved));
}

static int make_mark (int dirfd, const char *path, struct errtext *err)
{
    int fd =
        openat (dirfd, path,
                O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_system (err, path, errno);
    close (fd);
    return 0;
}

int jobdir_mark_started (int dirfd, const char *host, struct errtext *err)
{
    char name[JOBDIR_NAME_MAX], path[JOBDIR_NAME_MAX + 32];

    FORMAT (path, "shards/started.%s", jobdir_host (host, name));
    return make_mark (dirfd, path, err);
}

int jobdir_append (int dirfd,
                   const char *host,
                   const struct procline *l,
                   struct errtext *err)
{
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    char name[JOBDIR_NAME_MAX], file[JOBDIR_NAME_MAX + 32];
    int shards = openat (dirfd, "shards", O_RDONLY | O_DIRECTORY | FLAGS), fd,
        rc = -1;
    struct stat st;

    FORMAT (file, PROCLINE_FILE "%s", jobdir_host (host, name));
    fd = shards < 0 ? -1
                    : openat (shards, file,
                              O_WRONLY | O_APPEND | O_CREAT | FLAGS, 0600);
    if (fd >= 0 && fstat (fd, &st) == 0 && S_ISREG (st.st_mode) &&
        (st.st_size >= PROCLINE_FILE_MAX ||
         write (fd, l->text, l->used) == (ssize_t)l->used))
        rc = 0;
    if (rc < 0)
        errf (err, "shards/%s: %s", file, strerror (errno));
    if (fd >= 0)
        close (fd);
    if (shards >= 0)
        close (shards);
    return rc;
}

int jobdir_note_untraced (int dirfd,
                          const char *host,
                          pid_t pid,
                          const char *program,
                          const char *reason,
                          struct errtext *err)
{
    char text[PROCLINE_MAX];
    struct procline l = {text, sizeof (text), 0};

    procline_untraced (&l, pid, program, strlen (program), "", reason);
    return jobdir_append (dirfd, host, &l, err);
}

/* -- stages ------------------------------------------------------------ */

#define STAGED         "staged."
#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
enum { STEP_MAX = 16, STAGED_MAX = JOBDIR_NAME_MAX + STEP_MAX + 32 };

static void staged_path (char *path, const char *host, const char *stage)
{
    const char *step = strrchr (stage, '.');
    char name[JOBDIR_NAME_MAX];

    snprintf (path, STAGED_MAX, "shards/" STAGED "%s.%.*s",
              jobdir_host (host, name), STEP_MAX, step ? step + 1 : "");
}

int jobdir_mark_staged (int dirfd,
                        const char *host,
                        const char *stage,
                        struct errtext *err)
{
    char path[STAGED_MAX];

    staged_path (path, host, stage);
    return make_mark (dirfd, path, err);
}

void jobdir_mark_collected (const char *dir,
                            const char *host,
                            const char *stage)
{
    int dirfd = open (dir, OPEN_DIRECTORY);
    char path[STAGED_MAX];

    if (dirfd < 0)
        return;
    staged_path (path, host, stage);
    unlinkat (dirfd, path, 0);
    close (dirfd);
}

int jobdir_is_staged (const char *name, const char *host)
{
    size_t n = sizeof (STAGED) - 1;
    const char *step = strrchr (name, '.');

    if (strncmp (name, STAGED, n) != 0 || step < name + n)
        return 0;
    return !host || (strlen (host) == (size_t)(step - (name + n)) &&
                     memcmp (name + n, host, strlen (host)) == 0);
}

uint64_t jobdir_count_staged (const char *dir)
{
    int dirfd = open (dir, OPEN_DIRECTORY);
    int fd = dirfd < 0 ? -1 : openat (dirfd, "shards", OPEN_DIRECTORY);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);
    uint64_t count = 0;

    for (const struct dirent *e; d && (e = readdir (d));)
        count += jobdir_is_staged (e->d_name, NULL);
    if (d)
        closedir (d);
    else if (fd >= 0)
        close (fd);
    if (dirfd >= 0)
        close (dirfd);
    return count;
}

/* ---- what is known of a job -> job.json ---- */

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
        o->used += n;
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

/* gmtime_r takes a lock of libc, which apart_run does not allow. Years begin in
 * March here, so that February is the last month. */
static void out_now (struct out *o)
{
    uint64_t s = (uint64_t)time (NULL), day = s / 86400 + 719468;
    uint64_t year = 400 * (day / 146097), month;

    day %= 146097; /* of 400 years */
    year += (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= year % 400 * 365 + year % 400 / 4 - year % 400 / 100;
    month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    year += month >= 10;
    month = month < 10 ? month + 3 : month - 9;
    out_text (o,
              ",\n  \"created\": \"%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64
              "T%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "Z\"",
              year, month, day + 1, s / 3600 % 24, s / 60 % 60, s % 60);
}

static void
out_job (struct out *o, const struct settings *s, const struct jobinfo *job)
{
    struct setting_out so = {o, 0};
    char layers[256];

    out_text (o, "{\n  \"format\": \"dftrace-job\",\n  \"version\": 1");
    out_number (o, "job_id", job->job_id);
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
    if (job->cpus)
        out_number (o, "cpus_allowed", job->cpus);
    if (job->limits.limit) {
        out_text (o, ",\n  \"cpu_limit\": %" PRIu64 ".%03" PRIu64,
                  job->limits.limit / 1000, job->limits.limit % 1000);
        if (job->limits.counts)
            out_text (o,
                      ",\n  \"" JOBDIR_THROTTLED "\": [%" PRIu64 ", %" PRIu64
                      ", %" PRIu64 "]",
                      job->limits.throttled, job->limits.periods,
                      job->limits.group);
    }
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
        n -= done;
    }
    return fsync (fd) < 0 && errno != EINVAL ? -1 : 0;
}

/* Rename a file unless the other name is there. Old libc have no function. */
static int rename_new (int dirfd, const char *from, const char *to)
{
#if defined SYS_renameat2 && defined RENAME_NOREPLACE
    return (int)syscall (SYS_renameat2, dirfd, from, dirfd, to,
                         RENAME_NOREPLACE);
#else
    errno = ENOSYS;
    return -1;
#endif
}

/* Give the finished temporary file its name; who was first wins. */
static int publish (int dirfd, const char *temporary)
{
    if (rename_new (dirfd, temporary, "job.json") == 0 || errno == EEXIST ||
        linkat (dirfd, temporary, dirfd, "job.json", 0) == 0 || errno == EEXIST)
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

    FORMAT (temporary, ".job.json.%s.%d", host, (int)getpid ());
    fd = openat (dirfd, temporary,
                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    if (write_whole (fd, o->text, o->used) == 0)
        rc = publish (dirfd, temporary);
    saved = errno;
    close (fd);
    unlinkat (dirfd, temporary, 0);
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
    o.text = mmap (NULL, JSON_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (o.text == MAP_FAILED)
        return errf (err, "job.json: %s", strerror (errno));
    out_job (&o, s, job);
    if (o.full) {
        errno = EFBIG;
        rc = -1;
    } else {
        rc = write_new (dirfd, jobdir_host (job->host, host), &o);
    }
    if (rc < 0)
        errf (err, "job.json: %s", strerror (errno));
    munmap (o.text, JSON_BYTES);
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
        close (fd);
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
        FORMAT (task, "_%" PRId64, job->array_task_id);
    if (snprintf (apart, SETTING_TEXT_MAX, "%.*s-%" PRIu64 "%s", (int)n, path,
                  array ? job->array_job_id : job->job_id,
                  task) < SETTING_TEXT_MAX)
        return 0;
    errno = ENAMETOOLONG;
    return errf (err, "%s: another job's, and too long for one beside it",
                 path);
}
