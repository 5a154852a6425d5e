/* SPDX-License-Identifier: MIT
 *
 * recorder.c - finished calls and regions -> this thread's chunk
 *
 * The file is made at the first event, by whichever thread has it. A process
 * is one that started here or came out of fork; the slow path of every first
 * event in a thread checks which.
 */
#include "config.h"

#include <signal.h>
#include <stdatomic.h>

#include "lib/base/sys.h"
#include "lib/format/calls.h"
#include "preload/record/detailnow.h"
#include "preload/record/recbuffer.h"
#include "preload/record/recorder.h"
#include "preload/record/shardfile.h"
#include "preload/record/shardlive.h"
#include "preload/record/shardpart.h"
#include "preload/record/shardpath.h"
#include "preload/record/tbuf.h"
#include "preload/record/usage.h"

/* Greater than these: the thread that makes the file. */
enum { STATE_IDLE = 0, STATE_READY, STATE_FAILED };
enum {
    YIELDS = 100, /* while another thread makes the file, then */
    NAPS = 20000, /* as many of these; 2 s or more in all, then some are lost */
    NAPS_AGAIN = 1000, /* where that was not enough before */
    NAP_NS = 100000,
    LEFT_MAX = 64 /* chunks that a thread may leave behind by jumps */
};

/* In one page, with the path of the program. */
static SYS_LAST _Alignas(4096) struct procinfo process_info;

static SYS_STATE struct {
    const struct settings *settings;
    struct shardfile_start start;
    unsigned layers; /* as asked for */
    unsigned forks;  /* that made us what we are */
    uint32_t ended;  /* enum shard_ended, once it is known */
    _Atomic int state;
    _Atomic int slow;             /* a thread has waited for the file in vain */
    struct recorder_wiped *wiped; /* NULL: an old kernel */
    struct clock_mark began;      /* for start */
} process;

SYS_STATE unsigned recorder_layers;
SYS_STATE int recorder_aside;

__thread struct recorder_thread recorder_self
    __attribute__ ((tls_model ("initial-exec")));

/* The state while this thread makes the file. */
static int making (void)
{
    return STATE_FAILED + (int)sys_gettid ();
}

/* Now, or at the fork that made this process. */
static void note_start (void)
{
    struct recorder_wiped *w = process.wiped;

    process.began = clock_mark ();
    if (w && w->born) {
        process.began.ns -= clock_ns_since (&process.began, w->born);
        process.began.cycles = w->born;
        w->born = 0;
    }
    process.start.real_ns = clock_real (process.began.ns);
    process.start.pid = sys_getpid ();
    if (w)
        w->ours = 1;
}

unsigned recorder_forks (void)
{
    return process.forks;
}

pid_t recorder_pid (void)
{
    return process.start.pid;
}

uint64_t recorder_start_real (void)
{
    return process.start.real_ns;
}

const struct settings *recorder_settings (void)
{
    return process.settings;
}

const struct procinfo *recorder_identity (void)
{
    return &process_info;
}

int recorder_start (const struct settings *s, struct settings_pass *environment)
{
    unsigned layers =
        s->layers & (LAYER_POSIX | LAYER_STDIO | LAYER_APP | LAYER_MMAP |
                     LAYER_NET | LAYERS_ABOVE | LAYER_PROFILE);

    if (!(layers & ~LAYER_PROFILE) || s->job_dir[0] != '/')
        return -1;
    sys_page_start ();
    process.settings = s;
    process.layers = layers;
    shardplace_start (strcmp (SETTING_TEXT (s, made), s->job_dir) != 0);
    process.wiped = recorder_wiped (); /* else the pid alone must tell */
    clock_start ();
    procinfo_init (&process_info,
                   environment ? settings_passed : settings_environ,
                   environment);
    note_start ();
    if (layers & LAYER_MMAP)
        usage_start (s->usage_gap);
    recorder_layers =
        detailnow_start (s, layers, &process_info.ids, process.start.real_ns);
    return 0;
}

/* --- fork ----------------------------------------------------------- */

static void look_for_children (void)
{
    int state = STATE_IDLE;

    if (recorder_self.busy || !lookahead_due () || !recorder_enter ())
        return;
    if (atomic_compare_exchange_strong (&process.state, &state, making ())) {
        lookahead (process.settings, &process_info);
        atomic_store (&process.state, STATE_IDLE);
    } else if (state == STATE_READY)
        lookahead (NULL, NULL);
    recorder_leave ();
}

void recorder_before_fork (void)
{
    if (recorder_self.busy)
        recbuffer_before_fork ();
    look_for_children ();
}

void recorder_after_fork (void)
{
    if (recorder_self.busy)
        recbuffer_after_fork ();
}

void recorder_atfork_child (void)
{
    int busy = recorder_self.busy != 0;

    if (!process.settings)
        return;
    recbuffer_forked (busy);
    shardfile_forget (busy);
    process.forks++;
    detailnow_forked ();
    names_forked ();
    threadbuf_forked ();
    if (process.layers & LAYER_MMAP) /* else it is two pages of zeros */
        usage_atfork_child ();
    atomic_store (&process.state, STATE_IDLE);
    note_start ();
}

/* A child that came into being behind our back (clone, without our hook), or
 * returned from a signal handler that forked just before we were asked? One
 * that shares our memory (vfork) is not: what it did to our state would be
 * the parent's, so its events are the parent's, too. */
void recorder_check_fork (void)
{
    uintptr_t busy = recorder_self.busy;

    if (sys_getpid () == process.start.pid ||
        (process.wiped && process.wiped->ours))
        return;
    if (!recorder_begin ())
        recorder_atfork_child ();
    recorder_self.busy = busy;
}

/* --- file and chunk ------------------------------------------------- */

/* Not for ever: to be tried again after RETRY_EVENTS. */
static int passes (int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == ENOSPC || error == EDQUOT || error == EINTR;
}

/* When the process began, by the clock that has been chosen since. */
static void say_start (void)
{
    struct clock_pair now = clock_pair (), then = clock_at (&process.began);

    process.start.tick = then.tick;
    process.start.mono_ns = then.ns;
    process.start.hz = clock_hz (&now);
}

static int recorder_make_file (void)
{
    unsigned forks = process.forks;
    int rc, failed;

    say_start ();
    rc = shardfile_create (process.settings, &process_info, &process.start);
    failed = passes (errno) ? STATE_IDLE : STATE_FAILED;
    if (forks != process.forks)
        return -1; /* in a signal handler: the child knows what it has */
    if (rc < 0 && failed == STATE_FAILED)
        recorder_count_untraced (); /* where an ancestor has a file */
    atomic_store (&process.state, rc < 0 ? failed : STATE_READY);
    return rc;
}

int recorder_have_file (void)
{
    int naps = atomic_load (&process.slow) ? NAPS_AGAIN : NAPS;

    for (int i = 0; i < YIELDS + naps; i++) {
        int state = STATE_IDLE;

        if (atomic_compare_exchange_strong (&process.state, &state, making ()))
            return recorder_make_file ();
        if (state <= STATE_FAILED)
            return state == STATE_READY ? 0 : -1;
        if (i < YIELDS)
            sys_yield ();
        else
            sys_nap (NAP_NS);
    }
    atomic_store (&process.slow, 1);
    return -1;
}

void recorder_keep (void)
{
    shardplace_start (0);
    if (!recorder_has_file () || !recorder_enter ())
        return;
    shardfile_keep ();
    recorder_leave ();
}

void recorder_leave_tree (void)
{
    if (!recorder_left && recorder_enter ()) {
        recorder_check_fork ();
        (void)recorder_have_file ();
        recorder_leave ();
    }
    recorder_left = 1;
    recorder_keep ();
}

int recorder_has_file (void)
{
    return atomic_load (&process.state) == STATE_READY;
}

int recorder_may_rest (void)
{
    const struct tbuf *t = recorder_self.tbuf;

    return filespace_kept || (t && !tbuf_mapped (t));
}

void recorder_rank (int32_t rank, uint32_t ranks)
{
    struct shard_process *ids = &process_info.ids, *head;

    if ((ids->rank == rank && ids->ranks == ranks) || !recorder_enter ())
        return;
    detailnow_rank (rank, ranks);
    recorder_check_fork ();
    (void)recorder_have_file ();
    ids->rank = rank;
    ids->ranks = ranks;
    head = shardlive ();
    if (recorder_has_file () && head->pid == (uint32_t)sys_getpid ())
        shardhead_rank (head, rank, ranks);
    recorder_leave ();
}

/* --- our own code, interrupted -------------------------------------------- */

static int on_signal_stack (void)
{
    stack_t now;

    return sys_call (SYS_sigaltstack, NULL, &now) < 0 ||
           (now.ss_flags & SS_ONSTACK);
}

/* A handler is further down the stack than what it interrupted. What is not may
 * all the same be gone back to (a program that switches stacks in a handler),
 * so nothing is unmapped; what was recorded is in the file. */
static int begin_anew (uintptr_t stack)
{
    int state;

    if (stack < recorder_self.busy || recorder_self.left >= LEFT_MAX ||
        on_signal_stack ())
        return 0;
    state = making ();
    if (atomic_compare_exchange_strong (&process.state, &state, STATE_IDLE))
        note_start (); /* what was begun has the name that we would take */
    recorder_self = (struct recorder_thread){.left = recorder_self.left + 1};
    return 1;
}

int recorder_enter_busy (uintptr_t stack)
{
    shardlive_count (&shardlive ()->lost_busy, 1);
    if (!begin_anew (stack))
        return 0;
    recorder_self.busy = stack;
    return 1;
}

void recorder_look_busy (uintptr_t stack)
{
    int saved_errno = errno;

    if (begin_anew (stack))
        shardlive_count (&shardlive ()->lost_busy, 1);
    errno = saved_errno;
}

/* --- ends ----------------------------------------------------------- */

void recorder_thread_end (void)
{
    if (recorder_aside || !recorder_self.tbuf || !recorder_enter ())
        return;
    recbuffer_end (0);
    recorder_leave ();
}

static int recorder_is_own (void)
{
    return (!process.wiped || process.wiped->ours) &&
           sys_getpid () == process.start.pid;
}

void recorder_ended (int status)
{
    if (recorder_aside || !recorder_is_own ())
        return;
    process.ended = SHARD_ENDED_EXIT | ((uint32_t)status & SHARD_ENDED_NUMBER);
    if (!recorder_layers && filespace_kept && recorder_has_file () &&
        shardlive ()->end_ns)
        shardlive ()->ended = process.ended;
}

/* Only GNU's libc has it: to others exit () does not say its status. */
extern int on_exit (void (*) (int, void *), void *) __attribute__ ((weak));

/* exit () says its status only after our end: then recorder_ended corrects it,
 * where that may be stored. */
static uint32_t recorder_end (void)
{
    return process.ended || !filespace_kept || !on_exit ? process.ended
                                                        : SHARD_ENDED_EXIT;
}

void recorder_finish (void)
{
    if (!recorder_layers || !recorder_is_own ())
        return;
    __atomic_store_n (&recorder_layers, 0, __ATOMIC_RELAXED);
    if (atomic_load (&process.state) != STATE_READY || !recorder_enter ())
        return;
    if (recbuffer_valid ())
        recbuffer_end (1);
    shardfile_finish (clock_ns (CLOCK_MONOTONIC), recorder_end ());
    if (!recorder_left)
        orphan_finish (process.settings, &process_info, &process.start);
    recorder_leave ();
}

/* Room in the file stays to be had, as this may be taken back. */
void recorder_step_aside (void)
{
    __atomic_store_n (&recorder_layers, 0, __ATOMIC_RELAXED);
    if (atomic_load (&process.state) == STATE_READY && recorder_enter ()) {
        recbuffer_end (0);
        shardfile_finish (clock_ns (CLOCK_MONOTONIC), 0);
        recorder_leave ();
    }
    recorder_aside = 1;
}

void recorder_step_back (void)
{
    recorder_aside = 0;
    shardlive ()->end_ns = 0;
    recorder_layers = process.layers;
    detailnow_again ();
}

/* ---- what a process says of itself besides its events ---- */

int recorder_hooked;
SYS_STATE int recorder_left;

static SYS_START int (*check) (void); /* of recorder_begin_by */

void recorder_begin_by (int (*function) (void))
{
    check = function;
}

int recorder_begun (void)
{
    const struct recorder_wiped *w = check ? recorder_wiped () : NULL;

    return !w || w->alive || check ();
}

int recorder_begin (void)
{
    const struct recorder_wiped *w = check ? recorder_wiped () : NULL;

    return w && !w->alive && check ();
}

void recorder_lose_name (void)
{
    shardlive_count (&shardlive ()->lost_names, 1);
}

void recorder_count_untraced (void)
{
    shardlive_count (&shardlive ()->untraced, 1);
}

void recorder_count_ring (void)
{
    (void)__atomic_fetch_add (&shardlive ()->rings, 1, __ATOMIC_RELAXED);
}

void recorder_count_requests (uint64_t n)
{
    shardlive_count (&shardlive ()->requests, n);
}

void recorder_exec (int begins)
{
    uint64_t ns = begins ? clock_ns (CLOCK_MONOTONIC) : 0;

    if (!recorder_has_file ()) /* the counters may be an ancestor's */
        return;
    __atomic_store_n (&shardlive ()->exec_ns, ns, __ATOMIC_RELAXED);
}
