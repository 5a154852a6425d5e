/* SPDX-License-Identifier: MIT
 *
 * notrace.c - a job directory without a trace -> why
 *
 * In:  names in the job directory and in its shards/
 * Out: enum notrace, and its words
 * Caveat: nothing is read from files, so nothing of theirs can be repeated.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/core/settings/layers.h"
#include "lib/core/settings/notrace.h"

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

enum notrace notrace_look (int dirfd)
{
    enum notrace why = NOTRACE_NOTHING;
    const struct dirent *e;
    DIR *d;
    int fd;

    if (faccessat (dirfd, "trace.dft", F_OK, 0) == 0)
        return NOTRACE_NO;
    fd = openat (dirfd, "shards", FLAGS);
    d = fd < 0 ? NULL : fdopendir (fd);
    if (!d) {
        if (fd >= 0)
            (void)close (fd);
        return errno == ENOENT ? NOTRACE_NOTHING : NOTRACE_NO;
    }
    while (why != NOTRACE_NO && (e = readdir (d))) {
        if (is_trace (e->d_name))
            why = NOTRACE_NO;
        else if (strncmp (e->d_name, "untraced.", 9) == 0)
            why = NOTRACE_PROGRAMS;
    }
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

const char *notrace_reason (enum notrace why, unsigned layers)
{
    if (layers & LAYER_NOBATCH)
        return "nobatch leaves out the batch script, and no step of srun was "
               "traced";
    if (why == NOTRACE_NO_DIRECTORY)
        return "no program was started under the tracer";
    if (why == NOTRACE_PROGRAMS)
        return "its programs cannot be traced (static, setuid or of another "
               "libc: shards/untraced.*)";
    if (!(layers & (LAYER_POSIX | LAYER_STDIO | LAYER_MMAP)))
        return "no step of the application was recorded; layer posix records "
               "I/O";
    return "no file that is recorded was touched; `dftrace help settings` has "
           "include and exclude";
}
