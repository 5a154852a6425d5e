/* SPDX-License-Identifier: MIT
 *
 * terminal.c - standard output -> size and colours of its terminal, a pager
 *
 * In:  COLUMNS, NO_COLOR, TERM, DFTRACE_PAGER, PAGER, LESS; the terminal
 * Out: numbers, escape sequences; a child that shows standard output
 */
#include "config.h"

#include "lib/base/array.h"
#include "lib/util/terminal.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

static pid_t terminal_pager; /* 0: there is none */
static int terminal_behind;  /* columns of the terminal behind the pager */
static const char shell[] = "/bin/sh";

static int terminal_named (void)
{
    const char *columns = getenv ("COLUMNS");

    return columns ? atoi (columns) : 0;
}

int terminal_shows (FILE *out)
{
    return isatty (fileno (out)) || (terminal_pager && out == stdout);
}

int terminal_columns (FILE *out)
{
    struct winsize w;
    int fd = fileno (out);

    if (fd < 0 || !terminal_shows (out))
        return 0;
    if (terminal_named () > 0)
        return terminal_named ();
    if (terminal_pager && out == stdout)
        return terminal_behind;
    return ioctl (fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

int terminal_columns_asked (FILE *out)
{
    return terminal_named () > 0 ? terminal_named () : terminal_columns (out);
}

int terminal_colors (FILE *out)
{
    const char *term = getenv ("TERM"), *none = getenv ("NO_COLOR");

    return (!none || !*none) && term && strcmp (term, "dumb") != 0 &&
           terminal_shows (out);
}

const char *terminal_begin (enum term_style style)
{
    static const char *const begin[] = {
        [TERM_PLAIN] = "",           [TERM_HEAD] = "\033[1m",
        [TERM_FAINT] = "\033[2m",    [TERM_NOTICE] = "\033[33m",
        [TERM_ALARM] = "\033[1;31m",
    };

    return begin[style];
}

const char *terminal_end (enum term_style style)
{
    return style == TERM_PLAIN ? "" : "\033[0m";
}

enum term_style terminal_style (const char *word)
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

    for (size_t i = 0; i < ITEMS (words); i++)
        if (strcmp (word, words[i].word) == 0)
            return words[i].style;
    return TERM_PLAIN;
}

/* The pager ends when its standard input does. */
static void terminal_finish (void)
{
    fclose (stdout);
    waitpid (terminal_pager, NULL, 0);
}

/* If the shell does not find the pager, cat shows what there is. */
static void terminal_exec (const char *pager, int from)
{
    static const char script[] = "eval \"$0\"; [ $? -ne 127 ] || exec cat";

    dup2 (from, STDIN_FILENO);
    signal (SIGINT, SIG_DFL);
    setenv ("LESS", "FRX", 0);
    execl (shell, shell, "-c", script, pager, (char *)NULL);
    _exit (127);
}

void terminal_page (void)
{
    const char *pager = getenv ("DFTRACE_PAGER");
    int ends[2], columns = terminal_columns (stdout);

    if (!pager)
        pager = getenv ("PAGER");
    if (!pager)
        pager = "less";
    if (terminal_pager || !isatty (STDOUT_FILENO) || !*pager ||
        strcmp (pager, "cat") == 0 || !getenv ("TERM") || pipe (ends) < 0)
        return;
    fflush (stdout);
    terminal_pager = fork ();
    if (terminal_pager == 0) {
        close (ends[1]);
        terminal_exec (pager, ends[0]);
    }
    close (ends[0]);
    if (terminal_pager > 0) {
        terminal_behind = columns;
        dup2 (ends[1], STDOUT_FILENO);
        signal (SIGINT, SIG_IGN); /* the pager's */
        atexit (terminal_finish);
    } else
        terminal_pager = 0;
    close (ends[1]);
}
