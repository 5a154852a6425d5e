/* SPDX-License-Identifier: MIT
 *
 * words.h - numbers -> words for people, and how wide words are; pure
 */
#ifndef DFT_REPORT_WORDS_H
#define DFT_REPORT_WORDS_H

#include <stddef.h>

enum { WORDS_MAX = 64 };

/* What a figure shows a unit in. */
struct unit {
    char name[16]; /* "" counts */
    double factor; /* shown = value * factor */
};

/* The unit to show values up to max in: "s" becomes ms or µs, "B" becomes
 * KiB … TiB; others stay. NULL is "". */
struct unit unit_for (const char *unit, double max);

/* Three significant digits without an exponent; thousands apart; from a
 * million on "1.23 M". NaN is "n/a". Returns buf (of WORDS_MAX bytes). */
char *number_words (char *buf, double v);

/* As number_words, with the unit that suits this value: "1.5 ms". */
char *value_words (char *buf, double v, const char *unit);

/* Tick labels: as many digits as the step between ticks needs. */
char *tick_words (char *buf, double v, double step);

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
