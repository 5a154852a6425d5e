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
#include "lib/core/record/highfd.h"
#include "lib/core/sys.h"
#include "lib/core/record/usage.h"

enum {
    BLOCK_BYTES = 512,
    NS_PER_US = 1000,
    US_PER_S = 1000000,
    /* So long a thread has waited before it is asked how long of it was for a
     * CPU, which takes some 3 us. */
    SETTLE_NS = 200000,
    WAIT_US = 100, /* of a region that may have waited for another's page */
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
    /* since its run delay was read last: */
    uint64_t waited_ns;  /* outside of recorded calls */
    uint64_t in_call_ns; /* in slow ones */
    uint64_t delay_ns;   /* run delay then */
    uint64_t debt_ns;    /* still to be taken off */
    uint32_t reads;      /* quick calls since then that read */
    uint32_t depth;      /* regions that are open */
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

/* Of the process, in no region: bytes that came while a thread was out of
 * sight, and how long it neither ran nor waited for a CPU. */
static struct usage_outside outside;

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

uint32_t usage_put_text (struct record_arg *args,
                         uint32_t count,
                         enum usage_key key,
                         const char *text,
                         size_t n)
{
    if (count < EVENT_ARGS_MAX)
        args[count++] = (struct record_arg){
            .key = usage_name (key),
            .type = EVENT_ARG_TEXT,
            .text =
                names_intern (SHARD_NAME_TEXT, FILE_CLASS_UNKNOWN, text, n)};
    return count;
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
    memset (&outside, 0, sizeof (outside));
}

struct usage_outside usage_outside (void)
{
    return (struct usage_outside){
        .bytes = __atomic_load_n (&outside.bytes, __ATOMIC_RELAXED),
        .wait_ns = __atomic_load_n (&outside.wait_ns, __ATOMIC_RELAXED)};
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

static uint64_t usage_minus (uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* How long this thread has waited for a CPU since it began: the second number
 * of schedstat, "running delay slices". 0: not known. */
static uint64_t run_delay (void)
{
    char buf[96], *p;
    uint64_t ns = 0;
    ssize_t n;
    int fd = highfd_open (AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY, 0);

    if (fd < 0)
        return 0;
    n = sys_read (fd, buf, sizeof (buf) - 1);
    (void)sys_close (fd);
    buf[n > 0 ? n : 0] = '\0';
    if ((p = strchr (buf, ' ')))
        for (p++; *p >= '0' && *p <= '9'; p++)
            ns = ns * 10 + (uint64_t)(*p - '0');
    return ns;
}

/* Of ns not running, what was no waiting for a CPU. The kernel is asked after
 * some of it has come together; what was too much before is taken off then. */
static uint64_t off_queue (uint64_t ns)
{
    uint64_t delay, off;

    self.waited_ns += ns;
    if (self.waited_ns >= SETTLE_NS) {
        delay = usage_minus (run_delay (), self.delay_ns);
        self.delay_ns += delay;
        self.debt_ns += (uint64_t)((double)delay * (double)self.waited_ns /
                                   (double)(self.waited_ns + self.in_call_ns));
        self.waited_ns = self.in_call_ns = 0;
    }
    off = self.debt_ns < ns ? self.debt_ns : ns;
    self.debt_ns -= off;
    return ns - off;
}

/* A thread that was out of sight had these blocks, and waited so long. */
static void note_outside (const struct rusage *r, uint64_t wait_ns)
{
    uint64_t blocks = usage_minus ((uint64_t)r->ru_inblock, self.now.inblock);

    if ((uint64_t)r->ru_majflt == self.now.majflt && (!blocks || self.reads))
        return;
    __atomic_add_fetch (&outside.bytes, blocks * BLOCK_BYTES, __ATOMIC_RELAXED);
    __atomic_add_fetch (&outside.wait_ns, wait_ns, __ATOMIC_RELAXED);
}

/* in_call: what was waited for since the last look is a recorded call's. */
static void usage_look_now (uint64_t tick, int in_call)
{
    struct rusage r;
    uint64_t cpu = clock_ns (CLOCK_THREAD_CPUTIME_ID);
    uint64_t wait = usage_minus (ticks_to_ns (usage_minus (tick, self.looked)),
                                 usage_minus (cpu, self.cpu_ns));

    if (sys_call (SYS_getrusage, RUSAGE_THREAD, &r) < 0)
        return;
    if (!self.looked)
        self.delay_ns = run_delay ();
    else if (in_call)
        self.in_call_ns += wait;
    else {
        wait = off_queue (wait);
        self.now.wait_ns += wait;
        if (self.depth == 0)
            note_outside (&r, wait);
    }
    self.looked = tick;
    self.cpu_ns = cpu;
    /* Read-ahead that a quick call began: no fault waited for storage. */
    if (!in_call && self.reads && (uint64_t)r.ru_majflt == self.now.majflt)
        self.now.quick +=
            usage_minus ((uint64_t)r.ru_inblock, self.now.inblock);
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
    usage_look_now (tick, 0);
    self.known = tick;
    if (usage_new_thread)
        usage_new_thread ();
}

/* The counters as of tick, which is now. */
static void look_if_due (uint64_t tick)
{
    if (__builtin_expect (self.known == 0, 0))
        first_look (tick);
    else if (usage_minus (tick, self.known) > gap_ticks)
        usage_look_now (tick, 0);
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
    uint64_t ticks = usage_minus (r->end, r->start);
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
    uint64_t slept;
    uint32_t n = 0;

    if (self.known == 0)
        return 0;
    if (is_slow (r)) {
        slept = self.in_call_ns;
        usage_look_now (r->end, 1);
        if (call_table[r->call].class == CALL_CLASS_WRITE &&
            self.now.majflt > before.majflt) { /* of data in a mapping */
            slept = usage_minus (self.in_call_ns, slept);
            self.in_call_ns -= slept;
            self.now.wait_ns += off_queue (slept);
        }
        n = put_some (args, n, USAGE_MAJOR,
                      usage_minus (self.now.majflt, before.majflt));
        n = put_some (args, n, USAGE_READ,
                      usage_minus (self.now.inblock, before.inblock) *
                          BLOCK_BYTES);
    } else if (call_table[r->call].class == CALL_CLASS_READ ||
               call_table[r->call].class == CALL_CLASS_COPY)
        self.reads++;
    self.known = r->end;
    if (self.depth == 0) { /* else the region does */
        n = put_some (args, n, USAGE_CALLS,
                      usage_minus (self.now.quick, self.told) * BLOCK_BYTES);
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
static struct open_region *usage_take (uint64_t start)
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
    (void)usage_take (start);
}

uint32_t usage_region_end (uint64_t start, struct record_arg *args, uint32_t n)
{
    struct open_region *o;
    uint64_t major, minor, blocks, wait_us;

    look_if_due (clock_tick ());
    o = usage_take (start);
    if (!o)
        return n;
    major = usage_minus (self.now.majflt, o->at.majflt);
    blocks = usage_minus (self.now.inblock, o->at.inblock);
    wait_us = usage_minus (self.now.wait_ns, o->at.wait_ns) / NS_PER_US;
    minor = usage_minus (self.now.minflt, o->at.minflt);
    if (!major && !blocks && !(minor && wait_us >= WAIT_US))
        return n;
    n = put_some (args, n, USAGE_MAJOR, major);
    n = put_some (args, n, USAGE_MINOR, minor);
    n = put_some (args, n, USAGE_READ, blocks * BLOCK_BYTES);
    n = put_some (args, n, USAGE_CALLS,
                  usage_minus (self.now.quick, o->at.quick) * BLOCK_BYTES);
    n = put_some (args, n, USAGE_SYSTEM,
                  usage_minus (self.now.system_us, o->at.system_us));
    return put_some (args, n, USAGE_WAIT, wait_us);
}
