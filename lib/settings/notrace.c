/* SPDX-License-Identifier: MIT
 *
 * notrace.c - a job directory without a trace -> why
 *
 * In:  names in the job directory and in its shards/; lines of
 *      shards/processes.HOST; small shards
 * Out: enum notrace, and its words
 * Caveat: of a line only a reason that is one of ours counts; nothing of it is
 *         repeated.
 */
#include "config.h"

#include <dirent.h>
#include <sys/syscall.h>

#include "lib/base/array.h"
#include "lib/format/proclines.h"
#include "lib/base/programkind.h"
#include "lib/format/calls.h"
#include "lib/settings/notrace.h"
#include "lib/format/untracedlist.h"

enum {
    FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
    LINES_GLANCE = 16 << 10, /* bytes; longer files are left to the parser */
    NAMES_GLANCE = 4 << 10   /* of one system call */
};

static int is_trace (const char *name)
{
    static const char *const tails[] = {".dft", ".pfw", ".pfw.gz"};
    size_t n = strlen (name);

    for (size_t i = 0; i < ITEMS (tails); i++) {
        size_t m = strlen (tails[i]);

        if (n > m && strcmp (name + n - m, tails[i]) == 0)
            return 1;
    }
    return strncmp (name, "staged.", 7) == 0;
}

static size_t notrace_count (DIR *d)
{
    const struct dirent *e;
    size_t traces = 0;

    while ((e = readdir (d)))
        traces += is_trace (e->d_name);
    return traces;
}

/* Reasons found in the lines of processes: that of the first program that was
 * not traced, preferring one that was not the user's wish; and whether traced
 * processes without events used files that the settings leave out. */
struct notrace_found {
    enum notrace listed, quiet;
    int wish;
};

static int notrace_take (const struct procrecord *r, void *cookie)
{
    struct notrace_found *f = cookie;
    enum program_kind kind = programkind_of_reason (r->reason);

    if (r->kind == PROCRECORD_UNTRACED &&
        (f->listed == NOTRACE_NOTHING ||
         (f->wish && !programkind_is_wish (kind)))) {
        f->listed = kind ? (NOTRACE_KINDS + kind) : NOTRACE_PROGRAMS;
        f->wish = programkind_is_wish (kind);
    }
    if (r->quiet && f->quiet != NOTRACE_FILTERED)
        f->quiet = r->files_out ? NOTRACE_FILTERED : NOTRACE_QUIET;
    return 0;
}

/* There is no trace: the first reason that something speaks for. */
static enum notrace notrace_why (const struct notrace_found *f)
{
    if (f->listed != NOTRACE_NOTHING &&
        f->listed != NOTRACE_KINDS + PROGRAM_EXCLUDED)
        return f->listed;
    return f->quiet != NOTRACE_NOTHING ? f->quiet : f->listed;
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
        close (fd);
    return d;
}

/* Look into the job directory job, which stays open, as the user whose it
 * is. Any number of shards is a trace, so is a stage still to be collected; but
 * not shards whose only events are that a program could not be traced. */
static enum notrace notrace_look (int job)
{
    struct notrace_found f = {NOTRACE_NOTHING, NOTRACE_NOTHING, 0};
    struct proclines p = {.kinds = PROCRECORD_TRACED | PROCRECORD_UNTRACED,
                          .f = notrace_take,
                          .cookie = &f};
    enum notrace why = NOTRACE_NO;
    size_t traces;
    DIR *d;

    if (faccessat (job, "trace.dft", F_OK, 0) == 0)
        return NOTRACE_NO;
    if (!(d = notrace_shards (job)))
        return errno == ENOENT ? NOTRACE_NOTHING : NOTRACE_NO;
    traces = notrace_count (d);
    proclines_read_at (&p, dirfd (d));
    if (!traces || (f.listed != NOTRACE_NOTHING && notrace_only_tells (d)))
        why = notrace_why (&f);
    closedir (d);
    return why;
}

enum notrace notrace_look_at (const char *dir)
{
    int fd = open (dir, FLAGS);
    enum notrace why;

    if (fd < 0)
        return errno == ENOENT ? NOTRACE_NO_DIRECTORY : NOTRACE_NO;
    why = notrace_look (fd);
    close (fd);
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
    int fd = open (dir, FLAGS), used = 0;
    DIR *d = fd < 0 ? NULL : notrace_shards (fd);

    if (fd < 0)
        return errno != ENOENT;
    used = faccessat (fd, "trace.dft", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
           (!d && errno != ENOENT);
    if (d) {
        used |= notrace_count (d) > 0;
        closedir (d);
    }
    close (fd);
    return used;
}

/* Return 1 if a file of lines has no line about a program that was not traced.
 * Searches the text instead of parsing it, because the caller may have the
 * memory of root. */
static int notrace_lists_nothing (int shards, const char *name)
{
    char text[LINES_GLANCE];
    int fd =
        openat (shards, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read (fd, text, sizeof (text));

    if (fd >= 0)
        close (fd);
    return n >= 0 && n < LINES_GLANCE &&
           !memmem (text, (size_t)n, "untraced", 8);
}

static void
notrace_glance_at (struct notrace_glance *g, int shards, const char *name)
{
    struct stat st;

    g->nodes += strncmp (name, "started.", 8) == 0;
    if (strncmp (name, PROCLINE_FILE, sizeof (PROCLINE_FILE) - 1) == 0)
        g->listed |= !notrace_lists_nothing (shards, name);
    if (!is_trace (name))
        return;
    g->traces++;
    g->unfinished |= fstatat (shards, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
                     !S_ISREG (st.st_mode) || st.st_size == 0; /* a mark */
    if (!g->unfinished)
        g->bytes += st.st_size;
}

int notrace_glance (int job, struct notrace_glance *g)
{
    char names[NAMES_GLANCE] __attribute__ ((aligned (8)));
    int fd = notrace_removed (job) || faccessat (job, "trace.dft", F_OK,
                                                 AT_SYMLINK_NOFOLLOW) == 0
                 ? -1
                 : openat (job, "shards", FLAGS);
    long n = -1;

    ZERO (g);
    while (fd >= 0 &&
           (n = syscall (SYS_getdents64, fd, names, sizeof (names))) > 0)
        for (long at = 0; at < n;) {
            const struct dirent64 *d = (const void *)(names + at);

            notrace_glance_at (g, fd, d->d_name);
            at += d->d_reclen;
        }
    if (fd >= 0)
        close (fd);
    return n == 0 && g->traces > 0 && !g->listed;
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
               "another one with job_dir= or log_root=";
    if (why > NOTRACE_KINDS && why < NOTRACE_KINDS + PROGRAM_KINDS)
        return programkind_explain (why - NOTRACE_KINDS);
    if (why == NOTRACE_PROGRAMS)
        return "its programs were not traced: shards/processes.* says why of "
               "each";
    if (why == NOTRACE_FILTERED)
        return "its programs were traced, and touched only files that are left "
               "out; `dftrace help settings` has include and exclude";
    if (why == NOTRACE_QUIET)
        return layers & (LAYER_POSIX | LAYER_STDIO | LAYER_MMAP | LAYER_NET)
                   ? "its programs were traced, and made no call that is "
                     "recorded"
                   : "its programs were traced, and had no step of the "
                     "application; layer posix records I/O";
    return "the cause is not known: no program said that it was traced, or why "
           "not; look whether it started at all, and with DFTRACE_DEBUG=1, "
           "which says it on standard error";
}
