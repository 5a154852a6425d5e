/* SPDX-License-Identifier: MIT
 *
 * dftrace.h - steps of an application, on the clock of its I/O
 *
 *     #include <dftrace/dftrace.h>
 *
 *     dftrace_region_t item = dftrace_begin ("data", "item");
 *     dftrace_arg_int (&item, "image_idx", index);
 *     …
 *     dftrace_end (&item);
 *
 * Header only: the functions are weak references. In a program that is not
 * traced they are absent and each use costs one test of a pointer; under
 * `--dftrace=app` or `dftrace run --layers app` the preload library has them.
 * Nothing needs to be linked.
 *
 * Threads: every function may be called from any thread and from signal
 * handlers. A region belongs to the thread that began it and is ended there;
 * regions nest in any depth; a struct may live on the stack.
 * Errors: there are none to handle. What cannot be recorded is counted, and
 * the count is in the trace. errno is never changed.
 * Strings: category, name and keys are copied; at most 255 bytes count. NULL
 * is taken as "".
 */
#ifndef DFTRACE_DFTRACE_H
#define DFTRACE_DFTRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DFTRACE_VERSION  1
#define DFTRACE_ARGS_MAX 16 /* arguments of one event; more are dropped */

/* One argument; keys and texts are ids that the tracer hands out. */
typedef struct {
    uint32_t key;
    uint32_t type; /* 1 int, 2 double, 3 text */
    union {
        int64_t i;
        double d;
        uint32_t text;
    } value;
} dftrace_arg_t;

/* A region that has begun. All fields are the tracer's. */
typedef struct {
    uint64_t start; /* ticks; 0: nothing is recorded */
    uint32_t name;
    uint32_t nargs;
    dftrace_arg_t args[DFTRACE_ARGS_MAX];
} dftrace_region_t;

/* --- what the preload library defines --------------------------------- */

#define DFTRACE_WEAK __attribute__ ((weak, visibility ("default")))

/* True when application events are being recorded. */
int dftrace_active (void) DFTRACE_WEAK;
void dftrace_region_begin (dftrace_region_t *r,
                           const char *category,
                           const char *name) DFTRACE_WEAK;
void dftrace_region_end (dftrace_region_t *r, int failed) DFTRACE_WEAK;
void dftrace_region_int (dftrace_region_t *r,
                         const char *key,
                         int64_t value) DFTRACE_WEAK;
void dftrace_region_double (dftrace_region_t *r,
                            const char *key,
                            double value) DFTRACE_WEAK;
void dftrace_region_text (dftrace_region_t *r,
                          const char *key,
                          const char *value) DFTRACE_WEAK;
void dftrace_event_instant (const char *category,
                            const char *name) DFTRACE_WEAK;
void dftrace_event_metadata (const char *key, const char *value) DFTRACE_WEAK;

/* --- what a program uses ---------------------------------------------- */

/* Begin a region, e.g. ("compute", "forward"). */
static inline dftrace_region_t dftrace_begin (const char *category,
                                              const char *name)
{
    dftrace_region_t r;

    r.start = 0;
    r.name = 0;
    r.nargs = 0;
    if (dftrace_region_begin)
        dftrace_region_begin (&r, category, name);
    return r;
}

/* End it: one event from begin to now. A second end does nothing. */
static inline void dftrace_end (dftrace_region_t *r)
{
    if (r->start)
        dftrace_region_end (r, 0);
}

/* End it as failed (an exception, an error return): the event says so. */
static inline void dftrace_end_failed (dftrace_region_t *r)
{
    if (r->start)
        dftrace_region_end (r, 1);
}

/* Arguments of the event, at any time before its end. image_size is in
 * bytes; step, epoch and image_idx count from where the program counts. */
static inline void
dftrace_arg_int (dftrace_region_t *r, const char *key, int64_t value)
{
    if (r->start)
        dftrace_region_int (r, key, value);
}

static inline void
dftrace_arg_double (dftrace_region_t *r, const char *key, double value)
{
    if (r->start)
        dftrace_region_double (r, key, value);
}

static inline void
dftrace_arg_text (dftrace_region_t *r, const char *key, const char *value)
{
    if (r->start)
        dftrace_region_text (r, key, value);
}

/* Something that has no duration. */
static inline void dftrace_instant (const char *category, const char *name)
{
    if (dftrace_event_instant)
        dftrace_event_instant (category, name);
}

/* A fact about this process, e.g. ("model", "gpt-125m"). */
static inline void dftrace_metadata (const char *key, const char *value)
{
    if (dftrace_event_metadata)
        dftrace_event_metadata (key, value);
}

#ifdef __cplusplus
}
#endif

#endif
