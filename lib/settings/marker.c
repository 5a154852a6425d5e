/* SPDX-License-Identifier: MIT
 *
 * marker.c - job id, user, directory <-> a line in a file of root
 *
 * In:  what the plugin decided; a job id, in the epilog
 * Out: <state_dir>/<job id>.<host>; its lines
 * Caveat: as root, so nothing here follows a link or opens what others may
 *         write.
 */
#include "config.h"

#include <sys/file.h>

#include "lib/base/array.h"
#include "lib/settings/marker.h"
#include "lib/base/text.h"
#include "lib/settings/settings.h"

enum {
    MARKER_TAIL_MAX = 32 + 12 * MARKER_GROUPS_MAX, /* weight and groups */
    MARKER_LINE_MAX = 2 * SETTING_TEXT_MAX + 96 + MARKER_TAIL_MAX, /* NUL */
    MARKER_BYTES_MAX = MARKER_DIRS_MAX * MARKER_LINE_MAX
};

static void close_quietly (int fd)
{
    int saved = errno;

    if (fd >= 0)
        close (fd);
    errno = saved;
}

static int is_ours_alone (int fd)
{
    struct stat st;

    if (fstat (fd, &st) < 0)
        return 0;
    errno = EPERM;
    return st.st_uid == geteuid () && !(st.st_mode & 022);
}

/* O_NONBLOCK: somebody's FIFO must not hold us up. */
static int open_own (int dirfd, const char *name, int flags)
{
    int fd =
        openat (dirfd, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);

    if (fd >= 0 && !is_ours_alone (fd)) {
        close (fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

static void
marker_name (char *buf, size_t size, uint32_t job_id, const char *host)
{
    snprintf (buf, size, "%" PRIu32 ".%s", job_id, host);
}

/* Return the length of a line without its weight. */
static size_t marker_key (const char *line, size_t n)
{
    const char *tab = memchr (line, '\t', n), *end = line + n;
    const char *second =
        tab ? memchr (tab + 1, '\t', (size_t)(end - tab) - 1) : NULL;

    if (second)
        n = second - line;
    return tab && n == (size_t)(tab - line) + 1 ? n - 1 : n; /* no stage */
}

static int marker_is_same (const char *a, size_t na, const char *b, size_t nb)
{
    na = marker_key (a, na);
    nb = marker_key (b, nb);
    return na == nb && memcmp (a, b, na) == 0;
}

/* Whether the file holds the line (with its newline), but for the weight;
 * *lines: how many it holds, up to there. */
static int has_line (int fd, const char *line, size_t n, int *lines)
{
    char buf[2 * MARKER_LINE_MAX];
    size_t used = 0, from;
    ssize_t got;

    while ((got = read (fd, buf + used, sizeof (buf) - used)) > 0) {
        char *end;
        used += got;
        for (from = 0; (end = memchr (buf + from, '\n', used - from));
             from = (size_t)(end - buf) + 1) {
            (*lines)++;
            if (marker_is_same (buf + from, (size_t)(end - buf) - from, line,
                                n - 1))
                return 1;
        }
        used -= from;
        memmove (buf, buf + from, used);
    }
    return 0;
}

static int append_line (int fd, const char *line, size_t n)
{
    int lines = 0;

    if (flock (fd, LOCK_EX) < 0)
        return -1;
    if (has_line (fd, line, n, &lines))
        return 0;
    if (lines >= MARKER_DIRS_MAX) {
        errno = EFBIG;
        return -1;
    }
    return write (fd, line, n) == (ssize_t)n ? 0 : -1;
}

/* Open a job's file in the state directory. */
static int open_marker (const char *state_dir,
                        uint32_t job_id,
                        const char *host,
                        int flags)
{
    char name[320];
    int dir, fd;

    if (strchr (host, '/')) {
        errno = EINVAL;
        return -1;
    }
    dir = open_own (AT_FDCWD, state_dir, O_RDONLY | O_DIRECTORY);
    if (dir < 0)
        return -1;
    marker_name (name, sizeof (name), job_id, host);
    fd = open_own (dir, name, flags);
    close_quietly (dir);
    return fd;
}

/* "[<tab>weight[<tab>gid,gid…]]" */
static void marker_tail (char tail[MARKER_TAIL_MAX],
                         const struct marker_line *line)
{
    size_t groups = line->groups ? line->groups->count : 0, n = 0;

    tail[0] = '\0';
    if (line->weight > 1 || groups)
        n = snprintf (tail, MARKER_TAIL_MAX, "\t%" PRIu64, line->weight);
    for (size_t i = 0; i < groups; i++)
        n += snprintf (tail + n, MARKER_TAIL_MAX - n, "%c%lu", i ? ',' : '\t',
                       (unsigned long)line->groups->gid[i]);
}

int marker_add (const char *state_dir,
                uint32_t job_id,
                const char *host,
                const struct marker_line *line,
                struct errtext *err)
{
    char text[MARKER_LINE_MAX], tail[MARKER_TAIL_MAX];
    int n, fd = -1, rc = -1, flags = O_RDWR | O_CREAT | O_APPEND;

    marker_tail (tail, line);
    n = FORMAT (text, "%lu %lu %" PRIu64 " %s%s%s%s\n",
                (unsigned long)line->uid, (unsigned long)line->gid,
                line->limit_ms, line->dir, *line->stage || *tail ? "\t" : "",
                line->stage, tail);
    errno = EINVAL;
    if (n < (int)sizeof (text) && line->dir[0] == '/' &&
        !strpbrk (line->dir, "\t\n") && !strpbrk (line->stage, "\t\n")) {
        fd = open_marker (state_dir, job_id, host, flags);
        if (fd < 0 && errno == ENOENT &&
            (mkdir (state_dir, 0755) == 0 || errno == EEXIST))
            fd = open_marker (state_dir, job_id, host, flags);
    }
    if (fd >= 0)
        rc = append_line (fd, text, n);
    close_quietly (fd);
    if (rc < 0)
        errf (err, "%s: %s: the epilog will not merge job %" PRIu32, state_dir,
              strerror (errno), job_id);
    return rc;
}

/* Locks of the open file, beside the one that append_line takes. */
static int marker_lock (const char *state_dir,
                        uint32_t job_id,
                        const char *host,
                        short type)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    int fd = open_marker (state_dir, job_id, host,
                          type == F_RDLCK ? O_RDONLY : O_RDWR);

    if (fd >= 0 && fcntl (fd, F_OFD_SETLK, &lock) < 0) {
        close_quietly (fd);
        fd = -1;
    }
    return fd;
}

int marker_hold (const char *state_dir, uint32_t job_id, const char *host)
{
    return marker_lock (state_dir, job_id, host, F_RDLCK);
}

int marker_claim (const char *state_dir, uint32_t job_id, const char *host)
{
    return marker_lock (state_dir, job_id, host, F_WRLCK);
}

int marker_is_held (const char *state_dir, uint32_t job_id, const char *host)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = open_marker (state_dir, job_id, host, O_RDWR);
    int held = fd >= 0 && fcntl (fd, F_OFD_GETLK, &lock) == 0 &&
               lock.l_type != F_UNLCK;

    close_quietly (fd);
    return held;
}

/* -- the epilog's side ------------------------------------------------- */

/* Whole file into memory with a NUL after it. */
static char *marker_slurp (int fd)
{
    struct stat st = {.st_size = 0};
    size_t room, used = 0;
    ssize_t got = 0;
    char *text;

    fstat (fd, &st);
    room = st.st_size < MARKER_BYTES_MAX ? st.st_size : MARKER_BYTES_MAX;
    text = malloc (room + 1);
    while (text && used < room &&
           (got = read (fd, text + used, room - used)) > 0)
        used += got;
    if (text)
        text[used] = '\0';
    return text;
}

/* A number and the blank after it; *text then points behind both. */
static int marker_take_number (char **text, uint64_t *out)
{
    char *end = *text + strspn (*text, "0123456789");

    if (*end != ' ')
        return -1;
    *end = '\0';
    if (parse_u64 (*text, out) < 0)
        return -1;
    *text = end + 1;
    return 0;
}

/* "gid,gid…" */
static int marker_take_groups (struct marker_groups *g, char *text)
{
    char *save = NULL, *word = strtok_r (text, ",", &save);
    uint64_t gid;

    g->count = 0;
    for (; word; word = strtok_r (NULL, ",", &save)) {
        if (g->count == MARKER_GROUPS_MAX || parse_u64 (word, &gid) < 0 ||
            gid >= UINT32_MAX)
            return -1;
        g->gid[g->count++] = (gid_t)gid;
    }
    return 0;
}

/* Behind the stage: "weight[\tgroups]". */
static int marker_take_tail (struct marker *m, char *text)
{
    char *tab = strchr (text, '\t');

    if (tab)
        *tab = '\0';
    if (parse_u64 (text, &m->weight[m->count]) < 0 || !m->weight[m->count])
        return -1;
    return tab && !m->groups.count ? marker_take_groups (&m->groups, tab + 1)
                                   : 0;
}

/* "uid gid milliseconds /directory[\t[/stage][\tweight[\tgroups]]]" without
 * its newline. */
static int marker_take_line (struct marker *m, char *line)
{
    static char none[] = "";
    uint64_t uid, gid, limit;
    char *tab;

    if (marker_take_number (&line, &uid) < 0 ||
        marker_take_number (&line, &gid) < 0 ||
        marker_take_number (&line, &limit) < 0 || *line != '/')
        return -1;
    if (m->count && (m->uid != uid || m->gid != gid))
        return -1;
    if (m->count == MARKER_DIRS_MAX)
        return -1;
    m->uid = (uid_t)uid;
    m->gid = (gid_t)gid;
    m->limit_ms = limit;
    tab = strchr (line, '\t');
    if (tab)
        *tab = '\0';
    m->stage[m->count] = tab ? tab + 1 : none;
    m->weight[m->count] = 1;
    tab = strchr (m->stage[m->count], '\t');
    if (tab) {
        *tab = '\0';
        if (marker_take_tail (m, tab + 1) < 0)
            return -1;
    }
    m->dir[m->count++] = line;
    return 0;
}

int marker_read (const char *state_dir,
                 uint32_t job_id,
                 const char *host,
                 struct marker *m,
                 struct errtext *err)
{
    int fd = open_marker (state_dir, job_id, host, O_RDONLY);
    char *line, *end;

    ZERO (m);
    if (fd < 0)
        return errf (err, "%s: job %" PRIu32 ": %s", state_dir, job_id,
                     strerror (errno));
    m->text = marker_slurp (fd);
    close_quietly (fd);
    if (!m->text)
        return err_system (err, state_dir, errno);
    for (line = m->text; (end = strchr (line, '\n')); line = end + 1) {
        *end = '\0';
        if (marker_take_line (m, line) < 0) {
            marker_free (m);
            errno = EBADMSG;
            return errf (err, "%s: job %" PRIu32 ": not a line of ours",
                         state_dir, job_id);
        }
    }
    return 0;
}

void marker_free (struct marker *m)
{
    int saved = errno;

    free (m->text);
    ZERO (m);
    errno = saved;
}

int marker_remove (const char *state_dir, uint32_t job_id, const char *host)
{
    char name[320];
    int dir = open_own (AT_FDCWD, state_dir, O_RDONLY | O_DIRECTORY);
    int rc;

    if (dir < 0)
        return errno == ENOENT ? 0 : -1;
    marker_name (name, sizeof (name), job_id, host);
    rc = unlinkat (dir, name, 0);
    if (rc < 0 && errno == ENOENT)
        rc = 0;
    close_quietly (dir);
    return rc;
}
