/* SPDX-License-Identifier: MIT
 *
 * arrival.h - what this program was handed beside the environment that it was
 *             given
 *
 * A traced program that starts another one may have put two entries at the end
 * of its environment: LD_PRELOAD and DFTRACE_TOLD. They are taken out before
 * main (): envp, environ, the way from there to the auxiliary vector and
 * /proc/self/environ are as the program was given them.
 */
#pragma once

#include <stddef.h>

/* -- what this program was handed beside the environment that it was given --
 */

/* envp: as the constructor gets it. Once, before anything looks at the
 * environment. */
void arrival_take (char **envp);

/* Elements of LD_PRELOAD that are our libraries, separated by colons; "" when
 * there are none (or they are not named by their paths). */
const char *arrival_libraries (void);

/* -- texts at the end of the environment that nobody is to see in
 * /proc/self/environ -- */

/* Two texts of n bytes each with their NULs. Where they are the last ones of
 * the environment the kernel is told that it ends before them; else, and where
 * the kernel cannot be told, they become zeros. first may be NULL. Before
 * threads. */
struct environend_text {
    char *text;
    size_t n;
};
void environend_hide (struct environend_text first,
                      struct environend_text second);
