/* SPDX-License-Identifier: MIT
 *
 * finding.h - what `dftrace doctor` found, a line each
 */
#ifndef DFT_CLI_FINDING_H
#define DFT_CLI_FINDING_H

void finding_good (const char *fmt, ...)
    __attribute__ ((format (printf, 1, 2)));
/* Worth knowing, nothing to mend. */
void finding_note (const char *fmt, ...)
    __attribute__ ((format (printf, 1, 2)));
/* "object: problem: what to do". */
void finding_bad (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));

/* How many there were of the last kind. */
int findings_bad (void);

#endif
