/* SPDX-License-Identifier: MIT
 *
 * real.h - the functions behind the wrappers
 */
#pragma once

#include "preload/wrap/wrap.h"

enum real_index {
#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) REAL_##F,
#define HAND(R, F, PARAMS)                    REAL_##F,
#include "preload/wrap/wraps.def"
#undef WRAP
#undef HAND
    REAL_COUNT
};

struct real {
#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE) R (*F) (WRAP_PARAMS PARAMS);
#define HAND(R, F, PARAMS)                    R (*F) PARAMS;
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

/* Resolve what most programs call, so that the child need not. */
void real_before_fork (void);

/* Resolve one row. Never NULL: a function that this libc does not have gives
 * ENOSYS; inside dlsym itself, the bare system call. */
void *real_find (enum real_index index);

/* A function of libc that few programs need, found when it is called: the
 * loader looks up in each program what is called by its name. If libc does not
 * have it, it gives ENOSYS. */
#define LATER(F) ((__typeof__ (F) *)real_later (#F))
void *real_later (const char *name);

/* The real function, at any time. */
#define REAL(F)                           \
    (__builtin_expect (real.F != NULL, 1) \
         ? real.F                         \
         : (__typeof__ (real.F))real_find (REAL_##F))
