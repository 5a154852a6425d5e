/* SPDX-License-Identifier: MIT
 *
 * quiet.h - a process without a trace -> the evidence that it was traced
 */
#ifndef DFT_PRELOAD_QUIET_H
#define DFT_PRELOAD_QUIET_H

#include "lib/format/shard.h"

/* A file of this class is left out by the settings. Thread safe, about: it is
 * enough to know whether there was one. */
void quiet_leave_out (enum file_class class);

/* In a new process. */
void quiet_forked (void);

/* At the orderly end of a process that has begun, before the recorder's. */
void quiet_finish (void);

#endif
