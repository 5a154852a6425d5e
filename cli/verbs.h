/* SPDX-License-Identifier: MIT
 *
 * verbs.h - the table of verbs
 */
#ifndef DFT_CLI_VERBS_H
#define DFT_CLI_VERBS_H

#include <stdio.h>

struct verb {
    const char *word; /* NULL ends the table */
    int (*run) (int argc, char **argv);
    int shown;
    const char *help;
};

const struct verb *verb_table (void);
const struct verb *verb_find (const char *word); /* NULL: none */
void verb_print_all (FILE *out);

#endif
