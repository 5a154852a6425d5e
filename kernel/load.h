/* SPDX-License-Identifier: MIT
 *
 * load.h - the programs of the recorder, in the kernel
 */
#ifndef DFT_KERNEL_LOAD_H
#define DFT_KERNEL_LOAD_H

#include <stdint.h>
#include <sys/types.h>

#include "kernel/calls.h"
#include "lib/base/errtext.h"

struct load;

/* Load and attach them; they follow the children of process parent that ask
 * for it (kernelmark.h). Records go to calls from then on. Needs CAP_BPF and
 * CAP_PERFMON, or root; nothing that is done later does. NULL and err. */
struct load *
load_start (struct calls *calls, pid_t parent, struct errtext *err);

/* What this kernel cannot tell, for people; "" when there is nothing. */
const char *load_lacks (const struct load *l);

/* Take what is in the ring: 0 or more, or -EAGAIN: there is more. */
int load_drain (struct load *l);

/* No system call is looked at any more; what is in the ring stays. */
void load_detach (struct load *l);

/* Records for which the ring had no room, so far; and calls of programs of 32
 * bits, which are not looked at. */
uint64_t load_lost (const struct load *l);
uint64_t load_foreign (const struct load *l);

/* A descriptor that can be read when there is much in the ring. */
int load_fd (const struct load *l);

/* Nothing is followed any more. NULL is fine. */
void load_stop (struct load *l);

#endif
