/* SPDX-License-Identifier: MIT
 *
 * owntable.c - clone without CLONE_FILES -> a step done in there
 *
 * The thread is of the same process (nobody can wait for it, no signal tells
 * of its end) and has this thread's thread-local storage, as this thread waits
 * until it is gone (CLONE_VFORK).
 */

/* Design. No descriptor is held. A file is opened by its name where space
 * has to be promised (of a process's own file: for each chunk) and must
 * still be the same inode. A program that closes everything, or reuses our
 * number, changes nothing; we can never write into a file of the program.
 * Only a program that leaves the way to that name (chroot, setuid) has one
 * kept for it, which is asked each time whether it still is that file. Where
 * a thread of the program closes the number before it can be used, the step
 * is done again in a thread with a descriptor table of its own (owntable),
 * from then on at once. */

#include "config.h"

#include <sched.h>
#include <signal.h>

#include "preload/record/owntable.h"
#include "lib/base/sys.h"

enum {
    STACK_BYTES = 32 << 10,
    TRIES = 8,      /* of steps that other threads may spoil */
    MASK_BYTES = 8, /* of the kernel's signal set */
    HOW = CLONE_VM | CLONE_VFORK | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
          CLONE_THREAD | CLONE_SYSVSEM
};

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif

struct owntable {
    int (*step) (void *);
    void *cookie;
    int kept;
    int called;
    int rc; /* of step */
};

/* Begin function (cookie) on another stack, of which top is the end; the thread
 * ends where function returns. Its id, or -1. */
#if defined __x86_64__ || defined __aarch64__
__attribute__ ((visibility ("hidden"))) long
owntable_clone (long flags, void *top, void (*function) (void *), void *cookie);
#endif

#if defined __x86_64__
__asm__(".text\n"
        "    .p2align 4\n"
        "    .globl owntable_clone\n"
        "    .hidden owntable_clone\n"
        "    .type owntable_clone, @function\n"
        "owntable_clone:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    subq $16, %rsi\n"
        "    movq %rdx, (%rsi)\n"
        "    movq %rcx, 8(%rsi)\n"
        "    xorl %edx, %edx\n"
        "    xorl %r10d, %r10d\n"
        "    xorl %r8d, %r8d\n"
        "    movl $56, %eax\n" /* clone */
        "    syscall\n"
        "    testq %rax, %rax\n"
        "    jz 2f\n"
        "    cmpq $-4095, %rax\n"
        "    jae 1f\n"
        "    ret\n"
        "1:  movq %rax, %rdi\n"
        "    jmp sys_failed\n"
        "2:  .cfi_undefined rip\n"
        "    xorl %ebp, %ebp\n"
        "    popq %rax\n"
        "    popq %rdi\n"
        "    callq *%rax\n"
        "    movl $60, %eax\n" /* exit */
        "    xorl %edi, %edi\n"
        "    syscall\n"
        "    hlt\n"
        "    .cfi_endproc\n"
        "    .size owntable_clone, .-owntable_clone\n");
#elif defined __aarch64__
__asm__(".text\n"
        "    .p2align 4\n"
        "    .globl owntable_clone\n"
        "    .hidden owntable_clone\n"
        "    .type owntable_clone, %function\n"
        "owntable_clone:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    stp x2, x3, [x1, #-16]!\n"
        "    mov x2, #0\n"
        "    mov x3, #0\n"
        "    mov x4, #0\n"
        "    mov x8, #220\n" /* clone */
        "    svc #0\n"
        "    cbz x0, 2f\n"
        "    cmn x0, #4095\n"
        "    b.cs 1f\n"
        "    ret\n"
        "1:  b sys_failed\n"
        "2:  .cfi_undefined x30\n"
        "    mov x29, #0\n"
        "    ldp x1, x0, [sp], #16\n"
        "    blr x1\n"
        "    mov x0, #0\n"
        "    mov x8, #93\n" /* exit */
        "    svc #0\n"
        "    brk #1\n"
        "    .cfi_endproc\n"
        "    .size owntable_clone, .-owntable_clone\n");
#else
static long
owntable_clone (long flags, void *top, void (*function) (void *), void *cookie)
{
    return -1;
}
#endif

static long owntable_close (unsigned from, unsigned to, unsigned how)
{
    return sys_call (SYS_close_range, from, to, how);
}

/* A table without a copy of the program's descriptors, each of which would be
 * flushed as it is closed; with them where the kernel is older than 5.9. */
static long owntable_part (int kept)
{
    long rc;

    if (!kept && owntable_close (0, ~0U, CLOSE_RANGE_UNSHARE) == 0)
        return 0;
    rc = sys_call (SYS_unshare, CLONE_FILES);
    if (rc == 0 && kept) {
        (void)owntable_close (0, (unsigned)kept - 1, 0);
        (void)owntable_close ((unsigned)kept + 1, ~0U, 0);
    }
    return rc;
}

static void owntable_thread (void *cookie)
{
    struct owntable *o = cookie;

    if (owntable_part (o->kept) < 0)
        return;
    o->called = 1;
    o->rc = o->step (o->cookie);
}

static long owntable_mask (const uint64_t *mask, uint64_t *before)
{
    return sys_call (SYS_rt_sigprocmask, SIG_SETMASK, mask, before, MASK_BYTES);
}

int owntable_run (int (*step) (void *), void *cookie, int kept)
{
    struct owntable o = {.step = step, .cookie = cookie, .kept = kept};
    char *stack = sys_memory (STACK_BYTES);
    uint64_t all = ~(uint64_t)0, before;
    int error;

    if (stack && owntable_mask (&all, &before) == 0) {
        (void)owntable_clone (HOW, stack + STACK_BYTES, owntable_thread, &o);
        error = errno;
        (void)owntable_mask (&before, NULL);
        (void)sys_munmap (stack, STACK_BYTES);
        errno = error;
    }
    if (o.called)
        return o.rc;
    errno = ECHILD;
    return -1;
}

static int owntable_spoilt (int rc)
{
    return rc < 0 && (errno == EBADF || errno == ESTALE || errno == ECHILD);
}

int owntable_step (int (*step) (void *), void *cookie, int kept)
{
    /* Once: the program closes numbers of ours. */
    static SYS_STATE _Atomic int spoilt;
    int rc = -1;

    errno = EBADF;
    if (!spoilt)
        rc = step (cookie);
    if (owntable_spoilt (rc)) {
        rc = owntable_run (step, cookie, kept);
        if (rc == 0)
            spoilt = 1;
    }
    for (int i = 0; owntable_spoilt (rc) && i < TRIES; i++)
        rc = step (cookie);
    return rc;
}
