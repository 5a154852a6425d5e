/* SPDX-License-Identifier: MIT
 *
 * screen.h - the terminal while a page is kept up to date on it
 */
#ifndef DFT_TOP_SCREEN_H
#define DFT_TOP_SCREEN_H

#include <stdint.h>

/* From now on SIGINT, SIGTERM and SIGHUP end screen_wait instead of the
 * program. draw: also take the terminal (its other screen, no echo), when
 * standard output and standard input are one; else screen_on () is 0. One at a
 * time; not thread safe. */
void screen_begin (int draw);
void screen_end (void);
int screen_on (void);

/* Rows and columns, 24 and 80 when not known. */
void screen_size (int *rows, int *columns);

/* Show text from the top left corner; the rest becomes blank. */
void screen_show (const char *text);

enum screen_key { SCREEN_KEY_NONE, SCREEN_KEY_QUIT, SCREEN_KEY_SORT };

/* Wait ns nanoseconds, or until a key that means something. */
enum screen_key screen_wait (uint64_t ns);

#endif
