/* SPDX-License-Identifier: MIT
 *
 * departure.h - what a process does when it starts another
 */
#pragma once

#include <stddef.h>

#include "preload/follow/outfit.h"
#include "preload/program.h"

/* --- spare.c: memory for a large environment between the call and the exec ---
 *
 * The stack may be a small one, and malloc must not be called in a child of
 * vfork, where a mapping would stay in the parent: what such a child took is
 * the thread's spare one from then on, and taken again by its next exec.
 */

struct spare {
    void *memory; /* NULL: nothing was taken */
    size_t size;
};

/* NULL when there is no memory. */
void *spare_take (struct spare *s, size_t size);

/* Before an exec that may not return; the thread runs in its parent's memory.
 */
void spare_leave (struct spare *s);

/* It is not needed any more. Keeps errno. */
void spare_free (struct spare *s);

/* This thread ends. */
void spare_thread_end (void);

/* --- departure.c: a program that is about to be started: by exec, spawn, shell
 * ---
 *
 * Looks at the program, says what it is given as its environment, and counts it
 * where it is not traced. In a child of vfork all of this runs in the parent's
 * memory, and changes no more of it than one addition and the thread's spare
 * memory. Keeps errno.
 */

enum { DEPARTURE_STACK = 4096 /* bytes: larger ones go into a mapping */ };

struct departure {
    struct outfit o;
    struct program_name name;
    struct spare spare;
    int ours;   /* our process, and something is recorded */
    int starts; /* the kernel will start it, as far as can be seen; -1: the
                   file is not there */
};

/* True when the program is to be given another environment than envp. */
int departure_plan (struct departure *d,
                    const struct program_name *name,
                    char *const envp[]);

/* It; NULL: there is no memory, envp it is. stack: room for it, or NULL. */
char *const *departure_make (struct departure *d, void *stack);
#define DEPARTURE_MAKE(D)                                     \
    departure_make (&(D), (D).o.room <= DEPARTURE_STACK       \
                              ? __builtin_alloca ((D).o.room) \
                              : NULL)

/* The program is process pid (0: not known): counted, if it is not traced. */
void departure_note (struct departure *d, pid_t pid);

/* Around an exec. What is in memory only would be gone; a failed exec goes on
 * in a new chunk. departure_failed returns rc. */
void departure_exec (struct departure *d);
int departure_failed (struct departure *d, int rc);

/* E2BIG: true when the same with the caller's environment is worth a try. Then
 * the program is counted as one that is too large, by departure_exec or
 * departure_note. */
int departure_too_large (struct departure *d);

/* A spawn has returned. */
void departure_end (struct departure *d);
