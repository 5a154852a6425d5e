/* SPDX-License-Identifier: MIT
 *
 * syscalls.c - rows of syscalls.def, by the numbers of this machine
 */
#include "config.h"

#include <stddef.h>
#include <sys/syscall.h>

#include "kernel/syscalls.h"

enum {
    NO = ABI_NONE,
    RES = ABI_RESULT,
    CWD = ABI_CWD,
    POS = ABI_POSITION,
    VEC = ABI_VECTOR,
    AT = ABI_OFFSET_AT + ABI_POSITION
};

static const struct syscall_info table[ABI_SYSCALLS] = {
#define SYSCALL(NAME, CALL, FLAGS, FD, FD2, PATH, AT1, PATH2, AT2, SIZE, OFF, \
                WORD)                                                         \
    [SYS_##NAME] = {.shape = {.flags = ABI_WANTED + (FLAGS),                  \
                              .fd = FD,                                       \
                              .fd2 = FD2,                                     \
                              .path = PATH,                                   \
                              .at = AT1,                                      \
                              .path2 = PATH2,                                 \
                              .at2 = AT2,                                     \
                              .offset = OFF,                                  \
                              .size = SIZE},                                  \
                    .call = CALL_##CALL,                                      \
                    .size = SIZE,                                             \
                    .offset = OFF,                                            \
                    .word = WORD},
#include "kernel/syscalls.def"
#undef SYSCALL
};

const struct syscall_info *syscalls_info (uint32_t number)
{
    return number < ABI_SYSCALLS && table[number].call ? &table[number] : NULL;
}
