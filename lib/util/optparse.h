/* SPDX-License-Identifier: MIT
 *
 * optparse.h - options of a verb, and numbers in words
 */
#pragma once

#include <stdio.h>

#include "lib/base/text.h"

/* --- optparse.c: a verb's option table -> parsed values, --help, completion,
 * manual text ---
 */

/* Exit codes of every command, in its manual page. */
enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1,      /* it did not work; nothing good was lost */
    EXIT_USAGE = 2,       /* wrong words on the command line */
    EXIT_PENDING = 3,     /* sweep status: not all runs have ended */
    EXIT_SOME_FAILED = 4, /* sweep: some runs failed */
    EXIT_DAMAGED = 5,     /* trace readable in part; numbers say what is lost */
    EXIT_SPEC = 6,        /* the sweep file has an error */
    EXIT_CHECK_FAILED = 7, /* sweep results: a check of the sweep file failed */
    EXIT_NOT_STARTED = 125, /* run: no trace possible; nothing was started */
    EXIT_CANNOT_EXEC = 126, /* run: the program is there, but does not start */
    EXIT_NOT_FOUND = 127    /* run: no such program */
};

enum opt_type {
    OPT_FLAG,     /* int *: set to 1 */
    OPT_TEXT,     /* const char **: points into argv */
    OPT_INT,      /* int *, >= 0 */
    OPT_SIZE,     /* uint64_t *, 64K, 1G */
    OPT_DURATION, /* uint64_t *, ns */
    OPT_FORMAT,   /* enum table_format *, see FORMAT_OPTION */
    OPT_LIST      /* struct opt_list *: each use appends */
};

enum { OPT_LIST_MAX = 64 };
struct opt_list {
    int count;
    const char *item[OPT_LIST_MAX];
};

struct opt {
    const char *name; /* long name without "--"; NULL ends the table */
    char letter;      /* or 0 */
    enum opt_type type;
    void *dest;
    const char *arg;  /* "DIR", NULL for a flag */
    const char *help; /* lower case, one sentence without period; NULL: an
                         old word, taken and never shown */
};

#define OPT_END      \
    {                \
        .name = NULL \
    }

/* The option of each verb that prints tables. */
#define FORMAT_OPTION(DEST)                           \
    {                                                 \
        "format", 'f', OPT_FORMAT, &(DEST), "FORMAT", \
            "text, csv, markdown or json (text)"      \
    }

struct verb_help {
    const char *usage;   /* "dftrace analyze [OPTION…] DIR…" */
    const char *summary; /* one line */
    const char *text;    /* paragraphs, or NULL */
    const char *example; /* lines "  $ dftrace …", or NULL */
    const char *exits;   /* "0  …\n5  …" */
    int stop_at_operand; /* the first operand ends the options */
    int least, most;     /* operands; most 0: any number from least on */
};

enum optparse_result {
    OPTPARSE_OK = 0,
    OPTPARSE_HELP = 1,
    OPTPARSE_ERROR = -1
};

/* Parse argv[1 …]; options may stand anywhere before "--"; when
 * help->stop_at_operand, the first operand ends them. *operands gets the index
 * of the first operand; operands are moved to the end of argv (argv is
 * permuted). --help prints and gives OPTPARSE_HELP; so do, alone,
 * --help-words (optparse_completion) and --help-man (optparse_man), from
 * which completion and manual pages are made, and --help-all. Unknown options
 * name the nearest known one in err. */
enum optparse_result optparse (const struct opt *opts,
                               const struct verb_help *help,
                               int argc,
                               char **argv,
                               int *operands,
                               struct errtext *err);

/* The exit status of a program that would end with this one: EXIT_FAILED, after
 * a message, if standard output could not be written. */
int flush_output (int status);

/* The index of the first operand, for a command that ends here after --help,
 * and after a mistake (EXIT_USAGE). */
int optparse_operands (const struct opt *opts,
                       const struct verb_help *help,
                       int argc,
                       char **argv);

/* All of it; --help itself prints at most 40 lines: without the text, with as
 * many options as there is room for, and three examples. */
void optparse_print_help (FILE *out,
                          const struct opt *opts,
                          const struct verb_help *help);

/* The options as words for completion, one per line: "--output=" where a
 * value follows, "--force" where not. */
void optparse_completion (FILE *out, const struct opt *opts);

/* A manual page in man(7). name is the page's ("dftrace-analyze"). */
void optparse_man (FILE *out,
                   const struct opt *opts,
                   const struct verb_help *help,
                   const char *name);

/* The word of list (NULL-terminated) nearest to word, or NULL when none is
 * near (edit distance over a third of its length). */
const char *nearest_word (const char *word, const char *const *list);

/* --- numwords.c: numbers -> words for people; pure --- */

enum { WORDS_MAX = 64 };

/* Unit and factor of the numbers in a figure. */
struct shown_unit {
    char name[16]; /* "" counts */
    double factor; /* shown = value * factor */
};

/* The unit to show values up to max in: "s" becomes ms or µs, "us" becomes
 * ms or s, "B" becomes KiB … TiB; others stay. NULL is "". */
struct shown_unit unit_for (const char *unit, double max);

/* Three significant digits without an exponent; thousands apart; from a
 * million on "1.23 M". NaN is "n/a". Returns buf (of WORDS_MAX bytes). */
char *number_words (char *buf, double v);

/* As number_words, with the unit that suits this value: "1.5 ms". */
char *value_words (char *buf, double v, const char *unit);

/* Tick labels: as many digits as the step between ticks needs. */
char *tick_words (char *buf, double v, double step);

/* --- regexbound.c --- */

/* The reason why a regular expression may take much memory or time; NULL: it
 * takes little, as far as one can tell. */
const char *regex_bound (const char *text);
