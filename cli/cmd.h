/* SPDX-License-Identifier: MIT
 *
 * cmd.h - what a verb is
 *
 * int cmd_X (int argc, char **argv): argv[0] is the verb. Returns the exit
 * status (enum exit_code). Verbs may print; nothing below them does.
 */
#ifndef DFT_CLI_CMD_H
#define DFT_CLI_CMD_H

#define VERB(WORD, FUNCTION, SHOWN, HELP) int FUNCTION (int argc, char **argv);
#include "cli/verbs.def"
#undef VERB

#endif
