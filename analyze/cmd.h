/* SPDX-License-Identifier: MIT
 *
 * cmd.h - the verbs of this folder; see cli/cmd.h for what a verb is
 */
#ifndef DFT_ANALYZE_CMD_H
#define DFT_ANALYZE_CMD_H

int cmd_analyze (int argc, char **argv);
int cmd_merge (int argc, char **argv);
int cmd_stat (int argc, char **argv);

#endif
