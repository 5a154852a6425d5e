/* SPDX-License-Identifier: MIT
 *
 * verb.h - another verb of dftrace, in a process of its own
 */
#ifndef DFT_EPILOG_VERB_H
#define DFT_EPILOG_VERB_H

/* `dftrace VERB …` as this same program; argv ends with NULL. Its exit
 * status, or -1 when it could not run or was killed. */
int verb_run (const char *const *argv);

#endif
