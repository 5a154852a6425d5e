/* SPDX-License-Identifier: MIT
 *
 * usage.c - getrusage of a thread, as seldom as possible -> differences
 *
 * A thread's counters are taken as known for a gap after the tick at which
 * they were last looked at, and after each call or region edge that came
 * within a gap of the one before it.
 */
#include "config.h"

#include <string.h>

#include "lib/core/record/event.h"
#include "lib/core/sys.h"
#include "lib/core/record/usage.h"

enum {
    BLOCK_BYTES = 512,
    NS_PER_US = 1000,
    US_PER_S = 1000000,
    /* A read from the cache takes less than this, and copies as many bytes
     * in a nanosecond. 2026-11: 64 KiB take 10 us on a slow machine. */
    CALL_NS = 5000,
    COPY_BYTES = 4
};

/* Counters since the thread began. */
struct usage {
    uint64_t majflt, minflt, inblock;
    uint64_t quick; /* blocks that quick calls had */
    uint64_t system_us;
    uint64_t wait_ns; /* since its first look, outside of recorded calls */
};

struct open_region {
    uint64_t start; /* tick; 0: none */
    struct usage at;
};

static __thread struct {
    uint64_t known;  /* tick up to which `now` holds; 0: nothing known */
    uint64_t looked; /* tick of the last look */
    uint64_t cpu_ns; /* CPU time then */
    uint64_t told;   /* quick blocks that a call has told of */
    uint32_t reads;  /* quick calls since then that read */
    uint32_t depth;  /* regions that are open */
    struct usage now;
    uint32_t top; /* open regions ever; the ring keeps the last ones */
    struct open_region open[USAGE_REGIONS];
} self __attribute__ ((tls_model ("initial-exec")));

const char *const usage_keys[USAGE_COUNT] = {
#define USAGE(NAME, KEY, HELP) KEY,
#include "lib/core/record/usage.def"
#undef USAGE
};

void (*usage_new_thread) (void);

static SYS_START uint64_t gap_ns;
static uint64_t gap_ticks; /* 0: not known yet */
static uint64_t ns_scale;  /* ns a tick << 32 */
static uint32_t name_ids[USAGE_COUNT];

/* --- names and arguments ----------------------------------------------- */

uint32_t usage_name (enum usage_key key)
{
    uint32_t id = __atomic_load_n (&name_ids[key], __ATOMIC_RELAXED);

    if (id)
        return id;
    id = names_intern (SHARD_NAME_KEY, FILE_CLASS_UNKNOWN, usage_keys[key],
                       strlen (usage_keys[key]));
    __atomic_store_n (&name_ids[key], id, __ATOMIC_RELAXED);
    return id;
}

uint32_t usage_put (struct record_arg *args,
                    uint32_t n,
                    enum usage_key key,
                    uint64_t value)
{
    if (n < EVENT_ARGS_MAX)
        args[n++] = (struct record_arg){.key = usage_name (key),
                                        .type = EVENT_ARG_INT,
                                        .i = (int64_t)value};
    return n;
}

static uint32_t put_some (struct record_arg *args,
                          uint32_t n,
                          enum usage_key key,
                          uint64_t value)
{
    return value ? usage_put (args, n, key, value) : n;
}

/* --- looking ------------------------------------------------------------ */

void usage_start (uint64_t gap)
{
    gap_ns = gap;
}

void usage_atfork_child (void)
{
    memset (&self, 0, sizeof (self));
}

/* The rate of the clock is known a moment after the process has started. */
static void learn_clock (void)
{
    struct clock_pair pair = clock_pair ();
    uint64_t hz = clock_hz (&pair);

    ns_scale = (uint64_t)(((unsigned __int128)CLOCK_NS_PER_S << 32) / hz);
    __atomic_store_n (
        &gap_ticks,
        (uint64_t)((unsigned __int128)gap_ns * hz / CLOCK_NS_PER_S) + 1,
        __ATOMIC_RELEASE);
}

static uint64_t ticks_to_ns (uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * ns_scale >> 32);
}

static uint64_t minus (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* in_call: what was waited for since the last look is a recorded call's. */
static void look (uint64_t tick, int in_call)
{
    struct rusage r;
    uint64_t cpu = clock_ns (CLOCK_THREAD_CPUTIME_ID);

    if (sys_call (SYS_getrusage, RUSAGE_THREAD, &r) < 0)
        return;
    if (self.looked && !in_call)
        self.now.wait_ns += minus (ticks_to_ns (minus (tick, self.looked)),
                                   minus (cpu, self.cpu_ns));
    self.looked = tick;
    self.cpu_ns = cpu;
    /* Read-ahead that a quick call began: no fault waited for storage. */
    if (!in_call && self.reads && (uint64_t)r.ru_majflt == self.now.majflt)
        self.now.quick += minus ((uint64_t)r.ru_inblock, self.now.inblock);
    self.reads = 0;
    self.now.majflt = (uint64_t)r.ru_majflt;
    self.now.minflt = (uint64_t)r.ru_minflt;
    self.now.inblock = (uint64_t)r.ru_inblock;
    self.now.system_us =
        (uint64_t)r.ru_stime.tv_sec * US_PER_S + (uint64_t)r.ru_stime.tv_usec;
}

static void first_look (uint64_t tick)
{
    if (__atomic_load_n (&gap_ticks, __ATOMIC_ACQUIRE) == 0)
        learn_clock ();
    look (tick, 0);
    self.known = tick;
    if (usage_new_thread)
        usage_new_thread ();
}

/* The counters as of tick, which is now. */
static void look_if_due (uint64_t tick)
{
    if (__builtin_expect (self.known == 0, 0))
        first_look (tick);
    else if (minus (tick, self.known) > gap_ticks)
        look (tick, 0);
    self.known = tick;
}

void usage_look (void)
{
    look_if_due (clock_tick ());
}

/* --- calls --------------------------------------------------------------- */

void usage_call_begin (void)
{
    look_if_due (clock_tick ());
}

/* Did it take longer than data from the cache would? */
static int is_slow (const struct record *r)
{
    uint64_t ticks = minus (r->end, r->start);
    int class = call_table[r->call].class;

    if (ticks > gap_ticks)
        return 1;
    return (class == CALL_CLASS_READ || class == CALL_CLASS_COPY) &&
           ticks_to_ns (ticks) >
               CALL_NS + (uint64_t)(r->ret > 0 ? r->ret : 0) / COPY_BYTES;
}

uint32_t usage_call_end (const struct record *r, struct record_arg *args)
{
    struct usage before = self.now;
    uint32_t n = 0;

    if (self.known == 0)
        return 0;
    if (is_slow (r)) {
        look (r->end, 1);
        n = put_some (args, n, USAGE_MAJOR,
                      minus (self.now.majflt, before.majflt));
        n = put_some (args, n, USAGE_READ,
                      minus (self.now.inblock, before.inblock) * BLOCK_BYTES);
    } else if (call_table[r->call].class == CALL_CLASS_READ ||
               call_table[r->call].class == CALL_CLASS_COPY)
        self.reads++;
    self.known = r->end;
    if (self.depth == 0) { /* else the region does */
        n = put_some (args, n, USAGE_CALLS,
                      minus (self.now.quick, self.told) * BLOCK_BYTES);
        self.told = self.now.quick;
    }
    return n;
}

/* --- regions ------------------------------------------------------------- */

void usage_region_begin (uint64_t start)
{
    struct open_region *o = &self.open[self.top % USAGE_REGIONS];

    o->at = self.now;
    o->start = start;
    self.top++;
    self.depth++;
}

/* Forget the region and those above it that have ended. */
static struct open_region *take (uint64_t start)
{
    struct open_region *found = NULL;

    for (uint32_t i = 1; i <= USAGE_REGIONS && i <= self.top && !found; i++) {
        struct open_region *o = &self.open[(self.top - i) % USAGE_REGIONS];

        if (o->start == start)
            found = o;
    }
    if (found)
        found->start = 0;
    if (found && --self.depth == 0)
        self.told = self.now.quick;
    while (self.top && self.open[(self.top - 1) % USAGE_REGIONS].start == 0)
        self.top--;
    return found;
}

void usage_region_drop (uint64_t start)
{
    (void)take (start);
}

uint32_t usage_region_end (uint64_t start, struct record_arg *args, uint32_t n)
{
    struct open_region *o;
    uint64_t major, blocks;

    look_if_due (clock_tick ());
    o = take (start);
    if (!o)
        return n;
    major = minus (self.now.majflt, o->at.majflt);
    blocks = minus (self.now.inblock, o->at.inblock);
    if (!major && !blocks)
        return n;
    n = put_some (args, n, USAGE_MAJOR, major);
    n = put_some (args, n, USAGE_MINOR, minus (self.now.minflt, o->at.minflt));
    n = put_some (args, n, USAGE_READ, blocks * BLOCK_BYTES);
    n = put_some (args, n, USAGE_CALLS,
                  minus (self.now.quick, o->at.quick) * BLOCK_BYTES);
    n = put_some (args, n, USAGE_SYSTEM,
                  minus (self.now.system_us, o->at.system_us));
    return put_some (args, n, USAGE_WAIT,
                     minus (self.now.wait_ns, o->at.wait_ns) / NS_PER_US);
}
