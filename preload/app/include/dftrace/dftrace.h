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

#define DFTRACE_VERSION     1
#define DFTRACE_ARGS_MAX    16 /* arguments of one event; more are dropped */
#define DFTRACE_CONTEXT_MAX 4

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

/* For bindings: the id of a name for the life of the process (0: none), and
 * now in ticks (0: not recorded). A region whose start, name and nargs (0)
 * are set from these is as good as one that began here. */
uint32_t dftrace_event_id (const char *category, const char *name) DFTRACE_WEAK;
uint64_t dftrace_clock (void) DFTRACE_WEAK;
/* The same, and this thread is in the region of that id until it ends. */
uint64_t dftrace_region_enter (uint32_t id) DFTRACE_WEAK;
/* It has ended, and is not recorded. */
void dftrace_region_leave (uint64_t start) DFTRACE_WEAK;
/* Record the region's name and arguments as an instant, now. */
void dftrace_region_mark (dftrace_region_t *r) DFTRACE_WEAK;
void dftrace_context_set (const char *key, int64_t value) DFTRACE_WEAK;
void dftrace_context_unset (const char *key) DFTRACE_WEAK;

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

/* A number that changes, e.g. ("memory", "resident"): an instant whose
 * argument "value" is it. */
static inline void
dftrace_counter (const char *category, const char *name, double value)
{
    if (dftrace_region_mark) {
        dftrace_region_t r = dftrace_begin (category, name);

        dftrace_arg_double (&r, "value", value);
        dftrace_region_mark (&r);
    }
}

static inline void
dftrace_counter_int (const char *category, const char *name, int64_t value)
{
    if (dftrace_region_mark) {
        dftrace_region_t r = dftrace_begin (category, name);

        dftrace_arg_int (&r, "value", value);
        dftrace_region_mark (&r);
    }
}

/* Where the program is. Every region, instant and counter of this process
 * that begins after it has the argument, in all threads, unless it has one
 * of that key of its own. At most DFTRACE_CONTEXT_MAX keys. A region that
 * began before has the value of then. */
static inline void dftrace_context (const char *key, int64_t value)
{
    if (dftrace_context_set)
        dftrace_context_set (key, value);
}

static inline void dftrace_context_end (const char *key)
{
    if (dftrace_context_unset)
        dftrace_context_unset (key);
}

static inline void dftrace_step (int64_t step)
{
    dftrace_context ("step", step);
}

static inline void dftrace_epoch (int64_t epoch)
{
    dftrace_context ("epoch", epoch);
}

/* A fact about this process, e.g. ("model", "gpt-125m"). */
static inline void dftrace_metadata (const char *key, const char *value)
{
    if (dftrace_event_metadata)
        dftrace_event_metadata (key, value);
}

#ifdef __cplusplus
}

#include <exception>

namespace dftrace {

/* A region as long as the scope; one that an exception leaves has failed. */
class region {
  public:
    region (const char *category, const char *name) noexcept
        : r_ (dftrace_begin (category, name)), thrown_ (thrown ())
    {
    }
    ~region ()
    {
        if (thrown () > thrown_)
            dftrace_end_failed (&r_);
        else
            dftrace_end (&r_);
    }
    region (const region &) = delete;
    region &operator= (const region &) = delete;

    region &arg (const char *key, double value) noexcept
    {
        dftrace_arg_double (&r_, key, value);
        return *this;
    }
    region &arg (const char *key, const char *value) noexcept
    {
        dftrace_arg_text (&r_, key, value);
        return *this;
    }
    template <typename integer>
    region &arg (const char *key, integer value) noexcept
    {
        dftrace_arg_int (&r_, key, static_cast<int64_t> (value));
        return *this;
    }

  private:
    static int thrown () noexcept
    {
#if __cplusplus >= 201703L
        return std::uncaught_exceptions ();
#else
        return std::uncaught_exception () ? 1 : 0;
#endif
    }

    dftrace_region_t r_;
    int thrown_;
};

} // namespace dftrace

#define DFTRACE_JOIN_(A, B) A##B
#define DFTRACE_JOIN(A, B)  DFTRACE_JOIN_ (A, B)
/* Region until the end of this scope: DFTRACE_SCOPE ("compute", "step"); */
#define DFTRACE_SCOPE(CATEGORY, NAME)                         \
    ::dftrace::region DFTRACE_JOIN (dftrace_scope_, __LINE__) \
    {                                                         \
        CATEGORY, NAME                                        \
    }
#endif

#endif
