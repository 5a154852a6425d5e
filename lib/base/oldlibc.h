/* SPDX-License-Identifier: MIT
 *
 * oldlibc.h - functions that libc has had from the beginning, in their first
 * version
 *
 * glibc 2.34 moved those of libdl and libpthread into libc and gave them a new
 * version. A library that is bound to it ends every program under an older
 * glibc
 * ("version `GLIBC_2.34' not found"): in a container with an older image, say.
 * So what is preloaded asks for the first version, which newer ones have, too.
 * Under an older glibc these functions are in libraries that a program need not
 * have loaded: there they are weak, and OLDLIBC_HAS tells.
 */
#pragma once

#include <stdint.h>

/* A library that is built with an older glibc names libdl and libpthread, and
 * the interceptors of sanitizers go by names alone. */
#if defined __GLIBC__ && !defined DFT_SANITIZER
#if __GLIBC_PREREQ(2, 34)
#define OLDLIBC_USED
#endif
#endif

#ifdef OLDLIBC_USED
#if defined __x86_64__
#define OLDLIBC_FIRST   "GLIBC_2.2.5"
#define OLDLIBC_DLADDR1 "GLIBC_2.3.3"
#define OLDLIBC_SCANF   "GLIBC_2.7"
#else
#define OLDLIBC_FIRST   "GLIBC_2.17"
#define OLDLIBC_DLADDR1 "GLIBC_2.17"
#define OLDLIBC_SCANF   "GLIBC_2.17"
#endif
#define OLDLIBC(F, VERSION)                         \
    extern __typeof__ (F) F __attribute__ ((weak)); \
    __asm__(".symver " #F ", " #F "@" VERSION);     \
    _Static_assert(1, "")
#define OLDLIBC_HAS(F) ((F) != 0)
#else
#define OLDLIBC(F, VERSION) _Static_assert(1, "")
#define OLDLIBC_HAS(F)      1
#endif
