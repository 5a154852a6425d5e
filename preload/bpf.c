/* SPDX-License-Identifier: MIT
 *
 * bpf.c - classic BPF, run with a system call of unknown arguments
 *
 * In:  a filter as the kernel gets it; jumps lead forward only
 * Out: whether one of its possible answers ends or stops the caller
 * Caveat: number and architecture are known, everything else of the call is
 *         not: where a jump depends on it, both ways are gone.
 */
#include "config.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/bpf.h"

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
