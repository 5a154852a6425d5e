/* SPDX-License-Identifier: MIT
 *
 * wrap.c - the rows WRAP of wraps.def -> functions
 *
 * In:  calls of the program
 * Out: the same calls, unchanged; facts about them
 */
#include "config.h"

#include "preload/counted.h"
#include "preload/follow/locks.h"
#include "preload/libcio.h"
#include "preload/program.h"
#include "preload/real.h"
#include "preload/span.h"
#include "preload/wrap/facts.h"
#include "preload/wrap/transfer.h"

enum {
    CREAT_FLAGS = O_CREAT | O_WRONLY | O_TRUNC,
    TEMP_FLAGS = O_CREAT | O_RDWR | O_EXCL
};

#define WRAP(R, F, CALL, PARAMS, OPEN, CLOSE)                               \
    R F (WRAP_PARAMS PARAMS)                                                \
    {                                                                       \
        __typeof__ (real.F) real_f = REAL (F);                              \
        struct span sp;                                                     \
        sp.call = CALL_##CALL;                                              \
        sp.file.state = FILE_UNKNOWN;                                       \
        if (!(OPEN)) {                                                      \
            if (!span_left_begins (&sp, SUMS_OF_##CALL))                    \
                return real_f (WRAP_ARGS PARAMS);                           \
            span_left_says (&sp, SUMS_OF_##CALL);                           \
            R left = real_f (WRAP_ARGS PARAMS);                             \
            span_left_returned (&sp, SUMS_OF_##CALL);                       \
            span_left_ended (&sp, SUMS_OF_##CALL, (int64_t)(intptr_t)left); \
            return left;                                                    \
        }                                                                   \
        span_says (&sp);                                                    \
        R rc = real_f (WRAP_ARGS PARAMS);                                   \
        span_returned (&sp);                                                \
        if (!SUMS_OF_##CALL)                                                \
            sp.caller = __builtin_return_address (0);                       \
        CLOSE;                                                              \
        return rc;                                                          \
    }
#define HAND(R, F, PARAMS)
#include "preload/wrap/wraps.def"

/* --- wrappers of calls without a result --- */

#define VOID(F, CALL, PARAMS, ARGS, OPEN, CLOSE) \
    void F PARAMS                                \
    {                                            \
        __typeof__ (real.F) real_f = REAL (F);   \
        struct span sp = {.call = CALL_##CALL};  \
        if (!(OPEN)) {                           \
            real_f ARGS;                         \
            return;                              \
        }                                        \
        real_f ARGS;                             \
        CLOSE;                                   \
    }

VOID (sync, sync, (void), (), span_open (&sp), facts_fd (&sp, 0))
VOID (rewind,
      fseek,
      (FILE * f),
      (f),
      span_open_stream (&sp, f),
      facts_fseek (&sp, 0, 0, SEEK_SET))
VOID (rewinddir,
      rewinddir,
      (DIR * dir),
      (dir),
      span_open_dir (&sp, dir),
      facts_fd (&sp, 0))
VOID (seekdir,
      seekdir,
      (DIR * dir, long at),
      (dir, at),
      span_open_dir (&sp, dir),
      facts_fd (&sp, 0))
