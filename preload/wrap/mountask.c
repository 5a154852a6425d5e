/* SPDX-License-Identifier: MIT
 *
 * mountask.c - statmount, or /proc/self/mountinfo -> type and place of a mount
 *
 * A mount is found by its number where the kernel tells it (5.8), as bind
 * mounts of one file system have the same device. statmount costs a
 * microsecond whatever is mounted; the text costs one for each mount.
 */
#include "config.h"

#include "preload/wrap/mountask.h"

#include <stddef.h>
#include <string.h>
#include <sys/vfs.h>

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/self.h"

/* The published layout of statx, mnt_id_req and statmount; headers of older
 * systems lack the newer fields. */
enum {
    MOUNTASK_MNT_ID = 0x1000,
    MOUNTASK_MNT_ID_UNIQUE = 0x4000,
    MOUNTASK_POINT = 0x10,
    MOUNTASK_TYPE = 0x20,
    MOUNTASK_READ = 1024
};

struct mountask_statx {
    uint32_t mask;
    unsigned char others[132];
    uint32_t major, minor; /* of st_dev */
    uint64_t id;
    unsigned char rest[104];
};
_Static_assert(sizeof (struct mountask_statx) == 256, "as the kernel has it");

struct mountask_request {
    uint32_t size, spare;
    uint64_t id, mask;
};

struct mountask_answer {
    uint32_t size, options;
    uint64_t mask;
    uint32_t others[5];
    uint32_t type; /* where in text */
    uint64_t more[8];
    uint32_t root;
    uint32_t point; /* where in text */
    uint64_t rest[50];
    char text[MOUNTINFO_POINT + MOUNTINFO_TYPE];
};
_Static_assert(offsetof (struct mountask_answer, text) == 512,
               "as the kernel has it");
_Static_assert(offsetof (struct mountask_answer, point) == 108,
               "as the kernel has it");

/* One text of an answer; what does not fit is not known. */
static void mountask_text (char *to, size_t room, const char *text, size_t left)
{
    size_t n = strnlen (text, left);

    if (n < room && n < left)
        memcpy (to, text, n + 1);
}

/* 1 when the kernel has it. The type of a FUSE mount is in the text only. */
static int mountask_call (struct mountinfo_mount *mount, int fd)
{
    struct mountask_statx stx = {0};
    struct mountask_answer a;
    struct mountask_request r = {.size = sizeof (r),
                                 .mask = MOUNTASK_POINT | MOUNTASK_TYPE};

    if (self_in_valgrind () ||
        sys_call (SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
                  MOUNTASK_MNT_ID_UNIQUE, &stx) < 0 ||
        !(stx.mask & MOUNTASK_MNT_ID_UNIQUE))
        return 0;
    r.id = stx.id;
    if (sys_call (MOUNTASK_STATMOUNT, &r, &a, sizeof (a), 0) < 0 ||
        (a.mask & r.mask) != r.mask || a.type >= sizeof (a.text) ||
        a.point >= sizeof (a.text))
        return 0;
    mountask_text (mount->type, sizeof (mount->type), a.text + a.type,
                   sizeof (a.text) - a.type);
    mountask_text (mount->point, sizeof (mount->point), a.text + a.point,
                   sizeof (a.text) - a.point);
    return strncmp (mount->type, "fuse", 4) != 0;
}

static int mountask_read (struct mountinfo *m)
{
    char buf[MOUNTASK_READ];
    int fd = highfd_brief (AT_FDCWD, "/proc/self/mountinfo", O_RDONLY, 0);
    off_t at = 0;
    ssize_t n;

    if (fd < 0)
        return 0;
    while ((n = sys_pread (fd, buf, sizeof (buf), at)) > 0 &&
           !mountinfo_take (m, buf, (size_t)n))
        at += n;
    (void)sys_close (fd);
    return mountinfo_found (m) != NULL;
}

/* Device numbers as st_dev has them; libc's own functions for it are not in
 * every libc that loads us. */
static void mountask_device (struct mountinfo *m, uint64_t dev)
{
    m->major = (unsigned)((dev >> 8 & 0xfff) | (dev >> 32 & 0xfffff000));
    m->minor = (unsigned)((dev & 0xff) | (dev >> 12 & 0xffffff00));
}

void mountask (struct mountinfo_mount *mount, int fd, uint64_t device)
{
    struct mountask_statx stx = {0};
    struct mountinfo m = {.id = 0};
    const char *type;
    struct statfs sf;

    mount->type[0] = mount->point[0] = '\0';
    if (mountask_call (mount, fd))
        return;
    if (sys_call (SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
                  MOUNTASK_MNT_ID, &stx) == 0 &&
        (stx.mask & MOUNTASK_MNT_ID))
        m.id = stx.id;
    mountask_device (&m, device);
    if (mountask_read (&m)) {
        *mount = *mountinfo_found (&m);
        return;
    }
    mount->point[0] = '\0';
    if (sys_call (SYS_fstatfs, fd, &sf) == 0 &&
        (type = mountinfo_type_of ((uint64_t)sf.f_type)))
        mountask_text (mount->type, sizeof (mount->type), type,
                       sizeof (mount->type));
}
