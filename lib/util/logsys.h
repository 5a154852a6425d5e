/* SPDX-License-Identifier: MIT
 *
 * logsys.h - lines for the system's log
 */
#ifndef DFT_UTIL_LOGSYS_H
#define DFT_UTIL_LOGSYS_H

/* Hand one line to syslog(3) as "dftrace: line", facility daemon. Nobody waits
 * for a daemon that is not there. Thread safe. */
void logsys_send (int is_error, const char *line);

#endif
