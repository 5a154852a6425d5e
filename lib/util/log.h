/* SPDX-License-Identifier: MIT
 *
 * log.h - "dftrace: object: problem: next step" on standard error
 */
#ifndef DFT_UTIL_LOG_H
#define DFT_UTIL_LOG_H

enum log_level { LOG_ERROR = 0, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Default LOG_INFO. Not thread safe: set it before starting threads. */
void log_set_level (enum log_level level);

/* For what slurmd starts, whose standard error goes nowhere: from now on each
 * line goes to syslog, too, and a line break in a text is escaped. Not thread
 * safe. */
void log_for_daemons (void);

/* One line each, "dftrace: " in front ("dftrace: warning: "). Thread safe.
 * Control characters and what is no UTF-8 are escaped. A progress line on the
 * terminal is cleared first. */
void log_error (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));
void log_warn (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));
void log_info (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));
void log_debug (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));

#endif
