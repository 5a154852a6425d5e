/* SPDX-License-Identifier: MIT
 *
 * say.c - lines of ours in slurmd's log, and to the user
 *
 * In:  a format and its arguments
 * Out: slurm_info, slurm_error or slurm_spank_log, escaped
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/base/escape.h"
#include "spank/say.h"
#include "spank/spank_api.h"

enum { SAY_BYTES = 4096 };

void say (enum say_to to, const char *fmt, ...)
{
    char text[SAY_BYTES], line[2 * SAY_BYTES];
    va_list ap;

    va_start (ap, fmt);
    (void)vsnprintf (text, sizeof (text), fmt, ap);
    va_end (ap);
    (void)escape_text (line, sizeof (line), text, ESCAPE_LINES);
    switch (to) {
    case SAY_LOG:
        slurm_info ("dftrace: %s", line);
        break;
    case SAY_ERROR:
        slurm_error ("dftrace: %s", line);
        break;
    case SAY_USER:
        slurm_spank_log ("dftrace: %s", line);
        break;
    }
}
