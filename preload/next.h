/* SPDX-License-Identifier: MIT
 *
 * next.h - the next definition of a function, as dlsym (RTLD_NEXT) finds it
 *
 * dlsym takes 1,400 instructions, and a lock, for each name; this a tenth and
 * none: it may be asked in a signal handler, and beside threads that load or
 * unload libraries.
 */
#pragma once

#include <stdint.h>

/* Look which libraries come behind ours, up to libc. 0, or -1 where that
 * cannot be known (an auditor, a filter, a library without such a hash table):
 * then next_find gives nothing. Once, while no other thread loads libraries. */
int next_start (void);

/* The function in those libraries; NULL where it is not certain (not found,
 * chosen at run time): dlsym knows. Async-signal-safe; keeps errno. */
void *next_find (const char *symbol);

/* As next_find, for a process without dlsym (an old libc without its libdl): in
 * all libraries behind ours that can be read, without next_start. It takes no
 * lock, so no other thread may unload libraries meanwhile. */
void *next_find_anywhere (const char *symbol);

/* The object that an address is in, of those that next_start has seen: where
 * it was loaded and its path, "" of the program; -1: none of them. */
int next_object (uintptr_t address, uintptr_t *base, const char **path);

/* A variable of libc, or NULL. */
void *next_variable (const char *symbol);
