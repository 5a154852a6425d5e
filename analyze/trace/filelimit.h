/* SPDX-License-Identifier: MIT
 *
 * filelimit.h - as many open files as the system lets us have
 */
#ifndef DFT_ANALYZE_FILELIMIT_H
#define DFT_ANALYZE_FILELIMIT_H

/* A job may have thousands of shards, all open at once. Raises the soft limit
 * of this process to the hard one; failure is no error here. */
void filelimit_raise (void);

#endif
