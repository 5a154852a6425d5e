/* SPDX-License-Identifier: MIT
 *
 * finding.h - findings of `dftrace doctor`, of this host and of many
 *
 * What others wrote into names is escaped.
 */
#pragma once

/* -- what `dftrace doctor` found, a line each -- */

/* How the lines begin that a node writes for the doctor who asked it:
 * CARD_MARK, host, kind, text, with tabs between them. */
#define CARD_MARK         "dftrace-doctor"
#define FINDING_THIS_HOST "this host"

/* From now on findings are lines of that kind, in the name of host, which
 * stays the caller's. NULL: lines for a reader. */
void findings_of_host (const char *host);

void finding_good (const char *fmt, ...)
    __attribute__ ((format (printf, 1, 2)));
/* Worth knowing, nothing to mend. */
void finding_note (const char *fmt, ...)
    __attribute__ ((format (printf, 1, 2)));
/* "object: problem: what to do". */
void finding_bad (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));

/* Something that must be the same on all nodes, key is what; a reader is not
 * told. */
void finding_fact (const char *key, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));

/* How many there were of kind bad. */
int findings_bad (void);

/* The lines so far in the name of FINDING_THIS_HOST; NULL when there are none.
 */
char *findings_lines (void);

/* -- what many hosts say, gathered: which said the same? -- */

struct hostsay;

struct hostsay *hostsay_create (void);

/* Take the lines of text that begin with CARD_MARK (finding.h); text is
 * changed. Others are left out. */
void hostsay_read (struct hostsay *h, char *text);

/* True when the host said something of that kind. */
int hostsay_has (const struct hostsay *h, const char *kind, const char *host);

/* The first text of that kind; NULL where there is none. */
const char *hostsay_text (const struct hostsay *h, const char *kind);

/* Findings: each text of kind BAD or note with its hosts, then each other kind
 * whose texts differ between hosts. */
void hostsay_report (struct hostsay *h);
