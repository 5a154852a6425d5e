/* SPDX-License-Identifier: MIT
 *
 * region.c - dftrace.h -> events of this thread's chunk
 *
 * In:  begin, arguments and end of regions, from the program
 * Out: struct record, to the recorder
 * Caveat: runs in the program's threads; keeps errno; no allocation.
 */
#include "config.h"

#include "preload/app/context.h"
#include "dftrace/dftrace.h"
#include "lib/format/event.h"
#include "lib/format/calls.h"
#include "preload/record/recorder.h"
#include "preload/record/usage.h"

enum { TEXT_MAX = 255, VALUE_MAX = EVENT_NAME_MAX };

_Static_assert((int)DFTRACE_ARGS_MAX == (int)EVENT_ARGS_MAX,
               "a region holds what an event holds");

static size_t length_of (const char *text, size_t max)
{
    return text ? strnlen (text, max) : 0;
}

static uint32_t
region_intern (enum shard_name_kind kind, const char *text, size_t max)
{
    return names_intern (kind, FILE_CLASS_UNKNOWN, text ? text : "",
                         length_of (text, max));
}

/* "category NUL name" */
static uint32_t intern_event (const char *category, const char *name)
{
    char both[2 * TEXT_MAX + 1];
    size_t n = length_of (category, TEXT_MAX);
    size_t m = length_of (name, TEXT_MAX);

    if (n > 0)
        memcpy (both, category, n);
    both[n] = '\0';
    if (m > 0)
        memcpy (both + n + 1, name, m);
    return names_intern (SHARD_NAME_EVENT, FILE_CLASS_UNKNOWN, both, n + 1 + m);
}

static void record (enum call call,
                    uint64_t start,
                    uint32_t name,
                    int failed,
                    const dftrace_arg_t *args,
                    uint32_t nargs)
{
    struct record_arg out[EVENT_ARGS_MAX];
    struct record r = {.call = (uint16_t)call,
                       .start = start,
                       .file = name,
                       .fd = -1,
                       .offset = -1,
                       .err = failed ? EPROTO : 0,
                       .ret = failed ? -1 : 0,
                       .args = out};

    if (nargs > EVENT_ARGS_MAX)
        nargs = EVENT_ARGS_MAX;
    for (uint32_t i = 0; i < nargs; i++) {
        out[i].key = args[i].key;
        out[i].type = (uint8_t)args[i].type;
        out[i].i = args[i].type == EVENT_ARG_INT ? args[i].value.i : 0;
        out[i].d = args[i].type == EVENT_ARG_DOUBLE ? args[i].value.d : 0;
        out[i].text = args[i].type == EVENT_ARG_TEXT ? args[i].value.text : 0;
    }
    r.end = clock_tick ();
    if (!r.start)
        r.start = r.end;
    if (call != CALL_metadata)
        nargs = context_args (r.start, out, nargs);
    if (call == CALL_region && (recorder_layers & LAYER_MMAP))
        nargs = usage_region_end (start, out, nargs);
    r.nargs = (uint8_t)nargs;
    recorder_record (&r);
}

/* Every public function is: errno kept, guard taken, work, guard left. */
static int enter (int *saved_errno)
{
    *saved_errno = errno;
    return (recorder_layers & LAYER_APP) && recorder_begun () &&
           recorder_enter ();
}

static void region_leave (int saved_errno)
{
    recorder_leave ();
    errno = saved_errno;
}

/* Now, where a region may begin. */
static uint64_t begin_tick (void)
{
    uint64_t tick;

    if (recorder_layers & LAYER_MMAP)
        usage_look ();
    tick = clock_tick ();
    if (recorder_layers & LAYER_MMAP)
        usage_region_begin (tick);
    if (recorder_layers & LAYER_PROFILE)
        recorder_region_begin (tick);
    return tick;
}

int dftrace_active (void)
{
    return (recorder_layers & LAYER_APP) != 0;
}

void dftrace_region_begin (dftrace_region_t *r,
                           const char *category,
                           const char *name)
{
    int saved_errno;

    r->start = 0;
    r->nargs = 0;
    if (!enter (&saved_errno))
        return;
    r->name = intern_event (category, name);
    r->start = begin_tick ();
    recorder_region_enter (r->name, r->start);
    region_leave (saved_errno);
}

void dftrace_region_end (dftrace_region_t *r, int failed)
{
    uint64_t start = r->start;
    int saved_errno;

    r->start = 0;
    if (!start || !enter (&saved_errno))
        return;
    recorder_region_leave (start);
    record (CALL_region, start, r->name, failed, r->args, r->nargs);
    region_leave (saved_errno);
}

/* Which steps are traced in full is for the recorder to know. */
static void region_step (const char *key, int64_t value)
{
    if (recorder_has_steps () && key && strcmp (key, "step") == 0)
        recorder_step (value);
}

/* The next free argument with its key, or NULL. */
static dftrace_arg_t *
region_next_arg (dftrace_region_t *r, const char *key, uint32_t type)
{
    dftrace_arg_t *a;

    if (r->nargs >= DFTRACE_ARGS_MAX)
        return NULL;
    a = &r->args[r->nargs++];
    a->key = region_intern (SHARD_NAME_KEY, key, TEXT_MAX);
    a->type = type;
    return a;
}

void dftrace_region_int (dftrace_region_t *r, const char *key, int64_t value)
{
    dftrace_arg_t *a;
    int saved_errno;

    if (!r->start || !enter (&saved_errno))
        return;
    region_step (key, value);
    a = region_next_arg (r, key, EVENT_ARG_INT);
    if (a)
        a->value.i = value;
    region_leave (saved_errno);
}

void dftrace_region_double (dftrace_region_t *r, const char *key, double value)
{
    dftrace_arg_t *a;
    int saved_errno;

    if (!r->start || !enter (&saved_errno))
        return;
    a = region_next_arg (r, key, EVENT_ARG_DOUBLE);
    if (a)
        a->value.d = value;
    region_leave (saved_errno);
}

void dftrace_region_text (dftrace_region_t *r,
                          const char *key,
                          const char *value)
{
    dftrace_arg_t *a;
    int saved_errno;

    if (!r->start || !enter (&saved_errno))
        return;
    a = region_next_arg (r, key, EVENT_ARG_TEXT);
    if (a)
        a->value.text = region_intern (SHARD_NAME_TEXT, value, VALUE_MAX);
    region_leave (saved_errno);
}

void dftrace_event_instant (const char *category, const char *name)
{
    int saved_errno;

    if (!enter (&saved_errno))
        return;
    record (CALL_instant, 0, intern_event (category, name), 0, NULL, 0);
    region_leave (saved_errno);
}

void dftrace_region_mark (dftrace_region_t *r)
{
    uint64_t start = r->start;
    int saved_errno;

    r->start = 0;
    if (!start || !enter (&saved_errno))
        return;
    if (recorder_layers & LAYER_MMAP)
        usage_region_drop (start);
    recorder_region_leave (start);
    record (CALL_instant, 0, r->name, 0, r->args, r->nargs);
    region_leave (saved_errno);
}

uint32_t dftrace_event_id (const char *category, const char *name)
{
    uint32_t id = 0;
    int saved_errno;

    if (!enter (&saved_errno))
        return 0;
    id = intern_event (category, name);
    region_leave (saved_errno);
    return id;
}

uint64_t dftrace_clock (void)
{
    uint64_t tick;
    int saved_errno;

    if (!(recorder_layers & (LAYER_MMAP | LAYER_PROFILE)) ||
        !enter (&saved_errno))
        return (recorder_layers & LAYER_APP) ? clock_tick () : 0;
    tick = begin_tick ();
    region_leave (saved_errno);
    return tick;
}

uint64_t dftrace_region_enter (uint32_t id)
{
    uint64_t tick;
    int saved_errno;

    if (!enter (&saved_errno))
        return 0;
    tick = begin_tick ();
    recorder_region_enter (id, tick);
    region_leave (saved_errno);
    return tick;
}

void dftrace_region_leave (uint64_t start)
{
    int saved_errno;

    if (!start || !enter (&saved_errno))
        return;
    recorder_region_leave (start);
    region_leave (saved_errno);
}

void dftrace_context_set (const char *key, int64_t value)
{
    int saved_errno;

    if (!enter (&saved_errno))
        return;
    region_step (key, value);
    context_set (region_intern (SHARD_NAME_KEY, key, TEXT_MAX), value,
                 clock_tick ());
    region_leave (saved_errno);
}

void dftrace_context_unset (const char *key)
{
    int saved_errno;

    if (!enter (&saved_errno))
        return;
    region_step (key, INT64_MIN);
    context_unset (region_intern (SHARD_NAME_KEY, key, TEXT_MAX),
                   clock_tick ());
    region_leave (saved_errno);
}

void dftrace_event_metadata (const char *key, const char *value)
{
    dftrace_arg_t a = {.type = EVENT_ARG_TEXT};
    int saved_errno;

    if (key && strcmp (key, RECORDER_HOOKED) == 0) {
        recorder_hooked = 1;
        return;
    }
    if (!enter (&saved_errno))
        return;
    a.key = region_intern (SHARD_NAME_KEY, key, TEXT_MAX);
    a.value.text = region_intern (SHARD_NAME_TEXT, value, VALUE_MAX);
    record (CALL_metadata, 0, intern_event ("dftrace", "metadata"), 0, &a, 1);
    region_leave (saved_errno);
}
