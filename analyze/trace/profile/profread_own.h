/* SPDX-License-Identifier: MIT
 *
 * profread_own.h - private to profread.c and profreadmap.c
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

#endif
