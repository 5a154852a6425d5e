/* SPDX-License-Identifier: MIT
 *
 * packlines.h - files of lines in a stage -> those of the job directory
 */
#ifndef DFT_EPILOG_PACKLINES_H
#define DFT_EPILOG_PACKLINES_H

/* Append each regular file of directory from whose name begins with prefix to
 * the one of that name in directory to, and remove it. Links are not followed.
 * Killed in between, lines come twice: who reads them must bear that. 0, or -1
 * with errno: files that are not done stay. */
int packlines (const char *from, const char *to, const char *prefix);

#endif
