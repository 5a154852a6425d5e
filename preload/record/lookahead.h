/* SPDX-License-Identifier: MIT
 *
 * lookahead.h - what a process finds out before a fork, for all its children
 *
 * Private to recorder.c.
 */
#ifndef DFT_CORE_LOOKAHEAD_H
#define DFT_CORE_LOOKAHEAD_H

#include "preload/record/procinfo.h"
#include "lib/settings/settings.h"

/* Not at each fork: what is written to after one is a page to be copied. */
int lookahead_due (void);

/* The clock; the node's file, if others have made it (s: NULL where this
 * process has its part of it); space for the places of children. To be called
 * where no other thread begins its part. */
void lookahead (const struct settings *s, const struct procinfo *info);

#endif
