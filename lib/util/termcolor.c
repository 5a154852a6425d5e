/* SPDX-License-Identifier: MIT
 *
 * termcolor.c - words of tables -> how a terminal shows them
 *
 * In:  cells of textable_print.c
 * Out: escape sequences of ECMA-48
 */
#include "config.h"

#include "lib/util/termcolor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int term_colors (FILE *out)
{
    const char *term = getenv ("TERM"), *none = getenv ("NO_COLOR");

    return (!none || !*none) && term && strcmp (term, "dumb") != 0 &&
           isatty (fileno (out));
}

enum term_style term_style_of (const char *word)
{
    static const struct {
        const char *word;
        enum term_style style;
    } words[] = {
        {"critical", TERM_ALARM},   {"failed", TERM_ALARM},
        {"warning", TERM_NOTICE},   {"unknown", TERM_NOTICE},
        {"straggler", TERM_NOTICE}, {"n/a", TERM_FAINT},
        {"-", TERM_FAINT},
    };

    for (size_t i = 0; i < sizeof (words) / sizeof (words[0]); i++)
        if (strcmp (word, words[i].word) == 0)
            return words[i].style;
    return TERM_PLAIN;
}

const char *term_begin (enum term_style style)
{
    static const char *const begin[] = {
        [TERM_PLAIN] = "",           [TERM_HEAD] = "\033[1m",
        [TERM_FAINT] = "\033[2m",    [TERM_NOTICE] = "\033[33m",
        [TERM_ALARM] = "\033[1;31m",
    };

    return begin[style];
}

const char *term_end (enum term_style style)
{
    return style == TERM_PLAIN ? "" : "\033[0m";
}

int term_columns (FILE *out)
{
    struct winsize w;
    int fd = fileno (out);

    return fd >= 0 && ioctl (fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}
