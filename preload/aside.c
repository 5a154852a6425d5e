/* SPDX-License-Identifier: MIT
 *
 * aside.c - prctl, seccomp -> the end of tracing, where it must end
 *
 * In:  arguments of the calls
 * Out: recorder_step_aside; an event; a line in the list of untraced programs
 */
#include "config.h"

#include <dirent.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "lib/base/array.h"
#include "lib/base/highfd.h"
#include "lib/base/sys.h"
#include "preload/aside.h"
#include "preload/probe.h"
#include "preload/span.h"
#include "preload/untraced.h"
#include "preload/wrap/fsfacts.h"

enum { CACHESTAT = 451 /* has no name in older headers */ };

/* Flags of the event trace_stopped; numbers in traces. */
enum aside_reason {
    ASIDE_NOT = 0,
    ASIDE_STRICT = 1,
    ASIDE_FILTER = 2,
    ASIDE_CLOCK = 3
};

static const unsigned aside_ours[] = {
#define OURS(NAME) SYS_##NAME,
#include "preload/ours.def"
#undef OURS
    CACHESTAT, MOUNTASK_STATMOUNT};

static const char *aside_text (enum aside_reason reason)
{
    return reason == ASIDE_STRICT   ? "seccomp, strict"
           : reason == ASIDE_FILTER ? "seccomp filter"
                                    : "no time stamp counter";
}

/* All n bytes can be read. */
static int aside_readable (const void *at, size_t n)
{
    struct probe p = {0};
    const char *byte = at;

    for (size_t i = 0; i < n; i++)
        if (!probe_byte (&p, byte + i))
            return 0;
    return 1;
}

/* One that the kernel will refuse, for whatever reason, is none. */
static enum aside_reason aside_filter (unsigned long address)
{
    const struct sock_fprog *f = (const struct sock_fprog *)(uintptr_t)address;

    if (!aside_readable (f, sizeof (*f)) || f->len == 0 ||
        f->len > BPF_MAXINSNS ||
        !aside_readable (f->filter, f->len * sizeof (*f->filter)))
        return ASIDE_NOT;
    for (size_t i = 0; i < ITEMS (aside_ours); i++)
        if (!bpf_spares (f, aside_ours[i]))
            return ASIDE_FILTER;
    return ASIDE_NOT;
}

static void aside_event (enum aside_reason reason)
{
    struct span sp = {.call = CALL_trace_stopped};
    struct record r;

    if (!span_open (&sp))
        return;
    span_result (&sp, &r, 0, 0);
    r.flags = reason;
    span_write (&r);
}

/* all: other threads will have the filter, too. */
static int aside_step (enum aside_reason reason, int all)
{
    aside_event (reason);
    recorder_count_untraced ();
    untraced_self ("stopped: ", aside_text (reason));
    mm_stop (all);
    recorder_step_aside ();
    if (all)
        others_wait ();
    return 1;
}

static int aside_for (enum aside_reason reason, int all)
{
    int saved_errno = errno, rc = 0;

    if (reason && recorder_layers && process_is_ours ())
        rc = aside_step (reason, all);
    errno = saved_errno;
    return rc;
}

int aside_prctl (int option, unsigned long mode, unsigned long filter)
{
    enum aside_reason reason = ASIDE_NOT;

    if (!recorder_layers)
        return 0;
    if (option == PR_SET_TSC && mode == PR_TSC_SIGSEGV)
        reason = ASIDE_CLOCK;
    if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_STRICT)
        reason = ASIDE_STRICT;
    if (option == PR_SET_SECCOMP && mode == SECCOMP_MODE_FILTER)
        reason = aside_filter (filter);
    return aside_for (reason, 0);
}

int aside_seccomp (unsigned operation,
                   unsigned long flags,
                   unsigned long filter)
{
    enum aside_reason reason = ASIDE_NOT;

    if (!recorder_layers)
        return 0;
    /* libseccomp asks with a flag whether the call is there: that fails */
    if (operation == SECCOMP_SET_MODE_STRICT && !flags && !filter)
        reason = ASIDE_STRICT;
    if (operation == SECCOMP_SET_MODE_FILTER)
        reason = aside_filter (filter);
    return aside_for (reason, (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);
}

/* After a failed call the process stays listed and counted, since it was
 * tried. */
void aside_done (long rc)
{
    int saved_errno = errno;

    if (rc < 0) {
        recorder_step_back ();
        aside_event (ASIDE_NOT);
    }
    errno = saved_errno;
}

/* ---- classic BPF, run with a system call of unknown arguments ---- */

enum {
    STEPS = 1 << 15, /* in all; a filter may have 4096 instructions */
    DEPTH = 24       /* of jumps on something unknown */
};

#if defined __x86_64__
static const uint32_t bpf_arch = AUDIT_ARCH_X86_64;
#else
static const uint32_t bpf_arch = AUDIT_ARCH_AARCH64;
#endif

struct bpf_word {
    uint32_t value;
    int known;
};

struct bpf {
    const struct sock_fprog *filter;
    unsigned number;
    int steps, depth;
};

struct bpf_state {
    struct bpf_word a, x, memory[BPF_MEMWORDS];
    size_t at;
};

static struct bpf_word bpf_known (uint32_t value)
{
    return (struct bpf_word){value, 1};
}

static struct bpf_word bpf_field (const struct bpf *b, uint32_t offset)
{
    switch (offset) {
    case offsetof (struct seccomp_data, nr):
        return bpf_known (b->number);
    case offsetof (struct seccomp_data, arch):
        return bpf_known (bpf_arch);
    default:
        return (struct bpf_word){0, 0};
    }
}

static struct bpf_word bpf_load (const struct bpf *b,
                                 const struct bpf_state *s,
                                 const struct sock_filter *i)
{
    switch (BPF_MODE (i->code)) {
    case BPF_IMM:
        return bpf_known (i->k);
    case BPF_ABS:
        return bpf_field (b, i->k);
    case BPF_MEM:
        return s->memory[i->k % BPF_MEMWORDS];
    case BPF_LEN:
        return bpf_known (sizeof (struct seccomp_data));
    default:
        return (struct bpf_word){0, 0};
    }
}

/* The operand of a jump or of arithmetic. */
static struct bpf_word bpf_operand (const struct bpf_state *s,
                                    const struct sock_filter *i)
{
    return BPF_SRC (i->code) == BPF_X ? s->x : bpf_known (i->k);
}

static struct bpf_word bpf_compute (const struct bpf_state *s,
                                    const struct sock_filter *i)
{
    struct bpf_word v = bpf_operand (s, i);
    uint32_t a = s->a.value, k = v.value;

    if (!s->a.known || !v.known)
        return (struct bpf_word){0, 0};
    switch (BPF_OP (i->code)) {
    case BPF_ADD:
        return bpf_known (a + k);
    case BPF_SUB:
        return bpf_known (a - k);
    case BPF_MUL:
        return bpf_known (a * k);
    case BPF_OR:
        return bpf_known (a | k);
    case BPF_AND:
        return bpf_known (a & k);
    case BPF_XOR:
        return bpf_known (a ^ k);
    case BPF_LSH:
        return bpf_known (a << (k & 31));
    case BPF_RSH:
        return bpf_known (a >> (k & 31));
    case BPF_NEG:
        return bpf_known (-a);
    default:
        return (struct bpf_word){0, 0};
    }
}

static int bpf_jumps (uint32_t code, uint32_t a, uint32_t k)
{
    switch (BPF_OP (code)) {
    case BPF_JEQ:
        return a == k;
    case BPF_JGT:
        return a > k;
    case BPF_JGE:
        return a >= k;
    default:
        return (a & k) != 0;
    }
}

/* An answer that neither kills, nor asks a handler or another process. */
static int bpf_harmless (struct bpf_word answer)
{
    switch (answer.value & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_TRACE:
    case SECCOMP_RET_ERRNO:
        return answer.known;
    default:
        return 0;
    }
}

static int bpf_run (struct bpf *b, struct bpf_state *s);

/* Both ways of a jump whose condition is not known. */
static int
bpf_fork (struct bpf *b, struct bpf_state *s, const struct sock_filter *i)
{
    struct bpf_state other = *s;
    int rc = 0;

    if (b->depth++ < DEPTH) {
        other.at += i->jt;
        s->at += i->jf;
        rc = bpf_run (b, &other) && bpf_run (b, s);
    }
    b->depth--;
    return rc;
}

static void
bpf_step (const struct bpf *b, struct bpf_state *s, const struct sock_filter *i)
{
    switch (BPF_CLASS (i->code)) {
    case BPF_LD:
        s->a = bpf_load (b, s, i);
        break;
    case BPF_LDX:
        s->x = bpf_load (b, s, i);
        break;
    case BPF_ST:
        s->memory[i->k % BPF_MEMWORDS] = s->a;
        break;
    case BPF_STX:
        s->memory[i->k % BPF_MEMWORDS] = s->x;
        break;
    case BPF_ALU:
        s->a = bpf_compute (s, i);
        break;
    case BPF_MISC:
        if (BPF_MISCOP (i->code) == BPF_TAX)
            s->x = s->a;
        else
            s->a = s->x;
        break;
    default:
        break;
    }
}

static int bpf_run (struct bpf *b, struct bpf_state *s)
{
    while (s->at < b->filter->len && b->steps-- > 0) {
        const struct sock_filter *i = &b->filter->filter[s->at++];
        struct bpf_word v = bpf_operand (s, i);

        if (BPF_CLASS (i->code) == BPF_RET)
            return bpf_harmless (
                BPF_RVAL (i->code) == BPF_A ? s->a : bpf_known (i->k));
        if (BPF_CLASS (i->code) != BPF_JMP)
            bpf_step (b, s, i);
        else if (BPF_OP (i->code) == BPF_JA)
            s->at += i->k;
        else if (!s->a.known || !v.known)
            return bpf_fork (b, s, i);
        else
            s->at += bpf_jumps (i->code, s->a.value, v.value) ? i->jt : i->jf;
    }
    return 0; /* no filter of the kernel's, or too long to tell */
}

int bpf_spares (const struct sock_fprog *filter, unsigned number)
{
    struct bpf b = {filter, number, STEPS, 0};
    struct bpf_state s;

    memset (&s, 0, sizeof (s));
    s.a = s.x = bpf_known (0);
    return bpf_run (&b, &s);
}

/* ---- /proc/self/task -> threads that wait for a processor, perhaps in our
 * code ---- */

enum {
    NAP_NS = 1000000,
    NAPS = 200,
    RUN_NS = 200000, /* after which a thread is out of our code */
    OTHERS_MAX = 64,
    NAMES_BYTES = 2048,
    NAME_BYTES = 32
};

struct other {
    char name[NAME_BYTES]; /* of its directory */
    uint64_t ran;          /* ns at the first look */
};

struct others {
    int dir;
    unsigned count;
    struct other all[OTHERS_MAX];
};

/* Read a file of a thread below /proc; 0 if the thread has gone. */
static ssize_t
others_read (int dir, const char *name, const char *file, char *buf, size_t n)
{
    char path[NAME_BYTES * 2];
    size_t length = strlen (name);
    ssize_t got;
    int fd;

    memcpy (path, name, length);
    memcpy (path + length, file, strlen (file) + 1);
    fd = highfd_brief (dir, path, O_RDONLY, 0);
    if (fd < 0)
        return 0;
    got = sys_read (fd, buf, n - 1);
    (void)sys_close (fd);
    buf[got > 0 ? got : 0] = '\0';
    return got > 0 ? got : 0;
}

/* It has a processor, or waits for one. */
static int others_runs (int dir, const char *name)
{
    char buf[256];
    const char *p;

    if (!others_read (dir, name, "/stat", buf, sizeof (buf)))
        return 0;
    p = strrchr (buf, ')');
    return p && p[1] == ' ' && p[2] == 'R';
}

/* ns on a processor so far. */
static uint64_t others_ran (int dir, const char *name)
{
    char buf[96];
    uint64_t ns = 0;

    if (!others_read (dir, name, "/schedstat", buf, sizeof (buf)))
        return 0;
    for (const char *p = buf; *p >= '0' && *p <= '9'; p++)
        ns = ns * 10 + (uint64_t)(*p - '0');
    return ns;
}

static void others_add (struct others *o, const char *name, const char *self)
{
    struct other *t = &o->all[o->count];

    if (name[0] == '.' || strcmp (name, self) == 0 || o->count >= OTHERS_MAX ||
        strlen (name) >= NAME_BYTES / 2 || !others_runs (o->dir, name))
        return;
    memcpy (t->name, name, strlen (name) + 1);
    t->ran = others_ran (o->dir, name);
    o->count += t->ran > 0; /* else it is not known */
}

/* Those that run. */
static void others_list (struct others *o, const char *self)
{
    char buf[NAMES_BYTES] __attribute__ ((aligned (8)));
    long n;

    while ((n = sys_call (SYS_getdents64, o->dir, buf, sizeof (buf))) > 0) {
        for (long at = 0; at < n;) {
            const struct dirent64 *d = (const void *)(buf + at);

            others_add (o, d->d_name, self);
            at += d->d_reclen;
        }
    }
}

static int others_all_out (struct others *o)
{
    while (o->count > 0) {
        const struct other *t = &o->all[o->count - 1];

        if (others_runs (o->dir, t->name) &&
            others_ran (o->dir, t->name) < t->ran + RUN_NS)
            return 0;
        o->count--;
    }
    return 1;
}

static void others_name (char *to, pid_t tid)
{
    char digits[NAME_BYTES / 2];
    char *p = digits + sizeof (digits) - 1;

    *p = '\0';
    do
        *--p = (char)('0' + tid % 10);
    while ((tid /= 10) > 0);
    memcpy (to, p, strlen (p) + 1);
}

void others_wait (void)
{
    struct others o = {.count = 0};
    char self[NAME_BYTES];

    others_name (self, sys_gettid ());
    o.dir =
        highfd_brief (AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    sys_nap (NAP_NS);
    if (o.dir < 0)
        return;
    others_list (&o, self);
    for (int i = 0; i < NAPS && !others_all_out (&o); i++)
        sys_nap (NAP_NS);
    (void)sys_close (o.dir);
}
