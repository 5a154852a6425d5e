/* SPDX-License-Identifier: MIT
 *
 * untraced.c - pid, path, reason -> a line of JOBDIR/shards/untraced.HOST
 *
 * Caveat: runs in constructors, before exec, and in children of vfork: no
 * allocation, no stdio, no state but the stack.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/core/record/highfd.h"
#include "lib/core/record/shardpath.h"
#include "lib/core/record/shardplace.h"
#include "lib/core/settings/settings.h"
#include "lib/core/sys.h"
#include "preload/paths.h"
#include "preload/untraced.h"

enum {
    LINE_BYTES = 3 * PATH_MAX, /* a path of nothing but blanks is cut */
    REASON_MAX = 200,
    FILE_MAX = 1 << 16
};

static char place[SETTING_TEXT_MAX + 16]; /* JOBDIR/shards */
static char file[128];                    /* name there; "": nowhere */

struct line {
    size_t used;
    char text[LINE_BYTES];
};

void untraced_start (const char *job_dir)
{
    static const char tail[] = "/shards", prefix[] = "untraced.";
    const char *node = settings_environ (NULL, "SLURMD_NODENAME");
    size_t n = strnlen (job_dir, SETTING_TEXT_MAX - 1);
    struct utsname host;

    file[0] = '\0';
    if (job_dir[0] != '/' || sys_call (SYS_uname, &host) < 0)
        return;
    if (!node || !*node || strchr (node, '/'))
        node = host.nodename;
    memcpy (place, job_dir, n);
    memcpy (place + n, tail, sizeof (tail));
    n = strlen (node);
    if (n >= sizeof (file) - sizeof (prefix))
        return;
    memcpy (file, prefix, sizeof (prefix) - 1);
    memcpy (file + sizeof (prefix) - 1, node, n + 1);
}

/* --- the line ---------------------------------------------------------- */

static void put (struct line *l, char c)
{
    if (l->used < sizeof (l->text))
        l->text[l->used++] = c;
}

static void put_number (struct line *l, unsigned n)
{
    char digits[12];
    int i = 0;

    do
        digits[i++] = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    while (i > 0)
        put (l, digits[--i]);
}

static void put_text (struct line *l, const char *text, size_t n)
{
    static const char hex[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c > ' ' && c < 127 && c != '%') {
            put (l, (char)c);
            continue;
        }
        put (l, '%');
        put (l, hex[c >> 4]);
        put (l, hex[c & 15]);
    }
}

static int leave_in (int dir, const struct stat *shards, void *cookie)
{
    const struct line *l = cookie;
    struct stat st;
    int fd = highfd_open (
        dir, file, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
        SHARDPATH_FILE);

    if (fd < 0)
        return -1;
    if (shardplace_file (shards, fd, &st) == 0 && S_ISREG (st.st_mode) &&
        st.st_size < FILE_MAX)
        (void)!sys_write (fd, l->text, l->used);
    return sys_close (fd);
}

/* What does not fit into the line ends it. Before the first event there may be
 * no directory. */
static void leave (struct line *l)
{
    if (l->used == sizeof (l->text))
        l->used--;
    l->text[l->used++] = '\n';
    (void)shardplace_step (place, 1, leave_in, l);
}

/* --- who and why -------------------------------------------------------- */

static __attribute__ ((noinline)) void note (
    pid_t pid, const char *exe, size_t n, const char *what, const char *reason)
{
    struct line l;

    l.used = 0;
    put_number (&l, (unsigned)pid);
    put (&l, ' ');
    put_text (&l, exe, n);
    put (&l, ' ');
    put_text (&l, what, strlen (what));
    put_text (&l, reason, strnlen (reason, REASON_MAX));
    leave (&l);
}

void untraced_self (const char *what, const char *reason)
{
    char exe[PATH_MAX];
    ssize_t n = sys_readlink ("/proc/self/exe", exe, sizeof (exe));

    if (file[0])
        note (sys_getpid (), exe, n < 0 ? 0 : (size_t)n, what, reason);
}

void untraced_program (pid_t pid,
                       int dirfd,
                       const char *path,
                       const char *reason)
{
    int saved_errno = errno;
    char exe[PATH_MAX];
    ssize_t n = 0;

    if (!file[0])
        return;
    if (path[0] != '/')
        n = dirfd == AT_FDCWD ? paths_cwd (exe, sizeof (exe))
                              : paths_of_fd (dirfd, exe, sizeof (exe));
    if (n >= 0)
        n = paths_append (exe, (size_t)n, sizeof (exe), path);
    if (n >= 0)
        note (pid, exe, (size_t)n, "", reason);
    errno = saved_errno;
}
