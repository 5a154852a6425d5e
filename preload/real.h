/* SPDX-License-Identifier: MIT
 *
 * real.h - the functions behind the wrappers
 */
#ifndef DFT_PRELOAD_REAL_H
#define DFT_PRELOAD_REAL_H

#include "preload/wrap/wrap.h"

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

/* All of libc set once real_start has run; before that, and of other libraries
 * (rows io_*) before REAL, members may be NULL. */
extern struct real real __attribute__ ((visibility ("hidden")));

/* Resolve every row of libc. Before threads, from the constructor. */
void real_start (void);

/* Resolve one row on demand: for calls that come before the constructor or
 * into an inactive library. Never NULL: a function that this libc does not
 * have gives ENOSYS; inside dlsym itself, the bare system call. */
void *real_find (enum real_index index);

/* The real function, at any time. */
#define REAL(F) (real.F ? real.F : (__typeof__ (real.F))real_find (REAL_##F))

#endif
