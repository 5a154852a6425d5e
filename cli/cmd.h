/* SPDX-License-Identifier: MIT
 *
 * cmd.h - what a verb is
 *
 * int cmd_X (int argc, char **argv): argv[0] is the verb. Returns the exit
 * status (enum exit_code). Verbs may print; nothing below them does.
 */
#pragma once

#include <stdio.h>

#define VERB(WORD, FUNCTION, SHOWN, HELP) int FUNCTION (int argc, char **argv);
#include "cli/verbs.def"
#undef VERB

struct verb {
    const char *word; /* NULL ends the table */
    int (*run) (int argc, char **argv);
    int shown;
    const char *help;
};

const struct verb *verb_table (void);
const struct verb *verb_find (const char *word); /* NULL: none */
void verb_print_all (FILE *out);
