/* SPDX-License-Identifier: MIT
 *
 * progress.h - a line that moves on a terminal; nothing in a pipe
 */
#ifndef DFT_UTIL_PROGRESS_H
#define DFT_UTIL_PROGRESS_H

#include <stdint.h>

/* One at a time per process. The line appears after two seconds, only when
 * standard error is a terminal, with rate and time left. */
void progress_start (const char *what, uint64_t total, const char *unit);
void progress_set (uint64_t done); /* thread safe, cheap */
void progress_add (uint64_t done); /* thread safe, cheap */
void progress_hide (void);         /* erase; the next step redraws */
void progress_end (void);

#endif
