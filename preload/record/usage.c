/* SPDX-License-Identifier: MIT
 *
 * usage.c - getrusage of a thread, as seldom as possible -> differences
 *
 * A thread's counters are taken as known for a gap after the tick at which
 * they were last looked at, and after each call or region edge that came
 * within a gap of the one before it.
 */
#include "config.h"

#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "lib/format/event.h"
#include "preload/record/usage.h"

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
    struct usage own; /* the recorder's */
    uint32_t top;     /* open regions ever; the ring keeps the last ones */
    struct open_region open[USAGE_REGIONS];
} self __attribute__ ((tls_model ("initial-exec")));

void (*usage_new_thread) (void);

static struct usage_process process;

static SYS_START int usage_on;
static SYS_START uint64_t gap_ns;
static uint64_t gap_ticks; /* 0: not known yet */
static uint64_t ns_scale;  /* ns a tick << 32 */

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
    usage_on = 1;
}

void usage_atfork_child (void)
{
    memset (&self, 0, sizeof (self));
    memset (&process, 0, sizeof (process));
}

struct usage_process usage_process (void)
{
    struct usage_process p;

#define LOAD(FIELD) p.FIELD = __atomic_load_n (&process.FIELD, __ATOMIC_RELAXED)
    LOAD (outside_bytes);
    LOAD (outside_wait_ns);
    LOAD (own_bytes);
    LOAD (own_major);
    LOAD (own_minor);
#undef LOAD
    return p;
}

static void process_add (uint64_t *counter, uint64_t n)
{
    __atomic_add_fetch (counter, n, __ATOMIC_RELAXED);
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

/* Return the part of ns, not running, that was not waiting for a CPU. The
 * kernel is asked once enough has come together; excess of before is taken off
 * then. */
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

/* Read the counters of this thread, less those in `less`. */
static int usage_ask (struct usage *u, const struct usage *less)
{
    struct rusage r;

    if (sys_call (SYS_getrusage, RUSAGE_THREAD, &r) < 0)
        return -1;
    u->majflt = usage_minus ((uint64_t)r.ru_majflt, less->majflt);
    u->minflt = usage_minus ((uint64_t)r.ru_minflt, less->minflt);
    u->inblock = usage_minus ((uint64_t)r.ru_inblock, less->inblock);
    u->system_us = usage_minus ((uint64_t)r.ru_stime.tv_sec * US_PER_S +
                                    (uint64_t)r.ru_stime.tv_usec,
                                less->system_us);
    return 0;
}

/* A thread that was out of sight has these counters, and waited so long. */
static void note_outside (const struct usage *u, uint64_t wait_ns)
{
    uint64_t blocks = usage_minus (u->inblock, self.now.inblock);

    if (u->majflt == self.now.majflt && (!blocks || self.reads))
        return;
    process_add (&process.outside_bytes, blocks * BLOCK_BYTES);
    process_add (&process.outside_wait_ns, wait_ns);
}

/* in_call: what was waited for since the last look is a recorded call's. */
static void usage_look_now (uint64_t tick, int in_call)
{
    struct usage u = self.now;
    uint64_t cpu = clock_ns (CLOCK_THREAD_CPUTIME_ID);
    uint64_t wait = usage_minus (ticks_to_ns (usage_minus (tick, self.looked)),
                                 usage_minus (cpu, self.cpu_ns));

    if (usage_ask (&u, &self.own) < 0)
        return;
    if (!self.looked)
        self.delay_ns = run_delay ();
    else if (in_call)
        self.in_call_ns += wait;
    else {
        wait = off_queue (wait);
        u.wait_ns += wait;
        if (self.depth == 0)
            note_outside (&u, wait);
    }
    self.looked = tick;
    self.cpu_ns = cpu;
    /* Read-ahead that a quick call began: no fault waited for storage. */
    if (!in_call && self.reads && u.majflt == self.now.majflt)
        u.quick += usage_minus (u.inblock, self.now.inblock);
    self.reads = 0;
    self.now = u;
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

/* --- the recorder's own ------------------------------------------------- */

void usage_own_begin (struct usage_own *o)
{
    static const struct usage none;

    o->asked = 0;
    if (!usage_on)
        return;
    if (self.known) {
        self.known = clock_tick ();
        usage_look_now (self.known, 0);
    }
    o->asked = usage_ask (&o->at, &none) == 0;
}

void usage_own_end (const struct usage_own *o)
{
    int error = errno;
    struct usage u;

    if (o->asked && usage_ask (&u, &o->at) == 0) {
        self.own.majflt += u.majflt;
        self.own.minflt += u.minflt;
        self.own.inblock += u.inblock;
        self.own.system_us += u.system_us;
        process_add (&process.own_bytes, u.inblock * BLOCK_BYTES);
        process_add (&process.own_major, u.majflt);
        process_add (&process.own_minor, u.minflt);
        if (self.known) {
            self.known = clock_tick ();
            usage_look_now (self.known, 1);
        }
    }
    errno = error;
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

/* ---- rows of usage.def -> names, arguments of an event ---- */

static SYS_EVENT uint32_t name_ids[USAGE_COUNT];

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
