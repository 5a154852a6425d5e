/* SPDX-License-Identifier: MIT
 *
 * drop.c - uid, gid, capabilities -> given up
 */
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/drop.h"

static int drop_capabilities (void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];

    memset (none, 0, sizeof (none));
    return (int)syscall (SYS_capset, &head, none);
}

static int drop_user (const char *user)
{
    char *end;
    unsigned long uid = strtoul (user, &end, 10), gid;

    if (end == user || *end != ':')
        goto bad;
    user = end + 1;
    gid = strtoul (user, &end, 10);
    if (end == user || *end)
        goto bad;
    if (getuid () == uid && getgid () == gid && uid != 0)
        return 0;
    return setgroups (0, NULL) < 0 ||
                   setresgid ((gid_t)gid, (gid_t)gid, (gid_t)gid) < 0 ||
                   setresuid ((uid_t)uid, (uid_t)uid, (uid_t)uid) < 0
               ? -1
               : 0;
bad:
    errno = EINVAL;
    return -1;
}

int drop_rights (const char *user, struct errtext *err)
{
    if ((user && drop_user (user) < 0) || drop_capabilities () < 0 ||
        prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl (PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
        return errf (err, "layer kernel: rights cannot be given up: %s",
                     strerror (errno));
    return 0;
}
