/* SPDX-License-Identifier: MIT
 *
 * fdmap.c - a table of descriptors, in pieces
 *
 * In:  opens, closes, dups, seeks, transfers, from the wrappers
 * Out: file and position of a descriptor
 * Caveat: a position that another descriptor may move (dup, fork, SCM_RIGHTS)
 *         is exact when the kernel's position is what we knew plus what was
 *         moved; else it is "not known" for that one call, or for a run of
 *         calls after which the kernel was asked (repeat.h). Of a descriptor
 *         that we sent somebody we do not know that it is shared. A clone by
 *         syscall () that shares the table and not the memory is not seen.
 */
#include "config.h"

#include "lib/format/calls.h"
#include "lib/settings/paths.h"
#include "preload/record/recorder.h"
#include "lib/base/sys.h"
#include "preload/fdmap.h"

SYS_LAST struct fdmap_entry fdmap_low[FDMAP_LOW];
SYS_STATE unsigned fdmap_moves;

static struct fdmap_entry *pieces[FDMAP_MAX / FDMAP_PIECE];
static SYS_START int started;
static SYS_START int apart;     /* tables are not those of the memory */
static SYS_STATE unsigned used; /* highest descriptor ever set + 1 */

static uint64_t to_word (struct file f)
{
    uint64_t word;

    memcpy (&word, &f, sizeof (word));
    return word;
}

void fdmap_start (void)
{
    started = !apart;
}

/* Also the low ones have a place in the first piece, which is not used. */
static struct fdmap_entry *high_entry (int fd)
{
    struct fdmap_entry *p =
        (unsigned)fd < FDMAP_MAX
            ? __atomic_load_n (&pieces[fd / FDMAP_PIECE], __ATOMIC_ACQUIRE)
            : NULL;

    return p ? p + fd % FDMAP_PIECE : NULL;
}

const struct fdmap_entry *fdmap_high (int fd)
{
    return high_entry (fd);
}

static inline struct fdmap_entry *entry_of (int fd)
{
    return (unsigned)fd < FDMAP_LOW ? &fdmap_low[fd] : high_entry (fd);
}

/* Its entry, which is made if need be; NULL without memory, before the start,
 * or of no such descriptor. */
static struct fdmap_entry *make_entry (int fd)
{
    struct fdmap_entry **piece, *fresh, *none = NULL;
    size_t size = FDMAP_PIECE * sizeof (*fresh);

    if (!started || (unsigned)fd >= FDMAP_MAX)
        return NULL;
    if (entry_of (fd))
        return entry_of (fd);
    fresh = sys_memory (size);
    if (!fresh)
        return NULL;
    piece = &pieces[fd / FDMAP_PIECE];
    if (!__atomic_compare_exchange_n (piece, &none, fresh, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        (void)sys_munmap (fresh, size);
    return entry_of (fd);
}

static unsigned limit (void)
{
    return __atomic_load_n (&used, __ATOMIC_RELAXED);
}

static void raise_limit (int fd)
{
    unsigned old = limit ();

    while (old <= (unsigned)fd &&
           !__atomic_compare_exchange_n (&used, &old, (unsigned)fd + 1, 1,
                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void set_position (struct fdmap_entry *e, int64_t position)
{
    __atomic_store_n (&e->position, position, __ATOMIC_RELAXED);
}

static int has_position (struct file f)
{
    return f.state == FILE_WANTED &&
           (f.class == FILE_CLASS_STORAGE || f.class == FILE_CLASS_SHM);
}

static int64_t ask_position (int fd, struct file f)
{
    return has_position (f) && !recorder_aside
               ? sys_call (SYS_lseek, fd, 0, SEEK_CUR)
               : -1;
}

void fdmap_settle (void)
{
    int fd = recorder_run_of (), saved_errno = errno;
    struct fdmap_entry *e;

    if (__builtin_expect (fd < 0, 1) || !(e = entry_of (fd)))
        return;
    set_position (e, ask_position (fd, fdmap_peek (fd)));
    (void)recorder_run_end (fd, e->position);
    errno = saved_errno;
}

static void moved (void)
{
    __atomic_fetch_add (&fdmap_moves, 1, __ATOMIC_RELAXED);
}

int fdmap_run (const struct record *r)
{
    int64_t position = -1;

    if ((unsigned)r->fd < FDMAP_LOW)
        position =
            __atomic_load_n (&fdmap_low[r->fd].position, __ATOMIC_RELAXED);
    return recorder_run_next (r, position,
                              __atomic_load_n (&fdmap_moves, __ATOMIC_RELAXED));
}

static void share (int fd)
{
    struct fdmap_entry *e = entry_of (fd);
    struct file f = fdmap_peek (fd), shared = f;
    uint64_t word = to_word (f);

    shared.flags |= FILE_SHARED;
    if (f.state == FILE_WANTED && !(f.flags & FILE_SHARED))
        (void)__atomic_compare_exchange_n (&e->file, &word, to_word (shared), 0,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void fdmap_share (void)
{
    fdmap_settle ();
    for (unsigned fd = 0; fd < limit (); fd++)
        share ((int)fd);
}

void fdmap_part (void)
{
    if (apart)
        return;
    apart = 1;
    started = 0;
    paths_of_thread = 1;
    for (unsigned fd = 0; fd < limit (); fd++) {
        struct fdmap_entry *e = entry_of ((int)fd);

        if (!e)
            continue;
        __atomic_store_n (&e->file, 0, __ATOMIC_RELEASE);
        set_position (e, -1);
    }
}

static void carry (int fd)
{
    struct fdmap_entry *e = entry_of (fd);
    struct file f = fdmap_peek (fd), to = f;
    uint64_t word = to_word (f);

    if (f.state != FILE_WANTED)
        return;
    to.name = names_carried (f.name);
    if (to.name != f.name)
        (void)__atomic_compare_exchange_n (&e->file, &word,
                                           to.name ? to_word (to) : 0, 0,
                                           __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void fdmap_carry (void)
{
    for (unsigned fd = 0; fd < limit (); fd++)
        carry ((int)fd);
}

struct file fdmap_find (int fd)
{
    static const struct file ignored = {.state = FILE_IGNORED};
    struct file f = files_by_fd (fd);
    struct fdmap_entry *e;
    uint64_t seen = 0;

    if (f.state == FILE_UNKNOWN)
        return ignored;     /* not open: nothing to remember */
    f.flags |= FILE_SHARED; /* whoever opened it may use it, too */
    e = make_entry (fd);
    if (!e)
        return f;
    set_position (e, ask_position (fd, f));
    raise_limit (fd);
    if (__atomic_compare_exchange_n (&e->file, &seen, to_word (f), 0,
                                     __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
        return f;
    return fdmap_peek (fd); /* another thread knew more */
}

void fdmap_set (int fd, struct file f, int64_t position)
{
    struct fdmap_entry *e = make_entry (fd);

    if (!e)
        return;
    set_position (e, position);
    raise_limit (fd);
    __atomic_store_n (&e->file, to_word (f), __ATOMIC_RELEASE);
}

void fdmap_forget (int fd)
{
    struct fdmap_entry *e = (unsigned)fd < limit () ? entry_of (fd) : NULL;

    if (!e)
        return;
    if (fdmap_peek (fd).flags & FILE_SHARED)
        fdmap_settle ();
    __atomic_store_n (&e->file, 0, __ATOMIC_RELEASE);
}

void fdmap_forget_range (unsigned first, unsigned last)
{
    for (unsigned fd = first; fd <= last && fd < limit (); fd++)
        fdmap_forget ((int)fd);
}

void fdmap_dup (int fd, int newfd)
{
    struct file f = fdmap_get (fd);
    int64_t position = -1;

    if (fd == newfd)
        return;
    if (f.state == FILE_WANTED && entry_of (fd)) {
        share (fd);
        position = ask_position (fd, f);
        set_position (entry_of (fd), position);
    }
    f.flags |= FILE_SHARED;
    fdmap_set (newfd, f, position);
}

void fdmap_set_append (int fd, int append)
{
    struct fdmap_entry *e = entry_of (fd);
    struct file f = fdmap_peek (fd);

    if (!e || f.state != FILE_WANTED)
        return;
    fdmap_settle ();
    f.flags =
        (uint8_t)(append ? f.flags | FILE_APPEND : f.flags & ~FILE_APPEND);
    __atomic_store_n (&e->file, to_word (f), __ATOMIC_RELEASE);
}

static int64_t
resync (struct fdmap_entry *e, int fd, struct file f, int64_t known, int64_t n)
{
    int64_t now = ask_position (fd, f), run = recorder_run_end (fd, now - n);

    set_position (e, now);
    if (run >= 0)
        known = run;
    if (f.flags & FILE_SHARED && now != known + n)
        moved ();
    if (known >= 0)
        return now == known + n ? known : -1;
    return now >= n && !(f.flags & FILE_SHARED) ? now - n : -1;
}

int64_t fdmap_advance (int fd, struct file f, int64_t n)
{
    struct fdmap_entry *e = entry_of (fd);
    int64_t known;

    if (!e)
        return -1;
    known = __atomic_load_n (&e->position, __ATOMIC_RELAXED);
    if (__builtin_expect (known < 0 || (f.flags & FILE_SHARED), 0))
        return resync (e, fd, f, known, n);
    return __atomic_fetch_add (&e->position, n, __ATOMIC_RELAXED);
}

void fdmap_set_position (int fd, int64_t position)
{
    struct fdmap_entry *e = entry_of (fd);

    if (!e)
        return;
    set_position (e, position);
    if (fdmap_peek (fd).flags & FILE_SHARED)
        moved ();
}

/* --- sockets ------------------------------------------------------------ */

static int is_socket (struct file f)
{
    return f.state == FILE_IGNORED && f.class == LEFTOUT_socket;
}

void fdmap_set_socket (int fd, uint32_t peer, unsigned flags)
{
    struct file f = {.name = peer,
                     .state = FILE_IGNORED,
                     .class = (uint8_t)LEFTOUT_socket,
                     .flags = (uint8_t)flags};

    fdmap_set (fd, f, -1);
}

void fdmap_set_peer (int fd, uint32_t peer)
{
    struct fdmap_entry *e = entry_of (fd);
    struct file f = fdmap_peek (fd), to = f;
    uint64_t word = to_word (f);

    to.name = peer;
    if (e && is_socket (f))
        (void)__atomic_compare_exchange_n (&e->file, &word, to_word (to), 0,
                                           __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void fdmap_asked (int fd, uint64_t tick)
{
    struct fdmap_entry *e = entry_of (fd);

    if (e && is_socket (fdmap_peek (fd)))
        set_position (e, (int64_t)tick);
}

uint64_t fdmap_answered (int fd)
{
    struct fdmap_entry *e = entry_of (fd);
    int64_t tick;

    if (!e || !is_socket (fdmap_peek (fd)) ||
        __atomic_load_n (&e->position, __ATOMIC_RELAXED) <= 0)
        return 0;
    tick = __atomic_exchange_n (&e->position, -1, __ATOMIC_RELAXED);
    return tick > 0 ? (uint64_t)tick : 0;
}
