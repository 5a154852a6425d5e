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

#include "lib/format/countedline.h"
#include "lib/base/clock.h"
#include "preload/record/recorder.h"
#include "preload/record/shardpath.h"
#include "preload/record/shardplace.h"
#include "lib/format/layers.h"
#include "lib/base/sys.h"
#include "preload/appendline.h"
#include "preload/counted.h"
#include "preload/kernelio.h"
#include "preload/libcio.h"
#include "preload/sums.h"

enum { DIGITS = 20 };

static SYS_STATE struct {
    const char *place; /* of the shards; NULL: nothing is counted */
    int image;         /* a program began in this process, not in a parent */
    struct kernelio all, own; /* then */
    struct sys_moved moved;   /* then */
    struct kernelio ended;    /* what its ended threads had; once it waits */
    uint32_t ends;            /* of threads */
    uint32_t waits;           /* it has waited for a child */
} counted;

/* What is in counted.ended of this thread. */
static _Thread_local struct kernelio counted_this
    __attribute__ ((tls_model ("initial-exec")));

/* --- the line --------------------------------------------------------------
 */

struct countedline {
    size_t used;
    char text[COUNTEDLINE_MAX];
};

static void countedline_put (struct countedline *l, const char *text)
{
    size_t n = strlen (text);

    if (l->used + n > sizeof (l->text))
        n = sizeof (l->text) - l->used;
    memcpy (l->text + l->used, text, n);
    l->used += n;
}

static void countedline_put_number (struct countedline *l, uint64_t n)
{
    char digits[DIGITS + 1], *p = digits + DIGITS;

    *p = '\0';
    do
        *--p = (char)('0' + n % 10);
    while ((n /= 10) > 0);
    countedline_put (l, p);
}

static void countedline_put_pair (struct countedline *l,
                                  const char *word,
                                  uint64_t read,
                                  uint64_t written)
{
    countedline_put (l, " ");
    countedline_put (l, word);
    countedline_put (l, "=");
    countedline_put_number (l, read);
    countedline_put (l, ",");
    countedline_put_number (l, written);
}

static void countedline_put_head (struct countedline *l, const char *how)
{
    const uint64_t numbers[] = {
        (uint64_t)sys_moved.pid, (uint64_t)sys_call (SYS_getppid),
        (uint64_t)sys_call (SYS_getsid, 0), recorder_start_real (),
        clock_ns (CLOCK_REALTIME)};

    for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]); i++) {
        countedline_put_number (l, numbers[i]);
        countedline_put (l, " ");
    }
    countedline_put (l, how);
}

static void countedline_put_sums (struct countedline *l)
{
    static const char words[LEFTOUTS][12] = {
#define LEFTOUT(WORD, TITLE, HELP) #WORD,
#include "lib/format/leftout.def"
#undef LEFTOUT
    };

    for (int i = 0; i < LEFTOUTS; i++)
        if (sums[i].read || sums[i].written)
            countedline_put_pair (l, words[i], sums[i].read, sums[i].written);
    if (sums_aio.read || sums_aio.written)
        countedline_put_pair (l, "aio", sums_aio.read, sums_aio.written);
}

/* The bytes of the line itself are added by who reads it. */
static void countedline_make (struct countedline *l,
                              const char *how,
                              const struct kernelio *all,
                              const struct kernelio *own,
                              uint64_t late)
{
    l->used = 0;
    countedline_put_head (l, how);
    countedline_put_pair (l, "all", all->read, all->written + late);
    if (own->known)
        countedline_put_pair (l, "own", own->read, own->written + late);
    if (counted.image) {
        countedline_put_pair (l, "start", counted.all.read,
                              counted.all.written);
        if (counted.own.known)
            countedline_put_pair (l, "startown", counted.own.read,
                                  counted.own.written);
    }
    countedline_put_pair (l, "tracer", sys_moved.read - counted.moved.read,
                          sys_moved.written - counted.moved.written);
    countedline_put_sums (l);
    if (l->used == sizeof (l->text))
        l->used--;
    l->text[l->used++] = '\n';
}

/* --- a process -------------------------------------------------------------
 */

void counted_start (const struct settings *s)
{
    if (!s->kernel_count || !(s->layers & LAYER_POSIX) || s->job_dir[0] != '/')
        return;
    counted.place = shardplace_dir (s);
    sys_moved.pid = recorder_pid ();
    kernelio_take (&counted.all, &counted.own, &counted.ended);
    counted.image = counted.all.known;
    if (counted.image)
        libcio_start ();
    else
        counted.place = NULL;
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

    if (!counted.place || counted.waits ||
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
    if (!counted.place || !counted.waits)
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

/* A directory that is not there is not made: nothing was recorded yet, or the
 * job directory has been removed. */
static __attribute__ ((noinline)) void counted_write (const char *how,
                                                      uint64_t late)
{
    const struct appendline a = {shardpath_place (counted.place),
                                 COUNTEDLINE_FILE, recorder_identity ()->host,
                                 COUNTEDLINE_FILE_MAX};
    struct countedline l;
    struct kernelio all, own;

    kernelio_take (&all, &own, &counted.ended);
    if (!all.known)
        return;
    libcio_loaded ();
    countedline_make (&l, how, &all, &own, late);
    (void)appendline (&a, l.text, l.used);
}

static int counted_has_something (void)
{
    return counted.place &&
           (counted.image || recorder_has_file () || sums_any ());
}

void counted_exit (uint64_t late)
{
    int saved_errno = errno;

    if (counted_has_something ())
        counted_write ("exit", late);
    errno = saved_errno;
}

void counted_exec (void)
{
    int saved_errno = errno;

    if (counted_has_something ())
        counted_write ("exec", 0);
    errno = saved_errno;
}
