/* SPDX-License-Identifier: MIT
 *
 * kernelmark.h - what a process tells the recorder of layer kernel
 *
 * By a system call that has no arguments and no effect, getppid, whose
 * registers the recorder looks at in the processes that it follows. Nobody else
 * notices; no filter of system calls that allows anything forbids it.
 */
#pragma once

#define KERNELMARK_MAGIC 0x64667472616365ull /* "dftrace" */

enum kernelmark {
    KERNELMARK_FOLLOW = 1, /* a process of the job begins: follow it */
    KERNELMARK_LIBRARY = 2 /* the preload library is in this one: calls from
                              the code that struct kernelmark_code names are
                              the library's to record */
};

enum { KERNELMARK_RANGES = 6 };

/* Addresses from begin to before end; 0, 0: none. */
struct kernelmark_code {
    struct {
        unsigned long begin, end;
    } range[KERNELMARK_RANGES];
};
