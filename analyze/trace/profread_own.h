/* SPDX-License-Identifier: MIT
 *
 * profread_own.h - private to profread.c, profreadmap.c and profreadvalues.c
 */
#ifndef DFT_ANALYZE_PROFREAD_OWN_H
#define DFT_ANALYZE_PROFREAD_OWN_H

#include "analyze/trace/profread.h"

/* A record PROFILE_MAP of so many bytes: the bins in which there is something.
 * 1; 0: it makes no sense; -1: ENOMEM. */
int profread_map (struct profrows *p,
                  const struct profread_thread *t,
                  const unsigned char *at,
                  size_t bytes);

/* A record PROFILE_SIZES or PROFILE_STRIDES of so many bytes: its values, each
 * like this one. As above. */
int profread_values (struct profrows *p,
                     const struct profvalue *like,
                     const unsigned char *at,
                     size_t bytes);

/* One of these, or nothing where times is 0. 1, or -1: ENOMEM. */
int profread_value (struct profrows *p,
                    const struct profvalue *like,
                    uint64_t bytes,
                    uint64_t times);

/* Say of the rows from this one on of how many calls the size is known, where
 * their values begin at `value`. */
void profread_sizes_known (struct profrows *p, size_t row, size_t value);

#endif
