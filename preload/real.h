/* SPDX-License-Identifier: MIT
 *
 * real.h - the functions behind the wrappers
 */
#ifndef DFT_PRELOAD_REAL_H
#define DFT_PRELOAD_REAL_H

#include "preload/wrap/wrap.h"

/* --- real.c: the functions behind the wrappers --- */

enum real_index {
#define WRAP(R, F, CALL, PARAMS, ARGS, OPEN, CLOSE) REAL_##F,
#define HAND(R, F, PARAMS)                          REAL_##F,
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
    REAL_COUNT
};

struct real {
#define WRAP(R, F, CALL, PARAMS, ARGS, OPEN, CLOSE) R (*F) PARAMS;
#define HAND(R, F, PARAMS)                          R (*F) PARAMS;
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
};
_Static_assert(sizeof (struct real) == REAL_COUNT * sizeof (void *),
               "one pointer per row");

/* NULL: not looked up yet; see REAL. */
extern struct real real __attribute__ ((visibility ("hidden")));

/* From now on rows are resolved without the loader's help, which a signal
 * handler may not ask; where that is not possible, all of libc is resolved now.
 * Before threads, from the constructor. */
void real_start (void);

/* Resolve one row. Never NULL: a function that this libc does not have gives
 * ENOSYS; inside dlsym itself, the bare system call. */
void *real_find (enum real_index index);

/* The real function, at any time. */
#define REAL(F)                           \
    (__builtin_expect (real.F != NULL, 1) \
         ? real.F                         \
         : (__typeof__ (real.F))real_find (REAL_##F))

/* --- next.c: the next definition of a function, as by dlsym (RTLD_NEXT) ---
 *
 * dlsym takes 1,400 instructions, and a lock, for each name; this a tenth and
 * none: it may be asked in a signal handler, and beside threads that load or
 * unload libraries.
 */

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

/* A variable of libc, or NULL. */
void *next_variable (const char *symbol);

#endif
