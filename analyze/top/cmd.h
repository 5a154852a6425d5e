/* SPDX-License-Identifier: MIT
 *
 * cmd.h - the verb of this folder
 */
#ifndef DFT_TOP_CMD_H
#define DFT_TOP_CMD_H

int cmd_top (int argc, char **argv);

#endif
