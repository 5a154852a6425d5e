/* SPDX-License-Identifier: MIT
 *
 * syscalls.h - numbers of system calls -> what is done with them
 */
#ifndef DFT_KERNEL_SYSCALLS_H
#define DFT_KERNEL_SYSCALLS_H

#include <stdint.h>

#include "kernel/abi.h"
#include "lib/format/calls.h"

struct syscall_info {
    struct abi_shape shape;
    uint16_t call;              /* enum call; CALL_NONE: it is not recorded */
    uint8_t size, offset, word; /* numbers of arguments; ABI_NONE */
};

/* Of every number below ABI_SYSCALLS; others have none. */
const struct syscall_info *syscalls_info (uint32_t number);

#endif
