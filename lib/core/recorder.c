/* SPDX-License-Identifier: MIT
 *
 * recorder.c - finished calls and regions -> this thread's chunk
 *
 * The file is made at the first event, by whichever thread has it. A process
 * is one that started here or came out of fork; the slow path of every first
 * event in a thread checks which.
 */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/core/layers.h"
#include "lib/core/recorder.h"
#include "lib/core/sys.h"
#include "lib/core/tbuf.h"

enum { STATE_IDLE = 0, STATE_MAKING, STATE_READY, STATE_FAILED };
enum {
    YIELDS = 100, /* while another thread makes the file, then */
    NAPS = 1000,  /* as many of these; 100 ms in all, then 256 are lost */
    NAP_NS = 100000,
    RETRY_EVENTS = 256 /* lost ones before the next try to get space */
};

static struct {
    const struct settings *settings;
    struct procinfo info;
    struct shardfile_start start;
    unsigned layers; /* as asked for */
    _Atomic int state;
    int *ours; /* 1; 0 in a child with a copy of our memory (wiped) */
} process;

unsigned recorder_layers;

__thread struct recorder_thread recorder_self
    __attribute__ ((tls_model ("initial-exec")));

static void note_start (void)
{
    struct clock_pair now = clock_pair ();

    process.start.tick = now.tick;
    process.start.mono_ns = now.ns;
    process.start.hz = clock_hz (&now);
    process.start.real_ns = clock_ns (CLOCK_REALTIME);
    process.start.pid = sys_getpid ();
    if (process.ours)
        *process.ours = 1;
}

/* Without such a page (old kernel) the pid alone must tell. */
static int *page_wiped_on_fork (void)
{
    int *p = sys_memory (sizeof (*p));

    if (p && sys_madvise (p, sizeof (*p), MADV_WIPEONFORK) < 0) {
        (void)sys_munmap (p, sizeof (*p));
        p = NULL;
    }
    return p;
}

int recorder_start (const struct settings *s)
{
    unsigned layers = s->layers & (LAYER_POSIX | LAYER_STDIO | LAYER_APP);

    if (!layers || s->job_dir[0] != '/')
        return -1;
    process.settings = s;
    process.layers = layers;
    process.ours = page_wiped_on_fork ();
    clock_start ();
    procinfo_init (&process.info, settings_environ, NULL);
    note_start ();
    recorder_layers = layers;
    return 0;
}

/* --- fork ----------------------------------------------------------- */

void recorder_atfork_child (void)
{
    if (!process.settings)
        return;
    tbuf_drop (recorder_self.tbuf);
    memset (&recorder_self, 0, sizeof (recorder_self));
    shardfile_forget ();
    atomic_store (&process.state, STATE_IDLE);
    note_start ();
}

/* A child that came into being behind our back (clone, without our hook)? One
 * that shares our memory (vfork) is not: what it did to our state would be
 * the parent's, so its events are the parent's, too. */
static void check_fork (void)
{
    if (sys_getpid () == process.start.pid || (process.ours && *process.ours))
        return;
    recorder_atfork_child ();
    recorder_self.busy = 1;
}

/* --- file and chunk ------------------------------------------------- */

/* Not for ever: to be tried again after RETRY_EVENTS. */
static int passes (int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == ENOSPC || error == EDQUOT || error == EINTR;
}

static int make_file (void)
{
    int rc = shardfile_create (process.settings, &process.info, &process.start);
    int failed = passes (errno) ? STATE_IDLE : STATE_FAILED;

    atomic_store (&process.state, rc < 0 ? failed : STATE_READY);
    return rc;
}

static int have_file (void)
{
    for (int i = 0; i < YIELDS + NAPS; i++) {
        int state = STATE_IDLE;

        if (atomic_compare_exchange_strong (&process.state, &state,
                                            STATE_MAKING))
            return make_file ();
        if (state != STATE_MAKING)
            return state == STATE_READY ? 0 : -1;
        if (i < YIELDS)
            sys_yield ();
        else
            sys_nap (NAP_NS);
    }
    return -1;
}

static uint32_t chunk_bytes (void)
{
    uint64_t n = process.settings->chunk;

    if (n < SHARD_CHUNK_MIN)
        n = SHARD_CHUNK_MIN;
    if (n > SHARD_CHUNK_MAX / 2)
        n = SHARD_CHUNK_MAX / 2;
    return (uint32_t)(n & ~(uint64_t)(SHARD_ALIGN - 1));
}

/* This thread's buffer, or NULL. */
static struct tbuf *thread_tbuf (void)
{
    if (recorder_self.tbuf && tbuf_valid (recorder_self.tbuf))
        return recorder_self.tbuf;
    check_fork ();
    if (have_file () < 0)
        return NULL;
    recorder_self.tbuf = tbuf_create (chunk_bytes ());
    return recorder_self.tbuf;
}

static void lose (void)
{
    if (recorder_self.tbuf)
        tbuf_lose (recorder_self.tbuf);
    shardfile_count (&shardfile_live ()->lost_space, 1);
}

/* No buffer yet, a child's wiped one, no room, or no space. */
static __attribute__ ((noinline)) void record_slowly (const struct record *r)
{
    struct tbuf *t;

    if (recorder_self.backoff > 0)
        check_fork (); /* the loss must be counted where it belongs */
    if (recorder_self.backoff > 0) {
        recorder_self.backoff--;
        lose ();
        return;
    }
    t = thread_tbuf ();
    if (t && tbuf_record (t, r) == 0)
        return;
    recorder_self.backoff = RETRY_EVENTS;
    lose ();
}

void recorder_record (const struct record *r)
{
    struct tbuf *t = recorder_self.tbuf;

    if (__builtin_expect (!t || !tbuf_repeat (t, r), 0))
        record_slowly (r);
}

void recorder_count_busy (void)
{
    shardfile_count (&shardfile_live ()->lost_busy, 1);
}

/* --- ends ----------------------------------------------------------- */

static void end_thread (int last)
{
    struct tbuf *t = recorder_self.tbuf;

    recorder_self.tbuf = NULL;
    tbuf_end (t, last);
}

void recorder_thread_end (void)
{
    if (!recorder_self.tbuf || !recorder_enter ())
        return;
    end_thread (0);
    recorder_leave ();
}

void recorder_finish (void)
{
    if (!recorder_layers || sys_getpid () != process.start.pid)
        return;
    recorder_layers = 0;
    if (atomic_load (&process.state) != STATE_READY || !recorder_enter ())
        return;
    if (recorder_self.tbuf && tbuf_valid (recorder_self.tbuf))
        end_thread (1);
    shardfile_finish (clock_ns (CLOCK_MONOTONIC));
    recorder_leave ();
}

void recorder_count_untraced (void)
{
    shardfile_count (&shardfile_live ()->untraced, 1);
}
