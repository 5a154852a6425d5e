/* SPDX-License-Identifier: MIT
 *
 * pfwopen.c - a DFTracer trace (.pfw, .pfw.gz) by its name -> its store
 *
 * In:  paths, from sources.c
 * Out: processes and events in columns
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/import/pfw/pfwtrace.h"

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

/* As often as it takes. NULL with errno. */
static struct pfw_store *pfwopen_convert (int from,
                                          const struct pfw_reading *how)
{
    struct pfw_store *s = pfw_convert (from, how, 0);

    if (!s || how->account->back == 0)
        return s;
    pfw_store_destroy (s);
    return lseek (from, 0, SEEK_SET) < 0 ? NULL : pfw_convert (from, how, 1);
}

static const char *pfwopen_nothing (const struct pfw_account *a)
{
    return a->in.packed == 0 ? "empty: nothing was recorded"
           : a->meta         ? "no events in it, only names"
                             : "not a DFTracer trace: no line of it is an "
                               "event";
}

struct pfw_store *
pfw_open (const char *path, const struct pfw_reading *how, struct errtext *err)
{
    struct pfw_account *a = how->account;
    int from = open_input (path, err);
    struct pfw_store *s;

    memset (a, 0, sizeof (*a));
    if (from < 0)
        return NULL;
    if (!(s = pfwopen_convert (from, how))) {
        (void)errf (err, "%s: cannot read: %s", path, strerror (errno));
    } else if (a->events == 0 && pfw_sums_count (how->sums) == 0) {
        a->empty = a->in.packed == 0 || (a->meta && !pfw_lost (a) && !a->cut);
        pfw_store_destroy (s);
        s = NULL;
        errno = EBADMSG;
        (void)errf (err, "%s: %s", path, pfwopen_nothing (a));
    }
    (void)close (from);
    return s;
}

/* --- only what hashes stand for ------------------------------------------- */

static int pfwopen_take (void *cookie, const struct pfw_line *l)
{
    return l->phase == PFW_PHASE_META ? pfw_names_tell_line (l, cookie) : 0;
}

int pfw_read_definitions (const char *path, struct strmap *map)
{
    struct pfw_account account;
    int fd = open_input (path, NULL);
    int rc = fd < 0 ? -1 : pfw_read (fd, &account, pfwopen_take, map);

    if (fd >= 0)
        (void)close (fd);
    return rc;
}
