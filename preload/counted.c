/* SPDX-License-Identifier: MIT
 *
 * counted.c - the kernel's count of this process, sums -> a line
 *
 * Caveat: in a child of vfork nothing of this is called. A process that has
 *         nothing to say (a child of fork that did nothing) says nothing, and
 *         asks nothing.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "lib/base/clock.h"
#include "preload/record/procinfo.h"
#include "preload/record/recorder.h"
#include "preload/record/shardlive.h"
#include "preload/record/shardpath.h"
#include "lib/format/layers.h"
#include "lib/base/sys.h"
#include "preload/appendline.h"
#include "preload/counted.h"
#include "preload/kernelio.h"
#include "preload/libcio.h"
#include "preload/sums.h"

static SYS_STATE struct {
    const struct settings *settings; /* NULL: there are no lines */
    int asks;                        /* the kernel, for its count */
    int image; /* a program began in this process, not in a parent */
    struct kernelio all, own; /* then */
    struct sys_moved moved;   /* then */
    struct kernelio ended;    /* what its ended threads had; once it waits */
    uint32_t ends;            /* of threads */
    uint32_t waits;           /* it has waited for a child */
} counted;

/* This thread's part of counted.ended. */
static _Thread_local struct kernelio counted_this
    __attribute__ ((tls_model ("initial-exec")));

/* --- the line --------------------------------------------------------------
 */

static void put_head (struct procline *l, const char *how)
{
    procline_begin (l, "traced", (uint64_t)recorder_pid ());
    procline_number (l, (uint64_t)sys_call (SYS_getppid));
    procline_number (l, (uint64_t)sys_call (SYS_getsid, 0));
    procline_number (l, recorder_start_real ());
    procline_number (l, clock_ns (CLOCK_REALTIME));
    procline_word (l, how);
}

static void put_sums (struct procline *l)
{
    static const char words[LEFTOUTS][12] = {
#define LEFTOUT(WORD, TITLE, HELP) #WORD,
#include "lib/format/leftout.def"
#undef LEFTOUT
    };

    for (int i = 0; i < LEFTOUTS; i++)
        if (sums[i].read || sums[i].written)
            procline_pair (l, words[i], sums[i].read, sums[i].written);
    if (sums_aio.read || sums_aio.written)
        procline_pair (l, "aio", sums_aio.read, sums_aio.written);
}

/* The bytes of the line itself are added by who reads it. */
static void put_count (struct procline *l,
                       const struct kernelio *all,
                       const struct kernelio *own,
                       uint64_t late)
{
    procline_pair (l, "all", all->read, all->written + late);
    if (own->known)
        procline_pair (l, "own", own->read, own->written + late);
    if (counted.image) {
        procline_pair (l, "start", counted.all.read, counted.all.written);
        if (counted.own.known)
            procline_pair (l, "startown", counted.own.read,
                           counted.own.written);
    }
    procline_pair (l, "tracer", sys_moved.read - counted.moved.read,
                   sys_moved.written - counted.moved.written);
    put_sums (l);
}

/* A path for which there is no room is left out. */
static void put_quiet (struct procline *l)
{
    size_t n;
    const char *exe = procinfo_path (&n);

    procline_word (l, "quiet=");
    procline_digits (l, sums_files);
    if (!n || l->used + sizeof (" exe=") + 3 * n >= l->room)
        return;
    procline_word (l, "exe=");
    procline_text (l, exe, n);
}

/* --- a process -------------------------------------------------------------
 */

void counted_start (const struct settings *s)
{
    if (s->job_dir[0] != '/')
        return;
    counted.settings = s;
    if (!s->kernel_count || !(s->layers & LAYER_POSIX))
        return;
    sys_moved.pid = recorder_pid ();
    kernelio_take (&counted.all, &counted.own, &counted.ended);
    counted.image = counted.asks = counted.all.known;
    if (counted.image)
        libcio_start ();
    counted.moved = sys_moved;
}

void counted_forked (void)
{
    counted.image = 0;
    sys_moved = (struct sys_moved){.pid = sys_moved.pid ? recorder_pid () : 0};
    counted.moved = sys_moved;
    counted.ended = counted_this = (struct kernelio){0};
    counted.ends = counted.waits = 0;
    sums_forked ();
}

/* --- threads and children ----------------------------------------------------
 */

void counted_waits (void)
{
    struct kernelio ended = {.known = 1};

    if (!counted.asks || counted.waits ||
        __atomic_exchange_n (&counted.waits, 1, __ATOMIC_RELAXED))
        return;
    if (__atomic_load_n (&counted.ends, __ATOMIC_RELAXED))
        kernelio_ended (&ended);
    (void)__atomic_fetch_add (&counted.ended.read, ended.read,
                              __ATOMIC_RELAXED);
    (void)__atomic_fetch_add (&counted.ended.written, ended.written,
                              __ATOMIC_RELAXED);
    counted.ended.known = ended.known;
}

void counted_thread_ended (void)
{
    struct kernelio io;

    (void)__atomic_fetch_add (&counted.ends, 1, __ATOMIC_RELAXED);
    if (!counted.asks || !counted.waits)
        return;
    kernelio_thread (&io);
    if (!io.known)
        counted.ended.known = 0;
    (void)__atomic_fetch_add (&counted.ended.read, io.read - counted_this.read,
                              __ATOMIC_RELAXED);
    (void)__atomic_fetch_add (&counted.ended.written,
                              io.written - counted_this.written,
                              __ATOMIC_RELAXED);
    counted_this = io;
}

/* Directories are not made: nothing was recorded yet, or the job directory has
 * been removed. Where a stage is not there, the job directory is. */
static __attribute__ ((noinline)) void
counted_write (const char *how, uint64_t late, int asks, int quiet)
{
    const char *job_dir = counted.settings->job_dir;
    const char *dir = shardplace_dir (counted.settings);
    char text[PROCLINE_TRACED_MAX];
    struct procline l = {text, sizeof (text), 0};
    struct kernelio all = {0}, own = {0};

    if (asks)
        kernelio_take (&all, &own, &counted.ended);
    if (!all.known && !quiet)
        return;
    put_head (&l, how);
    if (all.known) {
        libcio_loaded ();
        put_count (&l, &all, &own, late);
    }
    if (quiet)
        put_quiet (&l);
    procline_end (&l);
    if (appendline (dir, &l, 0) < 0 && dir != job_dir)
        (void)appendline (job_dir, &l, 0);
}

static int counted_has_something (void)
{
    return counted.asks &&
           (counted.image || recorder_has_file () || sums_any ());
}

int counted_quiet (void)
{
    const struct shard_process *p = shardlive ();

    return !recorder_has_file () && !recorder_left && !p->lost_space &&
           !p->lost_busy && !p->untraced;
}

void counted_exit (uint64_t late, int quiet)
{
    int saved_errno = errno, asks = counted_has_something ();

    if (counted.settings && (asks || quiet))
        counted_write ("exit", late, asks, quiet);
    errno = saved_errno;
}

void counted_exec (void)
{
    int saved_errno = errno;

    if (counted_has_something ())
        counted_write ("exec", 0, 1, 0);
    errno = saved_errno;
}
