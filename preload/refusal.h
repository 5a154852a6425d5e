/* SPDX-License-Identifier: MIT
 *
 * refusal.h - why this program is not traced, for whoever reads the trace
 */
#ifndef DFT_PRELOAD_REFUSAL_H
#define DFT_PRELOAD_REFUSAL_H

/* Write reason into JOBDIR/shards/refused.HOST, unless somebody has; silent
 * where that is not possible. */
void refusal_leave (const char *job_dir, const char *reason);

#endif
