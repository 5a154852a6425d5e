/* SPDX-License-Identifier: MIT
 *
 * refusal.c - reason -> JOBDIR/shards/refused.HOST, the first one of a node
 *
 * Caveat: runs in the constructor; no allocation, no stdio.
 */
#include "config.h"

#include <string.h>
#include <sys/utsname.h>

#include "lib/core/settings.h"
#include "lib/core/sys.h"
#include "preload/refusal.h"

static size_t append (char *path, size_t n, size_t room, const char *text)
{
    size_t length = strlen (text);

    if (n == 0 || length >= room - n)
        return 0; /* no name: nothing is left */
    memcpy (path + n, text, length + 1);
    return n + length;
}

void refusal_leave (const char *job_dir, const char *reason)
{
    const char *node = settings_environ (NULL, "SLURMD_NODENAME");
    char path[SETTING_TEXT_MAX + 128];
    size_t n = strnlen (job_dir, SETTING_TEXT_MAX - 1);
    struct utsname host;
    int fd;

    if (job_dir[0] != '/' || uname (&host) < 0)
        return;
    if (!node || !*node || strchr (node, '/'))
        node = host.nodename;
    memcpy (path, job_dir, n);
    n = append (path, n, sizeof (path), "/shards/refused.");
    n = append (path, n, sizeof (path), node);
    if (n == 0)
        return;
    fd = sys_open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                   0600);
    if (fd < 0)
        return;
    (void)!sys_write (fd, reason, strlen (reason));
    (void)sys_close (fd);
}
