/* SPDX-License-Identifier: MIT
 *
 * wrap_exec.h - the system calls that exec makes, by syscall ()
 */
#pragma once

/* -- the system calls that exec makes, by syscall () -- */

/* arg: the arguments of that call, as many as it has. As the call itself. */
long wrap_exec_number (long number, const long arg[]);

/* -- the way to the next syscall () -- */

/* Once real is complete; before that nothing is looked at, and all calls go to
 * the kernel. */
void wrap_syscall_start (void);

/* The next syscall (); NULL before that. */
extern long (*wrap_syscall_next) (long, ...)
    __attribute__ ((visibility ("hidden")));
