/* SPDX-License-Identifier: MIT
 *
 * span.c - wrappers -> recorder
 */
#include "config.h"

#include "lib/format/event.h"
#include "lib/format/calls.h"
#include "preload/counted.h"
#include "preload/files.h"
#include "preload/probe.h"
#include "preload/record/usage.h"
#include "preload/span.h"
#include "preload/waits.h"
#include "preload/wrap/facts.h"

void span_note (struct span *sp, const char *path)
{
    struct repeat *s = (struct repeat *)recorder_self.tbuf;
    uint64_t due = s->note_due > sp->start ? s->note_due : sp->start;
    int saved_errno = errno;
    struct probe p = {.notes = 1};
    ssize_t n;

    s->note_due = due + NOTE_TICKS;
    n = probe_text (&p, path, EVENT_NAME_MAX);
    if (n > 0 && repeat_note (lastword_put (sp->call, LASTWORD_PATH, sp->start),
                              path, (size_t)n))
        sp->says = LASTWORD_PATH;
    errno = saved_errno;
}

struct file span_file (int fd)
{
    int saved_errno = errno;
    struct file f = fdmap_get (fd);

    errno = saved_errno;
    return f;
}

static int span_fd_of (FILE *f)
{
    int saved_errno = errno;
    int fd = f ? fileno (f) : -1;

    errno = saved_errno;
    return fd;
}

/* What is left in the buffer of a stream, which is about to be closed. */
static void span_left_in_stream (const struct span *sp)
{
    struct record r = {.fd = sp->fd};

    sums_add_written ((enum leftout)sp->file.class, sp->stream.unwritten);
    if (sp->file.class != LEFTOUT_socket)
        return;
    r.start = r.end = clock_tick ();
    facts_net_stream (&r, sp->file, 0, sp->stream.unwritten);
}

int span_open_fclose (struct span *sp, FILE *f)
{
    int fd;

    if (!span_active () || !f)
        return 0;
    fd = span_fd_of (f);
    if (!span_open_close (sp, fd)) {
        sp->fd = fd;
        streams_before_close (sp, f);
        if (sp->file.state == FILE_IGNORED && fd >= 0)
            span_left_in_stream (sp);
        return 0;
    }
    streams_before_close (sp, f);
    return 1;
}

int span_open_fflush (struct span *sp, FILE *f)
{
    int saved_errno = errno;

    if (f)
        return span_open_stream (sp, f);
    if (span_active ())
        (void)streams_settle_all ();
    errno = saved_errno;
    return 0;
}

/* The descriptor is closed, and perhaps opened again, inside libc. */
int span_open_freopen (struct span *sp, FILE *f)
{
    int saved_errno = errno;
    int fd;

    if (!span_active ())
        return 0;
    fd = span_fd_of (f);
    if (f && fd >= 0)
        streams_settle (fd, f);
    streams_forget (fd);
    fdmap_forget (fd);
    errno = saved_errno;
    return span_open (sp);
}

int span_open_fdopen (struct span *sp, int fd)
{
    return (recorder_layers & LAYER_STDIO) && span_open_fd (sp, fd);
}

int span_open_stream (struct span *sp, FILE *f)
{
    int fd;

    if (!span_active ())
        return 0;
    fd = span_fd_of (f);
    if (fd < 0)
        return 0;
    (void)span_open_fd (sp, fd);
    if (!(recorder_layers & LAYER_STDIO) && sp->file.state == FILE_WANTED)
        sp->file = (struct file){.state = FILE_IGNORED,
                                 .class = (uint8_t)LEFTOUT_stream};
    if (sp->file.state == FILE_UNKNOWN)
        return 0;
    sp->fd = fd;
    if (sp->file.state == FILE_IGNORED)
        sp->start = clock_tick ();
    streams_before (sp, f);
    return 1;
}

void span_look (void)
{
    int saved_errno = errno;

    usage_call_begin ();
    errno = saved_errno;
}

/* Layers that want a call; calls on mappings are of layer mmap, too. */
static unsigned layers_of (uint16_t call)
{
    const struct call_info *info = &call_table[call];

    if (info->category == CALL_CATEGORY_STDIO)
        return LAYER_STDIO;
    return info->class == CALL_CLASS_MAP || call == CALL_msync
               ? LAYER_POSIX | LAYER_MMAP
               : LAYER_POSIX;
}

/* Texts are kept as long as the process: that of a path only for some. */
enum { WAIT_TEXTS = 2048 };

void span_wait (enum call wait, uint64_t ns, const char *text, size_t n)
{
    struct record r = {.call = (uint16_t)wait, .fd = -1, .offset = -1};
    struct clock_pair now;

    if ((recorder_layers & (LAYER_POSIX | LAYER_PROFILE)) != LAYER_POSIX ||
        !waits_wanted || recorder_self.busy || !recorder_enter ())
        return;
    now = clock_pair ();
    r.end = now.tick;
    r.start = r.end - (uint64_t)((unsigned __int128)ns * clock_hz (&now) /
                                 CLOCK_NS_PER_S);
    if (n)
        r.file2 = names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text, n);
    recorder_record (&r);
    recorder_leave ();
    waits_look (ns);
}

/* A call that is left out and its file, as far as that is known. */
struct span_left {
    enum leftout why;
    int fd, dirfd;
    const char *path;
};

/* It took long. Where it may have waited for another process, the network or
 * the user, that is told elsewhere. */
static __attribute__ ((noinline)) void
span_left_slow (const struct span_left *l, uint64_t ns)
{
    enum { TITLE_MAX = 60 };
    static const char *const titles[LEFTOUTS] = {
#define LEFTOUT(WORD, TITLE, HELP) TITLE ": ",
#include "lib/format/leftout.def"
#undef LEFTOUT
    };
    static unsigned texts;
    int saved_errno = errno;
    char text[TITLE_MAX + PATHS_SMALL];
    size_t n = strnlen (titles[l->why], TITLE_MAX);
    ssize_t more = -1;

    if (l->why - LEFTOUT_pipe <= LEFTOUT_device - LEFTOUT_pipe) {
        if (l->fd >= 0 && l->why != LEFTOUT_device &&
            waits_has_place (CALL_wait_pipe, ns))
            span_wait (waits_for (l->fd), ns, NULL, 0);
        errno = saved_errno;
        return;
    }
    if (!waits_has_place (CALL_wait_file, ns)) {
        errno = saved_errno;
        return;
    }
    memcpy (text, titles[l->why], n);
    if (l->why != LEFTOUT_unnamed && (l->path || l->fd >= 0) &&
        __atomic_fetch_add (&texts, 1, __ATOMIC_RELAXED) < WAIT_TEXTS)
        more = l->path ? files_place (l->dirfd, l->path, text + n, PATHS_SMALL)
                       : paths_of_fd (l->fd, text + n, PATHS_SMALL);
    span_wait (CALL_wait_file, ns, text, more > 0 ? n + (size_t)more : n - 2);
    errno = saved_errno;
}

static inline void span_left_out (const struct span_left *l, uint64_t ns)
{
    sums_add_call (l->why, ns);
    if (__builtin_expect (ns >= SPAN_WAIT_NS, 0))
        span_left_slow (l, ns);
}

/* The descriptor of a call, which is closed by some. */
static int span_left_fd (unsigned call, int fd)
{
    return call == CALL_close || call == CALL_fclose || call == CALL_closedir
               ? -1
               : fd;
}

/* Which clock counts may have been found out meanwhile: then its time is not
 * known. */
static uint64_t span_left_ns (const struct span *sp)
{
    unsigned ticks = clock_known () > 0;

    if (ticks != sp->says)
        return 0;
    return ticks ? clock_ns_of (clock_tick () - sp->start)
                 : clock_ns (CLOCK_MONOTONIC) - sp->start;
}

static int span_is_socket (struct file f)
{
    return f.state == FILE_IGNORED && f.class == LEFTOUT_socket;
}

void span_left_ended (const struct span *sp, int sides, int64_t rc)
{
    struct file in = sp->file, out = in;
    uint64_t ns = span_left_ns (sp);

    if (sides == (CALL_READS | CALL_WRITES) || sp->call == CALL_splice)
        out = sp->file2;
    if ((sides & CALL_READS) && in.state == FILE_IGNORED)
        sums_add_read ((enum leftout)in.class, rc);
    if ((sides & CALL_WRITES) && out.state == FILE_IGNORED)
        sums_add_written ((enum leftout)out.class, rc);
    span_left_out (
        &(struct span_left){
            .why = (enum leftout) (
                in.state == FILE_IGNORED ? in.class : out.class),
            .fd = span_left_fd (sp->call, sp->fd)},
        ns);
    if (span_is_socket (in) || span_is_socket (out))
        facts_net_left (sp, sides, rc, ns);
}

/* With the faults it had, which are its own even where the call as such is
 * not wanted. */
static __attribute__ ((noinline)) void write_with_usage (const struct record *r,
                                                         int wanted)
{
    struct record_arg args[EVENT_ARGS_MAX];
    struct record with = *r;
    unsigned faults = usage_call_end (r, args);

    if (!wanted && faults == 0)
        return;
    for (unsigned i = 0; i < r->nargs && faults < EVENT_ARGS_MAX; i++)
        args[faults++] = r->args[i];
    with.args = args;
    with.nargs = (uint8_t)faults;
    if (!recorder_enter ())
        return;
    recorder_record (&with);
    recorder_leave ();
}

void span_write (const struct record *r)
{
    int wanted;

    if (r->call == CALL_NONE)
        return;
    fdmap_settle ();
    wanted = (recorder_layers & layers_of (r->call)) && !filter_drops (r);
    if (__builtin_expect (!wanted, 0)) {
        sums_dropped (r);
        span_left_out (&(struct span_left){.why = LEFTOUT_call,
                                           .fd = span_left_fd (r->call, r->fd)},
                       clock_ns_of (r->end - r->start));
    }
    if (__builtin_expect (recorder_layers & LAYER_MMAP, 0))
        write_with_usage (r, wanted);
    else if (wanted && recorder_enter ()) {
        recorder_record (r);
        recorder_leave ();
    }
    if (__builtin_expect (r->end - r->start >= REPEAT_LONG, 0) && wanted) {
        waits_after (r);
        waits_pulse ();
    }
}

void span_write_path (struct file f,
                      const struct record *r,
                      int dirfd,
                      const char *path)
{
    if (f.state == FILE_WANTED)
        span_write (r);
    else if (f.state == FILE_IGNORED && r->call != CALL_NONE)
        span_left_out (&(struct span_left){.why = (enum leftout)f.class,
                                           .fd = span_left_fd (r->call, r->fd),
                                           .dirfd = dirfd,
                                           .path = path},
                       clock_ns_of (r->end - r->start));
}

void span_write_of (struct file f, const struct record *r)
{
    span_write_path (f, r, AT_FDCWD, NULL);
}

/* ---- pairs of descriptors, directory streams ---- */

int span_open_pair (struct span *sp, int in, int out)
{
    struct file f = {.state = FILE_UNKNOWN}, f2 = f;

    sp->file = sp->file2 = f;
    sp->fd = in;
    sp->fd2 = out;
    if (!span_active ())
        return 0;
    f = span_file (in);
    f2 = span_file (out);
    sp->file = f;
    sp->file2 = f2;
    return (f.state == FILE_WANTED || f2.state == FILE_WANTED) &&
           span_begin (sp, in, f);
}

int span_open_leave (void)
{
    int saved_errno = errno;

    if (recorder_layers && process_is_ours ()) {
        mm_pause ();
        recorder_keep ();
    }
    errno = saved_errno;
    return 0;
}

int span_open_leave_tree (int leaves)
{
    int saved_errno = errno;

    if (leaves && recorder_layers && process_is_ours ())
        recorder_leave_tree ();
    errno = saved_errno;
    return 0;
}

static void span_pause (void)
{
    int saved_errno = errno;

    if (recorder_layers && process_is_ours ())
        mm_pause ();
    errno = saved_errno;
}

static int span_part (int parts, int flags)
{
    int saved_errno = errno;

    if (parts && recorder_layers && process_is_ours ())
        fdmap_part ();
    errno = saved_errno;
    return span_open_leave_tree (flags & SPAN_OTHER_TREE);
}

int span_open_rights (void)
{
    span_pause ();
    return 0;
}

int span_open_setns (int type)
{
    span_pause ();
    return span_open_leave_tree (!type || (type & SPAN_OTHER_TREE));
}

int span_open_unshare (int flags)
{
    if (flags & ~(CLONE_FILES | CLONE_FS))
        span_pause ();
    return span_part (flags & CLONE_FILES, flags);
}

/* One of the two: the same descriptors, the same memory. */
void span_clone (int flags)
{
    int files = (flags & CLONE_FILES) != 0;

    (void)span_part (
        flags & CLONE_VM ? (flags & CLONE_THREAD) && !files : files, flags);
}

_Thread_local unsigned span_rings __attribute__ ((tls_model ("initial-exec")));

int span_open_ring (struct span *sp)
{
    if (!span_open (sp))
        return 0;
    span_rings++;
    return 1;
}

static int span_open_fd_of (DIR *dir)
{
    int saved_errno = errno;
    int fd = dir ? dirfd (dir) : -1;

    errno = saved_errno;
    return fd;
}

int span_open_dir (struct span *sp, DIR *dir)
{
    return span_active () && span_open_fd (sp, span_open_fd_of (dir));
}

int span_open_closedir (struct span *sp, DIR *dir)
{
    return span_active () && dir && span_open_close (sp, span_open_fd_of (dir));
}

int span_open_print (struct span *sp, int fd)
{
    int wanted = span_open_fd (sp, fd);

    if (!wanted || (recorder_layers & LAYER_STDIO))
        return wanted;
    sp->file =
        (struct file){.state = FILE_IGNORED, .class = (uint8_t)LEFTOUT_stream};
    return 0;
}
