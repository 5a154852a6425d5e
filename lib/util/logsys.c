/* SPDX-License-Identifier: MIT
 *
 * logsys.c - lines for the system's log
 *
 * In:  a line that is escaped already
 * Out: syslog(3), whose constants have the names of log.h's
 */
#include "config.h"

#include <syslog.h>

#include "lib/util/logsys.h"

void logsys_send (int is_error, const char *line)
{
    syslog (LOG_DAEMON | (is_error ? LOG_ERR : LOG_INFO), "dftrace: %s", line);
}
