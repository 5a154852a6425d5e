/* SPDX-License-Identifier: MIT
 *
 * refused.h - JOBDIR/shards/refused.HOST -> why programs were not traced
 */
#ifndef DFT_ANALYZE_REFUSED_H
#define DFT_ANALYZE_REFUSED_H

/* Call tell (host, reason) for each node of the job that left one; texts are
 * the caller's until tell returns. Returns how many. */
typedef void (*refused_tell_f) (const char *host, const char *reason);
unsigned refused_each (const char *job_dir, refused_tell_f tell);

#endif
