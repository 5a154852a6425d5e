/* SPDX-License-Identifier: MIT
 *
 * wrap_syscall.h - the way to the next syscall ()
 */
#ifndef DFT_PRELOAD_WRAP_SYSCALL_H
#define DFT_PRELOAD_WRAP_SYSCALL_H

/* Once real is complete; before that nothing is looked at, and all calls go to
 * the kernel. */
void wrap_syscall_start (void);

/* The next syscall (); NULL before that. */
extern long (*wrap_syscall_next) (long, ...)
    __attribute__ ((visibility ("hidden")));

#endif
