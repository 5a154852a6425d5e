/* SPDX-License-Identifier: MIT
 *
 * notrace.c - a job directory without a trace -> why
 *
 * In:  names in the job directory and in its shards/; lines of
 *      shards/untraced.HOST and shards/quiet.HOST, and where there are some,
 *      the shards
 * Out: enum notrace, and its words
 * Caveat: of a line only a reason that is one of ours counts; nothing of it is
 *         repeated.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/programkind.h"
#include "lib/format/layers.h"
#include "lib/settings/notrace.h"
#include "lib/format/untracedline.h"
#include "lib/format/untracedlist.h"
#include "lib/format/untracedshard.h"

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

/* What is in shards/. */
struct notrace_found {
    size_t traces;
    int lists, quiet; /* files with lines of programs */
};

static void notrace_count (struct notrace_found *f, DIR *d)
{
    const struct dirent *e;

    while ((e = readdir (d)))
        if (is_trace (e->d_name))
            f->traces++;
        else if (strncmp (e->d_name, UNTRACEDLINE_FILE,
                          sizeof (UNTRACEDLINE_FILE) - 1) == 0)
            f->lists = 1;
        else if (strncmp (e->d_name, UNTRACEDLINE_QUIET,
                          sizeof (UNTRACEDLINE_QUIET) - 1) == 0)
            f->quiet = 1;
}

/* The reason of the first program that was not traced; of one that was not
 * wished for, if there is one. */
static enum notrace notrace_listed (int shards)
{
    struct untraced u = {.count = 0};
    enum program_kind kind = PROGRAM_UNKNOWN;
    enum notrace why = NOTRACE_NOTHING;

    (void)untracedlist_read_at (&u, shards, UNTRACEDLINE_FILE);
    for (size_t i = 0; i < u.count; i++)
        if (!untracedlist_is_wish (&u.item[i])) {
            kind = u.item[i].kind;
            break;
        } else
            kind = u.item[i].kind;
    if (u.count)
        why = kind ? (enum notrace) (NOTRACE_KINDS + kind) : NOTRACE_PROGRAMS;
    else if (u.files)
        why = NOTRACE_PROGRAMS;
    untracedlist_clear (&u);
    return why;
}

/* Traced processes that recorded nothing: did they touch files that the
 * settings leave out? */
static enum notrace notrace_quiet (int shards)
{
    struct untraced u = {.count = 0};
    enum notrace why = NOTRACE_NOTHING;

    (void)untracedlist_read_at (&u, shards, UNTRACEDLINE_QUIET);
    for (size_t i = 0; i < u.count; i++)
        if (strcmp (u.item[i].reason, "0") != 0)
            why = NOTRACE_FILTERED;
        else if (why == NOTRACE_NOTHING)
            why = NOTRACE_QUIET;
    untracedlist_clear (&u);
    return why;
}

/* There is no trace: the first reason that something speaks for. */
static enum notrace notrace_why (const struct notrace_found *f, int shards)
{
    enum notrace listed = f->lists ? notrace_listed (shards) : NOTRACE_NOTHING;
    enum notrace quiet = NOTRACE_NOTHING;

    if (listed != NOTRACE_NOTHING && listed != NOTRACE_KINDS + PROGRAM_EXCLUDED)
        return listed;
    if (f->quiet)
        quiet = notrace_quiet (shards);
    return quiet != NOTRACE_NOTHING ? quiet : listed;
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

enum notrace notrace_look (int job)
{
    struct notrace_found f = {.traces = 0};
    enum notrace why = NOTRACE_NO;
    DIR *d;

    if (faccessat (job, "trace.dft", F_OK, 0) == 0)
        return NOTRACE_NO;
    if (!(d = notrace_shards (job)))
        return errno == ENOENT ? NOTRACE_NOTHING : NOTRACE_NO;
    notrace_count (&f, d);
    if (!f.traces || (f.lists && notrace_only_tells (d)))
        why = notrace_why (&f, dirfd (d));
    (void)closedir (d);
    return why;
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

static int notrace_removed (int dirfd)
{
    struct stat st;

    return fstat (dirfd, &st) == 0 && st.st_nlink == 0;
}

enum notrace notrace_look_again (int job, const char *dir)
{
    enum notrace why;

    if (!notrace_removed (job))
        return notrace_look (job);
    why = notrace_look_at (dir); /* a step may have made it again */
    return why == NOTRACE_NO_DIRECTORY ? NOTRACE_REMOVED : why;
}

int notrace_is_used (const char *dir)
{
    struct notrace_found f = {.traces = 0};
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

/* Each sentence but the last has something that speaks for it. */
const char *notrace_reason (enum notrace why, unsigned layers)
{
    if (why == NOTRACE_NO_DIRECTORY)
        return layers & LAYER_NOBATCH
                   ? "nobatch leaves out the batch script, and no step of srun "
                     "was started under the tracer"
                   : "no program was started under the tracer";
    if (why == NOTRACE_REMOVED)
        return "its directory was removed while it ran: keep it, or choose "
               "another one with dir= or root=";
    if (why > NOTRACE_KINDS && why < NOTRACE_KINDS + PROGRAM_KINDS)
        return programkind_explain ((enum program_kind) (why - NOTRACE_KINDS));
    if (why == NOTRACE_PROGRAMS)
        return "its programs were not traced: shards/untraced.* says why of "
               "each";
    if (why == NOTRACE_FILTERED)
        return "its programs were traced, and touched only files that are left "
               "out; `dftrace help settings` has include and exclude";
    if (why == NOTRACE_QUIET)
        return layers & (LAYER_POSIX | LAYER_STDIO | LAYER_MMAP)
                   ? "its programs were traced, and made no call that is "
                     "recorded"
                   : "its programs were traced, and had no step of the "
                     "application; layer posix records I/O";
    return "the cause is not known: no program said that it was traced, or why "
           "not; look whether it started at all, and with DFTRACE_DEBUG=1, "
           "which says it on standard error";
}
