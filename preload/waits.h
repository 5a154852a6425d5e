/* SPDX-License-Identifier: MIT
 *
 * waits.h - what a thread knows of its own waiting -> events of category WAIT
 *
 * In:  calls that wait and move no bytes; recorded calls that took long
 * Out: wait_sleep, wait_poll, wait_child, …, with their true begin and end;
 *      wait_runq inside of a call, while the thread had no processor
 *
 * Only waits of 1 ms and more, for children of 0.2 ms and more, and only in a
 * process that has a file. Whatever is asked of the kernel is asked after such
 * a wait.
 */
#pragma once

#include "preload/span.h"

/* Once, before threads. */
void waits_start (const struct settings *s);

/* At the end of the process, before the recorder's. Keeps errno. */
void waits_finish (void);

/* A child of fork has recorded nothing, and ends: has it computed so long that
 * it is worth a file? */
int waits_began_worth (void);

/* A wait of ns is over: there is a file, or the process has waited so long that
 * it is worth one. Waiting for a child is not. */
int waits_has_place (enum call wait, uint64_t ns);

/* In a child of fork, when it begins. The sampler has been paused. */
void waits_forked (void);
void waits_paused (void);

/* A thread of our own has begun for another reason: no later than now it
 * samples the program's threads, too. Not in a memory allocator. Keeps errno.
 */
void waits_have_thread (void);

/* The setting. */
extern int waits_wanted __attribute__ ((visibility ("hidden")));

/* Around the real call: a word of enum lastword_wait; timed: the word says
 * since when. */
struct waits_span {
    uint64_t start;
    unsigned char active, ticks;
    unsigned char begun; /* 0: in a child that has recorded nothing */
};

static inline void waits_begin (struct waits_span *w, unsigned word, int timed)
{
    w->active = recorder_layers != 0;
    if (!w->active)
        return;
    w->begun = process_has_begun ();
    if (w->begun && !process_is_ours ()) {
        w->active = 0;
        return;
    }
    if (w->begun)
        repeat_say (
            lastword_put (word, LASTWORD_NO_FD, timed ? clock_tick () : 0));
    if (w->begun)
        waits_pulse ();
    w->ticks = clock_known () > 0;
    w->start = w->ticks ? clock_tick () : clock_ns (CLOCK_MONOTONIC);
}

/* fd: the only descriptor that it waited for, -1: none, or several. Keeps
 * errno. */
void waits_ended (const struct waits_span *w, enum call wait, int fd);

static inline void
waits_end (const struct waits_span *w, enum call wait, int fd)
{
    if (!w->active)
        return;
    if (w->begun)
        repeat_say (0);
    waits_ended (w, wait, fd);
}

/* A wait in which the thread makes no call is cut into n + 1 parts: until when
 * (CLOCK_REALTIME) the next one goes. 0: it need not be cut any more. Keeps
 * errno. */
int waits_cut (int n, struct timespec *until);

/* The kind of a wait for this descriptor: wait_pipe, wait_net, or wait_poll
 * where it is of another kind. May change errno. */
enum call waits_for (int fd);

/* A call has been recorded, and took REPEAT_LONG or more. Keeps errno. */
void waits_after (const struct record *r);

/* How long the main thread was on a processor and waited for one, ns, and how
 * often it was given one. -1: it is not known. May change errno. */
int waits_main (uint64_t n[3]);

/* A wait of ns has ended: what the thread had of processors until now is not of
 * its next call. May change errno. */
void waits_look (uint64_t ns);
