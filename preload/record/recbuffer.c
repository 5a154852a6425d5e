/* SPDX-License-Identifier: MIT
 *
 * recbuffer.c - finished calls and regions -> this thread's buffers
 *
 * In:  struct record
 * Out: an event in its chunk, else a call in its profile, else a loss that is
 *      counted: one of them, never two
 */
#include "config.h"

#include "preload/record/prof.h"
#include "preload/record/tbuf.h"
#include "preload/record/detailnow.h"
#include "preload/record/recbuffer.h"
#include "preload/record/recorder.h"
#include "preload/record/shardfile.h"
#include "preload/record/shardlive.h"
#include "preload/record/repeat.h"
#include "lib/format/calls.h"
#include "lib/base/sys.h"

enum { RETRY_EVENTS = 256 /* before the next try to get space */ };

/* A wiped one (a child's) is neither. */
static inline int recbuffer_is (const struct tbuf *t, int profile)
{
    const struct repeat *s = (const struct repeat *)t;

    return s && s->kind == (profile ? REPEAT_PROFILE : REPEAT_EVENTS);
}

/* A new one, in a child in the page that the kernel has wiped. */
static struct tbuf *recbuffer_take (int profile, struct tbuf *wiped)
{
    struct shard_process *head = shardlive ();

    if (profile && head->pid == (uint32_t)sys_getpid ())
        shardhead_profile (head);
    return threadbuf_take (recorder_settings (), profile, wiped);
}

/* This thread's buffer, or NULL. A handler may fork and return in the child,
 * where there is none any more: at any place. */
static struct tbuf *recbuffer_in_hand (int profile)
{
    struct recorder_thread *self = &recorder_self;
    struct tbuf *now = self->tbuf, *t;
    unsigned forks;

    if (recbuffer_is (now, profile))
        return now;
    recorder_check_fork ();
    if (recorder_have_file () < 0)
        return NULL;
    forks = recorder_forks ();
    now = self->tbuf;
    if (!now || !tbuf_valid (now))
        return self->tbuf = recbuffer_take (profile, now);
    t = recbuffer_is (self->other, profile) ? self->other
                                            : recbuffer_take (profile, NULL);
    if (!t || forks != recorder_forks ())
        return NULL;
    self->other = now;
    self->tbuf = t;
    return t;
}

static void recbuffer_lose (void)
{
    if (recorder_self.tbuf)
        tbuf_lose (recorder_self.tbuf);
    shardlive_count (&shardlive ()->lost_space, 1);
}

static int recbuffer_count (const struct record *r)
{
    struct tbuf *t = recbuffer_in_hand (1);

    return t ? tbuf_record (t, r) : -1;
}

/* There was no room for an event: for good, or for a while. */
static int recbuffer_go_on (const struct record *r)
{
    if (errno == EFBIG)
        detailnow_limit ();
    else
        recorder_self.backoff = RETRY_EVENTS;
    return recbuffer_count (r);
}

/* Events, for some time, or nothing at all. */
static int recbuffer_meanwhile (const struct record *r)
{
    recorder_self.backoff--;
    return recorder_self.mute ? -1 : recbuffer_count (r);
}

static int recbuffer_try (const struct record *r)
{
    unsigned forks = recorder_forks ();
    int profile = detailnow_profiles ();
    struct tbuf *t;

    if (recorder_self.backoff > 0)
        recorder_check_fork (); /* the loss must be counted where it belongs */
    if (recorder_self.backoff > 0)
        return recbuffer_meanwhile (r);
    recorder_self.mute = 0;
    t = recbuffer_in_hand (profile);
    if (t && tbuf_record (t, r) == 0)
        return 0;
    if (forks != recorder_forks ())
        return -1; /* the child tries anew */
    if (t && !profile && recbuffer_go_on (r) == 0)
        return 0;
    if (forks != recorder_forks ())
        return -1;
    recorder_self.backoff = RETRY_EVENTS;
    recorder_self.mute = 1;
    return -1;
}

/* No buffer yet, a child's wiped one, the other one, no room, or no space. */
static __attribute__ ((noinline)) void recbuffer_rarely (const struct record *r)
{
    if (r->end >= detailnow_due ())
        detailnow_look ();
    if (recbuffer_try (r) < 0)
        recbuffer_lose ();
}

void recorder_record (const struct record *r)
{
    struct recorder_thread *self = &recorder_self;
    struct tbuf *t = self->tbuf;

    if (t && recbuffer_is (t, 0) && /* another thread may end all of it now */
        !(__atomic_load_n (&recorder_layers, __ATOMIC_RELAXED) &
          LAYER_PROFILE) &&
        tbuf_repeat (t, r))
        return;
    if (__builtin_expect (self->backoff || r->end >= detailnow_due () ||
                              !recbuffer_is (t, detailnow_profiles ()) ||
                              tbuf_record (t, r) < 0,
                          0))
        recbuffer_rarely (r);
}

int recorder_run_next (const struct record *r, int64_t position, unsigned moves)
{
    struct tbuf *t = recorder_self.tbuf;
    int done = 0;

    if (recorder_enter ()) {
        done = recbuffer_is (t, 0) && tbuf_run_next (t, r, position, moves);
        recorder_leave ();
    }
    return done;
}

int recorder_run_of (void)
{
    const struct repeat *s = (const struct repeat *)recorder_self.tbuf;

    return s && s->run.place ? s->run.fd : -1;
}

int64_t recorder_run_end (int fd, int64_t now)
{
    int64_t next = -1;

    if (recorder_run_of () == fd && recorder_enter ()) {
        if (recorder_run_of () == fd)
            next = tbuf_run_end (recorder_self.tbuf, now);
        recorder_leave ();
    }
    return next;
}

void recorder_region_begin (uint64_t tick)
{
    struct tbuf *t = recbuffer_in_hand (detailnow_profiles ());
    struct prof *p = t ? tbuf_prof (t) : NULL;

    if (p)
        prof_begin (p, tick);
}

/* --- ends, forks ---------------------------------------------------------- */

void recbuffer_end (int last)
{
    struct tbuf *t = recorder_self.tbuf, *other = recorder_self.other;

    recorder_self.tbuf = recorder_self.other = NULL;
    if (other)
        threadbuf_end (other, last);
    threadbuf_end (t, last);
}

int recbuffer_valid (void)
{
    return !recorder_self.tbuf || tbuf_valid (recorder_self.tbuf);
}

void recbuffer_before_fork (void)
{
    if (recorder_self.tbuf)
        tbuf_before_fork (recorder_self.tbuf);
    if (recorder_self.other)
        tbuf_before_fork (recorder_self.other);
}

void recbuffer_after_fork (void)
{
    if (recorder_self.tbuf)
        tbuf_after_fork (recorder_self.tbuf);
    if (recorder_self.other)
        tbuf_after_fork (recorder_self.other);
}

/* Drop the other buffer, so that a wiped page stays free. */
static void recbuffer_drop_other (struct tbuf *other)
{
    if ((other = tbuf_drop (other)))
        tbufmem_free (other);
}

void recbuffer_forked (int busy)
{
    struct tbuf *t = recorder_self.tbuf, *other = recorder_self.other;

    if (busy && t)
        tbuf_leave (t);
    if (busy && other)
        tbuf_leave (other);
    if (!(busy && t))
        tbufmem_forked (t);
    if (!busy && other)
        recbuffer_drop_other (other);
    tbuf_regions_forked ();
    t = busy && t ? NULL : tbuf_drop (t);
    memset (&recorder_self, 0, sizeof (recorder_self));
    recorder_self.tbuf = t;
}
