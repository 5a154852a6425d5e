/* SPDX-License-Identifier: MIT
 *
 * shells.c - what a shell does for itself, and not for the job
 *
 * In:  the setting `shells`, this program and its words
 * Out: the script that it reads; the calls that look for programs
 */
#include "config.h"

#include <string.h>

#include "lib/format/calls.h"
#include "lib/base/sys.h"
#include "preload/filter.h"
#include "lib/settings/paths.h"
#include "preload/shells.h"

static char script[PATHS_BIG];
static SYS_START size_t script_length; /* 0: none */

/* Options of shells that have a value of their own. */
static int takes_value (const char *word)
{
    static const char *const words[] = {"-o", "+o",       "-O",
                                        "+O", "--rcfile", "--init-file"};

    for (size_t i = 0; i < sizeof (words) / sizeof (words[0]); i++)
        if (strcmp (word, words[i]) == 0)
            return 1;
    return 0;
}

/* NULL: commands from -c or standard input. */
static const char *script_word (const char *const *argv)
{
    if (!argv || !argv[0])
        return NULL;
    while (*++argv) {
        const char *word = *argv;

        if (strcmp (word, "--") == 0 || strcmp (word, "-") == 0)
            return argv[1];
        if (word[0] != '-' && word[0] != '+')
            return word;
        if (word[1] != '-' && strchr (word, 'c'))
            return NULL;
        if (takes_value (word) && !*++argv)
            return NULL;
    }
    return NULL;
}

int shells_start (const char *list,
                  const char *exe,
                  size_t length,
                  const char *const *argv)
{
    const char *word;
    ssize_t n = 0;

    script_length = 0;
    if (!list_has_prefix (list, exe, length) &&
        !pathfilter_has_pattern (list, exe, length))
        return 0;
    word = script_word (argv);
    if (word && word[0] != '/')
        n = paths_cwd (script, sizeof (script));
    if (word && n >= 0)
        n = paths_append (script, (size_t)n, sizeof (script), word);
    script_length = word && n > 0 ? (size_t)n : 0;
    return 1;
}

int shells_is_script (const char *path, size_t length)
{
    return script_length > 0 && length == script_length &&
           memcmp (path, script, length) == 0;
}

void shells_drop_calls (unsigned char *dropped, unsigned char value)
{
    static const enum call calls[] = {
        CALL_lseek, CALL_fstat,  CALL_stat,      CALL_lstat,    CALL_fstatat,
        CALL_statx, CALL_access, CALL_faccessat, CALL_readlink, CALL_readlinkat,
        CALL_dup,   CALL_fcntl,  CALL_fflush,
    };

    for (size_t i = 0; i < sizeof (calls) / sizeof (calls[0]); i++)
        dropped[calls[i]] = value;
}
