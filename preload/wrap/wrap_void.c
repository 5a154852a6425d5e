/* SPDX-License-Identifier: MIT
 *
 * wrap_void.c - wrappers of calls without a result
 */
#include "config.h"

#include "preload/wrap/facts.h"
#include "preload/real.h"
#include "preload/span.h"

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
