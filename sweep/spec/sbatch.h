/* SPDX-License-Identifier: MIT
 *
 * sbatch.h - the long options of sbatch; time limits and sizes, multiplied;
 * pure
 */
#pragma once

#include "lib/base/text.h"
#include "lib/util/xalloc.h"

/* "time=2,mem=1.5" -> factors (0 where not said). */
int grow_parse (const char *text,
                double *time,
                double *mem,
                struct errtext *err);

/* A time limit of sbatch in seconds; -1 when it is none. */
long grow_seconds (const char *limit);

/* A time limit as sbatch takes it ("30", "5:00", "1:00:00", "2-12") or a size
 * ("16G") times a factor, as text in the same language; rounded up. NULL when
 * it is neither. */
const char *grow_time (const char *limit, double factor);
const char *grow_mem (const char *size, double factor);

/* Long options of sbatch, releases 20.11 to 25.05; NULL-terminated. */
extern const char *const sbatch_options[];
int sbatch_option_is_known (const char *name);
