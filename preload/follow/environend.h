/* SPDX-License-Identifier: MIT
 *
 * environend.h - texts at the end of the environment that nobody is to see in
 *                /proc/self/environ
 */
#ifndef DFT_PRELOAD_ENVIRONEND_H
#define DFT_PRELOAD_ENVIRONEND_H

#include <stddef.h>

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

#endif
