/* SPDX-License-Identifier: MIT
 *
 * fsfacts.c - device numbers, mounts, lustre.lov -> arguments
 *
 * Entries are only added, by one thread at a time, and never change once they
 * are counted; who finds another one adding leaves it to a later open. A child
 * of fork has what its parent has told; what another thread of the parent was
 * about to add is forgotten.
 */
#include "config.h"

#include <sys/vfs.h>

#include "lib/base/fsinfo.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "lib/format/calls.h"
#include "lib/settings/paths.h"
#include "preload/files.h"
#include "preload/record/usage.h"
#include "preload/process.h"
#include "preload/wrap/fsfacts.h"

/* Design. File systems (preload/wrap/fsfacts) are told by the event that
 * opens the first file of a mount, as arguments: no event of their own, no
 * file, nothing at the end. What a path begins with says where it is; a
 * device number that says otherwise is told, too. The analysis looks up the
 * longest prefix (scan/mounts). */

enum { IS_LUSTRE = 1 };

struct device {
    uint64_t number; /* st_dev */
    uint32_t block;  /* bytes */
    uint8_t flags;
};

struct prefix {
    uint16_t at, length; /* of text */
    uint8_t device;      /* + 1 */
};

static struct {
    struct device device[FSFACTS_DEVICES];
    struct prefix prefix[FSFACTS_PREFIXES];
    char text[FSFACTS_TEXT];
} fs;

static SYS_EVENT struct {
    unsigned devices, prefixes, used;
    int full;
    uintptr_t adding; /* by which thread; 0: none */
} fs_count;

/* --- devices ------------------------------------------------------------ */

/* Return a mark of this thread, which the only thread of its child shares. */
static uintptr_t fsfacts_self (void)
{
    return (uintptr_t)&recorder_self;
}

static int fsfacts_begin (void)
{
    uintptr_t none = 0;

    return __atomic_compare_exchange_n (&fs_count.adding, &none,
                                        fsfacts_self (), 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED);
}

static void fsfacts_end (void)
{
    __atomic_store_n (&fs_count.adding, 0, __ATOMIC_RELEASE);
}

/* A look during which a signal handler forked goes on in the child. The first
 * access is a write: a read of a page that nobody has written to is a page
 * fault more. */
void fsfacts_atfork_child (void)
{
    uintptr_t adding = 0;

    if (!__atomic_compare_exchange_n (&fs_count.adding, &adding, 0, 0,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
        adding != fsfacts_self ())
        fsfacts_end ();
}

static unsigned fsfacts_known (uint64_t number)
{
    unsigned n = __atomic_load_n (&fs_count.devices, __ATOMIC_ACQUIRE);

    for (unsigned i = 0; i < n; i++)
        if (fs.device[i].number == number)
            return i + 1;
    return 0;
}

uint8_t fsfacts_device (const struct stat *st)
{
    unsigned at = fsfacts_known (st->st_dev);

    if (at || fs_count.devices == FSFACTS_DEVICES || !fsfacts_begin ())
        return (uint8_t)at;
    at = fsfacts_known (st->st_dev);
    if (!at && fs_count.devices < FSFACTS_DEVICES) {
        fs.device[fs_count.devices] =
            (struct device){st->st_dev, (uint32_t)st->st_blksize, 0};
        at = fs_count.devices + 1;
        __atomic_store_n (&fs_count.devices, at, __ATOMIC_RELEASE);
    }
    fsfacts_end ();
    return (uint8_t)at;
}

/* --- prefixes ----------------------------------------------------------- */

static int
fsfacts_holds (const char *text, size_t length, const char *path, size_t n)
{
    return n >= length && memcmp (text, path, length) == 0 &&
           (length <= 1 || n == length || path[length] == '/');
}

/* Return the device of the longest known prefix of the path, the last of equal
 * ones; 0 if none is known. */
static unsigned fsfacts_longest (const char *path, size_t n, size_t *longest)
{
    unsigned count = __atomic_load_n (&fs_count.prefixes, __ATOMIC_ACQUIRE);
    unsigned device = 0;

    *longest = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct prefix *p = &fs.prefix[i];

        if (p->length >= *longest &&
            fsfacts_holds (fs.text + p->at, p->length, path, n)) {
            device = p->device;
            *longest = p->length;
        }
    }
    return device;
}

static unsigned fsfacts_expected (const char *path, size_t n)
{
    size_t longest;

    return fsfacts_longest (path, n, &longest);
}

/* 1, or 0: there is no room. */
static int fsfacts_add (const char *path, size_t n, unsigned device)
{
    struct prefix *p = &fs.prefix[fs_count.prefixes];

    if (fs_count.prefixes == FSFACTS_PREFIXES ||
        fs_count.used + n > FSFACTS_TEXT)
        return 0;
    memcpy (fs.text + fs_count.used, path, n);
    *p = (struct prefix){(uint16_t)fs_count.used, (uint16_t)n, (uint8_t)device};
    fs_count.used += (unsigned)n;
    __atomic_store_n (&fs_count.prefixes, fs_count.prefixes + 1,
                      __ATOMIC_RELEASE);
    return 1;
}

/* --- mounts ------------------------------------------------------------- */

/* Is the file itself there, so that its directory is, too, or only a symbolic
 * link to it? */
static int fsfacts_is_there (const char *path, size_t n, uint64_t number)
{
    char text[PATHS_SMALL];
    struct stat st;

    if (n >= sizeof (text))
        return 0;
    memcpy (text, path, n);
    text[n] = '\0';
    return sys_call (SYS_newfstatat, AT_FDCWD, text, &st,
                     AT_SYMLINK_NOFOLLOW) == 0 &&
           !S_ISLNK (st.st_mode) && st.st_dev == number;
}

static size_t fsfacts_directory (const char *path, size_t n)
{
    while (n > 1 && path[n - 1] != '/')
        n--;
    return n > 1 ? n - 1 : n;
}

/* Remember a prefix of the path for the device: the mount point; or, if a link
 * leads there, the directory of the path, or the path alone. Return its bytes;
 * 0 if there is no room. */
static size_t
fsfacts_prefix (const char *path, size_t n, const char *point, unsigned device)
{
    size_t length = strlen (point), known;

    (void)fsfacts_longest (path, n, &known);
    if (!length || length < known || !fsfacts_holds (point, length, path, n)) {
        length = fsfacts_directory (path, n);
        if (length < known ||
            !fsfacts_is_there (path, n, fs.device[device - 1].number))
            length = n;
    }
    return fsfacts_add (path, length, device) ? length : 0;
}

/* path is n bytes, and of this device, which its beginning did not tell. */
static __attribute__ ((noinline)) uint8_t fsfacts_say (struct record_arg *args,
                                                       int fd,
                                                       const char *path,
                                                       size_t n,
                                                       unsigned device)
{
    struct device *d = &fs.device[device - 1];
    struct mountinfo_mount mount;
    const char *type = mount.type, *point = mount.point;
    size_t length;
    uint32_t count = 0;

    mountask (&mount, fd, d->number);
    if (strcmp (type, "lustre") == 0)
        d->flags |= IS_LUSTRE;
    length = fsfacts_prefix (path, n, point, device);
    if (!length) {
        fs_count.full = 1;
        return (uint8_t)usage_put (args, count, USAGE_FS_LOST, 1);
    }
    count = usage_put_text (args, count, USAGE_FS_TYPE, type, strlen (type));
    count = usage_put_text (args, count, USAGE_FS_MOUNT, point, strlen (point));
    count = usage_put (args, count, USAGE_FS_BLOCK, d->block);
    if (length != strlen (point) || memcmp (point, path, length) != 0)
        count = usage_put_text (args, count, USAGE_FS_PREFIX, path, length);
    return (uint8_t)count;
}

/* --- Lustre ------------------------------------------------------------- */

static int
fsfacts_layout (struct lustrelayout *l, int fd, void *bytes, size_t room)
{
    long n = sys_call (SYS_fgetxattr, fd, "lustre.lov", bytes, room);

    return n < 0 ? -1 : lustrelayout_parse (l, bytes, (size_t)n);
}

/* The layout of a file of many stripes: not on the stack. */
static int fsfacts_long_layout (struct lustrelayout *l, int fd)
{
    void *bytes = sys_memory (LUSTRELAYOUT_LONG);
    int rc = bytes ? fsfacts_layout (l, fd, bytes, LUSTRELAYOUT_LONG) : -1;

    if (bytes)
        (void)sys_munmap (bytes, LUSTRELAYOUT_LONG);
    return rc;
}

static __attribute__ ((noinline)) uint8_t
fsfacts_striping (struct record_arg *args, uint32_t count, int fd)
{
    unsigned char bytes[LUSTRELAYOUT_SHORT];
    struct lustrelayout l;

    if (fsfacts_layout (&l, fd, bytes, sizeof (bytes)) < 0 &&
        (errno != ERANGE || fsfacts_long_layout (&l, fd) < 0))
        return (uint8_t)count;
    count = usage_put (args, count, USAGE_LUSTRE_STRIPES, l.stripes);
    count = usage_put (args, count, USAGE_LUSTRE_STRIPE_SIZE, l.stripe_size);
    count = usage_put (args, count, USAGE_LUSTRE_COMPONENTS, l.components);
    return (uint8_t)count;
}

/* --- all of it ---------------------------------------------------------- */

void fsfacts_opened (struct record *r,
                     int fd,
                     struct file f,
                     struct record_arg *args)
{
    size_t n = 0;
    const char *path;

    if (!f.fs || f.state != FILE_WANTED || fd < 0 || filter_drops (r) ||
        !(recorder_layers &
          (r->call == CALL_fopen ? LAYER_STDIO : LAYER_POSIX)))
        return;
    if (!(path = names_text (f.name, &n, NULL)))
        return;
    r->args = args;
    if (fsfacts_expected (path, n) != f.fs && !fs_count.full &&
        fsfacts_begin ()) {
        if (fsfacts_expected (path, n) != f.fs && names_valid (f.name))
            r->nargs = fsfacts_say (args, fd, path, n, f.fs);
        fsfacts_end ();
    }
    if (fs.device[f.fs - 1].flags & IS_LUSTRE)
        r->nargs = fsfacts_striping (args, r->nargs, fd);
}

/* ---- statmount, or /proc/self/mountinfo -> type and place of a mount ---- */

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
