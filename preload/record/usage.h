/* SPDX-License-Identifier: MIT
 *
 * usage.h - what the kernel counts for a thread -> arguments of its events
 *
 * In:  begin and end of regions (app/) and of calls (preload/), layer mmap
 * Out: page faults, bytes from storage and waiting between the two
 *
 * The kernel is asked (getrusage and the thread's CPU clock, about half a
 * microsecond) only where the thread was out of sight for longer than the
 * setting usage_gap, and after reads that took longer than the cache would:
 * what took less has not waited for storage. So the cost is bounded by that
 * setting, and calls and regions in quick succession cost nothing.
 *
 * Async-signal-safe; no allocation; errno may change.
 */
#pragma once

#include "lib/format/usagekeys.h"
#include "preload/record/recorder.h"

/* Id of a key's name in this process; 0 when there is no room. */
uint32_t usage_name (enum usage_key key);

/* Append key = value to n arguments, which have room for EVENT_ARGS_MAX;
 * returns how many there are then. */
uint32_t usage_put (struct record_arg *args,
                    uint32_t n,
                    enum usage_key key,
                    uint64_t value);

/* As usage_put, for a text of n bytes. */
uint32_t usage_put_text (struct record_arg *args,
                         uint32_t count,
                         enum usage_key key,
                         const char *text,
                         size_t n);

/* Once, before threads, where layer mmap is traced. gap in ns. */
void usage_start (uint64_t gap);

/* In a child of fork: its counters begin at 0. */
void usage_atfork_child (void);

/* Counters of a thread since it began. */
struct usage {
    uint64_t majflt, minflt, inblock; /* of getrusage */
    uint64_t quick;                   /* blocks that quick calls had */
    uint64_t system_us;
    uint64_t wait_ns; /* since its first look, outside of recorded calls */
};

/* Counters of this process at the last look at its threads. */
struct usage_process {
    /* In no region: bytes that did not come in slow calls, and how long the
     * threads neither ran nor waited for a CPU meanwhile. */
    uint64_t outside_bytes, outside_wait_ns;
    /* Counters of the recorder itself, not in any other number of layer mmap.
     */
    uint64_t own_bytes, own_major, own_minor;
};
struct usage_process usage_process (void);

/* Around what the recorder does with its files, where the file system may have
 * to read what it knows of them: what the kernel counts meanwhile for the
 * calling thread, and the time that it waits, are not the program's. Nothing
 * where usage_start was not called. _end keeps errno. */
struct usage_own {
    struct usage at;
    int asked;
};
void usage_own_begin (struct usage_own *o);
void usage_own_end (const struct usage_own *o);

/* Called in each thread at its first call or region; NULL: nobody. */
extern void (*usage_new_thread) (void);

/* Around a recorded call. _end gives its arguments, 0 when it was quick or
 * has nothing to tell. */
void usage_call_begin (void);
uint32_t usage_call_end (const struct record *r, struct record_arg *args);

/* A region begins: start is its tick, by which its end finds it again. A
 * thread remembers the last USAGE_REGIONS that are open. */
enum { USAGE_REGIONS = 32 };
void usage_look (void); /* before start is taken */
void usage_region_begin (uint64_t start);
void usage_region_drop (uint64_t start); /* it was none */
uint32_t usage_region_end (uint64_t start, struct record_arg *args, uint32_t n);
