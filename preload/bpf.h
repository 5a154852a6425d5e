/* SPDX-License-Identifier: MIT
 *
 * bpf.h - a seccomp filter -> does it let our system calls be?
 */
#ifndef DFT_PRELOAD_BPF_H
#define DFT_PRELOAD_BPF_H

#include <linux/filter.h>

/* Whether a filter answers system call `number` of this machine with nothing
 * but allow, log, trace or an errno, whatever its arguments are. 0 also where
 * that cannot be found out. The filter must be readable. Async-signal-safe;
 * up to 6 KiB of stack. */
int bpf_spares (const struct sock_fprog *filter, unsigned number);

#endif
