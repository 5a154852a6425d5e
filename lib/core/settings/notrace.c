/* SPDX-License-Identifier: MIT
 *
 * notrace.c - a job directory without a trace -> why
 *
 * In:  names in the job directory and in its shards/; the first line of
 *      shards/untraced.HOST, and where there is one, the shards
 * Out: enum notrace, and its words
 * Caveat: of that line only a reason that is one of ours counts; nothing of
 *         it is repeated.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/core/programkind.h"
#include "lib/core/settings/layers.h"
#include "lib/core/settings/notrace.h"
#include "lib/core/untracedline.h"
#include "lib/core/untracedshard.h"

enum { FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static int is_trace (const char *name)
{
    static const char *const tails[] = {".dft", ".pfw", ".pfw.gz"};
    size_t n = strlen (name);

    for (size_t i = 0; i < sizeof (tails) / sizeof (tails[0]); i++) {
        size_t m = strlen (tails[i]);

        if (n > m && strcmp (name + n - m, tails[i]) == 0)
            return 1;
    }
    return strncmp (name, "staged.", 7) == 0;
}

/* The kind of the first program in the list, if that is known. */
static enum notrace listed (int shards, const char *name)
{
    char text[UNTRACEDLINE_BYTES + 1];
    int fd =
        openat (shards, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof (text) - 1);
    enum program_kind kind;
    char *reason;

    if (fd >= 0)
        (void)close (fd);
    if (n <= 0)
        return NOTRACE_PROGRAMS;
    text[n] = '\0';
    text[strcspn (text, "\n")] = '\0';
    reason = strrchr (text, ' ');
    for (char *p = reason; p && (p = strstr (p, "%20")); p++) {
        *p = ' ';
        memmove (p + 1, p + 3, strlen (p + 3) + 1);
    }
    kind = reason ? programkind_of_reason (reason + 1) : PROGRAM_UNKNOWN;
    return kind ? (enum notrace) (NOTRACE_KINDS + kind) : NOTRACE_PROGRAMS;
}

/* What is in shards/. */
struct notrace_found {
    size_t traces;
    enum notrace why; /* if these are none */
};

static void notrace_count (struct notrace_found *f, DIR *d)
{
    const struct dirent *e;

    while ((e = readdir (d)))
        if (is_trace (e->d_name))
            f->traces++;
        else if (f->why == NOTRACE_NOTHING &&
                 strncmp (e->d_name, UNTRACEDLINE_FILE,
                          sizeof (UNTRACEDLINE_FILE) - 1) == 0)
            f->why = listed (dirfd (d), e->d_name);
}

/* A program that another one replaces (exec) leaves an event of that, and
 * nothing else: where all traces are such, there is none of the job. */
static int notrace_only_tells (DIR *d)
{
    const struct dirent *e;
    int only = 1;

    rewinddir (d);
    while (only && (e = readdir (d)))
        only =
            !is_trace (e->d_name) || untracedshard_only (dirfd (d), e->d_name);
    return only;
}

/* NULL: there are no shards (ENOENT), or nobody can look. */
static DIR *notrace_shards (int dirfd)
{
    int fd = openat (dirfd, "shards", FLAGS);
    DIR *d = fd < 0 ? NULL : fdopendir (fd);

    if (!d && fd >= 0)
        (void)close (fd);
    return d;
}

enum notrace notrace_look (int dirfd)
{
    struct notrace_found f = {.traces = 0, .why = NOTRACE_NOTHING};
    DIR *d;

    if (faccessat (dirfd, "trace.dft", F_OK, 0) == 0)
        return NOTRACE_NO;
    if (!(d = notrace_shards (dirfd)))
        return errno == ENOENT ? NOTRACE_NOTHING : NOTRACE_NO;
    notrace_count (&f, d);
    if (f.traces && (f.why == NOTRACE_NOTHING || !notrace_only_tells (d)))
        f.why = NOTRACE_NO;
    (void)closedir (d);
    return f.why;
}

enum notrace notrace_look_at (const char *dir)
{
    int fd = open (dir, FLAGS);
    enum notrace why;

    if (fd < 0)
        return errno == ENOENT ? NOTRACE_NO_DIRECTORY : NOTRACE_NO;
    why = notrace_look (fd);
    (void)close (fd);
    return why;
}

int notrace_is_used (const char *dir)
{
    struct notrace_found f = {.traces = 0, .why = NOTRACE_NO};
    int fd = open (dir, FLAGS), used = 0;
    DIR *d = fd < 0 ? NULL : notrace_shards (fd);

    if (fd < 0)
        return errno != ENOENT;
    used = faccessat (fd, "trace.dft", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
           (!d && errno != ENOENT);
    if (d) {
        notrace_count (&f, d);
        (void)closedir (d);
    }
    (void)close (fd);
    return used || f.traces > 0;
}

const char *notrace_reason (enum notrace why, unsigned layers)
{
    if (layers & LAYER_NOBATCH)
        return "nobatch leaves out the batch script, and no step of srun was "
               "traced";
    if (why == NOTRACE_NO_DIRECTORY)
        return "no program was started under the tracer";
    if (why > NOTRACE_KINDS && why < NOTRACE_KINDS + PROGRAM_KINDS)
        return programkind_explain ((enum program_kind) (why - NOTRACE_KINDS));
    if (why == NOTRACE_PROGRAMS)
        return "its programs cannot be traced (static, setuid or of another "
               "libc: shards/untraced.*)";
    if (!(layers & (LAYER_POSIX | LAYER_STDIO | LAYER_MMAP)))
        return "no step of the application was recorded; layer posix records "
               "I/O";
    return "no file that is recorded was touched; `dftrace help settings` has "
           "include and exclude";
}
