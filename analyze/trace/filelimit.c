/* SPDX-License-Identifier: MIT
 *
 * filelimit.c - as many open files as the system lets us have
 */
#include "config.h"

#include <sys/resource.h>

#include "analyze/trace/filelimit.h"

void filelimit_raise (void)
{
    struct rlimit limit;

    if (getrlimit (RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit (RLIMIT_NOFILE, &limit);
    }
}
