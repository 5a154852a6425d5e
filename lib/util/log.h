/* SPDX-License-Identifier: MIT
 *
 * log.h - messages, and the line that shows progress
 */
#pragma once

#include <stdint.h>

/* --- log.c: "dftrace: object: problem: next step" on standard error --- */

enum log_level { LEVEL_ERROR = 0, LEVEL_WARN, LEVEL_INFO, LEVEL_DEBUG };

/* Default LEVEL_INFO. Not thread safe: set it before starting threads. */
void log_set_level (enum log_level level);

/* For what slurmd starts, whose standard error goes nowhere: from now on each
 * line goes to syslog, too, and a line break in a text is escaped. Not thread
 * safe. */
void log_for_daemons (void);

/* The first line from now on opens this file and makes it standard output and
 * error, of this process or its child, whoever has something to say; without a
 * line there is no file. It is appended to, links are not followed; one that
 * cannot be opened leaves them as they are. NULL: no more. Not thread safe. */
void log_to_file (const char *path);

/* One line each, "dftrace: " in front ("dftrace: warning: "). Thread safe.
 * Control characters and what is no UTF-8 are escaped. A progress line on the
 * terminal is cleared first. */
void log_error (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));
void log_warn (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));
void log_info (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));
void log_debug (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));

/* --- progress.c: a line that moves on a terminal; nothing in a pipe --- */

/* One at a time per process. The line appears after two seconds, only when
 * standard error is a terminal, with rate and time left. */
void progress_start (const char *what, uint64_t total, const char *unit);
void progress_set (uint64_t done); /* thread safe, cheap */
void progress_add (uint64_t done); /* thread safe, cheap */
void progress_hide (void);         /* erase; the next step redraws */
void progress_end (void);
