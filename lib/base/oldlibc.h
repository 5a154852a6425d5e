/* SPDX-License-Identifier: MIT
 *
 * oldlibc.h - functions that libc has had from the beginning, in their first
 * version
 *
 * glibc 2.34 moved those of libdl and libpthread into libc and gave them a new
 * version. A library that is bound to it ends every program under an older
 * glibc
 * ("version `GLIBC_2.34' not found"): in a container with an older image, say.
 * Under an older glibc these functions are in libraries that a program need not
 * have loaded: there they are weak, and OLDLIBC_HAS tells. What is preloaded
 * asks for no version of them: the linker would write down that the version is
 * libc's, and before glibc 2.30 the loader ends a program whose libc does not
 * have it, weak or not. The loader takes the first version, or the only one.
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
#define OLDLIBC_FIRST "GLIBC_2.2.5"
#define OLDLIBC_SCANF "GLIBC_2.7"
#else
#define OLDLIBC_FIRST "GLIBC_2.17"
#define OLDLIBC_SCANF "GLIBC_2.17"
#endif
#ifdef HAVE_NO_VERSION
#define OLDLIBC_MOVED ""
#else
#define OLDLIBC_MOVED OLDLIBC_FIRST
#endif
#define OLDLIBC(F)                                    \
    extern __typeof__ (F) F __attribute__ ((weak));   \
    __asm__(".symver " #F ", " #F "@" OLDLIBC_MOVED); \
    _Static_assert(1, "")
#define OLDLIBC_HAS(F) ((F) != 0)
#else
#define OLDLIBC(F)     _Static_assert(1, "")
#define OLDLIBC_HAS(F) 1
#endif
