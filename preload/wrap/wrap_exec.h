/* SPDX-License-Identifier: MIT
 *
 * wrap_exec.h - the system calls that exec makes, by syscall ()
 */
#ifndef DFT_PRELOAD_WRAP_EXEC_H
#define DFT_PRELOAD_WRAP_EXEC_H

/* arg: the arguments of that call, as many as it has. As the call itself. */
long wrap_exec_number (long number, const long arg[]);

#endif
