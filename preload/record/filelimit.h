/* SPDX-License-Identifier: MIT
 *
 * filelimit.h - how much a process may write
 *
 * Private to the recorder. Limits are those of its events, or of the whole
 * profile where it has had one from the start. A profile that goes on where
 * the events had to end has PROFILE_BYTES_MAX of its own behind them.
 */
#ifndef DFT_CORE_FILELIMIT_H
#define DFT_CORE_FILELIMIT_H

#include "lib/settings/settings.h"

void filelimit_start (const struct settings *s);

/* Bytes of this process, for a block of events or of a profile; 0: no limit. */
uint64_t filelimit_bytes (int profile);

/* It has as many events as it may have:
 * counted where that costs nothing, in whole chunks. */
int filelimit_is_reached (int profile);

#endif
