/* SPDX-License-Identifier: MIT
 *
 * cmd_epilog.h - the verb `epilog`
 */
#ifndef DFT_EPILOG_CMD_EPILOG_H
#define DFT_EPILOG_CMD_EPILOG_H

/* argv[0] is the verb; always 0. */
int cmd_epilog (int argc, char **argv);

#endif
