/* SPDX-License-Identifier: MIT
 *
 * screenfilter.c - settings of a job -> which files its trace leaves out
 *
 * In:  include and exclude, as job.json has them
 * Out: a line or two under what I/O costs
 *
 * A program whose data lie in /usr, and modules of Python, have no I/O in a
 * trace with default settings; numbers of I/O are only right with that.
 */
#include "config.h"

#include "analyze/tables/screencoverage.h"
#include "analyze/tables/screenfilter.h"

#include <limits.h>
#include <string.h>

#include "lib/settings/pathfilter.h"

/* Of /proc and /dev nobody expects I/O on storage. */
static int screenfilter_is_storage (const char *element, size_t n)
{
    char file[PATH_MAX];

    if (element[0] != '/' || n + 2 > sizeof (file))
        return 1;
    memcpy (file, element, n);
    memcpy (file + n, "/", 2);
    return pathfilter_class (file, n + 1) == FILE_CLASS_STORAGE;
}

static void
screenfilter_put_list (struct screen *s, const char *words, const char *list)
{
    int first = 1;

    for (const char *end; *list; list = *end ? end + 1 : end) {
        size_t n;
        char word[SCREEN_COLUMNS];

        end = strchrnul (list, ':');
        n = (size_t)(end - list);
        if (!n || !screenfilter_is_storage (list, n))
            continue;
        (void)snprintf (word, sizeof (word), "%.*s", (int)n, list);
        if (first)
            screen_add (s, "  %s", words);
        if (screen_places (s->line) + screen_places (word) + 1 >
            SCREEN_COLUMNS) {
            screen_end_line (s);
            screen_add (s, " ");
        }
        screen_add (s, " %s", word);
        first = 0;
    }
    if (!first)
        screen_end_line (s);
}

void screenfilter_put (struct screen *s, const struct result *r)
{
    const struct job_info *info = &r->job->info;

    screencoverage_put (s, r);
    if (!info->present)
        return;
    if (info->include[0] && strcmp (info->include, "all") != 0)
        screenfilter_put_list (s, "recorded only (include):", info->include);
    screenfilter_put_list (s, "not recorded (exclude):", info->exclude);
}
