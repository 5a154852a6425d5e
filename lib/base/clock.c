/* SPDX-License-Identifier: MIT
 *
 * clock.c - which clock, and pairs of tick and nanosecond
 */

/* Design. The clock is the time stamp counter where the kernel itself keeps
 * time by it, else CLOCK_MONOTONIC; which one is found out at the first
 * tick, and what was before is known by both. Nothing is calibrated in
 * advance: chunks carry pairs of tick and nanosecond, and the decoder gives
 * nanoseconds. */

#include "config.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include "lib/base/clock.h"
#include "lib/base/sys.h"

enum {
    TRIES = 4,         /* for a pair that no interrupt pulled apart */
    TIGHT_TICKS = 400, /* such a pair */
    TIGHT_NS = 1000,   /* such a pair of clocks */
    INTERVAL_US_MIN = 10,
    INTERVAL_MS_MAX = 50
};

SYS_START int clock_cycles;
SYS_START clock_function *clock_reader;

static SYS_START struct clock_mark first;

#ifdef __x86_64__

static const char clock_source[] =
    "/sys/devices/system/clocksource/clocksource0/current_clocksource";

/* The kernel trusts the counter. */
int clock_cycles_good (void)
{
    char text[8] = "";
    int fd = sys_open (clock_source, O_RDONLY | O_CLOEXEC, 0);

    if (fd < 0)
        return 0;
    sys_read (fd, text, sizeof (text) - 1);
    sys_close (fd);
    return strncmp (text, "tsc\n", 4) == 0;
}

int clock_allowed (void)
{
    int allowed = PR_TSC_ENABLE;

    sys_call (SYS_prctl, PR_GET_TSC, &allowed, 0, 0, 0);
    return allowed == PR_TSC_ENABLE;
}

#else

int clock_allowed (void)
{
    return 1;
}

int clock_cycles_good (void)
{
    return 0;
}

#endif

/* --- the kernel's clock --------------------------------------------------- */

#ifdef __aarch64__
#define CLOCK_SYMBOL "__kernel_clock_gettime"
#else
#define CLOCK_SYMBOL "__vdso_clock_gettime"
#endif

/* Tables of the image, as its dynamic section says. */
struct vdso {
    const char *base; /* add to an address in it */
    const char *names;
    const ElfW (Sym) * symbols;
    uint32_t count;
};

static int vdso_ask_kernel (clockid_t id, struct timespec *ts)
{
    return (int)sys_call (SYS_clock_gettime, id, ts);
}

static uint32_t vdso_count_gnu (const uint32_t *hash)
{
    const uint32_t *buckets = hash + 4 + hash[2] * (sizeof (ElfW (Addr)) / 4);
    const uint32_t *chains = buckets + hash[0];
    uint32_t last = 0;

    for (uint32_t i = 0; i < hash[0]; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last < hash[1])
        return hash[1];
    while (!(chains[last - hash[1]] & 1))
        last++;
    return last + 1;
}

static void vdso_read_dynamic (struct vdso *v, const ElfW (Dyn) * d)
{
    for (; d->d_tag != DT_NULL; d++) {
        const char *at = v->base + d->d_un.d_ptr;

        if (d->d_tag == DT_STRTAB)
            v->names = at;
        else if (d->d_tag == DT_SYMTAB)
            v->symbols = (const ElfW (Sym) *)at;
        else if (d->d_tag == DT_HASH)
            v->count = ((const uint32_t *)at)[1];
        else if (d->d_tag == DT_GNU_HASH && !v->count)
            v->count = vdso_count_gnu ((const uint32_t *)at);
    }
}

static int vdso_open (struct vdso *v, const char *image)
{
    const ElfW (Ehdr) *e = (const ElfW (Ehdr) *)image;
    const ElfW (Phdr) *p = (const ElfW (Phdr) *)(image + e->e_phoff);
    const ElfW (Dyn) *dynamic = NULL;

    for (int i = 0; i < e->e_phnum; i++) {
        if (p[i].p_type == PT_LOAD && !v->base)
            v->base = image + p[i].p_offset - p[i].p_vaddr;
        else if (p[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW (Dyn) *)(image + p[i].p_offset);
    }
    if (!v->base || !dynamic)
        return 0;
    vdso_read_dynamic (v, dynamic);
    return v->names && v->symbols;
}

static clock_function *vdso_clock (void)
{
    struct vdso v = {0};
    const char *image = (const char *)getauxval (AT_SYSINFO_EHDR);

    if (!image || !vdso_open (&v, image))
        return vdso_ask_kernel;
    for (uint32_t i = 0; i < v.count; i++)
        if (v.symbols[i].st_shndx != SHN_UNDEF &&
            strcmp (v.names + v.symbols[i].st_name, CLOCK_SYMBOL) == 0)
            return (clock_function *)(uintptr_t)(v.base +
                                                 v.symbols[i].st_value);
    return vdso_ask_kernel;
}

clock_function *clock_find_reader (void)
{
    clock_function *reader = vdso_clock ();

    __atomic_store_n (&clock_reader, reader, __ATOMIC_RELAXED);
    return reader;
}

/* --- ticks ---------------------------------------------------------------- */

/* Return the time stamp counter; 0 on other machines. */
static uint64_t cycles (void)
{
#ifdef __x86_64__
    if (clock_known ())
        return __builtin_ia32_rdtsc ();
#endif
    return 0;
}

void clock_start (void)
{
    int saved_errno = errno;

    clock_cycles = -1;
    first = clock_mark ();
    errno = saved_errno;
}

void clock_told (void)
{
    if (clock_known () < 0)
        __atomic_store_n (&clock_cycles, 1, __ATOMIC_RELAXED);
}

static int clock_choose (void)
{
    int saved_errno = errno, chosen = clock_known ();

    if (chosen < 0) {
        chosen = clock_cycles_good ();
        __atomic_store_n (&clock_cycles, chosen, __ATOMIC_RELAXED);
    }
    errno = saved_errno;
    return chosen;
}

uint64_t clock_tick_slowly (void)
{
    return clock_choose () ? cycles () : clock_ns (CLOCK_MONOTONIC);
}

struct clock_mark clock_mark (void)
{
    struct clock_mark best = {0, 0};
    uint64_t narrowest = UINT64_MAX;

    for (int i = 0; i < TRIES && narrowest > TIGHT_TICKS; i++) {
        uint64_t before = cycles ();
        uint64_t ns = clock_ns (CLOCK_MONOTONIC);
        uint64_t width = cycles () - before;

        if (width < narrowest) {
            narrowest = width;
            best.cycles = before + width / 2;
            best.ns = ns;
        }
    }
    return best;
}

uint64_t clock_real (uint64_t ns)
{
    uint64_t ahead = 0, narrowest = UINT64_MAX;

    for (int i = 0; i < TRIES && narrowest > TIGHT_NS; i++) {
        uint64_t before = clock_ns (CLOCK_MONOTONIC);
        uint64_t real = clock_ns (CLOCK_REALTIME);
        uint64_t width = clock_ns (CLOCK_MONOTONIC) - before;

        if (width < narrowest) {
            narrowest = width;
            ahead = real - (before + width / 2);
        }
    }
    return ns + ahead;
}

struct clock_pair clock_at (const struct clock_mark *m)
{
    struct clock_pair p = {clock_choose () ? m->cycles : m->ns, m->ns};

    return p;
}

struct clock_pair clock_pair (void)
{
    struct clock_mark now = clock_mark ();

    return clock_at (&now);
}

uint64_t clock_hz (const struct clock_pair *p)
{
    uint64_t ns = p->ns - first.ns;
    uint64_t ticks = p->tick - first.cycles;

    if (!clock_known () || ns == 0)
        return CLOCK_NS_PER_S;
    return (unsigned __int128)ticks * CLOCK_NS_PER_S / ns;
}

/* The rate is kept once it is known well enough. */
uint64_t clock_ns_of (uint64_t ticks)
{
    enum { SHIFT = 32, WELL_NS = 200000 };
    static SYS_STATE uint64_t known; /* ns a tick << SHIFT */
    uint64_t scale = __atomic_load_n (&known, __ATOMIC_RELAXED);

    if (clock_known () <= 0)
        return ticks;
    if (!scale) {
        struct clock_pair now = clock_pair ();

        scale = ((uint64_t)CLOCK_NS_PER_S << SHIFT) / clock_hz (&now);
        if (now.ns - first.ns > WELL_NS)
            __atomic_store_n (&known, scale, __ATOMIC_RELAXED);
    }
    return (unsigned __int128)ticks * scale >> SHIFT;
}

uint64_t clock_ns_since (const struct clock_mark *now, uint64_t tick)
{
    struct clock_pair p = {now->cycles, now->ns};

    if (clock_known () <= 0 || tick >= now->cycles)
        return 0;
    return (unsigned __int128)(now->cycles - tick) * CLOCK_NS_PER_S /
           clock_hz (&p);
}

uint64_t clock_interval (const struct clock_pair *p)
{
    uint64_t us = clock_hz (p) / 1000000;
    uint64_t ticks = p->tick - first.cycles;

    if (!clock_known ())
        return UINT64_MAX;
    if (ticks > us * 1000 * INTERVAL_MS_MAX)
        return us * 1000 * INTERVAL_MS_MAX;
    return ticks < us * INTERVAL_US_MIN ? us * INTERVAL_US_MIN : ticks;
}
