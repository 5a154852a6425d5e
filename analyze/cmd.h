/* SPDX-License-Identifier: MIT
 *
 * cmd.h - the verbs of this folder
 *
 * argv[0] is the verb. They return the exit status (enum exit_code); they may
 * print, nothing below them does.
 */
#pragma once

int cmd_analyze (int argc, char **argv);
int cmd_compare (int argc, char **argv);
int cmd_export (int argc, char **argv);
int cmd_merge (int argc, char **argv);
int cmd_report (int argc, char **argv);
int cmd_stat (int argc, char **argv);
