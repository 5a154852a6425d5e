/* SPDX-License-Identifier: MIT
 *
 * filter.c - settings, path -> recorded or not
 *
 * Order: our own shards never; then include; then exclude. An include list
 * is more particular than the default exclude list, so that of the latter
 * only the patterns stay, and with "all" nothing; an exclude list that was
 * given always counts.
 */
#include "config.h"

#include <string.h>

#include "lib/core/sys.h"
#include "preload/filter.h"
#include "preload/shells.h"

static SYS_START const struct settings *settings;
static SYS_START const char *own_dir; /* job directory or stage */
static SYS_START size_t own_length;   /* of it without '/' at its end */
static SYS_START const char *include;
static SYS_START int include_all;      /* no path is left out by include */
static SYS_START const char *patterns; /* exclude list whose patterns count */
static SYS_START const char *unwanted; /* and whose directories do */

SYS_START unsigned char filter_calls[CALL_MAX];
SYS_START uint64_t filter_min_size;

static int moves_bytes (enum call call)
{
    return call_table[call].class == CALL_CLASS_READ ||
           call_table[call].class == CALL_CLASS_WRITE ||
           call_table[call].class == CALL_CLASS_COPY;
}

static unsigned char start_call (const char *excluded, enum call call)
{
    return calls_has (excluded, call)              ? FILTER_DROPPED
           : filter_min_size && moves_bytes (call) ? FILTER_BY_SIZE
                                                   : FILTER_RECORDED;
}

static void start_calls (const struct settings *s)
{
    const char *excluded = SETTING_TEXT (s, exclude_calls);

    filter_min_size = s->min_size;
    memset (filter_calls, FILTER_RECORDED, sizeof (filter_calls));
    if (!excluded[0] && !filter_min_size)
        return;
    for (int call = 1; call < CALL_MAX; call++)
        filter_calls[call] = start_call (excluded, (enum call)call);
}

static void start_lists (const struct settings *s)
{
    const char *exclude = SETTING_TEXT (s, exclude);
    int all, given = (s->given >> SETTING_ID_exclude & 1) != 0;

    include = SETTING_TEXT (s, include);
    all = list_has_prefix (include, "all", 3);
    include_all = all || include[0] == '\0';
    patterns = given || !all ? exclude : "";
    unwanted = given || include[0] == '\0' ? exclude : "";
}

void filter_start (const struct settings *s)
{
    const char *stage = SETTING_TEXT (s, stage);

    settings = s;
    own_dir = stage[0] ? stage : s->job_dir;
    own_length = strnlen (own_dir, SETTING_TEXT_MAX - 1);
    while (own_length > 0 && own_dir[own_length - 1] == '/')
        own_length--;
    start_lists (s);
    start_calls (s);
}

/* Glob with '*' only. */
static int
glob (const char *p, const char *p_end, const char *t, const char *t_end)
{
    const char *star = NULL, *retry = t;

    while (t < t_end) {
        if (p < p_end && *p == '*') {
            star = p++;
            retry = t;
        } else if (p < p_end && *p == *t) {
            p++;
            t++;
        } else if (star) {
            p = star + 1;
            t = ++retry;
        } else
            return 0;
    }
    while (p < p_end && *p == '*')
        p++;
    return p == p_end;
}

int filter_has_pattern (const char *list, const char *path, size_t length)
{
    const char *base = memrchr (path, '/', length);
    const char *end;

    base = base ? base + 1 : path;
    for (; *list; list = *end ? end + 1 : end) {
        end = strchrnul (list, ':');
        if (*list == '*' && glob (list, end, base, path + length))
            return 1;
    }
    return 0;
}

static int is_own (const char *path, size_t length)
{
    static const char tail[] = "/shards";
    size_t n = own_length + sizeof (tail) - 1;

    return length >= n && memcmp (path, own_dir, own_length) == 0 &&
           memcmp (path + own_length, tail, sizeof (tail) - 1) == 0 &&
           (length == n || path[n] == '/');
}

/* Memory without a place in the tree: no path setting can name it. */
static int is_memfd (const char *path, size_t length)
{
    static const char prefix[] = "/memfd:";
    size_t n = sizeof (prefix) - 1;

    return length >= n && memcmp (path, prefix, n) == 0;
}

/* The job's own output, by its whole path. */
static int is_output (const char *path, size_t length)
{
    const char *list = SETTING_TEXT (settings, output), *end;

    for (; *list; list = *end ? end + 1 : end) {
        end = strchrnul (list, ':');
        if ((size_t)(end - list) == length && memcmp (list, path, length) == 0)
            return 1;
    }
    return 0;
}

int filter_wants (enum file_class class, const char *path, size_t length)
{
    const char *word = file_class_name (class);

    if (class == FILE_CLASS_PIPE || class == FILE_CLASS_SOCKET ||
        class == FILE_CLASS_DEVICE || class == FILE_CLASS_OTHER ||
        is_memfd (path, length))
        return list_has_prefix (include, word, strlen (word));
    if (is_own (path, length) || is_output (path, length) ||
        shells_is_script (path, length))
        return 0;
    if (!include_all && !list_has_prefix (include, path, length))
        return 0;
    return !filter_has_pattern (patterns, path, length) &&
           !list_has_prefix (unwanted, path, length);
}

static int is_listed (const char *list, const char *exe, size_t length)
{
    return list_has_prefix (list, exe, length) ||
           filter_has_pattern (list, exe, length);
}

int filter_start_program (const char *exe,
                          size_t length,
                          const char *const *argv)
{
    const char *wanted = SETTING_TEXT (settings, include_exe);

    if (shells_start (SETTING_TEXT (settings, shells), exe, length, argv))
        shells_drop_calls (filter_calls, FILTER_DROPPED);
    return (wanted[0] == '\0' || strcmp (wanted, "all") == 0 ||
            is_listed (wanted, exe, length)) &&
           !is_listed (SETTING_TEXT (settings, exclude_exe), exe, length);
}
