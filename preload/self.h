/* SPDX-License-Identifier: MIT
 *
 * self.h - where this program is, and what runs it
 */
#ifndef DFT_PRELOAD_SELF_H
#define DFT_PRELOAD_SELF_H

#include <sys/types.h>

/* The path of this program, without links, into path[size], as /proc/self/exe
 * has it; returns its length, without a NUL, or -1. argv: what main () gets.
 * To be called where the program has not changed its root or directory yet. */
ssize_t self_path (char *path, size_t size, const char *const *argv);

/* Whether valgrind runs it, which prints a line on system calls and arguments
 * that it does not know. Async-signal-safe. */
int self_in_valgrind (void);

#endif
