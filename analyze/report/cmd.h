/* SPDX-License-Identifier: MIT
 *
 * cmd.h - the verb of this folder; a row of cli/verbs.def names it
 */
#ifndef DFT_REPORT_CMD_H
#define DFT_REPORT_CMD_H

int cmd_report (int argc, char **argv);

#endif
