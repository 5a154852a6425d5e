/* SPDX-License-Identifier: MIT
 *
 * late.h - functions of libraries that a program loads for itself
 */
#ifndef DFT_PRELOAD_LATE_H
#define DFT_PRELOAD_LATE_H

/* The first definition of symbol in any loaded library but ours, or NULL. For
 * what RTLD_NEXT does not find: a Python extension brings its libraries for
 * itself alone, and yet calls our wrapper. May allocate. */
void *late_find (const char *symbol);

#endif
