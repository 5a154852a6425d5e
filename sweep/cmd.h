/* SPDX-License-Identifier: MIT
 *
 * cmd.h - what the verbs of `dftrace sweep` share
 *
 * The cmd files print; nothing below them does.
 */
#ifndef DFT_SWEEP_CMD_H
#define DFT_SWEEP_CMD_H

#include "lib/util/log.h"
#include "lib/util/optparse.h"
#include "sweep/sweepdir.h"

#define VERB(WORD, FUNCTION, SHOWN, HELP) int FUNCTION (int argc, char **argv);
#include "sweep/verbs.def"
#undef VERB

/* optparse, and its message. EXIT_OK to go on, else *status is the answer. */
int cmd_options (const struct opt *opts,
                 const struct verb_help *help,
                 int argc,
                 char **argv,
                 int *operand,
                 int *status);

/* Exactly `count` operands from *operand on; else the message. */
int cmd_operands (const struct verb_help *help,
                  int argc,
                  int operand,
                  int count);

/* Spec and grid of a file; on failure the message, with the line and a mark
 * under the place, and -1. */
int cmd_load (const char *path, struct spec **s, struct grid **g);

/* The message of an error in a sweep file. */
void cmd_spec_error (const struct errtext *err);

/* Open a sweep directory, or the message and NULL. */
struct sweepdir *cmd_open (const char *path);

/* One line on standard output, at once. */
void cmd_say (void *cookie, const char *line);

/* Progress until the last analysis job has ended, then the tables if it did
 * not write them. An exit status. */
int cmd_wait (struct sweepdir *d);

#endif
