/* SPDX-License-Identifier: MIT
 *
 * pfwopen.c - a DFTracer trace (.pfw, .pfw.gz) by its name -> a tracefile
 *
 * In:  paths, from sources.c
 * Out: an unnamed temporary file of blocks, opened as a tracefile
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/trace/pfw/pfwtrace.h"
#include "lib/util/spool.h"

int pfw_is_name (const char *name)
{
    size_t n = strlen (name);

    return (n > 4 && strcmp (name + n - 4, ".pfw") == 0) ||
           (n > 7 && strcmp (name + n - 7, ".pfw.gz") == 0);
}

static int open_input (const char *path, struct errtext *err)
{
    int fd =
        open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    if (fd < 0 || fstat (fd, &st) < 0) {
        (void)errf (err, "%s: cannot open: %s", path, strerror (errno));
    } else if (!S_ISREG (st.st_mode)) {
        (void)errf (err, "%s: not a regular file", path);
        errno = EINVAL;
    } else
        return fd;
    if (fd >= 0)
        (void)close (fd);
    return -1;
}

struct tracefile *pfw_open (const char *path,
                            int threads,
                            struct pfw_account *account,
                            struct pfw_sums *sums,
                            struct errtext *err)
{
    int from = open_input (path, err), to = from < 0 ? -1 : spool_file ();
    struct tracefile *f = NULL;

    memset (account, 0, sizeof (*account));
    if (from < 0)
        return NULL;
    if (to < 0 || pfw_convert (from, to, threads, account, sums) < 0)
        (void)errf (err, "%s: cannot read: %s", path, strerror (errno));
    else if (account->events == 0 && pfw_sums_count (sums) == 0) {
        errno = EBADMSG;
        (void)errf (err, "%s: %s", path,
                    account->in.packed == 0 ? "empty: nothing was recorded"
                    : account->meta
                        ? "no events in it, only names"
                        : "not a DFTracer trace: no line of it is an event");
    } else {
        f = tracefile_openfd (to, path, err);
        to = -1; /* f's, or closed */
    }
    if (to >= 0)
        (void)close (to);
    (void)close (from);
    return f;
}
