/* SPDX-License-Identifier: MIT
 *
 * hostsay.h - what many hosts say, gathered: which said the same?
 *
 * Single-threaded; memory is the table's.
 */
#ifndef DFT_CLI_HOSTSAY_H
#define DFT_CLI_HOSTSAY_H

struct hostsay;

/* NULL when memory is short. */
struct hostsay *hostsay_create (void);
void hostsay_destroy (struct hostsay *h); /* NULL is fine */

/* Take the lines of text that begin with CARD_MARK (finding.h); text is
 * changed. Others are left out. */
void hostsay_read (struct hostsay *h, char *text);

/* How many hosts said something of that kind; those that did, "a, b, c", cut
 * with "…" where there are many. The text is valid until the next call. */
int hostsay_count (const struct hostsay *h, const char *kind);
const char *hostsay_hosts (struct hostsay *h, const char *kind);

/* True when the host said something of that kind. */
int hostsay_has (const struct hostsay *h, const char *kind, const char *host);

/* The first text of that kind; NULL where there is none. */
const char *hostsay_text (const struct hostsay *h, const char *kind);

/* Findings: each text of kind BAD or note with its hosts, then each other kind
 * whose texts differ between hosts. */
void hostsay_report (struct hostsay *h);

#endif
