/* SPDX-License-Identifier: MIT
 *
 * keep.c - a line of each job that ended on this node, for the site
 *
 * In:  lines of the user's side (tell.h), what root knows of the job
 * Out: a line of JSON appended by one write: a reader sees it whole or, where
 *      the disk is full, without its end
 */
#include "config.h"

#include <pwd.h>

#include "lib/settings/settings.h"
#include "lib/util/fsutil.h"
#include "lib/util/xalloc.h"
#include "lib/util/json.h"
#include "lib/util/log.h"
#include "lib/util/sha256.h"
#include "spank/epilog/keep.h"
#include "spank/epilog/tell.h"
#include "spank/epilog/verb.h"

static void keep_text (struct job_summary *s, int at, const char *text)
{
    snprintf (s->text[at], SUMMARY_TEXT_MAX, "%s", text ? text : "");
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
        strftime (day, sizeof (day), "%Y%m%d", &tm);
    path = xasprintf ("%s/%s-%s.jsonl", dir, job->host, day);
    fd = path ? open (path,
                      O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                      0600)
              : -1;
    if (fd < 0)
        errf (err, "%s: %s", path ? path : dir, strerror (errno));
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
            close (fd);
    }
    free (lines);
    return rc;
}

/* ---- the same in Slurm's database ---- */

/* The value of the first line "NAME=VALUE"; empty: there is none. */
static int
comment_value (const char *told, const char *name, char *out, size_t size)
{
    const char *at = strstr (told, name);

    at = at ? at + strlen (name) : "";
    return snprintf (out, size, "%.*s", (int)strcspn (at, "\n"), at);
}

/* The user may have written the text, and slurmdbd of 22.05 puts it into SQL as
 * it is: what is not a letter, a digit or plain punctuation becomes a blank,
 * and the parts of a character one. */
static void comment_plain (char *text)
{
    char *to = text;

    for (const unsigned char *c = (unsigned char *)text; *c; c++) {
        int plain = strchr ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                            "XYZ0123456789 .,:;%/+-_()",
                            *c) != NULL;

        if (plain || (*c & 0xc0) != 0x80)
            *to++ = plain ? (char)*c : ' ';
        else if (c[-1] == 0xc2 && *c == 0xb5) /* micro */
            to[-1] = 'u';
    }
    *to = '\0';
}

/* "4711", "4711_3" for the task of an array that has the array's number, whose
 * other tasks "4711" would mean, too; "4711+0" for the first component. */
static void comment_id (char id[48], uint32_t job_id, const char *told)
{
    const char *het = settings_environ (NULL, "SLURM_HET_JOB_ID");
    char task[16];
    uint64_t n;

    comment_value (told, "\ntask=", task, sizeof (task));
    if (parse_u64 (task, &n) == 0)
        snprintf (id, 48, "jobid=%u_%llu", job_id, (unsigned long long)n);
    else if (het && parse_u64 (het, &n) == 0 && n && n <= UINT32_MAX)
        snprintf (id, 48, "jobid=%u+0", (unsigned)n);
    else
        snprintf (id, 48, "jobid=%u", job_id);
}

/* One try. says: what sacctmgr says on standard error. 0 or -1. */
static int comment_try (char *const *argv, char *says, size_t size)
{
    int fd[2], timed_out = 0, rc;
    pid_t pid;
    ssize_t n;

    snprintf (says, size, "it failed");
    if (pipe2 (fd, O_CLOEXEC | O_NONBLOCK) < 0)
        return -1;
    pid = fork ();
    if (pid == 0) {
        setpgid (0, 0);
        (void)dup2 (fd[1], STDERR_FILENO);
        execvp (argv[0], argv);
        dprintf (STDERR_FILENO, "%s\n", strerror (errno));
        _exit (1);
    }
    close (fd[1]);
    rc = pid < 0 ? -1 : reap_wait (pid, NULL, COMMENT_MS, &timed_out);
    n = read (fd[0], says, size - 1);
    if (n > 0)
        says[n] = '\0';
    if (timed_out)
        snprintf (says, size, "no answer");
    close (fd[0]);
    says[strcspn (says, "\n")] = '\0';
    return rc;
}

/* slurmctld tells slurmdbd of new jobs every five seconds, so that the record
 * of a short job may not be there at once. */
static void comment_tries (char *const *argv, uint32_t job_id)
{
    unsigned wait = COMMENT_WAIT_S;
    char says[200];

    for (int i = 1; comment_try (argv, says, sizeof (says)) < 0; i++) {
        if (i == COMMENT_TRIES) {
            log_warn ("epilog: job %u: no line in Slurm's database: %s: %s",
                      job_id, argv[0], says);
            break;
        }
        sleep (wait);
        wait *= 2;
    }
}

int comment_job (const char *field,
                 uint32_t job_id,
                 uid_t uid,
                 const char *told,
                 struct errtext *err)
{
    char line[COMMENT_MAX], id[48], user[24], set[COMMENT_MAX + 32];
    /* by the user's number, too: the task is what the user's files say */
    char *argv[] = {(char *)"sacctmgr",
                    (char *)"-iQ",
                    (char *)"modify",
                    (char *)"job",
                    (char *)"where",
                    id,
                    user,
                    (char *)"set",
                    set,
                    NULL};
    pid_t pid;

    if (strcmp (field, "AdminComment") != 0 &&
        strcmp (field, "SystemComment") != 0)
        return errf (err,
                     "slurm_comment: %.32s: not AdminComment or "
                     "SystemComment",
                     field);
    if (!comment_value (told, "\nline=", line, sizeof (line)))
        return 0;
    comment_plain (line);
    comment_id (id, job_id, told);
    snprintf (user, sizeof (user), "users=%u", (unsigned)uid);
    snprintf (set, sizeof (set), "%s=dftrace: %s", field, line);
    fflush (NULL);
    pid = fork ();
    if (pid == 0) {
        int null = open ("/dev/null", O_RDWR | O_CLOEXEC);

        for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
            (void)dup2 (null, i);
        setpgid (0, 0);
        comment_tries (argv, job_id);
        _exit (0);
    }
    if (pid < 0)
        return errf (err, "fork: %s", strerror (errno));
    setpgid (pid, pid); /* slurmd ends the group of its Epilog */
    return 0;
}

/* ---- names in a site's summary of a job -> keyed hashes ---- */

/* The node's name is in the name of the file, too. */
static int hide_can (int at)
{
    return at >= 0 && at < (int)SUMMARY_FIELDS && at != SUMMARY_host &&
           summary_info (at).is_text;
}

int hide_columns (struct hide *h, const char *list, struct errtext *err)
{
    char word[64];
    int rc = 0;

    memset (h, 0, sizeof (*h));
    for (const char *w = list; *w;) {
        size_t n = strcspn (w, ", ");
        int at;

        snprintf (word, sizeof (word), "%.*s", (int)n, w);
        at = n ? summary_find (word) : -1;
        if (n && !hide_can (at))
            rc = errf (err,
                       "%s: none of user, account, partition, name, program: "
                       "all of them are hidden",
                       word);
        else if (n)
            h->column[at] = 1;
        w += n + (w[n] != '\0');
    }
    for (int i = 0; rc < 0 && i < (int)SUMMARY_FIELDS; i++)
        h->column[i] = hide_can (i);
    return rc;
}

static int hide_is_secret (int fd)
{
    struct stat st;

    if (fstat (fd, &st) < 0)
        return 0;
    errno = EPERM;
    return S_ISREG (st.st_mode) && st.st_uid == geteuid () &&
           !(st.st_mode & 077);
}

int hide_read_key (struct hide *h, const char *path, struct errtext *err)
{
    int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = -1;

    h->length = 0;
    if (fd >= 0 && hide_is_secret (fd)) {
        n = read (fd, h->key, sizeof (h->key));
        if (n >= 0 && n < HIDE_KEY_MIN) {
            errno = ENODATA;
            n = -1;
        }
    }
    if (n > 0)
        h->length = (size_t)n;
    else
        errf (err, "%s: %s", path,
              errno == EPERM     ? "must be a file of the caller (root) "
                                   "that nobody else can read: chmod 600"
              : errno == ENODATA ? "fewer than 16 bytes: head -c 32 "
                                   "/dev/urandom"
                                 : strerror (errno));
    if (fd >= 0)
        close (fd);
    return h->length ? 0 : -1;
}

void hide_text (const struct hide *h,
                const char *column,
                const char *text,
                char out[HIDE_TEXT])
{
    char hex[SHA256_HEX + 1], both[2 * SUMMARY_TEXT_MAX];
    int n = snprintf (both, sizeof (both), "%s=%s", column, text);

    out[0] = '\0';
    if (!h->length || !*text)
        return;
    if (n >= (int)sizeof (both))
        n = (int)sizeof (both) - 1;
    sha256_hmac (h->key, h->length, both, (size_t)n, hex);
    snprintf (out, HIDE_TEXT, "~%.16s", hex);
}

void hide_texts (const struct hide *h, struct job_summary *s)
{
    char hidden[HIDE_TEXT];

    for (int i = 0; i < (int)SUMMARY_FIELDS; i++) {
        if (!h->column[i])
            continue;
        hide_text (h, summary_info (i).name, s->text[i], hidden);
        memcpy (s->text[i], hidden, sizeof (hidden));
    }
    if (h->column[SUMMARY_user])
        s->number[SUMMARY_uid] = NAN;
}
