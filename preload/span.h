/* SPDX-License-Identifier: MIT
 *
 * span.h - one call under way
 *
 * span_open_* decide, before the real call, whether anything of it is wanted:
 * false costs a load in a library that is not active, three where the file is
 * ignored. They keep errno. Nothing is held during the real call, so that a
 * signal handler which interrupts it is traced as well.
 */
#pragma once

#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>

#include "lib/format/lastword.h"
#include "lib/format/calls.h"
#include "preload/fdmap.h"
#include "preload/mmap/mm.h"
#include "preload/mmap/mmregistry.h"
#include "preload/process.h"
#include "preload/record/recorder.h"
#include "preload/record/repeat.h"
#include "preload/wrap/rawring.h"
#include "preload/wrap/streams.h"

/* -- one call under way -- */

struct span {
    uint64_t start; /* tick */
    uint16_t call;  /* enum call */
    int fd;
    const void *caller; /* neither a read nor a write: where it returns to */
    int fd2;            /* calls on two descriptors only */
    unsigned says; /* lastword.h: its descriptor, or that its path follows; of
                      a call that is left out: start is a tick, else ns */
    struct file file;
    struct file file2;           /* calls on two descriptors only */
    struct stream_before stream; /* calls on streams only */
};

static inline __attribute__ ((always_inline)) int span_active (void)
{
    return (recorder_layers &
            (LAYER_POSIX | LAYER_STDIO | LAYER_MMAP | LAYER_NET)) &&
           process_is_ours ();
}

/* Layer mmap: what this thread's counters are before the call. */
void span_look (void);

static inline __attribute__ ((always_inline)) int
span_begin (struct span *sp, int fd, struct file f)
{
    sp->fd = fd;
    sp->says = lastword_descriptor (fd);
    sp->file = f;
    if (__builtin_expect (recorder_layers & LAYER_MMAP, 0))
        span_look ();
    sp->start = clock_tick ();
    return 1;
}

/* Around the real call: it is under way, for who reads the trace when it does
 * not return. In pairs, with nothing between them but the call. */
static inline __attribute__ ((always_inline)) void
span_says (const struct span *sp)
{
    if (sp->call != CALL_NONE)
        repeat_say (lastword_put (sp->call, sp->says, sp->start));
}

static inline __attribute__ ((always_inline)) void
span_returned (const struct span *sp)
{
    if (sp->call != CALL_NONE)
        repeat_say (0);
}

/* A read from what is not recorded, where it may wait for somebody: another
 * process, the network, the user. In pairs, too. */
static inline __attribute__ ((always_inline)) int
span_left_waits (const struct span *sp, int sides)
{
    return sides == CALL_READS && sp->file.state == FILE_IGNORED &&
           (unsigned)(sp->file.class - LEFTOUT_pipe) <=
               (unsigned)(LEFTOUT_device - LEFTOUT_pipe);
}

static inline __attribute__ ((always_inline)) void
span_left_says (const struct span *sp, int sides)
{
    if (span_left_waits (sp, sides))
        repeat_say (lastword_put (sp->call, LASTWORD_LEFT + sp->file.class, 0));
}

static inline __attribute__ ((always_inline)) void
span_left_returned (const struct span *sp, int sides)
{
    if (span_left_waits (sp, sides))
        repeat_say (0);
}

/* The sampler has been started, or never will be. */
extern unsigned waits_settled __attribute__ ((visibility ("hidden")));

/* In a call that no memory allocator makes: begins the sampler when the process
 * has lived for half a second. Keeps errno. */
void waits_try (void);

static inline void waits_pulse (void)
{
    if (__builtin_expect (!waits_settled, 0))
        waits_try ();
}

/* A call that names its file by a path. */
static inline int span_open (struct span *sp)
{
    static const struct file none;

    return span_active () && span_begin (sp, -1, none);
}

/* A look at a path costs a system call of 0.3 us. One in NOTE_TICKS is paid
 * for: 3 ns for each of many calls that take a microsecond. NOTE_AHEAD more may
 * come at once: few programs make so many before one that does not return. */
enum { NOTE_TICKS = 1 << 18, NOTE_AHEAD = 32 };

/* The path as it is before the call, which may not return. Keeps errno. */
void span_note (struct span *sp, const char *path);

static inline int span_open_path (struct span *sp, const char *path)
{
    const struct repeat *s;

    if (!span_open (sp))
        return 0;
    waits_pulse ();
    s = (const struct repeat *)recorder_self.tbuf;
    if (s && s->word &&
        sp->start + (uint64_t)NOTE_AHEAD * NOTE_TICKS >= s->note_due)
        span_note (sp, path);
    return 1;
}

/* A call on a descriptor whose file is ignored: then span_left_ended follows
 * it. sides: SUMS_OF_ its row. For its sake it is not found out which clock
 * counts, which takes 20 us. */
static inline __attribute__ ((always_inline)) int
span_left_begins (struct span *sp, int sides)
{
    if (__builtin_expect (sp->file.state != FILE_IGNORED, 0) &&
        !(sides == (CALL_READS | CALL_WRITES) &&
          sp->file2.state == FILE_IGNORED))
        return 0;
    sp->says = clock_known () > 0;
    sp->start = sp->says ? clock_tick () : clock_ns (CLOCK_MONOTONIC);
    return 1;
}

/* Add it to the sums of what is left out. Keeps errno. */
void span_left_ended (const struct span *sp, int sides, int64_t rc);

/* The file of a descriptor, looked up if need be. */
struct file span_file (int fd);

/* A call on a descriptor; false when its file is ignored, which sp->file then
 * is; FILE_UNKNOWN: nothing is traced. */
static inline __attribute__ ((always_inline)) int span_open_fd (struct span *sp,
                                                                int fd)
{
    struct file f = {.state = FILE_UNKNOWN};

    sp->fd = fd;
    sp->file = f;
    sp->fd = fd;
    if (!span_active ())
        return 0;
    f = fdmap_peek (fd);
    if (__builtin_expect (f.state == FILE_UNKNOWN, 0))
        f = span_file (fd);
    sp->file = f;
    if (__builtin_expect (f.flags & FILE_SHARED, 0) && repeat_runs (fd))
        fdmap_settle ();
    return f.state == FILE_WANTED && span_begin (sp, fd, f);
}

/* As span_open_fd, also for an ignored file, since dup passes that on. */
static inline int span_open_fd_any (struct span *sp, int fd)
{
    if (!span_active ())
        return 0;
    fdmap_settle (); /* what is to be another file may have been moved */
    return span_begin (sp, fd, span_file (fd));
}

/* It moves a position. */
static inline int span_open_seek (struct span *sp, int fd)
{
    int wanted = span_open_fd (sp, fd);

    if (wanted && (sp->file.flags & FILE_SHARED))
        fdmap_settle ();
    return wanted;
}

/* The descriptor leaves the map before it can get a new meaning. */
static inline int span_open_close (struct span *sp, int fd)
{
    int wanted = span_open_fd (sp, fd);

    if (span_active ())
        fdmap_forget (fd);
    return wanted;
}

/* Memory without a file is dismissed first; of a ring it is looked at. */
static inline int
span_open_map (struct span *sp, void *addr, size_t n, int flags, int fd)
{
    if ((flags & MAP_FIXED) && mm_maps && span_active ())
        mm_unmap (addr, n);
    if (flags & MAP_ANONYMOUS)
        return 0;
    if (__builtin_expect (rawring_any, 0) && span_active () && rawring_is (fd))
        return span_begin (sp, fd, (struct file){.state = FILE_UNKNOWN});
    return span_open_fd (sp, fd);
}

/* Mappings: only those that were recorded. */
static inline int span_mapped (struct span *sp, uint32_t name)
{
    struct file f = {.name = name, .state = FILE_WANTED};

    return name && span_begin (sp, -1, f);
}

/* The file at an address; layer mmap knows it also inside of a mapping. */
static inline uint32_t span_name (const void *addr)
{
    uint32_t name = maps_find (addr);

    return name || !mm_maps ? name : mm_name (addr);
}

static inline int span_open_mapped (struct span *sp, const void *addr)
{
    return span_active () && span_mapped (sp, span_name (addr));
}

static inline int span_open_unmap (struct span *sp, const void *addr, size_t n)
{
    uint32_t name, other = 0;

    if (!span_active ())
        return 0;
    if (__builtin_expect (rawring_any, 0))
        rawring_unmapping (addr);
    name = maps_take (addr);
    if (mm_maps)
        other = mm_unmap (addr, n);
    return span_mapped (sp, name ? name : other);
}

/* Streams. The descriptor map is kept also where streams are not recorded. */
int span_open_fclose (struct span *sp, FILE *f);
/* f: NULL means all streams. */
int span_open_fflush (struct span *sp, FILE *f);
int span_open_freopen (struct span *sp, FILE *f);
int span_open_fdopen (struct span *sp, int fd);
/* True of ignored streams, too: bytes that libc moves are counted (streams.h).
 */
int span_open_stream (struct span *sp, FILE *f);
int span_open_closedir (struct span *sp, DIR *dir);

/* --- after the call ------------------------------------------------- */

/* Fill *r with what every call has: times, result, descriptor, file. rc < 0
 * is a failure with its reason in err. Must come first after the real call. */
static inline void
span_result (const struct span *sp, struct record *r, int64_t rc, int err)
{
    r->start = sp->start;
    r->end = clock_tick ();
    r->call = sp->call;
    r->nargs = 0;
    r->err = rc < 0 ? err : 0;
    r->fd = sp->fd;
    r->file = sp->file.name;
    r->file2 = 0;
    r->size = 0;
    r->offset = -1;
    r->ret = rc;
    r->flags = 0;
    r->args = NULL;
}

/* Record *r, if its layer is wanted and we are not inside our own code. */
void span_write (const struct record *r);

/* The same of a call on file f, or add it to the sums of what is left out.
 * dirfd, path: as the call was given them, where it was; path NULL: r has its
 * descriptor. */
void span_write_of (struct file f, const struct record *r);
void span_write_path (struct file f,
                      const struct record *r,
                      int dirfd,
                      const char *path);

/* A shorter wait is left to the sampler, if there is one. */
enum { SPAN_WAIT_NS = 1000000 };

/* Record a wait that ends now and took ns: a row of category WAIT, and who or
 * what was waited for, n bytes. Not in a profile, and not where nothing else
 * was recorded: for a wait alone no file is made. May change errno. */
void span_wait (enum call wait, uint64_t ns, const char *text, size_t n);

/* -- calls that name their file in a rarer way -- */

/* Two descriptors; wanted when either is. The span is the first one's. */
int span_open_pair (struct span *sp, int in, int out);

/* The process is about to change its root or its user; never wanted. */
int span_open_leave (void);

/* Its rights are about to change, those of this thread alone; never wanted. */
int span_open_rights (void);

/* The tree of files is going to be another one, if leaves: root, mounts, mount
 * namespaces. Always 0. */
enum { SPAN_OTHER_TREE = CLONE_NEWNS };
int span_open_leave_tree (int leaves);

/* setns with this type, unshare with these flags; always 0. clone. */
int span_open_setns (int type);
int span_open_unshare (int flags);
void span_clone (int flags);

/* Making an io_uring: one of these calls may be made of the other. */
extern _Thread_local unsigned span_rings
    __attribute__ ((tls_model ("initial-exec")));
int span_open_ring (struct span *sp);

/* Requests are about to be submitted: remembers the first of them. */
struct io_uring;
int span_open_submit (struct span *sp, const struct io_uring *ring);

/* The descriptor of a directory stream. */
int span_open_dir (struct span *sp, DIR *dir);

/* Formatted output straight to a descriptor: of the stdio layer. */
int span_open_print (struct span *sp, int fd);
