/* SPDX-License-Identifier: MIT
 *
 * words.h - how wide words are, and which of them fit; pure
 */
#ifndef DFT_CHART_WORDS_H
#define DFT_CHART_WORDS_H

#include <stddef.h>

#include "lib/util/numwords.h"

/* Width in pixels at a font size, never less than what a browser needs with
 * the fonts of the page. */
double text_width (const char *text, double size);

/* Copy of text that is at most width pixels wide, its middle replaced by an
 * ellipsis. Returns buf. */
char *
text_fit (char *buf, size_t room, const char *text, double width, double size);

/* How labels that stand step pixels apart are written below an axis: all of
 * them side by side, upright, or only every n-th, so that none touches
 * another. width: of the widest. */
struct label_plan {
    int upright;  /* turned by 90 degrees */
    size_t every; /* from 1 */
    double depth; /* pixels they need below the axis */
};
struct label_plan
label_plan (size_t n, double step, double widest, double size);

#endif
