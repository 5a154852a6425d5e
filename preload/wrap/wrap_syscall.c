/* SPDX-License-Identifier: MIT
 *
 * wrap_syscall.c - syscall () of the program -> rawcalls.def, or straight on
 *
 * In:  a number and up to six arguments, whatever they are
 * Out: the same to the next syscall (), or to the kernel until that is known
 * Caveat: a child of clone or vfork returns on the stack of its parent. So what
 *         is not in the table is jumped to, with all arguments where they were
 *         and no frame in between; as if we were not there.
 */
#include "config.h"

#include <sys/syscall.h>

#include "lib/base/sys.h"
#include "preload/aside.h"
#include "preload/sums.h"
#include "preload/wrap/facts.h"
#include "preload/program.h"
#include "preload/real.h"
#include "preload/span_open.h"
#include "preload/wrap/wrap_exec.h"
#include "preload/wrap/wrap_syscall.h"

#if defined __x86_64__ || defined __aarch64__

enum { NUMBERS = 512 }; /* also in the code below */

#define HERE __attribute__ ((used, visibility ("hidden")))

/* 1: is in the table. */
HERE const unsigned char wrap_syscall_rows[NUMBERS] = {
#define RAW(NUMBER, CALL, OPEN, CLOSE) [SYS_##NUMBER] = 1,
#include "preload/wrap/rawcalls.def"
#undef RAW
    [SYS_execve] = 1,
    [SYS_execveat] = 1,
};

HERE SYS_START long (*wrap_syscall_next) (long, ...);

HERE long wrap_syscall_traced (
    long number, long a, long b, long c, long d, long e, long f);

void wrap_syscall_start (void)
{
    wrap_syscall_next = (long (*) (long, ...))real_find (REAL_syscall);
}

/* openat2 has them in memory, which a success shows to be there. */
static int open_flags (long rc, const uint64_t *how)
{
    return rc < 0 ? 0 : (int)*how;
}

long wrap_syscall_traced (
    long number, long a, long b, long c, long d, long e, long f)
{
    const long arg[] = {a, b, c, d, e, f};
    struct span sp;
    long rc;

    if (!wrap_syscall_next)
        return sys_call (number, a, b, c, d, e, f);
    if (number == SYS_execve || number == SYS_execveat)
        return wrap_exec_number (number, arg);
    switch (number) {
#define RAW(NUMBER, CALL, OPEN, CLOSE)                         \
    case SYS_##NUMBER:                                         \
        sp.call = CALL_##CALL;                                 \
        if (!(OPEN)) {                                         \
            if (!SUMS_OF_##CALL)                               \
                break;                                         \
            rc = wrap_syscall_next (number, a, b, c, d, e, f); \
            SUMS (CALL, rc);                                   \
            return rc;                                         \
        }                                                      \
        rc = wrap_syscall_next (number, a, b, c, d, e, f);     \
        CLOSE;                                                 \
        return rc;
#include "preload/wrap/rawcalls.def"
#undef RAW
    }
    return wrap_syscall_next (number, a, b, c, d, e, f);
}

#if defined __x86_64__
__asm__(".text\n"
        "    .p2align 4\n"
        "    .globl syscall\n"
        "    .type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmpq $512, %rdi\n"
        "    jae 1f\n"
        "    leaq wrap_syscall_rows(%rip), %r11\n"
        "    cmpb $0, (%r11,%rdi)\n"
        "    jne wrap_syscall_traced\n"
        "1:  movq wrap_syscall_next(%rip), %r11\n"
        "    testq %r11, %r11\n"
        "    jz sys_call\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        "    .size syscall, .-syscall\n");
#else
__asm__(".text\n"
        "    .p2align 4\n"
        "    .globl syscall\n"
        "    .type syscall, %function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    cmp x0, #512\n"
        "    b.hs 1f\n"
        "    adrp x16, wrap_syscall_rows\n"
        "    add x16, x16, :lo12:wrap_syscall_rows\n"
        "    ldrb w16, [x16, x0]\n"
        "    cbnz w16, 2f\n"
        "1:  adrp x16, wrap_syscall_next\n"
        "    ldr x16, [x16, :lo12:wrap_syscall_next]\n"
        "    cbz x16, 3f\n"
        "    br x16\n"
        "2:  b wrap_syscall_traced\n"
        "3:  b sys_call\n"
        "    .cfi_endproc\n"
        "    .size syscall, .-syscall\n");
#endif

#else
#error "syscall () of this machine: take its row out of wraps.def"
#endif
