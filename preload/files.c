/* SPDX-License-Identifier: MIT
 *
 * files.c - path or descriptor -> class, filter, name id
 */
#include "config.h"

#include "lib/base/text.h"
#include "lib/base/clock.h"
#include "lib/base/sys.h"
#include "lib/format/proclines.h"
#include "lib/settings/paths.h"
#include "preload/counted.h"
#include "preload/fdmap.h"
#include "preload/files.h"
#include "preload/next.h"
#include "preload/record/procinfo.h"
#include "preload/record/recorder.h"
#include "preload/program.h"
#include "preload/wrap/fsfacts.h"

static const struct file ignored = {.state = FILE_IGNORED};

/* A path on a file system may be a named pipe, a socket or a device. */
static enum file_class class_of_fd (int fd, enum file_class guess, uint8_t *fs)
{
    struct stat st;

    if ((guess != FILE_CLASS_STORAGE && guess != FILE_CLASS_SHM) ||
        sys_fstat (fd, &st) < 0)
        return guess;
    if (S_ISREG (st.st_mode))
        *fs = fsfacts_device (&st);
    switch (st.st_mode & S_IFMT) {
    case S_IFIFO:
        return FILE_CLASS_PIPE;
    case S_IFSOCK:
        return FILE_CLASS_SOCKET;
    case S_IFCHR:
    case S_IFBLK:
        return FILE_CLASS_DEVICE;
    default:
        return guess;
    }
}

/* Return 1 for what CUDA and ROCm open. */
static int files_is_gpu (const char *path, size_t length)
{
    static const char *const names[] = {"/dev/nvidia", "/dev/kfd", "/dev/dri/"};

    for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++) {
        size_t n = strlen (names[i]);

        if (length >= n && memcmp (path, names[i], n) == 0)
            return 1;
    }
    return 0;
}

static struct file
files_left_out (enum file_class class, const char *path, size_t length)
{
    struct file f = ignored;

    f.class = (uint8_t)filter_reason (class, path, length);
    return f;
}

static struct file identify (const char *path, size_t length, int fd)
{
    struct file f = {.state = FILE_WANTED};
    enum file_class class = pathfilter_class (path, length);

    if (fd >= 0 && class == FILE_CLASS_DEVICE)
        sums_gpus += (unsigned)files_is_gpu (path, length);
    if (!filter_wants (class, path, length)) {
        if (!shells_is_script (path, length))
            sums_add_file (class);
        return files_left_out (class, path, length);
    }
    if (fd >= 0) {
        enum file_class found = class_of_fd (fd, class, &f.fs);

        if (found != class && !filter_wants (found, path, length))
            return files_left_out (found, path, length);
        class = found;
    }
    f.class = (uint8_t) class;
    f.name = names_intern (SHARD_NAME_FILE, class, path, length);
    return f;
}

/* Text of what a relative path starts from; -1 ERANGE when room is short. */
static ssize_t base_of (int dirfd, char *out, size_t room)
{
    struct file dir;
    const char *text;
    size_t n;

    if (dirfd == AT_FDCWD)
        return paths_cwd (out, room);
    dir = fdmap_peek (dirfd);
    text = dir.state == FILE_WANTED ? names_text (dir.name, &n, NULL) : NULL;
    if (!text)
        return paths_of_fd (dirfd, out, room);
    if (n > room) {
        errno = ERANGE;
        return -1;
    }
    memcpy (out, text, n);
    return names_valid (dir.name) ? (ssize_t)n : paths_of_fd (dirfd, out, room);
}

/* -1: it did not fit (ERANGE), or there is no such directory. */
ssize_t files_place (int dirfd, const char *path, char *buf, size_t room)
{
    ssize_t n = 0;

    if (path[0] != '/')
        n = base_of (dirfd, buf, room);
    if (n == 1 && buf[0] == '/')
        n = 0;
    if (n >= 0)
        n = paths_append (buf, (size_t)n, room, path);
    if (n == 0)
        buf[n++] = '/';
    return n;
}

static int files_find_in (
    char *buf, size_t room, int dirfd, const char *path, int fd, struct file *f)
{
    ssize_t n = files_place (dirfd, path, buf, room);

    if (n >= 0)
        *f = identify (buf, (size_t)n, fd);
    return n < 0 ? -1 : 0;
}

/* Long paths: not on the stack, which may be that of a signal handler. */
static struct file find_big (int dirfd, const char *path, int fd)
{
    char *buf = sys_memory (PATHS_BIG);
    struct file f = ignored;

    if (buf && files_find_in (buf, PATHS_BIG, dirfd, path, fd, &f) < 0)
        f = ignored;
    if (buf)
        (void)sys_munmap (buf, PATHS_BIG);
    return f;
}

struct file files_by_path (int dirfd, const char *path, int fd)
{
    char buf[PATHS_SMALL];
    struct file f;

    if (path[0] == '\0' && dirfd >= 0)
        return fdmap_get (dirfd);
    if (files_find_in (buf, sizeof (buf), dirfd, path, fd, &f) == 0)
        return f;
    return errno == ERANGE ? find_big (dirfd, path, fd) : ignored;
}

static struct file fd_flags (struct file f, int fd)
{
    long flags = sys_call (SYS_fcntl, fd, F_GETFL);

    if (f.state == FILE_WANTED && flags >= 0 && (flags & O_APPEND))
        f.flags |= FILE_APPEND;
    return f;
}

static struct file by_fd_big (int fd)
{
    char *buf = sys_memory (PATHS_BIG);
    ssize_t n = buf ? paths_of_fd (fd, buf, PATHS_BIG) : -1;
    struct file f = ignored;

    if (n >= 0)
        f = fd_flags (identify (buf, (size_t)n, fd), fd);
    if (buf)
        (void)sys_munmap (buf, PATHS_BIG);
    return f;
}

struct file files_by_fd (int fd)
{
    static const struct file unknown = {.state = FILE_UNKNOWN};
    char buf[PATHS_SMALL];
    ssize_t n = paths_of_fd (fd, buf, sizeof (buf));

    if (n < 0)
        return errno == ERANGE ? by_fd_big (fd) : unknown;
    return fd_flags (identify (buf, (size_t)n, fd), fd);
}

/* ---- settings, path -> recorded or not, in this process ---- */

static SYS_START struct pathfilter filter;

SYS_START unsigned char filter_calls[CALL_MAX / FILTER_PACKED];
SYS_START uint64_t filter_min_size;

/* Those of how[] that are left out, beside those that are already. */
static void filter_pack (const unsigned char how[CALL_MAX])
{
    for (unsigned call = 0; call < CALL_MAX; call++)
        if (how[call] != FILTER_RECORDED && filter_how (call) != FILTER_DROPPED)
            filter_calls[call / FILTER_PACKED] =
                (unsigned char)((filter_calls[call / FILTER_PACKED] &
                                 ~(FILTER_MASK
                                   << call % FILTER_PACKED * FILTER_BITS)) |
                                how[call]
                                    << call % FILTER_PACKED * FILTER_BITS);
}

void filter_start (const struct settings *s)
{
    unsigned char how[CALL_MAX];

    pathfilter_start (&filter, s);
    filter_min_size = s->min_size;
    memset (filter_calls, 0, sizeof (filter_calls));
    pathfilter_calls (s, how);
    filter_pack (how);
}

int filter_wants (enum file_class class, const char *path, size_t length)
{
    return pathfilter_wants (&filter, class, path, length) &&
           !shells_is_script (path, length);
}

enum leftout
filter_reason (enum file_class class, const char *path, size_t length)
{
    return pathfilter_wants (&filter, class, path, length)
               ? LEFTOUT_script
               : pathfilter_reason (&filter, class, path, length);
}

int filter_start_program (const char *exe,
                          size_t length,
                          const char *const *argv)
{
    unsigned char how[CALL_MAX] = {FILTER_RECORDED};

    if (shells_start (SETTING_TEXT (filter.settings, shells), exe, length,
                      argv)) {
        shells_drop_calls (how, FILTER_DROPPED);
        filter_pack (how);
    }
    return pathfilter_program (&filter, exe, length);
}

int filter_wants_program (const char *exe, size_t length)
{
    return pathfilter_program (&filter, exe, length);
}

/* ---- where in the program a call came from -> words of its line ---- */

enum {
    PLACES = 12,       /* of a process */
    PLACE_BYTES = 640, /* of their files' names */
    PLACE_SLOTS = 64,  /* callers, by the part of an address that stays the
                          same in each run */
    PLACE_PAGE = 0xfff,
    PLACE_WORDS = 64 /* bytes of a place beside its texts */
};

static SYS_EVENT struct {
    uint32_t busy;
    int wanted; /* 1: yes, -1: no; 0: nobody has asked */
    uint32_t used;
    uint32_t calls[PLACE_SLOTS];
    struct place {
        uintptr_t caller;
        uint32_t series;
        uint16_t at, length; /* of the name */
        uint8_t kind;
    } place[PLACES];
    char text[PLACE_BYTES];
} places;

/* Each process reads it at its end. */
static SYS_STATE uint32_t places_count;

/* Programs and libraries of the system have no lines that their user could
 * change. */
static int place_is_system (const char *path, size_t n)
{
    return list_has_prefix ("/usr:/bin:/sbin:/lib:/lib64", path, n) &&
           !list_has_prefix ("/usr/local", path, n);
}

static int places_wanted (void)
{
    size_t n;
    const char *exe = procinfo_path (&n);

    if (!places.wanted)
        places.wanted =
            n && !place_is_system (exe, n) && !text_contains (exe, n, "/python")
                ? 1
                : -1;
    return places.wanted > 0;
}

static uint32_t place_series (const char *text, size_t n)
{
    uint32_t hash = 2166136261u;

    for (size_t i = 0; i < n; i++)
        if (text[i] < '0' || text[i] > '9')
            hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* In one thread at a time. A text that another thread changed meanwhile does
 * not count. */
static void place_keep (const struct place *like, const char *text, uint32_t id)
{
    struct place *p = places.place;
    struct place *end = p + places_count;

    while (p < end && !(p->caller == like->caller && p->kind == like->kind &&
                        p->series == like->series))
        p++;
    if (p < end || places_count == PLACES ||
        like->length > PLACE_BYTES - places.used)
        return;
    *p = *like;
    p->at = (uint16_t)places.used;
    memcpy (places.text + p->at, text, like->length);
    if (id && !names_valid (id))
        return;
    places.used += like->length;
    places_count++;
}

void place_note (const void *caller, enum place_kind kind, uint32_t name)
{
    struct place p = {.caller = (uintptr_t)caller, .kind = (uint8_t)kind};
    size_t n = 0;
    const char *text = name ? names_text (name, &n, NULL) : "";
    uint32_t hash = (uint32_t)((p.caller & PLACE_PAGE) + n) * 2654435761u;
    uint32_t *calls = &places.calls[hash / (UINT32_MAX / PLACE_SLOTS + 1)];
    uint32_t before;

    if (!caller || places.wanted < 0 || !text ||
        (!name && kind < PLACE_START) || n > PLACE_BYTES)
        return;
    before = __atomic_fetch_add (calls, 1, __ATOMIC_RELAXED);
    if (before & (before + 1) || !places_wanted () ||
        __atomic_exchange_n (&places.busy, 1, __ATOMIC_ACQUIRE))
        return;
    p.length = (uint16_t)n;
    p.series = place_series (text, n);
    place_keep (&p, text, name);
    __atomic_store_n (&places.busy, 0, __ATOMIC_RELEASE);
}

void places_forked (void)
{
    if (!places_count && !places.busy)
        return;
    places.busy = places_count = places.used = 0;
    memset (places.calls, 0, sizeof (places.calls));
}

/* FROM=BYTES,NS,PATH: the object whose offsets follow, as its file is now. */
static int place_put_object (struct procline *l, const char *path)
{
    size_t n = strlen (path);
    struct stat st;

    if (!n)
        path = procinfo_path (&n);
    if (!n || place_is_system (path, n) ||
        l->used + PLACE_WORDS + 3 * n >= l->room ||
        sys_call (SYS_newfstatat, AT_FDCWD, path, &st, 0) < 0)
        return 0;
    procline_pair (l, "from", (uint64_t)st.st_size,
                   (uint64_t)st.st_mtim.tv_sec * CLOCK_NS_PER_S +
                       (uint64_t)st.st_mtim.tv_nsec);
    procline_text (l, ",", 1);
    procline_text (l, path, n);
    return 1;
}

void places_put (struct procline *l)
{
    const char *path, *before = NULL;
    uintptr_t base;
    int known = 0;

    for (uint32_t i = 0; i < places_count; i++) {
        const struct place *p = &places.place[i];

        if (next_object (p->caller - 1, &base, &path) < 0)
            continue;
        if (path != before)
            known = place_put_object (l, path);
        before = path;
        if (!known || l->used + PLACE_WORDS + 3u * p->length >= l->room)
            continue;
        procline_pair (l, "at", p->caller - 1 - base, p->kind);
        procline_text (l, ",", 1);
        procline_text (l, places.text + p->at, p->length);
    }
}
