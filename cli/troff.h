/* SPDX-License-Identifier: MIT
 *
 * troff.h - text -> man(7)
 */
#ifndef DFT_CLI_TROFF_H
#define DFT_CLI_TROFF_H

/* Text to standard output: hyphens are ASCII ones, backslashes are shown. */
void put_troff (const char *text);

/* .TP with a bold term and a sentence, which gets its period here. */
void put_item (const char *term, const char *text);

#endif
