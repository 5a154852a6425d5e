/* SPDX-License-Identifier: MIT
 *
 * profread_own.h - private to profread.c, profreadmap.c and profreadsizes.c
 */
#ifndef DFT_ANALYZE_PROFREAD_OWN_H
#define DFT_ANALYZE_PROFREAD_OWN_H

#include "analyze/trace/profile/profread.h"

/* A record PROFILE_MAP of so many bytes: the bins in which there is something.
 * 1; 0: it makes no sense; -1: ENOMEM. */
int profread_map (struct profrows *p,
                  const struct profread_thread *t,
                  const unsigned char *at,
                  size_t bytes);

/* A record PROFILE_SIZES of so many bytes, of a row of these names: its sizes.
 * As above. */
int profread_sizes (struct profrows *p,
                    const struct profsize *row,
                    const unsigned char *at,
                    size_t bytes);

/* Say of the rows from this one on of how many calls the size is known, where
 * their sizes begin at `size`. */
void profread_sizes_known (struct profrows *p, size_t row, size_t size);

#endif
