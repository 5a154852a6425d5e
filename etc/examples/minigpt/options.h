/* SPDX-License-Identifier: MIT
 *
 * options.h - command line and environment -> struct options
 */
#ifndef MINIGPT_OPTIONS_H
#define MINIGPT_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

#include "etc/examples/minigpt/failure.h"

typedef const char *option_TEXT;
typedef uint64_t option_COUNT;
typedef uint64_t option_SIZE; /* bytes */

struct options {
#define OPTION(FIELD, TYPE, NAME, ENV, DEFAULT, ARG, HELP) option_##TYPE FIELD;
#include "etc/examples/minigpt/options.def"
#undef OPTION
};

/* 0; 1 when help was asked for; -1 with f. Texts point into argv and the
 * environment. Checks that the numbers fit together. */
int options_parse (struct options *o, int argc, char **argv, struct failure *f);
void options_print_help (FILE *out);

#endif
