/* SPDX-License-Identifier: MIT
 *
 * filter.c - settings, path -> recorded or not, in this process
 *
 * As lib/settings/paths.h has it, and a shell's script never.
 */
#include "config.h"

#include "lib/base/sys.h"
#include "preload/filter.h"
#include "preload/shells.h"

static SYS_START struct pathfilter filter;

SYS_START unsigned char filter_calls[CALL_MAX];
SYS_START uint64_t filter_min_size;

void filter_start (const struct settings *s)
{
    pathfilter_start (&filter, s);
    filter_min_size = s->min_size;
    pathfilter_calls (s, filter_calls);
}

int filter_wants (enum file_class class, const char *path, size_t length)
{
    return pathfilter_wants (&filter, class, path, length) &&
           !shells_is_script (path, length);
}

enum leftout
filter_reason (enum file_class class, const char *path, size_t length)
{
    return pathfilter_wants (&filter, class, path, length)
               ? LEFTOUT_script
               : pathfilter_reason (&filter, class, path, length);
}

int filter_start_program (const char *exe,
                          size_t length,
                          const char *const *argv)
{
    if (shells_start (SETTING_TEXT (filter.settings, shells), exe, length,
                      argv))
        shells_drop_calls (filter_calls, FILTER_DROPPED);
    return pathfilter_program (&filter, exe, length);
}

int filter_wants_program (const char *exe, size_t length)
{
    return pathfilter_program (&filter, exe, length);
}
